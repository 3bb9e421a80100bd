#define _POSIX_C_SOURCE 200809L

#include "texts.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "../case_file.h"

static void fail(const char *file, unsigned long line, const char *what)
{
    fprintf(stderr, "%s:%lu: %s\n", file, line, what);
    exit(2);
}

static void each_case(const char *file, text_visitor visit, void *context)
{
    char *content = case_read_all(file);
    char *next = content;

    if (!content)
        fail(file, 0, "cannot be read");
    for (unsigned long number = 1; *next; number++) {
        struct case_line line;
        char *start = next;
        char *end = strchr(start, '\n');

        next = end ? end + 1 : start + strlen(start);
        if (end)
            *end = '\0';
        if (*start == '#' || *start == '\0')
            continue;
        if (!case_split(start, &line))
            fail(file, number, "is no case");
        const struct case_field *last = &line.field[line.count - 1];
        const struct text text = {last->bytes, last->len, file, number, NULL};
        visit(context, &text);
    }
    free(content);
}

static void each_corpus_line(const char *file, text_visitor visit, void *context)
{
    FILE *stream = fopen(file, "rb");
    char *buffer = NULL;
    size_t room = 0;
    ssize_t len;

    if (!stream)
        fail(file, 0, "cannot be read");
    for (unsigned long number = 1; (len = getline(&buffer, &room, stream)) >= 0; number++) {
        json_t *object = json_loadb(buffer, (size_t)len, JSON_ALLOW_NUL, NULL);
        const json_t *sql = json_object_get(object, "sql");

        if (!json_is_string(sql))
            fail(file, number, "is no JSON object with a string `sql`");
        const struct text text = {json_string_value(sql), json_string_length(sql), file, number, object};
        visit(context, &text);
        json_decref(object);
    }
    if (ferror(stream))
        fail(file, 0, "cannot be read");
    free(buffer);
    fclose(stream);
}

static void each_file(const char *root, const char *names, text_visitor visit, void *context,
                      void (*each)(const char *, text_visitor, void *))
{
    char pattern[4096];
    glob_t found;

    if (snprintf(pattern, sizeof pattern, "%s/%s", root, names) >= (int)sizeof pattern)
        fail(root, 0, "is too long a path");
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            each(found.gl_pathv[i], visit, context);
        globfree(&found);
    }
}

void texts_of_cases(const char *root, text_visitor visit, void *context)
{
    each_file(root, "tests/cases/*.tsv", visit, context, each_case);
}

void texts_of_corpora(const char *root, text_visitor visit, void *context)
{
    each_file(root, "../shared/corpora/dev/*.jsonl", visit, context, each_corpus_line);
}

void print_escaped(FILE *out, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char b = (unsigned char)bytes[i];

        if (b == '\n')
            fputs("\\n", out);
        else if (b == '\\')
            fputs("\\\\", out);
        else if (b < 0x20 || b >= 0x7f)
            fprintf(out, "\\x%02x", b);
        else
            fputc(b, out);
    }
}

/*
 * d1guard, the command: reads the text or the lines and answers them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { READ_SIZE = 65536 };

void complain(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    fputs("d1guard: ", stderr);
    vfprintf(stderr, format, list);
    putc('\n', stderr);
    va_end(list);
}

void *resize(void *block, size_t size)
{
    void *grown = realloc(block, size);

    if (!grown) {
        complain("out of memory");
        exit(EXIT_TROUBLE);
    }
    return grown;
}

/* Jansson's allocator: an answer is whole or there is none. */
static void *json_memory(size_t size)
{
    return resize(NULL, size);
}

/* All bytes of the stream, the caller's to free; NULL with errno set when reading fails. */
static char *read_all(FILE *in, size_t *len)
{
    size_t size = READ_SIZE, n;
    char *text = resize(NULL, size);

    *len = 0;
    while ((n = fread(text + *len, 1, size - *len, in)) > 0) {
        *len += n;
        if (*len == size)
            text = resize(text, size *= 2);
    }
    if (!ferror(in))
        return text;
    free(text);
    return NULL;
}

static void print_json(const json_t *object)
{
    if (json_dumpf(object, stdout, JSON_COMPACT) != 0) {
        complain("cannot write JSON");
        exit(EXIT_TROUBLE);
    }
    putchar('\n');
}

static int answer_text(const struct arguments *arguments, FILE *in)
{
    size_t len;
    char *text = read_all(in, &len);
    int status;

    if (!text) {
        complain("%s: %s", arguments->path, strerror(errno));
        return EXIT_TROUBLE;
    }
    if (arguments->command == COMMAND_HOOK) {
        status = answer_hook(arguments, text, len);
    } else if (arguments->format == FORMAT_JSON) {
        json_t *object = json_object();

        status = answer_json(arguments, text, len, object);
        print_json(object);
        json_decref(object);
    } else {
        status = answer_human(arguments, text, len);
    }
    free(text);
    return status;
}

static json_t *json_error(const char *what, const char *detail)
{
    json_t *object = json_object();
    char text[JSON_ERROR_TEXT_LENGTH + 64];
    const int bytes = snprintf(text, sizeof text, "%s%s", what, detail);

    json_object_set_new(object, "error", json_shown(text, (size_t)bytes));
    return object;
}

/* The answer to one line: the line's own object with `sql` taken out and the answer's keys put in. */
static json_t *answer_line(const struct arguments *arguments, const char *line, size_t len, int *status)
{
    json_error_t error;
    json_t *object = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    json_t *sql = json_incref(json_object_get(object, "sql"));

    *status = EXIT_TROUBLE;
    if (json_is_string(sql)) {
        json_object_del(object, "sql");
        *status = answer_json(arguments, json_string_value(sql), json_string_length(sql), object);
    } else {
        json_t *wrong = object ? json_error("the line is no JSON object with a string \"sql\"", "")
                               : json_error("not JSON: ", error.text);

        json_decref(object);
        object = wrong;
    }
    json_decref(sql);
    return object;
}

/* A line that cannot be answered says so in its place, and the rest goes on. Each answer is flushed, so that
 * a program can ask line by line. */
static int answer_lines(const struct arguments *arguments, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    int status = EXIT_ALLOWED;

    while (errno = 0, (len = getline(&line, &size, in)) >= 0) {
        int line_status;
        json_t *object = answer_line(arguments, line, (size_t)len, &line_status);

        if (line_status == EXIT_TROUBLE)
            status = EXIT_TROUBLE;
        print_json(object);
        fflush(stdout);
        json_decref(object);
    }
    free(line);
    if (!feof(in)) {
        complain("%s: %s", arguments->path, strerror(errno));
        status = EXIT_TROUBLE;
    }
    return status;
}

int main(int argc, char **argv)
{
    struct arguments arguments;
    FILE *in = stdin;
    int status;

    json_set_alloc_funcs(json_memory, free);
    arguments_read(&arguments, argc, argv);
    if (strcmp(arguments.path, "-") != 0)
        in = fopen(arguments.path, "rb");
    if (!in) {
        complain("%s: %s", arguments.path, strerror(errno));
        arguments_free(&arguments);
        return EXIT_TROUBLE;
    }
    status = arguments.format == FORMAT_JSONL ? answer_lines(&arguments, in) : answer_text(&arguments, in);
    if (in != stdin)
        fclose(in);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain("standard output: %s", strerror(errno));
        status = EXIT_TROUBLE;
    }
    arguments_free(&arguments);
    return status;
}

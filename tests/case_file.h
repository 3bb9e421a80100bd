/*
 * Reads the case files of tests/cases: one case a line, fields between tabs, `#` starts a comment line.
 * In a field \n \t \r \0 \\ and \xNN (two hex digits) stand for one byte; all other bytes for themselves.
 * The text of a case is its last field and may be empty.
 *
 * Header only, so that the case runner, the fuzz replay and the soundness tests share one reader.
 */
#ifndef D1GUARD_TESTS_CASE_FILE_H
#define D1GUARD_TESTS_CASE_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASE_FIELDS 8

/* Bytes that may hold NUL; one more NUL stands behind them. */
struct case_field {
    char *bytes;
    size_t len;
};

struct case_line {
    unsigned long number; /* of the line in the file, from 1 */
    size_t count;         /* of fields */
    struct case_field field[CASE_FIELDS];
};

struct case_file {
    char *content; /* what the fields point into */
    struct case_line *lines;
    size_t count;
};

static inline int case_hex(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Replaces the escapes of a NUL-ended field in place. Returns 0 for an escape that is none. */
static inline int case_unescape(struct case_field *field)
{
    static const char letters[] = "ntr0\\";
    static const char bytes[] = "\n\t\r\0\\";
    const char *in = field->bytes;
    char *out = field->bytes;

    for (; *in; in++) {
        if (*in != '\\') {
            *out++ = *in;
            continue;
        }
        in++;
        if (*in == 'x') {
            const int high = case_hex(in[1]);
            const int low = high < 0 ? -1 : case_hex(in[2]);

            if (low < 0)
                return 0;
            *out++ = (char)(high * 16 + low);
            in += 2;
            continue;
        }
        const char *letter = *in ? strchr(letters, *in) : NULL;
        if (!letter)
            return 0;
        *out++ = bytes[letter - letters];
    }
    *out = '\0';
    field->len = (size_t)(out - field->bytes);
    return 1;
}

/* Cuts a NUL-ended line into its fields. Returns 0 for a bad escape or too many fields. */
static inline int case_split(char *text, struct case_line *line)
{
    for (line->count = 0; text; line->count++) {
        char *tab = strchr(text, '\t');

        if (line->count == CASE_FIELDS)
            return 0;
        if (tab)
            *tab++ = '\0';
        line->field[line->count].bytes = text;
        if (!case_unescape(&line->field[line->count]))
            return 0;
        text = tab;
    }
    return 1;
}

static inline void case_file_free(struct case_file *file)
{
    free(file->content);
    free(file->lines);
    memset(file, 0, sizeof *file);
}

static inline char *case_read_all(const char *path)
{
    FILE *stream = fopen(path, "rb");
    char *content = NULL;
    size_t used = 0, room = 0;

    while (stream && !feof(stream) && !ferror(stream)) {
        if (room - used < 4096) {
            char *more = (char *)realloc(content, room = 2 * room + 8192);

            if (!more)
                break;
            content = more;
        }
        used += fread(content + used, 1, room - used - 1, stream);
        content[used] = '\0';
    }
    if (!stream || ferror(stream) || !content || strlen(content) != used) {
        free(content);
        content = NULL;
    }
    if (stream)
        fclose(stream);
    return content;
}

/*
 * Reads a whole case file; every case must have `fields` fields. Returns 1, or 0 after a line on stderr
 * that says what is wrong. Free with case_file_free either way.
 */
static inline int case_file_read(struct case_file *file, const char *path, size_t fields)
{
    unsigned long number = 0;
    size_t room = 0;
    char *next;

    memset(file, 0, sizeof *file);
    file->content = next = case_read_all(path);
    if (!next) {
        fprintf(stderr, "%s: cannot be read, or holds a NUL\n", path);
        return 0;
    }
    while (*next) {
        char *text = next;
        char *end = strchr(text, '\n');

        number++;
        next = end ? end + 1 : text + strlen(text);
        if (end)
            *end = '\0';
        if (*text == '#' || *text == '\0')
            continue;
        if (file->count == room) {
            struct case_line *more =
                (struct case_line *)realloc(file->lines, (room = 2 * room + 64) * sizeof *more);

            if (!more) {
                fprintf(stderr, "%s: out of memory\n", path);
                return 0;
            }
            file->lines = more;
        }
        struct case_line *line = &file->lines[file->count++];
        line->number = number;
        if (!case_split(text, line) || line->count != fields) {
            fprintf(stderr, "%s:%lu: want %lu fields with valid escapes\n", path, number,
                    (unsigned long)fields);
            return 0;
        }
    }
    return 1;
}

#endif

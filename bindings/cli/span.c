/*
 * A span of a text shown on a terminal: its line, and marks below it. The text is not trusted: control
 * bytes, bytes that are not UTF-8 and characters without a shape of their own are shown as '?'.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700 /* wcwidth */
#include "cli.h"

#include <locale.h>
#include <string.h>
#include <wchar.h>

enum { CHARACTERS_BEFORE = 60, COLUMNS_SHOWN = 100, TAB_STOP = 8 };

/* Zero-width characters, and those that turn the direction of writing. */
static int is_hidden(wchar_t c)
{
    return (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
           c == 0xfeff;
}

/* Prints the character at s, n > 0 bytes to go, as it stands at the column. Returns its bytes, at least 1. */
static size_t show_character(FILE *out, const char *s, size_t n, int column, int *width)
{
    mbstate_t state;
    wchar_t c;
    size_t bytes;

    if (*s == '\t') {
        *width = TAB_STOP - column % TAB_STOP;
        fprintf(out, "%*s", *width, "");
        return 1;
    }
    memset(&state, 0, sizeof state);
    bytes = mbrtowc(&c, s, n, &state);
    if (bytes == 0 || bytes > n) /* a NUL, or no character */
        bytes = 1, c = 0;
    *width = is_hidden(c) ? -1 : wcwidth(c);
    if (c != 0 && *width >= 0) {
        fwrite(s, 1, bytes, out);
    } else {
        putc('?', out);
        *width = 1;
    }
    return bytes;
}

/* The start of what is shown: at most so many characters before the span. */
static size_t find_start(const char *sql, size_t begin, size_t at)
{
    int characters = 0;

    while (at > begin && characters < CHARACTERS_BEFORE) {
        at--;
        characters += ((unsigned char)sql[at] & 0xc0) != 0x80;
    }
    return at;
}

static void repeat(FILE *out, int count, int byte)
{
    while (count-- > 0)
        putc(byte, out);
}

void show_span(FILE *out, const char *sql, size_t len, size_t at, size_t span)
{
    size_t begin = at, end = at, start;
    int margin, width, column = 0, first = 0, last = 0;
    uint64_t line;

    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        setlocale(LC_CTYPE, "");
    while (begin > 0 && sql[begin - 1] != '\n')
        begin--;
    while (end < len && sql[end] != '\n')
        end++;
    start = find_start(sql, begin, at);
    d1guard_position(sql, len, at, &line, NULL);
    margin = fprintf(out, "%5llu | %s", (unsigned long long)line, start > begin ? "..." : "");
    for (size_t i = start; i < end && column < COLUMNS_SHOWN; column += width) {
        const int inside = i >= at && i - at < span;

        if (i <= at)
            first = column;
        i += show_character(out, sql + i, end - i, column, &width);
        if (inside)
            last = column + width;
    }
    putc('\n', out);
    repeat(out, margin + first, ' ');
    repeat(out, last > first ? last - first : 1, '^');
    putc('\n', out);
}

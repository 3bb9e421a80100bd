/*
 * A growing run of bytes, NUL behind the end. Ends the program where memory runs out.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *bytes;
    size_t len;
    size_t room;
};

/* Makes room for len bytes in all and the NUL. */
static inline void text_reserve(struct text *text, size_t len)
{
    if (len < text->room)
        return;
    text->room = 2 * len + 64;
    text->bytes = realloc(text->bytes, text->room);
    if (text->bytes == NULL) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
}

static inline void text_clear(struct text *text)
{
    text_reserve(text, 0);
    text->len = 0;
    text->bytes[0] = '\0';
}

static inline void text_add(struct text *text, const char *bytes, size_t len)
{
    text_reserve(text, text->len + len);
    memcpy(text->bytes + text->len, bytes, len);
    text->len += len;
    text->bytes[text->len] = '\0';
}

static inline void text_add_string(struct text *text, const char *string)
{
    text_add(text, string, strlen(string));
}

static inline void text_set(struct text *text, const char *bytes, size_t len)
{
    text_clear(text);
    text_add(text, bytes, len);
}

static inline void text_free(struct text *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

/* Prints bytes in one line, as a C string would be written. */
static inline void text_print(FILE *to, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char b = (unsigned char)bytes[i];

        if (b == '\n')
            fputs("\\n", to);
        else if (b == '\t')
            fputs("\\t", to);
        else if (b == '\r')
            fputs("\\r", to);
        else if (b == '\\')
            fputs("\\\\", to);
        else if (b < 0x20 || b >= 0x7f)
            fprintf(to, "\\x%02x", b);
        else
            fputc(b, to);
    }
}

#endif

/*
 * See json_out.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_EXACT INT64_C(9007199254740991) /* 2^53-1: beyond it a double skips integers */

void *mem_alloc(size_t size)
{
    void *p = malloc(size > 0 ? size : 1);

    if (p == NULL) {
        fputs("d1guard-mcp: out of memory\n", stderr);
        exit(1);
    }
    return p;
}

char *mem_copy(const char *text, size_t len)
{
    char *copy = mem_alloc(len + 1);

    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

static void buf_reserve(struct buf *b, size_t more)
{
    size_t size = b->size > 0 ? b->size : 256;
    char *data;

    if (b->data != NULL && b->size - b->len > more)
        return;
    while (size - b->len <= more)
        size *= 2;
    data = mem_alloc(size);
    if (b->len > 0)
        memcpy(data, b->data, b->len);
    free(b->data);
    b->data = data;
    b->size = size;
}

void buf_add(struct buf *b, const void *bytes, size_t len)
{
    buf_reserve(b, len);
    if (len > 0)
        memcpy(b->data + b->len, bytes, len);
    b->len += len;
    b->data[b->len] = '\0';
}

void buf_str(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_printf(struct buf *b, const char *format, ...)
{
    char small[512];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n < sizeof small) {
        buf_add(b, small, (size_t)n);
        return;
    }
    buf_reserve(b, (size_t)n);
    va_start(args, format);
    vsnprintf(b->data + b->len, (size_t)n + 1, format, args);
    va_end(args);
    b->len += (size_t)n;
}

void buf_cut(struct buf *b, size_t len)
{
    if (len < b->len) {
        b->len = len;
        b->data[len] = '\0';
    }
}

void buf_free(struct buf *b)
{
    free(b->data);
    memset(b, 0, sizeof *b);
}

/* Bytes of the UTF-8 character at text, 0 when there is none: no overlong forms, no surrogates. */
static size_t utf8_char(const char *text, size_t len)
{
    const unsigned char *s = (const unsigned char *)text;
    unsigned char low = 0x80, high = 0xBF;
    size_t n;

    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (n > len)
        return 0;
    if (s[0] == 0xE0)
        low = 0xA0;
    if (s[0] == 0xED)
        high = 0x9F;
    if (s[0] == 0xF0)
        low = 0x90;
    if (s[0] == 0xF4)
        high = 0x8F;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    return n;
}

int utf8_valid(const char *text, size_t len)
{
    for (size_t at = 0, n; at < len; at += n)
        if ((n = utf8_char(text + at, len - at)) == 0)
            return 0;
    return 1;
}

void put_text(struct buf *b, const char *text, size_t len)
{
    buf_add(b, "\"", 1);
    for (size_t at = 0; at < len;) {
        const unsigned char c = (unsigned char)text[at];
        const size_t n = utf8_char(text + at, len - at);

        if (n == 0)
            buf_str(b, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c == '\n')
            buf_str(b, "\\n");
        else if (c == '\t')
            buf_str(b, "\\t");
        else if (c < 0x20 || c == 0x7F)
            buf_printf(b, "\\u%04x", c);
        else
            buf_add(b, text + at, n);
        at += n > 0 ? n : 1;
    }
    buf_add(b, "\"", 1);
}

void put_str(struct buf *b, const char *text)
{
    put_text(b, text, strlen(text));
}

void put_int(struct buf *b, int64_t value)
{
    const int exact = value >= -LARGEST_EXACT && value <= LARGEST_EXACT;

    buf_printf(b, exact ? "%" PRId64 : "\"%" PRId64 "\"", value);
}

void put_real(struct buf *b, double value)
{
    char text[40];

    if (isnan(value)) {
        buf_str(b, "null");
        return;
    }
    if (isinf(value)) {
        buf_str(b, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buf_str(b, text);
    if (strpbrk(text, ".e") == NULL)
        buf_str(b, ".0");
}

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void put_blob(struct buf *b, const void *bytes, size_t len, size_t keep)
{
    const unsigned char *s = bytes;
    const size_t n = len < keep ? len : keep;

    buf_str(b, "{\"blob_base64\":\"");
    for (size_t at = 0; at < n; at += 3) {
        const unsigned second = n - at > 1 ? s[at + 1] : 0;
        const unsigned third = n - at > 2 ? s[at + 2] : 0;
        const unsigned group = (unsigned)s[at] << 16 | second << 8 | third;
        char four[4];

        four[0] = base64_digits[group >> 18];
        four[1] = base64_digits[group >> 12 & 63];
        four[2] = n - at > 1 ? base64_digits[group >> 6 & 63] : '=';
        four[3] = n - at > 2 ? base64_digits[group & 63] : '=';
        buf_add(b, four, 4);
    }
    buf_printf(b, "\",\"bytes\":%zu}", len);
}

void put_key(struct buf *b, const char *key)
{
    if (b->len > 0 && b->data[b->len - 1] != '{')
        buf_add(b, ",", 1);
    put_str(b, key);
    buf_add(b, ":", 1);
}

int base64_read(const char *text, size_t text_len, char **bytes, size_t *len)
{
    size_t n = text_len, out = 0;
    unsigned long group = 0;
    char *to;

    if (text_len % 4 != 0)
        return -1;
    while (n > 0 && text_len - n < 2 && text[n - 1] == '=')
        n--;
    to = mem_alloc(text_len / 4 * 3);
    for (size_t at = 0; at < n; at++) {
        const char *digit = text[at] != '\0' ? strchr(base64_digits, text[at]) : NULL;

        if (digit == NULL) {
            free(to);
            return -1;
        }
        group = (group << 6 | (unsigned long)(digit - base64_digits)) & 0xFFFFFF;
        if (at % 4 == 1)
            to[out++] = (char)(group >> 4);
        else if (at % 4 == 2)
            to[out++] = (char)(group >> 2);
        else if (at % 4 == 3)
            to[out++] = (char)group;
    }
    *bytes = to;
    *len = out;
    return 0;
}

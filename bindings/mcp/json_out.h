/*
 * A growing byte buffer and a writer for JSON values, exact where C libraries are not: integers beyond
 * what a double holds, reals in their shortest form, text that is not UTF-8.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MCP_JSON_OUT_H
#define MCP_JSON_OUT_H

#include <stddef.h>
#include <stdint.h>

struct buf {
    char *data; /* NULL while empty; always followed by a NUL byte otherwise */
    size_t len;
    size_t size;
};

/* These end the process with a message when memory runs out. */
void *mem_alloc(size_t size);
char *mem_copy(const char *text, size_t len); /* with a NUL behind it */

void buf_add(struct buf *b, const void *bytes, size_t len);
void buf_str(struct buf *b, const char *text);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_cut(struct buf *b, size_t len); /* back to an earlier length */
void buf_free(struct buf *b);

int utf8_valid(const char *text, size_t len);

/* One JSON value each. */
void put_text(struct buf *b, const char *text, size_t len); /* bytes that are not UTF-8 become U+FFFD */
void put_str(struct buf *b, const char *text);
void put_int(struct buf *b, int64_t value);  /* beyond +-(2^53-1): a string */
void put_real(struct buf *b, double value);  /* Inf, -Inf: strings; NaN: null */
/* The first `keep` bytes, as {"blob_base64":"...","bytes":len}. */
void put_blob(struct buf *b, const void *bytes, size_t len, size_t keep);

/* "key": with a comma in front where one is needed. */
void put_key(struct buf *b, const char *key);

/* Bytes of base64 text; -1 when it is not base64, else the length in *len and a buffer to free. */
int base64_read(const char *text, size_t text_len, char **bytes, size_t *len);

#endif

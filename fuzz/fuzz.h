/*
 * What a fuzz target is and what the targets share. Each target checks properties, not only crashes: a
 * broken one prints what broke and aborts, so that any engine, and replay.c, sees it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef D1GUARD_FUZZ_H
#define D1GUARD_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A target: runs one input. Returns 0, or -1 if the input says nothing and is not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Bytes in front of the SQL text that mean something else to this target. */
extern const size_t fuzz_header;

/* Ends the process: this text breaks that promise. */
static inline void fuzz_broken(const char *promise, const char *sql, size_t len)
{
    fprintf(stderr, "BROKEN: %s\n  text: ", promise);
    for (size_t i = 0; sql != NULL && i < len; i++) {
        const unsigned char b = (unsigned char)sql[i];

        fprintf(stderr, b < 0x20 || b >= 0x7f || b == '\\' ? "\\x%02x" : "%c", b);
    }
    fputs("\n", stderr);
    abort();
}

static inline void *fuzz_allocate(size_t size)
{
    void *memory = calloc(size > 0 ? size : 1, 1);

    if (memory == NULL)
        abort();
    return memory;
}

/* A copy of exactly this size, so that a sanitizer sees a byte too many read. To free. */
static inline char *fuzz_exact(const uint8_t *data, size_t size)
{
    char *copy = fuzz_allocate(size);

    if (size > 0)
        memcpy(copy, data, size);
    return copy;
}

/* A copy with a NUL behind it, for SQLite. To free. */
static inline char *fuzz_string(const uint8_t *data, size_t size)
{
    char *copy = fuzz_allocate(size + 1);

    if (size > 0)
        memcpy(copy, data, size);
    copy[size] = '\0';
    return copy;
}

/* A number that looks random and hangs on the text alone (FNV-1a), so that a find replays. */
static inline uint64_t fuzz_hash(const uint8_t *data, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * UINT64_C(0x100000001b3);
    return hash ^ (hash >> 29);
}

#endif

/*
 * Tokens: they tile the text, and each is the one that SQLite's own tokenizer reads there. A NUL, which
 * ends a text for SQLite, is one illegal byte, and what is behind it reads as if it were alone. Many in a call are
 * the same as one by one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include <d1guard.h>

#include "sqlite_oracle.h"

const size_t fuzz_header = 0;

/* sql: the text for the library, size bytes; z: the same with a NUL behind it. */
static void check_tokens(const char *sql, const char *z, size_t size)
{
    struct d1guard_token token = {.size = sizeof token};
    size_t at = 0;

    while (d1guard_next_token(sql, size, at, &token)) {
        uint32_t kind = D1GUARD_TOKEN_ILLEGAL;
        size_t len = 1;

        if (token.at != at || token.len == 0 || token.len > size - at)
            fuzz_broken("tokens tile the text", sql, size);
        if (z[at] != '\0')
            len = oracle_token(z + at, &kind);
        if (token.kind != kind || token.len != len)
            fuzz_broken("tokens are SQLite's", sql, size);
        at += len;
    }
    if (at != size)
        fuzz_broken("tokens reach the end", sql, size);
}

/* Reading many tokens in a call finds those that are read one by one. */
static void check_many(const char *sql, size_t size, size_t count)
{
    struct d1guard_token many[80], token = {.size = sizeof token};
    size_t at = 0, found;

    many[0].size = sizeof many[0];
    do {
        found = d1guard_tokens(sql, size, at, many, count);
        for (size_t i = 0; i < found; i++) {
            if (!d1guard_next_token(sql, size, at, &token) || many[i].kind != token.kind || many[i].at != token.at ||
                many[i].len != token.len)
                fuzz_broken("many tokens are each of them", sql, size);
            at += (size_t)token.len;
        }
    } while (found == count);
    if (at != size)
        fuzz_broken("many tokens reach the end", sql, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sql = fuzz_exact(data, size);
    char *z = fuzz_string(data, size);

    check_tokens(sql, z, size);
    check_many(sql, size, 80);
    check_many(sql, size, 1 + size % 7);
    free(sql);
    free(z);
    return 0;
}

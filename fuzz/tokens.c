/*
 * Tokens: they tile the text, and each is the one that SQLite's own tokenizer reads there. A NUL, which
 * ends a text for SQLite, is one illegal byte, and what is behind it reads as if it were alone.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sql = fuzz_exact(data, size);
    char *z = fuzz_string(data, size);

    check_tokens(sql, z, size);
    free(sql);
    free(z);
    return 0;
}

/*
 * Statements: cut where sqlite3_prepare_v2 cuts, and of the kind that SQLite's authorizer (boundary.h) and
 * grammar (grammar.h) know. For any bytes: they come in order, each within the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include <d1guard.h>

#include "boundary.h"
#include "grammar.h"

const size_t fuzz_header = 0;

static void check_order(const char *sql, size_t size)
{
    struct d1guard_statement s = {.size = sizeof s};
    size_t at = 0;
    int found;

    while ((found = d1guard_next_statement(sql, size, at, &s)) == 1) {
        if (s.at < at || s.len == 0 || s.len > size - s.at || s.next < s.at + s.len || s.next > size)
            fuzz_broken("statements come in order", sql, size);
        if (s.kind == D1GUARD_KIND_NONE || s.kind > D1GUARD_KIND_LAST || s.risk > D1GUARD_RISK_LAST ||
            (s.risk == D1GUARD_RISK_UNKNOWN && s.kind != D1GUARD_KIND_PRAGMA) || s.reason != D1GUARD_REASON_UNSET)
            fuzz_broken("a statement has a kind and a risk", sql, size);
        at = (size_t)s.next;
    }
    if (found < 0 && (s.reason < 10 || s.error_at > size || s.error_len > size - s.error_at))
        fuzz_broken("an error has a reason and a place", sql, size);
}

static void disagree(const char *sql, size_t len, const char *what)
{
    fuzz_broken(what, sql, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sql = fuzz_exact(data, size);
    char *z = fuzz_string(data, size);
    const char *what;
    size_t at;

    check_order(sql, size);
    what = boundary_compare(z, &at); /* reads up to a NUL, as the next one */
    if (what != NULL)
        fuzz_broken(what, z, strlen(z));
    grammar_compare(z, strlen(z), disagree);
    free(sql);
    free(z);
    return 0;
}

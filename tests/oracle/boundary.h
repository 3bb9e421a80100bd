/*
 * Cuts a text into statements as programs do, by the tail that sqlite3_prepare_v2 returns, and compares
 * with d1guard_next_statement: where each statement ends, what kind it is as far as the authorizer
 * tells, and whether it is explained.
 *
 * A database with a few tables is enough: what is missing is an error of meaning, which SQLite raises when
 * it has read the whole statement or in the middle of it. A tail short of our end is therefore no
 * evidence then; one beyond it is. A syntax error ends the comparison for the text.
 */
#ifndef D1GUARD_TESTS_BOUNDARY_H
#define D1GUARD_TESTS_BOUNDARY_H

#include <stddef.h>

/* What all calls together have seen. */
extern struct boundary_counts {
    unsigned long texts, ends, kinds, syntax_errors, undecided, known;
} boundary_counts;

/* sql ends with a NUL and holds no other. Returns NULL, or what disagrees in the statement from byte *where on. */
const char *boundary_compare(const char *sql, size_t *where);

/* Closes the database; the next call opens another. */
void boundary_close(void);

#endif

/*
 * Compares d1guard_next_statement and d1guard_classify with the grammar of the SQLite that is linked in:
 * wherever the grammar completes a statement, ours must have the same bounds, kind and flags; a text with
 * a statement that does not read must be refused; a text of queries only must be allowed, but for the
 * refusals of documented().
 */
#ifndef D1GUARD_TESTS_GRAMMAR_H
#define D1GUARD_TESTS_GRAMMAR_H

#include <stddef.h>

#include "d1guard.h"

enum { GRAMMAR_DIFFERENCES = 5 };

/* What all calls together have seen. */
extern struct grammar_counts {
    unsigned long long texts, complete_texts, statements;
    unsigned long long by_kind[D1GUARD_KIND_LAST + 1];
    unsigned long long by_reason[D1GUARD_REASON_LAST + 1]; /* refused although only queries */
    unsigned long long differences[GRAMMAR_DIFFERENCES];   /* known ones; number 0 is none */
} grammar_counts;

extern const char *const grammar_difference_names[GRAMMAR_DIFFERENCES];

typedef void grammar_disagree(const char *sql, size_t len, const char *what);

/* sql ends with a NUL and holds no other. */
void grammar_compare(const char *sql, size_t len, grammar_disagree *tell);

#endif

/* The SQL texts at hand: tests/cases, and the labelled corpora beside the repository where they exist. */
#ifndef D1GUARD_TESTS_TEXTS_H
#define D1GUARD_TESTS_TEXTS_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

struct text {
    const char *sql; /* a NUL byte stands behind it, and may stand inside */
    size_t len;
    const char *file;
    unsigned long line;
    const json_t *labels; /* the whole line of a corpus; NULL for a case */
};

typedef void (*text_visitor)(void *context, const struct text *text);

/*
 * Calls visit for the last field of each line of ROOT/tests/cases and for the `sql` of each line of
 * ROOT/../shared/corpora/dev, if that folder is there. Ends the program where a file cannot be read.
 */
void texts_of_cases(const char *root, text_visitor visit, void *context);
void texts_of_corpora(const char *root, text_visitor visit, void *context);

/* Prints bytes with \n, \xNN and kin for those that a terminal would not show. */
void print_escaped(FILE *out, const char *bytes, size_t len);

#endif

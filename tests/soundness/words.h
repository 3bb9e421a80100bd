/*
 * A text's tokens without its blanks, to look around in.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WORDS_H
#define WORDS_H

#include "text.h"

#include <d1guard.h>

enum { TOKENS_MAX = 4000 };

struct words {
    const char *sql;
    size_t len;
    struct d1guard_token token[TOKENS_MAX]; /* no blanks, no comments */
    size_t count;
};

void words_read(struct words *words, const char *sql, size_t len);

/* The kind of token i; SEMI where there is none. */
uint32_t words_kind(const struct words *words, size_t i);

/* Can token i be a name: a word, or in quotes? */
int words_is_name(const struct words *words, size_t i);

/* Is token i this word, without quotes? */
int words_is(const struct words *words, size_t i, const char *word);
int words_is_one_of(const struct words *words, size_t i, const char *const *list);
int words_hold(const struct words *words, const char *word);

/* The name that token i spells, and its length; 0 if it is none. A doubled quote stays. */
size_t words_name(const struct words *words, size_t i, const char **name);

/* Does token i spell this name, in whatever case and quotes? */
int words_spell(const struct words *words, size_t i, const char *name);

/* The token that starts at this byte; count if none does. */
size_t words_find(const struct words *words, uint64_t at);

/* The `)` of the `(` at i, count if there is none; the `(` around token i, or count. */
size_t words_closing(const struct words *words, size_t i);
size_t words_around(const struct words *words, size_t i);

/* Writes the text with something else in place of the tokens [from, to), and without NOT INDEXED behind them. */
void words_replace(const struct words *words, size_t from, size_t to, const char *with, struct text *out);

#endif

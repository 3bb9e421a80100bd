/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "words.h"

#include <strings.h>

void words_read(struct words *words, const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};

    words->sql = sql;
    words->len = len;
    words->count = 0;
    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        const int is_blank = token.kind == D1GUARD_TOKEN_SPACE || token.kind == D1GUARD_TOKEN_COMMENT;

        if (!is_blank && words->count < TOKENS_MAX)
            words->token[words->count++] = token;
    }
}

uint32_t words_kind(const struct words *words, size_t i)
{
    return i < words->count ? words->token[i].kind : D1GUARD_TOKEN_SEMI;
}

int words_is_name(const struct words *words, size_t i)
{
    const uint32_t kind = words_kind(words, i);

    return kind == D1GUARD_TOKEN_WORD || kind == D1GUARD_TOKEN_NAME || kind == D1GUARD_TOKEN_STRING;
}

int words_is(const struct words *words, size_t i, const char *word)
{
    return words_kind(words, i) == D1GUARD_TOKEN_WORD && words->token[i].len == strlen(word) &&
           strncasecmp(words->sql + words->token[i].at, word, strlen(word)) == 0;
}

int words_is_one_of(const struct words *words, size_t i, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (words_is(words, i, *list))
            return 1;
    }
    return 0;
}

int words_hold(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (words_is(words, i, word))
            return 1;
    }
    return 0;
}

size_t words_name(const struct words *words, size_t i, const char **name)
{
    const size_t quotes = words_kind(words, i) != D1GUARD_TOKEN_WORD;

    if (!words_is_name(words, i))
        return 0;
    *name = words->sql + words->token[i].at + quotes;
    return (size_t)words->token[i].len - 2 * quotes;
}

int words_spell(const struct words *words, size_t i, const char *name)
{
    const char *spelled = NULL;

    return words_name(words, i, &spelled) == strlen(name) && strncasecmp(spelled, name, strlen(name)) == 0;
}

size_t words_find(const struct words *words, uint64_t at)
{
    size_t i = 0;

    while (i < words->count && words->token[i].at != at)
        i++;
    return i;
}

size_t words_closing(const struct words *words, size_t i)
{
    long depth = 0;

    for (; i < words->count; i++) {
        depth += words_kind(words, i) == D1GUARD_TOKEN_LP;
        depth -= words_kind(words, i) == D1GUARD_TOKEN_RP;
        if (depth == 0)
            break;
    }
    return i;
}

size_t words_around(const struct words *words, size_t i)
{
    long depth = 0;

    while (i-- > 0) {
        depth += words_kind(words, i) == D1GUARD_TOKEN_RP;
        depth -= words_kind(words, i) == D1GUARD_TOKEN_LP;
        if (depth < 0)
            return i;
    }
    return words->count;
}

/* Is token i one of NOT INDEXED behind a table that ends at `to`, or behind its alias? */
static int is_hint(const struct words *words, size_t to, size_t i)
{
    const size_t not = words_is(words, i, "INDEXED") ? i - 1 : i;

    return not >= to && not <= to + 2 && words_is(words, not, "NOT") && words_is(words, not +1, "INDEXED");
}

void words_replace(const struct words *words, size_t from, size_t to, const char *with, struct text *out)
{
    text_clear(out);
    for (size_t i = 0; i < words->count; i++) {
        text_add_string(out, " ");
        if (i == from)
            text_add_string(out, with);
        else if (i < from || (i >= to && !is_hint(words, to, i)))
            text_add(out, words->sql + words->token[i].at, (size_t)words->token[i].len);
    }
}

/*
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "splitter.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a splitter knows, or thinks it knows. */
enum {
    SINGLE = 1u << 0,       /* '...' */
    DOUBLE = 1u << 1,       /* "..." */
    BACKTICK = 1u << 2,     /* `...` */
    BRACKET = 1u << 3,      /* [...] */
    BACKSLASH = 1u << 4,    /* \ inside quotes takes the next byte */
    DOLLAR = 1u << 5,       /* $tag$ ... $tag$ */
    DASHES = 1u << 6,       /* -- to the line's end */
    DASHES_BLANK = 1u << 7, /* ... only with a blank behind them */
    BLOCKS = 1u << 8,       /* comments between slash-star and star-slash */
    NESTED = 1u << 9,       /* ... which nest */
    HASH = 1u << 10,        /* # to the line's end */
    CR_ENDS = 1u << 11,     /* a line ends at CR too */
    BLOCK_WORDS = 1u << 12, /* BEGIN and CASE open, END closes; no cut between */
    QUOTE_LINE = 1u << 13,  /* a quote that is open at the line's end is no quote */
    VARIABLES = 1u << 14,   /* $a(...) is one token */
    COMPLETE = 1u << 15,    /* ask sqlite3_complete */
    GO_LINES = 1u << 16,    /* a line "GO" cuts too */
    PARENS = 1u << 17,      /* no cut inside parentheses */
    SLASHES = 1u << 18,     /* // to the line's end */
    CR_LF_BLANK = 1u << 19, /* cuts at ";" only with a line's end or the text's end behind it */
    ALL_QUOTES = SINGLE | DOUBLE | BACKTICK | BRACKET,
    COMMENTS = DASHES | BLOCKS
};

const struct splitter splitters[] = {
    {"every ;", 0},
    {"single quotes only", SINGLE},
    {"quotes, no comments", ALL_QUOTES},
    {"comments, no quotes", COMMENTS},
    {"backslash escapes", SINGLE | DOUBLE | BACKTICK | BACKSLASH | COMMENTS},
    {"dollar quoting", ALL_QUOTES | DOLLAR | COMMENTS},
    {"CR ends a comment", ALL_QUOTES | COMMENTS | CR_ENDS},
    {"nested comments", ALL_QUOTES | COMMENTS | NESTED},
    {"# comments", ALL_QUOTES | COMMENTS | HASH},
    {"MySQL's client", SINGLE | DOUBLE | BACKTICK | BACKSLASH | HASH | BLOCKS | DASHES_BLANK},
    {"PostgreSQL's client", SINGLE | DOUBLE | DOLLAR | COMMENTS | NESTED | PARENS},
    {"no brackets", SINGLE | DOUBLE | BACKTICK | COMMENTS},
    {"no backticks", SINGLE | DOUBLE | BRACKET | COMMENTS},
    {"no double quotes", SINGLE | BACKTICK | BRACKET | COMMENTS},
    {"BEGIN and CASE depth", ALL_QUOTES | COMMENTS | BLOCK_WORDS},
    {"quotes end with the line", ALL_QUOTES | COMMENTS | QUOTE_LINE},
    {"Tcl variables", ALL_QUOTES | COMMENTS | VARIABLES},
    {"GO lines", ALL_QUOTES | COMMENTS | GO_LINES},
    {"// comments", ALL_QUOTES | COMMENTS | SLASHES},
    {"; at the line's end only", CR_LF_BLANK},
    {"sqlite3_complete", COMPLETE},
};

const size_t splitter_count = sizeof splitters / sizeof *splitters;

static size_t skip_line(unsigned rules, const char *sql, size_t len, size_t at)
{
    while (at < len && sql[at] != '\n' && ((rules & CR_ENDS) == 0 || sql[at] != '\r'))
        at++;
    return at;
}

static size_t skip_block(unsigned rules, const char *sql, size_t len, size_t at)
{
    size_t depth = 1;

    for (at += 2; at < len && depth > 0; at++) {
        if (sql[at] == '*' && sql[at + 1] == '/') {
            depth--;
            at++;
        } else if ((rules & NESTED) != 0 && sql[at] == '/' && sql[at + 1] == '*') {
            depth++;
            at++;
        }
    }
    return at < len ? at : len;
}

/* at stands on the opening quote. An unclosed quote takes the rest. */
static size_t skip_quoted(unsigned rules, const char *sql, size_t len, size_t at, char close)
{
    const size_t start = at;

    for (at++; at < len; at++) {
        if ((rules & BACKSLASH) != 0 && sql[at] == '\\')
            at++;
        else if ((rules & QUOTE_LINE) != 0 && sql[at] == '\n')
            return start + 1;
        else if (sql[at] == close && (close == ']' || sql[at + 1] != close))
            return at + 1;
        else if (sql[at] == close)
            at++;
    }
    return len;
}

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* $tag$ ... $tag$, or one byte if there is no such thing here. */
static size_t skip_dollar(const char *sql, size_t len, size_t at)
{
    size_t tag = at + 1;
    size_t end;

    while (tag < len && is_word(sql[tag]))
        tag++;
    if (tag >= len || sql[tag] != '$')
        return at + 1;
    tag = tag + 1 - at;
    for (end = at + tag; end + tag <= len; end++) {
        if (memcmp(sql + end, sql + at, tag) == 0)
            return end + tag;
    }
    return len;
}

static size_t skip_variable(const char *sql, size_t len, size_t at)
{
    for (at++; at < len && is_word(sql[at]); at++)
        continue;
    if (at < len && sql[at] == '(') {
        while (at < len && sql[at] != ')')
            at++;
    }
    return at < len ? at + 1 : len;
}

static char closing_quote(unsigned rules, char c)
{
    if (c == '\'' && (rules & SINGLE) != 0)
        return c;
    if (c == '"' && (rules & DOUBLE) != 0)
        return c;
    if (c == '`' && (rules & BACKTICK) != 0)
        return c;
    return c == '[' && (rules & BRACKET) != 0 ? ']' : '\0';
}

static int starts_comment(unsigned rules, const char *sql, size_t at)
{
    if (sql[at] == '#' && (rules & HASH) != 0)
        return 1;
    if (sql[at] == '/' && sql[at + 1] == '/' && (rules & SLASHES) != 0)
        return 1;
    if (sql[at] != '-' || sql[at + 1] != '-')
        return 0;
    return (rules & DASHES) != 0 || ((rules & DASHES_BLANK) != 0 &&
                                     (sql[at + 2] == ' ' || sql[at + 2] == '\n' || sql[at + 2] == '\t'));
}

static int word_is(const char *sql, size_t at, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(sql + at, word, len) == 0;
}

/* Does the `;` at `at` cut? */
static int cuts(unsigned rules, const char *sql, size_t at, long depth)
{
    if (depth > 0)
        return 0;
    return (rules & CR_LF_BLANK) == 0 || sql[at + 1] == '\n' || sql[at + 1] == '\r' || sql[at + 1] == '\0';
}

static size_t scan(unsigned rules, const char *sql, size_t len, size_t at)
{
    long depth = 0;

    while (at < len) {
        const char close = closing_quote(rules, sql[at]);

        if (close != '\0') {
            at = skip_quoted(rules, sql, len, at, close);
        } else if (starts_comment(rules, sql, at)) {
            at = skip_line(rules, sql, len, at);
        } else if (sql[at] == '/' && sql[at + 1] == '*' && (rules & BLOCKS) != 0) {
            at = skip_block(rules, sql, len, at);
        } else if (sql[at] == '$' && (rules & DOLLAR) != 0) {
            at = skip_dollar(sql, len, at);
        } else if (strchr("$@:#", sql[at]) != NULL && sql[at] != '\0' && (rules & VARIABLES) != 0) {
            at = skip_variable(sql, len, at);
        } else if (is_word(sql[at])) {
            size_t end = at;

            while (end < len && is_word(sql[end]))
                end++;
            if ((rules & BLOCK_WORDS) != 0 &&
                (word_is(sql, at, end - at, "BEGIN") || word_is(sql, at, end - at, "CASE")))
                depth++;
            else if ((rules & BLOCK_WORDS) != 0 && word_is(sql, at, end - at, "END") && depth > 0)
                depth--;
            if ((rules & GO_LINES) != 0 && word_is(sql, at, end - at, "GO") &&
                (at == 0 || sql[at - 1] == '\n'))
                return end;
            at = end;
        } else {
            if ((rules & PARENS) != 0 && sql[at] == '(')
                depth++;
            else if ((rules & PARENS) != 0 && sql[at] == ')' && depth > 0)
                depth--;
            if (sql[at] == ';' && cuts(rules, sql, at, depth))
                return at + 1;
            at++;
        }
    }
    return len;
}

/* As the command line shell does: up to the first `;` at which the text so far is complete. */
static size_t scan_complete(const char *sql, size_t len, size_t at)
{
    char *copy = malloc(len - at + 1);
    size_t end;

    if (copy == NULL)
        abort();
    memcpy(copy, sql + at, len - at + 1);
    for (end = at; end < len; end++) {
        char saved;
        int complete;

        if (sql[end] != ';')
            continue;
        saved = copy[end + 1 - at];
        copy[end + 1 - at] = '\0';
        complete = sqlite3_complete(copy);
        copy[end + 1 - at] = saved;
        if (complete)
            break;
    }
    free(copy);
    return end < len ? end + 1 : len;
}

size_t splitter_next(const struct splitter *splitter, const char *sql, size_t len, size_t at)
{
    if (splitter->rules == COMPLETE)
        return scan_complete(sql, len, at);
    return scan(splitter->rules, sql, len, at);
}

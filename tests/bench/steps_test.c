/*
 * Stepping over many tokens at once, and reading many in a call, must find what reading each one finds: the library
 * that is linked is compared with variants of itself, statement by statement and verdict by verdict, on the cases, on the
 * corpora where they are, and on texts made of pieces that windows could cut, at every place in a window.
 *
 * steps_test ROOT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../oracle/program.h"
#include "../oracle/texts.h"
#include "variant.h"

enum { MADE_TEXTS = 150000, MOST_PIECES = 24, LONGEST = 1024 };

static const struct variant linked = {"linked", d1guard_next_statement, d1guard_classify, d1guard_tokens};
static const struct variant *const variants[] = {&variant_small, &variant_plain, &variant_narrow};
static unsigned long texts, statements, allowed, tokens, wrong;

static void differs(const char *sql, size_t len, const struct variant *v, const char *what)
{
    wrong++;
    printf("%s and %s differ in %s: \"", linked.name, v->name, what);
    print_escaped(stdout, sql, len);
    printf("\"\n");
}

static void compare_statements(const char *sql, size_t len, const struct variant *v)
{
    size_t at = 0;

    for (;;) {
        struct d1guard_statement one = {.size = sizeof one}, other = {.size = sizeof other};
        const int found = linked.next_statement(sql, len, at, &one);

        if (v->next_statement(sql, len, at, &other) != found || memcmp(&one, &other, sizeof one) != 0) {
            differs(sql, len, v, "a statement");
            return;
        }
        if (found != 1)
            return;
        statements++;
        at = (size_t)one.next;
    }
}

static void compare_verdicts(const char *sql, size_t len, const struct variant *v)
{
    static const struct d1guard_options options[] = {
        {.size = sizeof options[0]},
        {.size = sizeof options[0], .engine = D1GUARD_ENGINE_SQLITE, .flags = D1GUARD_REQUIRE_WHERE,
         .allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE) | D1GUARD_RISK_BIT(D1GUARD_RISK_SCHEMA)},
    };

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct d1guard_report one = {.size = sizeof one}, other = {.size = sizeof other};

        linked.classify(sql, len, &options[i], &one);
        v->classify(sql, len, &options[i], &other);
        allowed += one.verdict == D1GUARD_ALLOW;
        if (memcmp(&one, &other, sizeof one) != 0)
            differs(sql, len, v, "a verdict");
    }
}

/* Reads all tokens, `count` in a call, into room for len + 1 of them. Returns how many. */
static size_t read_tokens(const char *sql, size_t len, const struct variant *v, struct d1guard_token *read, size_t count)
{
    size_t all = 0, at = 0, more;

    do {
        const size_t room = len + 1 - all;

        read[all].size = sizeof read[all];
        more = v->tokens(sql, len, at, read + all, count < room ? count : room);
        all += more;
        if (more > 0)
            at = (size_t)(read[all - 1].at + read[all - 1].len);
    } while (more == count);
    return all;
}

/* Tokens read many in a call, however many, are those read one by one. */
static void compare_tokens(const char *sql, size_t len, const struct variant *v)
{
    static const size_t counts[] = {1, 3, 64, SIZE_MAX};
    struct d1guard_token *read = calloc(len + 1, sizeof read[0]);
    struct d1guard_token one = {.size = sizeof one};

    if (read == NULL)
        exit(2);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const size_t count = read_tokens(sql, len, v, read, counts[i]);
        size_t at = 0, k = 0;

        while (k < count && d1guard_next_token(sql, len, at, &one) && one.kind == read[k].kind && one.at == read[k].at &&
               one.len == read[k].len) {
            at += (size_t)one.len;
            k++;
        }
        tokens += k;
        if (k < count || at != len)
            differs(sql, len, v, "tokens");
    }
    free(read);
}

/* The text in memory of its own size, so that a sanitizer sees a look beyond it. */
static void compare(const char *sql, size_t len)
{
    char *copy = malloc(len > 0 ? len : 1);

    if (copy == NULL)
        exit(2);
    memcpy(copy, sql, len);
    texts++;
    compare_tokens(copy, len, &linked);
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i++) {
        compare_tokens(copy, len, variants[i]);
        compare_statements(copy, len, variants[i]);
        compare_verdicts(copy, len, variants[i]);
    }
    free(copy);
}

static void compare_text(void *context, const struct text *text)
{
    (void)context;
    compare(text->sql, text->len);
}

/* What may matter: the ends of tokens, what goes on with one, and the words that are looked for. */
static const char *const pieces[] = {
    " ",       "  ",        "\n",      "\t",       "\r\n",     "\f",       "\v",      " \v",    ",",      ", ",
    "(",       ")",         "()",      "((",       "))",       ";",        "; ",      "'",      "''",     "'a'",
    "'it''s'", "'('",       "\"a\"",   "\"",       "`b`",      "[c]",      "[",       "x'00'",  "X'0g'",  "ax'0'",
    "x",       "--",        "-- a\n",  "/* ) */",  "/*",       "*/",       "/",       "-",      "->",     "->>",
    "\"a b\" ", "`a-b`",   "[a(b]",   "\"it's\"", "\"a\"\"b\"", "\"where\"", "`pragma_optimize`", "[fsdir] ", "\"a",
    ":user ",  ":user)",   "@p, ",    ":p a",    "? ",       "?, ",      "?)",      "?1 a",    "?a ",     ":1a ",
    "1",       "12",        "1.5",     ".5",       "1.",       "1e5",      "1.5e-3",  "0x1F",   "1_000",  "1__0",
    "1abc",    ".5x",       "1.x",     "T1.c1",    "a.b",      "a.5",      "1.2.3e4", "$a",     "$a(b)",  ":a",
    "@a::b",   "?",         "?12",     "? (",      "$",        "a$b",      "\xC3\xA9","na\xC3\xAFve",     "\xEF\xBB\xBF",
    "=",       "==",        "<>",      "!=",       "!",        "||",       "|",       "~",      "&",      "%",
    "+",       "*",         "<",       ">=",       "<<",       "\\",       "^",       "{",      "\x7F",   "#",
    "SELECT ", "select",    " FROM ",  "t1",       " WHERE ",  "where",    "RETURNING a", "optimize(", "'optimize'(",
    " pragma_table_list ",  "pragma_optimize",     " fsdir ",  "eval(",    " edit",   "load_extension(",  "zipfile",
    "WITH a AS (SELECT ",   "WITH RECURSIVE b(c) AS (VALUES(", "VALUES (", "DELETE FROM a ", "UPDATE a SET b = 1 ",
    "EXPLAIN ", "a_long_name_that_fills_much_of_a_window_of_bytes", "'a long string that fills much of a window'",
    "CREATE TRIGGER a DELETE ON b BEGIN SELECT 1; END", "CREATE TABLE a (b)"};

/* Starts as a statement does, mostly, so that a body follows. */
static size_t make_text(char *sql)
{
    static const char *const heads[] = {"SELECT ", "SELECT 'a' FROM b WHERE ", "WITH a AS (SELECT 1) SELECT ", "",
                                        "DELETE FROM a WHERE ", "SELECT a(1), ((2)) "};
    size_t len = (size_t)snprintf(sql, LONGEST, "%s%*s", heads[random_below(6)], (int)random_below(70), "");

    for (unsigned n = 1 + random_below(MOST_PIECES); n > 0; n--) {
        const char *piece = pieces[random_below(sizeof pieces / sizeof pieces[0])];
        const size_t more = strlen(piece);

        if (len + more > LONGEST)
            break;
        memcpy(sql + len, piece, more);
        len += more;
        if (random_below(3) == 0 && len < LONGEST)
            sql[len++] = random_below(40) == 0 ? (char)random_below(256) : ' ';
    }
    return len;
}

int main(int argc, char **argv)
{
    const struct arguments arguments = read_arguments(argc, argv);
    char sql[LONGEST + 1];

    random_seed(arguments.seed);
    texts_of_cases(arguments.root, compare_text, NULL);
    for (unsigned long n = arguments.longer ? 20 * MADE_TEXTS : MADE_TEXTS; n > 0; n--)
        compare(sql, make_text(sql));
    texts_of_corpora(arguments.root, compare_text, NULL);
    printf("%lu texts, %lu tokens, %lu statements, %lu verdicts to allow; %lu differences\n", texts, tokens,
           statements, allowed, wrong);
    return wrong != 0 || allowed == 0 || tokens == 0;
}

/*
 * Compares the library with SQLite's grammar (grammar.h) on
 *   - random texts made by walking that very grammar, so each of its rules is met, some spoilt after,
 *   - the texts of tests/cases and of the corpora.
 *
 * grammar_oracle [--long] [--seed N] ROOT
 *   --long   2 million random texts
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "program.h"
#include "sqlite_oracle.h"
#include "texts.h"

static unsigned long long disagreements;

static void disagree(const char *sql, size_t len, const char *what)
{
    if (++disagreements > 50)
        return;
    printf("disagreement, %s: \"", what);
    print_escaped(stdout, sql, len);
    printf("\"\n");
}

/* Random texts --------------------------------------------------------------------------------------- */

/* Half of all tokens come from here; the other half are these and SQLite's keywords, which often stand as
 * names. */
static const char *const tokens[] = {
    "a", "b1", "\"q;\"", "[b;]", "`c`", "'s;'", "''", "x'AB'", "1", "2.5", "0x1F", "1_000", ".5e3", "?", "?2", ":v", "$w",
    "@x", "#y", "(", ")", "(", ")", ",", ";", ".", "*", "=", "==", "<>", "<", ">=", "+", "-", "/", "%", "&", "|", "~",
    "||", "->", "->>", "<<", ">>", "SELECT", "VALUES", "FROM", "AS", "WITH", "INSERT", "REPLACE", "INTO", "SET",
    "WHERE", "END", "BEGIN", "CREATE", "TABLE", "ON", "\xC3\xA9"};
static const char *const blanks[] = {" ", " ", " ", "\n", "\t", " \v", "/**/", "/*;*/", "--;\n", "-- END\n",
                                     "/*'*/", "\xEF\xBB\xBF "};
/* What may end a statement soon, in the order in which it is tried. */
static const char *const closing[] = {";", ")", "END", "a", "1", "(", "SELECT", "AS", "=", "VALUES", "FROM", "ON"};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_TEXT 4096

static char keywords[256][32];
static unsigned keyword_count;

static void read_keywords(void)
{
    const char *word;

    while ((word = oracle_keyword((int)keyword_count)) != NULL)
        snprintf(keywords[keyword_count++], sizeof keywords[0], "%s", word);
}

static const char *random_token(void)
{
    unsigned i = random_below(2 * (unsigned)LENGTH(tokens) + keyword_count);

    if (i >= 2 * LENGTH(tokens))
        return keywords[i - 2 * LENGTH(tokens)];
    return tokens[i % LENGTH(tokens)];
}

/* One token further in the grammar, or NULL where no try of this fits. */
static const char *walk(int hurry, int *complete)
{
    for (size_t i = 0; hurry && i < LENGTH(closing); i++)
        if (oracle_walk(closing[i], complete))
            return closing[i];
    for (int tries = 0; tries < 1000; tries++) {
        const char *token = random_token();

        if (oracle_walk(token, complete))
            return token;
    }
    return NULL;
}

static size_t append(char *sql, size_t len, const char *piece)
{
    const size_t more = strlen(piece);

    if (more >= MAX_TEXT - len)
        return len;
    memcpy(sql + len, piece, more + 1);
    return len + more;
}

/* One to three statements of SQLite's grammar; the last may be cut off. */
static size_t random_text(char *sql)
{
    int left = 1 + (int)random_below(3);
    int room = 2 + (int)random_below(30);
    size_t len = 0;

    oracle_walk_start();
    for (int count = 0; left > 0 && count < 150; count++) {
        int complete = 0;
        const char *token = walk(count > room, &complete);

        if (!token)
            break;
        if (random_below(4) == 0)
            len = append(sql, len, blanks[random_below(LENGTH(blanks))]);
        len = append(sql, len, token);
        len = append(sql, len, blanks[random_below(3)]);
        if (complete) {
            left--;
            room = count + 2 + (int)random_below(30);
        }
    }
    return len;
}

/* Takes out, doubles or overwrites a few bytes somewhere. */
static size_t spoil(char *sql, size_t len)
{
    const size_t at = random_below((unsigned)len + 1);
    size_t some = 1 + random_below(8);

    if (some > len - at)
        some = len - at;
    switch (random_below(3)) {
    case 0:
        memmove(sql + at, sql + at + some, len - at - some + 1);
        return len - some;
    case 1:
        if (len + some >= MAX_TEXT)
            return len;
        memmove(sql + at + some, sql + at, len - at + 1);
        return len + some;
    default:
        for (size_t i = at; i < at + some; i++)
            sql[i] = random_token()[0];
        return len;
    }
}

static void compare_random(unsigned long long count)
{
    char sql[MAX_TEXT] = "";

    read_keywords();
    for (; count > 0; count--) {
        size_t len = random_text(sql);

        if (random_below(4) == 0)
            len = spoil(sql, len);
        grammar_compare(sql, len, disagree);
    }
}

/* Of a text with a NUL, the part before it. */
static void compare_text(void *context, const struct text *text)
{
    (void)context;
    grammar_compare(text->sql, strlen(text->sql), disagree);
}

static void print_counts(void)
{
    printf("%llu texts, %llu without a syntax error; %llu statements:", grammar_counts.texts,
           grammar_counts.complete_texts, grammar_counts.statements);
    for (uint32_t i = 0; i <= D1GUARD_KIND_LAST; i++) {
        printf(" %s %llu", d1guard_kind_slug(i), grammar_counts.by_kind[i]);
        if (i != D1GUARD_KIND_NONE && grammar_counts.by_kind[i] == 0)
            disagree("", 0, "this kind was not met");
    }
    printf("\n");
    for (int i = 1; i < GRAMMAR_DIFFERENCES; i++)
        if (grammar_counts.differences[i])
            printf("%llu times a known difference: %s\n", grammar_counts.differences[i], grammar_difference_names[i]);
    for (uint32_t i = 0; i <= D1GUARD_REASON_LAST; i++)
        if (grammar_counts.by_reason[i])
            printf("queries refused as %s: %llu\n", d1guard_reason_slug(i), grammar_counts.by_reason[i]);
    printf("%llu disagreements\n", disagreements);
}

int main(int argc, char **argv)
{
    const struct arguments arguments = read_arguments(argc, argv);

    random_seed(arguments.seed);
    printf("statements against the grammar of SQLite %d.%d.%d, seed %llu\n", oracle_version() / 1000000,
           oracle_version() / 1000 % 1000, oracle_version() % 1000, arguments.seed);
    compare_random(arguments.longer ? 2000000 : 100000);
    texts_of_cases(arguments.root, compare_text, NULL);
    texts_of_corpora(arguments.root, compare_text, NULL);
    print_counts();
    return disagreements != 0;
}

/*
 * Compares d1guard_next_statement and d1guard_classify with the grammar of the SQLite that is linked in:
 * wherever the grammar completes a statement, ours must have the same bounds, kind and flags; a text with
 * a statement that does not read must be refused; a text of queries only must be allowed, but for the
 * refusals of documented(). On
 *   - random texts made by walking that very grammar, so each of its rules is met, some spoilt after,
 *   - the texts of tests/cases and of the corpora.
 *
 * grammar_oracle [--long] [--seed N] ROOT
 *   --long   2 million random texts
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "program.h"
#include "sqlite_oracle.h"
#include "texts.h"

/* What this run has seen. */
static unsigned long long texts, complete_texts, statements, disagreements;
static unsigned long long by_kind[D1GUARD_KIND_LAST + 1];
static unsigned long long by_reason[D1GUARD_REASON_LAST + 1]; /* refused although only queries */

static void disagree(const char *sql, size_t len, const char *what)
{
    if (++disagreements > 50)
        return;
    printf("disagreement, %s: \"", what);
    print_escaped(stdout, sql, len);
    printf("\"\n");
}

/* Refusals of a text that SQLite's grammar takes as queries, as README has them. */
static int documented(uint32_t reason)
{
    return reason == D1GUARD_REASON_VARIABLE_PAREN || reason == D1GUARD_REASON_BAD_NUMBER ||
           reason == D1GUARD_REASON_DENIED_FUNCTION || reason == D1GUARD_REASON_DENIED_TABLE ||
           reason == D1GUARD_REASON_PRAGMA_NOT_LISTED; /* SELECT ... FROM pragma_x */
}

static int is_word(const char *sql, size_t len, const char *word)
{
    return len == strlen(word) && strncasecmp(sql, word, len) == 0;
}

enum difference { NONE, ACTION, HEX_TAIL, BOM, KEYWORD, DIFFERENCES };

static const char *const difference_names[DIFFERENCES] = {
    NULL, "an action behind SQLite's grammar refuses it: 1__0, or ASC or COLLATE in the columns of WITH",
    "name right behind a hex number (illegal from 3.46)", "BOM as a name (a blank from 3.36)",
    "RETURNING as a name (a keyword from 3.35)"};

/* Which documented difference explains that the statement in `sql` is not read as the grammar does? */
static enum difference known_difference(const char *sql, int found, const struct d1guard_statement *ours)
{
    const char *error = sql + ours->error_at;
    const size_t len = (size_t)ours->error_len;

    if (found < 0 && ours->reason == D1GUARD_REASON_BAD_NUMBER && memchr(error, '_', len))
        return ACTION;
    if (found < 0 && ours->reason == D1GUARD_REASON_WITH_SYNTAX &&
        (is_word(error, len, "ASC") || is_word(error, len, "DESC") || is_word(error, len, "COLLATE")))
        return ACTION;
    if (oracle_version() < 3046000 && found < 0 && ours->reason == D1GUARD_REASON_BAD_NUMBER &&
        strncasecmp(error, "0x", 2) == 0)
        return HEX_TAIL;
    if (oracle_version() < 3036000 && strstr(sql, "\xEF\xBB\xBF"))
        return BOM;
    if (oracle_version() < 3035000 && found < 0 && is_word(error, len, "RETURNING"))
        return KEYWORD;
    return NONE;
}

static unsigned long long differences[DIFFERENCES];

static void describe(char *out, size_t size, const char *who, uint32_t kind, uint32_t explain, uint32_t flags,
                     size_t at, size_t len, size_t next)
{
    snprintf(out, size, "%s %s %s flags %u at %zu len %zu next %zu", who, d1guard_kind_slug(kind),
             d1guard_explain_slug(explain), (unsigned)flags, at, len, next);
}

static void disagree_on_statement(const char *sql, size_t len, int found, const struct d1guard_statement *ours,
                                  const struct oracle_statement *sqlite)
{
    char what[2][200], both[420];

    if (found == 1)
        describe(what[0], sizeof what[0], "ours", ours->kind, ours->explain, ours->flags, (size_t)ours->at,
                 (size_t)ours->len, (size_t)ours->next);
    else
        snprintf(what[0], sizeof what[0], "ours returns %d, %s at %zu", found, d1guard_reason_slug(ours->reason),
                 (size_t)ours->error_at);
    describe(what[1], sizeof what[1], "SQLite", sqlite->kind, sqlite->explain, sqlite->flags, sqlite->at,
             sqlite->len, sqlite->next);
    snprintf(both, sizeof both, "%s; %s", what[0], what[1]);
    disagree(sql, len, both);
}

/* Returns 1 if the statement that SQLite's grammar read is the one that the library reads. */
static int same_statement(const char *sql, size_t len, size_t from, const struct oracle_statement *sqlite)
{
    struct d1guard_statement ours = {.size = sizeof ours};
    const int found = d1guard_next_statement(sql, len, from, &ours);
    enum difference known;

    if (found == 1 && ours.kind == sqlite->kind && ours.explain == sqlite->explain && ours.flags == sqlite->flags &&
        ours.at == sqlite->at && ours.len == sqlite->len && ours.next == sqlite->next)
        return 1;
    known = known_difference(sql, found, &ours);
    if (known)
        differences[known]++;
    else
        disagree_on_statement(sql, len, found, &ours, sqlite);
    return 0;
}

static int is_query(uint32_t kind)
{
    return kind == D1GUARD_KIND_SELECT || kind == D1GUARD_KIND_VALUES;
}

/* What a text holds before its end or its first syntax error. */
struct found {
    int queries;
    int pragmas;
    int others;
    int is_complete; /* no syntax error */
    int is_same;     /* the library reads the same statements */
};

static void check_verdict(const char *sql, size_t len, const struct found *found)
{
    struct d1guard_report report = {.size = sizeof report};
    const int verdict = d1guard_classify(sql, len, NULL, &report);

    if (verdict == D1GUARD_ALLOW && found->others)
        disagree(sql, len, "allowed, but it does not only read");
    if (!found->is_complete || !found->is_same)
        return;
    if (verdict == D1GUARD_ALLOW && !found->queries && !found->pragmas)
        disagree(sql, len, "allowed, but there is no statement");
    if (verdict != D1GUARD_ALLOW && found->queries && !found->pragmas && !found->others) {
        by_reason[report.reason]++;
        if (!documented(report.reason))
            disagree(sql, len, d1guard_reason_slug(report.reason));
    }
}

/* sql ends with a NUL and holds no other. */
static void compare(const char *sql, size_t len)
{
    struct found found = {.is_same = 1};
    struct oracle_statement sqlite;
    enum oracle_result result;
    size_t at = 0;

    texts++;
    while ((result = oracle_statement(sql, at, &sqlite)) == ORACLE_STATEMENT) {
        statements++;
        by_kind[sqlite.kind <= D1GUARD_KIND_LAST ? sqlite.kind : D1GUARD_KIND_NONE]++;
        if (!same_statement(sql, len, at, &sqlite))
            found.is_same = 0;
        if (is_query(sqlite.kind))
            found.queries = 1;
        else if (sqlite.kind == D1GUARD_KIND_PRAGMA)
            found.pragmas = 1;
        else
            found.others = 1;
        at = sqlite.next;
    }
    if (result == ORACLE_EMPTY) {
        struct d1guard_statement ours = {.size = sizeof ours};

        complete_texts++;
        found.is_complete = 1;
        if (found.is_same && d1guard_next_statement(sql, len, at, &ours) != 0)
            disagree(sql, len, "SQLite finds no further statement");
    }
    check_verdict(sql, len, &found);
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
        compare(sql, len);
    }
}

/* Of a text with a NUL, the part before it. */
static void compare_text(void *context, const struct text *text)
{
    (void)context;
    compare(text->sql, strlen(text->sql));
}

static void print_counts(void)
{
    printf("%llu texts, %llu without a syntax error; %llu statements:", texts, complete_texts, statements);
    for (uint32_t i = 0; i <= D1GUARD_KIND_LAST; i++) {
        printf(" %s %llu", d1guard_kind_slug(i), by_kind[i]);
        if (i != D1GUARD_KIND_NONE && by_kind[i] == 0)
            disagree("", 0, "this kind was not met");
    }
    printf("\n");
    for (int i = 1; i < DIFFERENCES; i++)
        if (differences[i])
            printf("%llu times a known difference: %s\n", differences[i], difference_names[i]);
    for (uint32_t i = 0; i <= D1GUARD_REASON_LAST; i++)
        if (by_reason[i])
            printf("queries refused as %s: %llu\n", d1guard_reason_slug(i), by_reason[i]);
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

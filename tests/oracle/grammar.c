/*
 * See grammar.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "grammar.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sqlite_oracle.h"

struct grammar_counts grammar_counts;

static grammar_disagree *disagree;

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

enum difference { NONE, ACTION, HEX_TAIL, BOM, KEYWORD };

const char *const grammar_difference_names[GRAMMAR_DIFFERENCES] = {
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
        grammar_counts.differences[known]++;
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
        grammar_counts.by_reason[report.reason]++;
        if (!documented(report.reason))
            disagree(sql, len, d1guard_reason_slug(report.reason));
    }
}

void grammar_compare(const char *sql, size_t len, grammar_disagree *tell)
{
    struct found found = {.is_same = 1};
    struct oracle_statement sqlite;
    enum oracle_result result;
    size_t at = 0;

    disagree = tell;
    grammar_counts.texts++;
    while ((result = oracle_statement(sql, at, &sqlite)) == ORACLE_STATEMENT) {
        grammar_counts.statements++;
        grammar_counts.by_kind[sqlite.kind <= D1GUARD_KIND_LAST ? sqlite.kind : D1GUARD_KIND_NONE]++;
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

        grammar_counts.complete_texts++;
        found.is_complete = 1;
        if (found.is_same && d1guard_next_statement(sql, len, at, &ours) != 0)
            disagree(sql, len, "SQLite finds no further statement");
    }
    check_verdict(sql, len, &found);
}

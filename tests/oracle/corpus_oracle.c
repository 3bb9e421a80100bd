/*
 * Checks the library against the labels of ../shared/corpora/dev, which SQLite's own grammar made:
 *   - each statement's kind, and that a text holds one statement only;
 *   - each statement's end and kind in the inputs of entries.jsonl, up to the first syntax error;
 *   - the verdict: reads are allowed but for the documented refusals, which are listed; whatever else is
 *     valid is refused; a PRAGMA is allowed if it is one of the nine reporting ones.
 *
 * corpus_oracle ROOT
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d1guard.h"
#include "texts.h"

/* What this run has seen. */
struct tally {
    unsigned long all;
    unsigned long allowed;
};

static struct {
    unsigned long statements, inputs, parts, empty, wrong;
    struct tally reads, read_inputs, writes, pragmas, invalid;
} seen;
static json_t *refusals; /* "reason word" -> how many reads */

static void wrong(const struct text *text, const char *what)
{
    seen.wrong++;
    printf("%s:%lu: %s: \"", text->file, text->line, what);
    print_escaped(stdout, text->sql, text->len < 300 ? text->len : 300);
    printf("\"\n");
}

static const char *label(const struct text *text, const char *key)
{
    const char *value = json_string_value(json_object_get(text->labels, key));

    return value ? value : "";
}

/* The corpora's word for a kind: one for all CREATEs, one for all DROPs, one for queries behind WITH. */
static const char *label_of(const struct d1guard_statement *statement)
{
    switch (statement->kind) {
    case D1GUARD_KIND_SELECT:
    case D1GUARD_KIND_VALUES:
        return statement->flags & D1GUARD_WITH ? "with_select" : d1guard_kind_slug(statement->kind);
    case D1GUARD_KIND_CREATE_TABLE:
    case D1GUARD_KIND_CREATE_INDEX:
    case D1GUARD_KIND_CREATE_VIEW:
    case D1GUARD_KIND_CREATE_TRIGGER:
    case D1GUARD_KIND_CREATE_VIRTUAL_TABLE:
        return "create";
    case D1GUARD_KIND_DROP_TABLE:
    case D1GUARD_KIND_DROP_INDEX:
    case D1GUARD_KIND_DROP_VIEW:
    case D1GUARD_KIND_DROP_TRIGGER:
        return "drop";
    case D1GUARD_KIND_ALTER_TABLE:
        return "alter";
    default:
        return d1guard_kind_slug(statement->kind);
    }
}

/* What a CREATE makes: "table" of create-table, "virtual" of create-virtual-table. */
static int makes(const struct d1guard_statement *statement, const char *what)
{
    const char *slug = d1guard_kind_slug(statement->kind);

    return strncmp(slug, "create-", 7) == 0 && strncmp(slug + 7, what, strlen(what)) == 0;
}

static int fits_label(const struct d1guard_statement *statement, const char *kind, const char *inner)
{
    if (statement->explain == D1GUARD_EXPLAIN_NONE)
        return strcmp(label_of(statement), kind) == 0;
    return strcmp(kind, "explain") == 0 && (!*inner || strcmp(label_of(statement), inner) == 0);
}

static void check_kind(const struct text *text, const char *kind)
{
    struct d1guard_statement statement = {.size = sizeof statement};
    const int found = d1guard_next_statement(text->sql, text->len, 0, &statement);
    const char *what = label(text, "what");

    if (strcmp(kind, "empty") == 0) {
        if (found != 0)
            wrong(text, "holds no statement");
        return;
    }
    if (found != 1) {
        wrong(text, d1guard_reason_slug(statement.reason));
        return;
    }
    if (!fits_label(&statement, kind, label(text, "inner")))
        wrong(text, d1guard_kind_slug(statement.kind));
    if (*what && statement.explain == D1GUARD_EXPLAIN_NONE && !makes(&statement, what))
        wrong(text, d1guard_kind_slug(statement.kind));
    if (d1guard_next_statement(text->sql, text->len, (size_t)statement.next, &statement) != 0)
        wrong(text, "holds one statement only");
}

static int is_documented(uint32_t reason)
{
    return reason == D1GUARD_REASON_VARIABLE_PAREN || reason == D1GUARD_REASON_BAD_NUMBER ||
           reason == D1GUARD_REASON_DENIED_FUNCTION || reason == D1GUARD_REASON_DENIED_TABLE ||
           reason == D1GUARD_REASON_PRAGMA_NOT_LISTED;
}

/* Counts a refused read under its reason and the word that caused it. */
static void count_refusal(const struct text *text, const struct d1guard_report *report)
{
    char key[160];
    int used = snprintf(key, sizeof key, "%s ", d1guard_reason_slug(report->reason));

    for (uint64_t i = 0; i < report->len && used < (int)sizeof key - 1; i++)
        key[used++] = (char)tolower((unsigned char)text->sql[report->at + i]);
    key[used] = '\0';
    json_object_set_new_nocheck(refusals, key,
                                json_integer(json_integer_value(json_object_get(refusals, key)) + 1));
}

static void check_read(const struct text *text, int verdict, const struct d1guard_report *report,
                       struct tally *tally)
{
    tally->all++;
    if (verdict == D1GUARD_ALLOW) {
        tally->allowed++;
        return;
    }
    count_refusal(text, report);
    if (!is_documented(report->reason))
        wrong(text, d1guard_reason_slug(report->reason));
}

/* The nine PRAGMAs that report in every form, on D1. */
static int is_reporting_pragma(const struct text *text)
{
    static const char *const names[] = {"table_list", "table_info",  "table_xinfo",       "index_list",
                                        "index_info", "index_xinfo", "foreign_key_check", "foreign_key_list",
                                        "quick_check"};
    struct d1guard_token token = {.size = sizeof token};
    char name[64] = "";
    size_t at = 0, words = 0;

    /* PRAGMA name, or PRAGMA schema.name: the last word before `=`, `(`, `;` or the end. */
    for (; d1guard_next_token(text->sql, text->len, at, &token); at += (size_t)token.len) {
        if (token.kind == D1GUARD_TOKEN_EQ || token.kind == D1GUARD_TOKEN_LP ||
            (token.kind == D1GUARD_TOKEN_SEMI && words))
            break;
        if (token.kind != D1GUARD_TOKEN_WORD && token.kind != D1GUARD_TOKEN_NAME && token.kind != D1GUARD_TOKEN_STRING)
            continue;
        const size_t quoted = token.kind != D1GUARD_TOKEN_WORD;
        size_t len = (size_t)token.len - 2 * quoted;
        if (len >= sizeof name)
            len = sizeof name - 1;
        for (size_t i = 0; i < len; i++)
            name[i] = (char)tolower((unsigned char)text->sql[at + quoted + i]);
        name[len] = '\0';
        words++;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

static void check_verdict(const struct text *text, const char *kind)
{
    struct d1guard_report report = {.size = sizeof report};
    const int verdict = d1guard_classify(text->sql, text->len, NULL, &report);
    const json_t *read = json_object_get(text->labels, "read");

    if (strcmp(kind, "invalid") == 0) {
        seen.invalid.all++;
        seen.invalid.allowed += verdict == D1GUARD_ALLOW;
    } else if (json_is_true(read)) {
        check_read(text, verdict, &report, &seen.reads);
    } else if (json_is_false(read) || strcmp(kind, "explain") == 0) {
        seen.writes.all++;
        seen.writes.allowed += verdict == D1GUARD_ALLOW;
        if (verdict == D1GUARD_ALLOW)
            wrong(text, "allowed, but it does not only read");
    } else if (strcmp(kind, "pragma") == 0) {
        seen.pragmas.all++;
        seen.pragmas.allowed += verdict == D1GUARD_ALLOW;
        if ((verdict == D1GUARD_ALLOW) != is_reporting_pragma(text))
            wrong(text, "a PRAGMA, judged otherwise than by its name");
    } else {
        seen.empty++;
        if (verdict == D1GUARD_ALLOW || report.reason != D1GUARD_REASON_EMPTY)
            wrong(text, "holds no statement");
    }
}

/*
 * One text ends in slash and star, two tokens there. Its label was made as if something followed, which
 * makes them a comment; as it stands SQLite answers: near "/": syntax error.
 */
static int is_mislabelled(const struct text *text)
{
    struct d1guard_token token = {.size = sizeof token};
    uint32_t before = D1GUARD_TOKEN_ILLEGAL;

    for (size_t at = 0; d1guard_next_token(text->sql, text->len, at, &token); at += (size_t)token.len) {
        if (at == text->len - 1)
            return before == D1GUARD_TOKEN_SLASH && token.kind == D1GUARD_TOKEN_STAR;
        before = token.kind;
    }
    return 0;
}

static void check_statement(const struct text *text)
{
    const char *kind = is_mislabelled(text) ? "invalid" : label(text, "kind");

    seen.statements++;
    if (strcmp(kind, "invalid") != 0)
        check_kind(text, kind);
    check_verdict(text, kind);
}

static int is_query_label(const char *kind)
{
    return strcmp(kind, "select") == 0 || strcmp(kind, "values") == 0 || strcmp(kind, "with_select") == 0;
}

static int is_unsure_label(const char *kind)
{
    return strcmp(kind, "explain") == 0 || strcmp(kind, "pragma") == 0;
}

/* An input of several statements: bounds and kinds up to the first syntax error, and one verdict. */
static void check_entry(const struct text *text)
{
    const json_t *ends = json_object_get(text->labels, "ends");
    const json_t *error = json_object_get(text->labels, "err_from");
    const json_t *kinds = json_object_get(text->labels, "kinds");
    struct d1guard_report report = {.size = sizeof report};
    const int verdict = d1guard_classify(text->sql, text->len, NULL, &report);
    int queries = 0, others = 0, unsure = 0, is_valid = !error;
    size_t at = 0;

    seen.inputs++;
    for (size_t i = 0; i < json_array_size(ends); i++) {
        struct d1guard_statement statement = {.size = sizeof statement};
        const char *kind = json_string_value(json_array_get(kinds, i));
        const size_t end = (size_t)json_integer_value(json_array_get(ends, i));
        const int found = d1guard_next_statement(text->sql, text->len, at, &statement);

        if (strcmp(kind, "invalid") == 0 || (error && end > (size_t)json_integer_value(error))) {
            is_valid = 0;
            break;
        }
        seen.parts++;
        queries |= is_query_label(kind);
        unsure |= is_unsure_label(kind);
        others |= !is_query_label(kind) && !is_unsure_label(kind) && strcmp(kind, "empty") != 0;
        if (strcmp(kind, "empty") == 0 ? found != 0
                                       : found != 1 || statement.next != end || !fits_label(&statement, kind, "")) {
            wrong(text, "bound or kind of a statement");
            return;
        }
        at = end;
    }
    if (verdict == D1GUARD_ALLOW && others)
        wrong(text, "allowed, but it does not only read");
    if (is_valid && queries && !others && !unsure)
        check_read(text, verdict, &report, &seen.read_inputs);
}

static void check(void *context, const struct text *text)
{
    (void)context;
    if (json_object_get(text->labels, "ends"))
        check_entry(text);
    else
        check_statement(text);
}

int main(int argc, char **argv)
{
    const char *key;
    json_t *count;

    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: corpus_oracle ROOT\n");
        return 2;
    }
    refusals = json_object();
    texts_of_corpora(argv[1], check, NULL);
    printf("%lu statements; %lu inputs with %lu statements before the first syntax error\n", seen.statements,
           seen.inputs, seen.parts);
    printf("reads: %lu of %lu allowed, inputs that only read: %lu of %lu; refused, as documented:\n",
           seen.reads.allowed, seen.reads.all, seen.read_inputs.allowed, seen.read_inputs.all);
    json_object_foreach(refusals, key, count)
        printf("  %5" JSON_INTEGER_FORMAT " %s\n", json_integer_value(count), key);
    printf("writes, and EXPLAIN of such: %lu of %lu allowed; without a statement: %lu\n",
           seen.writes.allowed, seen.writes.all, seen.empty);
    printf("PRAGMAs: %lu of %lu allowed\n", seen.pragmas.allowed, seen.pragmas.all);
    printf("not in SQLite's grammar: %lu of %lu allowed, which SQLite itself stops\n", seen.invalid.allowed,
           seen.invalid.all);
    printf("%lu wrong\n", seen.wrong);
    json_decref(refusals);
    return seen.wrong != 0 || seen.statements == 0;
}

/*
 * The row cap: original and capped text side by side on a populated database. The capped one prepares
 * whenever the original does, has the same parameters and columns, and returns exactly the first n rows.
 * Whatever is spliced around a read, no capped text returns more, holds a second statement or runs on.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "generate.h"
#include "inputs.h"
#include "invent.h"
#include "scratch.h"

#include <d1guard.h>

#include <ctype.h>
#include <strings.h>

enum {
    PRINTED_MAX = 20,
    TIES_ARE_RARE = 2000, /* of so many comparisons, one */
    PROGRESS_EACH = 500,  /* virtual machine steps between two looks at the budget */
    PROGRESS_MAX = 600    /* looks per comparison; one more statement gets as many again */
};

static const uint64_t limits[] = {1, 2, 10, 1000};

struct comparison {
    sqlite3 *db;
    int looks;
    int volatile_rows; /* random() and the like: rows cannot be compared */
    int clock;         /* reads the time: rows may differ once */
    struct text capped;
    uint64_t texts, allowed, unprepared, invented, compared, rows, too_long, failing, unrepeatable, renamed,
        commented, unordered, ties, differences;
    uint64_t by_form[D1GUARD_FORM_LAST + 1];
};

/* One text under one limit. */
struct trial {
    const char *sql;
    size_t len;
    uint64_t n;
    uint32_t form;
    sqlite3_stmt *original;
    sqlite3_stmt *capped;
};

static void differ(struct comparison *c, const struct trial *trial, const char *what, const char *one,
                   const char *other)
{
    if (c->differences++ >= PRINTED_MAX)
        return;
    printf("DIFFERENCE (%s, n=%lu): %s: %s | %s\n  text:   ", d1guard_form_slug(trial->form),
           (unsigned long)trial->n, what, one != NULL ? one : "", other != NULL ? other : "");
    text_print(stdout, trial->sql, trial->len);
    printf("\n  capped: ");
    text_print(stdout, c->capped.bytes, c->capped.len);
    printf("\n");
}

/* --- what a query reads ------------------------------------------------------------------------------------
 */

static int authorize(void *context, int action, const char *first, const char *second, const char *third,
                     const char *fourth)
{
    static const char *const chances[] = {"random", "randomblob", "sqlite_offset"};
    static const char *const clocks[] = {
        "current_timestamp", "current_date", "current_time", "date",      "time",
        "datetime",          "julianday",    "strftime",     "unixepoch", "timediff"};
    struct comparison *c = context;

    (void)third;
    (void)fourth;
    for (size_t i = 0; action == SQLITE_FUNCTION && second != NULL && i < sizeof chances / sizeof *chances;
         i++)
        c->volatile_rows |= strcasecmp(second, chances[i]) == 0;
    for (size_t i = 0; action == SQLITE_FUNCTION && second != NULL && i < sizeof clocks / sizeof *clocks; i++)
        c->clock |= strcasecmp(second, clocks[i]) == 0;
    /* The table of the statements that are running lists this one. */
    c->volatile_rows |= action == SQLITE_READ && first != NULL && strcasecmp(first, "sqlite_stmt") == 0;
    return SQLITE_OK;
}

static int look_at_budget(void *context)
{
    struct comparison *c = context;

    return ++c->looks > PROGRESS_MAX;
}

/* --- preparing
 * ----------------------------------------------------------------------------------------------- */

/* Prepares a text that holds one statement. NULL if SQLite takes it otherwise. */
static sqlite3_stmt *prepare_one(sqlite3 *db, const char *sql, size_t len)
{
    const char *tail = sql;
    const char *const end = sql + len;
    sqlite3_stmt *found = NULL;

    while (tail < end) {
        const char *const from = tail;
        sqlite3_stmt *stmt = NULL;

        if (sqlite3_prepare_v2(db, from, (int)(end - from) + 1, &stmt, &tail) != SQLITE_OK ||
            (found != NULL && stmt != NULL)) {
            sqlite3_finalize(stmt);
            sqlite3_finalize(found);
            return NULL;
        }
        if (stmt != NULL)
            found = stmt;
        else if (tail == from)
            break;
    }
    return found;
}

/* A wrapped query is one subquery deeper (the parser's stack of old versions holds 100 entries), and a
 * collation with an unknown name, that the query itself never needs, is looked for. */
static int is_documented_failure(const struct trial *trial, const char *message)
{
    return trial->form == D1GUARD_FORM_WRAPPED && (strstr(message, "stack overflow") != NULL ||
                                                   strstr(message, "no such collation sequence") != NULL);
}

/* --- parameters and columns
 * ------------------------------------------------------------------------------------ */

static int same_string(const char *one, const char *other)
{
    return one == other || (one != NULL && other != NULL && strcmp(one, other) == 0);
}

static void compare_parameters(struct comparison *c, const struct trial *trial)
{
    const int count = sqlite3_bind_parameter_count(trial->original);

    if (count != sqlite3_bind_parameter_count(trial->capped)) {
        differ(c, trial, "number of parameters", NULL, NULL);
        return;
    }
    if (count > 1000)
        return;
    for (int i = 1; i <= count; i++) {
        if (!same_string(sqlite3_bind_parameter_name(trial->original, i),
                         sqlite3_bind_parameter_name(trial->capped, i)))
            differ(c, trial, "parameter name", sqlite3_bind_parameter_name(trial->original, i),
                   sqlite3_bind_parameter_name(trial->capped, i));
        sqlite3_bind_int(trial->original, i, i + 1);
        sqlite3_bind_int(trial->capped, i, i + 1);
    }
}

/* Does `longer` go on behind `name` with `:` and digits, as SQLite numbers equal names? */
static int is_numbered(const char *name, size_t len, const char *longer)
{
    if (strncasecmp(name, longer, len) != 0 || longer[len] != ':')
        return 0;
    return longer[len + 1] != '\0' && strspn(longer + len + 1, "0123456789") == strlen(longer + len + 1);
}

static int has_word(const char *text, const char *word)
{
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, word, strlen(word)) == 0)
            return 1;
    }
    return 0;
}

/*
 * How a wrapped query may rename a column, README says: equal names get a number; a column is called as
 * its query spells or its table declares it (case, rowid); quotes, COLLATE and likely() around a column go.
 */
static int is_documented_name(const struct trial *trial, const char *was, const char *is)
{
    static const char *const dropped[] = {"COLLATE", "likely", "likelihood", "\"", "`", "[", ".", "("};
    const char *colon = strrchr(is, ':');
    char bare[300];
    char quoted[304];

    if (strcasecmp(was, is) == 0 || is_numbered(was, strlen(was), is))
        return 1;
    snprintf(
        bare, sizeof bare, "%.*s",
        (int)(colon != NULL && is_numbered(is, (size_t)(colon - is), is) ? colon - is : (long)strlen(is)),
        is);
    /* An unnamed TRUE or FALSE is called by its number. */
    if (strncmp(is, "column", 6) == 0 && (has_word(was, "true") || has_word(was, "false")))
        return 1;
    /* A string in double quotes in the first row of a VALUES gives its text. */
    snprintf(quoted, sizeof quoted, "\"%s\"", bare);
    if (strncmp(was, "column", 6) == 0 && strstr(trial->sql, quoted) != NULL)
        return 1;
    if (strcasecmp(bare, "rowid") == 0 || strcasecmp(bare, "oid") == 0 || strcasecmp(bare, "_rowid_") == 0)
        return 1;
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++) {
        if (has_word(was, dropped[i]) && (has_word(was, bare) || bare[0] == '\0'))
            return 1;
    }
    return 0;
}

/* SQLite calls an expression by its text, comments included. Those that hold a `;`, and what stands behind
 * the last token, are not in the capped text. */
static int same_but_comments(const char *was, size_t was_len, const char *is)
{
    struct d1guard_token one = {.size = sizeof one};
    struct d1guard_token other = {.size = sizeof other};
    const size_t is_len = strlen(is);
    size_t at = 0;
    size_t to = 0;

    for (;;) {
        while (d1guard_next_token(was, was_len, at, &one) &&
               (one.kind == D1GUARD_TOKEN_SPACE || one.kind == D1GUARD_TOKEN_COMMENT))
            at += (size_t)one.len;
        while (d1guard_next_token(is, is_len, to, &other) &&
               (other.kind == D1GUARD_TOKEN_SPACE || other.kind == D1GUARD_TOKEN_COMMENT))
            to += (size_t)other.len;
        if (at >= was_len || to >= is_len)
            return at >= was_len && to >= is_len;
        if (one.len != other.len || memcmp(was + at, is + to, (size_t)one.len) != 0)
            return 0;
        at += (size_t)one.len;
        to += (size_t)other.len;
    }
}

static int differs_in_comments_only(const char *was, const char *is)
{
    const size_t len = strlen(was);

    if (same_but_comments(was, len, is))
        return 1;
    /* A comment that never closed: the name's blanks are cut, and its last bytes are no comment any more. */
    return len > 2 && strcmp(was + len - 2, "/*") == 0 && same_but_comments(was, len - 2, is);
}

/* From the sixth equal name on, SQLite ends names with a number drawn at random: another one at each prepare.
 */
static int is_drawn(const char *was, const char *is)
{
    const char *one = strrchr(was, ':');
    const char *other = strrchr(is, ':');

    return one != NULL && other != NULL && one - was == other - is &&
           strncmp(was, is, (size_t)(one - was)) == 0 && strspn(one + 1, "0123456789") >= 5 &&
           strspn(other + 1, "0123456789") >= 5;
}

/* The same for a wrapped query, where an equal name got a number as well. */
static int is_numbered_but_comments(const char *was, const char *is)
{
    const char *colon = strrchr(is, ':');
    char bare[300];

    if (colon == NULL || colon[1] == '\0' || strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return 0;
    snprintf(bare, sizeof bare, "%.*s", (int)(colon - is), is);
    return differs_in_comments_only(was, bare);
}

static void compare_columns(struct comparison *c, const struct trial *trial)
{
    const int count = sqlite3_column_count(trial->original);
    int renamed = 0;
    int commented = 0;

    if (count != sqlite3_column_count(trial->capped)) {
        differ(c, trial, "number of columns", NULL, NULL);
        return;
    }
    for (int i = 0; i < count; i++) {
        const char *was = sqlite3_column_name(trial->original, i);
        const char *is = sqlite3_column_name(trial->capped, i);

        if (strcmp(was, is) != 0 && differs_in_comments_only(was, is)) {
            commented = 1;
            continue;
        }
        if (is_drawn(was, is))
            continue;
        if (trial->form == D1GUARD_FORM_WRAPPED) {
            renamed |= strcmp(was, is) != 0;
            if (!is_documented_name(trial, was, is) && !is_numbered_but_comments(was, is))
                differ(c, trial, "column name", was, is);
        } else if (strcmp(was, is) != 0) {
            differ(c, trial, "column name", was, is);
        } else if (!same_string(sqlite3_column_decltype(trial->original, i),
                                sqlite3_column_decltype(trial->capped, i))) {
            differ(c, trial, "declared type", sqlite3_column_decltype(trial->original, i),
                   sqlite3_column_decltype(trial->capped, i));
        }
    }
    c->renamed += (unsigned)renamed;
    c->commented += (unsigned)commented;
}

/* --- rows
 * ----------------------------------------------------------------------------------------------------------
 */

/* In a wrapped compound 3.54 makes a REAL of an integer whose column is REAL in another arm. */
static int same_number(sqlite3_stmt *one, sqlite3_stmt *other, int i)
{
    return sqlite3_column_type(one, i) == SQLITE_INTEGER && sqlite3_column_type(other, i) == SQLITE_FLOAT &&
           (double)sqlite3_column_int64(one, i) == sqlite3_column_double(other, i);
}

static int same_row(sqlite3_stmt *one, sqlite3_stmt *other, uint32_t form)
{
    for (int i = 0; i < sqlite3_column_count(one); i++) {
        const int type = sqlite3_column_type(one, i);

        if (form == D1GUARD_FORM_WRAPPED && same_number(one, other, i))
            continue;
        if (type != sqlite3_column_type(other, i))
            return 0;
        if (type == SQLITE_NULL)
            continue;
        if (type == SQLITE_INTEGER && sqlite3_column_int64(one, i) == sqlite3_column_int64(other, i))
            continue;
        if (type == SQLITE_INTEGER)
            return 0;
        if (sqlite3_column_bytes(one, i) != sqlite3_column_bytes(other, i))
            return 0;
        if (sqlite3_column_bytes(one, i) > 0 &&
            memcmp(sqlite3_column_blob(one, i), sqlite3_column_blob(other, i),
                   (size_t)sqlite3_column_bytes(one, i)) != 0)
            return 0;
    }
    return 1;
}

/* May SQLite answer in any order: DISTINCT, UNION, INTERSECT or EXCEPT, and no ORDER BY? With a LIMIT it may
 * take another way through such a query (all versions for DISTINCT, 3.54 for UNION) and find other rows
 * first. */
static int is_unordered(const char *sql, size_t len)
{
    static const char *const words[] = {"DISTINCT", "UNION", "INTERSECT", "EXCEPT"};
    struct d1guard_token token = {.size = sizeof token};
    long depth = 0;
    int set = 0;

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        const char *word = sql + at;

        depth += token.kind == D1GUARD_TOKEN_LP;
        depth -= token.kind == D1GUARD_TOKEN_RP;
        if (depth > 0 || token.kind != D1GUARD_TOKEN_WORD)
            continue;
        if (token.len == 5 && strncasecmp(word, "ORDER", 5) == 0)
            return 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            set |= token.len == strlen(words[i]) && strncasecmp(word, words[i], (size_t)token.len) == 0;
    }
    return set;
}

static int is_word(const char *sql, size_t at, const struct d1guard_token *token, const char *word)
{
    return token->kind == D1GUARD_TOKEN_WORD && token->len == strlen(word) &&
           strncasecmp(sql + at, word, (size_t)token->len) == 0;
}

static int holds_word(const char *sql, size_t len, const char *word)
{
    struct d1guard_token token = {.size = sizeof token};

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        if (is_word(sql, at, &token, word))
            return 1;
    }
    return 0;
}

/* Do values hang on an order that SQL leaves open: windows over ties, bare columns of a group, rows skipped?
 */
static int hangs_on_order(const char *sql, size_t len)
{
    static const char *const words[] = {"OVER", "GROUP", "OFFSET", "LIMIT"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (holds_word(sql, len, words[i]))
            return 1;
    }
    return 0;
}

/* The result column that is the first key of ORDER BY, by its number or its name; -1 if that is not plain. */
static int first_key(const struct trial *trial)
{
    struct d1guard_token token = {.size = sizeof token};
    long depth = 0;
    int by = 0;

    for (size_t at = 0; d1guard_next_token(trial->sql, trial->len, at, &token); at += (size_t)token.len) {
        char name[80];

        if (token.kind == D1GUARD_TOKEN_SPACE || token.kind == D1GUARD_TOKEN_COMMENT)
            continue;
        depth += token.kind == D1GUARD_TOKEN_LP;
        depth -= token.kind == D1GUARD_TOKEN_RP;
        if (!by || depth > 0) {
            by = depth == 0 && is_word(trial->sql, at, &token, "BY");
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)(token.len < sizeof name ? token.len : 0), trial->sql + at);
        if (token.kind == D1GUARD_TOKEN_INTEGER)
            return atoi(name) <= sqlite3_column_count(trial->original) ? atoi(name) - 1 : -1;
        for (int i = 0; i < sqlite3_column_count(trial->original); i++) {
            if (strcasecmp(name, sqlite3_column_name(trial->original, i)) == 0)
                return i;
        }
        by = 0;
    }
    return -1;
}

static const char *text_or_empty(sqlite3_stmt *stmt, int i)
{
    const char *text = (const char *)sqlite3_column_text(stmt, i);

    return text != NULL ? text : "";
}

/* Have the first n rows the same first keys, row by row? Then they differ in rows that tie. */
static int same_keys(struct comparison *c, const struct trial *trial)
{
    const int key = first_key(trial);

    sqlite3_reset(trial->original);
    sqlite3_reset(trial->capped);
    c->looks = 0;
    for (uint64_t row = 0; key >= 0 && row < trial->n; row++) {
        const int was = sqlite3_step(trial->original);
        const int is = sqlite3_step(trial->capped);

        if (was != SQLITE_ROW || is != SQLITE_ROW)
            break;
        if (sqlite3_value_type(sqlite3_column_value(trial->original, key)) !=
                sqlite3_value_type(sqlite3_column_value(trial->capped, key)) ||
            strcasecmp(text_or_empty(trial->original, key), text_or_empty(trial->capped, key)) != 0)
            return 0;
    }
    return 1;
}

/* Adds the values of a row, so that equal rows give equal bytes: 1 and 1.0, 'a' and 'A' too, of
 * which UNION may keep either. */
static void add_row(struct text *to, sqlite3_stmt *stmt)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const int type =
            sqlite3_column_type(stmt, i) == SQLITE_INTEGER ? SQLITE_FLOAT : sqlite3_column_type(stmt, i);
        const double number = sqlite3_column_double(stmt, i);
        const void *bytes = sqlite3_column_blob(stmt, i);
        const int len = sqlite3_column_bytes(stmt, i);

        text_add(to, (const char *)&type, sizeof type);
        if (type == SQLITE_FLOAT) {
            text_add(to, (const char *)&number, sizeof number);
            continue;
        }
        text_add(to, (const char *)&len, sizeof len);
        if (len > 0)
            text_add(to, bytes, (size_t)len);
        for (int k = 0; k < len && type == SQLITE_TEXT; k++)
            to->bytes[to->len - 1 - (size_t)k] =
                (char)tolower((unsigned char)to->bytes[to->len - 1 - (size_t)k]);
    }
}

/* Reads up to `most` rows, each a text of its own. Returns their number, or -1 if that fails or takes too
 * long. */
static long read_rows(struct comparison *c, sqlite3_stmt *stmt, struct text *rows, long most)
{
    int rc = SQLITE_ROW;
    long count = 0;

    sqlite3_reset(stmt);
    c->looks = 0;
    while (count < most && (rc = sqlite3_step(stmt)) == SQLITE_ROW) {
        text_clear(&rows[count]);
        add_row(&rows[count++], stmt);
    }
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? count : -1;
}

/* Are the capped rows n of the original's, in whatever order? */
static int are_among(struct comparison *c, const struct trial *trial)
{
    enum { MOST = 3000 };
    static struct text original[MOST], capped[MOST];
    const long all = read_rows(c, trial->original, original, MOST);
    const long some = read_rows(c, trial->capped, capped, MOST);

    if (all < 0 || some < 0 || all == MOST)
        return all == MOST;
    if ((uint64_t)some != ((uint64_t)all < trial->n ? (uint64_t)all : trial->n))
        return 0;
    for (long i = 0; i < some; i++) {
        long k = 0;

        while (k < all && (original[k].len != capped[i].len ||
                           memcmp(original[k].bytes, capped[i].bytes, capped[i].len) != 0))
            k++;
        if (k == all)
            return 0;
        original[k].len = 0; /* taken */
    }
    return 1;
}

enum outcome { SAME, TOO_LONG, ORIGINAL_FAILS, CAPPED_FAILS, OTHER_ROW, FEWER_ROWS, MORE_ROWS, RUNS_ON };

/* Steps both, row by row, up to the limit; then the capped one must be at its end. */
static enum outcome compare_rows(struct comparison *c, const struct trial *trial, int compare_values)
{
    int rc;

    c->looks = 0;
    for (uint64_t row = 0; row < trial->n; row++) {
        const int was = sqlite3_step(trial->original);

        if (was == SQLITE_INTERRUPT)
            return TOO_LONG;
        rc = sqlite3_step(trial->capped);
        if (rc == SQLITE_INTERRUPT)
            return TOO_LONG;
        if (was != SQLITE_ROW && was != SQLITE_DONE)
            return ORIGINAL_FAILS;
        if (rc != SQLITE_ROW && rc != SQLITE_DONE)
            return compare_values ? CAPPED_FAILS : ORIGINAL_FAILS; /* random values may overflow once */
        if (was == SQLITE_DONE)
            return rc == SQLITE_DONE || !compare_values ? SAME : MORE_ROWS;
        if (rc == SQLITE_DONE)
            return compare_values ? FEWER_ROWS : SAME;
        if (compare_values && !same_row(trial->original, trial->capped, trial->form))
            return OTHER_ROW;
        c->rows++;
    }
    c->looks = 0;
    rc = sqlite3_step(trial->capped);
    if (rc == SQLITE_INTERRUPT)
        return RUNS_ON;
    return rc == SQLITE_DONE ? SAME : rc == SQLITE_ROW ? MORE_ROWS : CAPPED_FAILS;
}

static void judge_outcome(struct comparison *c, const struct trial *trial, enum outcome outcome)
{
    switch (outcome) {
    case SAME:
        c->compared++;
        break;
    case TOO_LONG:
        c->too_long++;
        break;
    case ORIGINAL_FAILS:
        c->failing++;
        break;
    case CAPPED_FAILS:
        differ(c, trial, "only the capped query fails", sqlite3_errmsg(c->db), NULL);
        break;
    case OTHER_ROW:
        differ(c, trial, "another row", NULL, NULL);
        break;
    case FEWER_ROWS:
        differ(c, trial, "fewer rows than the original", NULL, NULL);
        break;
    case MORE_ROWS:
        differ(c, trial, "more rows than the original or the cap", NULL, NULL);
        break;
    case RUNS_ON:
        differ(c, trial, "runs on behind the last row", NULL, NULL);
        break;
    }
}

/* No text gets past the cap, be its original sense or nonsense. */
static void check_alone(struct comparison *c, const struct trial *trial)
{
    uint64_t rows = 0;

    c->looks = 0;
    while (rows <= trial->n && sqlite3_step(trial->capped) == SQLITE_ROW)
        rows++;
    if (rows > trial->n)
        differ(c, trial, "ESCAPE: more than n rows", NULL, NULL);
    sqlite3_reset(trial->capped);
}

/* Other rows are right where SQL leaves the order open. */
static enum outcome excuse(struct comparison *c, const struct trial *trial)
{
    const int among = are_among(c, trial);
    const int unordered = is_unordered(trial->sql, trial->len);

    if (unordered && among) {
        c->unordered++;
        return SAME;
    }
    if ((among && holds_word(trial->sql, trial->len, "ORDER") && same_keys(c, trial)) ||
        (unordered && hangs_on_order(trial->sql, trial->len))) {
        c->ties++;
        return SAME;
    }
    return OTHER_ROW;
}

static void compare(struct comparison *c, struct trial *trial)
{
    c->volatile_rows = c->clock = 0;
    trial->original = prepare_one(c->db, trial->sql, trial->len);
    trial->capped = prepare_one(c->db, c->capped.bytes, c->capped.len);
    if (trial->original == NULL) {
        c->unprepared++;
        if (trial->capped != NULL)
            check_alone(c, trial);
    } else if (trial->capped == NULL) {
        if (!is_documented_failure(trial, sqlite3_errmsg(c->db)))
            differ(c, trial, "only the original prepares", sqlite3_errmsg(c->db), NULL);
    } else {
        enum outcome outcome;

        compare_parameters(c, trial);
        compare_columns(c, trial);
        outcome = compare_rows(c, trial, !c->volatile_rows);
        if (outcome == OTHER_ROW && c->clock) { /* the clock may have ticked between the two */
            sqlite3_reset(trial->original);
            sqlite3_reset(trial->capped);
            outcome = compare_rows(c, trial, 1);
        }
        if (outcome == OTHER_ROW)
            outcome = excuse(c, trial);
        c->unrepeatable += (unsigned)c->volatile_rows;
        judge_outcome(c, trial, outcome);
    }
    sqlite3_finalize(trial->original);
    sqlite3_finalize(trial->capped);
}

/* --- the calls
 * -------------------------------------------------------------------------------------------------------- */

/* Caps a text as a host does, in two calls, and checks what the header says of them. Returns 0 if refused. */
static int cap(struct comparison *c, struct trial *trial)
{
    const struct d1guard_options options = {.size = sizeof options, .engine = D1GUARD_ENGINE_SQLITE};
    struct d1guard_report report = {.size = sizeof report};
    struct text *out = &c->capped;
    size_t size = 0;
    size_t written = 0;

    if (d1guard_cap(trial->sql, trial->len, &options, trial->n, NULL, 0, &size, &report) != D1GUARD_ALLOW)
        return 0;
    trial->form = report.form;
    text_clear(out);
    text_reserve(out, size + 1);
    memset(out->bytes, 0x5a, size + 1);
    if (size > 0 && (d1guard_cap(trial->sql, trial->len, &options, trial->n, out->bytes, size - 1, &written,
                                 &report) != D1GUARD_ALLOW ||
                     written != size || out->bytes[0] != 0x5a || out->bytes[size - 1] != 0x5a))
        differ(c, trial, "a short buffer is written, or answers otherwise", NULL, NULL);
    if (d1guard_cap(trial->sql, trial->len, &options, trial->n, out->bytes, size, &written, &report) !=
            D1GUARD_ALLOW ||
        written != size || out->bytes[size] != 0x5a)
        differ(c, trial, "the second call differs from the first", NULL, NULL);
    out->len = size;
    out->bytes[size] = '\0';
    if (size > trial->len + 64)
        differ(c, trial, "longer than the header says", NULL, NULL);
    if (d1guard_classify(out->bytes, size, &options, NULL) != D1GUARD_ALLOW)
        differ(c, trial, "the capped text is not allowed", NULL, NULL);
    return 1;
}

/* What is not capped, or needs no cap, passes as d1guard_clean writes it. */
static void check_unchanged(struct comparison *c, const struct trial *trial)
{
    const struct d1guard_options options = {.size = sizeof options, .engine = D1GUARD_ENGINE_SQLITE};
    struct text cleaned = {0};
    size_t size = 0;

    text_reserve(&cleaned, trial->len + 1);
    if (d1guard_clean(trial->sql, trial->len, &options, cleaned.bytes, cleaned.room, &size, NULL) !=
            D1GUARD_ALLOW ||
        size != c->capped.len || memcmp(cleaned.bytes, c->capped.bytes, size) != 0)
        differ(c, trial, "an unchanged text differs from the cleaned one", NULL, NULL);
    text_free(&cleaned);
}

static void judge(void *context, const char *sql, size_t len)
{
    struct comparison *c = context;
    const uint64_t before = c->differences;
    struct text copy = {0}; /* with a NUL behind its end, for SQLite */

    c->texts++;
    text_set(&copy, sql, len);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct trial trial = {.sql = copy.bytes, .len = len, .n = limits[i]};

        if (!cap(c, &trial))
            break;
        c->allowed += i == 0;
        c->by_form[trial.form]++;
        if (trial.form == D1GUARD_FORM_NOT_CAPPED || trial.form == D1GUARD_FORM_UNCHANGED)
            check_unchanged(c, &trial);
        if (trial.form != D1GUARD_FORM_NOT_CAPPED)
            compare(c, &trial);
        if (c->differences > before)
            break; /* one n is enough to tell */
    }
    text_free(&copy);
}

/* The same for a text whose tables are missing: tables are made up, so that more of others' queries run. */
static void judge_invented(void *context, const char *sql, size_t len)
{
    struct comparison *c = context;
    sqlite3 *const own = c->db;
    sqlite3 *db;
    struct trial trial = {.sql = sql, .len = len, .n = 1};
    struct text copy = {0};
    sqlite3_stmt *stmt;

    if (!cap(c, &trial)) { /* merely preparing another could change the connection */
        c->texts++;
        return;
    }
    text_set(&copy, sql, len);
    stmt = prepare_one(own, copy.bytes, len);
    db = stmt != NULL || strncmp(sqlite3_errmsg(own), "no such table", 13) != 0
             ? NULL
             : invent_tables(copy.bytes, len);
    sqlite3_finalize(stmt);
    if (db != NULL) {
        c->invented++;
        c->db = db;
        sqlite3_progress_handler(db, PROGRESS_EACH, look_at_budget, c);
        sqlite3_set_authorizer(db, authorize, c);
    }
    judge(c, sql, len);
    if (db != NULL)
        sqlite3_close(db);
    c->db = own;
    text_free(&copy);
}

static void check_arguments(struct comparison *c)
{
    static const uint64_t wrong[] = {0, UINT64_C(1) << 63, UINT64_MAX};
    struct trial trial = {.sql = "SELECT 1", .len = 8};
    struct d1guard_report report = {.size = sizeof report};
    size_t size = 1;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        trial.n = wrong[i];
        if (d1guard_cap(trial.sql, trial.len, NULL, wrong[i], NULL, 0, &size, &report) != D1GUARD_REFUSE ||
            report.reason != D1GUARD_REASON_BAD_ARGUMENT || size != 0)
            differ(c, &trial, "a limit out of range is not refused", NULL, NULL);
    }
}

/* --- the program
 * ---------------------------------------------------------------------------------------------------------
 */

static void run_generated(struct comparison *c, struct generator *generator, const struct inputs *inputs)
{
    static const enum generate_what kinds[] = {GENERATE_READ, GENERATE_READ, GENERATE_ESCAPE, GENERATE_ESCAPE,
                                               GENERATE_ANYTHING};
    struct text text = {0};

    for (uint64_t i = 0; i < inputs->count; i++) {
        generate_text(generator, kinds[i % (sizeof kinds / sizeof *kinds)], generate_seed(inputs->seed, i),
                      &text);
        judge(c, text.bytes, text.len);
    }
    text_free(&text);
}

/* The checks must see: a capped text that was tampered with has to differ. Returns the tampering that passed.
 */
static int control(struct comparison *c)
{
    static const char *const pairs[][2] = {
        {"SELECT a FROM big ORDER BY a DESC", "SELECT a FROM big ORDER BY a LIMIT 2"},
        {"SELECT a FROM big", "SELECT a FROM big"},
        {"SELECT a FROM big", "SELECT a FROM big LIMIT 1"},
        {"SELECT a FROM big", "SELECT a AS b FROM big LIMIT 2"},
        {"SELECT a FROM big", "SELECT a FROM big LIMIT ?"},
        {"SELECT a FROM big", "SELECT a FROM big) LIMIT 2"},
        {"SELECT a FROM big", "SELECT a FROM big LIMIT 2; SELECT 1"},
        {"SELECT c FROM t", "SELECT +c AS c FROM t LIMIT 2"},
        {"SELECT c FROM t", "SELECT CAST(c AS TEXT) AS c FROM t LIMIT 2"},
        {"SELECT 1+1", "SELECT 1 +2 LIMIT 2"},
    };
    int blind = 0;

    c->differences = PRINTED_MAX;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct trial trial = {
            .sql = pairs[i][0], .len = strlen(pairs[i][0]), .n = 2, .form = D1GUARD_FORM_APPEND};
        const uint64_t before = c->differences;

        text_set(&c->capped, pairs[i][1], strlen(pairs[i][1]));
        compare(c, &trial);
        if (c->differences == before) {
            printf("not seen: %s | %s\n", pairs[i][0], pairs[i][1]);
            blind = 1;
        }
    }
    printf("control: %lu tampered pairs, all seen: %s\n", (unsigned long)(sizeof pairs / sizeof *pairs),
           blind ? "no" : "yes");
    memset(&c->texts, 0, sizeof *c - offsetof(struct comparison, texts));
    return blind;
}

static void print_counts(const struct comparison *c)
{
    printf("SQLite %s: %lu texts, %lu allowed by cap (%lu of them on invented tables), each with n = 1, 2, "
           "10, 1000\n",
           sqlite3_libversion(), (unsigned long)c->texts, (unsigned long)c->allowed,
           (unsigned long)c->invented);
    printf("  %lu comparisons the same (%lu rows; %lu with random values, only counted), %lu wrapped ones "
           "with renamed columns, %lu with names that lost a comment, %lu DISTINCT or compound without ORDER "
           "BY and %lu with ties with others of their rows first\n",
           (unsigned long)c->compared, (unsigned long)c->rows, (unsigned long)c->unrepeatable,
           (unsigned long)c->renamed, (unsigned long)c->commented, (unsigned long)c->unordered,
           (unsigned long)c->ties);
    printf("  not compared: %lu do not prepare, %lu fail, %lu take too long\n ", (unsigned long)c->unprepared,
           (unsigned long)c->failing, (unsigned long)c->too_long);
    for (uint32_t form = 1; form <= D1GUARD_FORM_LAST; form++)
        printf(" %s %lu", d1guard_form_slug(form), (unsigned long)c->by_form[form]);
    printf("\n  %lu differences\n", (unsigned long)c->differences);
}

int main(int argc, char **argv)
{
    static struct comparison c;
    struct inputs inputs;
    struct generator *generator = generate_open();
    int blind;
    int too_many_ties;

    inputs_read(&inputs, argc, argv, 3000);
    c.db = scratch_memory();
    sqlite3_progress_handler(c.db, PROGRESS_EACH, look_at_budget, &c);
    sqlite3_set_authorizer(c.db, authorize, &c);
    blind = control(&c);
    check_arguments(&c);
    if (inputs.text != NULL) {
        judge_invented(&c, inputs.text, strlen(inputs.text));
    } else {
        inputs_cases(&inputs, judge, &c);
        inputs_corpora(&inputs, judge_invented, &c);
        run_generated(&c, generator, &inputs);
    }
    print_counts(&c);
    sqlite3_close(c.db);
    generate_close(generator);
    /* Where rows tie, a LIMIT may turn SQLite to another plan. That is rare, or something else is wrong. */
    too_many_ties = c.ties > 5 + c.compared / TIES_ARE_RARE;
    if (too_many_ties)
        printf("too many queries answer others of their rows first\n");
    return blind || c.differences > 0 || too_many_ties;
}

/*
 * The host's lists, and the strict list of functions, against what SQLite says while it prepares: its
 * authorizer names each function that a text calls and each table that it reads.
 *
 *   deny    a text that calls f is refused with deny_functions = f, one that reads t with deny_tables = t
 *   strict  what D1GUARD_STRICT_FUNCTIONS allows calls only functions of the engine's list
 *   back    a text that does not call f, or read t, is not refused for it, but by a rule below
 *
 * Nothing is run. The host's functions and the tables bear the names of hostile.h, keywords above all. The
 * lists of lib/policy.def are private: they say here what the engine's own functions are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "generate.h"
#include "hostile.h"
#include "inputs.h"
#include "scratch.h"
#include "shrink.h"

#include "../../lib/policy.def"
#include <d1guard.h>

#include <ctype.h>
#include <strings.h>

enum { CONTROL_TEXTS = 2000, PRINTED_MAX = 12, NAMES_MAX = 400, NAME_MAX_BYTES = 100, TOKENS_MAX = 4000 };

/* --- rules: what SQLite and the guard see differently, and why that is right --- */

#define RULES(X)                                                                                             \
    X(NONE, "")                                                                                              \
    X(PTR, "-> and ->> are operators that call the function of that name")                                   \
    X(CURRENT, "CURRENT_DATE, CURRENT_TIME and CURRENT_TIMESTAMP are keywords that call a function")         \
    X(SCHEMA_TABLE, "sqlite_schema and its kin are sqlite_master by another name: a host denies both")       \
    X(USING, "a FULL or RIGHT JOIN with USING calls coalesce()")                                             \
    X(VIEW, "a view is made part of the query, and its table then named as if the query did")                \
    X(ALIAS, "a FULL or RIGHT JOIN with USING names a subquery by its alias, as if it were a table")         \
    X(OPERATOR_NAME, "a name like, glob, match or regexp without quotes where the operator could stand")     \
    X(TABLE_FUNCTION, "a table with arguments is a function to the lists")                                   \
    X(DROPPED, "a call or a table that SQLite drops unseen: x AND 0, in a WITH table that nothing reads")    \
    X(WITH_TABLE, "a WITH table that bears the name counts as the table")

enum rule {
#define X(id, why) RULE_##id,
    RULES(X)
#undef X
    RULE_COUNT,
    RULE_MISSING = RULE_COUNT
};

/* --- what SQLite says --- */

struct names {
    char name[NAMES_MAX][NAME_MAX_BYTES]; /* in small letters */
    size_t count;
};

struct seen {
    struct names called;   /* by the text itself, not by a view or a trigger */
    struct names read;     /* likewise */
    struct names columns;  /* those of the tables read of which it reads a column */
    struct names by_views; /* tables that views read */
    struct names anywhere; /* functions, by views too */
    struct names touched;  /* tables: read or written, by views too */
};

/* Which texts were looked at, and what was found. */
struct run {
    sqlite3 *db;
    struct names within; /* views and triggers */
    struct names listed; /* the engine's functions */
    struct seen seen;
    int blind; /* control: deny only what comes first */
    int quiet;
    uint64_t texts, prepared, checks, misses, false_refusals;
    uint64_t by_rule[RULE_COUNT];
};

static int has(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0)
            return 1;
    }
    return 0;
}

static void add(struct names *names, const char *name, size_t len)
{
    char small[NAME_MAX_BYTES];
    size_t n;

    if (len == 0 || len >= sizeof small)
        return;
    for (n = 0; n < len; n++)
        small[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] + 32 : name[n]);
    small[n] = '\0';
    if (has(names, small))
        return;
    if (names->count == NAMES_MAX) {
        fputs("lists: too many names\n", stderr);
        exit(2);
    }
    memcpy(names->name[names->count++], small, n + 1);
}

static int authorize(void *context, int action, const char *first, const char *second, const char *schema,
                     const char *within)
{
    struct run *run = context;
    struct seen *seen = &run->seen;
    char small[NAME_MAX_BYTES] = "";
    int direct = 1;

    (void)schema;
    /* A WITH table is named here as well; it stands in the text. */
    if (within != NULL) {
        snprintf(small, sizeof small, "%s", within);
        for (char *c = small; *c != '\0'; c++)
            *c = (char)tolower((unsigned char)*c);
        direct = !has(&run->within, small);
    }
    if (action == SQLITE_FUNCTION) {
        add(&seen->anywhere, second, strlen(second));
        if (direct)
            add(&seen->called, second, strlen(second));
    } else if (action == SQLITE_READ || action == SQLITE_INSERT || action == SQLITE_UPDATE ||
               action == SQLITE_DELETE) {
        add(&seen->touched, first, strlen(first));
        if (action == SQLITE_READ)
            add(direct ? &seen->read : &seen->by_views, first, strlen(first));
        if (direct && action == SQLITE_READ && second[0] != '\0')
            add(&seen->columns, first, strlen(first));
    }
    return SQLITE_OK;
}

/* Prepares every statement of the text. 0 if SQLite does not take one of them. */
static int prepares(struct run *run, const char *sql, size_t len)
{
    const char *tail = sql;

    run->seen.called.count = run->seen.read.count = run->seen.columns.count = 0;
    run->seen.by_views.count = run->seen.anywhere.count = run->seen.touched.count = 0;
    while (tail < sql + len) {
        const char *const from = tail;
        sqlite3_stmt *stmt = NULL;
        const int result = sqlite3_prepare_v2(run->db, from, (int)(sql + len - from) + 1, &stmt, &tail);

        sqlite3_finalize(stmt);
        if (result != SQLITE_OK)
            return 0;
        if (stmt == NULL && tail == from)
            break;
    }
    return 1;
}

/* --- what the guard says --- */

enum list { LIST_NONE, LIST_FUNCTION, LIST_TABLE, LIST_STRICT };

static int is_allowed(const char *sql, size_t len, enum list list, const char *name,
                      struct d1guard_report *report)
{
    struct d1guard_options options = {.size = sizeof options, .engine = D1GUARD_ENGINE_SQLITE};
    struct d1guard_names *deny = list == LIST_FUNCTION ? &options.deny_functions : &options.deny_tables;

    options.allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE);
    if (list == LIST_FUNCTION || list == LIST_TABLE) {
        deny->text = name;
        deny->len = strlen(name) + 1;
    }
    if (list == LIST_STRICT)
        options.flags = D1GUARD_STRICT_FUNCTIONS;
    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    return d1guard_classify(sql, len, &options, report) == D1GUARD_ALLOW;
}

/* --- tokens --- */

struct words {
    const char *sql;
    struct d1guard_token token[TOKENS_MAX]; /* no blanks, no comments */
    size_t count;
};

static void read_words(struct words *words, const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};

    words->sql = sql;
    words->count = 0;
    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        const int is_blank = token.kind == D1GUARD_TOKEN_SPACE || token.kind == D1GUARD_TOKEN_COMMENT;

        if (!is_blank && words->count < TOKENS_MAX)
            words->token[words->count++] = token;
    }
}

static uint32_t kind_at(const struct words *words, size_t i)
{
    return i < words->count ? words->token[i].kind : D1GUARD_TOKEN_SEMI;
}

static int is_name(uint32_t kind)
{
    return kind == D1GUARD_TOKEN_WORD || kind == D1GUARD_TOKEN_NAME || kind == D1GUARD_TOKEN_STRING;
}

static int is_word(const struct words *words, size_t i, const char *word)
{
    return kind_at(words, i) == D1GUARD_TOKEN_WORD && words->token[i].len == strlen(word) &&
           strncasecmp(words->sql + words->token[i].at, word, strlen(word)) == 0;
}

static int is_one_of(const struct words *words, size_t i, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (is_word(words, i, *list))
            return 1;
    }
    return 0;
}

static int holds_word(const struct words *words, const char *word)
{
    for (size_t i = 0; i < words->count; i++) {
        if (is_word(words, i, word))
            return 1;
    }
    return 0;
}

/* Token i without its quotes; a doubled quote stays, no name here has one. */
static void add_token(struct names *names, const struct words *words, size_t i)
{
    const struct d1guard_token *token = &words->token[i];
    const char *bytes = words->sql + token->at;

    if (token->kind == D1GUARD_TOKEN_WORD)
        add(names, bytes, (size_t)token->len);
    else if (is_name(token->kind))
        add(names, bytes + 1, (size_t)token->len - 2);
}

/* The token that starts there. */
static size_t find_token(const struct words *words, uint64_t at)
{
    size_t i = 0;

    while (i < words->count && words->token[i].at != at)
        i++;
    return i;
}

/* The `)` of the `(` at i. */
static size_t closing(const struct words *words, size_t i)
{
    long depth = 0;

    for (; i < words->count; i++) {
        depth += kind_at(words, i) == D1GUARD_TOKEN_LP;
        depth -= kind_at(words, i) == D1GUARD_TOKEN_RP;
        if (depth == 0)
            break;
    }
    return i;
}

/* The `(` of the `)` at i, or 0. */
static size_t opening(const struct words *words, size_t i)
{
    long depth = 0;

    for (; i > 0; i--) {
        depth += kind_at(words, i) == D1GUARD_TOKEN_RP;
        depth -= kind_at(words, i) == D1GUARD_TOKEN_LP;
        if (depth == 0)
            break;
    }
    return i;
}

/* Where the name at i starts, a schema and its dot included. */
static size_t start_of_name(const struct words *words, size_t i)
{
    return i >= 2 && kind_at(words, i - 1) == D1GUARD_TOKEN_DOT ? i - 2 : i;
}

/* Is the name at i behind FROM, JOIN and the like, or behind a comma of such a list? */
static int stands_as_table(const struct words *words, size_t i)
{
    static const char *const before[] = {"FROM", "JOIN", "INTO", "UPDATE", "IN", NULL};
    static const char *const ends[] = {"SELECT", "WHERE", "GROUP",  "HAVING",    "ORDER",
                                       "LIMIT",  "SET",   "VALUES", "RETURNING", NULL};
    size_t k = start_of_name(words, i);

    while (k > 0 && kind_at(words, k - 1) == D1GUARD_TOKEN_LP)
        k--; /* FROM ((t)) */
    if (k > 1 && is_word(words, k - 2, "DISTINCT"))
        return 0; /* IS DISTINCT FROM */
    if (k == 0 || is_one_of(words, k - 1, before))
        return k > 0;
    if (kind_at(words, k - 1) != D1GUARD_TOKEN_COMMA)
        return 0;
    while (--k > 0) {
        const uint32_t kind = kind_at(words, k - 1);

        if (kind == D1GUARD_TOKEN_RP)
            k = opening(words, k - 1) + 1;
        else if (kind == D1GUARD_TOKEN_LP && k > 1 && kind_at(words, k - 2) != D1GUARD_TOKEN_LP &&
                 kind_at(words, k - 2) != D1GUARD_TOKEN_COMMA)
            return is_one_of(words, k - 2, before);
        else if (is_one_of(words, k - 1, before))
            return 1;
        else if (is_one_of(words, k - 1, ends))
            return 0;
    }
    return 0;
}

/* Does the name stand as a table anywhere? */
static int names_table(const struct words *words, const char *name)
{
    static struct names one;

    for (size_t i = 0; i < words->count; i++) {
        one.count = 0;
        add_token(&one, words, i);
        if (has(&one, name) && stands_as_table(words, i))
            return 1;
    }
    return 0;
}

/* --- deny and strict --- */

/* Why a text that calls the function may be allowed although it is denied. */
static enum rule excuse_function(const struct words *words, const char *name)
{
    if (strcmp(name, "->") == 0 || strcmp(name, "->>") == 0)
        return RULE_PTR;
    if (strncmp(name, "current_", 8) == 0 && holds_word(words, name))
        return RULE_CURRENT;
    if (strcmp(name, "coalesce") == 0 && holds_word(words, "USING"))
        return RULE_USING;
    return RULE_MISSING;
}

static int is_schema_table(const char *name)
{
    return strcmp(name, "sqlite_master") == 0 || strcmp(name, "sqlite_temp_master") == 0 ||
           strcmp(name, "sqlite_schema") == 0 || strcmp(name, "sqlite_temp_schema") == 0;
}

static enum rule excuse_table(const struct run *run, const struct words *words, const char *name)
{
    if (is_schema_table(name))
        return RULE_SCHEMA_TABLE;
    if (has(&run->seen.by_views, name) && !has(&run->seen.columns, name))
        return RULE_VIEW;
    if (holds_word(words, "USING") && !names_table(words, name))
        return RULE_ALIAS;
    return RULE_MISSING;
}

/* What is wrong about this text; RULE_MISSING when no rule excuses it. */
struct finding {
    enum rule rule;
    enum list list;
    int is_miss; /* or a false refusal */
    char name[NAME_MAX_BYTES];
    struct d1guard_report report;
};

static void found(struct run *run, struct finding *worst, enum rule rule, enum list list, int is_miss,
                  const char *name, const struct d1guard_report *report)
{
    if (rule < RULE_COUNT) {
        run->by_rule[rule]++;
        return;
    }
    if (is_miss)
        run->misses++;
    else
        run->false_refusals++;
    if (worst->rule == RULE_MISSING && worst->is_miss)
        return;
    worst->rule = rule;
    worst->list = list;
    worst->is_miss = is_miss;
    worst->report = *report;
    snprintf(worst->name, sizeof worst->name, "%s", name);
}

static void check_denied(struct run *run, const struct words *words, const char *sql, size_t len,
                         const struct names *names, enum list list, struct finding *worst)
{
    struct d1guard_report report;

    for (size_t i = 0; i < names->count; i++) {
        run->checks++;
        if (is_allowed(sql, len, list, names->name[run->blind ? 0 : i], &report))
            found(run, worst,
                  list == LIST_TABLE ? excuse_table(run, words, names->name[i])
                                     : excuse_function(words, names->name[i]),
                  list, 1, names->name[i], &report);
    }
}

static void check_strict(struct run *run, const struct words *words, const char *sql, size_t len,
                         struct finding *worst)
{
    struct d1guard_report report;

    run->checks++;
    if (!is_allowed(sql, len, LIST_STRICT, NULL, &report))
        return;
    for (size_t i = 0; i < run->seen.called.count; i++) {
        const char *const name = run->seen.called.name[i];

        if (!has(&run->listed, name))
            found(run, worst, excuse_function(words, name), LIST_STRICT, 1, name, &report);
    }
}

/* clang-format off */
static const char *const reserved[] = {
    "ALL", "AND", "AS", "BETWEEN", "CASE", "COLLATE", "DISTINCT", "ELSE", "ESCAPE", "EXISTS", "FROM", "GROUP",
    "HAVING", "IN", "INTO", "IS", "JOIN", "LIMIT", "NOT", "ON", "OR", "ORDER", "RETURNING", "SELECT", "SET", "THEN",
    "UPDATE", "VALUES", "WHEN", "WHERE", NULL};
/* clang-format on */
static const char *const operators[] = {"LIKE", "GLOB", "MATCH", "REGEXP", NULL};

/* --- and back --- */

/* Does the name at i end a type or an alias: AS and names before it? */
static int ends_type(const struct words *words, size_t i)
{
    while (i > 0 && is_name(kind_at(words, i - 1)) &&
           (is_word(words, i - 1, "NOT") || !is_one_of(words, i - 1, reserved)))
        i--;
    return i > 0 && is_word(words, i - 1, "AS");
}

/* Is the name before a `(` sure to be no call: a type, a table and its columns, a WITH table, a keyword? */
static int is_no_call(const struct words *words, size_t i)
{
    static const char *const frames[] = {"ROWS", "RANGE", "GROUPS", NULL};
    const size_t start = start_of_name(words, i);

    if (ends_type(words, i))
        return 1;
    if (is_one_of(words, i, frames) && i >= 3 && kind_at(words, i - 1) == D1GUARD_TOKEN_LP &&
        is_word(words, i - 2, "OVER") && kind_at(words, i - 3) == D1GUARD_TOKEN_RP)
        return 1; /* OVER (ROWS (1) PRECEDING) */
    if (start > 0 && is_word(words, start - 1, "INTO"))
        return 1;
    return is_word(words, closing(words, i + 1) + 1, "AS") &&
           (start == 0 || is_word(words, start - 1, "WITH") || is_word(words, start - 1, "RECURSIVE"));
}

/* Does the word stand between two operands, as an operator that calls a function does? */
static int is_operator(const struct words *words, size_t i)
{
    static const char *const behind[] = {"FROM",  "WHERE", "AS",    "JOIN",   "ON",        "GROUP",
                                         "ORDER", "LIMIT", "UNION", "EXCEPT", "INTERSECT", "THEN",
                                         "WHEN",  "ELSE",  "AND",   "OR",     "USING",     NULL};
    const uint32_t next = kind_at(words, i + 1);

    return is_one_of(words, i, operators) && i > 0 && kind_at(words, i - 1) != D1GUARD_TOKEN_DOT &&
           next != D1GUARD_TOKEN_COMMA && next != D1GUARD_TOKEN_RP && next != D1GUARD_TOKEN_SEMI &&
           next != D1GUARD_TOKEN_DOT && !is_one_of(words, i + 1, behind);
}

/* Can an operand end before i, or is it NOT? ORDER BY and GROUP BY are sure not to be names. */
static int is_behind_operand(const struct words *words, size_t i)
{
    static const char *const pairs[] = {"ORDER", "GROUP", "PARTITION", NULL};
    const uint32_t kind = kind_at(words, i - 1);

    if (ends_type(words, i))
        return 0;
    if (is_word(words, i - 1, "BY") && i >= 2 && is_one_of(words, i - 2, pairs))
        return 0;
    return (is_word(words, i - 1, "NOT") || !is_one_of(words, i - 1, reserved)) &&
           (kind == D1GUARD_TOKEN_RP || (kind >= D1GUARD_TOKEN_WORD && kind <= D1GUARD_TOKEN_VARIABLE));
}

/* Why a text may be refused for a function that it does not call. */
static enum rule excuse_refused_function(const struct run *run, const struct words *words, size_t i,
                                         const char *name)
{
    if (is_operator(words, i))
        return RULE_DROPPED;
    if (is_one_of(words, i, operators) && i > 0 && is_behind_operand(words, i))
        return RULE_OPERATOR_NAME;
    if (kind_at(words, i + 1) == D1GUARD_TOKEN_LP) {
        if (is_no_call(words, i))
            return RULE_MISSING;
        return has(&run->seen.touched, name) || stands_as_table(words, i) ? RULE_TABLE_FUNCTION
                                                                          : RULE_DROPPED;
    }
    return RULE_MISSING;
}

static enum rule excuse_refused_table(const struct words *words, size_t i, const char *name)
{
    static struct names declared;

    if (is_schema_table(name))
        return RULE_SCHEMA_TABLE;
    declared.count = 0;
    for (size_t k = 1; k + 1 < words->count; k++) {
        if (is_name(kind_at(words, k)) &&
            (is_word(words, k + 1, "AS") ||
             (kind_at(words, k + 1) == D1GUARD_TOKEN_LP && is_word(words, closing(words, k + 1) + 1, "AS"))))
            add_token(&declared, words, k);
    }
    if (holds_word(words, "WITH") && has(&declared, name))
        return RULE_WITH_TABLE;
    return stands_as_table(words, i) ? RULE_DROPPED : RULE_MISSING;
}

static void check_back(struct run *run, const struct words *words, const char *sql, size_t len,
                       struct finding *worst)
{
    static struct names names;
    struct d1guard_report report;

    names.count = 0;
    for (size_t i = 0; i < words->count && names.count < NAMES_MAX; i++)
        add_token(&names, words, i);
    for (size_t i = 0; i < names.count; i++) {
        const char *const name = names.name[i];

        run->checks += 2;
        if (!has(&run->seen.anywhere, name) && !is_allowed(sql, len, LIST_FUNCTION, name, &report))
            found(run, worst, excuse_refused_function(run, words, find_token(words, report.at), name),
                  LIST_FUNCTION, 0, name, &report);
        if (!has(&run->seen.touched, name) && !is_allowed(sql, len, LIST_TABLE, name, &report))
            found(run, worst, excuse_refused_table(words, find_token(words, report.at), name), LIST_TABLE, 0,
                  name, &report);
    }
    if (!is_allowed(sql, len, LIST_STRICT, NULL, &report)) {
        const size_t i = find_token(words, report.at);
        static struct names one;

        one.count = 0;
        if (i < words->count)
            add_token(&one, words, i);
        if (one.count == 1 && !has(&run->seen.anywhere, one.name[0]))
            found(run, worst, excuse_refused_function(run, words, i, one.name[0]), LIST_STRICT, 0,
                  one.name[0], &report);
    }
}

/* --- texts --- */

/* 0 if the text is none to judge. */
static int check(struct run *run, const char *sql, size_t len, struct finding *worst)
{
    static struct words words;
    struct d1guard_report report;

    worst->rule = RULE_NONE;
    if (!is_allowed(sql, len, LIST_NONE, NULL, &report) || !prepares(run, sql, len))
        return 0;
    read_words(&words, sql, len);
    check_denied(run, &words, sql, len, &run->seen.called, LIST_FUNCTION, worst);
    check_denied(run, &words, sql, len, &run->seen.read, LIST_TABLE, worst);
    check_strict(run, &words, sql, len, worst);
    if (!run->blind)
        check_back(run, &words, sql, len, worst);
    return 1;
}

struct shrinking {
    struct run run; /* its counts are for nobody */
    struct finding wanted;
};

static int shows_finding(void *context, const char *sql, size_t len)
{
    struct shrinking *shrinking = context;
    struct finding worst = {0};

    return check(&shrinking->run, sql, len, &worst) && worst.rule == RULE_MISSING &&
           worst.is_miss == shrinking->wanted.is_miss && worst.list == shrinking->wanted.list &&
           strcmp(worst.name, shrinking->wanted.name) == 0;
}

static void print_finding(struct run *run, const struct finding *finding, const char *sql, size_t len)
{
    static const char *const lists[] = {"", "deny_functions", "deny_tables", "strict"};
    static struct shrinking shrinking;
    struct text text = {0};

    shrinking.run = *run;
    shrinking.wanted = *finding;
    sqlite3_set_authorizer(run->db, authorize, &shrinking.run);
    text_set(&text, sql, len);
    shrink(&text, shows_finding, &shrinking);
    printf("%s: %s, %s\n  least: ", finding->is_miss ? "MISS" : "FALSE REFUSAL", lists[finding->list],
           finding->name);
    text_print(stdout, text.bytes, text.len);
    printf("\n");
    text_free(&text);
    sqlite3_set_authorizer(run->db, authorize, run);
}

static void judge(void *context, const char *sql, size_t len)
{
    struct run *run = context;
    const uint64_t misses = run->misses;
    const uint64_t false_refusals = run->false_refusals;
    struct finding worst = {0};

    run->texts++;
    run->prepared += (unsigned)check(run, sql, len, &worst);
    if (worst.rule == RULE_MISSING && !run->quiet &&
        (run->misses > misses ? misses < PRINTED_MAX : false_refusals < PRINTED_MAX))
        print_finding(run, &worst, sql, len);
}

static void run_generated(struct run *run, struct generator *generator, uint64_t seed, uint64_t count)
{
    struct text text = {0};

    for (uint64_t i = 0; i < count; i++) {
        if (i % 4 == 0)
            generate_text(generator, i % 8 == 0 ? GENERATE_READ : GENERATE_ANYTHING, generate_seed(seed, i),
                          &text);
        else
            hostile_text(generate_seed(seed, i), &text);
        judge(run, text.bytes, text.len);
    }
    text_free(&text);
}

/* --- the database --- */

static void call_host(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    (void)values;
    sqlite3_result_null(context);
}

static void end_host(sqlite3_context *context)
{
    sqlite3_result_null(context);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    char *error = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &error) != SQLITE_OK) {
        fprintf(stderr, "lists: %s: %s\n", sql, error != NULL ? error : "?");
        exit(2);
    }
}

static int add_row(void *context, int count, char **values, char **columns)
{
    (void)columns;
    if (count > 0 && values[0] != NULL)
        add(context, values[0], strlen(values[0]));
    return 0;
}

/* Tables and functions of every hostile name; each third function is an aggregate and a window function. */
static void add_hosts(sqlite3 *db)
{
    struct text columns = {0};

    for (size_t i = 0; i < hostile_name_count; i++) {
        text_add_string(&columns, i > 0 ? ",\"" : "\"");
        text_add_string(&columns, hostile_names[i]);
        text_add_string(&columns, "\"");
    }
    for (size_t i = 0; i < hostile_name_count; i++) {
        const char *const name = hostile_names[i];
        char *sql = sqlite3_mprintf("CREATE TABLE \"%w\"(%s)", name, columns.bytes);

        run_sql(db, sql);
        sqlite3_free(sql);
        if ((i % 3 == 0 ? sqlite3_create_window_function(db, name, -1, SQLITE_UTF8, NULL, call_host, end_host,
                                                         end_host, call_host, NULL)
                        : sqlite3_create_function(db, name, -1, SQLITE_UTF8, NULL, call_host, NULL, NULL)) !=
            SQLITE_OK)
            fprintf(stderr, "lists: no function %s\n", name);
    }
    text_free(&columns);
    run_sql(db, "CREATE VIEW v1 AS SELECT n1(\"key\") AS a, n2.* FROM \"key\", n2");
}

static void open_run(struct run *run, sqlite3 *db)
{
#define X(name) add(&run->listed, #name, strlen(#name));
    D1G_FUNCTIONS_D1(X)
    D1G_FUNCTIONS_SQLITE(X)
#undef X
    run->db = db;
    sqlite3_exec(db, "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')", add_row,
                 &run->within, NULL);
    /* Virtual tables read their own tables as they are used first. */
    sqlite3_exec(db, "SELECT * FROM f3, f4, f5, rt WHERE 0; SELECT * FROM v1 WHERE 0", NULL, NULL, NULL);
    sqlite3_set_authorizer(db, authorize, run);
}

/* Lists that hold only the first name must be seen to miss. */
static uint64_t run_control(sqlite3 *db, struct generator *generator, uint64_t seed)
{
    static struct run run;

    open_run(&run, db);
    run.blind = 1;
    run.quiet = 1;
    run_generated(&run, generator, seed, CONTROL_TEXTS);
    printf("control (only the first name is denied): %lu texts, %lu misses seen\n", (unsigned long)run.texts,
           (unsigned long)run.misses);
    return run.misses;
}

static void print_counts(const struct run *run, size_t cases, size_t corpora)
{
    static const char *const why[] = {
#define X(id, why) why,
        RULES(X)
#undef X
    };

    printf("SQLite %s: %lu texts (%lu cases, %lu corpus texts, the rest generated), %lu allowed and "
           "prepared, %lu "
           "checks, %lu misses, %lu false refusals\n",
           sqlite3_libversion(), (unsigned long)run->texts, (unsigned long)cases, (unsigned long)corpora,
           (unsigned long)run->prepared, (unsigned long)run->checks, (unsigned long)run->misses,
           (unsigned long)run->false_refusals);
    for (int rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
        printf("  %lu: %s\n", (unsigned long)run->by_rule[rule], why[rule]);
}

static void take_seed(void *context, const char *sql, size_t len)
{
    generate_add_seed(context, sql, len);
}

int main(int argc, char **argv)
{
    static struct run run;
    struct inputs inputs;
    struct generator *generator = generate_open();
    sqlite3 *const db = scratch_memory();
    size_t cases = 0;
    size_t corpora = 0;
    uint64_t control = 1;

    inputs_read(&inputs, argc, argv, 20000);
    add_hosts(db);
    inputs_cases(&inputs, take_seed, generator);
    if (inputs.text == NULL)
        control = run_control(db, generator, inputs.seed);
    open_run(&run, db);
    if (inputs.text != NULL) {
        judge(&run, inputs.text, strlen(inputs.text));
    } else {
        cases = inputs_cases(&inputs, judge, &run);
        corpora = inputs_corpora(&inputs, judge, &run);
        run_generated(&run, generator, inputs.seed, inputs.count);
    }
    print_counts(&run, cases, corpora);
    sqlite3_close(db);
    generate_close(generator);
    if (control == 0)
        printf("the control saw no miss: these checks are blind\n");
    return control == 0 || run.misses > 0 || run.false_refusals > 0;
}

/*
 * The host's lists, and the engines' own, against what SQLite says while it prepares (asked.h).
 *
 *   deny    a text that calls f is refused with deny_functions = f, one that reads t with deny_tables = t, one that
 *           names PRAGMA p, or reads pragma_p, with deny_pragmas = p
 *   own     what D1GUARD_STRICT_FUNCTIONS allows calls only functions of the engine's list, and all of these can be
 *           called; without allow_pragmas only PRAGMAs of the engine's list are allowed, with it its own too
 *   back    a text that does not name f, t or p so is not refused for it, but by a rule below
 *
 * The host's functions and the tables bear the names of hostile.h, keywords above all. The lists of lib/policy.def
 * are private: they say here what the engine's own functions and PRAGMAs are.
 *
 * Where the guard sees a name that SQLite does not ask for, something unknown is put in its place: if SQLite
 * complains of it, the name was looked up there; if it takes the text, it never looked; any other error says that the
 * guard is wrong.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asked.h"
#include "generate.h"
#include "hostile.h"
#include "inputs.h"
#include "scratch.h"
#include "shrink.h"
#include "words.h"

#include "../../lib/policy.def"
#include <d1guard.h>

enum { CONTROL_TEXTS = 2000, PRINTED_MAX = 12 };

/* --- rules: what SQLite and the guard see differently, and why that is right --- */

#define RULES(X) \
    X(NONE, "") \
    X(PTR, "-> and ->> are operators that call the function of that name") \
    X(CURRENT, "CURRENT_DATE, CURRENT_TIME and CURRENT_TIMESTAMP are keywords that call a function") \
    X(SCHEMA_TABLE, "sqlite_schema and its kin are sqlite_master by another name: a host denies both") \
    X(USING, "a FULL or RIGHT JOIN with USING or NATURAL calls coalesce()") \
    X(VIEW, "a view is made part of the query, and its table then named as if the query did") \
    X(ALIAS, "a FULL or RIGHT JOIN with USING names a subquery by its alias, as if it were a table") \
    X(INNER, "a virtual table prepares statements of its own when it is used first") \
    X(PRAGMA_FUNCTION, "strict: a function pragma_NAME of the host counts as the table of PRAGMA NAME") \
    X(OPERATOR_NAME, "a name like, glob, match or regexp without quotes where the operator could stand") \
    X(FRAME, "ROWS (, RANGE ( and GROUPS ( behind a column whose name is a keyword without quotes") \
    X(TABLE_FUNCTION, "a table with arguments is a function to the lists") \
    X(WITH_TABLE, "a WITH table that bears the name counts as the table") \
    X(WINDOW_LIST, "the second name of a WINDOW list counts as a table") \
    X(ACTION, "CASCADE, RESTRICT, NO and OF count as tables behind UPDATE") \
    X(WITH_WORD, "WITH behind FROM ( counts as a table") \
    X(HEAD, "in the head of a definition a name before a parenthesis counts as a function") \
    X(NO_COLUMN, "SQLite does not ask for every table of which it reads no column, or only those of USING") \
    X(VALUES, "SQLite 3.47 (D1) and 3.54, not 3.45, do not ask for functions from the second row of VALUES on") \
    X(DEFAULT, "SQLite 3.45 and older do not ask for functions in DEFAULT") \
    X(UNUSED_WITH, "dropped unseen: a WITH table that nothing reads") \
    X(UNUSED_WINDOW, "dropped unseen: a WINDOW that nothing names") \
    X(IN_NOTHING, "dropped unseen: x in x IN ()") \
    X(AND_FALSE, "dropped unseen: x in x AND 0 or ON 0 WHERE x") \
    X(NO_CONFLICT, "dropped unseen: DO UPDATE where no key can conflict") \
    X(ORDERED_NOTHING, "dropped unseen: ORDER BY in a call without arguments")

enum rule {
#define X(id, why) RULE_##id,
    RULES(X)
#undef X
    RULE_COUNT,
    RULE_MISSING = RULE_COUNT
};

/* Which texts were looked at, and what was found. */
struct run {
    struct asker *asker;
    struct words words;            /* of the text that is looked at */
    const struct asked *asked;     /* what SQLite asks for */
    struct d1guard_options allows; /* all that it does, but for the lists */
    struct text pragmas;           /* those of allows */
    struct text tried;
    int blind; /* control: deny only what comes first */
    int quiet;
    uint64_t texts, prepared, defined, checks, misses, false_refusals;
    uint64_t by_rule[RULE_COUNT];
};

/* --- what the guard says --- */

enum list {
    LIST_NONE,
    LIST_NONE_D1,
    LIST_FUNCTION,
    LIST_TABLE,
    LIST_PRAGMA,
    LIST_STRICT,
    LIST_STRICT_D1,
    LIST_OWN,
    LIST_OWN_D1
};

static const char *const lists[] = {"allow_pragmas", "allow_pragmas for D1", "deny_functions",
                                    "deny_tables",   "deny_pragmas",         "strict",
                                    "strict for D1", "own PRAGMAs",          "own PRAGMAs of D1"};

static int is_allowed(const struct run *run, enum list list, const char *name, struct d1guard_report *report)
{
    struct d1guard_options options = run->allows;
    struct d1guard_names *const deny = list == LIST_FUNCTION ? &options.deny_functions
                                       : list == LIST_TABLE  ? &options.deny_tables
                                       : list == LIST_PRAGMA ? &options.deny_pragmas
                                                             : NULL;

    if (deny != NULL && name != NULL) {
        deny->text = name;
        deny->len = strlen(name) + 1;
    }
    if (list == LIST_STRICT || list == LIST_STRICT_D1)
        options.flags = D1GUARD_STRICT_FUNCTIONS;
    if (list == LIST_NONE_D1 || list == LIST_STRICT_D1 || list == LIST_OWN_D1)
        options.engine = D1GUARD_ENGINE_D1;
    if (list == LIST_OWN || list == LIST_OWN_D1)
        options.allow_pragmas.len = options.allow_risks = 0;
    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    return d1guard_classify(run->words.sql, run->words.len, &options, report) == D1GUARD_ALLOW;
}

/* The PRAGMA whose table this is, or NULL. */
static const char *pragma_of(const char *table)
{
    return strncmp(table, "pragma_", 7) == 0 ? table + 7 : NULL;
}

/* Lets the guard allow what the text does. */
static void set_allowed(struct run *run)
{
    const struct names *const pragmas = &run->asked->pragmas;
    const struct names *const tables = &run->asked->touched;

    memset(&run->allows, 0, sizeof run->allows);
    run->allows.size = sizeof run->allows;
    run->allows.engine = D1GUARD_ENGINE_SQLITE;
    run->allows.allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE);
    if (run->asked->defines)
        run->allows.allow_risks |= D1GUARD_RISK_BIT(D1GUARD_RISK_SCHEMA);
    text_clear(&run->pragmas);
    for (size_t i = 0; i < pragmas->count; i++)
        text_add(&run->pragmas, pragmas->name[i], strlen(pragmas->name[i]) + 1);
    for (size_t i = 0; i < tables->count; i++) {
        if (pragma_of(tables->name[i]) != NULL)
            text_add(&run->pragmas, pragma_of(tables->name[i]), strlen(pragma_of(tables->name[i])) + 1);
    }
    run->allows.allow_pragmas.text = run->pragmas.bytes;
    run->allows.allow_pragmas.len = run->pragmas.len;
}

/* --- the engine's own lists --- */

static int is_own_function(const char *name, enum list list)
{
    static struct names own[2];

    if (own[0].count == 0) {
#define X(name) names_add(&own[0], #name, strlen(#name));
        D1G_FUNCTIONS_D1(X)
#undef X
        own[1] = own[0];
#define X(name) names_add(&own[1], #name, strlen(#name));
        D1G_FUNCTIONS_SQLITE(X)
#undef X
    }
    return names_have(&own[list == LIST_STRICT], name);
}

static int is_own_pragma(const char *name, int sets, enum list list)
{
    static const char *const rows[] = {
#define X(class, name) class #name,
        D1G_PRAGMAS(X)
#undef X
    };
    const char last = list == LIST_OWN_D1 ? 'A' : sets ? 'B' : 'D';

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i] + 1, name) == 0)
            return rows[i][0] <= last;
    }
    return 0;
}

/* --- deny and own --- */

static int is_spelled(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->words.count; i++) {
        if (words_spell(&run->words, i, name))
            return 1;
    }
    return 0;
}

/* Does only a virtual table use it: names the text one, and not this? */
static int is_inner(const struct run *run, const char *name)
{
    static const char *const virtual_tables[] = {"f3", "f4", "f5", "rt"};

    for (size_t i = 0; i < sizeof virtual_tables / sizeof *virtual_tables; i++) {
        if (is_spelled(run, virtual_tables[i]))
            return !is_spelled(run, name);
    }
    return 0;
}

/* Why a text that calls the function may be allowed although it is denied. */
static enum rule excuse_function(const struct run *run, const char *name)
{
    if (strcmp(name, "->") == 0 || strcmp(name, "->>") == 0)
        return RULE_PTR;
    if (strncmp(name, "current_", 8) == 0 && words_hold(&run->words, name))
        return RULE_CURRENT;
    if (strcmp(name, "coalesce") == 0 && (words_hold(&run->words, "USING") || words_hold(&run->words, "NATURAL")))
        return RULE_USING;
    if (is_inner(run, name))
        return RULE_INNER;
    return RULE_MISSING;
}

static int is_schema_table(const char *name)
{
    return strcmp(name, "sqlite_master") == 0 || strcmp(name, "sqlite_temp_master") == 0 ||
           strcmp(name, "sqlite_schema") == 0 || strcmp(name, "sqlite_temp_schema") == 0;
}

/* Is the name only that of an alias: does SQLite take the text when it is another one wherever it stands? */
static int is_alias(struct run *run, const char *name)
{
    text_clear(&run->tried);
    for (size_t i = 0; i < run->words.count; i++) {
        text_add_string(&run->tried, " ");
        if (words_spell(&run->words, i, name) && words_kind(&run->words, i - 1) != D1GUARD_TOKEN_DOT)
            text_add_string(&run->tried, "other_name");
        else
            text_add(&run->tried, run->words.sql + run->words.token[i].at, (size_t)run->words.token[i].len);
    }
    return asker_error(run->asker, run->tried.bytes, run->tried.len) == NULL;
}

static enum rule excuse_table(struct run *run, const char *name)
{
    if (is_schema_table(name) && !is_spelled(run, name))
        return RULE_SCHEMA_TABLE;
    if (names_have(&run->asked->by_views, name) && !names_have(&run->asked->columns, name))
        return RULE_VIEW;
    if (words_hold(&run->words, "USING") && is_alias(run, name))
        return RULE_ALIAS;
    if (is_inner(run, name))
        return RULE_INNER;
    return RULE_MISSING;
}

/* What is wrong about this text; RULE_MISSING when no rule excuses it. */
struct finding {
    enum rule rule;
    enum list list;
    int is_miss; /* or a false refusal */
    char name[NAME_MAX_BYTES];
};

static void found(struct run *run, struct finding *worst, enum rule rule, enum list list, int is_miss,
                  const char *name)
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
    snprintf(worst->name, sizeof worst->name, "%s", name);
}

static void check_denied(struct run *run, const struct names *names, enum list list, struct finding *worst)
{
    struct d1guard_report report;

    for (size_t i = 0; i < names->count; i++) {
        const char *const name = names->name[i];

        run->checks++;
        if (is_allowed(run, list, names->name[run->blind ? 0 : i], &report))
            found(run, worst,
                  list == LIST_FUNCTION ? excuse_function(run, name)
                  : list == LIST_TABLE  ? excuse_table(run, name)
                  : is_inner(run, name) ? RULE_INNER
                                        : RULE_MISSING,
                  list, 1, name);
    }
}

static void check_denied_pragma_tables(struct run *run, struct finding *worst)
{
    static struct names pragmas;

    pragmas.count = 0;
    for (size_t i = 0; i < run->asked->read.count; i++) {
        const char *const table = run->asked->read.name[i];

        if (pragma_of(table) != NULL && excuse_table(run, table) == RULE_MISSING)
            names_add(&pragmas, pragma_of(table), strlen(pragma_of(table)));
    }
    check_denied(run, &pragmas, LIST_PRAGMA, worst);
}

static void check_strict(struct run *run, enum list list, struct finding *worst)
{
    struct d1guard_report report;

    run->checks++;
    if (!is_allowed(run, list, NULL, &report))
        return;
    for (size_t i = 0; i < run->asked->called.count; i++) {
        const char *const name = run->asked->called.name[i];

        if (!is_own_function(name, list))
            found(run, worst, pragma_of(name) != NULL ? RULE_PRAGMA_FUNCTION : excuse_function(run, name), list, 1,
                  name);
    }
}

static void check_own_pragmas(struct run *run, enum list list, struct finding *worst)
{
    struct d1guard_report report;

    run->checks++;
    if (!is_allowed(run, list, NULL, &report))
        return;
    for (size_t i = 0; i < run->asked->pragmas.count; i++) {
        const char *const name = run->asked->pragmas.name[i];

        if (!is_own_pragma(name, names_have(&run->asked->set, name), list))
            found(run, worst, is_inner(run, name) ? RULE_INNER : RULE_MISSING, list, 1, name);
    }
    for (size_t i = 0; i < run->asked->read.count; i++) {
        const char *const pragma = pragma_of(run->asked->read.name[i]);

        if (pragma != NULL && !is_own_pragma(pragma, 0, list))
            found(run, worst, RULE_MISSING, list, 1, run->asked->read.name[i]);
    }
}

/* --- and back --- */

/* clang-format off */
static const char *const reserved[] = {
    "ALL", "AND", "AS", "BETWEEN", "CASE", "COLLATE", "DISTINCT", "ELSE", "ESCAPE", "EXISTS", "FROM", "GROUP",
    "HAVING", "IN", "INTO", "IS", "JOIN", "LIMIT", "ON", "OR", "ORDER", "RETURNING", "SELECT", "SET", "THEN",
    "UPDATE", "VALUES", "WHEN", "WHERE", NULL};
/* clang-format on */
static const char *const operators[] = {"LIKE", "GLOB", "MATCH", "REGEXP", NULL};
static const char *const frames[] = {"ROWS", "RANGE", "GROUPS", NULL};

/* Does the name at i end a type or an alias: AS and names before it? */
static int ends_type(const struct run *run, size_t i)
{
    while (i > 0 && words_is_name(&run->words, i - 1) && !words_is_one_of(&run->words, i - 1, reserved))
        i--;
    return i > 0 && words_is(&run->words, i - 1, "AS");
}

/* Can an operand end before i, or is it NOT? ORDER BY and GROUP BY are sure not to be names. */
static int is_behind_operand(const struct run *run, size_t i)
{
    static const char *const pairs[] = {"ORDER", "GROUP", "PARTITION", NULL};
    const uint32_t kind = words_kind(&run->words, i - 1);

    if (ends_type(run, i))
        return 0;
    if (words_is(&run->words, i - 1, "BY") && i >= 2 && words_is_one_of(&run->words, i - 2, pairs))
        return 0;
    return !words_is_one_of(&run->words, i - 1, reserved) &&
           (kind == D1GUARD_TOKEN_RP || (kind >= D1GUARD_TOKEN_WORD && kind <= D1GUARD_TOKEN_VARIABLE));
}

/* Where the name at i starts, a schema and its dot included. */
static size_t start_of_name(const struct run *run, size_t i)
{
    return i >= 2 && words_kind(&run->words, i - 1) == D1GUARD_TOKEN_DOT ? i - 2 : i;
}

/* The token behind a call: its parentheses, FILTER (...), OVER (...) or OVER name. */
static size_t end_of_call(const struct run *run, size_t i)
{
    i = words_closing(&run->words, i + 1) + 1;
    if (words_is(&run->words, i, "FILTER") && words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP)
        i = words_closing(&run->words, i + 1) + 1;
    if (words_is(&run->words, i, "OVER") && words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP)
        i = words_closing(&run->words, i + 1) + 1;
    else if (words_is(&run->words, i, "OVER") && words_is_name(&run->words, i + 1) &&
             !words_is_one_of(&run->words, i + 1, reserved))
        i += 2; /* else an alias */
    return i;
}

/* What SQLite does where something unknown stands in place of the tokens [from, to). */
enum look { LOOK_OTHER_ERROR, LOOK_UP, LOOK_DROPS };

static enum look look(struct run *run, size_t from, size_t to, const char *unknown)
{
    const char *error;

    words_replace(&run->words, from, to, unknown, &run->tried);
    error = asker_error(run->asker, run->tried.bytes, run->tried.len);
    if (error == NULL)
        return LOOK_DROPS;
    /* A query lacks the columns of USING. */
    return strncmp(error, "no such table", 13) == 0 || strstr(error, "cannot join using column") != NULL ||
                   strstr(error, "no such function: no_such_function") != NULL ||
                   strstr(error, "unknown function: no_such_function") != NULL
               ? LOOK_UP
               : LOOK_OTHER_ERROR;
}

/* The same for the table at i. Where any name will do a query must do as well. */
static enum look look_at_table(struct run *run, size_t i)
{
    const size_t start = start_of_name(run, i);
    const size_t end =
        words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP ? words_closing(&run->words, i + 1) + 1 : i + 1;
    const enum look seen = look(run, start, i + 1, "no_such_table");

    /* Behind a parenthesis OVER is no alias without AS. */
    return seen != LOOK_DROPS                   ? seen
           : words_is(&run->words, end, "OVER") ? look(run, start, end, "(SELECT no_such_function(1)) AS")
                                                : look(run, start, end, "(SELECT no_such_function(1))");
}

/* Why SQLite never looks at what stands at i. */
static enum rule excuse_dropped(const struct run *run, size_t i)
{
    static const char *const queries[] = {"SELECT", "VALUES", "WITH", NULL};
    static const char *const hints[] = {"AS", "MATERIALIZED", NULL};

    for (size_t open = words_around(&run->words, i); open < run->words.count;
         open = words_around(&run->words, open)) {
        if (words_is_one_of(&run->words, open - 1, hints))
            return words_is_one_of(&run->words, open + 1, queries) ? RULE_UNUSED_WITH : RULE_UNUSED_WINDOW;
        if (words_is_name(&run->words, open - 1) && words_is(&run->words, open + 1, "ORDER"))
            return RULE_ORDERED_NOTHING;
    }
    for (size_t k = 0; k < run->words.count; k++) {
        if (k >= i && words_is(&run->words, k, "IN") && words_kind(&run->words, k + 1) == D1GUARD_TOKEN_LP &&
            words_kind(&run->words, k + 2) == D1GUARD_TOKEN_RP)
            return RULE_IN_NOTHING;
        if (k < i && words_is(&run->words, k, "DO") && words_is(&run->words, k + 1, "UPDATE"))
            return RULE_NO_CONFLICT;
    }
    return words_hold(&run->words, "AND") || words_hold(&run->words, "ON") ? RULE_AND_FALSE : RULE_MISSING;
}

/* Does token i stand in the head of a definition: not behind AS or ON, nor inside two parentheses? */
static int is_in_head(const struct run *run, size_t i)
{
    static const char *const ends[] = {"AS", "ON", NULL};
    size_t at = i;
    int depth = 0;

    while (at > 0 && !words_is(&run->words, at, "CREATE"))
        at--;
    for (; at < i; at++) {
        depth += words_kind(&run->words, at) == D1GUARD_TOKEN_LP;
        depth -= words_kind(&run->words, at) == D1GUARD_TOKEN_RP;
        if (depth == 0 && words_is_one_of(&run->words, at, ends))
            return 0;
    }
    return run->asked->defines && depth < 2;
}

/* Why a text may be refused for a function that it does not call, its name being token i. */
static enum rule excuse_refused_function(struct run *run, size_t i, enum list list)
{
    enum look seen = LOOK_OTHER_ERROR;

    if (words_is_one_of(&run->words, i, operators) && i > 0)
        seen = look(run, words_is(&run->words, i - 1, "NOT") ? i - 1 : i, i + 1, "+ no_such_function(1) LIKE");
    if (seen == LOOK_OTHER_ERROR && words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP)
        seen = look(run, i, end_of_call(run, i), "1 + no_such_function(1)");
    if (seen == LOOK_DROPS)
        return excuse_dropped(run, i);
    if (seen == LOOK_UP && words_hold(&run->words, "VALUES"))
        return RULE_VALUES;
    if (seen == LOOK_UP && run->asked->defines && words_hold(&run->words, "DEFAULT"))
        return RULE_DEFAULT;
    if (words_is_one_of(&run->words, i, operators) && is_behind_operand(run, i))
        return RULE_OPERATOR_NAME;
    if (words_is_one_of(&run->words, i, frames) && words_kind(&run->words, i - 1) == D1GUARD_TOKEN_WORD)
        return RULE_FRAME;
    /* Not a table with its columns, as behind INTO: where this one stands a query can. */
    if (words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP &&
        look(run, start_of_name(run, i), words_closing(&run->words, i + 1) + 1, "(SELECT no_such_function(1))") !=
            LOOK_OTHER_ERROR)
        return RULE_TABLE_FUNCTION;
    if (list == LIST_FUNCTION && words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP && is_in_head(run, i))
        return RULE_HEAD;
    return RULE_MISSING;
}

/* Is the name one of a WITH list? */
static int is_declared(const struct run *run, const char *name)
{
    static struct names declared;

    declared.count = 0;
    for (size_t i = 1; i + 1 < run->words.count; i++) {
        const size_t as =
            words_kind(&run->words, i + 1) == D1GUARD_TOKEN_LP ? words_closing(&run->words, i + 1) + 1 : i + 1;
        const char *spelled = NULL;
        const size_t len = words_name(&run->words, i, &spelled);

        if (words_is(&run->words, as, "AS"))
            names_add(&declared, spelled, len);
    }
    return words_hold(&run->words, "WITH") && names_have(&declared, name);
}

/* The same for a table that it does not read. */
static enum rule excuse_refused_table(struct run *run, size_t i, const char *name)
{
    const enum look seen = look_at_table(run, i);

    if (seen == LOOK_OTHER_ERROR && run->asked->defines && words_is(&run->words, i - 1, "UPDATE"))
        return RULE_ACTION;
    if (seen == LOOK_OTHER_ERROR && words_hold(&run->words, "WINDOW") && words_is(&run->words, i + 1, "AS") &&
        words_kind(&run->words, i + 2) == D1GUARD_TOKEN_LP)
        return RULE_WINDOW_LIST;
    if (words_is(&run->words, i, "WITH") && words_kind(&run->words, i - 1) == D1GUARD_TOKEN_LP)
        return RULE_WITH_WORD;
    if (seen == LOOK_OTHER_ERROR)
        return RULE_MISSING;
    if (is_schema_table(name))
        return RULE_SCHEMA_TABLE;
    if (is_declared(run, name))
        return RULE_WITH_TABLE;
    return seen == LOOK_DROPS ? excuse_dropped(run, i) : RULE_NO_COLUMN;
}

/* What SQLite does not ask for under this name must not be refused for it. */
static void check_back_name(struct run *run, const char *name, struct finding *worst)
{
    const struct asked *const asked = run->asked;
    const char *const pragma = pragma_of(name) != NULL ? pragma_of(name) : name;
    char table[NAME_MAX_BYTES + 7];
    struct d1guard_report report;

    snprintf(table, sizeof table, "pragma_%s", pragma);
    run->checks += 3;
    if (!names_have(&asked->anywhere, name) && !is_allowed(run, LIST_FUNCTION, name, &report))
        found(run, worst, excuse_refused_function(run, words_find(&run->words, report.at), LIST_FUNCTION),
              LIST_FUNCTION, 0, name);
    if (!names_have(&asked->touched, name) && !is_allowed(run, LIST_TABLE, name, &report))
        found(run, worst, excuse_refused_table(run, words_find(&run->words, report.at), name), LIST_TABLE, 0, name);
    if (!names_have(&asked->pragmas, pragma) && !names_have(&asked->touched, table) &&
        !is_allowed(run, LIST_PRAGMA, pragma, &report))
        found(run, worst, excuse_refused_table(run, words_find(&run->words, report.at), table), LIST_PRAGMA, 0,
              pragma);
}

static void check_back_strict(struct run *run, enum list list, struct finding *worst)
{
    static struct names one;
    struct d1guard_report report;
    const char *name = NULL;
    size_t i, len;

    run->checks++;
    if (is_allowed(run, list, NULL, &report) || report.reason != D1GUARD_REASON_UNLISTED_FUNCTION)
        return;
    i = words_find(&run->words, report.at);
    one.count = 0;
    len = words_name(&run->words, i, &name);
    names_add(&one, name, len);
    if (one.count == 1 && !names_have(&run->asked->anywhere, one.name[0]))
        found(run, worst, excuse_refused_function(run, i, list), list, 0, one.name[0]);
}

static void check_back(struct run *run, struct finding *worst)
{
    static struct names names;

    names.count = 0;
    for (size_t i = 0; i < run->words.count && names.count < NAMES_MAX; i++) {
        const char *name = NULL;
        const size_t name_len = words_name(&run->words, i, &name);

        names_add(&names, name, name_len);
    }
    for (size_t i = 0; i < names.count; i++)
        check_back_name(run, names.name[i], worst);
    check_back_strict(run, LIST_STRICT, worst);
    check_back_strict(run, LIST_STRICT_D1, worst);
}

/* --- texts --- */

/* 0 if SQLite does not take the text, or the text holds a byte order mark, which older versions read as a name. */
static int read_text(struct run *run, const char *sql, size_t len)
{
    if (sqlite3_libversion_number() < 3036000 && strstr(sql, "\xef\xbb\xbf") != NULL)
        return 0;
    words_read(&run->words, sql, len);
    run->asked = asker_ask(run->asker, sql, len);
    if (run->asked != NULL)
        set_allowed(run);
    return run->asked != NULL;
}

/* Does token i spell one of the names? */
static int is_among(const struct run *run, size_t i, const struct names *names)
{
    for (size_t k = 0; k < names->count; k++) {
        if (words_spell(&run->words, i, names->name[k]))
            return 1;
    }
    return 0;
}

/* Whether the text is allowed; its PRAGMAs have to be, since allow_pragmas holds them. */
static int check_allowed(struct run *run, enum list list, struct finding *worst)
{
    struct d1guard_report report;
    size_t i;

    run->checks++;
    if (is_allowed(run, list, NULL, &report))
        return 1;
    i = words_find(&run->words, report.at);
    if (report.reason == D1GUARD_REASON_PRAGMA_VALUE)
        found(run, worst, RULE_MISSING, list, 0, "");
    if (report.reason == D1GUARD_REASON_PRAGMA_NOT_LISTED && !words_spell(&run->words, i, "")) /* PRAGMA "" */
        found(run, worst,
              is_among(run, i, &run->asked->pragmas) || is_among(run, i, &run->asked->touched)
                  ? RULE_MISSING
                  : excuse_refused_table(run, i, ""),
              list, 0, "");
    return 0;
}

/* 0 if the text is none to judge. */
static int check(struct run *run, const char *sql, size_t len, struct finding *worst)
{
    worst->rule = RULE_NONE;
    if (!read_text(run, sql, len))
        return 0;
    if (!check_allowed(run, LIST_NONE, worst) || !check_allowed(run, LIST_NONE_D1, worst))
        return worst->rule == RULE_MISSING;
    run->defined += run->asked->defines != 0;
    check_denied(run, &run->asked->called, LIST_FUNCTION, worst);
    check_denied(run, &run->asked->read, LIST_TABLE, worst);
    check_denied(run, &run->asked->pragmas, LIST_PRAGMA, worst);
    check_denied_pragma_tables(run, worst);
    check_strict(run, LIST_STRICT, worst);
    check_strict(run, LIST_STRICT_D1, worst);
    check_own_pragmas(run, LIST_OWN, worst);
    check_own_pragmas(run, LIST_OWN_D1, worst);
    if (!run->blind)
        check_back(run, worst);
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

static void print_finding(const struct run *run, const struct finding *finding, const char *sql, size_t len)
{
    static struct shrinking shrinking;
    struct text text = {0};

    shrinking.run = *run;
    memset(&shrinking.run.pragmas, 0, sizeof shrinking.run.pragmas);
    memset(&shrinking.run.tried, 0, sizeof shrinking.run.tried);
    shrinking.wanted = *finding;
    text_set(&text, sql, len);
    shrink(&text, shows_finding, &shrinking);
    printf("%s: %s, %s\n  least: ", finding->is_miss ? "MISS" : "FALSE REFUSAL", lists[finding->list], finding->name);
    text_print(stdout, text.bytes, text.len);
    printf("\n");
    text_free(&text);
    text_free(&shrinking.run.pragmas);
    text_free(&shrinking.run.tried);
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

/* Most of the texts are hostile. */
static void make(struct generator *generator, uint64_t seed, uint64_t i, struct text *out)
{
    if (i % 4 == 0)
        generate_text(generator, i % 8 == 0 ? GENERATE_READ : GENERATE_ANYTHING, generate_seed(seed, i), out);
    else
        hostile_text(generate_seed(seed, i), out);
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

/* Tables and functions of every hostile name; each third function is an aggregate and a window function. */
static void add_hosts(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC; /* an index takes no others */
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
        if ((i % 3 == 0 ? sqlite3_create_window_function(db, name, -1, flags, NULL, call_host, end_host, end_host,
                                                         call_host, NULL)
                        : sqlite3_create_function(db, name, -1, flags, NULL, call_host, NULL, NULL)) != SQLITE_OK)
            fprintf(stderr, "lists: no function %s\n", name);
    }
    text_free(&columns);
    run_sql(db, "CREATE VIEW v1 AS SELECT n1(\"key\".\"key\") AS a, n2.* FROM \"key\", n2");
}

static int add_row(void *context, int count, char **values, char **columns)
{
    (void)columns;
    if (count > 0 && values[0] != NULL)
        names_add(context, values[0], strlen(values[0]));
    return 0;
}

/* Under the strict list each of the engine's own functions may be called, and no other that this SQLite has. */
static void check_functions(struct run *run, sqlite3 *db)
{
    static const char *const calls[] = {"SELECT %s(1)", "SELECT \"%w\"(a), [%s] (a) FROM t",
                                        "SELECT 1 FROM t WHERE NOT %s\n(a) IS NULL AND a",
                                        "SELECT t.a, -%s(t.a) OVER (ORDER BY a) FROM t"};
    static struct names names;
    struct d1guard_report report;

#define X(name) names_add(&names, #name, strlen(#name));
    D1G_FUNCTIONS_D1(X)
    D1G_FUNCTIONS_SQLITE(X)
#undef X
    sqlite3_exec(db, "SELECT name FROM pragma_function_list WHERE name NOT LIKE '-%'", add_row, &names, NULL);
    read_text(run, "SELECT 1", 8);
    for (size_t i = 0; i < names.count; i++) {
        for (size_t k = 0; k < 2 * sizeof calls / sizeof *calls; k++) {
            const enum list list = k % 2 == 0 ? LIST_STRICT : LIST_STRICT_D1;
            const int is_own = is_own_function(names.name[i], list);
            char *const sql = sqlite3_mprintf(calls[k / 2], names.name[i], names.name[i]);

            run->checks++;
            words_read(&run->words, sql, strlen(sql));
            if (is_allowed(run, list, NULL, &report) != is_own) {
                printf("%s: %s, %s\n", is_own ? "FALSE REFUSAL" : "MISS", lists[list], sql);
                *(is_own ? &run->false_refusals : &run->misses) += 1;
            }
            sqlite3_free(sql);
        }
    }
}

/* Lists that hold only the first name must be seen to miss. */
static uint64_t run_control(struct asker *asker, struct generator *generator, uint64_t seed)
{
    static struct run run;

    run.asker = asker;
    run.blind = 1;
    run.quiet = 1;
    inputs_generated(generator, make, seed, CONTROL_TEXTS, judge, &run);
    printf("control (only the first name is denied): %lu texts, %lu misses seen\n", (unsigned long)run.texts,
           (unsigned long)run.misses);
    return run.misses;
}

static void print_counts(const struct run *run, const struct inputs *inputs)
{
    static const char *const why[] = {
#define X(id, why) why,
        RULES(X)
#undef X
    };

    printf("SQLite %s: %lu texts (%lu cases, %lu corpus texts, the rest generated), %lu allowed and prepared, %lu of "
           "them "
           "definitions, %lu checks, %lu misses, %lu false refusals\n",
           sqlite3_libversion(), (unsigned long)run->texts, (unsigned long)inputs->cases_taken,
           (unsigned long)inputs->corpora_taken, (unsigned long)run->prepared, (unsigned long)run->defined,
           (unsigned long)run->checks, (unsigned long)run->misses, (unsigned long)run->false_refusals);
    for (int rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
        printf("  %lu: %s\n", (unsigned long)run->by_rule[rule], why[rule]);
}

int main(int argc, char **argv)
{
    static struct run run;
    struct inputs inputs;
    struct generator *generator;
    sqlite3 *const db = scratch_memory();
    uint64_t control = 1;
    int broken;

    inputs_read(&inputs, argc, argv, 20000);
    add_hosts(db);
    run.asker = asker_open(db);
    generator = inputs_generator(&inputs);
    check_functions(&run, db);
    if (inputs.text == NULL)
        control = run_control(run.asker, generator, inputs.seed);
    inputs_all(&inputs, generator, make, judge, &run);
    print_counts(&run, &inputs);
    broken = asker_error(run.asker, "SELECT * FROM t, n1, v1", 23) != NULL;
    asker_close(run.asker);
    sqlite3_close(db);
    text_free(&run.pragmas);
    text_free(&run.tried);
    generate_close(generator);
    if (control == 0)
        printf("the control saw no miss: these checks are blind\n");
    if (broken)
        printf("a text left the database broken\n");
    return control == 0 || broken || run.misses > 0 || run.false_refusals > 0;
}

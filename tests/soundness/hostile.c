/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hostile.h"

#include <ctype.h>

/* clang-format off */
const char *const hostile_names[] = {
    "select", "from", "where", "join", "in", "into", "update", "group", "order", "limit", "set", "returning",
    /* All that SQLite's parser takes for a name where the keyword does not fit. */
    "abort", "action", "after", "always", "analyze", "asc", "attach", "before", "begin", "by", "cascade", "cast",
    "column", "conflict", "current", "current_date", "database", "deferred", "desc", "detach", "do", "each", "end",
    "exclude", "exclusive", "explain", "fail", "filter", "first", "following", "for", "generated", "glob", "groups",
    "if", "ignore", "immediate", "indexed", "initially", "instead", "key", "last", "like", "match", "materialized",
    "no", "nulls", "of", "offset", "others", "over", "partition", "plan", "pragma", "preceding", "query", "raise",
    "range", "recursive", "regexp", "reindex", "release", "rename", "replace", "restrict", "rollback", "row", "rows",
    "savepoint", "temp", "temporary", "ties", "trigger", "unbounded", "vacuum", "view", "virtual", "window", "with",
    "within", "without", "cross", "full", "inner", "left", "natural", "outer", "right", "pragma_user_version",
    "n1", "n2", "n3", "n4", "n5", "true", "main"
};
/* clang-format on */
const size_t hostile_name_count = sizeof hostile_names / sizeof *hostile_names;

enum { DEEP = 4, SOURCES = 4 };

struct writer {
    uint64_t random;
    struct text *out;
    const char *source[SOURCES]; /* what the FROM list of the innermost query can be called */
    uint32_t sources;
    const char *with[SOURCES];
    uint32_t withs;
    const char *window; /* one that is defined here, or NULL */
    uint32_t focus;     /* a name that comes often in this text */
    uint32_t odd;       /* of 100 blanks */
    unsigned depth;
};

static uint32_t any(struct writer *w, uint32_t below)
{
    w->random ^= w->random << 13;
    w->random ^= w->random >> 7;
    w->random ^= w->random << 17;
    return (uint32_t)((w->random >> 16) % below);
}

static void blank(struct writer *w)
{
    static const char *const blanks[] = {"  ", "\n", "/**/", " /* ( */ ", "-- (\n", "/*'*/", "\t", "-- AS\n"};

    text_add_string(w->out, any(w, 100) < w->odd ? blanks[any(w, 8)] : " ");
}

/* Words, separated by blanks. */
static void put(struct writer *w, const char *words)
{
    while (*words != '\0') {
        const size_t n = strcspn(words, " ");

        blank(w);
        text_add(w->out, words, n);
        words += n + (words[n] == ' ');
    }
}

static uint32_t pick(struct writer *w)
{
    if (any(w, 3) == 0)
        return w->focus;
    return HOSTILE_RESERVED + any(w, (uint32_t)hostile_name_count - HOSTILE_RESERVED);
}

static const char *any_name(struct writer *w)
{
    return hostile_names[pick(w)];
}

static int is_reserved(const char *name)
{
    for (size_t i = 0; i < HOSTILE_RESERVED; i++) {
        if (strcmp(hostile_names[i], name) == 0)
            return 1;
    }
    return 0;
}

/* quotes: 3, or 4 where a string is a name too. */
static void dress(struct writer *w, const char *name, uint32_t quotes)
{
    static const char pairs[][3] = {"\"\"", "[]", "``", "''"};
    const uint32_t upper = any(w, 4);
    const char *pair = is_reserved(name) || any(w, 4) == 0 ? pairs[any(w, quotes)] : NULL;

    if (any(w, 12) > 0)
        blank(w);
    else if (w->out->len > 0 && (isalnum((unsigned char)w->out->bytes[w->out->len - 1]) || pair == NULL ||
                                 strchr("\"]`'", w->out->bytes[w->out->len - 1]) != NULL))
        blank(w);
    if (pair != NULL)
        text_add(w->out, pair, 1);
    for (; *name != '\0'; name++) {
        const char c = upper == 0 ? (char)toupper((unsigned char)*name) : *name;

        text_add(w->out, &c, 1);
    }
    if (pair != NULL)
        text_add(w->out, pair + 1, 1);
}

static void name(struct writer *w, const char *text)
{
    dress(w, text, 3);
}

static void name_or_string(struct writer *w, const char *text)
{
    dress(w, text, 4);
}

static void open(struct writer *w)
{
    if (any(w, 3) == 0)
        blank(w);
    text_add_string(w->out, "(");
}

static void write_query(struct writer *w, int one_column);

static void write_expr(struct writer *w);

static void column(struct writer *w)
{
    if (w->sources == 0) {
        put(w, "1");
        return;
    }
    if (w->sources > 1 || any(w, 3) == 0) {
        name(w, w->source[any(w, w->sources)]);
        put(w, ".");
        name_or_string(w, any_name(w));
    } else {
        name(w, any_name(w));
    }
}

static void terms(struct writer *w)
{
    write_expr(w);
    if (any(w, 3) == 0) {
        put(w, ",");
        write_expr(w);
    }
}

static void order_terms(struct writer *w)
{
    static const char *const ends[] = {"", "DESC", "ASC", "NULLS LAST", "COLLATE nocase", "DESC NULLS FIRST"};

    write_expr(w);
    put(w, ends[any(w, 6)]);
    if (any(w, 3) == 0) {
        put(w, ",");
        write_expr(w);
        put(w, ends[any(w, 6)]);
    }
}

static void frame(struct writer *w)
{
    static const char *const frames[] = {"ROWS ( 1 ) PRECEDING",
                                         "ROWS BETWEEN 1 PRECEDING AND CURRENT ROW",
                                         "RANGE UNBOUNDED PRECEDING",
                                         "GROUPS BETWEEN ( 1 ) PRECEDING AND ( 2 ) FOLLOWING EXCLUDE TIES",
                                         "ROWS 2 PRECEDING EXCLUDE NO OTHERS",
                                         ""};

    put(w, frames[any(w, 6)]);
}

/* What stands in the parentheses of a window. */
static void window_body(struct writer *w)
{
    open(w);
    if (w->window != NULL && any(w, 3) == 0) {
        name(w, w->window);
    } else {
        if (any(w, 2) == 0) {
            put(w, "PARTITION BY");
            terms(w);
        }
        if (any(w, 2) == 0) {
            put(w, "ORDER BY");
            order_terms(w);
        }
        frame(w);
    }
    put(w, ")");
}

static void call(struct writer *w, const char *function)
{
    name(w, function);
    open(w);
    switch (any(w, 8)) {
    case 0:
        break;
    case 1:
        put(w, "*");
        break;
    case 2:
        put(w, "DISTINCT");
        write_expr(w);
        break;
    default:
        terms(w);
    }
    put(w, ")");
    if (any(w, 6) == 0) {
        put(w, "FILTER");
        open(w);
        put(w, "WHERE");
        write_expr(w);
        put(w, ")");
    }
    if (any(w, 3) == 0) {
        put(w, "OVER");
        if (w->window != NULL && any(w, 2) == 0)
            name(w, w->window);
        else
            window_body(w);
    }
}

static void type(struct writer *w)
{
    for (uint32_t n = 1 + any(w, 3); n > 0; n--)
        name_or_string(w, any_name(w));
    if (any(w, 2) == 0) {
        open(w);
        put(w, any(w, 2) == 0 ? "10 )" : "10 , 2 )");
    }
}

static void table(struct writer *w)
{
    static const char *const functions[] = {
        "json_each ( '[1]' )", "pragma_table_info ( 't' )",     "sqlite_schema",           "sqlite_master",
        "json_tree ( '[1]' )", "pragma_page_count",             "main . pragma_page_size", "v",
        "f5",                  "[Pragma_Table_List] ( 'v' )", "\"pragma_cache_size\""};

    if (w->withs > 0 && any(w, 2) == 0) {
        name_or_string(w, w->with[any(w, w->withs)]);
        return;
    }
    if (any(w, 12) == 0) {
        put(w, functions[any(w, 11)]);
        return;
    }
    if (any(w, 4) == 0)
        put(w, any(w, 2) == 0 ? "main ." : "'main' .");
    name_or_string(w, any_name(w));
}

static void subquery(struct writer *w)
{
    const struct writer outer = *w;

    put(w, "(");
    write_query(w, 1);
    put(w, ")");
    w->sources = outer.sources;
    memcpy(w->source, outer.source, sizeof outer.source);
    memcpy(w->with, outer.with, sizeof outer.with);
    w->withs = outer.withs;
    w->window = outer.window;
}

static void operation(struct writer *w)
{
    static const char *const operators[] = {"LIKE",
                                            "GLOB",
                                            "MATCH",
                                            "REGEXP",
                                            "NOT LIKE",
                                            "NOT REGEXP",
                                            "NOT GLOB",
                                            "NOT MATCH",
                                            "REGEXP",
                                            "+",
                                            "||",
                                            "=",
                                            "<>",
                                            "AND",
                                            "OR",
                                            "IS",
                                            "IS NOT",
                                            "IS DISTINCT FROM",
                                            "IS NOT DISTINCT FROM",
                                            "->",
                                            "->>"};
    const uint32_t operator= any(w, 21);

    write_expr(w);
    put(w, operators[operator]);
    write_expr(w);
    if (operator<8 && any(w, 6) == 0) { /* those that may have an ESCAPE */
        put(w, "ESCAPE");
        write_expr(w);
    }
}

static void in(struct writer *w)
{
    write_expr(w);
    put(w, any(w, 3) == 0 ? "NOT IN" : "IN");
    switch (any(w, 4)) {
    case 0:
        subquery(w);
        break;
    case 1:
        open(w);
        write_expr(w);
        put(w, ",");
        write_expr(w);
        put(w, ")");
        break;
    case 2:
        put(w, "one");
        break;
    default:
        put(w, any(w, 2) == 0 ? "main . one" : "pragma_freelist_count");
    }
}

static void write_expr(struct writer *w)
{
    if (++w->depth > DEEP || any(w, 3) == 0) {
        if (any(w, 6) == 0)
            put(w, any(w, 2) == 0 ? "'x'" : "0");
        else
            column(w);
        w->depth--;
        return;
    }
    switch (any(w, 14)) {
    case 0:
    case 1:
    case 2:
    case 3:
        call(w, any_name(w));
        break;
    case 4:
    case 5:
    case 6:
        operation(w);
        break;
    case 7:
        put(w, "CAST (");
        write_expr(w);
        put(w, "AS");
        type(w);
        put(w, ")");
        break;
    case 8:
        put(w, any(w, 3) > 0 ? "NOT" : "-");
        if (any(w, 3) == 0)
            call(w, "materialized"); /* as in AS NOT MATERIALIZED (SELECT 1) */
        else
            write_expr(w);
        break;
    case 9:
        write_expr(w);
        put(w, any(w, 3) == 0 ? "ISNULL" : any(w, 2) == 0 ? "NOTNULL" : "COLLATE nocase");
        break;
    case 10:
        put(w, "CASE");
        if (any(w, 2) == 0)
            write_expr(w);
        put(w, "WHEN");
        write_expr(w);
        put(w, "THEN");
        write_expr(w);
        put(w, "END");
        break;
    case 11:
        in(w);
        break;
    case 12:
        put(w, any(w, 3) == 0 ? "EXISTS" : "");
        subquery(w);
        break;
    default:
        put(w, "(");
        write_expr(w);
        put(w, ")");
    }
    w->depth--;
}

/* One item of a FROM list, and what its columns are called by. */
static void item(struct writer *w)
{
    const char *alias = any_name(w);

    if (w->depth < DEEP && any(w, 6) == 0) {
        const uint32_t sources = w->sources;

        w->depth += 2;
        w->sources = 0;
        subquery(w);
        w->sources = sources;
        w->depth -= 2;
    } else {
        table(w);
    }
    put(w, any(w, 5) == 0 ? "" : "AS");
    name_or_string(w, alias);
    if (w->sources < SOURCES)
        w->source[w->sources++] = alias;
    if (any(w, 20) == 0)
        put(w, "NOT INDEXED");
}

static void from(struct writer *w)
{
    static const char *const joins[] = {
        ",",        ",", "JOIN", "LEFT JOIN", "CROSS JOIN", "LEFT OUTER JOIN", "INNER JOIN", "NATURAL JOIN",
        "FULL JOIN"};
    const uint32_t count = any(w, 2) == 0 ? 1 : 1 + any(w, 3);
    const int parenthesised = any(w, 8) == 0;

    w->sources = 0;
    put(w, "FROM");
    if (parenthesised)
        put(w, "(");
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            put(w, joins[any(w, 9)]);
        item(w);
        if (i > 0 && any(w, 3) == 0) {
            put(w, "USING");
            open(w);
            name_or_string(w, any_name(w));
            if (any(w, 2) == 0) {
                put(w, ",");
                name_or_string(w, any_name(w));
            }
            put(w, ")");
        } else if (i > 0 && any(w, 3) == 0) {
            put(w, "ON");
            if (any(w, 4) == 0)
                call(w, "conflict"); /* as in ON CONFLICT (a) DO NOTHING */
            else
                write_expr(w);
        }
    }
    if (parenthesised)
        put(w, ")");
}

static void with(struct writer *w)
{
    static const char *const hints[] = {"AS", "AS", "AS MATERIALIZED", "AS NOT MATERIALIZED"};
    const char *const own = any_name(w);
    const int lists = any(w, 3) == 0;

    put(w, any(w, 4) == 0 ? "WITH RECURSIVE" : "WITH");
    name_or_string(w, own);
    if (lists) {
        open(w);
        name_or_string(w, any_name(w));
        put(w, ")");
    }
    put(w, hints[any(w, 4)]);
    subquery(w);
    if (w->withs < SOURCES)
        w->with[w->withs++] = own;
}

static void core(struct writer *w, int one_column)
{
    const uint32_t columns = one_column ? 1 : 1 + any(w, 3);
    struct text list = {0};
    struct text rest = {0};
    struct text *const out = w->out;

    /* The FROM list first, since the columns need its names. */
    w->out = &rest;
    text_clear(&rest);
    w->sources = 0;
    if (any(w, 6) > 0)
        from(w);
    if (w->sources > 0 && any(w, 3) == 0)
        w->window = any_name(w);
    w->out = &list;
    text_clear(&list);
    put(w, any(w, 10) == 0 ? "SELECT DISTINCT" : "SELECT");
    for (uint32_t i = 0; i < columns; i++) {
        if (i > 0)
            put(w, ",");
        write_expr(w);
        if (any(w, 3) == 0) {
            put(w, any(w, 3) == 0 ? "" : "AS");
            name_or_string(w, any_name(w));
        }
    }
    w->out = out;
    text_add(out, list.bytes, list.len);
    text_add(out, rest.bytes, rest.len);
    text_free(&list);
    text_free(&rest);
    if (any(w, 3) == 0) {
        put(w, "WHERE");
        write_expr(w);
    }
    if (any(w, 6) == 0) {
        put(w, "GROUP BY");
        terms(w);
    }
    if (w->window != NULL) {
        const char *const own = w->window;

        w->window = NULL;
        put(w, "WINDOW");
        name(w, own);
        put(w, "AS");
        window_body(w);
    }
}

static void write_query(struct writer *w, int one_column)
{
    static const char *const sets[] = {"UNION", "UNION ALL", "EXCEPT", "INTERSECT"};

    w->depth++;
    w->window = NULL;
    if (w->depth < DEEP && any(w, 5) == 0)
        with(w);
    w->window = NULL;
    core(w, one_column);
    if (w->depth < DEEP && one_column && any(w, 8) == 0) {
        put(w, sets[any(w, 4)]);
        core(w, 1);
    } else if (any(w, 4) == 0) {
        put(w, "ORDER BY");
        order_terms(w);
    }
    if (any(w, 5) == 0) {
        w->sources = 0;
        put(w, "LIMIT");
        write_expr(w);
        if (any(w, 2) == 0) {
            put(w, any(w, 2) == 0 ? "OFFSET" : ",");
            write_expr(w);
        }
    }
    w->depth--;
}

/* An INSERT, UPDATE or DELETE of a table and what it is called by behind that. */
enum verb {
    VERB_INSERT,
    VERB_UPDATE,
    VERB_DELETE
};

static void write_verb(struct writer *w, enum verb verb)
{
    static const char *const actions[] = {"", "", "", "OR IGNORE", "OR REPLACE", "OR ROLLBACK"};

    if (verb == VERB_DELETE) {
        put(w, "DELETE FROM");
    } else if (verb == VERB_UPDATE) {
        put(w, "UPDATE");
        put(w, actions[any(w, 6)]);
    } else if (any(w, 4) == 0) {
        put(w, "REPLACE INTO");
    } else {
        put(w, "INSERT");
        put(w, actions[any(w, 6)]);
        put(w, "INTO");
    }
}

/* Names in what follows are columns of this table. */
static void read_from(struct writer *w, const char *table)
{
    w->source[0] = table;
    w->sources = 1;
}

static void write_inserted(struct writer *w, const char *table)
{
    const char *const key = any_name(w);

    open(w);
    name_or_string(w, key);
    put(w, ")");
    w->sources = 0;
    if (any(w, 2) == 0) {
        put(w, "VALUES (");
        write_expr(w);
        put(w, ")");
    } else {
        write_query(w, 1);
    }
    read_from(w, table);
    if (any(w, 3) == 0) {
        put(w, "ON CONFLICT DO UPDATE SET");
        name_or_string(w, any_name(w));
        put(w, "=");
        write_expr(w);
    }
}

static void write_set(struct writer *w, const char *table)
{
    put(w, "SET");
    if (any(w, 3) == 0) {
        open(w);
        name_or_string(w, any_name(w));
        put(w, ",");
        name_or_string(w, any_name(w));
        put(w, ") = ( 1 , 2 )");
    } else {
        name_or_string(w, any_name(w));
        put(w, "=");
        write_expr(w);
    }
    if (any(w, 3) == 0) {
        put(w, "FROM");
        item(w);
        w->source[w->sources < SOURCES ? w->sources++ : 0] = table;
    }
}

static void write_change(struct writer *w)
{
    const char *table = any_name(w);
    const char *const alias = any_name(w);
    const enum verb verb = (enum verb)any(w, 3);

    if (any(w, 5) == 0)
        with(w);
    write_verb(w, verb);
    if (any(w, 4) == 0)
        put(w, "main .");
    name_or_string(w, table);
    if (any(w, 3) == 0) {
        put(w, "AS");
        name_or_string(w, alias);
        table = alias;
    }
    read_from(w, table);
    if (verb == VERB_INSERT)
        write_inserted(w, table);
    else if (verb == VERB_UPDATE)
        write_set(w, table);
    if (verb != VERB_INSERT && any(w, 2) == 0) {
        put(w, "WHERE");
        write_expr(w);
    }
    read_from(w, table);
    if (any(w, 4) == 0) {
        put(w, "RETURNING");
        write_expr(w);
        if (any(w, 2) == 0) {
            put(w, "AS");
            name_or_string(w, any_name(w));
        }
    }
}

/* A name for what the text creates. Triggers have names of their own; tables and views have the hostile ones already,
 * but in temp. */
static void new_name(struct writer *w, int is_trigger)
{
    static const char *const names[] = {"x1", "x2", "pragma_x", "like2"};
    const uint32_t where = any(w, 3);
    const char *const own = is_trigger || where == 0 ? any_name(w) : names[any(w, 4)];

    if (where == 0)
        put(w, any(w, 2) == 0 ? "temp ." : "[temp] .");
    /* Up to SQLite 3.40 at least, CREATE TABLE temp.if(a) leaves a schema that cannot be read again. */
    name_or_string(w, strcmp(own, "if") != 0 ? own : "x1");
}

static void column_definition(struct writer *w)
{
    static const char *const defaults[] = {"7", "- 1", "null", "'x'"};

    name_or_string(w, any_name(w));
    if (any(w, 2) == 0)
        type(w);
    if (any(w, 3) == 0) {
        put(w, "DEFAULT");
        if (any(w, 3) == 0) {
            put(w, defaults[any(w, 4)]);
        } else {
            open(w);
            write_expr(w);
            put(w, ")");
        }
    }
    if (any(w, 3) == 0) {
        put(w, any(w, 2) == 0 ? "GENERATED ALWAYS AS" : "AS");
        open(w);
        write_expr(w);
        put(w, ")");
    }
    if (any(w, 4) == 0) {
        put(w, "REFERENCES");
        name_or_string(w, any_name(w));
        if (any(w, 2) == 0) {
            open(w);
            name_or_string(w, any_name(w));
            put(w, ")");
        }
    }
    if (any(w, 3) == 0) {
        put(w, "CHECK");
        open(w);
        write_expr(w);
        put(w, ")");
    }
}

static void create_table(struct writer *w)
{
    put(w, any(w, 4) == 0 ? "CREATE TABLE IF NOT EXISTS" : "CREATE TABLE");
    new_name(w, 0);
    if (any(w, 4) == 0) {
        put(w, "AS");
        write_query(w, 0);
        return;
    }
    w->depth = DEEP - 1; /* no queries there */
    open(w);
    column_definition(w);
    if (any(w, 2) == 0) {
        put(w, ",");
        column_definition(w);
    }
    if (any(w, 4) == 0) {
        put(w, ", UNIQUE");
        open(w);
        name_or_string(w, "x");
        put(w, ")");
    }
    put(w, ")");
}

static void create_index(struct writer *w)
{
    put(w, any(w, 4) == 0 ? "CREATE UNIQUE INDEX" : "CREATE INDEX");
    name_or_string(w, any(w, 2) == 0 ? "x1" : "like2");
    put(w, "ON");
    name_or_string(w, any_name(w));
    w->depth = DEEP - 1;
    open(w);
    order_terms(w);
    put(w, ")");
    if (any(w, 2) == 0) {
        put(w, "WHERE");
        write_expr(w);
    }
}

static void create_view(struct writer *w)
{
    put(w, any(w, 4) == 0 ? "CREATE TEMP VIEW" : "CREATE VIEW");
    new_name(w, 0);
    if (any(w, 3) == 0) {
        open(w);
        name_or_string(w, any_name(w));
        put(w, ")");
    }
    put(w, "AS");
    write_query(w, 1);
}

static void create_trigger(struct writer *w)
{
    static const char *const events[] = {"DELETE", "INSERT", "UPDATE", "UPDATE OF"};
    static const char *const times[] = {"", "BEFORE", "AFTER"};
    const uint32_t event = any(w, 4);
    const int on_view = any(w, 8) == 0;

    put(w, any(w, 4) == 0 ? "CREATE TEMP TRIGGER" : "CREATE TRIGGER");
    new_name(w, 1);
    put(w, on_view ? "INSTEAD OF" : times[any(w, 3)]);
    put(w, events[event]);
    if (event == 3)
        name_or_string(w, any_name(w));
    put(w, "ON");
    name_or_string(w, on_view ? "v1" : any_name(w));
    if (any(w, 4) == 0)
        put(w, "FOR EACH ROW");
    w->source[0] = event == 0 ? "old" : "new";
    w->sources = 1;
    if (any(w, 3) == 0) {
        put(w, "WHEN");
        write_expr(w);
    }
    put(w, "BEGIN");
    for (uint32_t n = 1 + any(w, 2); n > 0; n--) {
        w->sources = w->withs = 0;
        w->window = NULL;
        if (any(w, 2) == 0)
            write_query(w, 0);
        else
            write_change(w);
        put(w, ";");
    }
    put(w, "END");
}

static void create(struct writer *w)
{
    static void (*const writers[])(struct writer *) = {create_table, create_index, create_view, create_trigger};

    writers[any(w, 4)](w);
}

/* A PRAGMA of each class of lib/policy.def, and one that is none, in all its forms. */
static void write_pragma(struct writer *w)
{
    static const char *const pragmas[] = {"table_info",          "quick_check",   "index_list",   "collation_list",
                                          "page_count",          "foreign_keys",  "busy_timeout", "user_version",
                                          "journal_mode",        "encoding",      "optimize",     "wal_checkpoint",
                                          "case_sensitive_like", "no_such_pragma"};
    static const char *const values[] = {"1",       "- 1", "+ 2.5", "on",   "delete",
                                         "DEFAULT", "'x'", "[y]",   "full", "match"};
    const uint32_t form = any(w, 3);

    put(w, "PRAGMA");
    if (any(w, 3) == 0)
        put(w, any(w, 2) == 0 ? "main ." : "'temp' .");
    name_or_string(w, any(w, 3) == 0 ? any_name(w) : pragmas[any(w, 14)]);
    if (form == 1)
        put(w, "=");
    if (form == 2)
        open(w);
    if (form > 0)
        put(w, values[any(w, 10)]);
    if (form == 2)
        put(w, ")");
}

void hostile_text(uint64_t seed, struct text *out)
{
    struct writer w = {.random = seed | 1, .out = out};

    for (int i = 0; i < 4; i++)
        any(&w, 2);
    text_clear(out);
    w.focus = any(&w, (uint32_t)hostile_name_count);
    w.odd = any(&w, 2) == 0 ? 0 : 15;
    w.depth = any(&w, 3);
    switch (any(&w, 16)) {
    case 0:
    case 1:
    case 2:
        write_change(&w);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
        create(&w);
        break;
    case 7:
        write_pragma(&w);
        break;
    default:
        write_query(&w, 0);
    }
}

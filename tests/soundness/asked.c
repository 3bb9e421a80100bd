/*
 * SPDX-License-Identifier: Apache-2.0
 */
#include "asked.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the statement creates; what: TABLE, INDEX, VIEW, TRIGGER, or NULL. */
struct made {
    const char *what;
    char name[NAME_MAX_BYTES];
    char schema[NAME_MAX_BYTES];
    char table[NAME_MAX_BYTES]; /* of a trigger */
    int has_query;
};

struct asker {
    sqlite3 *db;
    struct names standing; /* views and triggers of the database */
    struct asked asked;
    struct made made;
    int inside; /* take down only what stands in a view, a trigger or a WITH table of theirs */
    int muted;  /* take down nothing */
    char error[400];
};

/* --- names --- */

int names_have(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++) {
        if (strcmp(names->name[i], name) == 0)
            return 1;
    }
    return 0;
}

void names_add(struct names *names, const char *name, size_t len)
{
    char small[NAME_MAX_BYTES];
    size_t n;

    if (len == 0 || len >= sizeof small)
        return;
    for (n = 0; n < len; n++)
        small[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] + 32 : name[n]);
    small[n] = '\0';
    if (names_have(names, small))
        return;
    if (names->count == NAMES_MAX) {
        fputs("too many names\n", stderr);
        exit(2);
    }
    memcpy(names->name[names->count++], small, n + 1);
}

static void add(struct names *names, const char *name)
{
    names_add(names, name, strlen(name));
}

/* --- the authorizer --- */

static void note_made(struct made *made, int action, const char *name, const char *table, const char *schema)
{
    const char *const what = action == SQLITE_CREATE_TABLE || action == SQLITE_CREATE_TEMP_TABLE       ? "TABLE"
                             : action == SQLITE_CREATE_INDEX || action == SQLITE_CREATE_TEMP_INDEX     ? "INDEX"
                             : action == SQLITE_CREATE_VIEW || action == SQLITE_CREATE_TEMP_VIEW       ? "VIEW"
                             : action == SQLITE_CREATE_TRIGGER || action == SQLITE_CREATE_TEMP_TRIGGER ? "TRIGGER"
                                                                                                       : NULL;

    if (what == NULL || made->what != NULL) /* a table makes indexes of its own */
        return;
    made->what = what;
    snprintf(made->name, sizeof made->name, "%s", name);
    snprintf(made->schema, sizeof made->schema, "%s", schema);
    snprintf(made->table, sizeof made->table, "%s", table != NULL ? table : "");
}

static int is_direct(const struct asker *asker, const char *within)
{
    char small[NAME_MAX_BYTES];
    size_t n = 0;

    if (within == NULL)
        return 1;
    for (; within[n] != '\0' && n + 1 < sizeof small; n++)
        small[n] = (char)tolower((unsigned char)within[n]);
    small[n] = '\0';
    return !names_have(&asker->standing, small); /* else a WITH table, which stands in the text */
}

/* Creating something reads and writes the schema, and what is created. */
static int is_own_work(const struct asker *asker, const char *table)
{
    return asker->made.what != NULL && !asker->inside &&
           (strncmp(table, "sqlite_", 7) == 0 || strcmp(table, asker->made.name) == 0);
}

static int authorize(void *context, int action, const char *first, const char *second, const char *schema,
                     const char *within)
{
    struct asker *const asker = context;
    struct asked *const asked = &asker->asked;
    const int direct = is_direct(asker, within);

    asker->made.has_query |= action == SQLITE_SELECT;
    note_made(&asker->made, action, first, second, schema);
    if (action == SQLITE_PRAGMA && !asker->muted) {
        add(&asked->pragmas, first);
        if (second != NULL)
            add(&asked->set, first);
    }
    if (action == SQLITE_PRAGMA)
        return SQLITE_IGNORE;
    if (asker->muted || (asker->inside && within == NULL))
        return SQLITE_OK;
    if (action == SQLITE_FUNCTION) {
        add(&asked->anywhere, second);
        if (direct)
            add(&asked->called, second);
    } else if ((action == SQLITE_READ || action == SQLITE_INSERT || action == SQLITE_UPDATE ||
                action == SQLITE_DELETE) &&
               !is_own_work(asker, first)) {
        add(&asked->touched, first);
        if (action == SQLITE_READ)
            add(direct ? &asked->read : &asked->by_views, first);
        if (direct && action == SQLITE_READ && second[0] != '\0')
            add(&asked->columns, first);
    }
    return SQLITE_OK;
}

/* --- definitions --- */

/* The first value of a query, as text that the caller frees, or NULL. */
static char *look_up(struct asker *asker, char *sql)
{
    sqlite3_stmt *stmt = NULL;
    char *value = NULL;

    if (sqlite3_prepare_v2(asker->db, sql, -1, &stmt, NULL) == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
        value = sqlite3_mprintf("%s", sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return value;
}

/* Is there something of this name, so that CREATE ... IF NOT EXISTS makes nothing? Triggers have names of their own.
 */
static int is_there(struct asker *asker, const struct made *made)
{
    char *const found =
        look_up(asker, sqlite3_mprintf("SELECT 1 FROM \"%w\".%s WHERE name = %Q COLLATE nocase"
                                       " AND (type = 'trigger') = %d",
                                       made->schema,
                                       strcmp(made->schema, "temp") == 0 ? "sqlite_temp_master" : "sqlite_master",
                                       made->name, strcmp(made->what, "TRIGGER") == 0));

    sqlite3_free(found);
    return found != NULL;
}

/* Notes why SQLite does not take the text: the first error counts. Returns 0. */
static int fail(struct asker *asker)
{
    if (asker->error[0] == '\0')
        snprintf(asker->error, sizeof asker->error, "%s", sqlite3_errmsg(asker->db));
    return 0;
}

static int prepares(struct asker *asker, char *sql)
{
    sqlite3_stmt *stmt = NULL;
    int result = sqlite3_prepare_v2(asker->db, sql, -1, &stmt, NULL) == SQLITE_OK;

    /* A view has a trigger for one of the three changes only. */
    if (!result && strstr(sqlite3_errmsg(asker->db), "because it is a view") == NULL)
        fail(asker);
    else
        result = 1;
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return result;
}

static int use_trigger(struct asker *asker, const char *table)
{
    const int muted = asker->muted;
    char *sets;
    int result;

    asker->muted = 1;
    sets = look_up(asker,
                   sqlite3_mprintf("SELECT group_concat('\"' || name || '\"=1') FROM pragma_table_info(%Q)", table));
    asker->muted = muted;
    result = sets != NULL && prepares(asker, sqlite3_mprintf("INSERT INTO \"%w\" DEFAULT VALUES", table)) &&
             prepares(asker, sqlite3_mprintf("UPDATE \"%w\" SET %s", table, sets)) &&
             prepares(asker, sqlite3_mprintf("DELETE FROM \"%w\"", table));
    sqlite3_free(sets);
    return result;
}

/* Prepares what makes SQLite look into that which was made. */
static int use(struct asker *asker, const struct made *made)
{
    int result = 1;

    if (strcmp(made->what, "TABLE") == 0)
        return prepares(asker, sqlite3_mprintf("INSERT INTO \"%w\".\"%w\" DEFAULT VALUES", made->schema, made->name));
    asker->inside = 1;
    if (strcmp(made->what, "VIEW") == 0)
        result = prepares(asker, sqlite3_mprintf("SELECT * FROM \"%w\".\"%w\"", made->schema, made->name));
    else if (strcmp(made->what, "TRIGGER") == 0)
        result = use_trigger(asker, made->table);
    asker->inside = 0;
    return result;
}

/* Makes, uses and drops what the statement creates. 0 if SQLite does not take it. */
static int run_definition(struct asker *asker, sqlite3_stmt *stmt)
{
    const struct made made = asker->made;
    const int muted = asker->muted;
    char *drop;
    int result;

    asker->muted = 1;
    if (strlen(made.name) + 1 == sizeof made.name || is_there(asker, &made)) /* cut short, or there */
        return fail(asker);
    while (sqlite3_step(stmt) == SQLITE_ROW)
        ;
    if (sqlite3_reset(stmt) != SQLITE_OK)
        return fail(asker);
    asker->muted = muted;
    result = use(asker, &made);
    asker->muted = 1;
    drop = strcmp(made.what, "TRIGGER") == 0
               ? sqlite3_mprintf("DROP TRIGGER \"%w\"", made.name) /* its schema was told as that of its table */
               : sqlite3_mprintf("DROP %s \"%w\".\"%w\"", made.what, made.schema, made.name);
    if (sqlite3_exec(asker->db, drop, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "%s: %s, behind %s\n", drop, sqlite3_errmsg(asker->db), sqlite3_sql(stmt));
        exit(2);
    }
    sqlite3_free(drop);
    return result;
}

/* --- texts --- */

static int takes(struct asker *asker, const char *sql, size_t len)
{
    const int muted = asker->muted;
    const char *tail = sql;
    int result = 1;

    asker->error[0] = '\0';
    while (tail < sql + len && result) {
        const char *const from = tail;
        sqlite3_stmt *stmt = NULL;

        asker->made.what = NULL;
        asker->made.has_query = 0;
        result = sqlite3_prepare_v2(asker->db, from, (int)(sql + len - from) + 1, &stmt, &tail) == SQLITE_OK ||
                 fail(asker);
        if (asker->made.what != NULL && stmt != NULL && sqlite3_stmt_isexplain(stmt) == 0) {
            asker->asked.defines |= !muted;
            /* CREATE TABLE AS would run its query, and holds nothing else to be used. */
            if (strcmp(asker->made.what, "TABLE") != 0 || !asker->made.has_query)
                result = run_definition(asker, stmt);
            asker->muted = muted;
        }
        sqlite3_finalize(stmt);
        if (stmt == NULL && tail == from)
            break;
    }
    return result;
}

const struct asked *asker_ask(struct asker *asker, const char *sql, size_t len)
{
    struct asked *const asked = &asker->asked;

    asked->called.count = asked->read.count = asked->columns.count = asked->by_views.count = 0;
    asked->anywhere.count = asked->touched.count = asked->pragmas.count = asked->set.count = 0;
    asked->defines = 0;
    return takes(asker, sql, len) ? asked : NULL;
}

const char *asker_error(struct asker *asker, const char *sql, size_t len)
{
    int result;

    asker->muted = 1;
    result = takes(asker, sql, len);
    asker->muted = 0;
    return result ? NULL : asker->error;
}

static int add_row(void *context, int count, char **values, char **columns)
{
    (void)columns;
    if (count > 0 && values[0] != NULL)
        add(context, values[0]);
    return 0;
}

struct asker *asker_open(sqlite3 *db)
{
    struct asker *asker = calloc(1, sizeof *asker);

    if (asker == NULL) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    asker->db = db;
    sqlite3_exec(db, "SELECT name FROM sqlite_master WHERE type IN ('view', 'trigger')", add_row, &asker->standing,
                 NULL);
    sqlite3_set_authorizer(db, authorize, asker);
    return asker;
}

void asker_close(struct asker *asker)
{
    sqlite3_set_authorizer(asker->db, NULL, NULL);
    free(asker);
}

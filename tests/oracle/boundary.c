/*
 * See boundary.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "boundary.h"
#include "d1guard.h"

struct boundary_counts boundary_counts;

static struct {
    sqlite3 *db;
    int is_changed; /* its tables are not those of reopen() any more */
    int action;     /* the one that the authorizer was asked for that tells most, or 0 */
} connection;

/* What disagrees in the text that is compared now. */
static const char *disagreement;
static size_t disagreement_at;

static void disagree(size_t at, const char *what)
{
    disagreement = what;
    disagreement_at = at;
}

/* What SQLite does to its own tables and whatever reads a value tell nothing of the statement. */
static int is_telling(int action, const char *table)
{
    switch (action) {
    case SQLITE_READ:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
        return 0;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_CREATE_TABLE:
        return sqlite3_strnicmp(table, "sqlite_", 7) != 0;
    default:
        return 1;
    }
}

/*
 * The first telling action counts, but a SELECT may come before what it is part of; only a CREATE TABLE
 * behind it is that of a table function. PRAGMAs are read but left undone; many act when prepared.
 */
static int note_action(void *context, int action, const char *a, const char *b, const char *schema, const char *view)
{
    (void)context, (void)b, (void)schema, (void)view;
    if ((!connection.action || (connection.action == SQLITE_SELECT && action != SQLITE_CREATE_TABLE)) &&
        is_telling(action, a))
        connection.action = action;
    return action == SQLITE_PRAGMA ? SQLITE_IGNORE : SQLITE_OK;
}

static int give_up(void *context)
{
    (void)context;
    return 1;
}

static void reopen(void)
{
    static const char schema[] =
        "CREATE TABLE t(a, b, c); CREATE TABLE t1(a, b, c, x, y); CREATE TABLE t2(a, b, c, x, y);"
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT * FROM t;";

    sqlite3_close(connection.db);
    memset(&connection, 0, sizeof connection);
    if (sqlite3_open(":memory:", &connection.db) != SQLITE_OK ||
        sqlite3_exec(connection.db, schema, NULL, NULL, NULL) != SQLITE_OK) {
        fprintf(stderr, "boundary_oracle: %s\n", sqlite3_errmsg(connection.db));
        exit(2);
    }
    sqlite3_set_authorizer(connection.db, note_action, NULL);
    sqlite3_progress_handler(connection.db, 100000, give_up, NULL);
}

static int is_syntax_error(void)
{
    const char *message = sqlite3_errmsg(connection.db);

    return strstr(message, "syntax error") || strncmp(message, "unrecognized token", 18) == 0 ||
           strcmp(message, "incomplete input") == 0;
}

/* Which kinds ask the authorizer for an action first. */
static const struct {
    int action;
    uint32_t kind[3];
} rules[] = {
    {SQLITE_CREATE_VTABLE, {D1GUARD_KIND_CREATE_VIRTUAL_TABLE}},
    {SQLITE_CREATE_TABLE, {D1GUARD_KIND_CREATE_TABLE}},
    {SQLITE_CREATE_TEMP_TABLE, {D1GUARD_KIND_CREATE_TABLE}},
    {SQLITE_CREATE_INDEX, {D1GUARD_KIND_CREATE_INDEX}},
    {SQLITE_CREATE_TEMP_INDEX, {D1GUARD_KIND_CREATE_INDEX}},
    {SQLITE_CREATE_VIEW, {D1GUARD_KIND_CREATE_VIEW}},
    {SQLITE_CREATE_TEMP_VIEW, {D1GUARD_KIND_CREATE_VIEW}},
    {SQLITE_CREATE_TRIGGER, {D1GUARD_KIND_CREATE_TRIGGER}},
    {SQLITE_CREATE_TEMP_TRIGGER, {D1GUARD_KIND_CREATE_TRIGGER}},
    {SQLITE_DROP_TABLE, {D1GUARD_KIND_DROP_TABLE}},
    {SQLITE_DROP_TEMP_TABLE, {D1GUARD_KIND_DROP_TABLE}},
    {SQLITE_DROP_VTABLE, {D1GUARD_KIND_DROP_TABLE}},
    {SQLITE_DROP_INDEX, {D1GUARD_KIND_DROP_INDEX}},
    {SQLITE_DROP_TEMP_INDEX, {D1GUARD_KIND_DROP_INDEX}},
    {SQLITE_DROP_VIEW, {D1GUARD_KIND_DROP_VIEW}},
    {SQLITE_DROP_TEMP_VIEW, {D1GUARD_KIND_DROP_VIEW}},
    {SQLITE_DROP_TRIGGER, {D1GUARD_KIND_DROP_TRIGGER}},
    {SQLITE_DROP_TEMP_TRIGGER, {D1GUARD_KIND_DROP_TRIGGER}},
    {SQLITE_ALTER_TABLE, {D1GUARD_KIND_ALTER_TABLE}},
    {SQLITE_ATTACH, {D1GUARD_KIND_ATTACH}},
    {SQLITE_DETACH, {D1GUARD_KIND_DETACH}},
    {SQLITE_PRAGMA, {D1GUARD_KIND_PRAGMA}},
    {SQLITE_ANALYZE, {D1GUARD_KIND_ANALYZE}},
    {SQLITE_REINDEX, {D1GUARD_KIND_REINDEX}},
    {SQLITE_TRANSACTION, {D1GUARD_KIND_BEGIN, D1GUARD_KIND_COMMIT, D1GUARD_KIND_ROLLBACK}},
    {SQLITE_SAVEPOINT, {D1GUARD_KIND_SAVEPOINT, D1GUARD_KIND_RELEASE, D1GUARD_KIND_ROLLBACK}},
    {SQLITE_INSERT, {D1GUARD_KIND_INSERT, D1GUARD_KIND_REPLACE}},
    {SQLITE_UPDATE, {D1GUARD_KIND_UPDATE}},
    {SQLITE_DELETE, {D1GUARD_KIND_DELETE}},
    {SQLITE_SELECT, {D1GUARD_KIND_SELECT, D1GUARD_KIND_VALUES}},
};

/* Returns 0 only if the authorizer was asked for another kind of statement. */
static int fits_action(uint32_t kind)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (rules[i].action != connection.action)
            continue;
        boundary_counts.kinds++;
        return rules[i].kind[0] == kind || rules[i].kind[1] == kind || rules[i].kind[2] == kind;
    }
    return 1;
}

/* Runs a CREATE, so that what follows in the text finds its tables. */
static void run_create(sqlite3_stmt *statement)
{
    switch (connection.action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_TRIGGER:
        connection.is_changed = 1;
        sqlite3_step(statement);
        break;
    default:
        break;
    }
}

/*
 * Numbers that not all versions read alike, and that the library refuses everywhere: a name may stand right
 * behind a hex number up to 3.45, a `_` anywhere in one among a virtual table's arguments from 3.46 on.
 */
static int is_other_number(const char *sql, const struct d1guard_statement *ours)
{
    if (ours->reason != D1GUARD_REASON_BAD_NUMBER)
        return 0;
    if (sqlite3_libversion_number() < 3046000)
        return sqlite3_strnicmp(sql + ours->error_at, "0x", 2) == 0;
    return ours->kind == D1GUARD_KIND_CREATE_VIRTUAL_TABLE && memchr(sql + ours->error_at, '_', (size_t)ours->error_len);
}

/* SQLite prepared a statement, or found that there is none. Returns 1 to go on behind it. */
static int check_success(const char *sql, size_t at, size_t tail, sqlite3_stmt *statement, int found,
                         const struct d1guard_statement *ours)
{
    if (found < 0) {
        if (is_other_number(sql, ours))
            boundary_counts.known++;
        else
            disagree(at, d1guard_reason_slug(ours->reason));
        return 0;
    }
    if (!statement) {
        if (found != 0)
            disagree(at, "SQLite finds no statement");
        return 0;
    }
    boundary_counts.ends++;
    if (found != 1 || ours->next != tail)
        disagree(at, "another end");
    else if ((int)ours->explain != sqlite3_stmt_isexplain(statement))
        disagree(at, d1guard_explain_slug(ours->explain));
    else if (!fits_action(ours->kind))
        disagree(at, d1guard_kind_slug(ours->kind));
    else
        return 1;
    return 0;
}

/* SQLite refused the statement. Returns 1 to go on behind it. */
static int check_error(size_t at, size_t tail, int found, const struct d1guard_statement *ours)
{
    if (is_syntax_error()) {
        boundary_counts.syntax_errors++;
        return 0;
    }
    if (found != 1 || tail < ours->next) {
        boundary_counts.undecided++;
        return 0;
    }
    boundary_counts.ends++;
    if (tail > ours->next)
        disagree(at, "SQLite's statement is longer");
    return tail == ours->next;
}

const char *boundary_compare(const char *sql, size_t *where)
{
    const size_t len = strlen(sql);
    size_t at = 0;
    int go_on = 1;

    boundary_counts.texts++;
    disagreement = NULL;
    if (connection.is_changed || !connection.db)
        reopen();
    while (go_on) {
        struct d1guard_statement ours = {.size = sizeof ours};
        const int found = d1guard_next_statement(sql, len, at, &ours);
        sqlite3_stmt *statement = NULL;
        const char *tail = sql + at;

        connection.action = 0;
        if (sqlite3_prepare_v2(connection.db, sql + at, -1, &statement, &tail) == SQLITE_OK)
            go_on = check_success(sql, at, (size_t)(tail - sql), statement, found, &ours);
        else
            go_on = check_error(at, (size_t)(tail - sql), found, &ours);
        if (go_on && statement)
            run_create(statement);
        sqlite3_finalize(statement);
        at = (size_t)(tail - sql);
    }
    *where = disagreement_at;
    return disagreement;
}

void boundary_close(void)
{
    sqlite3_close(connection.db);
    memset(&connection, 0, sizeof connection);
}

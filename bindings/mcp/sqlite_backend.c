/*
 * A SQLite file, read-only by every means SQLite has. The guard has judged the text before it comes
 * here; everything below is the second layer, which holds even for what a text cannot show.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"

#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_LIMIT (32 << 20)            /* longest value or row, bytes */
#define HEAP_LIMIT (INT64_C(512) << 20)   /* of the whole process, bytes */
#define PROGRESS_STEPS 1000               /* virtual machine steps between two looks at the watch */
#define BUSY_MS 2000                      /* waiting for another process's write lock */

struct sqlite_backend {
    struct backend base; /* first: a pointer to it is a pointer to this */
    sqlite3 *db;
    const struct watch *watch; /* of the statement that runs, else NULL */
    struct buf shadow_tables;
    int guard_only;
    int own;                   /* a statement of this server is being prepared or run */
    int schema_version;
};

static struct sqlite_backend *self(struct backend *b)
{
    return (struct sqlite_backend *)b;
}

static int fail_sqlite(struct sqlite_backend *s, int rc, struct failure *failure)
{
    if (rc == SQLITE_INTERRUPT && s->watch != NULL)
        return fail_watch(failure, watch_look(s->watch));
    if (rc == SQLITE_AUTH)
        return fail(failure, "SQL_BLOCKED", "SQLite's authorizer stopped the statement: %s", sqlite3_errmsg(s->db));
    if (rc == SQLITE_NOMEM)
        return fail(failure, "SQL_ERROR", "the query needs more memory than this server allows; select less");
    return fail(failure, "SQL_ERROR", "SQLite: %s", sqlite3_errmsg(s->db));
}

static int progress(void *context)
{
    const struct sqlite_backend *s = context;

    return s->watch != NULL && watch_look(s->watch) != WATCH_GO_ON;
}

/* Asks the guard about a name that SQLite met while preparing or running, in a view or a virtual table
 * too: before and behind are the text around the quoted name. */
static int guard_allows(const char *before, const char *name, const char *behind)
{
    struct d1guard_options options = {sizeof options, .engine = D1GUARD_ENGINE_SQLITE};
    struct buf text = {0};
    int allowed;

    buf_str(&text, before);
    buf_str(&text, "\"");
    for (const char *c = name; *c != '\0'; c++)
        buf_add(&text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    buf_str(&text, "\"");
    buf_str(&text, behind);
    allowed = d1guard_classify(text.data, text.len, &options, NULL) == D1GUARD_ALLOW;
    buf_free(&text);
    return allowed;
}

static int name_in(const struct buf *names, const char *name)
{
    for (size_t at = 0; at < names->len; at += strlen(names->data + at) + 1)
        if (sqlite3_stricmp(names->data + at, name) == 0)
            return 1;
    return 0;
}

static int authorize(void *context, int action, const char *first, const char *second, const char *schema,
                     const char *trigger)
{
    const struct sqlite_backend *s = context;
    int allowed = 0;

    (void)schema;
    (void)trigger;
    if (s->own)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        allowed = 1;
        break;
    case SQLITE_READ:
        allowed = first == NULL || guard_allows("SELECT * FROM ", first, "");
        break;
    case SQLITE_FUNCTION:
        allowed = second != NULL && guard_allows("SELECT ", second, "(1)");
        break;
    case SQLITE_PRAGMA:
        allowed = first != NULL && guard_allows("PRAGMA ", first, second != NULL ? "(1)" : "");
        break;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
        /* When a virtual table is first read it prepares the statements for its own tables, and SQLite
         * those for declaring it; query_only and the read-only file keep them from running. */
        allowed = first != NULL && (name_in(&s->shadow_tables, first) ||
                                    (action == SQLITE_UPDATE && strcmp(first, "sqlite_master") == 0));
        break;
    default:
        break;
    }
    return allowed ? SQLITE_OK : SQLITE_DENY;
}

static int bind_value(sqlite3_stmt *stmt, int at, const struct value *v)
{
    switch (v->kind) {
    case VALUE_INT:
        return sqlite3_bind_int64(stmt, at, v->integer);
    case VALUE_REAL:
        return sqlite3_bind_double(stmt, at, v->real);
    case VALUE_TEXT:
        return sqlite3_bind_text64(stmt, at, v->bytes, v->len, SQLITE_STATIC, SQLITE_UTF8);
    case VALUE_BLOB:
        return sqlite3_bind_blob64(stmt, at, v->bytes, v->len, SQLITE_STATIC);
    case VALUE_NULL:
        break;
    }
    return sqlite3_bind_null(stmt, at);
}

/* The value for parameter `at` of the statement, NULL when there is none. */
static const struct value *find_value(sqlite3_stmt *stmt, int at, const struct params *params)
{
    const char *name = sqlite3_bind_parameter_name(stmt, at);

    if (params->names == NULL)
        return (size_t)at <= params->count ? &params->values[at - 1] : NULL;
    for (size_t i = 0; name != NULL && i < params->count; i++)
        if (strcmp(params->names[i], name) == 0 || strcmp(params->names[i], name + 1) == 0)
            return &params->values[i];
    return NULL;
}

static int bind_all(struct sqlite_backend *s, sqlite3_stmt *stmt, const struct params *params,
                    struct failure *failure)
{
    const int count = sqlite3_bind_parameter_count(stmt);

    if (params->count != (size_t)count)
        return fail(failure, "BAD_ARGUMENT", "the statement has %d parameters, params holds %zu values", count,
                    params->count);
    for (int at = 1; at <= count; at++) {
        const struct value *v = find_value(stmt, at, params);
        int rc;

        if (v == NULL)
            return fail(failure, "BAD_ARGUMENT", "params holds no value for parameter %d (%s)", at,
                        sqlite3_bind_parameter_name(stmt, at) != NULL ? sqlite3_bind_parameter_name(stmt, at) : "?");
        rc = bind_value(stmt, at, v);
        if (rc != SQLITE_OK)
            return fail_sqlite(s, rc, failure);
    }
    return 0;
}

static struct value column_value(sqlite3_stmt *stmt, int at)
{
    struct value v = {VALUE_NULL, 0, 0, NULL, 0};

    switch (sqlite3_column_type(stmt, at)) {
    case SQLITE_INTEGER:
        v.kind = VALUE_INT;
        v.integer = sqlite3_column_int64(stmt, at);
        break;
    case SQLITE_FLOAT:
        v.kind = VALUE_REAL;
        v.real = sqlite3_column_double(stmt, at);
        break;
    case SQLITE_TEXT:
        v.kind = VALUE_TEXT;
        v.bytes = (const char *)sqlite3_column_text(stmt, at);
        v.len = (size_t)sqlite3_column_bytes(stmt, at);
        break;
    case SQLITE_BLOB:
        v.kind = VALUE_BLOB;
        v.bytes = sqlite3_column_blob(stmt, at);
        v.len = (size_t)sqlite3_column_bytes(stmt, at);
        break;
    default:
        break;
    }
    return v;
}

static struct value column_name(sqlite3_stmt *stmt, int at)
{
    struct value v = {VALUE_TEXT, 0, 0, sqlite3_column_name(stmt, at), 0};

    if (v.bytes == NULL)
        v.bytes = "";
    v.len = strlen(v.bytes);
    return v;
}

static int read_rows(struct sqlite_backend *s, sqlite3_stmt *stmt, const struct row_sink *sink,
                     struct failure *failure)
{
    const int count = sqlite3_column_count(stmt);
    struct value *values = mem_alloc((size_t)count * sizeof *values);
    int rc, enough;

    for (int i = 0; i < count; i++)
        values[i] = column_name(stmt, i);
    enough = sink->columns(sink->context, values, (size_t)count);
    while (!enough && (rc = sqlite3_step(stmt)) != SQLITE_DONE) {
        if (rc != SQLITE_ROW) {
            free(values);
            return fail_sqlite(s, rc, failure);
        }
        for (int i = 0; i < count; i++)
            values[i] = column_value(stmt, i);
        enough = sink->row(sink->context, values, (size_t)count);
    }
    free(values);
    return 0;
}

static int prepare(struct sqlite_backend *s, const struct statement *statement, sqlite3_stmt **stmt,
                   struct failure *failure)
{
    const char *tail = NULL;
    const int len = statement->len < INT_MAX ? (int)statement->len : INT_MAX;
    const int rc = sqlite3_prepare_v2(s->db, statement->sql, len, stmt, &tail);

    if (rc != SQLITE_OK)
        return fail_sqlite(s, rc, failure);
    if (*stmt == NULL || tail != statement->sql + statement->len)
        return fail(failure, "SQL_BLOCKED", "SQLite does not read the text as one statement");
    if (statement->reads_only_by_form && !s->guard_only && !sqlite3_stmt_readonly(*stmt))
        return fail(failure, "SQL_BLOCKED", "SQLite does not call the statement read-only");
    return 0;
}

static int run(struct backend *b, const struct statement *statement, const struct row_sink *sink,
               const struct watch *watch, struct failure *failure)
{
    struct sqlite_backend *s = self(b);
    sqlite3_stmt *stmt = NULL;
    int rc;

    s->watch = watch;
    s->own = statement->own;
    rc = prepare(s, statement, &stmt, failure);
    if (rc == 0)
        rc = bind_all(s, stmt, statement->params, failure);
    if (rc == 0)
        rc = read_rows(s, stmt, sink, failure);
    sqlite3_finalize(stmt);
    s->own = 0;
    s->watch = NULL;
    return rc;
}

/* A constant of this server, with at most one row of one integer. */
static int own_number(struct sqlite_backend *s, const char *sql, int *number, struct failure *failure)
{
    sqlite3_stmt *stmt = NULL;
    int rc;

    s->own = 1;
    rc = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);
    if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW && number != NULL)
        *number = sqlite3_column_int(stmt, 0);
    if (rc == SQLITE_OK)
        rc = sqlite3_reset(stmt);
    if (rc != SQLITE_OK)
        fail_sqlite(s, rc, failure);
    sqlite3_finalize(stmt);
    s->own = 0;
    return failure->code == NULL ? 0 : -1;
}

static void leave(struct backend *b)
{
    struct sqlite_backend *s = self(b);
    struct failure ignored = {0};

    if (!s->guard_only && !sqlite3_get_autocommit(s->db))
        own_number(s, "ROLLBACK", NULL, &ignored);
    buf_free(&ignored.message);
}

/* The read transaction keeps the schema that the views were judged by until leave(). --guard-only goes
 * without: its rollback would hide a write that the guard let through. */
static int enter(struct backend *b, const struct watch *watch, int *schema_changed, struct failure *failure)
{
    struct sqlite_backend *s = self(b);
    int version = 0, rc;

    s->watch = watch;
    rc = s->guard_only ? 0 : own_number(s, "BEGIN", NULL, failure);
    if (rc == 0)
        rc = own_number(s, "PRAGMA schema_version", &version, failure);
    s->watch = NULL;
    if (rc != 0) {
        leave(b);
        return -1;
    }
    *schema_changed = version != s->schema_version;
    s->schema_version = version;
    return 0;
}

static void set_shadow_tables(struct backend *b, const char *names, size_t len)
{
    struct sqlite_backend *s = self(b);

    buf_cut(&s->shadow_tables, 0);
    buf_add(&s->shadow_tables, names, len);
}

static void close_backend(struct backend *b)
{
    struct sqlite_backend *s = self(b);

    sqlite3_close(s->db);
    buf_free(&s->shadow_tables);
    free((char *)s->base.name);
    free(s);
}

static int add_layers(struct sqlite_backend *s, struct failure *failure)
{
    sqlite3_limit(s->db, SQLITE_LIMIT_ATTACHED, 0); /* stops VACUUM INTO as well */
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    if (own_number(s, "PRAGMA query_only=1", NULL, failure) != 0)
        return -1;
    sqlite3_set_authorizer(s->db, authorize, s);
    return 0;
}

/* Bounds on time and memory; they keep nothing from being written. */
static int add_bounds(struct sqlite_backend *s, struct failure *failure)
{
    sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, VALUE_LIMIT);
    sqlite3_hard_heap_limit64(HEAP_LIMIT);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    sqlite3_progress_handler(s->db, PROGRESS_STEPS, progress, s);
    return own_number(s, "PRAGMA temp_store=2", NULL, failure); /* sorts leave no files behind */
}

/* The part of a path behind its last slash. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

struct backend *sqlite_backend_open(const char *path, const char *sample_sql, int guard_only, struct failure *failure)
{
    /* With CREATE, so that --guard-only lets ATTACH make files as an unguarded connection would. */
    const int writable = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int flags = SQLITE_OPEN_NOMUTEX | (path == NULL || guard_only ? writable : SQLITE_OPEN_READONLY);
    const char *name = path == NULL ? "sample" : base_name(path);
    struct sqlite_backend *s = mem_alloc(sizeof *s);
    int rc, version;

    memset(s, 0, sizeof *s);
    s->base.name = mem_copy(name, strlen(name));
    s->base.engine = D1GUARD_ENGINE_SQLITE;
    s->base.enter = enter;
    s->base.leave = leave;
    s->base.run = run;
    s->base.set_shadow_tables = set_shadow_tables;
    s->base.close = close_backend;
    s->guard_only = guard_only;
    s->schema_version = -1;
    rc = sqlite3_open_v2(path == NULL ? ":memory:" : path, &s->db, flags, NULL);
    if (rc == SQLITE_OK && path == NULL)
        rc = sqlite3_exec(s->db, sample_sql, NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        fail_sqlite(s, rc, failure);
    else if (add_bounds(s, failure) == 0 && own_number(s, "PRAGMA schema_version", &version, failure) == 0 &&
             !guard_only)
        add_layers(s, failure);
    if (failure->code != NULL) {
        close_backend(&s->base);
        return NULL;
    }
    return &s->base;
}

/*
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <strings.h>
#include <unistd.h>

static const char database[] = "scratch.db";

enum {
    ROWS_MAX = 300,      /* stepped per statement */
    PROGRESS_EACH = 500, /* virtual machine steps between two looks at the budget */
    PROGRESS_MAX = 40    /* looks per statement */
};

struct scratch {
    char folder[PATH_MAX];
    sqlite3 *db;
    struct text file;  /* the database file as it was at first */
    struct text now;   /* the same, read again */
    struct text state; /* every value as it was at first */
    struct text state_now;
    struct text switches; /* cheap ones: sqlite3_db_config */
    struct text copy;     /* the text that runs, NUL behind its end */
    char effect[200];     /* what the authorizer or an observer saw */
    char named[200]; /* a function or table with side effects, in a statement not known to be whole yet */
    char change[400];
    int watching;
    int looks;
    int changes;
    int preparing_only;
    int read_pragma;
    int rtreecheck; /* the text calls it: up to 3.40 it puts BEGIN and END around what it reads */
};

static void give_up(const char *what, const char *why)
{
    fprintf(stderr, "scratch: %s: %s\n", what, why);
    exit(2);
}

/* Every table has columns a, b and c. f3 and f4 are full-text indexes of several segments, so that
 * optimize() has work to do; t and u have indexes without statistics, so that PRAGMA optimize has. */
static const char schema[] =
    "PRAGMA page_size=512; PRAGMA journal_mode=delete; PRAGMA synchronous=off;"
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d);"
    "CREATE TABLE u(a INT, b TEXT COLLATE NOCASE, c NUMERIC, k REFERENCES t(a));"
    "CREATE TABLE w(a TEXT PRIMARY KEY, b, c) WITHOUT ROWID;"
    "CREATE TABLE \"a;b\"(a, b, c);"
    "CREATE TABLE one(a);"
    "CREATE TABLE one3(a, b, c DEFAULT 5);"
    "CREATE TABLE empty(a, b, c);"
    "CREATE TABLE big(a INTEGER PRIMARY KEY, b, c TEXT);"
    "BEGIN;"
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<24)"
    "  INSERT INTO t SELECT n, substr('abcdefgh', n%8+1, 1), n*0.5, n%3 FROM i;"
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<18)"
    "  INSERT INTO u SELECT n%7, CASE n%4 WHEN 0 THEN 'A' WHEN 1 THEN 'a' ELSE 'b'||n END, n, n%5+1 FROM i;"
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<9)"
    "  INSERT INTO w SELECT 'k'||n, n%2, NULL FROM i;"
    "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM i WHERE n<1100)"
    "  INSERT INTO big SELECT n, n%11, NULL FROM i;"
    "INSERT INTO \"a;b\" VALUES(1,'x;y',3),(2,NULL,x'00');"
    "INSERT INTO one VALUES(1),(2),('a');"
    "INSERT INTO one3 VALUES(1,2,3);"
    "COMMIT;"
    "CREATE INDEX tb ON t(b); CREATE INDEX tcb ON t(c,b); CREATE INDEX ua ON u(a,b);"
    "CREATE VIEW v AS SELECT a, b, c FROM t WHERE a<20;"
    "CREATE TRIGGER tr AFTER INSERT ON u BEGIN UPDATE t SET d=1; END;"
    "CREATE VIRTUAL TABLE f3 USING fts3(a,b,c);"
    "CREATE VIRTUAL TABLE f4 USING fts4(a,b,c);"
    "CREATE VIRTUAL TABLE f5 USING fts5(a,b,c);"
    "CREATE VIRTUAL TABLE rt USING rtree(a,b,c);"
    "INSERT INTO f3 VALUES('alpha','beta',1); INSERT INTO f3 VALUES('alpha gamma','b',2);"
    "INSERT INTO f4 VALUES('alpha','beta',1); INSERT INTO f4 VALUES('alpha gamma','b',2);"
    "INSERT INTO f5 VALUES('alpha','beta',1); INSERT INTO f5 VALUES('alpha gamma','b',2);"
    "INSERT INTO rt VALUES(1,0,1),(2,1,5),(3,2,9);"
    "PRAGMA user_version=3; PRAGMA application_id=4;";

/* Reads that use the indexes: only what a connection has used is analysed by PRAGMA optimize. Using the
 * virtual tables once makes them prepare what they will need. */
static const char arming[] =
    "SELECT * FROM t WHERE b='a'; SELECT * FROM u WHERE a=5; SELECT * FROM t WHERE c=1 AND b=2;"
    "SELECT * FROM f3; SELECT * FROM f4; SELECT * FROM f5; SELECT * FROM rt;"
    "SELECT * FROM temp.sqlite_master; PRAGMA table_list; PRAGMA integrity_check";

/* --- the folder and the file -------------------------------------------------------------------------- */

static void read_file(struct text *into)
{
    const int fd = open(database, O_RDONLY);
    ssize_t n;

    text_clear(into);
    if (fd < 0)
        return;
    do {
        text_reserve(into, into->len + 65536);
        n = read(fd, into->bytes + into->len, 65536);
        if (n > 0)
            into->len += (size_t)n;
    } while (n > 0);
    close(fd);
}

static void write_file(const struct text *from)
{
    const int fd = open(database, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, from->bytes, from->len) != (ssize_t)from->len)
        give_up(database, strerror(errno));
    close(fd);
}

/* The first name in the folder that is not the database's, or NULL. */
static const char *other_file(int also_remove)
{
    static char name[300];
    DIR *folder = opendir(".");
    const struct dirent *entry;
    const char *found = NULL;

    if (folder == NULL)
        give_up("cannot list the folder", strerror(errno));
    while ((entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            strcmp(entry->d_name, database) == 0)
            continue;
        snprintf(name, sizeof name, "%s", entry->d_name);
        found = name;
        if (also_remove)
            unlink(name);
    }
    closedir(folder);
    return found;
}

static void make_folder(struct scratch *s)
{
    const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");

    snprintf(s->folder, sizeof s->folder, "%s/d1guard-scratch-XXXXXX", where != NULL ? where : "/tmp");
    if (mkdtemp(s->folder) == NULL || chdir(s->folder) != 0)
        give_up(s->folder, strerror(errno));
}

/* --- what SQLite is asked for --------------------------------------------------------------------------- */

static int listed(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcasecmp(name, *list) == 0)
            return 1;
    }
    return 0;
}

/* PRAGMAs that only report, whatever follows them. */
static const char *const reports[] = {
    "collation_list",   "compile_options", "data_version",  "database_list", "foreign_key_check",
    "foreign_key_list", "freelist_count",  "function_list", "index_info",    "index_list",
    "index_xinfo",      "integrity_check", "module_list",   "page_count",    "pragma_list",
    "quick_check",      "table_info",      "table_list",    "table_xinfo",   NULL};
/* PRAGMAs that do something without a value. */
static const char *const acts[] = {"case_sensitive_like", "incremental_vacuum", "optimize",
                                   "shrink_memory",       "wal_checkpoint",     NULL};
static const char *const acting_functions[] = {"optimize", "load_extension", "fts3_tokenizer", "sqlite_log",
                                               NULL};
static const char *const acting_tables[] = {"pragma_optimize", "bytecode", "tables_used", NULL};

/* The full-text and R-tree tables prepare writes to their own tables when they are first used. */
static int is_shadow(const char *table)
{
    return table != NULL && (strncasecmp(table, "f3_", 3) == 0 || strncasecmp(table, "f4_", 3) == 0 ||
                             strncasecmp(table, "f5_", 3) == 0 || strncasecmp(table, "rt_", 3) == 0);
}

int scratch_only_reads(int action, const char *first, const char *second)
{
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
        return 1;
    case SQLITE_READ:
        return first == NULL || !listed(first, acting_tables);
    case SQLITE_FUNCTION:
        return second == NULL || !listed(second, acting_functions);
    case SQLITE_PRAGMA:
        return first != NULL && (listed(first, reports) || (second == NULL && !listed(first, acts)));
    case SQLITE_INSERT:
    case SQLITE_DELETE:
        return is_shadow(first);
    case SQLITE_UPDATE:
        /* A virtual table declares its columns by a CREATE TABLE that is only parsed; up to 3.40 its UPDATE
         * of the schema is asked for. A real one asks for the INSERT, and for CREATE or DROP, too. */
        return is_shadow(first) || (first != NULL && strcasecmp(first, "sqlite_master") == 0);
    default:
        return 0;
    }
}

/* A path out of the folder must not be written, whatever a text says. */
static int leaves_folder(int action, const char *path)
{
    return action == SQLITE_ATTACH && path != NULL &&
           (strchr(path, '/') != NULL || strstr(path, "..") != NULL);
}

static int authorize(void *context, int action, const char *first, const char *second, const char *third,
                     const char *fourth)
{
    struct scratch *s = context;

    (void)third;
    (void)fourth;
    if (!s->watching)
        return SQLITE_OK;
    if (action == SQLITE_PRAGMA)
        s->read_pragma = 1;
    if (action == SQLITE_FUNCTION && second != NULL && strcasecmp(second, "rtreecheck") == 0)
        s->rtreecheck = 1;
    if (action == SQLITE_TRANSACTION && s->rtreecheck)
        return SQLITE_OK; /* one that stays open is seen by scratch_changed */
    if (!scratch_only_reads(action, first, second)) {
        /* The parser may resolve names before it meets the syntax error behind them. */
        char *const seen = action == SQLITE_FUNCTION || action == SQLITE_READ ? s->named : s->effect;

        if (seen[0] == '\0')
            snprintf(seen, sizeof s->effect, "SQLite was asked for action %d (%s, %s)", action,
                     first ? first : "", second ? second : "");
        if (s->preparing_only)
            return SQLITE_DENY;
    }
    return leaves_folder(action, first) ? SQLITE_DENY : SQLITE_OK;
}

static int look_at_budget(void *context)
{
    struct scratch *s = context;

    return s->watching && ++s->looks > PROGRESS_MAX;
}

/* --- functions and modules of the command line shell and of extensions ------------------------------- */

static void observe_function(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct scratch *s = sqlite3_user_data(context);

    (void)count;
    (void)values;
    snprintf(s->effect, sizeof s->effect, "a function with side effects was called");
    sqlite3_result_null(context);
}

static int observe_connect(sqlite3 *db, void *context, int argc, const char *const *argv,
                           sqlite3_vtab **table, char **error)
{
    (void)context;
    (void)argc;
    (void)argv;
    (void)error;
    *table = sqlite3_malloc(sizeof **table);
    if (*table == NULL)
        return SQLITE_NOMEM;
    memset(*table, 0, sizeof **table);
    return sqlite3_declare_vtab(db, "CREATE TABLE x(a, b, c, path HIDDEN)");
}

static int observe_disconnect(sqlite3_vtab *table)
{
    sqlite3_free(table);
    return SQLITE_OK;
}

static int observe_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
    (void)table;
    (void)info;
    return SQLITE_OK;
}

static int observe_open(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor)
{
    (void)table;
    *cursor = sqlite3_malloc(sizeof **cursor);
    if (*cursor == NULL)
        return SQLITE_NOMEM;
    memset(*cursor, 0, sizeof **cursor);
    return SQLITE_OK;
}

static int observe_close(sqlite3_vtab_cursor *cursor)
{
    sqlite3_free(cursor);
    return SQLITE_OK;
}

static struct scratch *observed;

static int observe_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
                          sqlite3_value **values)
{
    (void)cursor;
    (void)number;
    (void)text;
    (void)argc;
    (void)values;
    snprintf(observed->effect, sizeof observed->effect, "a table with side effects was read");
    return SQLITE_OK;
}

static int observe_next(sqlite3_vtab_cursor *cursor)
{
    (void)cursor;
    return SQLITE_OK;
}

static int observe_eof(sqlite3_vtab_cursor *cursor)
{
    (void)cursor;
    return 1;
}

static int observe_column(sqlite3_vtab_cursor *cursor, sqlite3_context *context, int column)
{
    (void)cursor;
    (void)context;
    (void)column;
    return SQLITE_OK;
}

static int observe_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *rowid)
{
    (void)cursor;
    *rowid = 0;
    return SQLITE_OK;
}

static const sqlite3_module observer = {
    .xConnect = observe_connect,
    .xBestIndex = observe_best_index,
    .xDisconnect = observe_disconnect,
    .xDestroy = observe_disconnect,
    .xOpen = observe_open,
    .xClose = observe_close,
    .xFilter = observe_filter,
    .xNext = observe_next,
    .xEof = observe_eof,
    .xColumn = observe_column,
    .xRowid = observe_rowid,
};

/* What the shell and common extensions add. Here they only tell that they were reached. */
static void add_observers(struct scratch *s)
{
    static const char *const functions[] = {"writefile", "readfile",     "edit",   "eval",     "sha3_query",
                                            "usleep",    "shell_putsnl", "define", "undefine", NULL};
    static const char *const tables[] = {"fsdir", "lsdir", "zipfile", NULL};

    observed = s;
    for (const char *const *name = functions; *name != NULL; name++)
        sqlite3_create_function(s->db, *name, -1, SQLITE_UTF8, s, observe_function, NULL, NULL);
    for (const char *const *name = tables; *name != NULL; name++)
        sqlite3_create_module(s->db, *name, &observer, NULL);
}

/* --- state ---------------------------------------------------------------------------------------------- */

/* Adds the rows of a query, values between tabs. */
static void add_rows(struct scratch *s, const char *sql, struct text *to)
{
    sqlite3_stmt *stmt = NULL;

    if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK) {
        text_add_string(to, sqlite3_errmsg(s->db));
        text_add_string(to, "\n");
        return;
    }
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            const char *value = (const char *)sqlite3_column_text(stmt, i);

            text_add_string(to, value != NULL ? value : "NULL");
            text_add_string(to, "\t");
        }
        text_add_string(to, "\n");
    }
    sqlite3_finalize(stmt);
}

/* Pragmas that do not act when read and whose value is not the file's content. */
static int has_value(const char *pragma)
{
    static const char *const left_out[] = {
        "foreign_key_check", "integrity_check", "quick_check",   "table_list",  "table_info",
        "table_xinfo",       "index_list",      "index_info",    "index_xinfo", "foreign_key_list",
        "module_list",       "compile_options", "function_list", NULL};

    return !listed(pragma, left_out) && !listed(pragma, acts);
}

static void read_state(struct scratch *s, struct text *to)
{
    static const char *const more[] = {"SELECT 'a' LIKE 'A'",
                                       "SELECT type, name, tbl_name, sql FROM temp.sqlite_master",
                                       "SELECT count(*) FROM pragma_function_list", NULL};
    sqlite3_stmt *stmt = NULL;
    char sql[80];

    s->watching = 0;
    text_clear(to);
    if (sqlite3_prepare_v2(s->db, "SELECT name FROM pragma_pragma_list ORDER BY 1", -1, &stmt, NULL) ==
        SQLITE_OK) {
        while (sqlite3_step(stmt) == SQLITE_ROW) {
            const char *name = (const char *)sqlite3_column_text(stmt, 0);

            if (!has_value(name))
                continue;
            snprintf(sql, sizeof sql, "PRAGMA %s", name);
            text_add_string(to, sql);
            text_add_string(to, ": ");
            add_rows(s, sql, to);
        }
    }
    sqlite3_finalize(stmt);
    for (const char *const *query = more; *query != NULL; query++) {
        text_add_string(to, *query);
        text_add_string(to, ": ");
        add_rows(s, *query, to);
    }
    s->watching = 1;
}

/* The switches of the connection that C can read and SQL could turn. */
static void read_switches(struct scratch *s, struct text *to)
{
    char line[24];

    text_clear(to);
    for (int option = SQLITE_DBCONFIG_ENABLE_FKEY; option <= SQLITE_DBCONFIG_TRUSTED_SCHEMA; option++) {
        int value = -1;

        if (option == SQLITE_DBCONFIG_RESET_DATABASE)
            continue;
        if (sqlite3_db_config(s->db, option, -1, &value) != SQLITE_OK)
            value = -2;
        snprintf(line, sizeof line, "%d=%d ", option, value);
        text_add_string(to, line);
    }
    snprintf(line, sizeof line, "heap %lld ", (long long)sqlite3_soft_heap_limit64(-1));
    text_add_string(to, line);
    text_add_string(to, sqlite3_temp_directory != NULL ? "temp directory" : "");
}

/* --- one connection --------------------------------------------------------------------------------------
 */

static void connect(struct scratch *s)
{
    sqlite3_hard_heap_limit64(0);
    sqlite3_soft_heap_limit64(0);
    sqlite3_free(sqlite3_temp_directory);
    sqlite3_temp_directory = NULL;
    if (sqlite3_open_v2(database, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
        give_up("open", sqlite3_errmsg(s->db));
    sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 200000);
    sqlite3_limit(s->db, SQLITE_LIMIT_WORKER_THREADS, 0);
    sqlite3_progress_handler(s->db, PROGRESS_EACH, look_at_budget, s);
}

static void watch(struct scratch *s)
{
    add_observers(s);
    sqlite3_set_authorizer(s->db, authorize, s);
    s->watching = 0;
    if (sqlite3_exec(s->db, arming, NULL, NULL, NULL) != SQLITE_OK)
        give_up("arming", sqlite3_errmsg(s->db));
    s->watching = 1;
    s->effect[0] = s->named[0] = '\0';
    s->changes = sqlite3_total_changes(s->db);
    read_switches(s, &s->switches);
}

struct scratch *scratch_open(void)
{
    struct scratch *s = calloc(1, sizeof *s);
    char *error = NULL;

    if (s == NULL)
        give_up("open", "out of memory");
    make_folder(s);
    connect(s);
    if (sqlite3_exec(s->db, schema, NULL, NULL, &error) != SQLITE_OK)
        give_up("schema", error);
    sqlite3_close(s->db);
    read_file(&s->file);
    connect(s);
    watch(s);
    read_state(s, &s->state);
    read_state(s, &s->state_now);
    if (scratch_changed(s) != NULL || scratch_state_changed(s) != NULL)
        give_up("a fresh database differs from itself", s->change);
    return s;
}

sqlite3 *scratch_memory(void)
{
    sqlite3 *db = NULL;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
        give_up("schema", sqlite3_errmsg(db));
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 200000);
    return db;
}

void scratch_restore(struct scratch *s)
{
    sqlite3_close(s->db);
    other_file(1);
    write_file(&s->file);
    connect(s);
    watch(s);
}

void scratch_close(struct scratch *s)
{
    sqlite3_close(s->db);
    other_file(1);
    unlink(database);
    if (chdir("/") != 0 || rmdir(s->folder) != 0)
        fprintf(stderr, "scratch: %s stays behind\n", s->folder);
    text_free(&s->file);
    text_free(&s->now);
    text_free(&s->state);
    text_free(&s->state_now);
    text_free(&s->switches);
    text_free(&s->copy);
    free(s);
}

/* --- running and checking ----------------------------------------------------------------------------------
 */

/* Returns 0 at an error; a statement that reached its limit did not fail. */
static int step_all(struct scratch *s, sqlite3_stmt *stmt)
{
    int rc = SQLITE_ROW;

    s->looks = 0;
    for (int rows = 0; rows < ROWS_MAX && rc == SQLITE_ROW; rows++)
        rc = sqlite3_step(stmt);
    sqlite3_finalize(stmt);
    return rc == SQLITE_ROW || rc == SQLITE_DONE || rc == SQLITE_INTERRUPT;
}

/* Runs the statements of a text; *statements counts them. Returns 0 at an error. */
static int run_text(struct scratch *s, const char *sql, size_t len, unsigned *statements)
{
    const char *tail;
    const char *end;

    text_set(&s->copy, sql, len);
    tail = s->copy.bytes;
    end = tail + len;
    s->rtreecheck = 0;
    while (tail < end) {
        const char *const from = tail;
        sqlite3_stmt *stmt = NULL;

        if (s->named[0] != '\0' && s->effect[0] == '\0')
            memcpy(s->effect, s->named, sizeof s->effect);
        s->named[0] = '\0';
        if (sqlite3_prepare_v2(s->db, from, (int)(end - from) + 1, &stmt, &tail) != SQLITE_OK) {
            s->named[0] = '\0';
            return 0;
        }
        if (stmt == NULL && tail == from)
            break;
        if (stmt == NULL)
            continue;
        ++*statements;
        if (!step_all(s, stmt))
            return 0;
    }
    return 1;
}

unsigned scratch_run(struct scratch *s, const char *sql, size_t len)
{
    unsigned statements = 0;

    run_text(s, sql, len, &statements);
    return statements;
}

int scratch_run_all(struct scratch *s, const char *sql, size_t len)
{
    unsigned statements = 0;

    return run_text(s, sql, len, &statements);
}

static const char *attached(struct scratch *s)
{
    static char name[100];
    sqlite3_stmt *stmt = NULL;
    const char *found = NULL;

    s->watching = 0;
    if (sqlite3_prepare_v2(s->db, "PRAGMA database_list", -1, &stmt, NULL) != SQLITE_OK)
        return "the list of databases cannot be read";
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        if (sqlite3_column_int(stmt, 0) > 1) {
            snprintf(name, sizeof name, "%s", (const char *)sqlite3_column_text(stmt, 1));
            found = name;
        }
    }
    sqlite3_finalize(stmt);
    s->watching = 1;
    return found;
}

static const char *changed(struct scratch *s, const char *what, const char *detail)
{
    snprintf(s->change, sizeof s->change, "%s%s%s", what, detail[0] != '\0' ? ": " : "", detail);
    return s->change;
}

const char *scratch_changed(struct scratch *s)
{
    static struct text switches;
    const char *name;

    if (s->effect[0] != '\0' || s->named[0] != '\0')
        return changed(s, s->effect[0] != '\0' ? s->effect : s->named, "");
    if (sqlite3_total_changes(s->db) != s->changes)
        return changed(s, "rows were changed", "");
    if (!sqlite3_get_autocommit(s->db))
        return changed(s, "a transaction stays open", "");
    if ((name = other_file(0)) != NULL)
        return changed(s, "a new file", name);
    read_file(&s->now);
    if (s->now.len != s->file.len || memcmp(s->now.bytes, s->file.bytes, s->file.len) != 0)
        return changed(s, "the database file changed", "");
    read_switches(s, &switches);
    if (strcmp(switches.bytes, s->switches.bytes) != 0)
        return changed(s, "a switch of the connection turned", switches.bytes);
    if ((name = attached(s)) != NULL)
        return changed(s, "a database is attached", name);
    return NULL;
}

const char *scratch_state_changed(struct scratch *s)
{
    const char *was = s->state.bytes;
    const char *is;
    size_t line = 0;

    read_state(s, &s->state_now);
    is = s->state_now.bytes;
    if (strcmp(was, is) == 0)
        return NULL;
    for (size_t i = 0; was[i] == is[i]; i++) {
        if (was[i] == '\n')
            line = i + 1;
    }
    return changed(s, "state changed", is + line);
}

int scratch_has_pragma(struct scratch *s, const char *name)
{
    static const char query[] = "SELECT 1 FROM pragma_pragma_list WHERE name = lower(?)";
    sqlite3_stmt *stmt = NULL;
    int found;

    if (sqlite3_prepare_v2(s->db, query, -1, &stmt, NULL) != SQLITE_OK)
        give_up(query, sqlite3_errmsg(s->db));
    sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
    found = sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_finalize(stmt);
    return found;
}

enum scratch_reading scratch_read(struct scratch *s, const char *sql, size_t len)
{
    const char *tail;
    const char *end;
    enum scratch_reading result = SCRATCH_EMPTY;

    text_set(&s->copy, sql, len);
    tail = s->copy.bytes;
    end = tail + len;
    s->preparing_only = 1;
    while (tail < end) {
        const char *const from = tail;
        sqlite3_stmt *stmt = NULL;

        s->read_pragma = 0;
        if (sqlite3_prepare_v2(s->db, from, (int)(end - from) + 1, &stmt, &tail) != SQLITE_OK ||
            s->effect[0] != '\0' || s->named[0] != '\0') {
            sqlite3_finalize(stmt);
            result = SCRATCH_NO_READ;
            break;
        }
        if (stmt == NULL && tail == from)
            break;
        if (stmt == NULL)
            continue;
        if (sqlite3_column_count(stmt) == 0 || !sqlite3_stmt_readonly(stmt))
            result = SCRATCH_NO_READ;
        else if (s->read_pragma)
            result = SCRATCH_WITH_PRAGMA;
        else if (result == SCRATCH_EMPTY)
            result = SCRATCH_QUERIES;
        sqlite3_finalize(stmt);
        if (result == SCRATCH_NO_READ)
            break;
    }
    s->preparing_only = 0;
    s->effect[0] = s->named[0] = '\0';
    return result;
}

/*
 * The second layer alone: what a text could do if the guard had let it through. Each statement goes
 * straight to the SQLite backend; all have to fail, and the file and its folder stay as they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

static char folder[] = "/tmp/d1guard-backend-XXXXXX";
static char path[64], extra[64];

static const char schema[] =
    "CREATE TABLE t (a); INSERT INTO t VALUES (1), (2); CREATE INDEX ta ON t (a);"
    "CREATE VIEW vopt AS SELECT * FROM pragma_optimize;"
    "CREATE VIRTUAL TABLE f USING fts4 (x); INSERT INTO f VALUES ('alpha'); INSERT INTO f VALUES ('beta');"
    "CREATE VIEW vfts AS SELECT optimize(f) FROM f;";

static const char *const attacks[] = {
    "INSERT INTO t VALUES (3)", "UPDATE t SET a = 9", "DELETE FROM t", "INSERT INTO t VALUES (3) RETURNING a",
    "CREATE TABLE z (a)", "CREATE TEMP TABLE z (a)", "CREATE TEMP VIEW z AS SELECT 1", "DROP TABLE t", "ALTER TABLE t ADD b",
    "UPDATE sqlite_master SET sql = ''", "DELETE FROM f_segdir", "UPDATE f_content SET c0x = 'x'",
    "INSERT INTO f (f) VALUES ('optimize')",
    "VACUUM", "VACUUM INTO '%s/extra.db'", "REINDEX", "ANALYZE", "ATTACH '%s/extra.db' AS n", "DETACH main",
    "BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s", "COMMIT", "ROLLBACK",
    "PRAGMA query_only = 0", "PRAGMA journal_mode = wal", "PRAGMA user_version = 9", "PRAGMA writable_schema = 1",
    "PRAGMA trusted_schema = 1", "PRAGMA temp_store_directory = '/'", "PRAGMA optimize", "EXPLAIN PRAGMA query_only = 0",
    "SELECT load_extension('x')", "SELECT fts3_tokenizer('x')", "SELECT sqlite_log(1, 'x')",
    "SELECT * FROM pragma_optimize", "SELECT * FROM vopt", "SELECT optimize(f) FROM f", "SELECT * FROM vfts",
    "SELECT 1; DELETE FROM t", "SELECT 1; -- x", "-- nothing"};

static int no_columns(void *context, const struct value *names, size_t count)
{
    (void)context, (void)names, (void)count;
    return 0;
}

static int count_row(void *context, const struct value *values, size_t count)
{
    (void)values, (void)count;
    ++*(int *)context;
    return 0;
}

static int run_as(struct backend *b, const char *format, int reads_only_by_form, struct failure *failure, int *rows)
{
    char sql[256];
    const struct params none = {NULL, NULL, 0};
    const struct row_sink sink = {no_columns, count_row, rows};
    const struct watch watch = {clock_ms() + 10000, NULL, NULL};
    struct statement statement = {sql, 0, &none, 0, reads_only_by_form};
    int changed, rc;

    snprintf(sql, sizeof sql, strstr(format, "%s") != NULL ? format : "%s", strstr(format, "%s") != NULL ? folder : format);
    statement.len = strlen(sql);
    *rows = 0;
    rc = b->enter(b, &watch, &changed, failure);
    if (rc == 0)
        rc = b->run(b, &statement, &sink, &watch, failure);
    b->leave(b);
    return rc;
}

static int run_on(struct backend *b, const char *sql, struct failure *failure, int *rows)
{
    return run_as(b, sql, 0, failure, rows);
}

/* What a connection of its own sees: a number that changes with the content. */
static void read_file(char *text, size_t size)
{
    sqlite3 *db;
    sqlite3_stmt *stmt;

    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT (SELECT group_concat(a) FROM t) || (SELECT group_concat(sql) FROM sqlite_master)"
                                            " || (SELECT count(*) FROM f_segdir) || (SELECT user_version FROM pragma_user_version)"
                                            " || (SELECT journal_mode FROM pragma_journal_mode)", -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    snprintf(text, size, "%s", (const char *)sqlite3_column_text(stmt, 0));
    sqlite3_finalize(stmt);
    sqlite3_close(db);
}

static int set_up(void **state)
{
    sqlite3 *db;

    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(path, sizeof path, "%s/app.db", folder);
    snprintf(extra, sizeof extra, "%s/extra.db", folder);
    if (sqlite3_open(path, &db) != SQLITE_OK || sqlite3_exec(db, schema, NULL, NULL, NULL) != SQLITE_OK)
        return -1;
    return sqlite3_close(db);
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* Each attack on a connection of its own, so that none hides behind the one before. */
static void nothing_gets_through(void **state)
{
    char before[4096], after[4096];

    (void)state;
    read_file(before, sizeof before);
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
        struct failure failure = {0}, opening = {0};
        struct backend *b = sqlite_backend_open(path, NULL, 0, &opening);
        int rows;

        assert_non_null(b);
        if (run_on(b, attacks[i], &failure, &rows) != -1)
            fail_msg("succeeded: %s", attacks[i]);
        assert_non_null(failure.code);
        buf_free(&failure.message);
        memset(&failure, 0, sizeof failure);
        assert_int_equal(run_on(b, "SELECT a FROM t", &failure, &rows), 0);
        assert_int_equal(rows, 2);
        b->close(b);
        read_file(after, sizeof after);
        if (strcmp(before, after) != 0 || access(extra, F_OK) == 0)
            fail_msg("changed the file or its folder: %s", attacks[i]);
    }
}

/* The same on one connection: no attack opens the way for a later one. */
static void nothing_adds_up(void **state)
{
    char before[4096], after[4096];
    struct failure opening = {0};
    struct backend *b = sqlite_backend_open(path, NULL, 0, &opening);

    (void)state;
    assert_non_null(b);
    read_file(before, sizeof before);
    for (size_t i = 0; i < 2 * (sizeof attacks / sizeof *attacks); i++) {
        struct failure failure = {0};
        int rows;

        assert_int_equal(run_on(b, attacks[i % (sizeof attacks / sizeof *attacks)], &failure, &rows), -1);
        buf_free(&failure.message);
    }
    b->close(b);
    read_file(after, sizeof after);
    assert_string_equal(before, after);
}

/* SQLite does not call this one read-only, though it is: it stands for any that only SQLite sees through. */
static void capped_text_has_to_be_readonly_for_sqlite(void **state)
{
    struct failure failure = {0};
    struct backend *b = sqlite_backend_open(path, NULL, 0, &failure);
    int rows;

    (void)state;
    assert_non_null(b);
    assert_int_equal(run_as(b, "PRAGMA journal_mode", 0, &failure, &rows), 0);
    assert_int_equal(rows, 1);
    assert_int_equal(run_as(b, "PRAGMA journal_mode", 1, &failure, &rows), -1);
    assert_string_equal(failure.code, "SQL_BLOCKED");
    buf_free(&failure.message);
    b->close(b);
}

/* What the layers stop does write where they are off: the tests above can fail. */
static void guard_only_writes(void **state)
{
    char before[4096], after[4096];
    struct failure failure = {0};
    struct backend *b = sqlite_backend_open(path, NULL, 1, &failure);
    int rows;

    (void)state;
    assert_non_null(b);
    read_file(before, sizeof before);
    assert_int_equal(run_on(b, "INSERT INTO t VALUES (3)", &failure, &rows), 0);
    if (run_on(b, "ATTACH '%s/extra.db' AS n", &failure, &rows) != 0)
        fail_msg("%s", failure.message.data);
    b->close(b);
    read_file(after, sizeof after);
    assert_string_not_equal(before, after);
    assert_int_equal(unlink(extra), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_gets_through),
        cmocka_unit_test(nothing_adds_up),
        cmocka_unit_test(capped_text_has_to_be_readonly_for_sqlite),
        cmocka_unit_test(guard_only_writes),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * The row cap: the capped text is allowed, caps to itself, prepares when the original does, is one
 * statement and returns at most n rows; a buffer that is too short is left alone.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include <d1guard.h>

#include "scratch.h"

const size_t fuzz_header = 0;

static const struct d1guard_options options = {.size = sizeof options, .engine = D1GUARD_ENGINE_SQLITE};

static sqlite3 *db;
static int looks;

static int look_at_budget(void *context)
{
    (void)context;
    return ++looks > 100;
}

static void open_database(void)
{
    if (db != NULL)
        return;
    db = scratch_memory();
    sqlite3_progress_handler(db, 500, look_at_budget, NULL);
}

/* Prepares a text that holds one statement. NULL if SQLite takes it otherwise; *fails if with an error. */
static sqlite3_stmt *prepare_one(const char *sql, size_t len, int *fails)
{
    char *z = fuzz_string((const uint8_t *)sql, len);
    const char *const end = z + len;
    const char *tail = z;
    const char *from;
    sqlite3_stmt *found = NULL;
    int others = 0;

    *fails = 0;
    do {
        sqlite3_stmt *statement = NULL;

        from = tail;
        looks = 0;
        if (sqlite3_prepare_v2(db, from, (int)(end - from) + 1, &statement, &tail) != SQLITE_OK) {
            *fails = 1;
            break;
        }
        if (statement != NULL && found != NULL)
            others = 1;
        if (statement != NULL && found == NULL)
            found = statement;
        else
            sqlite3_finalize(statement);
    } while (tail < end && tail > from);
    free(z);
    if (*fails || others) {
        sqlite3_finalize(found);
        found = NULL;
    }
    return found;
}

/* A wrapped query's columns are named from outside: SQLite then looks for a collation that the query itself never needs. */
static int is_documented_failure(uint32_t form)
{
    return form == D1GUARD_FORM_WRAPPED && strstr(sqlite3_errmsg(db), "no such collation sequence") != NULL;
}

static void check_rows(const char *sql, size_t len, const char *capped, size_t capped_len, uint64_t n, uint32_t form)
{
    int original_fails, capped_fails;
    sqlite3_stmt *original, *statement;
    uint64_t rows = 0;

    open_database();
    original = prepare_one(sql, len, &original_fails);
    statement = prepare_one(capped, capped_len, &capped_fails);
    if (original != NULL && statement == NULL && !is_documented_failure(form)) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
        fuzz_broken("the capped text prepares when the original does", sql, len);
    }
    if (statement == NULL && !capped_fails)
        fuzz_broken("the capped text is one statement", sql, len);
    looks = 0;
    while (statement != NULL && form != D1GUARD_FORM_NOT_CAPPED && rows <= n && sqlite3_step(statement) == SQLITE_ROW)
        rows++;
    if (rows > n)
        fuzz_broken("no more rows than the cap", sql, len);
    sqlite3_finalize(original);
    sqlite3_finalize(statement);
}

static void check_short_buffer(const char *sql, size_t len, uint64_t n, size_t size)
{
    char *out = fuzz_allocate(size);
    size_t again = 0;

    memset(out, 0x5a, size);
    if (d1guard_cap(sql, len, &options, n, out, size - 1, &again, NULL) != D1GUARD_ALLOW || again != size)
        fuzz_broken("a short buffer changes no answer", sql, len);
    for (size_t i = 0; i < size; i++)
        if (out[i] != 0x5a)
            fuzz_broken("a short buffer is left alone", sql, len);
    free(out);
}

static void check_cap(const char *sql, size_t len, uint64_t n)
{
    struct d1guard_report report = {.size = sizeof report};
    size_t size, again_size;
    char *out, *again;

    if (d1guard_cap(sql, len, &options, n, NULL, 0, &size, &report) != D1GUARD_ALLOW) {
        if (size != 0 || (report.reason != D1GUARD_REASON_NEEDS_ONE && d1guard_classify(sql, len, &options, NULL) == D1GUARD_ALLOW))
            fuzz_broken("cap takes what is allowed and one statement", sql, len);
        return;
    }
    if (size == 0 || size > len + 64)
        fuzz_broken("a capped text is no longer than the header says", sql, len);
    check_short_buffer(sql, len, n, size);
    out = fuzz_allocate(size);
    again = fuzz_allocate(size);
    if (d1guard_cap(sql, len, &options, n, out, size, &again_size, NULL) != D1GUARD_ALLOW || again_size != size)
        fuzz_broken("capping twice gives the same", sql, len);
    if (d1guard_classify(out, size, &options, NULL) != D1GUARD_ALLOW)
        fuzz_broken("the capped text is allowed", sql, len);
    if (d1guard_cap(out, size, &options, n, again, size, &again_size, NULL) != D1GUARD_ALLOW || again_size != size ||
        memcmp(again, out, size) != 0)
        fuzz_broken("the capped text caps to itself", sql, len);
    check_rows(sql, len, out, size, n, report.form);
    free(out);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sql = fuzz_exact(data, size);

    check_cap(sql, size, 1);
    check_cap(sql, size, 2 + fuzz_hash(data, size) % 20);
    free(sql);
    return 0;
}

/*
 * Parentheses deeper than SQLite's parser goes: counters, not a stack, so nothing may overflow, and no
 * name may hide at a depth.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "d1guard.h"

/* Around what the library keeps a bit for, and far beyond. */
static const size_t depths[] = {1, 2, 31, 32, 33, 63, 64, 65, 254, 255, 256, 257, 258, 2500, 100000};
#define DEPTHS (sizeof depths / sizeof *depths)

/* Judges head, `depth` times "(", body, `depth` times ")", tail, in memory of exactly that size. */
static struct d1guard_report nested(const char *head, size_t depth, const char *body, size_t closed,
                                    const char *tail)
{
    struct d1guard_report report = {.size = sizeof report};
    const size_t parts[] = {strlen(head), depth, strlen(body), closed, strlen(tail)};
    const size_t len = parts[0] + parts[1] + parts[2] + parts[3] + parts[4];
    char *sql = malloc(len);
    char *end = sql;

    assert_non_null(sql);
    memcpy(end, head, parts[0]);
    memset(end += parts[0], '(', depth);
    memcpy(end += depth, body, parts[2]);
    memset(end += parts[2], ')', closed);
    memcpy(end + closed, tail, parts[4]);
    d1guard_classify(sql, len, NULL, &report);
    free(sql);
    return report;
}

static void queries_are_allowed(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEPTHS; i++) {
        const size_t d = depths[i];

        assert_int_equal(nested("SELECT ", d, "1", d, "").reason, D1GUARD_REASON_READS_ONLY);
        assert_int_equal(nested("SELECT * FROM ", d, "t", d, "").reason, D1GUARD_REASON_READS_ONLY);
        assert_int_equal(nested("SELECT ", d, "abs(1)", d, ", bytecode").reason, D1GUARD_REASON_READS_ONLY);
        assert_int_equal(nested("WITH a AS (SELECT ", d, "1", d, ") SELECT 1").reason,
                         D1GUARD_REASON_READS_ONLY);
    }
}

static void no_table_hides(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEPTHS; i++) {
        const size_t d = depths[i];

        assert_int_equal(nested("SELECT * FROM ", d, "bytecode", d, "").reason, D1GUARD_REASON_DENIED_TABLE);
        assert_int_equal(nested("SELECT * FROM ", d, "t, bytecode", d, "").reason,
                         D1GUARD_REASON_DENIED_TABLE);
        assert_int_equal(nested("SELECT * FROM ", d, "t JOIN bytecode", d, "").reason,
                         D1GUARD_REASON_DENIED_TABLE);
        assert_int_equal(nested("SELECT * FROM ", d, "t", d, ", bytecode").reason,
                         D1GUARD_REASON_DENIED_TABLE);
        assert_int_equal(nested("SELECT ", d, "1 IN bytecode", d, "").reason, D1GUARD_REASON_DENIED_TABLE);
        assert_int_equal(nested("SELECT ", d, "SELECT 1 FROM t, bytecode", d, "").reason,
                         D1GUARD_REASON_DENIED_TABLE);
    }
}

/* Up to a depth, a FROM list ends where it does; from 1,024 on every name behind a comma may be a table. */
static void lists_of_tables_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEPTHS; i++) {
        const size_t d = depths[i];
        const uint32_t reason = d < 256 ? D1GUARD_REASON_READS_ONLY : D1GUARD_REASON_DENIED_TABLE;

        assert_int_equal(nested("SELECT ", d, "SELECT 1 FROM t ORDER BY a, bytecode", d, "").reason, reason);
        assert_int_equal(nested("SELECT ", d, "SELECT 1 FROM t ORDER BY a", d, ", bytecode").reason,
                         D1GUARD_REASON_READS_ONLY);
    }
}

static void no_function_hides(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEPTHS; i++) {
        const size_t d = depths[i];

        assert_int_equal(nested("SELECT ", d, "load_extension(1)", d, "").reason,
                         D1GUARD_REASON_DENIED_FUNCTION);
        assert_int_equal(nested("SELECT ", d, "1", d, ", edit(1)").reason, D1GUARD_REASON_DENIED_FUNCTION);
    }
}

static void no_writer_hides(void **state)
{
    (void)state;
    for (size_t i = 0; i < DEPTHS; i++) {
        const size_t d = depths[i];

        assert_int_equal(nested("WITH a AS (SELECT ", d, "1", d, ") DELETE FROM t").reason,
                         D1GUARD_REASON_WRITE);
        assert_int_equal(nested("SELECT ", d, "1", d, "; DELETE FROM t").reason, D1GUARD_REASON_WRITE);
    }
}

/* The span is the first parenthesis that stays open, or the first that closes none. */
static void every_one_has_its_partner(void **state)
{
    struct d1guard_report report;

    (void)state;
    for (size_t i = 0; i < DEPTHS; i++) {
        const size_t d = depths[i];

        report = nested("SELECT ", d, "1", d - 1, "");
        assert_int_equal(report.reason, D1GUARD_REASON_PARENTHESIS);
        assert_int_equal(report.at, 7);
        assert_int_equal(report.len, 1);
        report = nested("SELECT ", d, "1", d + 1, "");
        assert_int_equal(report.reason, D1GUARD_REASON_PARENTHESIS);
        assert_int_equal(report.at, 7 + d + 1 + d);
        assert_int_equal(report.len, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_allowed),       cmocka_unit_test(no_table_hides),
        cmocka_unit_test(lists_of_tables_end),       cmocka_unit_test(no_function_hides),
        cmocka_unit_test(no_writer_hides),           cmocka_unit_test(every_one_has_its_partner),
    };

    return cmocka_run_group_tests_name("nesting", tests, NULL, NULL);
}

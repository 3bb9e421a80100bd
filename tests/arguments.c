/*
 * What a host can do wrong or differently with the structs: NULL, sizes older and newer than the library,
 * numbers and flags that it does not know, lists of names without an end. No text can show these.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "d1guard.h"

#define FILL 0xa5

static const char sql[] = "SELECT 1";
#define LEN (sizeof sql - 1)

/* The report of sql under the options. */
static struct d1guard_report classified(const struct d1guard_options *options)
{
    struct d1guard_report report = {.size = sizeof report};
    const int verdict = d1guard_classify(sql, LEN, options, &report);

    assert_int_equal(verdict, report.verdict);
    return report;
}

static void assert_bad(const struct d1guard_options *options)
{
    const struct d1guard_report report = classified(options);

    assert_int_equal(report.verdict, D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_BAD_ARGUMENT);
    assert_int_equal(report.at | report.len | report.statement | report.statements, 0);
}

static void zeroed_structs_mean_no_and_the_defaults(void **state)
{
    struct d1guard_report report = {0};
    struct d1guard_options options = {.size = sizeof options};

    (void)state;
    assert_int_equal(report.verdict, D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_UNSET);
    assert_int_equal(classified(&options).verdict, D1GUARD_ALLOW);
    assert_int_equal(classified(NULL).verdict, D1GUARD_ALLOW);
}

static void a_null_text_has_no_bytes(void **state)
{
    struct d1guard_report report = {.size = sizeof report};
    struct d1guard_token token = {.size = sizeof token, .at = 7};
    struct d1guard_statement statement = {.size = sizeof statement};

    (void)state;
    assert_int_equal(d1guard_classify(NULL, 0, NULL, &report), D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_EMPTY);
    assert_int_equal(d1guard_classify(NULL, 1, NULL, &report), D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_BAD_ARGUMENT);
    assert_int_equal(d1guard_classify_view(NULL, 1, NULL, &report), D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_BAD_ARGUMENT);
    assert_int_equal(d1guard_next_token(NULL, 0, 0, &token), 0);
    assert_int_equal(d1guard_next_token(NULL, 1, 0, &token), 0);
    assert_int_equal(d1guard_tokens(NULL, 0, 0, &token, 1), 0);
    assert_int_equal(d1guard_tokens(NULL, 1, 0, &token, 1), 0);
    assert_int_equal(token.at, 7);
    assert_int_equal(d1guard_next_statement(NULL, 0, 0, &statement), 0);
    assert_int_equal(d1guard_next_statement(NULL, 1, 0, &statement), -1);
    assert_int_equal(statement.reason, D1GUARD_REASON_BAD_ARGUMENT);
    assert_int_equal(statement.kind | statement.risk | statement.explain | statement.flags, 0);
    assert_int_equal(statement.at | statement.len | statement.next | statement.error_at | statement.error_len, 0);
}

static void null_outputs(void **state)
{
    struct d1guard_report report = {.size = sizeof report};
    char out[64];

    (void)state;
    assert_int_equal(d1guard_classify(sql, LEN, NULL, NULL), D1GUARD_ALLOW);
    assert_int_equal(d1guard_next_token(sql, LEN, 0, NULL), 0);
    assert_int_equal(d1guard_tokens(sql, LEN, 0, NULL, 1), 0);
    assert_int_equal(d1guard_next_statement(sql, LEN, 0, NULL), -1);
    assert_int_equal(d1guard_clean(sql, LEN, NULL, out, sizeof out, NULL, &report), D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_BAD_ARGUMENT);
    assert_int_equal(report.at | report.len | report.statement | report.statements, 0);
    assert_int_equal(d1guard_cap(sql, LEN, NULL, 1, out, sizeof out, NULL, &report), D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_BAD_ARGUMENT);
    assert_int_equal(report.at | report.len | report.statement | report.statements, 0);
    d1guard_position(sql, LEN, 3, NULL, NULL);
    assert_int_equal(d1guard_message(NULL, NULL, 0, NULL, 0), strlen(d1guard_reason_sentence(0)));
}

/* A text is read from `at` on, and there is nothing behind its end. */
static void reading_beyond_the_end(void **state)
{
    struct d1guard_token token = {.size = sizeof token};
    struct d1guard_statement statement = {.size = sizeof statement};

    (void)state;
    assert_int_equal(d1guard_next_token(sql, LEN, LEN, &token), 0);
    assert_int_equal(d1guard_next_token(sql, LEN, SIZE_MAX, &token), 0);
    assert_int_equal(d1guard_tokens(sql, LEN, LEN, &token, 1), 0);
    assert_int_equal(d1guard_tokens(sql, LEN, SIZE_MAX, &token, 1), 0);
    assert_int_equal(d1guard_tokens(sql, LEN, 0, &token, 0), 0);
    assert_int_equal(d1guard_next_statement(sql, LEN, LEN, &statement), 0);
    assert_int_equal(d1guard_next_statement(sql, LEN, SIZE_MAX, &statement), 0);
    assert_int_equal(statement.next, LEN);
}

static void options_that_the_library_does_not_know(void **state)
{
    struct d1guard_options options = {.size = sizeof options};

    (void)state;
    options.engine = D1GUARD_ENGINE_SQLITE + 1;
    assert_bad(&options);
    options.engine = 0;
    options.flags = D1GUARD_REQUIRE_WHERE << 1;
    assert_bad(&options);
    options.flags = UINT32_C(1) << 31;
    assert_bad(&options);
    options.flags = 0;
    options.allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_UNKNOWN);
    assert_bad(&options);
    options.allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_LAST + 1);
    assert_bad(&options);
    options.allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_LAST);
    assert_int_equal(classified(&options).verdict, D1GUARD_ALLOW);
    options.size = 0;
    assert_bad(&options);
}

/* A caller of a newer header sets more bytes; they may only be zero here. */
static void options_newer_than_the_library(void **state)
{
    struct {
        struct d1guard_options known;
        unsigned char more[16];
    } options = {.known = {.size = sizeof options}};

    (void)state;
    assert_int_equal(classified(&options.known).verdict, D1GUARD_ALLOW);
    options.more[15] = 1;
    assert_bad(&options.known);
    options.more[15] = 0;
    options.more[0] = 1;
    assert_bad(&options.known);
}

/* A caller of an older header has fewer fields; what lies behind them is not the library's. */
static void options_older_than_the_library(void **state)
{
    struct d1guard_options options;

    (void)state;
    memset(&options, FILL, sizeof options);
    options.size = offsetof(struct d1guard_options, max_statements);
    options.engine = D1GUARD_ENGINE_D1;
    options.allow_risks = 0;
    options.flags = 0;
    assert_int_equal(classified(&options).verdict, D1GUARD_ALLOW);
    options.max_statements = 1;
    options.size = offsetof(struct d1guard_options, deny_functions);
    assert_int_equal(classified(&options).verdict, D1GUARD_ALLOW);
    assert_int_equal(d1guard_classify("SELECT 1;SELECT 2", 17, &options, NULL), D1GUARD_REFUSE);
    options.max_statements = 0;
    options.deny_functions = (struct d1guard_names){"abs", 4};
    options.size = offsetof(struct d1guard_options, deny_tables);
    assert_int_equal(classified(&options).verdict, D1GUARD_ALLOW);
    assert_int_equal(d1guard_classify("SELECT abs(1)", 13, &options, NULL), D1GUARD_REFUSE);
}

/* No header has a struct that ends inside a field: a list of which only a part is there must not count as none. */
static void options_that_end_inside_a_field(void **state)
{
    struct d1guard_options options = {.size = 0};

    (void)state;
    for (uint32_t size = sizeof options.size; size < sizeof options; size++) {
        const size_t lists = offsetof(struct d1guard_options, deny_functions);
        const int whole = size == offsetof(struct d1guard_options, max_statements) ||
                          (size >= lists && (size - lists) % sizeof options.deny_functions == 0);

        options.size = size;
        if (whole)
            assert_int_equal(classified(&options).verdict, D1GUARD_ALLOW);
        else
            assert_bad(&options);
    }
}

/* Each name ends with a NUL, the last one too; NULL is the list of none. */
static void lists_of_names(void **state)
{
    static const struct d1guard_names broken = {"abs", 3}, missing = {NULL, 4}, two = {"abs\0max", 8};
    struct d1guard_options clear = {.size = sizeof clear};
    struct d1guard_names *const lists[] = {&clear.deny_functions,  &clear.deny_tables,  &clear.deny_pragmas,
                                           &clear.allow_functions, &clear.allow_tables, &clear.allow_pragmas};

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        *lists[i] = broken;
        assert_bad(&clear);
        *lists[i] = missing;
        assert_bad(&clear);
        *lists[i] = two;
        assert_int_equal(classified(&clear).verdict, D1GUARD_ALLOW);
        lists[i]->len = 0;
        assert_int_equal(classified(&clear).verdict, D1GUARD_ALLOW);
        lists[i]->text = NULL;
    }
}

/* One byte that is NUL is the empty name, which SQLite lets a table have; it ends no list. */
static void lists_with_an_empty_name(void **state)
{
    static const char empty_name[] = "SELECT * FROM \"\"", other_name[] = "SELECT * FROM t";
    static const char empty_call[] = "SELECT \"\"(1)";
    static const struct d1guard_names both = {"\0t", 3}, empty = {"", 1}, other = {"t", 2};
    struct d1guard_options options = {.size = sizeof options, .deny_tables = both};
    struct d1guard_options functions = {.size = sizeof functions, .deny_functions = empty};

    (void)state;
    assert_int_equal(d1guard_classify(empty_name, sizeof empty_name - 1, &options, NULL), D1GUARD_REFUSE);
    assert_int_equal(d1guard_classify(other_name, sizeof other_name - 1, &options, NULL), D1GUARD_REFUSE);
    options.deny_tables = empty;
    assert_int_equal(d1guard_classify(empty_name, sizeof empty_name - 1, &options, NULL), D1GUARD_REFUSE);
    options.deny_tables = other;
    assert_int_equal(d1guard_classify(empty_name, sizeof empty_name - 1, &options, NULL), D1GUARD_ALLOW);
    assert_int_equal(d1guard_classify(empty_call, sizeof empty_call - 1, &functions, NULL), D1GUARD_REFUSE);
}

/* A caller of a newer header has a longer report; the library fills what it knows and keeps `size`. */
static void reports_newer_than_the_library(void **state)
{
    struct {
        struct d1guard_report known;
        unsigned char more[16];
    } report;

    (void)state;
    memset(&report, FILL, sizeof report);
    report.known.size = sizeof report;
    assert_int_equal(d1guard_classify(sql, LEN, NULL, &report.known), D1GUARD_ALLOW);
    assert_int_equal(report.known.size, sizeof report);
    assert_int_equal(report.known.reason, D1GUARD_REASON_READS_ONLY);
    assert_int_equal(report.known.statements, 1);
}

/* A caller of an older header has a shorter one, which is filled up to its size and no further. */
static void reports_older_than_the_library(void **state)
{
    static const char write[] = "SELECT 1; DELETE FROM t";
    struct d1guard_report report = {.size = sizeof report};

    (void)state;
    assert_int_equal(d1guard_classify(write, sizeof write - 1, NULL, &report), D1GUARD_REFUSE);
    for (uint32_t size = offsetof(struct d1guard_report, form); size < sizeof report; size++) {
        struct d1guard_report part, wanted;

        memset(&part, FILL, sizeof part);
        part.size = size;
        wanted = part;
        memcpy((char *)&wanted + sizeof size, (char *)&report + sizeof size, size - sizeof size);
        assert_int_equal(d1guard_classify(write, sizeof write - 1, NULL, &part), D1GUARD_REFUSE);
        assert_memory_equal(&part, &wanted, sizeof part);
    }
}

static void a_report_without_a_size_is_not_written(void **state)
{
    struct d1guard_report report, before;

    (void)state;
    memset(&report, FILL, sizeof report);
    report.size = 0;
    before = report;
    assert_int_equal(d1guard_classify(sql, LEN, NULL, &report), D1GUARD_REFUSE);
    assert_memory_equal(&report, &before, sizeof report);
}

/* The refused statement is the last one counted, though all were read. */
static void capping_refuses_the_second_statement(void **state)
{
    static const char three[] = "SELECT 1; SELECT 2; SELECT 3";
    struct d1guard_report report = {.size = sizeof report};
    size_t written = 1;

    (void)state;
    assert_int_equal(d1guard_cap(three, sizeof three - 1, NULL, 1, NULL, 0, &written, &report), D1GUARD_REFUSE);
    assert_int_equal(report.reason, D1GUARD_REASON_NEEDS_ONE);
    assert_int_equal(report.at, 10);
    assert_int_equal(report.statement, 1);
    assert_int_equal(report.statements, 2);
    assert_int_equal(written, 0);
}

static void numbers_without_a_slug(void **state)
{
    (void)state;
    assert_string_equal(d1guard_reason_slug(D1GUARD_REASON_LAST + 1), "unknown");
    assert_string_equal(d1guard_reason_slug(3), "unknown");
    assert_string_equal(d1guard_reason_sentence(UINT32_MAX), "unknown");
    assert_string_equal(d1guard_risk_slug(D1GUARD_RISK_LAST + 1), "unknown");
    assert_string_equal(d1guard_kind_slug(D1GUARD_KIND_LAST + 1), "unknown");
    assert_string_equal(d1guard_explain_slug(D1GUARD_EXPLAIN_LAST + 1), "unknown");
    assert_string_equal(d1guard_token_slug(D1GUARD_TOKEN_LAST + 1), "unknown");
    assert_string_equal(d1guard_form_slug(D1GUARD_FORM_LAST + 1), "unknown");
    assert_string_equal(d1guard_form_slug(D1GUARD_FORM_LAST + 2), "unknown");
    assert_string_equal(d1guard_token_slug(UINT32_MAX), "unknown");
}

/* Every number of the lists has the slug that the header gives it, and no other number has that slug. */
static void every_number_has_its_slug(void **state)
{
    (void)state;
#define X(id, number, slug, sentence)                                                                        \
    assert_string_equal(d1guard_reason_slug(number), slug);                                                  \
    assert_string_equal(d1guard_reason_sentence(number), sentence);
    D1GUARD_REASONS(X)
#undef X
#define X(id, number, slug) assert_string_equal(d1guard_risk_slug(number), slug);
    D1GUARD_RISKS(X)
#undef X
#define X(id, number, slug) assert_string_equal(d1guard_kind_slug(number), slug);
    D1GUARD_KINDS(X)
#undef X
#define X(id, number, slug) assert_string_equal(d1guard_explain_slug(number), slug);
    D1GUARD_EXPLAINS(X)
#undef X
#define X(id, number, slug) assert_string_equal(d1guard_token_slug(number), slug);
    D1GUARD_TOKENS(X)
#undef X
#define X(id, number, slug) assert_string_equal(d1guard_form_slug(number), slug);
    D1GUARD_FORMS(X)
#undef X
}

/* A report that belongs to another text must not lead out of this one. */
static void messages_of_foreign_reports(void **state)
{
    struct d1guard_report report = {.size = sizeof report, .reason = D1GUARD_REASON_WRITE};
    char line[512];

    (void)state;
    report.at = UINT64_MAX;
    report.len = UINT64_MAX;
    assert_in_range(d1guard_message(&report, sql, LEN, line, sizeof line), 1, 320);
    report.at = LEN;
    assert_in_range(d1guard_message(&report, sql, LEN, line, sizeof line), 1, 320);
    report.at = 7;
    report.len = 100;
    assert_in_range(d1guard_message(&report, sql, LEN, line, sizeof line), 1, 320);
    assert_string_equal(line, "1 at byte 7 would write; this tool only reads");
    report.len = LEN - 1; /* beyond the end, less than the text is long */
    d1guard_message(&report, sql, LEN, line, sizeof line);
    assert_string_equal(line, "1 at byte 7 would write; this tool only reads");
    report.len = 0;
    d1guard_message(&report, sql, LEN, line, sizeof line);
    assert_string_equal(line, "the text at byte 7 would write; this tool only reads");
    report.len = 1;
    d1guard_message(&report, NULL, LEN, line, sizeof line);
    assert_string_equal(line, "the text at byte 7 would write; this tool only reads");
    report.at = 0;
    d1guard_message(&report, NULL, LEN, line, sizeof line);
    assert_string_equal(line, "the text at byte 0 would write; this tool only reads");
    report.at = UINT64_C(10000000000000000000);
    d1guard_message(&report, NULL, LEN, line, sizeof line);
    assert_string_equal(line, "the text at byte 10000000000000000000 would write; this tool only reads");
    report.at = 7;
    report.reason = 9999;
    assert_in_range(d1guard_message(&report, sql, LEN, line, sizeof line), 1, 320);
    report.size = offsetof(struct d1guard_report, at); /* too short to say where */
    d1guard_message(&report, sql, LEN, line, sizeof line);
    assert_string_equal(line, d1guard_reason_sentence(D1GUARD_REASON_UNSET));
}

/* A token's struct of any size, an older one's too, is filled up to it and no further. */
static void tokens_of_every_size(void **state)
{
    struct d1guard_token token = {.size = sizeof token};

    (void)state;
    assert_int_equal(d1guard_next_token(sql, LEN, 7, &token), 1);
    for (uint32_t size = sizeof token.size; size <= sizeof token; size++) {
        struct d1guard_token part = {.size = size}, wanted = part;

        memcpy((char *)&wanted + sizeof size, (char *)&token + sizeof size, size - sizeof size);
        assert_int_equal(d1guard_next_token(sql, LEN, 7, &part), 1);
        assert_memory_equal(&part, &wanted, sizeof part);
    }
}

static void no_text_and_the_version(void **state)
{
    struct d1guard_token token = {.size = sizeof token};
    struct d1guard_token no_size = {.size = 0};
    struct d1guard_statement no_room = {.size = 0};
    uint64_t line = 0, column = 0;

    (void)state;
    d1guard_position(NULL, 10, 5, &line, &column);
    assert_int_equal(line, 1);
    assert_int_equal(column, 1);
    assert_int_equal(d1guard_next_token(NULL, 10, 0, &token), 0);
    assert_int_equal(d1guard_next_token(sql, LEN, 0, NULL), 0);
    assert_int_equal(d1guard_next_token(sql, LEN, 0, &no_size), 0);
    assert_int_equal(d1guard_tokens(sql, LEN, 0, &no_size, 1), 0);
    no_size.size = sizeof no_size - 1;
    assert_int_equal(d1guard_tokens(sql, LEN, 0, &no_size, 1), 0);
    assert_int_equal(d1guard_next_statement(sql, LEN, 0, NULL), -1);
    assert_int_equal(d1guard_next_statement(sql, LEN, 0, &no_room), -1);
    no_room.size = sizeof no_room.size;
    assert_int_equal(d1guard_next_statement(sql, LEN, 0, &no_room), 1);
    assert_string_equal(d1guard_version(), D1GUARD_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zeroed_structs_mean_no_and_the_defaults),
        cmocka_unit_test(a_null_text_has_no_bytes),
        cmocka_unit_test(null_outputs),
        cmocka_unit_test(reading_beyond_the_end),
        cmocka_unit_test(options_that_the_library_does_not_know),
        cmocka_unit_test(options_newer_than_the_library),
        cmocka_unit_test(options_older_than_the_library),
        cmocka_unit_test(options_that_end_inside_a_field),
        cmocka_unit_test(lists_of_names),
        cmocka_unit_test(lists_with_an_empty_name),
        cmocka_unit_test(reports_newer_than_the_library),
        cmocka_unit_test(reports_older_than_the_library),
        cmocka_unit_test(a_report_without_a_size_is_not_written),
        cmocka_unit_test(capping_refuses_the_second_statement),
        cmocka_unit_test(numbers_without_a_slug),
        cmocka_unit_test(every_number_has_its_slug),
        cmocka_unit_test(messages_of_foreign_reports),
        cmocka_unit_test(tokens_of_every_size),
        cmocka_unit_test(no_text_and_the_version),
    };

    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}

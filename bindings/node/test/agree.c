/*
 * Answers texts in one line each, for comparing languages: agree.mjs says how. Reads from standard input
 * records of a length (4 bytes, little end first), a letter (s: valid UTF-8, b: any bytes) and the text.
 * With the argument `names` it prints what the library calls each number instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d1guard.h"

#define NAMES(text) {(text), sizeof(text)}

static const struct d1guard_options option_sets[] = {
    {.size = sizeof(struct d1guard_options)},
    {.size = sizeof(struct d1guard_options), .engine = D1GUARD_ENGINE_SQLITE},
    {.size = sizeof(struct d1guard_options),
     .engine = D1GUARD_ENGINE_SQLITE,
     .flags = D1GUARD_STRICT_FUNCTIONS | D1GUARD_REQUIRE_WHERE,
     .allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE) | D1GUARD_RISK_BIT(D1GUARD_RISK_SCHEMA) |
                    D1GUARD_RISK_BIT(D1GUARD_RISK_TRANSACTION) | D1GUARD_RISK_BIT(D1GUARD_RISK_CONNECTION) |
                    D1GUARD_RISK_BIT(D1GUARD_RISK_MAINTENANCE),
     .max_statements = 3},
    {.size = sizeof(struct d1guard_options),
     .deny_functions = NAMES("count\0max"),
     .deny_tables = NAMES("users\0T1\0\xc3\xa9"),
     .deny_pragmas = NAMES("table_info"),
     .allow_functions = NAMES("mine\0load_extension"),
     .allow_tables = NAMES("sqlite_dbpage"),
     .allow_pragmas = NAMES("user_version")},
};

static void put_hex(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        printf("%02x", (unsigned char)bytes[i]);
}

static void put_tokens(const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len)
        printf(" %s:%llu", d1guard_token_slug(token.kind), (unsigned long long)token.len);
}

static void put_statements(const char *sql, size_t len)
{
    struct d1guard_statement s = {.size = sizeof s};
    int result = 1;

    while (result == 1 && (result = d1guard_next_statement(sql, len, (size_t)s.next, &s)) != 0) {
        printf(" %s,%s,%s,%u,%llu,%llu,%llu", d1guard_kind_slug(s.kind), d1guard_risk_slug(s.risk),
               d1guard_explain_slug(s.explain), s.flags, (unsigned long long)s.at, (unsigned long long)s.len,
               (unsigned long long)s.next);
        if (s.reason)
            printf("!%s,%llu,%llu", d1guard_reason_slug(s.reason), (unsigned long long)s.error_at,
                   (unsigned long long)s.error_len);
    }
}

static void put_report(const struct d1guard_report *report, const char *sql, size_t len)
{
    char message[321];
    uint64_t line, column;

    d1guard_position(sql, len, (size_t)report->at, &line, &column);
    printf(" %u %s %llu %llu %llu %llu %llu %llu message=", report->verdict, d1guard_reason_slug(report->reason),
           (unsigned long long)report->at, (unsigned long long)report->len, (unsigned long long)line,
           (unsigned long long)column, (unsigned long long)report->statement, (unsigned long long)report->statements);
    put_hex(message, d1guard_message(report, sql, len, message, sizeof message));
}

static void answer(const char *sql, size_t len, const struct d1guard_options *options, char *out)
{
    struct d1guard_report report = {.size = sizeof report};
    size_t written;

    printf("tokens");
    put_tokens(sql, len);
    printf("|statements");
    put_statements(sql, len);
    printf("|check");
    d1guard_classify(sql, len, options, &report);
    put_report(&report, sql, len);
    printf("|view");
    d1guard_classify_view(sql, len, options, &report);
    put_report(&report, sql, len);
    printf("|clean");
    d1guard_clean(sql, len, options, out, len + 64, &written, &report);
    put_report(&report, sql, len);
    putchar(' ');
    put_hex(out, written);
    printf("|cap");
    d1guard_cap(sql, len, options, 100, out, len + 64, &written, &report);
    put_report(&report, sql, len);
    printf(" %s ", d1guard_form_slug(report.form));
    put_hex(out, written);
    putchar('\n');
}

static void put_names(void)
{
    static const struct {
        const char *list;
        const char *(*name)(uint32_t);
    } lists[] = {
        {"REASONS", d1guard_reason_slug}, {"SENTENCES", d1guard_reason_sentence}, {"RISKS", d1guard_risk_slug},
        {"KINDS", d1guard_kind_slug}, {"EXPLAINS", d1guard_explain_slug}, {"TOKENS", d1guard_token_slug},
        {"FORMS", d1guard_form_slug},
    };

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        for (uint32_t number = 0; number < 256; number++)
            printf("%s %u %s\n", lists[i].list, number, lists[i].name(number));
    }
    printf("VERSION %s\n", d1guard_version());
}

int main(int argc, char **argv)
{
    unsigned char head[5];

    if (argc > 1 && strcmp(argv[1], "names") == 0) {
        put_names();
        return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
    }

    for (unsigned number = 0; fread(head, 1, sizeof head, stdin) == sizeof head; number++) {
        const size_t len = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *sql = malloc(len + 1), *out = malloc(len + 64);

        if (!sql || !out || fread(sql, 1, len, stdin) != len)
            return EXIT_FAILURE;
        answer(sql, len, &option_sets[number % 4], out);
        free(sql);
        free(out);
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

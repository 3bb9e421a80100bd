/*
 * The library's answers as JSON and as lines for a person.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L /* isatty, fileno */
#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int run_check(const struct arguments *arguments, const char *sql, size_t len, struct d1guard_report *report)
{
    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    if (arguments->view)
        return d1guard_classify_view(sql, len, &arguments->options, report);
    return d1guard_classify(sql, len, &arguments->options, report);
}

static int exit_status(const struct d1guard_report *report)
{
    if (report->verdict == D1GUARD_ALLOW)
        return EXIT_ALLOWED;
    if (report->reason == D1GUARD_REASON_INTERNAL || report->reason == D1GUARD_REASON_BAD_ARGUMENT)
        return EXIT_TROUBLE;
    return EXIT_REFUSED;
}

/* One call: with buffer NULL it only tells the length. */
static int rewrite(const struct arguments *arguments, const char *sql, size_t len, char *buffer,
                   struct rewritten *out)
{
    out->report.size = sizeof out->report;
    if (arguments->command == COMMAND_CAP)
        return d1guard_cap(sql, len, &arguments->options, arguments->rows, buffer, out->len, &out->len,
                           &out->report);
    return d1guard_clean(sql, len, &arguments->options, buffer, out->len, &out->len, &out->report);
}

int run_rewrite(const struct arguments *arguments, const char *sql, size_t len, struct rewritten *out)
{
    memset(out, 0, sizeof *out);
    if (rewrite(arguments, sql, len, NULL, out) != D1GUARD_ALLOW)
        return D1GUARD_REFUSE;
    out->sql = resize(NULL, out->len);
    return rewrite(arguments, sql, len, out->sql, out);
}

json_t *json_shown(const char *bytes, size_t len)
{
    json_t *string = json_stringn(bytes, len);
    char *shown;

    if (string)
        return string;
    shown = resize(NULL, len + 1);
    for (size_t i = 0; i < len; i++)
        shown[i] = (unsigned char)bytes[i] < 0x80 ? bytes[i] : '?';
    string = json_stringn(shown, len);
    free(shown);
    return string;
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
    json_object_set_new(object, key, json_integer((json_int_t)number));
}

static void set_report(json_t *object, const struct d1guard_report *report, const char *sql, size_t len)
{
    char message[MESSAGE_SIZE];
    const size_t bytes = d1guard_message(report, sql, len, message, sizeof message);

    json_object_set_new(object, "verdict",
                        json_string(report->verdict == D1GUARD_ALLOW ? "allow" : "refuse"));
    json_object_set_new(object, "reason", json_string(d1guard_reason_slug(report->reason)));
    json_object_set_new(object, "message", json_shown(message, bytes));
    set_number(object, "at", report->at);
    set_number(object, "len", report->len);
    set_number(object, "statement", report->statement);
    set_number(object, "statements", report->statements);
}

static int json_check(const struct arguments *arguments, const char *sql, size_t len, json_t *object)
{
    struct d1guard_report report;

    run_check(arguments, sql, len, &report);
    set_report(object, &report, sql, len);
    return exit_status(&report);
}

static int json_rewrite(const struct arguments *arguments, const char *sql, size_t len, json_t *object)
{
    struct rewritten out;
    json_t *text;

    run_rewrite(arguments, sql, len, &out);
    text = out.sql ? json_stringn(out.sql, out.len) : json_null();
    free(out.sql);
    if (!text) {
        json_object_clear(object);
        json_object_set_new(object, "error",
                            json_string("the text is not UTF-8 and cannot be a JSON string"));
        return EXIT_TROUBLE;
    }
    set_report(object, &out.report, sql, len);
    if (arguments->command == COMMAND_CAP)
        json_object_set_new(object, "form", json_string(d1guard_form_slug(out.report.form)));
    json_object_set_new(object, "sql", text);
    return exit_status(&out.report);
}

static json_t *json_statement(const struct d1guard_statement *statement)
{
    json_t *object = json_object();

    json_object_set_new(object, "kind", json_string(d1guard_kind_slug(statement->kind)));
    json_object_set_new(object, "risk", json_string(d1guard_risk_slug(statement->risk)));
    json_object_set_new(object, "explain", json_string(d1guard_explain_slug(statement->explain)));
    json_object_set_new(object, "with", json_boolean(statement->flags & D1GUARD_WITH));
    json_object_set_new(object, "where", json_boolean(statement->flags & D1GUARD_WHERE));
    set_number(object, "at", statement->at);
    set_number(object, "len", statement->len);
    set_number(object, "next", statement->next);
    return object;
}

static void start_statement(struct d1guard_statement *statement)
{
    memset(statement, 0, sizeof *statement);
    statement->size = sizeof *statement;
}

static int json_statements(const char *sql, size_t len, json_t *object)
{
    struct d1guard_statement statement;
    json_t *list = json_array();
    int more;

    start_statement(&statement);
    while ((more = d1guard_next_statement(sql, len, (size_t)statement.next, &statement)) > 0)
        json_array_append_new(list, json_statement(&statement));
    json_object_set_new(object, "statements", list);
    json_object_set_new(object, "error",
                        more < 0 ? json_string(d1guard_reason_slug(statement.reason)) : json_null());
    set_number(object, "error_at", more < 0 ? statement.error_at : 0);
    return more < 0 ? EXIT_REFUSED : EXIT_ALLOWED;
}

static int json_tokens(const char *sql, size_t len, json_t *object)
{
    struct d1guard_token token = {.size = sizeof token};
    json_t *list = json_array();

    while (d1guard_next_token(sql, len, (size_t)(token.at + token.len), &token)) {
        json_t *row = json_array();

        json_array_append_new(row, json_string(d1guard_token_slug(token.kind)));
        json_array_append_new(row, json_integer((json_int_t)token.at));
        json_array_append_new(row, json_integer((json_int_t)token.len));
        json_array_append_new(list, row);
    }
    json_object_set_new(object, "tokens", list);
    return EXIT_ALLOWED;
}

/* clang-format off */
int answer_json(const struct arguments *arguments, const char *sql, size_t len, json_t *object)
{
    switch (arguments->command) {
    case COMMAND_STATEMENTS: return json_statements(sql, len, object);
    case COMMAND_TOKENS: return json_tokens(sql, len, object);
    case COMMAND_CLEAN:
    case COMMAND_CAP: return json_rewrite(arguments, sql, len, object);
    default: return json_check(arguments, sql, len, object);
    }
}
/* clang-format on */

/* The verdict as a line; where a person looks on, the span too. */
static void print_report(FILE *out, const struct d1guard_report *report, const char *sql, size_t len)
{
    char message[MESSAGE_SIZE];

    d1guard_message(report, sql, len, message, sizeof message);
    fprintf(out, "%s: %s\n", report->verdict == D1GUARD_ALLOW ? "allowed" : "refused", message);
    if (report->len > 0 && isatty(fileno(out)))
        show_span(out, sql, len, (size_t)report->at, (size_t)report->len);
}

static int print_check(const struct arguments *arguments, const char *sql, size_t len)
{
    struct d1guard_report report;

    run_check(arguments, sql, len, &report);
    print_report(stdout, &report, sql, len);
    return exit_status(&report);
}

/* The text goes to standard output and nothing else does. */
static int print_rewrite(const struct arguments *arguments, const char *sql, size_t len)
{
    struct rewritten out;

    if (run_rewrite(arguments, sql, len, &out) != D1GUARD_ALLOW) {
        print_report(stderr, &out.report, sql, len);
        return exit_status(&out.report);
    }
    fwrite(out.sql, 1, out.len, stdout);
    putchar('\n');
    free(out.sql);
    if (out.report.form == D1GUARD_FORM_NOT_CAPPED)
        complain("this statement cannot be capped; stop reading after %llu rows",
                 (unsigned long long)arguments->rows);
    return EXIT_ALLOWED;
}

static int print_statements(const char *sql, size_t len)
{
    struct d1guard_statement s;
    int more;

    start_statement(&s);
    while ((more = d1guard_next_statement(sql, len, (size_t)s.next, &s)) > 0)
        printf("%s\t%s\t%s\t%s\t%s\t%llu\t%llu\t%llu\n", d1guard_kind_slug(s.kind), d1guard_risk_slug(s.risk),
               d1guard_explain_slug(s.explain), s.flags & D1GUARD_WITH ? "with" : "-",
               s.flags & D1GUARD_WHERE ? "where" : "-", (unsigned long long)s.at, (unsigned long long)s.len,
               (unsigned long long)s.next);
    if (more == 0)
        return EXIT_ALLOWED;
    printf("error\t%s\t%llu\t%llu\n", d1guard_reason_slug(s.reason), (unsigned long long)s.error_at,
           (unsigned long long)s.error_len);
    return EXIT_REFUSED;
}

static int print_tokens(const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};

    while (d1guard_next_token(sql, len, (size_t)(token.at + token.len), &token))
        printf("%s\t%llu\t%llu\n", d1guard_token_slug(token.kind), (unsigned long long)token.at,
               (unsigned long long)token.len);
    return EXIT_ALLOWED;
}

/* clang-format off */
int answer_human(const struct arguments *arguments, const char *sql, size_t len)
{
    switch (arguments->command) {
    case COMMAND_STATEMENTS: return print_statements(sql, len);
    case COMMAND_TOKENS: return print_tokens(sql, len);
    case COMMAND_CLEAN:
    case COMMAND_CAP: return print_rewrite(arguments, sql, len);
    default: return print_check(arguments, sql, len);
    }
}
/* clang-format on */

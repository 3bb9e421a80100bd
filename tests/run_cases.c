/*
 * Runs every case of the files in a folder: run_cases FOLDER. One line is one test, named file:line; a
 * file's name starts with the call that its lines make:
 *
 *   tokens      slug:bytes of each token | text
 *   statements  kind,explain,flags,at,len,next of each statement, then !reason,at,len | text
 *   verdict     verdict | reason | at | len | options | text          d1guard_classify
 *   view        the same                                              d1guard_classify_view
 *   clean       verdict | reason | options | cleaned text | text
 *   cap         rows | verdict | reason | form | options | capped text | text
 *   message     options | message | text
 *   position    at | line | column | text
 *
 * Each text lies in memory of exactly its size, so that a sanitizer sees a byte read too many. At the
 * end every reason, kind, risk, form and token of d1guard.h must have been the outcome of some case.
 *
 * It is C and C++ at once (hence the casts), so that tests/machines can show the library to a C++ program.
 */
#define _POSIX_C_SOURCE 200809L /* scandir */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <cmocka.h>

#include "d1guard.h"
#include "case_file.h"

#define FILL 0xa5 /* what memory that must not be written holds */
#define MESSAGE_MAX 320

struct test_case {
    const char *file; /* name without the folder */
    const struct call *call;
    const struct case_line *line;
    char name[64];
};

struct call {
    const char *name;
    size_t fields;
    void (*run)(const struct test_case *test, const char *text, size_t len);
};

static char *allocate(size_t size)
{
    char *memory = (char *)malloc(size ? size : 1);

    if (!memory) {
        fputs("run_cases: out of memory\n", stderr);
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* ---- a line of output that grows ---- */

struct line {
    char *bytes;
    size_t len, room;
};

static void put_bytes(struct line *line, const char *bytes, size_t len)
{
    if (line->room - line->len < len + 1) {
        char *more = allocate(line->room = 2 * line->room + len + 64);

        if (line->len)
            memcpy(more, line->bytes, line->len);
        free(line->bytes);
        line->bytes = more;
    }
    if (len)
        memcpy(line->bytes + line->len, bytes, len);
    line->len += len;
    line->bytes[line->len] = '\0';
}

static void put(struct line *line, const char *format, ...)
{
    char piece[256];
    va_list arguments;

    va_start(arguments, format);
    const int len = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    put_bytes(line, piece, len < 0 ? 0 : (size_t)len < sizeof piece ? (size_t)len : sizeof piece - 1);
}

static void put_escaped(struct line *line, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const unsigned char byte = (unsigned char)bytes[i];

        if (byte == '\\' || byte < ' ' || byte > '~')
            put(line, byte == '\\' ? "\\\\" : byte == '\n' ? "\\n" : "\\x%02x", byte);
        else
            put_bytes(line, bytes + i, 1);
    }
}

/* ---- failing ---- */

/* Fails the test unless wanted and got are the same bytes. */
static void expect_bytes(const struct test_case *test, const char *what, const char *wanted,
                         size_t wanted_len, const char *got, size_t got_len)
{
    struct line line = {0};
    const struct case_field *text = &test->line->field[test->line->count - 1];

    if (wanted_len == got_len && (got_len == 0 || memcmp(wanted, got, got_len) == 0))
        return;
    put(&line, "%s: %s\n  text   ", test->name, what);
    put_escaped(&line, text->bytes, text->len);
    put(&line, "\n  wanted ");
    put_escaped(&line, wanted, wanted_len);
    put(&line, "\n  got    ");
    put_escaped(&line, got, got_len);
    fprintf(stderr, "%s\n", line.bytes);
    free(line.bytes);
    fail();
}

static void expect_line(const struct test_case *test, const char *what, const char *wanted, struct line *got)
{
    expect_bytes(test, what, wanted, strlen(wanted), got->bytes, got->len);
    free(got->bytes);
}

static void expect(const struct test_case *test, const char *what, uint64_t wanted, uint64_t got)
{
    struct line line = {0};
    char number[24];

    snprintf(number, sizeof number, "%llu", (unsigned long long)wanted);
    put(&line, "%llu", (unsigned long long)got);
    expect_line(test, what, number, &line);
}

static void expect_untouched(const struct test_case *test, const char *what, const void *memory, size_t size)
{
    const unsigned char *bytes = (const unsigned char *)memory;
    size_t changed = 0;

    for (size_t i = 0; i < size; i++)
        changed += bytes[i] != FILL;
    expect(test, what, 0, changed);
}

/* Fails unless `given`, which was filled under `size`, begins like `full` and is untouched behind `size`. */
static void expect_prefix(const struct test_case *test, const void *full, const void *given, size_t full_size,
                          uint32_t size)
{
    const size_t head = sizeof size;

    expect_bytes(test, "a struct of a smaller size", (const char *)full + head, size - head,
                 (const char *)given + head, size - head);
    expect_untouched(test, "bytes behind a struct of a smaller size", (const char *)given + size,
                     full_size - size);
}

/* ---- what the cases have reached ---- */

static unsigned char reached_reason[256], reached_kind[64], reached_risk[64], reached_explain[64],
    reached_token[64], reached_form[64];

static void reach(unsigned char *list, uint32_t number)
{
    list[number] = 1;
}

/* Returns 0 and says so where no case has reached it. */
static int is_reached(const char *list, const char *slug, int reached)
{
    if (!reached)
        fprintf(stderr, "no case reaches the %s %s\n", list, slug);
    return reached;
}

static void every_reason_is_reached(void **state)
{
    int all = 1;

    (void)state;
    reach(reached_reason, D1GUARD_REASON_UNSET);
    reach(reached_reason, D1GUARD_REASON_INTERNAL); /* no text may reach it */
#define X(id, number, slug, sentence) all &= is_reached("reason", slug, reached_reason[number]);
    D1GUARD_REASONS(X)
#undef X
    assert_true(all);
}

#define REACHED_TEST(name, list)                                                                             \
    static void every_##name##_is_reached(void **state)                                                      \
    {                                                                                                        \
        int all = 1;                                                                                         \
                                                                                                             \
        (void)state;                                                                                         \
        list(IS_REACHED_##name) assert_true(all);                                                            \
    }
#define IS_REACHED_kind(id, number, slug) all &= is_reached("kind", slug, reached_kind[number]);
#define IS_REACHED_risk(id, number, slug) all &= is_reached("risk", slug, reached_risk[number]);
#define IS_REACHED_explain(id, number, slug) all &= is_reached("explain", slug, reached_explain[number]);
#define IS_REACHED_token(id, number, slug) all &= is_reached("token", slug, reached_token[number]);
#define IS_REACHED_form(id, number, slug) all &= is_reached("form", slug, reached_form[number]);
REACHED_TEST(kind, D1GUARD_KINDS)
REACHED_TEST(risk, D1GUARD_RISKS)
REACHED_TEST(explain, D1GUARD_EXPLAINS)
REACHED_TEST(token, D1GUARD_TOKENS)
REACHED_TEST(form, D1GUARD_FORMS)

/* ---- tokens ---- */

/* A token of a header that is newer than the library's. */
struct large_token {
    struct d1guard_token known;
    unsigned char newer[24];
};

/* d1guard_tokens reads what d1guard_next_token does, `count` at once, and writes nothing else. */
static void run_many_tokens(const struct test_case *test, const char *text, size_t len, size_t count)
{
    struct large_token *many = (struct large_token *)malloc((count + 1) * sizeof *many);
    struct d1guard_token token = {.size = sizeof token};
    size_t at = 0, found;

    if (many == NULL)
        abort();
    do {
        memset(many, FILL, (count + 1) * sizeof *many);
        many[0].known.size = sizeof *many;
        found = d1guard_tokens(text, len, at, &many[0].known, count);
        for (size_t i = 0; i < found; i++) {
            expect(test, "a token for each of many", 1, (uint64_t)d1guard_next_token(text, len, at, &token));
            expect(test, "kind of one of many", token.kind, many[i].known.kind);
            expect(test, "at of one of many", token.at, many[i].known.at);
            expect(test, "len of one of many", token.len, many[i].known.len);
            expect(test, "bytes behind one of many", FILL, many[i].newer[0]);
            at += (size_t)token.len;
        }
        expect(test, "bytes behind many", FILL, (unsigned char)many[found].newer[0]);
        expect(test, "kind behind many", (uint32_t)FILL * 0x01010101u, many[found].known.kind);
    } while (found == count);
    expect(test, "where the last of many ends", len, at);
    free(many);
}

/* The same in a text that is long enough to be cut by whole windows: with semicolons around it. */
static void run_padded_tokens(const struct test_case *test, const char *text, size_t len)
{
    enum { PADDING = 70 };
    const size_t padded_len = len + 2 * PADDING;
    char *padded = allocate(padded_len);

    memset(padded, ';', padded_len);
    memcpy(padded + PADDING, text, len);
    run_many_tokens(test, padded, padded_len, 3);
    run_many_tokens(test, padded, padded_len, padded_len);
    free(padded);
}

static void run_tokens(const struct test_case *test, const char *text, size_t len)
{
    struct line got = {0};
    struct d1guard_token token = {.size = sizeof token};
    size_t at = 0;

    put(&got, "%s", "");
    for (; d1guard_next_token(text, len, at, &token); at += (size_t)token.len) {
        struct d1guard_token small;

        memset(&small, FILL, sizeof small);
        small.size = offsetof(struct d1guard_token, len);
        expect(test, "the result for a smaller struct", 1,
               (uint64_t)d1guard_next_token(text, len, at, &small));
        expect_prefix(test, &token, &small, sizeof small, small.size);
        expect(test, "where the token starts", at, token.at);
        if (token.len == 0 || token.len > len - at)
            expect(test, "bytes of the token, at least 1 and in the text", 1, token.len);
        put(&got, "%s%s:%llu", at ? " " : "", d1guard_token_slug(token.kind), (unsigned long long)token.len);
    }
    expect(test, "where the last token ends", len, at);
    expect_line(test, "tokens", test->line->field[0].bytes, &got);
    for (at = 0; d1guard_next_token(text, len, at, &token); at += (size_t)token.len)
        reach(reached_token, token.kind);
    for (size_t count = 1; count <= len + 1; count++)
        run_many_tokens(test, text, len, count);
    run_padded_tokens(test, text, len);
}

/* ---- statements ---- */

/* The set of risks (bits) that a statement of this kind may have. */
static uint32_t risks_of_kind(uint32_t kind)
{
    if (kind == D1GUARD_KIND_NONE)
        return D1GUARD_RISK_BIT(D1GUARD_RISK_UNKNOWN);
    if (kind <= D1GUARD_KIND_VALUES)
        return D1GUARD_RISK_BIT(D1GUARD_RISK_READ);
    if (kind <= D1GUARD_KIND_DELETE)
        return D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE);
    if (kind <= D1GUARD_KIND_ALTER_TABLE)
        return D1GUARD_RISK_BIT(D1GUARD_RISK_SCHEMA);
    if (kind <= D1GUARD_KIND_RELEASE)
        return D1GUARD_RISK_BIT(D1GUARD_RISK_TRANSACTION);
    if (kind <= D1GUARD_KIND_DETACH)
        return D1GUARD_RISK_BIT(D1GUARD_RISK_CONNECTION);
    if (kind == D1GUARD_KIND_PRAGMA) /* it depends on the name; verdict-pragmas.tsv has them */
        return D1GUARD_RISK_BIT(D1GUARD_RISK_UNKNOWN) | D1GUARD_RISK_BIT(D1GUARD_RISK_READ) |
               D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE) | D1GUARD_RISK_BIT(D1GUARD_RISK_CONNECTION) |
               D1GUARD_RISK_BIT(D1GUARD_RISK_MAINTENANCE);
    return D1GUARD_RISK_BIT(D1GUARD_RISK_MAINTENANCE);
}

static void put_statement(struct line *line, const struct d1guard_statement *statement)
{
    put(line, "%s,%s,", d1guard_kind_slug(statement->kind), d1guard_explain_slug(statement->explain));
    if (statement->flags & D1GUARD_WITH)
        put(line, "w");
    if (statement->flags & D1GUARD_WHERE)
        put(line, "h");
    if (statement->flags & D1GUARD_RETURNING)
        put(line, "r");
    if (statement->flags & D1GUARD_PRAGMA_VALUE)
        put(line, "v");
    put(line, "%s,%llu,%llu,%llu", statement->flags ? "" : "-", (unsigned long long)statement->at,
        (unsigned long long)statement->len, (unsigned long long)statement->next);
}

static void check_statement_sizes(const struct test_case *test, const char *text, size_t len, size_t at,
                                  const struct d1guard_statement *full, int result)
{
    static const size_t sizes[] = {offsetof(struct d1guard_statement, risk),
                                   offsetof(struct d1guard_statement, at),
                                   offsetof(struct d1guard_statement, error_len)};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct d1guard_statement small;

        memset(&small, FILL, sizeof small);
        small.size = (uint32_t)sizes[i];
        expect(test, "the result for a smaller struct", (uint64_t)(result + 1),
               (uint64_t)(d1guard_next_statement(text, len, at, &small) + 1));
        expect_prefix(test, full, &small, sizeof small, small.size);
    }
}

static void run_statements(const struct test_case *test, const char *text, size_t len)
{
    struct line got = {0};
    size_t at = 0;
    int result;

    do {
        struct d1guard_statement statement = {.size = sizeof statement};

        result = d1guard_next_statement(text, len, at, &statement);
        check_statement_sizes(test, text, len, at, &statement, result);
        if (result == 1) {
            put(&got, "%s", got.len ? " " : "");
            put_statement(&got, &statement);
            expect(test, "the risk fits the kind", 1,
                   (risks_of_kind(statement.kind) & D1GUARD_RISK_BIT(statement.risk)) != 0);
            expect(test, "the statement ends before `next`, which is behind `at`", 1,
                   statement.at >= at && statement.at <= len && statement.len <= len - statement.at &&
                       statement.next >= statement.at + statement.len && statement.next <= len);
        } else if (result == -1) {
            put(&got, "%s!%s,%llu,%llu", got.len ? " " : "", d1guard_reason_slug(statement.reason),
                (unsigned long long)statement.error_at, (unsigned long long)statement.error_len);
        }
        if (result >= 0)
            expect(test, "no reason and no span without an error", D1GUARD_REASON_UNSET,
                   statement.reason | statement.error_at | statement.error_len);
        at = (size_t)statement.next;
        reach(reached_kind, statement.kind);
        reach(reached_risk, statement.risk);
        reach(reached_explain, statement.explain);
        reach(reached_reason, statement.reason);
    } while (result == 1);
    if (got.len == 0)
        put(&got, "-");
    expect_line(test, "statements", test->line->field[0].bytes, &got);
}

/* ---- options ---- */

struct case_options {
    struct d1guard_options options;
    struct line names[6];
};

static uint32_t parse_risks(const char *list)
{
    uint32_t risks = 0;
    size_t known = 0, wanted = 1;

    for (const char *c = list; *c; c++)
        wanted += *c == '+';
#define X(id, number, slug)                                                                                  \
    for (const char *c = list; c; c = strchr(c, '+') ? strchr(c, '+') + 1 : NULL)                            \
        if (strncmp(c, slug, strlen(slug)) == 0 && (c[strlen(slug)] == '+' || !c[strlen(slug)])) {           \
            risks |= D1GUARD_RISK_BIT(number);                                                               \
            known++;                                                                                         \
        }
    D1GUARD_RISKS(X)
#undef X
    if (known != wanted)
        fail_msg("unknown risk in allow=%s", list);
    return risks;
}

/* "deny-function=x" adds x to the list of that name. Returns 0 if there is none. */
static int parse_name(struct case_options *to, const char *option)
{
    static const char *const prefixes[] = {
        "deny-function=", "deny-table=", "deny-pragma=", "allow-function=", "allow-table=", "allow-pragma="};
    struct d1guard_names *const lists[] = {&to->options.deny_functions, &to->options.deny_tables,
                                           &to->options.deny_pragmas,   &to->options.allow_functions,
                                           &to->options.allow_tables,   &to->options.allow_pragmas};

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (strncmp(option, prefixes[i], strlen(prefixes[i])))
            continue;
        const char *name = option + strlen(prefixes[i]);
        put_bytes(&to->names[i], name, strlen(name) + 1);
        lists[i]->text = to->names[i].bytes;
        lists[i]->len = to->names[i].len;
        return 1;
    }
    return 0;
}

static void parse_option(struct case_options *to, const char *option)
{
    if (strcmp(option, "engine=sqlite") == 0)
        to->options.engine = D1GUARD_ENGINE_SQLITE;
    else if (strcmp(option, "strict") == 0)
        to->options.flags |= D1GUARD_STRICT_FUNCTIONS;
    else if (strcmp(option, "where") == 0)
        to->options.flags |= D1GUARD_REQUIRE_WHERE;
    else if (strncmp(option, "max=", 4) == 0)
        to->options.max_statements = strtoull(option + 4, NULL, 10);
    else if (strncmp(option, "allow=", 6) == 0)
        to->options.allow_risks |= parse_risks(option + 6);
    else if (!parse_name(to, option))
        fail_msg("unknown option %s", option);
}

static void parse_options(struct case_options *to, const struct case_field *field)
{
    char *list = allocate(field->len + 1);
    char *option = (char *)memcpy(list, field->bytes, field->len + 1);

    memset(to, 0, sizeof *to);
    to->options.size = sizeof to->options;
    while (option && strcmp(option, "-")) {
        char *comma = strchr(option, ',');

        if (comma)
            *comma++ = '\0';
        parse_option(to, option);
        option = comma;
    }
    free(list);
}

static void free_options(struct case_options *options)
{
    for (size_t i = 0; i < sizeof options->names / sizeof *options->names; i++)
        free(options->names[i].bytes);
}

/* ---- reports and messages ---- */

/* One call that fills a report; out_size and what follows are for clean and cap only. */
struct request {
    int (*send)(const struct request *request, struct d1guard_report *report);
    const struct test_case *test;
    const char *text;
    size_t len;
    const struct d1guard_options *options;
    uint64_t max_rows;
    char *out;
    size_t out_size;
    size_t *out_len;
};

static int send_classify(const struct request *r, struct d1guard_report *report)
{
    return d1guard_classify(r->text, r->len, r->options, report);
}

static int send_view(const struct request *r, struct d1guard_report *report)
{
    return d1guard_classify_view(r->text, r->len, r->options, report);
}

static int send_clean(const struct request *r, struct d1guard_report *report)
{
    return d1guard_clean(r->text, r->len, r->options, r->out, r->out_size, r->out_len, report);
}

static int send_cap(const struct request *r, struct d1guard_report *report)
{
    return d1guard_cap(r->text, r->len, r->options, r->max_rows, r->out, r->out_size, r->out_len, report);
}

/* The same call without a report and with reports of smaller sizes. */
static void check_report_sizes(const struct request *request, const struct d1guard_report *full)
{
    static const size_t sizes[] = {offsetof(struct d1guard_report, form), offsetof(struct d1guard_report, at),
                                   offsetof(struct d1guard_report, statement)};

    expect(request->test, "the verdict without a report", full->verdict,
           (uint64_t)request->send(request, NULL));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct d1guard_report small;

        memset(&small, FILL, sizeof small);
        small.size = (uint32_t)sizes[i];
        expect(request->test, "the verdict for a smaller report", full->verdict,
               (uint64_t)request->send(request, &small));
        expect_prefix(request->test, full, &small, sizeof small, small.size);
    }
}

static int is_plain_word(const char *word, uint64_t len)
{
    for (uint64_t i = 0; i < len; i++)
        if (word[i] < ' ' || word[i] > '~')
            return 0;
    return len <= 40;
}

/* The sentence of the reason with %w and %a filled in; only for a word that is shown as it is. */
static void put_sentence(struct line *line, const struct d1guard_report *report, const char *text)
{
    for (const char *c = d1guard_reason_sentence(report->reason); *c; c++) {
        if (c[0] == '%' && c[1] == 'w')
            put_bytes(line, text + report->at, (size_t)report->len);
        else if (c[0] == '%' && c[1] == 'a')
            put(line, "byte %llu", (unsigned long long)report->at);
        else
            put_bytes(line, c, 1);
        c += c[0] == '%' && (c[1] == 'w' || c[1] == 'a');
    }
}

/* Returns the message in memory of its size and the NUL; checks both calls that a caller makes. */
static char *message_of(const struct test_case *test, const struct d1guard_report *report, const char *text,
                        size_t len)
{
    const size_t size = d1guard_message(report, text, len, NULL, 0);
    char *message = allocate(size + 1);

    memset(message, FILL, size + 1);
    expect(test, "bytes of the message, buffer too short", size,
           d1guard_message(report, text, len, message, size));
    expect_untouched(test, "a buffer too short for the message", message, size + 1);
    expect(test, "bytes of the message", size, d1guard_message(report, text, len, message, size + 1));
    expect(test, "the NUL behind the message", size, strlen(message));
    expect(test, "the message has at most 320 bytes", 1, size <= MESSAGE_MAX);
    for (const char *c = message; *c; c++)
        expect(test, "no control byte in the message", 0, (unsigned char)*c < ' ' || *c == 0x7f);
    return message;
}

static void check_message(const struct test_case *test, const struct d1guard_report *report, const char *text,
                          size_t len)
{
    char *message = message_of(test, report, text, len);
    struct line wanted = {0};

    if (is_plain_word(text + report->at, report->len)) {
        put_sentence(&wanted, report, text);
        expect_bytes(test, "message", wanted.bytes, wanted.len, message, strlen(message));
    }
    free(wanted.bytes);
    free(message);
}

/* Sends the request and checks all of the report that needs no case. */
static void send_and_check(const struct request *request, struct d1guard_report *report)
{
    const struct test_case *test = request->test;

    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    const uint64_t verdict = (uint64_t)request->send(request, report);

    expect(test, "the verdict returned is the verdict reported", verdict, report->verdict);
    expect(test, "reasons below 10 allow", report->reason >= D1GUARD_REASON_BAD_ARGUMENT ? 0 : 1,
           report->verdict);
    expect(test, "the span lies in the text", 1,
           report->at <= request->len && report->len <= request->len - report->at);
    if (report->verdict == D1GUARD_ALLOW)
        expect(test, "at, len and statement of an allowed text", 0,
               report->at | report->len | report->statement);
    else if (report->reason == D1GUARD_REASON_EMPTY || report->reason == D1GUARD_REASON_BAD_ARGUMENT)
        expect(test, "at, len, statement and statements where there is none", 0,
               report->at | report->len | report->statement | report->statements);
    else
        expect(test, "the refused statement is the last one counted", report->statement + 1,
               report->statements);
    check_report_sizes(request, report);
    check_message(test, report, request->text, request->len);
    reach(reached_reason, report->reason);
    reach(reached_form, report->form);
}

static const char *verdict_name(uint32_t verdict)
{
    return verdict == D1GUARD_ALLOW ? "allow" : "refuse";
}

/* ---- verdict, view ---- */

static void run_report(const struct test_case *test, const char *text, size_t len,
                       int (*send)(const struct request *, struct d1guard_report *))
{
    const struct case_field *field = test->line->field;
    struct case_options options;
    struct d1guard_report report;
    struct line wanted = {0}, got = {0};

    parse_options(&options, &field[4]);
    const struct request request = {.send = send,
                                    .test = test,
                                    .text = text,
                                    .len = len,
                                    .options = strcmp(field[4].bytes, "-") ? &options.options : NULL};
    send_and_check(&request, &report);
    put(&wanted, "%s %s %s %s", field[0].bytes, field[1].bytes, field[2].bytes, field[3].bytes);
    put(&got, "%s %s %llu %llu", verdict_name(report.verdict), d1guard_reason_slug(report.reason),
        (unsigned long long)report.at, (unsigned long long)report.len);
    expect_line(test, "verdict", wanted.bytes, &got);
    expect(test, "form", D1GUARD_FORM_NONE, report.form);
    free(wanted.bytes);
    free_options(&options);
}

static void run_verdict(const struct test_case *test, const char *text, size_t len)
{
    run_report(test, text, len, send_classify);
}

static void run_view(const struct test_case *test, const char *text, size_t len)
{
    run_report(test, text, len, send_view);
}

/* ---- clean, cap ---- */

/* Asks for the output with no room, too little, just enough and more; returns it (refused: empty). */
static char *written_text(struct request *request, struct d1guard_report *report, size_t *written)
{
    const struct test_case *test = request->test;
    size_t len = SIZE_MAX;

    request->out = NULL;
    request->out_size = 0;
    request->out_len = &len;
    send_and_check(request, report);
    *written = len;
    if (report->verdict == D1GUARD_REFUSE)
        expect(test, "bytes of the output when refused", 0, len);

    const size_t room = *written + 16;
    char *out = allocate(room);
    struct d1guard_report again = {.size = sizeof again};
    const size_t sizes[] = {*written ? *written - 1 : 0, *written, room};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *exact = allocate(sizes[i]);

        memset(out, FILL, room);
        memset(exact, FILL, sizes[i]);
        request->out = exact;
        request->out_size = sizes[i];
        len = SIZE_MAX;
        expect(test, "the verdict with a buffer", report->verdict, (uint64_t)request->send(request, &again));
        expect_bytes(test, "the report with a buffer", (const char *)report, sizeof *report,
                     (const char *)&again, sizeof again);
        expect(test, "bytes of the output", *written, len);
        if (sizes[i])
            memcpy(out, exact, sizes[i]);
        free(exact);
        const size_t filled = sizes[i] < *written ? 0 : *written;
        expect_untouched(test, "the buffer behind the output", out + filled, room - filled);
    }
    return out;
}

static void run_clean(const struct test_case *test, const char *text, size_t len)
{
    const struct case_field *field = test->line->field;
    struct case_options options;
    struct d1guard_report report, again = {.size = sizeof again};
    struct line got = {0}, wanted = {0};
    size_t written, rewritten = 0;

    parse_options(&options, &field[2]);
    struct request request = {.send = send_clean,
                              .test = test,
                              .text = text,
                              .len = len,
                              .options = strcmp(field[2].bytes, "-") ? &options.options : NULL};
    char *out = written_text(&request, &report, &written);
    put(&wanted, "%s %s", field[0].bytes, field[1].bytes);
    put(&got, "%s %s", verdict_name(report.verdict), d1guard_reason_slug(report.reason));
    expect_line(test, "verdict", wanted.bytes, &got);
    expect_bytes(test, "clean", field[3].bytes, field[3].len, out, written);
    expect(test, "cleaning adds at most a byte a statement", 1, written <= len + report.statements);
    if (report.verdict == D1GUARD_ALLOW) {
        char *twice = allocate(written);

        d1guard_clean(out, written, request.options, twice, written, &rewritten, &again);
        expect_bytes(test, "cleaned twice", out, written, twice, rewritten);
        expect(test, "statements of the cleaned text", report.statements, again.statements);
        free(twice);
    }
    free(out);
    free(wanted.bytes);
    free_options(&options);
}

static void run_cap(const struct test_case *test, const char *text, size_t len)
{
    const struct case_field *field = test->line->field;
    struct case_options options;
    struct d1guard_report report;
    struct line got = {0}, wanted = {0};
    size_t written;

    parse_options(&options, &field[4]);
    struct request request = {.send = send_cap,
                              .test = test,
                              .text = text,
                              .len = len,
                              .options = strcmp(field[4].bytes, "-") ? &options.options : NULL,
                              .max_rows = strtoull(field[0].bytes, NULL, 10)};
    char *out = written_text(&request, &report, &written);
    put(&wanted, "%s %s %s", field[1].bytes, field[2].bytes, field[3].bytes);
    put(&got, "%s %s %s", verdict_name(report.verdict), d1guard_reason_slug(report.reason),
        d1guard_form_slug(report.form));
    expect_line(test, "verdict and form", wanted.bytes, &got);
    expect_bytes(test, "cap", field[5].bytes, field[5].len, out, written);
    expect(test, "capping adds at most 64 bytes", 1, written <= len + 64);
    free(out);
    free(wanted.bytes);
    free_options(&options);
}

/* ---- message, position ---- */

static void run_message(const struct test_case *test, const char *text, size_t len)
{
    const struct case_field *field = test->line->field;
    struct case_options options;
    struct d1guard_report report = {.size = sizeof report};

    parse_options(&options, &field[0]);
    d1guard_classify(text, len, &options.options, &report);
    char *message = message_of(test, &report, text, len);
    expect_bytes(test, "message", field[1].bytes, field[1].len, message, strlen(message));
    free(message);
    free_options(&options);
}

static void run_position(const struct test_case *test, const char *text, size_t len)
{
    const struct case_field *field = test->line->field;
    const size_t at = (size_t)strtoull(field[0].bytes, NULL, 10);
    uint64_t line = 0, column = 0;
    struct line wanted = {0}, got = {0};

    d1guard_position(text, len, at, &line, NULL);
    d1guard_position(text, len, at, NULL, &column);
    put(&wanted, "%s %s", field[1].bytes, field[2].bytes);
    put(&got, "%llu %llu", (unsigned long long)line, (unsigned long long)column);
    expect_line(test, "line and column, asked for one by one", wanted.bytes, &got);
    memset(&got, 0, sizeof got);
    d1guard_position(text, len, at, &line, &column);
    put(&got, "%llu %llu", (unsigned long long)line, (unsigned long long)column);
    expect_line(test, "line and column", wanted.bytes, &got);
    free(wanted.bytes);
}

/* ---- the folder ---- */

static const struct call calls[] = {
    {"tokens", 2, run_tokens},   {"statements", 2, run_statements}, {"verdict", 6, run_verdict},
    {"view", 6, run_view},       {"clean", 5, run_clean},           {"cap", 7, run_cap},
    {"message", 3, run_message}, {"position", 4, run_position},
};

static void run_case(void **state)
{
    const struct test_case *test = (const struct test_case *)*state;
    const struct case_field *text = &test->line->field[test->line->count - 1];
    char *exact = allocate(text->len);

    if (text->len)
        memcpy(exact, text->bytes, text->len);
    test->call->run(test, exact, text->len);
    free(exact);
}

static const struct call *call_of(const char *file)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strncmp(file, calls[i].name, strlen(calls[i].name)) == 0)
            return &calls[i];
    return NULL;
}

struct suite {
    struct CMUnitTest *tests;
    size_t count, room;
};

static void add_test(struct suite *suite, const char *name, CMUnitTestFunction function,
                     struct test_case *test)
{
    if (suite->count == suite->room) {
        const size_t room = suite->room = 2 * suite->room + 256;
        struct CMUnitTest *more = (struct CMUnitTest *)realloc(suite->tests, room * sizeof *more);

        if (!more)
            exit(EXIT_FAILURE);
        suite->tests = more;
    }
    const struct CMUnitTest entry = {.name = name, .test_func = function, .initial_state = test};
    memcpy(&suite->tests[suite->count++], &entry, sizeof entry);
}

/* The tests point into what is read here, so it lives as long as the program. */
static int add_file(struct suite *suite, const char *folder, const char *file)
{
    char path[4096];
    struct case_file cases;
    const struct call *call = call_of(file);

    if (!call || snprintf(path, sizeof path, "%s/%s", folder, file) >= (int)sizeof path) {
        fprintf(stderr, "%s/%s: its name starts with no call\n", folder, file);
        return 0;
    }
    if (!case_file_read(&cases, path, call->fields))
        return 0;
    struct test_case *tests = (struct test_case *)(void *)allocate(cases.count * sizeof *tests);
    for (size_t i = 0; i < cases.count; i++) {
        tests[i] = (struct test_case){.file = file, .call = call, .line = &cases.lines[i]};
        snprintf(tests[i].name, sizeof tests[i].name, "%s:%lu", file, cases.lines[i].number);
        add_test(suite, tests[i].name, run_case, &tests[i]);
    }
    return 1;
}

static int is_case_file(const struct dirent *entry)
{
    const size_t len = strlen(entry->d_name);

    return len > 4 && strcmp(entry->d_name + len - 4, ".tsv") == 0 &&
           strcmp(entry->d_name, "abi.tsv"); /* struct layouts: bindings/python/abi_test.py */
}

int main(int argc, char **argv)
{
    static struct suite suite; /* static: what hangs on them is needed to the end, and no leak */
    static struct dirent **entries;
    const int files = argc == 2 ? scandir(argv[1], &entries, is_case_file, alphasort) : -1;

    if (files <= 0) {
        fputs("usage: run_cases FOLDER, with .tsv files in it\n", stderr);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < files; i++)
        if (!add_file(&suite, argv[1], entries[i]->d_name))
            return EXIT_FAILURE;
    add_test(&suite, "every reason is reached", every_reason_is_reached, NULL);
    add_test(&suite, "every kind is reached", every_kind_is_reached, NULL);
    add_test(&suite, "every risk is reached", every_risk_is_reached, NULL);
    add_test(&suite, "every explain is reached", every_explain_is_reached, NULL);
    add_test(&suite, "every token is reached", every_token_is_reached, NULL);
    add_test(&suite, "every form is reached", every_form_is_reached, NULL);
    return _cmocka_run_group_tests("cases", suite.tests, suite.count, NULL, NULL) ? EXIT_FAILURE
                                                                                  : EXIT_SUCCESS;
}

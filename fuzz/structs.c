/*
 * Options, reports, tokens and statements of any size and content, as hosts built against other headers
 * or by mistake pass them; every call; the message writer with every size of buffer. All memory has
 * exactly the size that is said, so that a sanitizer sees a byte too many. Each call keeps what the
 * header promises of its result.
 *
 * The input: fuzz_header bytes that choose, then the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include <d1guard.h>

const size_t fuzz_header = 128;

enum { SIZES_MAX = 192, MESSAGE_MAX = 320, FILL = 0x5a };

/* --- choices -------------------------------------------------------------------------------------------- */

struct input {
    const uint8_t *choice; /* fuzz_header bytes, taken one after the other */
    const char *sql;
    size_t len;
    char *names; /* of exactly the length that is said, to free */
};

static uint8_t next(struct input *in)
{
    return *in->choice++;
}

/* Mostly the right size, else any. */
static uint32_t any_size(struct input *in, size_t right)
{
    const uint8_t choice = next(in);

    return choice < 128 ? (uint32_t)right : choice == 255 ? 0 : (uint32_t)((choice - 128) * SIZES_MAX / 127);
}

/* A struct of `size` bytes that starts with its size. NULL at times. To free. */
static void *any_struct(struct input *in, size_t right, uint32_t *size)
{
    const uint8_t choice = next(in);
    unsigned char *bytes;

    *size = any_size(in, right);
    if (choice == 0)
        return NULL;
    bytes = fuzz_allocate(*size < sizeof *size ? sizeof *size : *size);
    memset(bytes, FILL, *size);
    memcpy(bytes, size, sizeof *size);
    return bytes;
}

/* --- options ---------------------------------------------------------------------------------------------- */

/* Lists of names, and what only looks like one. */
static struct d1guard_names any_names(struct input *in)
{
    static const char good[] = "abs\0pragma_table_info\0t\0";
    const uint8_t choice = next(in);
    struct d1guard_names names = {NULL, 0};

    switch (choice % 8) {
    case 0:
        names.len = choice / 8; /* NULL with a length */
        break;
    case 1:
        names.text = good;
        names.len = sizeof good - 1;
        break;
    case 2: /* any bytes, with or without a NUL behind them */
        names.len = in->sql == NULL ? 0 : in->len < 32 ? in->len : 32;
        in->names = fuzz_exact((const uint8_t *)in->sql, names.len);
        if (names.len > 0 && choice & 64)
            in->names[names.len - 1] = '\0';
        names.text = in->names;
        break;
    default:
        break;
    }
    return names;
}

static struct d1guard_options *any_options(struct input *in)
{
    struct d1guard_options o = {0};
    uint32_t size;
    struct d1guard_options *options = any_struct(in, sizeof o, &size);
    struct d1guard_names *const lists[] = {&o.deny_functions,  &o.deny_tables,  &o.deny_pragmas,
                                           &o.allow_functions, &o.allow_tables, &o.allow_pragmas};
    const uint8_t wild = next(in), which = next(in); /* one list at most: they would share the memory */
    const size_t some = size < sizeof o ? size : sizeof o;

    if (options == NULL)
        return NULL;
    o.size = size;
    o.engine = wild == 1 ? (uint32_t)next(in) << 20 : next(in) & 1u;
    o.allow_risks = wild == 2 ? (uint32_t)next(in) << 24 : next(in) & 0x7eu;
    o.flags = wild == 3 ? (uint32_t)next(in) << 8 : next(in) & 3u;
    o.max_statements = wild == 4 ? UINT64_MAX : next(in) % 4u;
    if (which >= 64)
        *lists[which % 6] = any_names(in);
    if (some > sizeof size)
        memcpy((char *)options + sizeof size, (const char *)&o + sizeof size, some - sizeof size);
    if (size > sizeof o) /* a newer host's fields: none of them set, or one */
        memset((char *)options + sizeof o, wild == 5 ? 1 : 0, size - sizeof o);
    return options;
}

/* --- what a call promises ----------------------------------------------------------------------------- */

static void check(int holds, const char *promise, const struct input *in)
{
    if (!holds)
        fuzz_broken(promise, in->sql, in->len);
}

/* size: what the host said. The report must answer for itself, as far as it goes. */
static void check_report(const struct input *in, int verdict, const struct d1guard_report *report, uint32_t size)
{
    const unsigned char *bytes = (const unsigned char *)report;
    uint32_t kept;

    check(verdict == D1GUARD_ALLOW || verdict == D1GUARD_REFUSE, "a verdict is one of two", in);
    if (report == NULL)
        return;
    memcpy(&kept, report, sizeof kept);
    check(kept == size, "a struct keeps its size", in);
    for (size_t i = sizeof *report; i < size; i++)
        check(bytes[i] == FILL, "what the library does not know is left alone", in);
    if (size < offsetof(struct d1guard_report, form)) {
        check(verdict == D1GUARD_REFUSE, "a report without room for a reason is a bad argument", in);
        return;
    }
    check((int)report->verdict == verdict, "report and result are the same verdict", in);
    check(report->reason != D1GUARD_REASON_UNSET && report->reason <= D1GUARD_REASON_LAST, "a reason is known", in);
    check((report->reason < 10) == (verdict == D1GUARD_ALLOW), "a reason below 10 allows", in);
    check(report->reason != D1GUARD_REASON_INTERNAL, "nothing is broken inside", in);
    if (size < sizeof *report)
        return;
    check(report->at <= in->len && report->len <= in->len - report->at, "a span lies within the text", in);
    check(verdict == D1GUARD_REFUSE || (report->at == 0 && report->len == 0), "allowed has no span", in);
}

static int is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Every size of buffer from none to more than enough. */
static void check_message(const struct input *in, const struct d1guard_report *report)
{
    char whole[MESSAGE_MAX + 1];
    const size_t n = d1guard_message(report, in->sql, in->len, NULL, 0);

    check(n > 0 && n <= MESSAGE_MAX, "a message has 1 to 320 bytes", in);
    check(d1guard_message(report, in->sql, in->len, whole, sizeof whole) == n && strlen(whole) == n,
          "a message ends with a NUL", in);
    for (size_t i = 0; i < n; i++)
        check(!is_control(whole[i]), "a message has no control bytes", in);
    for (size_t size = 0; size <= n + 2; size++) {
        char *buf = fuzz_allocate(size);

        memset(buf, FILL, size);
        check(d1guard_message(report, in->sql, in->len, buf, size) == n, "a message's length hangs on no buffer", in);
        if (size > n)
            check(memcmp(buf, whole, n + 1) == 0, "a message is the same in each buffer", in);
        for (size_t i = size > n ? n + 1 : 0; i < size; i++)
            check(buf[i] == FILL, "a short buffer is left alone", in);
        free(buf);
    }
}

/* A report from anywhere: it belongs to no call on this text. */
static void check_foreign_message(struct input *in)
{
    uint32_t size;
    struct d1guard_report *report = any_struct(in, sizeof *report, &size);

    if (report != NULL && size >= sizeof *report) {
        report->verdict = next(in) % 3u;
        report->reason = next(in) % (D1GUARD_REASON_LAST + 2u);
        report->at = next(in) % 4u == 0 ? UINT64_MAX - next(in) : next(in);
        report->len = next(in) % 4u == 0 ? UINT64_MAX - next(in) : next(in);
    }
    check_message(in, report);
    free(report);
}

/* --- the calls ---------------------------------------------------------------------------------------------- */

static void check_classify(struct input *in, int is_view)
{
    struct d1guard_options *options = any_options(in);
    uint32_t size;
    struct d1guard_report *report = any_struct(in, sizeof *report, &size);
    const int verdict = (is_view ? d1guard_classify_view : d1guard_classify)(in->sql, in->len, options, report);

    check_report(in, verdict, report, size);
    if (report == NULL || size >= offsetof(struct d1guard_report, form))
        check((is_view ? d1guard_classify_view : d1guard_classify)(in->sql, in->len, options, NULL) == verdict,
              "a verdict does not hang on the report", in);
    if (report != NULL && size >= sizeof *report)
        check_message(in, report);
    free(options);
    free(report);
}

static int write_text(const struct input *in, int is_cap, const struct d1guard_options *options, uint64_t rows, char *out,
                      size_t out_size, size_t *out_len, struct d1guard_report *report)
{
    if (is_cap)
        return d1guard_cap(in->sql, in->len, options, rows, out, out_size, out_len, report);
    return d1guard_clean(in->sql, in->len, options, out, out_size, out_len, report);
}

static uint64_t any_rows(struct input *in)
{
    static const uint64_t rows[] = {1, 2, 1000, INT64_MAX, 0, (uint64_t)INT64_MAX + 1, UINT64_MAX};

    return rows[next(in) % (sizeof rows / sizeof *rows)];
}

static void check_write(struct input *in, int is_cap)
{
    struct d1guard_options *options = any_options(in);
    uint32_t size;
    struct d1guard_report *report = any_struct(in, sizeof *report, &size);
    const uint64_t rows = any_rows(in);
    size_t needed = 99, written = 99;
    const int verdict = write_text(in, is_cap, options, rows, NULL, 0, &needed, report);
    const size_t room = next(in) % 4u == 0 ? needed + next(in) : needed > 0 ? needed - next(in) % 2u : 0;
    char *out = fuzz_allocate(room);

    check_report(in, verdict, report, size);
    check((verdict == D1GUARD_ALLOW) == (needed > 0), "what is allowed has a text to send", in);
    check(!is_cap || verdict == D1GUARD_REFUSE || needed <= in->len + 64, "a capped text is short", in);
    check(!is_cap || verdict == D1GUARD_REFUSE || (rows > 0 && rows <= INT64_MAX), "a cap is 1 to 2^63-1", in);
    memset(out, FILL, room);
    check(write_text(in, is_cap, options, rows, out, room, &written, report) == verdict && written == needed,
          "the second call answers as the first", in);
    for (size_t i = room < needed ? 0 : needed; i < room; i++)
        check(out[i] == FILL, "no byte is written beyond the text", in);
    free(out);
    free(options);
    free(report);
}

static void check_token(struct input *in)
{
    const size_t at = next(in) % 4u == 0 ? SIZE_MAX - next(in) : next(in);
    uint32_t size;
    struct d1guard_token *token = any_struct(in, sizeof *token, &size);
    const int found = d1guard_next_token(in->sql, in->len, at, token);
    const unsigned char *bytes = (const unsigned char *)token;

    check(found == 0 || (found == 1 && at < in->len && token != NULL), "a token stands before the end", in);
    for (size_t i = sizeof size; token != NULL && !found && i < size; i++)
        check(bytes[i] == FILL, "without a token nothing is written", in);
    for (size_t i = sizeof *token; token != NULL && i < size; i++)
        check(bytes[i] == FILL, "what the library does not know is left alone", in);
    if (found && size >= sizeof *token)
        check(token->at == at && token->len > 0 && token->len <= in->len - at && token->kind <= D1GUARD_TOKEN_LAST,
              "a token lies within the text", in);
    free(token);
}

static void check_statement(struct input *in)
{
    const size_t at = next(in) % 4u == 0 ? SIZE_MAX - next(in) : next(in);
    uint32_t size;
    struct d1guard_statement *s = any_struct(in, sizeof *s, &size);
    const int found = d1guard_next_statement(in->sql, in->len, at, s);
    const unsigned char *bytes = (const unsigned char *)s;

    check(found >= -1 && found <= 1, "a result is one of three", in);
    check(s != NULL || found == -1, "no struct is a bad argument", in);
    for (size_t i = sizeof *s; s != NULL && i < size; i++)
        check(bytes[i] == FILL, "what the library does not know is left alone", in);
    if (s != NULL && size >= sizeof *s && found == 1)
        check(s->at >= at && s->len > 0 && s->at <= in->len && s->len <= in->len - s->at && s->next <= in->len,
              "a statement lies within the text", in);
    free(s);
}

static void check_position(struct input *in)
{
    const size_t at = next(in) % 4u == 0 ? SIZE_MAX - next(in) : next(in);
    uint64_t line = 0, column = 0;

    d1guard_position(in->sql, in->len, at, &line, &column);
    check(line >= 1 && column >= 1 && line - 1 + column - 1 <= in->len, "a position lies within the text", in);
    d1guard_position(in->sql, in->len, at, NULL, NULL);
}

static void check_slugs(struct input *in)
{
    const uint32_t number = next(in) < 128 ? next(in) : UINT32_MAX - next(in);
    const char *const texts[] = {d1guard_reason_slug(number), d1guard_reason_sentence(number), d1guard_risk_slug(number),
                                 d1guard_kind_slug(number),   d1guard_explain_slug(number),    d1guard_token_slug(number),
                                 d1guard_form_slug(number)};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check(texts[i] != NULL && texts[i][0] != '\0', "each number has a text", in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {.choice = data};
    char *sql;

    if (size < fuzz_header)
        return -1;
    in.len = size - fuzz_header;
    in.sql = sql = fuzz_exact(data + fuzz_header, in.len);
    if (next(&in) == 0)
        in.sql = NULL; /* with a length: a bad argument; in.len stays the text's for the checks */
    switch (next(&in) % 8) {
    case 0:
        check_classify(&in, 1);
        break;
    case 1:
        check_write(&in, 0);
        break;
    case 2:
        check_write(&in, 1);
        break;
    case 3:
        check_token(&in);
        break;
    case 4:
        check_statement(&in);
        break;
    case 5:
        check_position(&in);
        check_slugs(&in);
        break;
    case 6:
        check_foreign_message(&in);
        break;
    default:
        check_classify(&in, 0);
        break;
    }
    free(in.names);
    free(sql);
    return 0;
}

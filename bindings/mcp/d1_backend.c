/*
 * Cloudflare D1 over its REST API. What is sent is the text that the guard handed out, never the
 * caller's own: the API runs every statement that it finds in a text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "backend.h"

#include <curl/curl.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RESPONSE_MAX ((size_t)8 << 20) /* bytes */
#define CONNECT_MS 10000
#define ATTEMPTS 4
#define FIRST_WAIT_MS 200              /* doubled for each further attempt, with jitter */
#define SLICE_MS 50                    /* between two looks at the watch while waiting */
#define SCHEMA_TTL_MS 60000            /* D1 does not tell when its schema changes: judge views anew this often */
#define INT64_EDGE 9223372036854775808.0

struct d1_backend {
    struct backend base; /* first: a pointer to it is a pointer to this */
    CURL *curl;
    struct curl_slist *headers;
    char *url;
    int64_t schema_until_ms;
};

struct response {
    struct buf body;
    int too_long;
    const struct watch *watch;
};

static struct d1_backend *self(struct backend *b)
{
    return (struct d1_backend *)b;
}

/* --- parameters --- */

/* Position of the values for the statement's parameters, by SQLite's rule: `?` takes the next number,
 * `?3` names its own, a name keeps the number it got first. */
struct numbering {
    const char *names[100]; /* D1 takes 100 at most */
    size_t lens[100];
    size_t count;
};

static size_t number_of(struct numbering *n, const char *text, size_t len)
{
    unsigned long number = 0;

    if (text[0] == '?') {
        for (size_t i = 1; i < len && number <= 100; i++)
            number = number * 10 + (unsigned long)(text[i] - '0');
        return len == 1 ? n->count + 1 : (size_t)number;
    }
    for (size_t i = 0; i < n->count; i++)
        if (n->names[i] != NULL && n->lens[i] == len && memcmp(n->names[i], text, len) == 0)
            return i + 1;
    return n->count + 1;
}

static int number_parameters(const struct statement *statement, struct numbering *n, struct failure *failure)
{
    struct d1guard_token token = {sizeof token, 0, 0, 0};

    memset(n, 0, sizeof *n);
    for (size_t at = 0; d1guard_next_token(statement->sql, statement->len, at, &token); at = (size_t)(token.at + token.len)) {
        const char *text = statement->sql + token.at;
        size_t number;

        if (token.kind != D1GUARD_TOKEN_VARIABLE)
            continue;
        number = number_of(n, text, (size_t)token.len);
        if (number == 0 || number > 100)
            return fail(failure, "BAD_ARGUMENT", "D1 takes parameters 1 to 100");
        if (number > n->count)
            n->count = number;
        if (text[0] != '?') {
            n->names[number - 1] = text;
            n->lens[number - 1] = (size_t)token.len;
        }
    }
    return 0;
}

static const struct value *find_value(const struct numbering *n, size_t at, const struct params *params)
{
    const char *name = n->names[at];

    if (params->names == NULL)
        return &params->values[at];
    for (size_t i = 0; name != NULL && i < params->count; i++) {
        const size_t len = strlen(params->names[i]);

        if ((len == n->lens[at] && memcmp(params->names[i], name, len) == 0) ||
            (len + 1 == n->lens[at] && memcmp(params->names[i], name + 1, len) == 0))
            return &params->values[i];
    }
    return NULL;
}

/* As D1 takes them: an integer that JSON would round goes as text, a BLOB as a list of its bytes. */
static void put_value(struct buf *body, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NULL:
        buf_str(body, "null");
        break;
    case VALUE_INT:
        put_int(body, v->integer);
        break;
    case VALUE_REAL:
        put_real(body, v->real);
        break;
    case VALUE_TEXT:
        put_text(body, v->bytes, v->len);
        break;
    case VALUE_BLOB:
        buf_str(body, "[");
        for (size_t i = 0; i < v->len; i++)
            buf_printf(body, i > 0 ? ",%d" : "%d", (unsigned char)v->bytes[i]);
        buf_str(body, "]");
        break;
    }
}

static int make_body(const struct statement *statement, struct buf *body, struct failure *failure)
{
    const struct params *params = statement->params;
    struct numbering numbering;

    if (number_parameters(statement, &numbering, failure) != 0)
        return -1;
    if (params->count != numbering.count)
        return fail(failure, "BAD_ARGUMENT", "the statement has %zu parameters, params holds %zu values",
                    numbering.count, params->count);
    buf_str(body, "{");
    put_key(body, "sql");
    put_text(body, statement->sql, statement->len);
    put_key(body, "params");
    buf_str(body, "[");
    for (size_t i = 0; i < numbering.count; i++) {
        const struct value *v = find_value(&numbering, i, params);

        if (v == NULL)
            return fail(failure, "BAD_ARGUMENT", "params holds no value for parameter %zu", i + 1);
        if (i > 0)
            buf_str(body, ",");
        put_value(body, v);
    }
    buf_str(body, "]}");
    return 0;
}

/* --- HTTP --- */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *context)
{
    struct response *r = context;

    if (size * count > RESPONSE_MAX - r->body.len) {
        r->too_long = 1;
        return 0; /* stops the transfer */
    }
    buf_add(&r->body, bytes, size * count);
    return size * count;
}

static int look(void *context, curl_off_t down_all, curl_off_t down, curl_off_t up_all, curl_off_t up)
{
    const struct response *r = context;

    (void)down_all, (void)down, (void)up_all, (void)up;
    return watch_look(r->watch) != WATCH_GO_ON;
}

/* One request. Returns the HTTP status, or -1 with failure filled. */
static long post(struct d1_backend *d, const struct buf *body, struct response *r, struct failure *failure)
{
    const int64_t left = r->watch->deadline_ms - clock_ms();
    long status = 0;
    CURLcode rc;

    buf_cut(&r->body, 0);
    curl_easy_setopt(d->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body->len);
    curl_easy_setopt(d->curl, CURLOPT_POSTFIELDS, body->data);
    curl_easy_setopt(d->curl, CURLOPT_WRITEDATA, r);
    curl_easy_setopt(d->curl, CURLOPT_XFERINFODATA, r);
    curl_easy_setopt(d->curl, CURLOPT_TIMEOUT_MS, (long)(left > 0 ? left : 1));
    rc = curl_easy_perform(d->curl);
    if (rc == CURLE_OK) {
        curl_easy_getinfo(d->curl, CURLINFO_RESPONSE_CODE, &status);
        return status;
    }
    if (r->too_long)
        return fail(failure, "TOO_LARGE", "D1's answer is longer than %zu MiB; select fewer or shorter columns",
                    RESPONSE_MAX >> 20);
    if (rc == CURLE_OPERATION_TIMEDOUT && watch_look(r->watch) == WATCH_GO_ON) {
        /* Its clock may be a moment ahead of ours, so that it is the limit of the call all the same. */
        if (left <= CONNECT_MS)
            return fail_watch(failure, WATCH_TIMED_OUT);
        return fail(failure, "TIMEOUT", "D1 could not be reached in %d s", CONNECT_MS / 1000);
    }
    if (watch_look(r->watch) != WATCH_GO_ON)
        return fail_watch(failure, watch_look(r->watch));
    return fail(failure, "D1_UNREACHABLE", "D1 cannot be reached: %s", curl_easy_strerror(rc));
}

/* Waits before the next attempt: as long as D1 asks for, else longer each time. */
static int wait_before(struct d1_backend *d, int attempt, const struct watch *watch, struct failure *failure)
{
    const struct timespec slice = {0, SLICE_MS * 1000000L};
    const int64_t base = (int64_t)FIRST_WAIT_MS << attempt, now = clock_ms();
    curl_off_t retry_after = 0;
    int64_t until;

    curl_easy_getinfo(d->curl, CURLINFO_RETRY_AFTER, &retry_after);
    until = now + (retry_after > 0 ? (int64_t)retry_after * 1000 : base + now * 7919 % base);
    if (until >= watch->deadline_ms)
        return fail(failure, "D1_BUSY", "D1 is overloaded and asks to wait; try again later");
    while (clock_ms() < until) {
        if (watch_look(watch) != WATCH_GO_ON)
            return fail_watch(failure, watch_look(watch));
        nanosleep(&slice, NULL);
    }
    return 0;
}

/* A read may be asked again: after 429 and 5xx. Returns the last status, or -1. */
static long post_with_retries(struct d1_backend *d, const struct buf *body, struct response *r,
                              struct failure *failure)
{
    for (int attempt = 0;; attempt++) {
        const long status = post(d, body, r, failure);

        if (status < 0 || (status != 429 && status < 500) || attempt == ATTEMPTS - 1)
            return status;
        if (wait_before(d, attempt, r->watch, failure) != 0)
            return -1;
    }
}

/* --- answers --- */

static json_t *parse(const struct buf *body)
{
    json_error_t error;
    json_t *answer;

    if (body->data == NULL)
        return NULL;
    answer = json_loadb(body->data, body->len, JSON_ALLOW_NUL, &error);
    if (answer == NULL && json_error_code(&error) == json_error_numeric_overflow)
        answer = json_loadb(body->data, body->len, JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &error);
    return answer;
}

static int fail_status(long status, const json_t *answer, struct failure *failure)
{
    const json_t *error = json_array_get(json_object_get(answer, "errors"), 0);
    const char *message = json_string_value(json_object_get(error, "message"));
    const long long number = json_integer_value(json_object_get(error, "code"));
    const char *code = "D1_ERROR";

    if (status == 400)
        code = "SQL_ERROR";
    else if (status == 401 || status == 403)
        code = "D1_AUTH";
    else if (status == 429)
        code = "D1_BUSY";
    if (message == NULL)
        return fail(failure, code, "D1 answered HTTP %ld with a body that is none of its JSON", status);
    return fail(failure, code, "D1 answered HTTP %ld: %.500s (code %lld)", status, message, number);
}

/* D1 travels as JSON: a whole number is taken for an INTEGER, a list for a BLOB, whose bytes go to blob. */
static struct value read_value(const json_t *json, struct buf *blob)
{
    struct value v = {VALUE_NULL, 0, 0, NULL, 0};
    size_t i;
    json_t *byte;

    if (json_is_string(json)) {
        v.kind = VALUE_TEXT;
        v.bytes = json_string_value(json);
        v.len = json_string_length(json);
    } else if (json_is_integer(json)) {
        v.kind = VALUE_INT;
        v.integer = json_integer_value(json);
    } else if (json_is_real(json)) {
        v.real = json_real_value(json);
        v.kind = VALUE_REAL;
        if (floor(v.real) == v.real && fabs(v.real) < INT64_EDGE) {
            v.kind = VALUE_INT;
            v.integer = (int64_t)v.real;
        }
    } else if (json_is_boolean(json)) {
        v.kind = VALUE_INT;
        v.integer = json_is_true(json);
    } else if (json_is_array(json)) {
        const size_t start = blob->len;

        v.kind = VALUE_BLOB;
        json_array_foreach (json, i, byte)
            buf_add(blob, &(unsigned char){(unsigned char)json_number_value(byte)}, 1);
        v.len = blob->len - start;
    }
    return v;
}

/* The values of a list; the bytes of its BLOBs lie in blob one behind the other. */
static void read_list(const json_t *list, struct value *values, struct buf *blob)
{
    size_t at = 0;

    buf_cut(blob, 0);
    for (size_t i = 0; i < json_array_size(list); i++)
        values[i] = read_value(json_array_get(list, i), blob);
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (values[i].kind != VALUE_BLOB)
            continue;
        values[i].bytes = blob->data != NULL ? blob->data + at : "";
        at += values[i].len;
    }
}

static int give_rows(const json_t *columns, const json_t *rows, const struct row_sink *sink, struct failure *failure)
{
    const size_t count = json_array_size(columns);
    struct value *values = mem_alloc(count * sizeof *values);
    struct buf blob = {0};
    int rc = 0, enough;
    size_t i;
    json_t *row;

    read_list(columns, values, &blob);
    for (i = 0; i < count; i++)
        if (values[i].kind != VALUE_TEXT)
            rc = -1;
    enough = rc == 0 ? sink->columns(sink->context, values, count) : 1;
    json_array_foreach (rows, i, row) {
        if (enough)
            break;
        if (json_array_size(row) != count) {
            rc = -1;
            break;
        }
        read_list(row, values, &blob);
        enough = sink->row(sink->context, values, count);
    }
    free(values);
    buf_free(&blob);
    return rc == 0 ? 0 : fail(failure, "D1_ERROR", "D1's rows do not fit its columns");
}

/* Allowed means that it only reads: if D1 counts a write, the guard has failed, and everyone is to know. */
static int check_meta(const struct d1_backend *d, const json_t *meta, struct failure *failure)
{
    if (!json_is_true(json_object_get(meta, "changed_db")) && json_number_value(json_object_get(meta, "rows_written")) <= 0)
        return 0;
    fprintf(stderr, "d1guard-mcp: ALARM: D1 reports that a text which the guard allowed has written to database %s."
                    " Please report this; use an API token with D1 Read only.\n", d->base.name);
    return fail(failure, "DATABASE_CHANGED", "D1 reports that this statement wrote to the database; tell the person"
                                             " in charge of it");
}

static int read_answer(const struct d1_backend *d, long status, const struct buf *body, const struct row_sink *sink,
                       struct failure *failure)
{
    json_t *answer = parse(body);
    const json_t *result = json_object_get(answer, "result");
    const json_t *first = json_array_get(result, 0), *results = json_object_get(first, "results");
    const json_t *columns = json_object_get(results, "columns"), *rows = json_object_get(results, "rows");
    int rc;

    if (status != 200 || !json_is_true(json_object_get(answer, "success")))
        rc = fail_status(status, answer, failure);
    else if (check_meta(d, json_object_get(first, "meta"), failure) != 0)
        rc = -1;
    else if (json_array_size(result) != 1 || !json_is_array(columns) || !json_is_array(rows))
        rc = fail(failure, "D1_ERROR", "D1 did not answer with the rows of one statement");
    else
        rc = give_rows(columns, rows, sink, failure);
    json_decref(answer);
    return rc;
}

/* --- the backend --- */

static int run(struct backend *b, const struct statement *statement, const struct row_sink *sink,
               const struct watch *watch, struct failure *failure)
{
    struct d1_backend *d = self(b);
    struct response r = {.watch = watch};
    struct buf body = {0};
    long status = -1;
    int rc = make_body(statement, &body, failure);

    if (rc == 0)
        status = post_with_retries(d, &body, &r, failure);
    rc = status >= 0 ? read_answer(d, status, &r.body, sink, failure) : -1;
    buf_free(&body);
    buf_free(&r.body);
    return rc;
}

static int enter(struct backend *b, const struct watch *watch, int *schema_changed, struct failure *failure)
{
    struct d1_backend *d = self(b);
    const int64_t now = clock_ms();

    (void)watch;
    (void)failure;
    *schema_changed = now >= d->schema_until_ms;
    if (*schema_changed)
        d->schema_until_ms = now + SCHEMA_TTL_MS;
    return 0;
}

static void leave(struct backend *b)
{
    (void)b;
}

static void close_backend(struct backend *b)
{
    struct d1_backend *d = self(b);

    curl_easy_cleanup(d->curl);
    curl_slist_free_all(d->headers);
    free(d->url);
    free((char *)b->name);
    free((char *)b->account);
    free((char *)b->id);
    free(d);
}

static int plain_id(const char *id)
{
    return id[strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")] == '\0';
}

/* https, or http to this very machine for tests. */
static const char *protocol_of(const char *api_base)
{
    static const char *const local[] = {"http://127.0.0.1", "http://localhost", "http://[::1]"};

    if (strncmp(api_base, "https://", 8) == 0)
        return "https";
    for (size_t i = 0; i < sizeof local / sizeof *local; i++) {
        const size_t n = strlen(local[i]);

        if (strncmp(api_base, local[i], n) == 0 && strchr(":/", api_base[n]) != NULL)
            return "http";
    }
    return NULL;
}

static void set_up_curl(struct d1_backend *d, const char *protocol)
{
    curl_easy_setopt(d->curl, CURLOPT_URL, d->url);
#if LIBCURL_VERSION_NUM >= 0x075500
    curl_easy_setopt(d->curl, CURLOPT_PROTOCOLS_STR, protocol);
#else
    curl_easy_setopt(d->curl, CURLOPT_PROTOCOLS, (long)(protocol[4] == 's' ? CURLPROTO_HTTPS : CURLPROTO_HTTP));
#endif
    curl_easy_setopt(d->curl, CURLOPT_HTTPHEADER, d->headers);
    curl_easy_setopt(d->curl, CURLOPT_USERAGENT, "d1guard-mcp/" D1GUARD_VERSION_STRING);
    curl_easy_setopt(d->curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(d->curl, CURLOPT_SSL_VERIFYPEER, 1L);
    curl_easy_setopt(d->curl, CURLOPT_SSL_VERIFYHOST, 2L);
    curl_easy_setopt(d->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(d->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    curl_easy_setopt(d->curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(d->curl, CURLOPT_XFERINFOFUNCTION, look);
    curl_easy_setopt(d->curl, CURLOPT_NOPROGRESS, 0L);
}

static void add_headers(struct d1_backend *d, const char *token)
{
    struct buf authorization = {0};

    buf_printf(&authorization, "Authorization: Bearer %s", token);
    d->headers = curl_slist_append(d->headers, authorization.data);
    d->headers = curl_slist_append(d->headers, "Content-Type: application/json");
    d->headers = curl_slist_append(d->headers, "Expect:");
    buf_free(&authorization);
}

struct backend *d1_backend_open(const char *name, const char *account, const char *database, const char *api_base,
                                const char *token, struct failure *failure)
{
    const char *protocol = protocol_of(api_base);
    struct d1_backend *d;
    struct buf url = {0};

    if (protocol == NULL)
        fail(failure, "BAD_ARGUMENT", "--d1-api-base is neither https nor http to this machine");
    if (!plain_id(account) || !plain_id(database))
        fail(failure, "BAD_ARGUMENT", "an id holds letters, digits, - and _ only");
    if (failure->code != NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return NULL;
    d = mem_alloc(sizeof *d);
    memset(d, 0, sizeof *d);
    d->base.name = mem_copy(name, strlen(name));
    d->base.id = mem_copy(database, strlen(database));
    d->base.account = mem_copy(account, strlen(account));
    d->base.engine = D1GUARD_ENGINE_D1;
    d->base.enter = enter;
    d->base.leave = leave;
    d->base.run = run;
    d->base.close = close_backend;
    buf_printf(&url, "%s/accounts/%s/d1/database/%s/raw", api_base, account, database);
    d->url = url.data;
    d->curl = curl_easy_init();
    if (d->curl == NULL) {
        fail(failure, "INTERNAL", "libcurl does not start");
        close_backend(&d->base);
        return NULL;
    }
    add_headers(d, token);
    set_up_curl(d, protocol);
    return &d->base;
}

/*
 * The MCP server's message reader, with the real tools over the sample database behind it. Whatever the
 * bytes: what it answers is one line of JSON, a JSON-RPC response to that very id; it answers requests
 * only; the same bytes get the same answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include "../bindings/mcp/rpc.h"

extern const char tools_json[], sample_sql[];

static struct toolbox *open_toolbox(void)
{
    static struct database database;
    static struct toolbox box = {.databases = &database, .database_count = 1, .max_rows = 5, .max_bytes = 4000, .timeout_ms = 200};
    struct failure failure = {0};

    if (database.backend != NULL)
        return &box;
    json_object_seed(1);
    database.backend = sqlite_backend_open(NULL, sample_sql, 0, &failure);
    if (database.backend == NULL || toolbox_open(&box, tools_json) != 0) {
        fprintf(stderr, "mcp: the tools do not open: %s\n", failure.message.data != NULL ? failure.message.data : "");
        exit(2);
    }
    return &box;
}

/* The id of a request as it was sent: a string or an integer, else NULL. To decref. */
static json_t *sent_id(const char *line, size_t len)
{
    json_t *message = json_loadb(line, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    json_t *id = json_object_get(message, "id");

    id = json_is_string(id) || json_is_integer(id) ? json_incref(id) : NULL;
    json_decref(message);
    return id;
}

/* Control bytes would break the line, or a terminal. */
static int is_one_line(const struct buf *reply)
{
    for (size_t i = 0; i < reply->len; i++)
        if ((unsigned char)reply->data[i] < 0x20)
            return 0;
    return 1;
}

static void check_reply(const struct buf *reply, const char *line, size_t len)
{
    json_t *id = sent_id(line, len);
    json_t *message = reply->data == NULL ? NULL : json_loadb(reply->data, reply->len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    const json_t *version = json_object_get(message, "jsonrpc");
    const json_t *answered = json_object_get(message, "id");

    if (!json_is_object(message) || !is_one_line(reply))
        fuzz_broken("a reply is one line that holds a JSON object", line, len);
    if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0)
        fuzz_broken("a reply is JSON-RPC 2.0", line, len);
    if (json_is_object(json_object_get(message, "result")) == json_is_object(json_object_get(message, "error")))
        fuzz_broken("a reply has a result or an error", line, len);
    if (answered != NULL && !json_equal(answered, id))
        fuzz_broken("a reply has the request's id", line, len);
    if (json_object_get(message, "result") != NULL && answered == NULL)
        fuzz_broken("a result answers a request", line, len);
    json_decref(id);
    json_decref(message);
}

static void check_call(struct toolbox *box, const struct rpc_call *call, const char *line, size_t len)
{
    struct watch watch = {.deadline_ms = clock_ms() + 500};
    struct buf reply = {0};

    if (call->id == NULL || call->name == NULL || !toolbox_has(box, call->name))
        fuzz_broken("a call has an id and names a tool", line, len);
    if (rpc_run(box, call, &watch, &reply) != 0)
        fuzz_broken("only who cancels gets no answer", line, len);
    check_reply(&reply, line, len);
    buf_free(&reply);
}

static int same_buf(const struct buf *one, const struct buf *other)
{
    return one->len == other->len && (one->len == 0 || memcmp(one->data, other->data, one->len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct toolbox *box = open_toolbox();
    char *line = fuzz_exact(data, size);
    struct buf reply = {0}, again = {0};
    struct rpc_call call, second;
    const enum rpc_next next = rpc_read(box, line, size, &reply, &call);

    if (rpc_read(box, line, size, &again, &second) != next || !same_buf(&reply, &again))
        fuzz_broken("the same message gets the same answer", line, size);
    if ((next == RPC_REPLY) != (reply.len > 0))
        fuzz_broken("there is a reply when the reader says so", line, size);
    if (next == RPC_REPLY)
        check_reply(&reply, line, size);
    if (next == RPC_CANCEL && call.id == NULL)
        fuzz_broken("what is cancelled has an id", line, size);
    if (next == RPC_CALL)
        check_call(box, &call, line, size);
    rpc_call_free(&call);
    rpc_call_free(&second);
    buf_free(&reply);
    buf_free(&again);
    free(line);
    return 0;
}

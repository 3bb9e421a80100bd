/*
 * See rpc.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

#define MODERN "2026-07-28"
#define META(key) "io.modelcontextprotocol/" key
#define DEPTH_MAX 64

enum rpc_error {
    NOT_JSON = -32700,
    NOT_A_REQUEST = -32600,
    UNKNOWN_METHOD = -32601,
    BAD_PARAMS = -32602,
    UNSUPPORTED_VERSION = -32022
};

static const char *const legacy_versions[] = {"2025-11-25", "2025-06-18"}; /* newest first */

/* A request as far as it has been read. */
struct request {
    const struct toolbox *box;
    const char *id; /* as JSON text */
    int modern;
    const char *method;
    const json_t *params; /* an object, or NULL */
    struct buf *reply;
};

/* NULL also for a string that holds a NUL, so that comparing it as a C string misses nothing. */
static const char *plain_string(const json_t *json)
{
    const char *text = json_string_value(json);

    return text != NULL && strlen(text) == json_string_length(json) ? text : NULL;
}

/* --- writing replies --- */

static void begin_message(struct buf *reply, const char *id)
{
    buf_str(reply, "{\"jsonrpc\":\"2.0\"");
    if (id != NULL) {
        put_key(reply, "id");
        buf_str(reply, id);
    }
}

/* data: JSON text or NULL. */
static enum rpc_next reply_error(struct buf *reply, const char *id, enum rpc_error code, const char *message,
                                 const char *data)
{
    begin_message(reply, id);
    buf_printf(reply, ",\"error\":{\"code\":%d,\"message\":", (int)code);
    put_str(reply, message);
    if (data != NULL) {
        put_key(reply, "data");
        buf_str(reply, data);
    }
    buf_str(reply, "}}");
    return RPC_REPLY;
}

static void put_server_info(struct buf *reply)
{
    buf_str(reply, "{\"name\":\"d1guard-mcp\",\"version\":");
    put_str(reply, d1guard_version());
    buf_str(reply, "}");
}

static void begin_result(struct buf *reply, const char *id, int modern)
{
    begin_message(reply, id);
    put_key(reply, "result");
    buf_str(reply, "{");
    if (modern)
        buf_str(reply, "\"resultType\":\"complete\"");
}

static enum rpc_next end_result(struct buf *reply, int modern)
{
    if (modern) {
        buf_str(reply, ",\"_meta\":{\"" META("serverInfo") "\":");
        put_server_info(reply);
        buf_str(reply, "}");
    }
    buf_str(reply, "}}");
    return RPC_REPLY;
}

/* --- the methods --- */

static enum rpc_next discover(const struct request *r)
{
    begin_result(r->reply, r->id, 1);
    buf_str(r->reply, ",\"supportedVersions\":[\"" MODERN "\"],\"capabilities\":{\"tools\":{}}");
    put_key(r->reply, "instructions");
    put_str(r->reply, r->box->instructions);
    buf_str(r->reply, ",\"ttlMs\":3600000,\"cacheScope\":\"private\"");
    return end_result(r->reply, 1);
}

static enum rpc_next initialize(const struct request *r)
{
    const char *asked = plain_string(json_object_get(r->params, "protocolVersion"));
    const char *version = legacy_versions[0];

    if (asked == NULL)
        return reply_error(r->reply, r->id, BAD_PARAMS, "params.protocolVersion is missing or not a string", NULL);
    for (size_t i = 0; i < sizeof legacy_versions / sizeof *legacy_versions; i++)
        if (strcmp(asked, legacy_versions[i]) == 0)
            version = legacy_versions[i];
    begin_result(r->reply, r->id, 0);
    put_key(r->reply, "protocolVersion");
    put_str(r->reply, version);
    buf_str(r->reply, ",\"capabilities\":{\"tools\":{}}");
    put_key(r->reply, "serverInfo");
    put_server_info(r->reply);
    put_key(r->reply, "instructions");
    put_str(r->reply, r->box->instructions);
    return end_result(r->reply, 0);
}

static enum rpc_next list_tools(const struct request *r)
{
    char *tools;

    if (json_object_get(r->params, "cursor") != NULL)
        return reply_error(r->reply, r->id, BAD_PARAMS, "no such cursor: all tools are on one page", NULL);
    tools = json_dumps(r->box->tools, JSON_COMPACT);
    begin_result(r->reply, r->id, r->modern);
    put_key(r->reply, "tools");
    buf_str(r->reply, tools);
    free(tools);
    if (r->modern)
        buf_str(r->reply, ",\"ttlMs\":300000,\"cacheScope\":\"private\"");
    return end_result(r->reply, r->modern);
}

static enum rpc_next call_tool(const struct request *r, json_t *message, struct rpc_call *call)
{
    const json_t *name = json_object_get(r->params, "name");
    const json_t *arguments = json_object_get(r->params, "arguments");

    if (plain_string(name) == NULL)
        return reply_error(r->reply, r->id, BAD_PARAMS, "params.name is missing or not a string", NULL);
    if (!toolbox_has(r->box, json_string_value(name)))
        return reply_error(r->reply, r->id, BAD_PARAMS, "there is no tool of this name; see tools/list", NULL);
    if (arguments != NULL && !json_is_object(arguments))
        return reply_error(r->reply, r->id, BAD_PARAMS, "params.arguments is not an object", NULL);
    call->id = mem_copy(r->id, strlen(r->id));
    call->modern = r->modern;
    call->message = json_incref(message);
    call->name = json_string_value(name);
    call->arguments = arguments;
    return RPC_CALL;
}

static enum rpc_next dispatch(const struct request *r, json_t *message, struct rpc_call *call)
{
    if (strcmp(r->method, "tools/list") == 0)
        return list_tools(r);
    if (strcmp(r->method, "tools/call") == 0)
        return call_tool(r, message, call);
    if (r->modern && strcmp(r->method, "server/discover") == 0)
        return discover(r);
    if (!r->modern && strcmp(r->method, "initialize") == 0)
        return initialize(r);
    if (!r->modern && strcmp(r->method, "ping") == 0) {
        begin_result(r->reply, r->id, 0);
        return end_result(r->reply, 0);
    }
    if (strcmp(r->method, "server/discover") == 0)
        return reply_error(r->reply, r->id, BAD_PARAMS, "params._meta lacks " META("protocolVersion"), NULL);
    return reply_error(r->reply, r->id, UNKNOWN_METHOD, "this server has no such method", NULL);
}

/* --- what a request has to have --- */

static enum rpc_next reply_unsupported(const struct request *r, const char *version)
{
    struct buf data = {0};

    buf_str(&data, "{\"supported\":[\"" MODERN "\"],\"requested\":");
    put_str(&data, version);
    buf_str(&data, "}");
    reply_error(r->reply, r->id, UNSUPPORTED_VERSION, "unsupported protocol version", data.data);
    buf_free(&data);
    return RPC_REPLY;
}

/* RPC_NOTHING when _meta is as it should be; r->modern says which era it speaks. */
static enum rpc_next check_meta(struct request *r)
{
    const json_t *meta = json_object_get(r->params, "_meta");
    const json_t *version = json_object_get(meta, META("protocolVersion"));

    if (meta != NULL && !json_is_object(meta))
        return reply_error(r->reply, r->id, BAD_PARAMS, "params._meta is not an object", NULL);
    r->modern = version != NULL;
    if (!r->modern)
        return RPC_NOTHING;
    if (plain_string(version) == NULL)
        return reply_error(r->reply, r->id, BAD_PARAMS, META("protocolVersion") " is not a string", NULL);
    if (!json_is_object(json_object_get(meta, META("clientCapabilities"))))
        return reply_error(r->reply, r->id, BAD_PARAMS, "params._meta lacks " META("clientCapabilities"), NULL);
    if (strcmp(json_string_value(version), MODERN) != 0)
        return reply_unsupported(r, json_string_value(version));
    return RPC_NOTHING;
}

/* A string or an integer as JSON text, to free; NULL for anything else. */
static char *id_text(const json_t *id)
{
    struct buf text = {0};

    if (json_is_string(id))
        put_text(&text, json_string_value(id), json_string_length(id));
    else if (json_is_integer(id))
        buf_printf(&text, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
    return text.data;
}

static enum rpc_next read_notification(const struct request *r, struct rpc_call *call)
{
    if (strcmp(r->method, "notifications/cancelled") != 0)
        return RPC_NOTHING;
    call->id = id_text(json_object_get(r->params, "requestId"));
    return call->id != NULL ? RPC_CANCEL : RPC_NOTHING;
}

static enum rpc_next read_request(struct request *r, json_t *message, struct rpc_call *call)
{
    const json_t *params = json_object_get(message, "params");
    enum rpc_next next;

    if (params != NULL && !json_is_object(params))
        return reply_error(r->reply, r->id, BAD_PARAMS, "params is not an object", NULL);
    next = check_meta(r);
    return next != RPC_NOTHING ? next : dispatch(r, message, call);
}

static enum rpc_next read_message(const struct toolbox *box, json_t *message, struct buf *reply, struct rpc_call *call)
{
    const json_t *id = json_object_get(message, "id"), *version = json_object_get(message, "jsonrpc");
    char *text = id_text(id);
    struct request r = {box, text, 0, plain_string(json_object_get(message, "method")),
                        json_object_get(message, "params"), reply};
    enum rpc_next next;

    if (!json_is_object(message))
        next = reply_error(reply, NULL, NOT_A_REQUEST, "a message is one object; batches are not supported", NULL);
    else if (plain_string(version) == NULL || strcmp(plain_string(version), "2.0") != 0)
        next = reply_error(reply, text, NOT_A_REQUEST, "jsonrpc is not \"2.0\"", NULL);
    else if (id != NULL && text == NULL)
        next = reply_error(reply, NULL, NOT_A_REQUEST, "id is neither a string nor an integer", NULL);
    else if (r.method == NULL && (json_object_get(message, "result") || json_object_get(message, "error")))
        next = RPC_NOTHING; /* a response, though nothing was asked */
    else if (r.method == NULL)
        next = reply_error(reply, text, NOT_A_REQUEST, "method is missing or not a string", NULL);
    else
        next = id == NULL ? read_notification(&r, call) : read_request(&r, message, call);
    free(text);
    return next;
}

/* --- from bytes to JSON --- */

/* Does any bracket outside a string open level DEPTH_MAX + 1? */
static int too_deep(const char *line, size_t len)
{
    size_t depth = 0;
    int in_string = 0;

    for (size_t i = 0; i < len; i++) {
        if (in_string && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            in_string = !in_string;
        else if (!in_string && (line[i] == '[' || line[i] == '{') && ++depth > DEPTH_MAX)
            return 1;
        else if (!in_string && (line[i] == ']' || line[i] == '}') && depth > 0)
            depth--;
    }
    return 0;
}

static json_t *parse(const char *line, size_t len, json_error_t *error)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_ANY;
    json_t *message = json_loadb(line, len, flags, error);

    if (message == NULL && json_error_code(error) == json_error_numeric_overflow)
        message = json_loadb(line, len, flags | JSON_DECODE_INT_AS_REAL, error); /* an integer beyond 64 bits */
    return message;
}

static int is_blank(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\r')
            return 0;
    return 1;
}

enum rpc_next rpc_read(const struct toolbox *box, const char *line, size_t len, struct buf *reply,
                       struct rpc_call *call)
{
    struct buf why = {0};
    json_error_t error;
    json_t *message;
    enum rpc_next next;

    memset(call, 0, sizeof *call);
    if (is_blank(line, len))
        return RPC_NOTHING;
    if (too_deep(line, len))
        return reply_error(reply, NULL, NOT_A_REQUEST, "the message is nested too deeply", NULL);
    message = parse(line, len, &error);
    if (message == NULL) {
        buf_printf(&why, "not JSON: %s", error.text);
        next = reply_error(reply, NULL, NOT_JSON, why.data, NULL);
        buf_free(&why);
        return next;
    }
    next = read_message(box, message, reply, call);
    json_decref(message);
    return next;
}

void rpc_too_long(struct buf *reply)
{
    reply_error(reply, NULL, NOT_A_REQUEST, "the message is longer than 1 MiB", NULL);
}

void rpc_give_up(const struct rpc_call *call, const char *code, const char *message, struct buf *reply)
{
    begin_result(reply, call->id, call->modern);
    put_tool_error(reply, code, message);
    end_result(reply, call->modern);
}

int rpc_run(struct toolbox *box, const struct rpc_call *call, struct watch *watch, struct buf *reply)
{
    int rc;

    begin_result(reply, call->id, call->modern);
    rc = toolbox_call(box, call->name, call->arguments, watch, reply);
    end_result(reply, call->modern);
    return rc;
}

void rpc_call_free(struct rpc_call *call)
{
    free(call->id);
    json_decref(call->message);
    memset(call, 0, sizeof *call);
}

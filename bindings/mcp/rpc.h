/*
 * JSON-RPC as MCP uses it, one message at a time and without any state between them: 2026-07-28, where
 * each request says its version, and 2025-11-25 and 2025-06-18, which begin with a handshake.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "tools.h"

#define RPC_LINE_MAX ((size_t)1 << 20) /* longest message, bytes */

enum rpc_next {
    RPC_NOTHING, /* a notification or a response: there is nothing to do */
    RPC_REPLY,   /* the reply is written */
    RPC_CALL,    /* a tool is to run: rpc_run() writes the reply */
    RPC_CANCEL   /* the call with call->id is to stop */
};

struct rpc_call {
    char *id; /* as JSON text */
    int modern;
    json_t *message;
    const char *name; /* these two are parts of message */
    const json_t *arguments;
};

/* Reads one message of len bytes, a line without its end. reply is empty before. call is filled for
 * RPC_CALL and RPC_CANCEL, then the caller frees it with rpc_call_free(). */
enum rpc_next rpc_read(const struct toolbox *box, const char *line, size_t len, struct buf *reply,
                       struct rpc_call *call);

/* The reply to a message that was too long to be read. */
void rpc_too_long(struct buf *reply);

/* The reply to a call that is not run to its end: a tool's error. */
void rpc_give_up(const struct rpc_call *call, const char *code, const char *message, struct buf *reply);

/* Runs the tool. Returns 0 with the reply written, or -1 if it was cancelled and nothing is to be sent. */
int rpc_run(struct toolbox *box, const struct rpc_call *call, struct watch *watch, struct buf *reply);

void rpc_call_free(struct rpc_call *call);

#endif

/*
 * MCP over stdio: one message a line from stdin, one a line to stdout.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MCP_SERVE_H
#define MCP_SERVE_H

#include "rpc.h"

/* Until the end of stdin. Returns the exit status. */
int serve(struct toolbox *box);

#endif

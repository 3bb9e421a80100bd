/*
 * MCP over stdio: one message a line from stdin, one a line to stdout.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MCP_SERVE_H
#define MCP_SERVE_H

#include "rpc.h"

/* Until the end of stdin. argv is the program's own, to start anew when a query cannot be stopped.
 * Returns the exit status. */
int serve(struct toolbox *box, char **argv);

#endif

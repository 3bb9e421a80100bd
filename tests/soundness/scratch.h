/*
 * A scratch database: one SQLite file in an empty folder, with tables, indexes, full-text and R-tree
 * tables that are worth analysing, everything writable, and a check of everything a text could change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "text.h"

#include <sqlite3.h>

struct scratch;

/* Makes the folder (in /dev/shm or $TMPDIR) and the database, and moves into the folder. Ends the program
 * with a message where that fails. */
struct scratch *scratch_open(void);
void scratch_close(struct scratch *scratch);

/* The same tables in a database in memory, without any check. The caller closes it. */
sqlite3 *scratch_memory(void);

/* For an authorizer: does SQLite ask for no more than a read? */
int scratch_only_reads(int action, const char *first, const char *second);

/* Puts file, folder, connection and process back as they were at first. */
void scratch_restore(struct scratch *scratch);

/* Runs a text as a host does that takes all its statements: prepare, step, go on at the tail, stop at the
 * first error. Work and rows have a limit. Returns the statements that SQLite found. */
unsigned scratch_run(struct scratch *scratch, const char *sql, size_t len);

/* The same. Returns 1 if all statements ran to their end, their limit or the text's end without an error. */
int scratch_run_all(struct scratch *scratch, const char *sql, size_t len);

/* What running has changed since the last restore, or NULL: the file byte by byte, the folder, the
 * connection's counters and switches, and what SQLite's authorizer was asked for. */
const char *scratch_changed(struct scratch *scratch);

/* The same for what takes longer to read: every PRAGMA value, the collations, how many functions there are,
 * the temp schema. */
const char *scratch_state_changed(struct scratch *scratch);

/* Does this SQLite have such a PRAGMA? */
int scratch_has_pragma(struct scratch *scratch, const char *name);

/* How SQLite takes a text, learned by preparing it only. */
enum scratch_reading {
    SCRATCH_NO_READ,     /* an error, or not only queries */
    SCRATCH_QUERIES,     /* every statement is a query: it has columns and asked only to read */
    SCRATCH_WITH_PRAGMA, /* the same, but some are PRAGMAs that only report */
    SCRATCH_EMPTY
};
enum scratch_reading scratch_read(struct scratch *scratch, const char *sql, size_t len);

#endif

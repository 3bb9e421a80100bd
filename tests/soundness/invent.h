/*
 * Tables for queries that others wrote for schemas of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef INVENT_H
#define INVENT_H

#include <sqlite3.h>
#include <stddef.h>

/* A database in memory with tables and rows made up so that this query prepares, or NULL if that fails.
 * The text must have a NUL behind its last byte. The caller closes it. */
sqlite3 *invent_tables(const char *sql, size_t len);

#endif

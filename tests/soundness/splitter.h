/*
 * Ways to cut a text into statements, each wrong in its own way, as found in tools around SQLite.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SPLITTER_H
#define SPLITTER_H

#include <stddef.h>

struct splitter {
    const char *name;
    unsigned rules;
};

extern const struct splitter splitters[];
extern const size_t splitter_count;

/* The end of the piece that starts at `at`: behind the `;` at which this splitter cuts, or len.
 * The text must have a NUL behind its last byte. */
size_t splitter_next(const struct splitter *splitter, const char *sql, size_t len, size_t at);

#endif

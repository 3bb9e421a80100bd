/*
 * Statements whose names are keywords, stand where they mislead, and are quoted in every way.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "text.h"

#include <stdint.h>

/* Names that the statements use: of tables, columns, functions, aliases, windows, all alike. */
extern const char *const hostile_names[];
extern const size_t hostile_name_count;

/* The first ones are names only in quotes. */
enum { HOSTILE_RESERVED = 12 };

/* Writes the statement of this seed: a query, INSERT, UPDATE, DELETE, CREATE or PRAGMA. Most prepare on a database
 * with a table of each name that has a column of each name, and a function of each name. */
void hostile_text(uint64_t seed, struct text *out);

#endif

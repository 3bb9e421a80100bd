/*
 * SQL texts made at random: from a grammar of what SQLite takes, with the tricks that fool guards mixed
 * in, and from texts already seen, cut up and put together anew. The same seed gives the same text.
 *
 * The grammar knows the tables of the scratch database (scratch.h), so that most queries prepare.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef GENERATE_H
#define GENERATE_H

#include "text.h"

#include <stdint.h>

/* What generate_text may write. */
enum generate_what {
    GENERATE_ANYTHING, /* reads, writers, tricks, and texts broken on purpose */
    GENERATE_READ,     /* one query, whole and without side effects, in plain or odd lexical dress */
    GENERATE_ESCAPE    /* a read with halves, comments and terminators spliced around it */
};

struct generator;

struct generator *generate_open(void);
void generate_close(struct generator *generator);

/* Adds a text to those that GENERATE_ANYTHING cuts up. */
void generate_add_seed(struct generator *generator, const char *sql, size_t len);

/* Writes the text of this seed. */
void generate_text(struct generator *generator, enum generate_what what, uint64_t seed, struct text *out);

/* The seed of text number i of a run: neighbours have nothing in common. */
static inline uint64_t generate_seed(uint64_t seed, uint64_t i)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + i + 1;

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif

/*
 * What the programs of this folder share: their arguments, and the texts that others wrote.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef INPUTS_H
#define INPUTS_H

#include "generate.h"

enum { INPUTS_PATH = 4096 };

struct inputs {
    uint64_t count;    /* --count: generated texts */
    uint64_t seed;     /* --seed */
    const char *cases; /* --cases: tests/cases, or NULL */
    const char
        *corpora;     /* --corpora: a folder of *.jsonl, each line an object with a string "sql"; or NULL */
    uint64_t every;   /* --every: take each n-th corpus text */
    const char *text; /* --text: judge this one text and print what is found */
    char path[2][INPUTS_PATH]; /* what cases and corpora point to */
    size_t cases_taken;        /* by inputs_all */
    size_t corpora_taken;
};

/* Reads the arguments; ends the program with status 2 and a usage line for any other. */
void inputs_read(struct inputs *inputs, int argc, char **argv, uint64_t count);

typedef void inputs_take(void *context, const char *sql, size_t len);

/* Hands out the text of every case in verdict*.tsv, clean*.tsv and cap*.tsv. Returns their number. */
size_t inputs_cases(const struct inputs *inputs, inputs_take *take, void *context);

/* Opens a generator that knows the texts of the cases. */
struct generator *inputs_generator(const struct inputs *inputs);

/* Writes generated text number i of a run. */
typedef void inputs_make(struct generator *generator, uint64_t seed, uint64_t i, struct text *out);

/* Hands out so many generated texts; make is NULL for those of GENERATE_ANYTHING. */
void inputs_generated(struct generator *generator, inputs_make *make, uint64_t seed, uint64_t count, inputs_take *take,
                      void *context);

/* Hands out the one text of --text, or else the cases, the corpora and the generated texts. */
void inputs_all(struct inputs *inputs, struct generator *generator, inputs_make *make, inputs_take *take, void *context);

/* Hands out corpus texts. Returns their number; a folder that is not there holds none. */
size_t inputs_corpora(const struct inputs *inputs, inputs_take *take, void *context);

#endif

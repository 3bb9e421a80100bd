/* What the programs here have in common: their arguments, and numbers that look random. */
#ifndef D1GUARD_TESTS_PROGRAM_H
#define D1GUARD_TESTS_PROGRAM_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    const char *root; /* of the project */
    int longer;
    unsigned long long seed;
};

/* Reads `[--long] [--seed N] ROOT`, or ends the program. */
static inline struct arguments read_arguments(int argc, char **argv)
{
    struct arguments arguments = {NULL, 0, 1};
    int i;

    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--long") == 0)
            arguments.longer = 1;
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            arguments.seed = strtoull(argv[++i], NULL, 10);
        else if (argv[i][0] != '-' && !arguments.root)
            arguments.root = argv[i];
        else
            break;
    }
    if (!arguments.root || i < argc) {
        fprintf(stderr, "usage: %s [--long] [--seed N] ROOT\n", argv[0]);
        exit(2);
    }
    return arguments;
}

static unsigned long long random_state;

static inline void random_seed(unsigned long long seed)
{
    random_state = seed * 0x9E3779B97F4A7C15u + 1; /* any but 0 */
}

/* xorshift64: 0 to n - 1 */
static inline unsigned random_below(unsigned n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % n;
}

#endif

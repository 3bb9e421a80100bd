/* The library built in other ways, beside the one that is linked. */
#ifndef D1GUARD_BENCH_VARIANT_H
#define D1GUARD_BENCH_VARIANT_H

#include "d1guard.h"

struct variant {
    const char *name;
    int (*next_statement)(const char *, size_t, size_t, struct d1guard_statement *);
    int (*classify)(const char *, size_t, const struct d1guard_options *, struct d1guard_report *);
    size_t (*tokens)(const char *, size_t, size_t, struct d1guard_token *, size_t);
};

extern const struct variant variant_small;  /* reads each token by itself */
extern const struct variant variant_plain;  /* without vector instructions */
extern const struct variant variant_narrow; /* without those found at run time */

#endif

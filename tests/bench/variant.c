/*
 * The whole library once more, built in another way, as a shared library that exports only VARIANT: so
 * several can be in one program. What is varied is private, hence not the header only.
 */
#define D1GUARD_API static
#include VARIANT_LIBRARY

#undef D1GUARD_API
#define D1GUARD_API
#include "variant.h"

extern const struct variant VARIANT __attribute__((visibility("default")));
const struct variant VARIANT = {VARIANT_NAME, d1guard_next_statement, d1guard_classify, d1guard_tokens};

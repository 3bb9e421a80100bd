/* Bounded reading: the only place that touches the text by index. */
#ifndef D1G_CURSOR_H
#define D1G_CURSOR_H

#include <stddef.h>
#include <stdint.h>

#define D1G_END (-1) /* what lies behind the text: no byte, and never a NUL */

/* For a function whose frame would else be part of its caller's, and there during all of its calls. */
#if defined(__GNUC__)
#define D1G_APART __attribute__((noinline))
#else
#define D1G_APART
#endif

/* For a function that costs hardly more than a call of it: builds for size, too, have it in place. */
#if defined(__GNUC__)
#define D1G_IN_PLACE __attribute__((always_inline))
#else
#define D1G_IN_PLACE
#endif

struct d1g_text {
    const unsigned char *z;
    size_t n;
};

/*
 * Comments that begin with @ are ACSL: what a function asks of its caller, all that it may write, what holds
 * when it returns; and what holds in a loop, and why it ends. tests/proofs proves them.
 */
/*@ predicate d1g_readable(struct d1g_text *t) = \valid_read(t) && \valid_read(t->z + (0 .. t->n - 1)); */

/*@ requires d1g_readable(t);
    assigns \nothing;
    ensures i < t->n ? \result == t->z[i] : \result == D1G_END; */
static inline int d1g_byte(const struct d1g_text *t, size_t i)
{
    return i < t->n ? t->z[i] : D1G_END;
}

/* The byte k places behind i; i <= t->n. i + k may lie outside the text and outside size_t. */
/*@ requires d1g_readable(t) && i <= t->n;
    assigns \nothing;
    ensures i + k < t->n ? \result == t->z[i + k] : \result == D1G_END; */
static inline int d1g_peek(const struct d1g_text *t, size_t i, size_t k)
{
    return t->n - i > k ? t->z[i + k] : D1G_END;
}

/* The four bytes from z on, the first one lowest. */
/*@ requires \valid_read(z + (0 .. 3));
    assigns \nothing; */
static inline uint32_t d1g_load4(const unsigned char *z)
{
    return (uint32_t)z[0] | (uint32_t)z[1] << 8 | (uint32_t)z[2] << 16 | (uint32_t)z[3] << 24;
}

/* ASCII only, as SQLite folds names and keywords; a byte of UTF-8 is left alone. */
/*@ assigns \nothing;
    ensures 'A' <= c <= 'Z' ? \result == c + 32 : \result == c; */
static inline int d1g_lower(int c)
{
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/*
 * Fills a struct of the host, whose first field is its size in bytes, with the first bytes of `from`, up to
 * that size or `known`, whichever is less. The host's size stays.
 */
/*@ requires \valid((unsigned char *)to + (4 .. \min(size, known) - 1));
    requires \valid_read((unsigned char *)from + (4 .. \min(size, known) - 1));
    assigns ((unsigned char *)to)[4 .. \min(size, known) - 1]; */
static inline void d1g_copy_out(void *to, const void *from, uint32_t size, size_t known)
{
    unsigned char *a = (unsigned char *)to;
    const unsigned char *b = (const unsigned char *)from;
    const size_t n = size < known ? size : known;
    size_t i;

    /*@ loop invariant 4 <= i;
        loop assigns i, a[4 .. n - 1];
        loop variant n - i; */
    for (i = sizeof size; i < n; i++)
        a[i] = b[i];
}

#endif

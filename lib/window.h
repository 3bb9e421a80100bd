/*
 * The next 64 bytes of a text by what they are, a bit for each, so that many are judged at once. This is
 * the only place that knows vector instructions: a block and what is seen in it have a form for SSE2 and
 * one that runs everywhere, which D1G_PLAIN chooses. tests/bench/steps_test.c holds them against each other.
 */
#ifndef D1G_WINDOW_H
#define D1G_WINDOW_H

#include "bytes.h"

#define D1G_WINDOW 64

/* The first byte is the lowest bit. The bits behind the end of the text are 0. */
struct d1g_window {
    uint64_t words;   /* A-Z a-z 0-9 _ */
    uint64_t numbers; /* 0-9 . */
    uint64_t quotes;  /* ' and no other */
    uint64_t marks;   /* none of these, no TAB, LF or space, and none of * + , < = > */
};

#if defined(__SSE2__) && !defined(D1G_PLAIN)

#include <emmintrin.h>

#define D1G_BLOCK 16 /* bytes looked at at once */
typedef __m128i d1g_block;

/* z holds D1G_BLOCK bytes. */
static inline d1g_block d1g_load_block(const unsigned char *z)
{
    return _mm_loadu_si128((const __m128i *)(const void *)z);
}

static inline d1g_block d1g_each_is(d1g_block v, int byte)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8((char)byte));
}

/* first <= byte <= last, both below 0x80: moved so that last is the highest signed number */
static inline d1g_block d1g_each_in(d1g_block v, int first, int last)
{
    const __m128i moved = _mm_add_epi8(v, _mm_set1_epi8((char)(0x7F - last)));

    return _mm_cmpgt_epi8(moved, _mm_set1_epi8((char)(0x7E - last + first)));
}

static inline d1g_block d1g_with_bit(d1g_block v, int bit)
{
    return _mm_or_si128(v, _mm_set1_epi8((char)bit));
}

static inline d1g_block d1g_either(d1g_block a, d1g_block b)
{
    return _mm_or_si128(a, b);
}

/* What is true of each byte, the first one lowest. */
static inline uint64_t d1g_bits_of(d1g_block v)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v);
}

#else

/* The eight bytes from i on, the first one lowest; t->n - i >= 8. */
/*@ requires d1g_readable(t) && t->n - i >= 8;
    assigns \nothing; */
static inline uint64_t d1g_load8(const struct d1g_text *t, size_t i)
{
    const unsigned char *z = t->z + i;

    return (uint64_t)z[0] | (uint64_t)z[1] << 8 | (uint64_t)z[2] << 16 | (uint64_t)z[3] << 24 |
           (uint64_t)z[4] << 32 | (uint64_t)z[5] << 40 | (uint64_t)z[6] << 48 | (uint64_t)z[7] << 56;
}

/*
 * Eight bytes at once. Bit 7 of each byte of a mask says yes; the first byte of the text is the lowest.
 */
#define D1G_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Bit 7 where the low seven bits of the byte are at least c. */
/*@ assigns \nothing; */
static inline uint64_t d1g_at_least(uint64_t low, unsigned c)
{
    return low + D1G_EACH(0x80 - c);
}

/*@ assigns \nothing; */
static inline uint64_t d1g_equal(uint64_t low, unsigned c)
{
    return ~((low ^ D1G_EACH(c)) + D1G_EACH(0x7F));
}

#define D1G_BLOCK 8
typedef uint64_t d1g_block;

/*@ requires \valid_read(z + (0 .. 7));
    assigns \nothing; */
static inline d1g_block d1g_load_block(const unsigned char *z)
{
    const struct d1g_text t = {z, D1G_BLOCK};

    return d1g_load8(&t, 0);
}

/* Bit 7 of each byte is what the functions below tell. */

/*@ assigns \nothing; */
static inline d1g_block d1g_each_is(d1g_block v, unsigned byte)
{
    return d1g_equal(v & D1G_EACH(0x7F), byte) & ~v;
}

/*@ assigns \nothing; */
static inline d1g_block d1g_each_in(d1g_block v, unsigned first, unsigned last)
{
    const uint64_t low = v & D1G_EACH(0x7F);

    return d1g_at_least(low, first) & ~d1g_at_least(low, last + 1) & ~v;
}

/*@ assigns \nothing; */
static inline d1g_block d1g_with_bit(d1g_block v, unsigned bit)
{
    return v | D1G_EACH(bit);
}

/*@ assigns \nothing; */
static inline d1g_block d1g_either(d1g_block a, d1g_block b)
{
    return a | b;
}

/*@ assigns \nothing; */
static inline uint64_t d1g_bits_of(d1g_block v)
{
    return ((v & D1G_EACH(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

#endif

/* Puts what the block shows in front of the window. */
/*@ requires \valid(w);
    assigns *w; */
static inline D1G_IN_PLACE void d1g_see_block(struct d1g_window *w, d1g_block v)
{
    const d1g_block letters = d1g_each_in(d1g_with_bit(v, 0x20), 'a', 'z');
    const d1g_block digits = d1g_each_in(v, '0', '9');
    const d1g_block words = d1g_either(d1g_either(letters, digits), d1g_each_is(v, '_'));
    const d1g_block numbers = d1g_either(digits, d1g_each_is(v, '.'));
    const d1g_block quotes = d1g_each_is(v, '\'');
    const d1g_block blanks = d1g_either(d1g_each_in(v, '\t', '\n'), d1g_each_is(v, ' '));
    const d1g_block signs = d1g_either(d1g_each_in(v, '*', ','), d1g_each_in(v, '<', '>'));
    const d1g_block known = d1g_either(d1g_either(words, numbers), d1g_either(quotes, d1g_either(blanks, signs)));

    w->words = w->words << D1G_BLOCK | d1g_bits_of(words);
    w->numbers = w->numbers << D1G_BLOCK | d1g_bits_of(numbers);
    w->quotes = w->quotes << D1G_BLOCK | d1g_bits_of(quotes);
    w->marks = w->marks << D1G_BLOCK | d1g_bits_of(known);
}

/* Fills the window with the bytes at z, whole blocks of them, at least one. */
/*@ requires \valid(w) && 0 < bytes <= D1G_WINDOW && bytes % D1G_BLOCK == 0 && \valid_read(z + (0 .. bytes - 1));
    assigns *w; */
static inline D1G_IN_PLACE void d1g_see(struct d1g_window *w, const unsigned char *z, size_t bytes)
{
    struct d1g_window seen = {0, 0, 0, 0}; /* in registers, until all is seen */
    size_t i = bytes;

    /*@ loop invariant 0 < i <= bytes && i % D1G_BLOCK == 0;
        loop assigns i, seen;
        loop variant i; */
    do {
        i -= D1G_BLOCK;
        d1g_see_block(&seen, d1g_load_block(z + i));
    } while (i > 0);
    seen.marks = ~seen.marks << (D1G_WINDOW - bytes) >> (D1G_WINDOW - bytes);
    *w = seen;
}

/* Drops the first k bytes; k < D1G_WINDOW. */
/*@ requires \valid(w) && k < D1G_WINDOW;
    assigns *w; */
static inline void d1g_shift_window(struct d1g_window *w, size_t k)
{
    w->words >>= k;
    w->numbers >>= k;
    w->quotes >>= k;
    w->marks >>= k;
}

/* Fills the window with the bytes from at on; at < t->n. Near its end, a text is seen from further back. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && at < t->n;
    assigns *w; */
static inline D1G_IN_PLACE void d1g_look(struct d1g_window *w, const struct d1g_text *t, size_t at)
{
    const size_t rest = t->n - at;
    const unsigned char *z = t->z + at;
    unsigned char copy[D1G_WINDOW];
    size_t bytes = D1G_WINDOW;
    size_t before = 0, k;

    if (rest < D1G_WINDOW) {
        bytes = (rest + D1G_BLOCK - 1) / D1G_BLOCK * D1G_BLOCK;
        if (t->n >= bytes) {
            before = bytes - rest;
            z -= before;
        } else {
            /*@ loop invariant k <= bytes;
                loop assigns k, copy[0 .. D1G_WINDOW - 1];
                loop variant bytes - k; */
            for (k = 0; k < bytes; k++)
                copy[k] = k < rest ? z[k] : ' ';
            z = copy;
        }
    }
    d1g_see(w, z, bytes);
    d1g_shift_window(w, before);
}

#endif

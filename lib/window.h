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
    uint64_t words;       /* A-Z a-z 0-9 _ */
    uint64_t numbers;     /* 0-9 . */
    uint64_t blanks;      /* TAB, LF and space; not the rare ones */
    uint64_t quotes;      /* ' and no other */
    uint64_t parentheses; /* ( ) */
    uint64_t plain;       /* all of the above, and % & * + , < = > */
    uint64_t nuls;        /* not 0: there is a NUL byte among them, or shortly before */
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

static inline __m128i d1g_each_is(__m128i v, char c)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

/* first <= byte <= last, both below 0x80: moved so that last is the highest signed number */
static inline __m128i d1g_each_in(__m128i v, int first, int last)
{
    const __m128i moved = _mm_add_epi8(v, _mm_set1_epi8((char)(0x7F - last)));

    return _mm_cmpgt_epi8(moved, _mm_set1_epi8((char)(0x7E - last + first)));
}

static inline uint64_t d1g_bits_of(__m128i v)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v);
}

static inline __m128i d1g_either(__m128i a, __m128i b)
{
    return _mm_or_si128(a, b);
}

/* Adds what the block shows to the window, its first byte at bit `shift`. */
static inline void d1g_see_block(struct d1g_window *w, d1g_block v, unsigned shift)
{
    const __m128i letters = d1g_each_in(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 'z');
    const __m128i digits = d1g_each_in(v, '0', '9');
    const __m128i words = d1g_either(d1g_either(letters, digits), d1g_each_is(v, '_'));
    const __m128i blanks = d1g_either(d1g_each_in(v, '\t', '\n'), d1g_each_is(v, ' '));
    const __m128i dots = d1g_each_is(v, '.');
    const __m128i signs = d1g_either(d1g_each_in(v, '%', ','), d1g_each_in(v, '<', '>'));
    const __m128i parentheses = d1g_each_is(_mm_or_si128(v, _mm_set1_epi8('(' ^ ')')), ')');
    const __m128i plain = d1g_either(d1g_either(words, blanks), d1g_either(signs, dots));

    w->words |= d1g_bits_of(words) << shift;
    w->numbers |= d1g_bits_of(d1g_either(digits, dots)) << shift;
    w->blanks |= d1g_bits_of(blanks) << shift;
    w->quotes |= d1g_bits_of(d1g_each_is(v, '\'')) << shift;
    w->parentheses |= d1g_bits_of(parentheses) << shift;
    w->plain |= d1g_bits_of(plain) << shift;
    w->nuls |= d1g_bits_of(d1g_each_is(v, '\0'));
}

#else

#define D1G_BLOCK 8
typedef uint64_t d1g_block;

static inline d1g_block d1g_load_block(const unsigned char *z)
{
    const struct d1g_text t = {z, D1G_BLOCK};

    return d1g_load8(&t, 0);
}

/* Bit 7 of each byte, moved to the lowest eight bits. */
static inline uint64_t d1g_bits_of(uint64_t mask)
{
    return ((mask & D1G_EACH(0x80)) >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

/* Bit 7 where first <= byte <= last, all of them below 0x80; low holds the low seven bits. */
static inline uint64_t d1g_each_in(uint64_t low, unsigned first, unsigned last)
{
    return d1g_at_least(low, first) & ~d1g_at_least(low, last + 1);
}

static inline void d1g_see_block(struct d1g_window *w, d1g_block v, unsigned shift)
{
    const uint64_t ascii = ~v;
    const uint64_t low = v & D1G_EACH(0x7F);
    const uint64_t letters = d1g_each_in(low | D1G_EACH(0x20), 'a', 'z');
    const uint64_t digits = d1g_each_in(low, '0', '9') & ascii;
    const uint64_t words = (letters | digits | d1g_equal(low, '_')) & ascii;
    const uint64_t blanks = (d1g_each_in(low, '\t', '\n') | d1g_equal(low, ' ')) & ascii;
    const uint64_t dots = d1g_equal(low, '.') & ascii;
    const uint64_t signs = (d1g_each_in(low, '%', ',') | d1g_each_in(low, '<', '>')) & ascii;

    w->words |= d1g_bits_of(words) << shift;
    w->numbers |= d1g_bits_of(digits | dots) << shift;
    w->blanks |= d1g_bits_of(blanks) << shift;
    w->quotes |= d1g_bits_of(d1g_equal(low, '\'') & ascii) << shift;
    w->parentheses |= d1g_bits_of(d1g_equal(low | D1G_EACH('(' ^ ')'), ')') & ascii) << shift;
    w->plain |= d1g_bits_of(words | blanks | signs | dots) << shift;
    w->nuls |= d1g_bits_of(d1g_equal(low, 0) & ascii);
}

#endif

/* Drops the first k bytes; k < 64. */
static inline void d1g_shift_window(struct d1g_window *w, size_t k)
{
    w->words >>= k;
    w->numbers >>= k;
    w->blanks >>= k;
    w->quotes >>= k;
    w->parentheses >>= k;
    w->plain >>= k;
}

/* z holds D1G_WINDOW bytes. */
static inline void d1g_see_window(struct d1g_window *w, const unsigned char *z)
{
    struct d1g_window seen = {0, 0, 0, 0, 0, 0, 0}; /* in registers, until all is seen */
    unsigned k;

    for (k = 0; k < D1G_WINDOW; k += D1G_BLOCK)
        d1g_see_block(&seen, d1g_load_block(z + k), k);
    *w = seen;
}

static inline void d1g_store8(unsigned char *z, uint64_t bytes)
{
    z[0] = (unsigned char)bytes;
    z[1] = (unsigned char)(bytes >> 8);
    z[2] = (unsigned char)(bytes >> 16);
    z[3] = (unsigned char)(bytes >> 24);
    z[4] = (unsigned char)(bytes >> 32);
    z[5] = (unsigned char)(bytes >> 40);
    z[6] = (unsigned char)(bytes >> 48);
    z[7] = (unsigned char)(bytes >> 56);
}

/* The up to seven bytes from i on, and blanks behind them. */
static inline uint64_t d1g_load_rest(const struct d1g_text *t, size_t i)
{
    uint64_t bytes = 0;
    size_t k;

    for (k = 8; k-- > 0;)
        bytes = bytes << 8 | (t->n - i > k ? t->z[i + k] : ' ');
    return bytes;
}

/* The text, shorter than a window, and blanks behind it. */
static inline void d1g_copy_short(unsigned char *copy, const struct d1g_text *t)
{
    size_t k;

    for (k = 0; k < D1G_WINDOW; k += 8)
        d1g_store8(copy + k, D1G_EACH(' '));
    for (k = 0; t->n - k >= 8; k += 8)
        d1g_store8(copy + k, d1g_load8(t, k));
    d1g_store8(copy + k, d1g_load_rest(t, k));
}

/* Fills the window with the bytes from at on; at < t->n. Near its end, a text is seen from further back. */
static inline void d1g_look(struct d1g_window *w, const struct d1g_text *t, size_t at)
{
    unsigned char copy[D1G_WINDOW];
    const unsigned char *z = copy;
    size_t from = 0;

    if (t->n >= D1G_WINDOW) {
        from = t->n - at >= D1G_WINDOW ? at : t->n - D1G_WINDOW;
        z = t->z + from;
    } else {
        d1g_copy_short(copy, t);
    }
    d1g_see_window(w, z);
    d1g_shift_window(w, at - from);
}

#endif

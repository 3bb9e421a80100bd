/*
 * The next 64 bytes of a text by what they are, a bit for each, so that many are judged at once. This is
 * the only place that knows vector instructions: a block and what is seen in it have a form for SSE2 and
 * one that runs everywhere, which D1G_PLAIN chooses, and whole windows one for AVX2, which D1G_NARROW leaves out.
 * tests/bench/steps_test.c holds them against each other.
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
    uint64_t names;   /* where a watched name may start, if a word starts there */
};

/* The first bytes of watched names: by the low four bits of a byte, its groups as bits; a table for each byte. */
#define D1G_FOURS 4
typedef const unsigned char d1g_fours[D1G_FOURS][16];

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

/*@ assigns \nothing; */
static inline d1g_block d1g_block_digits(d1g_block v)
{
    return d1g_each_in(v, '0', '9');
}

/* A-Z a-z 0-9 _ */
/*@ assigns \nothing; */
static inline d1g_block d1g_block_words(d1g_block v)
{
    const d1g_block letters = d1g_each_in(d1g_with_bit(v, 0x20), 'a', 'z');

    return d1g_either(d1g_either(letters, d1g_block_digits(v)), d1g_each_is(v, '_'));
}

/* TAB, LF, space */
/*@ assigns \nothing; */
static inline d1g_block d1g_block_blanks(d1g_block v)
{
    return d1g_either(d1g_each_in(v, '\t', '\n'), d1g_each_is(v, ' '));
}

/* Puts what the block shows in front of the window. */
/*@ requires \valid(w);
    assigns *w; */
static inline D1G_IN_PLACE void d1g_see_block(struct d1g_window *w, d1g_block v)
{
    const d1g_block words = d1g_block_words(v);
    const d1g_block numbers = d1g_either(d1g_block_digits(v), d1g_each_is(v, '.'));
    const d1g_block quotes = d1g_each_is(v, '\'');
    const d1g_block blanks = d1g_block_blanks(v);
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
    struct d1g_window seen = {0}; /* in registers, until all is seen */
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

/*
 * Where the processor has AVX2 and BMI, found out at run time, whole windows are seen 32 bytes at a time, and words
 * that cannot be watched ones are told from those that may be. Not in builds for size.
 */
#if defined(__SSE2__) && defined(__GNUC__) && __STDC_HOSTED__ && !defined(__OPTIMIZE_SIZE__) && \
    !defined(D1G_PLAIN) && !defined(D1G_NARROW)

#include <immintrin.h>

#define D1G_HALF 32
#define D1G_FEWEST_WIDE (D1G_HALF + D1G_FOURS - 1)
#define D1G_WIDE __attribute__((target("avx2,bmi"), unused))
#define D1G_WIDE_IN_PLACE static inline __attribute__((target("avx2,bmi"), always_inline))

static inline int d1g_is_wide(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}

/* Groups of bytes: one is in a group if its low four bits and its high four are. A quote is in none. */
enum d1g_group {
    GROUP_DIGIT = 1,
    GROUP_DOT = 2,
    GROUP_A_TO_O = 4,
    GROUP_P_TO_Z = 8,
    GROUP_UNDERSCORE = 16,
    GROUP_TAB = 32,         /* TAB LF */
    GROUP_SIGN = 64,        /* space * + , */
    GROUP_COMPARISON = 128, /* < = > */
    GROUP_LETTERS = GROUP_A_TO_O | GROUP_P_TO_Z,
    GROUP_WORDS = GROUP_DIGIT | GROUP_LETTERS /* but for _ */
};

/* By the low four bits of a byte, and by the high ones. */
static const unsigned char d1g_low_groups[16] = {
    GROUP_DIGIT | GROUP_P_TO_Z | GROUP_SIGN,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS,
    GROUP_WORDS | GROUP_TAB,
    GROUP_LETTERS | GROUP_TAB | GROUP_SIGN,
    GROUP_A_TO_O | GROUP_SIGN,
    GROUP_A_TO_O | GROUP_SIGN | GROUP_COMPARISON,
    GROUP_A_TO_O | GROUP_COMPARISON,
    GROUP_A_TO_O | GROUP_COMPARISON | GROUP_DOT,
    GROUP_A_TO_O | GROUP_UNDERSCORE};
static const unsigned char d1g_high_groups[16] = {
    GROUP_TAB,
    0,
    GROUP_DOT | GROUP_SIGN,
    GROUP_DIGIT | GROUP_COMPARISON,
    GROUP_A_TO_O,
    GROUP_P_TO_Z | GROUP_UNDERSCORE,
    GROUP_A_TO_O,
    GROUP_P_TO_Z};

D1G_WIDE_IN_PLACE __m256i d1g_load_wide(const unsigned char *z)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)z);
}

/* What the table has for the low four bits of each byte; 0 for bytes from 0x80 on. */
D1G_WIDE_IN_PLACE __m256i d1g_look_up(const unsigned char table[16], __m256i bytes)
{
    const __m128i half = _mm_loadu_si128((const __m128i *)(const void *)table);

    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), bytes);
}

/* Where v has a 0, the first byte lowest. */
D1G_WIDE_IN_PLACE uint64_t d1g_zeros(__m256i v)
{
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256()));
}

D1G_WIDE_IN_PLACE void d1g_see_half(struct d1g_window *w, const unsigned char *z)
{
    const __m256i v = d1g_load_wide(z);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
    const __m256i groups = _mm256_and_si256(d1g_look_up(d1g_low_groups, v), d1g_look_up(d1g_high_groups, high));
    const __m256i words = _mm256_and_si256(groups, _mm256_set1_epi8(GROUP_WORDS | GROUP_UNDERSCORE));
    const __m256i numbers = _mm256_and_si256(groups, _mm256_set1_epi8(GROUP_DIGIT | GROUP_DOT));
    const __m256i quotes = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\''));

    w->words = (uint32_t)~d1g_zeros(words);
    w->numbers = (uint32_t)~d1g_zeros(numbers);
    w->quotes = (uint32_t)_mm256_movemask_epi8(quotes);
    w->marks = d1g_zeros(_mm256_or_si256(groups, quotes));
}

/* Where, of the 32 bytes at z, four start that are of one group in all of the tables. */
D1G_WIDE_IN_PLACE uint64_t d1g_find_fours(d1g_fours fours, const unsigned char *z)
{
    const __m256i front = _mm256_and_si256(d1g_look_up(fours[0], d1g_load_wide(z)),
                                           d1g_look_up(fours[1], d1g_load_wide(z + 1)));
    const __m256i back = _mm256_and_si256(d1g_look_up(fours[2], d1g_load_wide(z + 2)),
                                          d1g_look_up(fours[3], d1g_load_wide(z + 3)));

    return (uint32_t)~d1g_zeros(_mm256_and_si256(front, back));
}

/* Fills the window with the bytes at z, at least 35; those behind the 64th only tell names. */
D1G_WIDE D1G_APART static void d1g_see_wide(struct d1g_window *w, const unsigned char *z, size_t bytes,
                                            d1g_fours fours)
{
    /* Where the second half starts, and where it does for names; what both halves have is seen alike. */
    const size_t back = bytes < D1G_WINDOW ? bytes - D1G_HALF : D1G_HALF;
    const size_t last = bytes < D1G_WINDOW + D1G_FOURS - 1 ? bytes - D1G_FEWEST_WIDE : D1G_HALF;
    struct d1g_window first, second;

    d1g_see_half(&first, z);
    d1g_see_half(&second, z + back);
    w->words = first.words | second.words << back;
    w->numbers = first.numbers | second.numbers << back;
    w->quotes = first.quotes | second.quotes << back;
    w->marks = first.marks | second.marks << back;
    w->names = d1g_find_fours(fours, z) | d1g_find_fours(fours, z + last) << last;
}

#endif

/* Drops the first k bytes; k < D1G_WINDOW. */
/*@ requires \valid(w) && k < D1G_WINDOW;
    assigns *w; */
static inline void d1g_shift_window(struct d1g_window *w, size_t k)
{
    w->words >>= k;
    w->numbers >>= k;
    w->quotes >>= k;
    w->marks >>= k;
    w->names >>= k;
}

/* Where a word has four letters, as far as they are seen. */
/*@ requires \valid_read(w);
    assigns \nothing; */
static inline uint64_t d1g_long_words(const struct d1g_window *w)
{
    const uint64_t twos = w->words & w->words >> 1;

    return ((twos & twos >> 2) | w->words >> 61 << 61) & ~w->numbers;
}

/* Fills the window with the bytes from at on, block by block. Near its end, a text is seen from further back. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && at < t->n;
    assigns *w; */
D1G_APART static void d1g_look_at_blocks(struct d1g_window *w, const struct d1g_text *t, size_t at)
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
    w->names = d1g_long_words(w);
}

/*@ predicate d1g_shows(struct d1g_window *w, integer n) =
        are_below(w->words, n) && are_below(w->marks, n) && are_below(w->names, n); */

/* Fills the window with the bytes from at on; at < t->n. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && at < t->n;
    assigns *w;
    ensures d1g_shows(w, t->n - at < D1G_WINDOW ? t->n - at : D1G_WINDOW); */
static inline D1G_IN_PLACE void d1g_look(struct d1g_window *w, const struct d1g_text *t, size_t at, d1g_fours fours)
{
#ifdef D1G_WIDE
    const size_t rest = t->n - at;
    const size_t before = rest < D1G_FEWEST_WIDE ? D1G_FEWEST_WIDE - rest : 0;

    if (d1g_is_wide() && t->n >= D1G_FEWEST_WIDE) {
        d1g_see_wide(w, t->z + at - before, rest + before, fours);
        if (before > 0)
            d1g_shift_window(w, before);
        return;
    }
#else
    (void)fours;
#endif
    d1g_look_at_blocks(w, t, at);
    /*@ admit d1g_shows(w, t->n - at < D1G_WINDOW ? t->n - at : D1G_WINDOW); */
}

/* Sets each bit for which the number of bits set in x up to and with it is odd. */
/*@ assigns \nothing; */
static inline uint64_t d1g_parity_of(uint64_t x)
{
    x ^= x << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    x ^= x << 16;
    x ^= x << 32;
    return x;
}

/* The same 64 bytes by what they are to tokens. */
struct d1g_view {
    uint64_t words;  /* A-Z a-z 0-9 _ */
    uint64_t joins;  /* 0-9, and - . ; < = >, signs that may be one token with such a byte */
    uint64_t blanks; /* TAB, LF, space */
    uint64_t quotes; /* ' and no other */
    uint64_t known;  /* all of these, and ( ) * + , */
};

/* Puts what the block shows in front of the view. */
/*@ requires \valid(v);
    assigns *v; */
static inline D1G_IN_PLACE void d1g_view_block(struct d1g_view *v, d1g_block b)
{
    const d1g_block signs = d1g_either(d1g_each_in(b, '-', '.'), d1g_each_in(b, ';', '>'));

    v->words = v->words << D1G_BLOCK | d1g_bits_of(d1g_block_words(b));
    v->joins = v->joins << D1G_BLOCK | d1g_bits_of(d1g_either(d1g_block_digits(b), signs));
    v->blanks = v->blanks << D1G_BLOCK | d1g_bits_of(d1g_block_blanks(b));
    v->quotes = v->quotes << D1G_BLOCK | d1g_bits_of(d1g_each_is(b, '\''));
    v->known = v->known << D1G_BLOCK | d1g_bits_of(d1g_each_in(b, '\'', ','));
}

/* Fills the view with the 64 bytes at z. */
/*@ requires \valid(v) && \valid_read(z + (0 .. D1G_WINDOW - 1));
    assigns *v; */
static inline void d1g_view_blocks(struct d1g_view *v, const unsigned char *z)
{
    struct d1g_view seen = {0}; /* in registers, until all is seen */
    size_t i = D1G_WINDOW;

    /*@ loop invariant 0 < i <= D1G_WINDOW && i % D1G_BLOCK == 0;
        loop assigns i, seen;
        loop variant i; */
    do {
        i -= D1G_BLOCK;
        d1g_view_block(&seen, d1g_load_block(z + i));
    } while (i > 0);
    seen.known |= seen.words | seen.joins | seen.blanks;
    *v = seen;
}

#ifdef D1G_WIDE

/* As d1g_group: other groups. */
enum d1g_view_group {
    VIEW_DIGIT = 1,
    VIEW_A_TO_O = 2,
    VIEW_P_TO_Z = 4,
    VIEW_UNDERSCORE = 8,
    VIEW_TAB = 16,    /* TAB LF */
    VIEW_SIGN = 32,   /* ( ) * + , */
    VIEW_JOIN = 64,   /* - . = > */
    VIEW_OTHER = 128, /* ; < */
    VIEW_LETTERS = VIEW_A_TO_O | VIEW_P_TO_Z,
    VIEW_WORDS = VIEW_DIGIT | VIEW_LETTERS, /* but for _ */
    VIEW_JOINS = VIEW_DIGIT | VIEW_JOIN | VIEW_OTHER
};
static const unsigned char d1g_low_views[16] = {
    VIEW_DIGIT | VIEW_P_TO_Z,
    VIEW_WORDS,
    VIEW_WORDS,
    VIEW_WORDS,
    VIEW_WORDS,
    VIEW_WORDS,
    VIEW_WORDS,
    VIEW_WORDS,
    VIEW_WORDS | VIEW_SIGN,
    VIEW_WORDS | VIEW_SIGN | VIEW_TAB,
    VIEW_LETTERS | VIEW_SIGN | VIEW_TAB,
    VIEW_A_TO_O | VIEW_SIGN | VIEW_OTHER,
    VIEW_A_TO_O | VIEW_SIGN | VIEW_OTHER,
    VIEW_A_TO_O | VIEW_JOIN,
    VIEW_A_TO_O | VIEW_JOIN,
    VIEW_A_TO_O | VIEW_UNDERSCORE};
static const unsigned char d1g_high_views[16] = {
    VIEW_TAB,
    0,
    VIEW_SIGN | VIEW_JOIN,
    VIEW_JOINS,
    VIEW_A_TO_O,
    VIEW_P_TO_Z | VIEW_UNDERSCORE,
    VIEW_A_TO_O,
    VIEW_P_TO_Z};

D1G_WIDE_IN_PLACE void d1g_view_half(struct d1g_view *v, const unsigned char *z)
{
    const __m256i b = d1g_load_wide(z);
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(b, 4), _mm256_set1_epi8(0x0F));
    const __m256i groups = _mm256_and_si256(d1g_look_up(d1g_low_views, b), d1g_look_up(d1g_high_views, high));
    const __m256i words = _mm256_and_si256(groups, _mm256_set1_epi8(VIEW_WORDS | VIEW_UNDERSCORE));
    const __m256i joins = _mm256_and_si256(groups, _mm256_set1_epi8((char)VIEW_JOINS));
    const __m256i tabs = _mm256_slli_epi16(groups, 3); /* as bit 7 */
    const __m256i spaces = _mm256_cmpeq_epi8(b, _mm256_set1_epi8(' '));
    const __m256i quotes = _mm256_cmpeq_epi8(b, _mm256_set1_epi8('\''));

    v->words = (uint32_t)~d1g_zeros(words);
    v->joins = (uint32_t)~d1g_zeros(joins);
    v->blanks = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(tabs, spaces));
    v->quotes = (uint32_t)_mm256_movemask_epi8(quotes);
    v->known = (uint32_t)~d1g_zeros(_mm256_or_si256(groups, _mm256_or_si256(spaces, quotes)));
}

/* Fills the view with the bytes at z: at least 32, at most 64. */
D1G_WIDE_IN_PLACE void d1g_view_wide(struct d1g_view *v, const unsigned char *z, size_t bytes)
{
    const size_t back = bytes - D1G_HALF; /* where the second half starts; what both have is seen alike */
    struct d1g_view first, second;

    d1g_view_half(&first, z);
    d1g_view_half(&second, z + back);
    v->words = first.words | second.words << back;
    v->joins = first.joins | second.joins << back;
    v->blanks = first.blanks | second.blanks << back;
    v->quotes = first.quotes | second.quotes << back;
    v->known = first.known | second.known << back;
}

#endif

#endif

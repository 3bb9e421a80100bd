/*
 * The class of each byte: what kind of token it can start, and whether it goes on with one.
 * Source: the character classes of SQLite's tokenizer, measured in tests/oracle.
 */
#ifndef D1G_BYTES_H
#define D1G_BYTES_H

#include "cursor.h"

enum d1g_class {
    /* Id bytes: they start or go on with a word. The order is used by d1g_is_id. */
    CLASS_LETTER, /* A-Z a-z _ but for x */
    CLASS_HEX_X,  /* x X: may start a blob */
    CLASS_HIGH,   /* 80-FF but for EF */
    CLASS_BOM_EF, /* EF: may start a byte order mark, a blank */
    CLASS_DIGIT,
    CLASS_DOLLAR, /* starts a variable, goes on with a word */
    /* Blanks: d1g_is_blank. */
    CLASS_BLANK, /* 09 0A 0C 0D 20 */
    CLASS_VT,    /* 0B goes on with a blank but cannot start one */
    /* The rest. */
    CLASS_BAD,   /* starts nothing */
    CLASS_QUOTE, /* ' " ` */
    CLASS_BRACKET,
    CLASS_SIGIL, /* @ # : */
    CLASS_QMARK,
    CLASS_LPAREN,
    CLASS_RPAREN,
    CLASS_SEMI,
    CLASS_COMMA,
    CLASS_DOT,
    CLASS_STAR,
    CLASS_PLUS,
    CLASS_MINUS,
    CLASS_SLASH,
    CLASS_PERCENT,
    CLASS_EQUAL,
    CLASS_LESS,
    CLASS_MORE,
    CLASS_BANG,
    CLASS_AMP,
    CLASS_PIPE,
    CLASS_TILDE
};

extern const unsigned char d1g_classes[256];

static inline int d1g_class(int byte)
{
    return byte < 0 ? CLASS_BAD : d1g_classes[byte];
}

static inline int d1g_is_id(int byte)
{
    return byte >= 0 && d1g_classes[byte] <= CLASS_DOLLAR;
}

static inline int d1g_is_blank(int byte)
{
    return byte >= 0 && (d1g_classes[byte] == CLASS_BLANK || d1g_classes[byte] == CLASS_VT);
}

static inline int d1g_is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

static inline int d1g_is_hex(int byte)
{
    const int c = d1g_lower(byte);

    return d1g_is_digit(c) || (c >= 'a' && c <= 'f');
}

/*
 * Eight bytes at once. Bit 7 of each byte of a mask says yes; the first byte of the text is the lowest.
 */
#define D1G_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Bit 7 where the low seven bits of the byte are at least c. */
static inline uint64_t d1g_at_least(uint64_t low, unsigned c)
{
    return low + D1G_EACH(0x80 - c);
}

static inline uint64_t d1g_equal(uint64_t low, unsigned c)
{
    return ~((low ^ D1G_EACH(c)) + D1G_EACH(0x7F));
}

/* Where the eight bytes are no id bytes: d1g_is_id for each of them. */
static inline uint64_t d1g_no_id_mask(uint64_t bytes)
{
    const uint64_t low = bytes & D1G_EACH(0x7F);
    const uint64_t folded = low | D1G_EACH(0x20);
    const uint64_t letters = d1g_at_least(folded, 'a') & ~d1g_at_least(folded, 'z' + 1);
    const uint64_t digits = d1g_at_least(low, '0') & ~d1g_at_least(low, '9' + 1);
    const uint64_t others = d1g_equal(low, '_') | d1g_equal(low, '$');

    return ~(bytes | letters | digits | others) & D1G_EACH(0x80);
}

/* The number of the lowest bit that is set; x is not 0. */
static inline size_t d1g_first_bit(uint64_t x)
{
#if defined(__GNUC__)
    return (size_t)__builtin_ctzll(x);
#else
    size_t k = 0;

    for (; k < 63 && (x & 1) == 0; k++)
        x >>= 1;
    return k;
#endif
}

/* The number of the highest bit that is set; x is not 0. */
static inline size_t d1g_last_bit(uint64_t x)
{
#if defined(__GNUC__)
    return 63 - (size_t)__builtin_clzll(x);
#else
    size_t k = 0;

    for (; k < 63 && x > 1; k++)
        x >>= 1;
    return k;
#endif
}

/* Where the run of id bytes that goes on at i ends; i <= t->n. */
static inline size_t d1g_end_of_id(const struct d1g_text *t, size_t i)
{
    while (t->n - i >= 8) {
        const uint64_t mask = d1g_no_id_mask(d1g_load8(t, i));

        if (mask != 0)
            return i + d1g_first_bit(mask) / 8;
        i += 8;
    }
    while (d1g_is_id(d1g_byte(t, i)))
        i++;
    return i;
}

#endif

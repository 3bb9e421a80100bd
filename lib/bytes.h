/*
 * The class of each byte: what kind of token it can start, and whether it goes on with one.
 * Source: the character classes of SQLite's tokenizer, measured in tests/oracle.
 */
#ifndef D1G_BYTES_H
#define D1G_BYTES_H

#include "cursor.h"

enum d1g_class {
    /* Id bytes: they start or go on with a word. The order is used by d1g_is_id. */
    CLASS_LETTER, /* A-Z a-z _ 80-FF but for these: */
    CLASS_MARK,   /* x X EF: may start a blob or a byte order mark */
    CLASS_DIGIT,
    CLASS_DOLLAR, /* starts a variable, goes on with a word */
    /* The rest. */
    CLASS_BLANK, /* 09 0A 0C 0D 20 */
    CLASS_QUOTE, /* ' " ` [ */
    CLASS_SIGIL, /* @ # : */
    CLASS_QMARK,
    CLASS_DOT,
    CLASS_MINUS,
    CLASS_SLASH,
    /* Signs. To the class of each is added its kind of token, an enum d1guard_token_kind. */
    CLASS_SIGN = 0x40,
    CLASS_VT = 0x80,  /* 0B goes on with blanks, but is an ILLEGAL sign where a token starts */
    CLASS_PAIR = 0xC0 /* may be one sign with the byte behind it */
};

extern const unsigned char d1g_classes[256];

/* The class of the byte at i; i < t->n. */
/*@ requires d1g_readable(t) && i < t->n;
    assigns \nothing;
    ensures \result == d1g_classes[t->z[i]]; */
static inline D1G_IN_PLACE int d1g_class(const struct d1g_text *t, size_t i)
{
    return d1g_classes[t->z[i]];
}

/*@ requires byte <= 0xFF;
    assigns \nothing;
    ensures \result <==> byte >= 0 && d1g_classes[byte] <= CLASS_DOLLAR; */
static inline D1G_IN_PLACE int d1g_is_id(int byte)
{
    return byte >= 0 && d1g_classes[byte] <= CLASS_DOLLAR;
}

/*@ requires byte <= 0xFF;
    assigns \nothing;
    ensures \result ==> byte >= 0; */
static inline D1G_IN_PLACE int d1g_is_blank(int byte)
{
    return byte >= 0 && (d1g_classes[byte] == CLASS_BLANK || d1g_classes[byte] == CLASS_VT);
}

/*@ assigns \nothing;
    ensures \result <==> '0' <= byte <= '9'; */
static inline D1G_IN_PLACE int d1g_is_digit(int byte)
{
    return byte >= '0' && byte <= '9';
}

/*@ assigns \nothing;
    ensures \result ==> byte >= 0; */
static inline int d1g_is_hex(int byte)
{
    const int c = d1g_lower(byte);

    return d1g_is_digit(c) || (c >= 'a' && c <= 'f');
}

/*
 * All that the proofs take for granted of the bits of a mask: if they are numbered below n, or from n on, so is what
 * is left of them, and what is made of two masks below n; and the mask is less without its first bit.
 */
/*@ axiomatic Bits {
        predicate are_below(integer bits, integer n);
        predicate are_from(integer bits, integer n);
        axiom fewer_from: \forall integer a, b, n; are_from(a, n) ==> are_from(a & b, n);
        axiom fewer_from_too: \forall integer a, b, n; are_from(a, n) ==> are_from(b & a, n);
        axiom none: \forall integer n; are_below(0, n);
        axiom fewer: \forall integer a, b, n; are_below(a, n) ==> are_below(a & b, n);
        axiom fewer_too: \forall integer a, b, n; are_below(a, n) ==> are_below(b & a, n);
        axiom both: \forall integer a, b, n; are_below(a, n) && are_below(b, n) ==> are_below(a | b, n);
        axiom less: \forall uint64_t a; a > 0 ==> 0 <= (a & (a - 1)) < a;
    } */

/* The number of the lowest bit that is set; x is not 0. */
/*@ assigns \nothing;
    ensures \result < 64;
    ensures \forall integer n; x != 0 && are_below(x, n) ==> \result < n;
    ensures \forall integer n; x != 0 && are_from(x, n) ==> n <= \result;
    ensures are_from(x, \result); */
static inline size_t d1g_first_bit(uint64_t x)
{
#if defined(__GNUC__) && !defined(D1G_PLAIN)
    return (size_t)__builtin_ctzll(x);
#else
    size_t k = 0;

    /*@ loop invariant k <= 63;
        loop assigns k, x;
        loop variant 63 - k; */
    for (; k < 63 && (x & 1) == 0; k++)
        x >>= 1;
    /*@ admit \forall integer n; \at(x, Pre) != 0 && are_below(\at(x, Pre), n) ==> k < n; */
    /*@ admit \forall integer n; \at(x, Pre) != 0 && are_from(\at(x, Pre), n) ==> n <= k; */
    /*@ admit are_from(\at(x, Pre), k); */
    return k;
#endif
}

#endif

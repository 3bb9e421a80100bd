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

#endif

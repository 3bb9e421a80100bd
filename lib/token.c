#include "token.h"

/* Two letters a class, so that the grid below can be read. */
enum {
    LE = CLASS_LETTER, XX = CLASS_HEX_X, HI = CLASS_HIGH, EF = CLASS_BOM_EF,
    DI = CLASS_DIGIT, DO = CLASS_DOLLAR, BL = CLASS_BLANK, VT = CLASS_VT,
    NO = CLASS_BAD, QU = CLASS_QUOTE, BR = CLASS_BRACKET, SI = CLASS_SIGIL,
    QM = CLASS_QMARK, LP = CLASS_LPAREN, RP = CLASS_RPAREN, SE = CLASS_SEMI,
    CO = CLASS_COMMA, PT = CLASS_DOT, ST = CLASS_STAR, PL = CLASS_PLUS,
    MI = CLASS_MINUS, SL = CLASS_SLASH, PC = CLASS_PERCENT, EQ = CLASS_EQUAL,
    LT = CLASS_LESS, GT = CLASS_MORE, BA = CLASS_BANG, AM = CLASS_AMP,
    PI = CLASS_PIPE, TI = CLASS_TILDE
};

const unsigned char d1g_classes[256] = {
    /*      0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F */
    /* 0_ */ NO, NO, NO, NO, NO, NO, NO, NO, NO, BL, BL, VT, BL, BL, NO, NO,
    /* 1_ */ NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO,
    /* 2_ */ BL, BA, QU, SI, DO, PC, AM, QU, LP, RP, ST, PL, CO, MI, PT, SL,
    /* 3_ */ DI, DI, DI, DI, DI, DI, DI, DI, DI, DI, SI, SE, LT, EQ, GT, QM,
    /* 4_ */ SI, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE,
    /* 5_ */ LE, LE, LE, LE, LE, LE, LE, LE, XX, LE, LE, BR, NO, NO, NO, LE,
    /* 6_ */ QU, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE,
    /* 7_ */ LE, LE, LE, LE, LE, LE, LE, LE, XX, LE, LE, NO, PI, NO, TI, NO,
    /* 8_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI,
    /* 9_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI,
    /* A_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI,
    /* B_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI,
    /* C_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI,
    /* D_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI,
    /* E_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, EF,
    /* F_ */ HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI, HI
};

/* The scanners: i stands on the byte that the name tells; each returns where the token ends, behind i. */

static size_t end_of_blanks(const struct d1g_text *t, size_t i)
{
    do {
        i++;
    } while (d1g_is_blank(d1g_byte(t, i)));
    return i;
}

static size_t end_of_word(const struct d1g_text *t, size_t i)
{
    return d1g_end_of_id(t, i + 1);
}

/* A byte order mark counts as a blank where a token starts (SQLite 3.36 on), else as bytes of a word. */
static size_t scan_bom(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    if (d1g_peek(t, i, 1) == 0xBB && d1g_peek(t, i, 2) == 0xBF) {
        *kind = D1GUARD_TOKEN_SPACE;
        return i + 3;
    }
    *kind = D1GUARD_TOKEN_WORD;
    return end_of_word(t, i);
}

/* A doubled quote stands for one; a backslash is content. */
static size_t scan_quoted(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    const int quote = d1g_byte(t, i);
    int b;

    *kind = D1GUARD_TOKEN_ILLEGAL;
    for (i++; (b = d1g_byte(t, i)) > 0; i++) {
        if (b != quote)
            continue;
        if (d1g_peek(t, i, 1) != quote) {
            *kind = quote == '\'' ? D1GUARD_TOKEN_STRING : D1GUARD_TOKEN_NAME;
            return i + 1;
        }
        i++;
    }
    return i;
}

/* [name]: to the first `]`; nothing doubles or nests. */
static size_t scan_bracket(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int b;

    *kind = D1GUARD_TOKEN_ILLEGAL;
    for (i++; (b = d1g_byte(t, i)) > 0; i++) {
        if (b == ']') {
            *kind = D1GUARD_TOKEN_NAME;
            return i + 1;
        }
    }
    return i;
}

/* x'..': hex digits in pairs. A bad one runs to the next quote, that quote included. */
static size_t scan_blob(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    size_t digits = 0;
    int b;

    for (i += 2; d1g_is_hex(d1g_byte(t, i)); i++)
        digits++;
    *kind = D1GUARD_TOKEN_BLOB;
    if (d1g_byte(t, i) != '\'' || digits % 2 != 0) {
        *kind = D1GUARD_TOKEN_ILLEGAL;
        while ((b = d1g_byte(t, i)) > 0 && b != '\'')
            i++;
    }
    return d1g_byte(t, i) == '\'' ? i + 1 : i;
}

static size_t scan_x(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    if (d1g_peek(t, i, 1) == '\'')
        return scan_blob(t, i, kind);
    *kind = D1GUARD_TOKEN_WORD;
    return end_of_word(t, i);
}

/* Digits and separators; a `_` makes the number a QNUMBER, whose places the grammar checks later. */
static size_t end_of_digits(const struct d1g_text *t, size_t i, int hex, uint32_t *kind)
{
    int b;

    for (; (b = d1g_byte(t, i)) == '_' || (hex ? d1g_is_hex(b) : d1g_is_digit(b)); i++) {
        if (b == '_')
            *kind = D1GUARD_TOKEN_QNUMBER;
    }
    return i;
}

static void make_float(uint32_t *kind)
{
    if (*kind == D1GUARD_TOKEN_INTEGER)
        *kind = D1GUARD_TOKEN_FLOAT;
}

static int is_exponent(const struct d1g_text *t, size_t i)
{
    const int sign = d1g_peek(t, i, 1);

    return d1g_lower(d1g_byte(t, i)) == 'e' &&
           (d1g_is_digit(sign) || ((sign == '+' || sign == '-') && d1g_is_digit(d1g_peek(t, i, 2))));
}

static size_t scan_decimal(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    i = end_of_digits(t, i, 0, kind);
    if (d1g_byte(t, i) == '.') {
        make_float(kind);
        i = end_of_digits(t, i + 1, 0, kind);
    }
    if (is_exponent(t, i)) {
        make_float(kind);
        i = end_of_digits(t, i + 2, 0, kind);
    }
    return i;
}

/* i stands on a digit, or on a dot before one. Id bytes right behind a number spoil all of it. */
static size_t scan_number(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    *kind = D1GUARD_TOKEN_INTEGER;
    if (d1g_byte(t, i) == '0' && d1g_lower(d1g_peek(t, i, 1)) == 'x' && d1g_is_hex(d1g_peek(t, i, 2)))
        i = end_of_digits(t, i + 2, 1, kind);
    else
        i = scan_decimal(t, i, kind);
    if (d1g_is_id(d1g_byte(t, i))) {
        *kind = D1GUARD_TOKEN_ILLEGAL;
        i = end_of_word(t, i);
    }
    return i;
}

static size_t scan_dot(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    if (d1g_is_digit(d1g_peek(t, i, 1)))
        return scan_number(t, i, kind);
    *kind = D1GUARD_TOKEN_DOT;
    return i + 1;
}

/* The `(...)` of a TCL variable: any bytes but blanks and NUL, to the first `)`. */
static size_t scan_suffix(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int b;

    do {
        i++;
        b = d1g_byte(t, i);
    } while (b > 0 && b != ')' && !d1g_is_blank(b));
    if (b == ')')
        return i + 1;
    *kind = D1GUARD_TOKEN_ILLEGAL;
    return i;
}

/* $ @ # or : and a name, in which `::` counts as one sign and one `(...)` may end it. */
static size_t scan_variable(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int named = 0;
    int b;

    *kind = D1GUARD_TOKEN_VARIABLE;
    for (i++; (b = d1g_byte(t, i)) != D1G_END; i++) {
        if (d1g_is_id(b))
            named = 1;
        else if (b == ':' && d1g_peek(t, i, 1) == ':')
            i++;
        else
            break;
    }
    if (!named)
        *kind = D1GUARD_TOKEN_ILLEGAL;
    else if (b == '(')
        i = scan_suffix(t, i, kind);
    return i;
}

static size_t scan_numbered_variable(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    *kind = D1GUARD_TOKEN_VARIABLE;
    do {
        i++;
    } while (d1g_is_digit(d1g_byte(t, i)));
    return i;
}

/* `--` to the end of the line, which only LF ends; `->` and `->>`; or a minus. */
static size_t scan_minus(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int b = d1g_peek(t, i, 1);

    if (b == '-') {
        *kind = D1GUARD_TOKEN_COMMENT;
        for (i += 2; (b = d1g_byte(t, i)) > 0 && b != '\n'; i++)
            ;
        return i;
    }
    if (b == '>') {
        *kind = D1GUARD_TOKEN_PTR;
        return d1g_peek(t, i, 2) == '>' ? i + 3 : i + 2;
    }
    *kind = D1GUARD_TOKEN_MINUS;
    return i + 1;
}

/* A block comment needs one byte behind its opening, and may stay open; else a slash. */
static size_t scan_slash(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int b;

    if (d1g_peek(t, i, 1) != '*' || d1g_peek(t, i, 2) <= 0) {
        *kind = D1GUARD_TOKEN_SLASH;
        return i + 1;
    }
    *kind = D1GUARD_TOKEN_COMMENT;
    for (i += 2; (b = d1g_byte(t, i)) > 0; i++) {
        if (b == '*' && d1g_peek(t, i, 1) == '/')
            return i + 2;
    }
    return i;
}

static size_t scan_less(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    switch (d1g_peek(t, i, 1)) {
    case '=':
        *kind = D1GUARD_TOKEN_LE;
        break;
    case '>':
        *kind = D1GUARD_TOKEN_NE;
        break;
    case '<':
        *kind = D1GUARD_TOKEN_LSHIFT;
        break;
    default:
        *kind = D1GUARD_TOKEN_LT;
        return i + 1;
    }
    return i + 2;
}

static size_t scan_more(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    switch (d1g_peek(t, i, 1)) {
    case '=':
        *kind = D1GUARD_TOKEN_GE;
        break;
    case '>':
        *kind = D1GUARD_TOKEN_RSHIFT;
        break;
    default:
        *kind = D1GUARD_TOKEN_GT;
        return i + 1;
    }
    return i + 2;
}

/* A sign that may be followed by `second`, and is `both` then. */
static size_t scan_pair(const struct d1g_text *t, size_t i, int second, uint32_t one, uint32_t both, uint32_t *kind)
{
    if (d1g_peek(t, i, 1) == second) {
        *kind = both;
        return i + 2;
    }
    *kind = one;
    return i + 1;
}

static size_t scan_sign(size_t i, uint32_t sign, uint32_t *kind)
{
    *kind = sign;
    return i + 1;
}

/* The same for the tokens that are neither words nor blanks of one byte. */
static size_t scan_other(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    size_t end;

    switch (d1g_class(d1g_byte(t, i))) {
    case CLASS_HIGH:
        *kind = D1GUARD_TOKEN_WORD;
        end = end_of_word(t, i);
        break;
    case CLASS_BLANK:
        *kind = D1GUARD_TOKEN_SPACE;
        end = end_of_blanks(t, i);
        break;
    case CLASS_HEX_X:
        end = scan_x(t, i, kind);
        break;
    case CLASS_BOM_EF:
        end = scan_bom(t, i, kind);
        break;
    case CLASS_DIGIT:
        end = scan_number(t, i, kind);
        break;
    case CLASS_DOLLAR:
    case CLASS_SIGIL:
        end = scan_variable(t, i, kind);
        break;
    case CLASS_QMARK:
        end = scan_numbered_variable(t, i, kind);
        break;
    case CLASS_QUOTE:
        end = scan_quoted(t, i, kind);
        break;
    case CLASS_BRACKET:
        end = scan_bracket(t, i, kind);
        break;
    case CLASS_DOT:
        end = scan_dot(t, i, kind);
        break;
    case CLASS_MINUS:
        end = scan_minus(t, i, kind);
        break;
    case CLASS_SLASH:
        end = scan_slash(t, i, kind);
        break;
    case CLASS_LESS:
        end = scan_less(t, i, kind);
        break;
    case CLASS_MORE:
        end = scan_more(t, i, kind);
        break;
    case CLASS_EQUAL:
        end = scan_pair(t, i, '=', D1GUARD_TOKEN_EQ, D1GUARD_TOKEN_EQ, kind);
        break;
    case CLASS_BANG:
        end = scan_pair(t, i, '=', D1GUARD_TOKEN_ILLEGAL, D1GUARD_TOKEN_NE, kind);
        break;
    case CLASS_PIPE:
        end = scan_pair(t, i, '|', D1GUARD_TOKEN_BITOR, D1GUARD_TOKEN_CONCAT, kind);
        break;
    case CLASS_LPAREN:
        end = scan_sign(i, D1GUARD_TOKEN_LP, kind);
        break;
    case CLASS_RPAREN:
        end = scan_sign(i, D1GUARD_TOKEN_RP, kind);
        break;
    case CLASS_SEMI:
        end = scan_sign(i, D1GUARD_TOKEN_SEMI, kind);
        break;
    case CLASS_COMMA:
        end = scan_sign(i, D1GUARD_TOKEN_COMMA, kind);
        break;
    case CLASS_STAR:
        end = scan_sign(i, D1GUARD_TOKEN_STAR, kind);
        break;
    case CLASS_PLUS:
        end = scan_sign(i, D1GUARD_TOKEN_PLUS, kind);
        break;
    case CLASS_PERCENT:
        end = scan_sign(i, D1GUARD_TOKEN_REM, kind);
        break;
    case CLASS_AMP:
        end = scan_sign(i, D1GUARD_TOKEN_BITAND, kind);
        break;
    case CLASS_TILDE:
        end = scan_sign(i, D1GUARD_TOKEN_BITNOT, kind);
        break;
    default:
        end = scan_sign(i, D1GUARD_TOKEN_ILLEGAL, kind);
        break;
    }
    return end;
}

size_t d1g_scan(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    const int class = d1g_class(d1g_byte(t, i));

    if (class == CLASS_LETTER) { /* most tokens are words and single blanks */
        *kind = D1GUARD_TOKEN_WORD;
        return end_of_word(t, i);
    }
    if (class == CLASS_BLANK && !d1g_is_blank(d1g_peek(t, i, 1))) {
        *kind = D1GUARD_TOKEN_SPACE;
        return i + 1;
    }
    return scan_other(t, i, kind);
}

void d1g_advance(struct d1g_reader *r)
{
    do {
        r->at = r->end;
        if (r->at >= r->text->n) {
            r->kind = D1G_TOKEN_END;
            return;
        }
        r->end = d1g_scan(r->text, r->at, &r->kind);
    } while (r->kind == D1GUARD_TOKEN_SPACE || r->kind == D1GUARD_TOKEN_COMMENT);
}

int d1guard_next_token(const char *sql, size_t len, size_t at, struct d1guard_token *token)
{
    struct d1g_text t;
    uint32_t kind;
    size_t end;

    if (sql == NULL || token == NULL || token->size < sizeof token->size || at >= len)
        return 0;
    t.z = (const unsigned char *)sql;
    t.n = len;
    end = d1g_scan(&t, at, &kind);
    if (token->size >= sizeof *token) {
        token->kind = kind;
        token->at = at;
        token->len = end - at;
    } else {
        const struct d1guard_token found = {token->size, kind, at, end - at};

        d1g_copy_out(token, &found, token->size, sizeof found);
    }
    return 1;
}

#include "token.h"

/* Two letters a class, so that the grid below can be read. Both tables of bytes are made from it. */
enum {
    LE = CLASS_LETTER, MA = CLASS_MARK, DI = CLASS_DIGIT, DO = CLASS_DOLLAR,
    BL = CLASS_BLANK, VT = CLASS_VT, QU = CLASS_QUOTE, SI = CLASS_SIGIL,
    QM = CLASS_QMARK, PT = CLASS_DOT, MI = CLASS_MINUS, SL = CLASS_SLASH,
#define SIGN(kind) (int)CLASS_SIGN + (int)D1GUARD_TOKEN_##kind
    LP = SIGN(LP), RP = SIGN(RP), SE = SIGN(SEMI), CO = SIGN(COMMA),
    ST = SIGN(STAR), PL = SIGN(PLUS), PC = SIGN(REM), AM = SIGN(BITAND),
    TI = SIGN(BITNOT), NO = SIGN(ILLEGAL), /* starts nothing */
#undef SIGN
#define PAIR(kind) (int)CLASS_PAIR + (int)D1GUARD_TOKEN_##kind
    EQ = PAIR(EQ), LT = PAIR(LT), GT = PAIR(GT), PI = PAIR(BITOR), BA = PAIR(ILLEGAL)
#undef PAIR
};

#define ROW(X, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) \
    X(a), X(b), X(c), X(d), X(e), X(f), X(g), X(h), X(i), X(j), X(k), X(l), X(m), X(n), X(o), X(p)
#define GRID(X)                                                                       \
    /*               0   1   2   3   4   5   6   7   8   9   A   B   C   D   E   F */ \
    /* 0_ */ ROW(X, NO, NO, NO, NO, NO, NO, NO, NO, NO, BL, BL, VT, BL, BL, NO, NO),  \
    /* 1_ */ ROW(X, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO),  \
    /* 2_ */ ROW(X, BL, BA, QU, SI, DO, PC, AM, QU, LP, RP, ST, PL, CO, MI, PT, SL),  \
    /* 3_ */ ROW(X, DI, DI, DI, DI, DI, DI, DI, DI, DI, DI, SI, SE, LT, EQ, GT, QM),  \
    /* 4_ */ ROW(X, SI, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* 5_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, MA, LE, LE, QU, NO, NO, NO, LE),  \
    /* 6_ */ ROW(X, QU, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* 7_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, MA, LE, LE, NO, PI, NO, TI, NO),  \
    /* 8_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* 9_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* A_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* B_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* C_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* D_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE),  \
    /* E_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, MA),  \
    /* F_ */ ROW(X, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE, LE)

#define CLASS(class) (class)
const unsigned char d1g_classes[256] = {GRID(CLASS)};

#define KIND(class) KIND_OF((int)(class))
#define KIND_OF(class)                                           \
    ((class) >= (int)CLASS_SIGN    ? (class) & (CLASS_SIGN - 1)  \
     : (class) == (int)CLASS_DIGIT ? (int)D1GUARD_TOKEN_INTEGER  \
     : (class) == (int)CLASS_BLANK ? (int)D1GUARD_TOKEN_SPACE    \
     : (class) == (int)CLASS_QUOTE ? (int)D1GUARD_TOKEN_STRING   \
     : (class) == (int)CLASS_DOT   ? (int)D1GUARD_TOKEN_DOT      \
     : (class) == (int)CLASS_MINUS ? (int)D1GUARD_TOKEN_MINUS    \
                                   : (int)D1GUARD_TOKEN_WORD)
const unsigned char d1g_simple_kinds[256] = {GRID(KIND)};
#undef ROW
#undef GRID
#undef CLASS
#undef KIND
#undef KIND_OF

/* The scanners: i stands on the byte that the name tells; each returns where the token ends, behind i. */

/*@ predicate on_byte(struct d1g_text *t, integer i) = d1g_readable(t) && i < t->n;
    predicate is_next(struct d1g_text *t, size_t i, int next) = next == (i + 1 < t->n ? t->z[i + 1] : D1G_END); */

/*@ requires on_byte(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_blanks(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    *kind = D1GUARD_TOKEN_SPACE;
    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop assigns i;
        loop variant t->n - i; */
    for (i++; d1g_is_blank(d1g_byte(t, i)); i++)
        ;
    return i;
}

/*@ requires on_byte(t, i) && !d1g_is_quoted(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_word(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    *kind = D1GUARD_TOKEN_WORD;
    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop assigns i;
        loop variant t->n - i; */
    for (i++; d1g_is_id(d1g_byte(t, i)); i++)
        ;
    return i;
}

/* The next such byte from i on; or the NUL or the end of the text before it. */
/*@ requires d1g_readable(t) && i <= t->n;
    assigns \nothing;
    ensures i <= \result <= t->n; */
static size_t find(const struct d1g_text *t, size_t i, int byte)
{
    int b;

    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop assigns i, b;
        loop variant t->n - i; */
    while ((b = d1g_byte(t, i)) > 0 && b != byte)
        i++;
    return i;
}

/* A doubled quote stands for one; a backslash is content. [name] ends at the first `]`: nothing doubles or nests. */
/*@ requires on_byte(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_quoted(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    const int open = d1g_byte(t, i);
    const int quote = open == '[' ? ']' : open;

    *kind = D1GUARD_TOKEN_ILLEGAL;
    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop assigns i;
        loop variant t->n - i; */
    for (i = find(t, i + 1, quote); d1g_byte(t, i) == quote; i = find(t, i + 2, quote)) {
        if (open == '[' || d1g_byte(t, i + 1) != quote) {
            *kind = quote == '\'' ? D1GUARD_TOKEN_STRING : D1GUARD_TOKEN_NAME;
            return i + 1;
        }
    }
    return i;
}

/* x'..': hex digits in pairs. A bad one runs to the next quote, that quote included. */
/*@ requires on_byte(t, i + 1) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_blob(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    const size_t start = i + 2;

    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop assigns i;
        loop variant t->n - i; */
    for (i = start; d1g_is_hex(d1g_byte(t, i)); i++)
        ;
    *kind = D1GUARD_TOKEN_BLOB;
    if (d1g_byte(t, i) != '\'' || (i - start) % 2 != 0) {
        *kind = D1GUARD_TOKEN_ILLEGAL;
        i = find(t, i, '\'');
    }
    return d1g_byte(t, i) == '\'' ? i + 1 : i;
}

/* A byte order mark counts as a blank where a token starts (SQLite 3.36 on), else as bytes of a word. */
/*@ requires on_byte(t, i) && is_next(t, i, next) && !d1g_is_quoted(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_mark(const struct d1g_text *t, size_t i, int next, uint32_t *kind)
{
    const int b = d1g_byte(t, i);

    if (b != 0xEF && next == '\'')
        return scan_blob(t, i, kind);
    if (b == 0xEF && next == 0xBB && d1g_byte(t, i + 2) == 0xBF) {
        *kind = D1GUARD_TOKEN_SPACE;
        return i + 3;
    }
    return scan_word(t, i, kind);
}

/* Digits and separators; a `_` makes the number a QNUMBER, whose places the grammar checks later. */
/*@ requires d1g_readable(t) && i <= t->n && \valid(kind);
    assigns *kind;
    ensures i <= \result <= t->n;
    ensures *kind == \old(*kind) || *kind == D1GUARD_TOKEN_QNUMBER; */
static size_t end_of_digits(const struct d1g_text *t, size_t i, int hex, uint32_t *kind)
{
    int b;

    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop invariant *kind == \at(*kind, Pre) || *kind == D1GUARD_TOKEN_QNUMBER;
        loop assigns i, b, *kind;
        loop variant t->n - i; */
    for (; (b = d1g_byte(t, i)) == '_' || d1g_is_digit(b) || (hex && d1g_is_hex(b)); i++) {
        if (b == '_')
            *kind = D1GUARD_TOKEN_QNUMBER;
    }
    return i;
}

/* An `e` and a digit, perhaps with a sign between them. */
/*@ requires d1g_readable(t);
    assigns \nothing;
    ensures \result ==> i + 1 < t->n; */
static int is_exponent(const struct d1g_text *t, size_t i)
{
    int b;

    if (d1g_lower(d1g_byte(t, i)) != 'e')
        return 0;
    b = d1g_byte(t, i + 1);
    return d1g_is_digit(b == '+' || b == '-' ? d1g_byte(t, i + 2) : b);
}

/*@ requires on_byte(t, i) && \valid(kind) && *kind == D1GUARD_TOKEN_INTEGER;
    assigns *kind;
    ensures i < \result <= t->n;
    ensures D1GUARD_TOKEN_INTEGER <= *kind <= D1GUARD_TOKEN_QNUMBER; */
static size_t scan_decimal(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    size_t whole;

    if (d1g_byte(t, i) != '.')
        i = end_of_digits(t, i + 1, 0, kind);
    whole = i;
    if (d1g_byte(t, i) == '.')
        i = end_of_digits(t, i + 1, 0, kind);
    if (is_exponent(t, i))
        i = end_of_digits(t, i + 2, 0, kind);
    if (i > whole && *kind == D1GUARD_TOKEN_INTEGER)
        *kind = D1GUARD_TOKEN_FLOAT;
    return i;
}

/* i stands on a digit, or on a dot before one. Id bytes right behind a number spoil all of it. */
/*@ requires on_byte(t, i) && is_next(t, i, next) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_number(const struct d1g_text *t, size_t i, int next, uint32_t *kind)
{
    *kind = D1GUARD_TOKEN_INTEGER;
    if (d1g_byte(t, i) == '0' && d1g_lower(next) == 'x' && d1g_is_hex(d1g_byte(t, i + 2)))
        i = end_of_digits(t, i + 2, 1, kind);
    else
        i = scan_decimal(t, i, kind);
    if (d1g_is_id(d1g_byte(t, i))) {
        i = scan_word(t, i, kind);
        *kind = D1GUARD_TOKEN_ILLEGAL;
    }
    return i;
}

/*@ requires on_byte(t, i) && is_next(t, i, next) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_dot(const struct d1g_text *t, size_t i, int next, uint32_t *kind)
{
    if (d1g_is_digit(next))
        return scan_number(t, i, next, kind);
    *kind = D1GUARD_TOKEN_DOT;
    return i + 1;
}

/* The `(...)` of a TCL variable: any bytes but blanks and NUL, to the first `)`. */
/*@ requires on_byte(t, i) && \valid(kind) && *kind == D1GUARD_TOKEN_VARIABLE;
    assigns *kind;
    ensures i < \result <= t->n && (*kind == D1GUARD_TOKEN_VARIABLE || *kind == D1GUARD_TOKEN_ILLEGAL); */
static size_t scan_suffix(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int b;

    /*@ loop invariant \at(i, LoopEntry) <= i < t->n;
        loop assigns i, b;
        loop variant t->n - i; */
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
/*@ requires on_byte(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_variable(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    int b;

    *kind = D1GUARD_TOKEN_ILLEGAL;
    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop invariant *kind == D1GUARD_TOKEN_ILLEGAL || *kind == D1GUARD_TOKEN_VARIABLE;
        loop assigns i, b, *kind;
        loop variant t->n - i; */
    for (i++; (b = d1g_byte(t, i)) != D1G_END; i++) {
        if (d1g_is_id(b))
            *kind = D1GUARD_TOKEN_VARIABLE;
        else if (b == ':' && d1g_byte(t, i + 1) == ':')
            i++;
        else
            break;
    }
    if (b == '(' && *kind == D1GUARD_TOKEN_VARIABLE)
        i = scan_suffix(t, i, kind);
    return i;
}

/*@ requires on_byte(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_numbered_variable(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    *kind = D1GUARD_TOKEN_VARIABLE;
    /*@ loop invariant \at(i, LoopEntry) <= i < t->n;
        loop assigns i;
        loop variant t->n - i; */
    do {
        i++;
    } while (d1g_is_digit(d1g_byte(t, i)));
    return i;
}

/* `--` to the end of the line, which only LF ends; `->` and `->>`; or a minus. */
/*@ requires on_byte(t, i) && is_next(t, i, next) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_minus(const struct d1g_text *t, size_t i, int next, uint32_t *kind)
{
    if (next == '-') {
        *kind = D1GUARD_TOKEN_COMMENT;
        return find(t, i + 2, '\n');
    }
    if (next == '>') {
        *kind = D1GUARD_TOKEN_PTR;
        return d1g_byte(t, i + 2) == '>' ? i + 3 : i + 2;
    }
    *kind = D1GUARD_TOKEN_MINUS;
    return i + 1;
}

/* A block comment needs one byte behind its opening, and may stay open; else a slash. */
/*@ requires on_byte(t, i) && is_next(t, i, next) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_slash(const struct d1g_text *t, size_t i, int next, uint32_t *kind)
{
    if (next != '*' || d1g_byte(t, i + 2) <= 0) {
        *kind = D1GUARD_TOKEN_SLASH;
        return i + 1;
    }
    *kind = D1GUARD_TOKEN_COMMENT;
    /*@ loop invariant \at(i, LoopEntry) <= i <= t->n;
        loop assigns i;
        loop variant t->n - i; */
    for (i = find(t, i + 2, '*'); d1g_byte(t, i) == '*'; i = find(t, i + 1, '*')) {
        if (d1g_byte(t, i + 1) == '/')
            return i + 2;
    }
    return i;
}

/* Signs of two bytes, and their kinds. */
static const unsigned char pairs[][3] = {
    {'<', '=', D1GUARD_TOKEN_LE}, {'<', '>', D1GUARD_TOKEN_NE},     {'<', '<', D1GUARD_TOKEN_LSHIFT},
    {'>', '=', D1GUARD_TOKEN_GE}, {'>', '>', D1GUARD_TOKEN_RSHIFT}, {'=', '=', D1GUARD_TOKEN_EQ},
    {'!', '=', D1GUARD_TOKEN_NE}, {'|', '|', D1GUARD_TOKEN_CONCAT},
};

/* A sign of one byte, unless it is one of two. That the tables above give no other kind is admitted. */
/*@ predicate is_sign(integer kind) =
        kind != D1GUARD_TOKEN_WORD && kind != D1GUARD_TOKEN_NAME && kind != D1GUARD_TOKEN_STRING; */
/*@ requires on_byte(t, i) && is_next(t, i, next) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_sign(const struct d1g_text *t, size_t i, int next, uint32_t *kind)
{
    const int b = d1g_byte(t, i);
    const int class = d1g_class(t, i);
    size_t k;

    *kind = (uint32_t)class & (CLASS_SIGN - 1);
    /*@ admit is_sign(*kind); */
    if (class < CLASS_PAIR)
        return i + 1;
    /*@ loop invariant 0 <= k <= 8;
        loop assigns k;
        loop variant 8 - k; */
    for (k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        if (b == pairs[k][0] && next == pairs[k][1]) {
            *kind = pairs[k][2];
            /*@ admit is_sign(*kind); */
            return i + 2;
        }
    }
    return i + 1;
}

/* All but words and blanks. */
/*@ requires on_byte(t, i) && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
static size_t scan_other(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    const int next = d1g_byte(t, i + 1);
    size_t end;

    switch (d1g_class(t, i)) {
    case CLASS_MARK:
        end = scan_mark(t, i, next, kind);
        break;
    case CLASS_DIGIT:
        end = scan_number(t, i, next, kind);
        break;
    case CLASS_DOLLAR:
    case CLASS_SIGIL:
        end = scan_variable(t, i, kind);
        break;
    case CLASS_QUOTE:
        end = scan_quoted(t, i, kind);
        break;
    case CLASS_QMARK:
        end = scan_numbered_variable(t, i, kind);
        break;
    case CLASS_DOT:
        end = scan_dot(t, i, next, kind);
        break;
    case CLASS_MINUS:
        end = scan_minus(t, i, next, kind);
        break;
    case CLASS_SLASH:
        end = scan_slash(t, i, next, kind);
        break;
    default:
        end = scan_sign(t, i, next, kind);
        break;
    }
    return end;
}

size_t d1g_scan(const struct d1g_text *t, size_t i, uint32_t *kind)
{
    const int class = d1g_class(t, i);
    size_t end;

    if (class == CLASS_LETTER) /* most tokens are words and blanks */
        end = scan_word(t, i, kind);
    else if (class == CLASS_BLANK)
        end = scan_blanks(t, i, kind);
    else
        end = scan_other(t, i, kind);
    return end;
}

void d1g_advance(struct d1g_reader *r)
{
    /*@ loop invariant \at(r->end, Pre) <= r->end <= r->text->n;
        loop assigns r->at, r->kind, r->end;
        loop variant r->text->n - r->end; */
    do {
        r->at = r->end;
        if (r->at >= r->text->n) {
            r->kind = D1G_TOKEN_END;
            return;
        }
        r->end = d1g_scan(r->text, r->at, &r->kind);
    } while (r->kind == D1GUARD_TOKEN_SPACE || r->kind == D1GUARD_TOKEN_COMMENT);
}

/*@ requires sql != \null ==> \valid_read(sql + (0 .. len - 1));
    requires token != \null ==> \valid(&token->size);
    requires token != \null && token->size >= sizeof(struct d1guard_token) ==> \valid(token);
    assigns token->kind, token->at, token->len;
    ensures \result ==> sql != \null && token != \null && at < len; */
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

        /*@ admit \valid((unsigned char *)token + (4 .. token->size - 1)) &&
                  \valid_read((unsigned char *)&found + (4 .. token->size - 1)); */
        d1g_copy_out(token, &found, token->size, sizeof found);
    }
    return 1;
}

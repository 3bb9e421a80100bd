#include "plain.h"

#define ALL (~UINT64_C(0))

/* The bits of a window below k, and all 64 from 64 on. */
static uint64_t below(size_t k)
{
    return k < D1G_WINDOW ? (UINT64_C(1) << k) - 1 : ALL;
}

/* Where runs of bits start: those that do not follow one. */
static uint64_t starts_of(uint64_t runs)
{
    return runs & ~(runs << 1);
}

/* Sets each bit for which the number of bits set in x up to and with it is odd. */
static uint64_t parity_of(uint64_t x)
{
    x ^= x << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    x ^= x << 16;
    x ^= x << 32;
    return x;
}

/* What a window shows from a token's start on, once it is known what lies in strings. */
struct sight {
    uint64_t inside;  /* strings: each opening quote and the content */
    uint64_t outside; /* all else */
    uint64_t words;
    uint64_t starts; /* of words */
    uint64_t stops;  /* bytes of tokens that must be read by themselves */
};

/* Where what starts with a digit, all its digits and dots behind it, goes on with another byte of a word. */
static uint64_t odd_numbers(const struct d1g_window *v, const struct sight *s)
{
    const uint64_t numbers = v->numbers & s->outside;

    return (numbers + (s->starts & numbers)) & ~numbers & s->words; /* a carry runs through the digits */
}

/* k is where a token starts; n is how many bytes of the text the window shows. */
static struct sight look_from(const struct d1g_window *v, size_t k, size_t n)
{
    const uint64_t shown = below(n) & ~below(k);
    struct sight s;

    s.inside = parity_of(v->quotes & shown) & shown;
    s.outside = shown & ~s.inside;
    s.words = v->words & s.outside;
    s.starts = starts_of(s.words);
    s.stops = (s.outside & ~v->plain) | (v->quotes & s.inside & s.words << 1) | odd_numbers(v, &s);
    if (v->nuls != 0)
        s.stops = shown;
    return s;
}

/* Whether the byte at i, for which a window stops, only is a sign: no comment, no error. */
static int is_sign(const struct d1g_text *t, size_t i)
{
    const int next = d1g_peek(t, i, 1);

    int sign;

    switch (d1g_byte(t, i)) {
    case '-':
        sign = next != '-';
        break;
    case '/':
        sign = next != '*';
        break;
    case '!':
        sign = next == '=';
        break;
    case '|':
    case '~':
        sign = 1;
        break;
    default:
        sign = 0;
        break;
    }
    return sign;
}

/* Takes away the stops that turn out to be signs or blanks. */
static void pass_signs(struct d1g_walk *w, const struct d1g_text *t, struct sight *s)
{
    while (s->stops != 0) {
        const size_t i = w->at + d1g_first_bit(s->stops);
        const uint64_t rest = s->stops & (s->stops - 1);

        if (d1g_byte(t, i) == '\r' || d1g_byte(t, i) == '\f')
            w->window.blanks |= s->stops ^ rest;
        else if (!is_sign(t, i))
            return;
        s->stops = rest;
    }
}

/*
 * Where the token starts that the stop at bit k belongs to, or a token before it. A word goes on with
 * bytes that stop; so do numbers, which a run of words and dots holds whole; so does x with a quote; and
 * VT goes on with a blank.
 */
static size_t token_start(const struct d1g_walk *w, const struct d1g_text *t, const struct sight *s, size_t k)
{
    const uint64_t joined = (s->words | (w->window.numbers & s->outside)) & below(k);
    const uint64_t before = k > 0 ? UINT64_C(1) << (k - 1) : 0;
    const int b = d1g_byte(t, w->at + k);

    if ((joined & before) != 0 && (d1g_is_id(b) || b == '\''))
        return d1g_last_bit(starts_of(joined));
    if ((w->window.blanks & s->outside & before) != 0 && b == '\v')
        return k - 1;
    return k;
}

/* The bit up to which whole tokens can be stepped over: a stop, or what may go on behind the window. */
static size_t limit_of(struct d1g_walk *w, const struct d1g_text *t, struct sight *s, size_t k, size_t n)
{
    const struct d1g_window *v = &w->window;
    uint64_t borders;

    if (s->stops != 0 && v->nuls == 0)
        pass_signs(w, t, s);
    if (s->stops != 0)
        return token_start(w, t, s, d1g_first_bit(s->stops));
    if ((s->inside >> (n - 1)) != 0) /* a string: the quote that opened it, and no doubled one */
        return d1g_last_bit(v->quotes & s->inside & ~((v->quotes & s->outside) << 1));
    if (w->until == t->n)
        return n;
    borders = (s->starts & ~(v->numbers << 1)) | ((v->blanks | v->parentheses) & s->outside);
    return borders != 0 ? d1g_last_bit(borders) : k;
}

/* Counts the parentheses below the limit. Returns the limit, or the `)` before it that is the caller's. */
static size_t count_parentheses(struct d1g_walk *w, const struct d1g_text *t, const struct sight *s, size_t limit)
{
    uint64_t rest = w->window.parentheses & s->outside & below(limit);

    for (; rest != 0; rest &= rest - 1) {
        const size_t k = d1g_first_bit(rest);

        if (d1g_byte(t, w->at + k) == '(')
            w->depth++;
        else if (w->depth > w->floor)
            w->depth--;
        else
            return k;
    }
    return limit;
}

/* Whether bit k lies outside all parentheses; depth of them are open before the window. */
static int is_outermost(const struct d1g_walk *w, const struct d1g_text *t, const struct sight *s, size_t k,
                        size_t depth)
{
    uint64_t rest = w->window.parentheses & s->outside & below(k);

    for (; rest != 0; rest &= rest - 1)
        depth += d1g_byte(t, w->at + d1g_first_bit(rest)) == '(' ? 1 : SIZE_MAX;
    return depth == 0;
}

/* Takes in the word, or content of a string, of len bytes at bit k that may matter. */
static void note_watched(struct d1g_walk *w, const struct d1g_text *t, const struct sight *s, size_t k, size_t len,
                         size_t depth)
{
    const size_t at = w->at + k;

    if (w->wants_clauses && (s->words >> k & 1) != 0) {
        const enum d1g_keyword keyword = d1g_find_keyword(t, at, at + len);

        if (keyword == KW_WHERE || keyword == KW_RETURNING) {
            if (is_outermost(w, t, s, k, depth))
                w->clauses |= keyword == KW_WHERE ? D1GUARD_WHERE : D1GUARD_RETURNING;
            return;
        }
    }
    w->listed |= d1g_is_listed(t, at, at + len);
}

/* Takes in the words and the contents of strings below the limit; depth is that before the window. */
static void note_names(struct d1g_walk *w, const struct d1g_text *t, const struct sight *s, size_t limit,
                       size_t depth)
{
    const uint32_t letters = w->wants_clauses ? D1G_CLAUSES : 0;
    const struct d1g_window *v = &w->window;
    const uint64_t runs = (s->words | (s->inside & ~v->quotes)) & below(limit);
    uint64_t names = starts_of(runs) & runs >> (D1G_SHORTEST_WATCHED - 1) & v->words & ~v->numbers;

    for (; names != 0; names &= names - 1) {
        const size_t k = d1g_first_bit(names);

        if (d1g_is_watched(t->z + (w->at + k), letters))
            note_watched(w, t, s, k, d1g_first_bit(~(runs >> k) | UINT64_C(1) << 63), depth);
    }
}

/* Steps over what it can of the window, from w->end on. Returns 1 if w->end is then where to stop. */
static int step_window(struct d1g_walk *w, const struct d1g_text *t)
{
    const size_t n = w->until - w->at;
    const size_t k = w->end - w->at;
    const size_t depth = w->depth;
    struct sight s = look_from(&w->window, k, n);
    const size_t whole = limit_of(w, t, &s, k, n);
    const size_t limit = count_parentheses(w, t, &s, whole);
    const uint64_t taken = below(limit) & ~below(k);
    const uint64_t seen = taken & ~(w->window.blanks & s.outside);

    note_names(w, t, &s, limit, depth);
    if (seen != 0)
        w->last = w->at + d1g_last_bit(seen) + 1;
    w->end = w->at + limit;
    return s.stops != 0 || limit < whole;
}

void d1g_start_walk(struct d1g_walk *w, int wants_clauses)
{
    w->at = 0;
    w->until = 0;
    w->depth = 0;
    w->floor = 0;
    w->listed = 0;
    w->wants_clauses = wants_clauses;
    w->clauses = 0;
}

#ifdef D1G_SMALL /* a build for size, and a test: every token is read by itself */
#define STEPS_OVER 0
#else
#define STEPS_OVER 1
#endif

void d1g_walk_plain(struct d1g_walk *w, const struct d1g_text *t, size_t from)
{
    w->end = from;
    w->last = from;
    while (STEPS_OVER && w->end < t->n) {
        if (w->end >= w->until) {
            w->at = w->end;
            w->until = t->n - w->at < D1G_WINDOW ? t->n : w->at + D1G_WINDOW;
            d1g_look(&w->window, t, w->at);
        }
        from = w->end;
        if (step_window(w, t) || (w->end == from && from == w->at))
            return;
        if (w->end < t->n)
            w->until = w->end; /* the rest is better seen from there on */
    }
}

#include "plain.h"

#define ALL (~UINT64_C(0))

/* The bits of a window below k. */
/*@ requires k < D1G_WINDOW;
    assigns \nothing; */
static uint64_t below(size_t k)
{
    return (UINT64_C(1) << k) - 1;
}

/* How the window before ended. All 0 where a walk starts. */
struct carry {
    uint64_t string; /* all bits: inside a string */
    uint64_t opened; /* 1: with the quote that opens it */
    uint64_t word;   /* 1: with a word */
    uint64_t number; /* 1: with a number, digits and dots so far */
};

/* What a window shows from a token's start on, once it is known what lies in strings. */
struct sight {
    uint64_t words;
    uint64_t starts; /* of words, and of what is in strings */
    uint64_t marks;  /* parentheses, and bytes of tokens that may have to be read by themselves */
};

/* The first of the bits at which z has a NUL byte, or 0. */
/*@ assigns \nothing;
    ensures \forall integer n; are_below(bits, n) ==> are_below(\result, n); */
static uint64_t first_nul(const unsigned char *z, uint64_t bits)
{
    /*@ loop invariant \forall integer n; are_below(\at(bits, Pre), n) ==> are_below(bits, n);
        loop assigns bits;
        loop variant bits; */
    while (bits != 0 && z[d1g_first_bit(bits)] != '\0')
        bits &= bits - 1;
    return bits & (0 - bits);
}

/* The window shows z. shown are the bits from a token's start on; c is brought forward. */
/*@ requires \valid_read(v) && \valid(c) && \separated(v, c);
    assigns *c;
    ensures \forall integer n; are_below(v->words, n) && are_below(v->marks, n) ==>
        are_below(\result.words, n) && are_below(\result.marks, n); */
static struct sight look_from(const struct d1g_window *v, const unsigned char *z, uint64_t shown, struct carry *c)
{
    const uint64_t quotes = v->quotes & shown;
    uint64_t outside = shown;
    uint64_t opening = 0, nul = 0;
    uint64_t behind_words, numbers, sum;
    struct sight s;

    if ((quotes | c->string) != 0) {
        const uint64_t inside = (d1g_parity_of(quotes) ^ c->string) & shown;

        opening = quotes & inside;
        nul = first_nul(z, v->marks & inside);
        outside &= ~inside;
        c->string = 0 - (inside >> 63);
    }
    s.words = v->words & outside;
    behind_words = s.words << 1 | c->word;
    s.starts = s.words & ~behind_words;
    /* What starts with a digit, all its digits and dots behind it: a carry runs through them. */
    numbers = v->numbers & outside;
    sum = numbers + ((s.starts & numbers) | c->number);
    /* a NUL in a string; x'..' and the like; numbers that go on with another byte of a word */
    s.marks = (v->marks & outside) | nul | (opening & behind_words) | (sum & ~numbers & s.words);
    s.starts |= opening << 1 | c->opened;
    c->number = sum < numbers;
    c->opened = opening >> 63;
    c->word = s.words >> 63;
    return s;
}

/* Whether the byte at i, a mark, only is a sign or a blank: no comment, no error. */
/*@ requires d1g_readable(t) && i < t->n;
    assigns \nothing; */
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
    case '%':
    case '&':
    case '|':
    case '~':
    case '\r':
    case '\f':
        sign = 1;
        break;
    default:
        sign = 0;
        break;
    }
    return sign;
}

/* Where the token starts that holds the byte at i; one starts at `from`, there or before. */
/*@ requires d1g_readable(t) && from <= i < t->n && \valid(kind) && \separated(kind, t);
    assigns *kind;
    ensures from <= \result <= i; */
static size_t token_of(const struct d1g_text *t, size_t from, size_t i, uint32_t *kind)
{
    size_t end = from;

    /*@ loop invariant \at(from, Pre) <= from <= i && from <= end <= t->n;
        loop assigns from, end, *kind;
        loop variant t->n - end; */
    while (end <= i) {
        from = end;
        end = d1g_scan(t, from, kind);
    }
    return from;
}

/*
 * Where the token starts that the mark at i belongs to; one starts at `from`. Most marks start one. A word goes
 * on with them, and so do a number, x with a quote, and a blank with VT; a NUL cuts a string off.
 */
/*@ requires d1g_readable(t) && from <= i < t->n;
    assigns \nothing;
    ensures from <= \result <= i; */
static size_t marked_token(const struct d1g_text *t, size_t from, size_t i)
{
    const int b = t->z[i];
    uint32_t kind;
    size_t k = i;

    if (b == '\0' && i > from) {
        k = token_of(t, from, i - 1, &kind);
        return kind == D1GUARD_TOKEN_ILLEGAL ? k : i;
    }
    if (b == '\v') {
        /*@ loop invariant from <= k <= i;
            loop assigns k;
            loop variant k; */
        while (k > from && d1g_is_blank(t->z[k - 1]))
            k--;
    } else if (d1g_is_id(b) || b == '\'') {
        /*@ loop invariant from <= k <= i;
            loop assigns k;
            loop variant k; */
        while (k > from && (d1g_is_id(t->z[k - 1]) || t->z[k - 1] == '.'))
            k--;
    }
    return k < i ? token_of(t, k, i, &kind) : i;
}

/*@ requires d1g_readable(t) && i <= t->n;
    assigns \nothing;
    ensures i <= \result <= t->n; */
static size_t end_of_id(const struct d1g_text *t, size_t i)
{
    /*@ loop invariant \at(i, Pre) <= i <= t->n;
        loop assigns i;
        loop variant t->n - i; */
    while (d1g_is_id(d1g_byte(t, i)))
        i++;
    return i;
}

/* Where the word ends that starts at bit k of the window. */
/*@ requires \valid_read(w) && d1g_readable(t) && is_seen(w, t) && k < D1G_WINDOW && w->at + k <= w->until;
    assigns \nothing;
    ensures w->at + k <= \result <= t->n; */
static size_t end_of_word(const struct d1g_walk *w, const struct d1g_text *t, size_t k)
{
    return end_of_id(t, w->at + k + d1g_first_bit(~(w->window.words >> k) | UINT64_C(1) << (D1G_WINDOW - 1)));
}

/*
 * Goes over the quoted name that starts with the first of the marks, if it ends in the window, and no quote
 * and no NUL is in it; what words are in it look like any others. Returns the marks behind it, or the same ones.
 */
/*@ requires \valid_read(w) && d1g_readable(t) && is_seen(w, t) && marks > 0 && are_below(marks, w->until - w->at);
    assigns \nothing;
    ensures \result <= marks && are_below(\result, w->until - w->at); */
static uint64_t pass_name(const struct d1g_walk *w, const struct d1g_text *t, uint64_t marks)
{
    const unsigned char *z = t->z + w->at;
    const size_t open = d1g_first_bit(marks);
    const int close = z[open] == '[' ? ']' : z[open];
    uint64_t rest = marks & (marks - 1);

    /*@ loop invariant rest < marks && are_below(rest, w->until - w->at);
        loop assigns rest;
        loop variant rest; */
    for (; rest != 0; rest &= rest - 1) {
        const size_t k = d1g_first_bit(rest);

        if (z[k] == '\0' || (z[k] == close && d1g_peek(t, w->at + k, 1) == close))
            break;
        if (z[k] == close)
            return (w->window.quotes & below(k) & ~below(open)) == 0 ? rest & (rest - 1) : marks;
    }
    return marks;
}

/*
 * Goes over the variable that starts with the first of the marks, if it ends in the window, is no more than a sign
 * and a plain word, and what follows is clearly no parenthesis. Returns the marks behind it, or the same ones.
 */
/*@ requires \valid_read(w) && d1g_readable(t) && is_seen(w, t) && marks > 0 && are_below(marks, w->until - w->at);
    assigns \nothing;
    ensures \result <= marks && are_below(\result, w->until - w->at); */
static uint64_t pass_variable(const struct d1g_walk *w, const struct d1g_text *t, uint64_t marks)
{
    const uint64_t rest = marks & (marks - 1);
    const size_t k = d1g_first_bit(marks);
    const size_t end = k + 1 < D1G_WINDOW ? end_of_word(w, t, k + 1) : w->until;
    int next;

    if (end >= w->until || (rest & below(end - w->at)) != 0 || (end == w->at + k + 1 && t->z[w->at + k] != '?'))
        return marks;
    next = t->z[end];
    return next == ',' || next == ')' || (next == ' ' && d1g_is_id(d1g_peek(t, end, 1))) ? rest : marks;
}

/* Goes over the first of the marks, or all of its token. Returns the marks behind it, or the same ones. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && is_seen(w, t);
    requires marks > 0 && are_below(marks, w->until - w->at);
    assigns w->depth;
    ensures \result <= marks && are_below(\result, w->until - w->at); */
static uint64_t pass_mark(struct d1g_walk *w, const struct d1g_text *t, uint64_t marks)
{
    const uint64_t rest = marks & (marks - 1);
    const size_t i = w->at + d1g_first_bit(marks);
    const int b = t->z[i];

    if (b == '(') {
        w->depth++;
        return rest;
    }
    if (b == ')' && w->depth > w->floor) {
        w->depth--;
        return rest;
    }
    if (is_sign(t, i))
        return rest;
    if (w->wants_clauses) /* which must not be found in names */
        return marks;
    if (b == '?' || b == ':' || b == '@')
        return pass_variable(w, t, marks);
    return d1g_class(t, i) == CLASS_QUOTE ? pass_name(w, t, marks) : marks;
}

/* Goes over the marks up to the first where the walk has to stop. Returns the marks from there on, or 0. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && is_seen(w, t) && are_below(marks, w->until - w->at);
    assigns w->depth;
    ensures are_below(\result, w->until - w->at); */
static uint64_t pass_marks(struct d1g_walk *w, const struct d1g_text *t, uint64_t marks)
{
    /*@ loop invariant are_below(marks, w->until - w->at);
        loop assigns marks, w->depth;
        loop variant marks; */
    while (marks != 0) {
        const uint64_t rest = pass_mark(w, t, marks);

        if (rest == marks)
            break;
        marks = rest;
    }
    return marks;
}

/* How many more parentheses open than close among the marks. */
/*@ requires \valid_read(w) && d1g_readable(t) && is_seen(w, t) && are_below(marks, w->until - w->at);
    assigns \nothing; */
static size_t depth_of(const struct d1g_walk *w, const struct d1g_text *t, uint64_t marks)
{
    size_t depth = 0;

    /*@ loop invariant are_below(marks, w->until - w->at);
        loop assigns marks, depth;
        loop variant marks; */
    for (; marks != 0; marks &= marks - 1) {
        const int b = t->z[w->at + d1g_first_bit(marks)];

        depth += b == '(' ? 1 : b == ')' ? SIZE_MAX : 0;
    }
    return depth;
}

/* Takes in the words and the starts of strings, bits of `names`, that may be on a list. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && is_seen(w, t);
    assigns w->listed; */
static void note_names(struct d1g_walk *w, const struct d1g_text *t, uint64_t names)
{
    /*@ loop invariant are_below(names, w->until - w->at);
        loop assigns names, w->listed;
        loop variant names; */
    for (names &= w->window.names; names != 0; names &= names - 1) {
        const size_t k = d1g_first_bit(names);

        if (d1g_may_matter(t, w->at + k, t->n, 0))
            w->listed |= d1g_is_listed(t, w->at + k, end_of_word(w, t, k));
    }
}

/* Takes in the keywords among the words that start at bits of `starts`; depth is that before the window. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && is_seen(w, t);
    requires are_below(starts, w->until - w->at) && are_below(marks, w->until - w->at);
    assigns w->clauses; */
static void note_clauses(struct d1g_walk *w, const struct d1g_text *t, uint64_t starts, uint64_t marks, size_t depth)
{
    /*@ loop invariant are_below(starts, w->until - w->at);
        loop assigns starts, w->clauses;
        loop variant starts; */
    for (; starts != 0; starts &= starts - 1) {
        const size_t k = d1g_first_bit(starts);
        enum d1g_keyword keyword;

        if ((D1G_CLAUSES >> (t->z[w->at + k] & 31) & 1) == 0)
            continue;
        keyword = d1g_find_keyword(t, w->at + k, end_of_id(t, w->at + k));
        if ((keyword == KW_WHERE || keyword == KW_RETURNING) && depth + depth_of(w, t, marks & below(k)) == 0)
            w->clauses |= keyword == KW_WHERE ? D1GUARD_WHERE : D1GUARD_RETURNING;
    }
}

/*
 * Steps over what it can of the window, from w->end on; the walk, or the part of it that c tells of, started at
 * `from`. Returns 1 if w->end is then where to stop.
 */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && \valid(c) && \separated(w, c) && \separated(t, c);
    requires is_seen(w, t) && from <= w->end && w->at <= w->end < w->until;
    assigns w->end, w->depth, w->listed, w->clauses, *c;
    ensures from <= w->end <= w->until && (\result == 0 ==> w->end == w->until); */
static int step_window(struct d1g_walk *w, const struct d1g_text *t, size_t from, struct carry *c)
{
    const size_t depth = w->depth;
    uint64_t taken = ALL << (w->end - w->at);
    uint64_t stop;
    struct sight s;

    s = look_from(&w->window, t->z + w->at, taken, c);
    stop = pass_marks(w, t, s.marks);
    w->end = w->until;
    if (stop != 0) {
        w->end = marked_token(t, from, w->at + d1g_first_bit(stop));
        taken = w->end > w->at ? below(w->end - w->at) : 0;
    }
    note_names(w, t, s.starts & taken);
    if (w->wants_clauses)
        note_clauses(w, t, s.starts & s.words & taken, s.marks, depth);
    return stop != 0;
}

void d1g_start_walk(struct d1g_walk *w, int wants_clauses)
{
    w->depth = 0;
    w->floor = 0;
    if (D1G_STEPS_OVER) {
        w->at = 0;
        w->until = 0;
        w->listed = 0;
        w->wants_clauses = wants_clauses;
        w->clauses = 0;
    }
}

/* Goes from window to window until one stops it, or the text ends. */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && from == w->end <= t->n;
    assigns w->window, w->at, w->until, w->end, w->depth, w->listed, w->clauses;
    ensures from <= w->end <= t->n; */
static void step_windows(struct d1g_walk *w, const struct d1g_text *t, size_t from)
{
    struct carry c = {0, 0, 0, 0};
    uint32_t kind;

    /*@ admit w->end < w->until ==> is_seen(w, t) && w->at <= w->end; */
    /*@ loop invariant from <= w->end <= t->n && (w->end < w->until ==> is_seen(w, t) && w->at <= w->end);
        loop invariant c.string != 0 ==> from < t->n;
        loop assigns c, w->window, w->at, w->until, w->end, w->depth, w->listed, w->clauses;
        loop variant t->n - w->end; */
    while (w->end < t->n) {
        if (w->end >= w->until) {
            w->at = w->end;
            w->until = t->n - w->at < D1G_WINDOW ? t->n : w->at + D1G_WINDOW;
            d1g_look(&w->window, t, w->at, d1g_watched_fours);
        }
        if (step_window(w, t, from, &c))
            return;
    }
    if (c.string != 0) /* it never ends */
        w->end = token_of(t, from, t->n - 1, &kind);
}

void d1g_walk_plain(struct d1g_walk *w, const struct d1g_text *t, size_t from)
{
    w->end = from;
    if (D1G_STEPS_OVER)
        step_windows(w, t, from);
    w->last = w->end;
    /*@ loop invariant from <= w->last <= w->end;
        loop assigns w->last;
        loop variant w->last; */
    while (w->last > from && d1g_is_blank(d1g_byte(t, w->last - 1)))
        w->last--;
}

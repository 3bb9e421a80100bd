/* Many tokens in one call: words, blanks, strings and signs are cut by the bits of a view; what may be more than that
 * goes through d1g_scan, so that the rules are in one place. */
#include "token.h"
#include "window.h"

/* What the shown bytes of a view, the first of which starts a token, are cut into. */
struct cuts {
    uint64_t starts; /* of tokens; true up to the first doubt */
    uint64_t doubts; /* the token that starts here or holds this byte must be read by d1g_scan */
};

/* The bits numbered from `from` on, below `to`. */
/*@ requires from < D1G_WINDOW && 0 < to <= D1G_WINDOW;
    assigns \nothing;
    ensures are_from(\result, from) && are_below(\result, to); */
static inline D1G_IN_PLACE uint64_t bits_between(size_t from, size_t to)
{
    const uint64_t bits = ~UINT64_C(0) << from & ~UINT64_C(0) >> (D1G_WINDOW - to);

    /*@ admit are_from(bits, from) && are_below(bits, to); */
    return bits;
}

/*@ assigns \nothing;
    ensures bits > 0 ==> \result < bits;
    ensures \forall integer n; are_below(bits, n) ==> are_below(\result, n);
    ensures \forall integer n; are_from(bits, n) ==> are_from(\result, n + 1); */
static inline D1G_IN_PLACE uint64_t but_first(uint64_t bits)
{
    const uint64_t rest = bits & (bits - 1);

    /*@ admit bits > 0 ==> rest < bits; */
    /*@ admit \forall integer n; are_from(bits, n) ==> are_from(rest, n + 1); */
    return rest;
}

/*@ requires \valid_read(v);
    assigns \nothing;
    ensures \forall integer n; are_from(shown, n) ==> are_from(\result.starts, n);
    ensures \forall integer n; are_below(shown, n) ==> are_below(\result.starts, n); */
static inline D1G_IN_PLACE struct cuts cut(const struct d1g_view *v, uint64_t shown)
{
    const uint64_t quotes = v->quotes & shown;
    uint64_t words = v->words & shown;
    uint64_t joins = v->joins & shown;
    uint64_t blanks = v->blanks & shown;
    uint64_t inner = 0, behind = 0; /* bytes in strings but for their first; what makes more of a word or a number */
    uint64_t digits;
    struct cuts c;

    if (quotes != 0) {
        const uint64_t opened = d1g_parity_of(quotes); /* a string, but for the quote that closes it */
        const uint64_t closing = quotes & ~opened;
        const uint64_t outside = ~(opened | closing);

        words &= outside;
        joins &= outside;
        blanks &= outside;
        inner = ~outside & ~(quotes & opened & ~(closing << 1)); /* a doubled quote goes on */
        behind = quotes & words << 1;                            /* x'..' */
    }
    digits = words & joins;
    joins &= ~digits;
    behind |= (digits + (digits & ~(words << 1))) & ~digits & (words | joins); /* a carry runs through a number */
    c.starts = shown & ~((words & words << 1) | (blanks & blanks << 1) | inner | behind);
    c.doubts = (shown & ~v->known) | behind | (joins & (joins | digits) >> 1);
    return c;
}

/* Where the host's tokens go. */
struct tokens {
    struct d1guard_token *first;
    size_t stride; /* bytes from one to the next: more than ours where the host's header is newer */
    size_t count;  /* there is room for */
    size_t used;
};

/*@ predicate is_out(struct tokens *out) =
        \valid(out) && \valid(out->first + (0 .. out->count - 1)) && out->used <= out->count &&
        \separated(out, out->first + (0 .. out->count - 1));
    predicate has_room(struct tokens *out) = is_out(out) && out->used < out->count;
    predicate is_text(unsigned char *z, size_t n) = \valid_read(z + (0 .. n - 1)); */

/* Token number i. The proofs see the host's tokens as an array, as they are with a header like ours, and say nothing of
 * a longer stride. */
/*@ requires is_out(out) && i < out->count;
    assigns \nothing;
    ensures \result == out->first + i; */
static inline D1G_IN_PLACE struct d1guard_token *token_at(const struct tokens *out, size_t i)
{
    struct d1guard_token *token = (struct d1guard_token *)(void *)((unsigned char *)out->first + i * out->stride);

    /*@ admit token == out->first + i; */
    return token;
}

/*@ requires has_room(out) && at < end;
    assigns out->used, out->first[out->used];
    ensures out->used == \old(out->used) + 1 && out->first[out->used - 1].at == at; */
static inline D1G_IN_PLACE void put_token(struct tokens *out, uint32_t kind, size_t at, size_t end)
{
    struct d1guard_token *token = token_at(out, out->used);

    token->kind = kind;
    token->at = at;
    token->len = end - at;
    out->used++;
}

/* Whether the byte may go on with the token before it, though a view takes it for a start. */
/*@ requires byte <= 0xFF;
    assigns \nothing; */
static int may_go_on(int byte)
{
    return d1g_is_id(byte) || d1g_is_blank(byte);
}

/* Puts the token at `at`, whatever it is. Returns its end. */
/*@ requires has_room(out) && is_text(z, n) && at < n;
    assigns out->used, out->first[out->used];
    ensures at < \result <= n && out->used == \old(out->used) + 1; */
static size_t put_any(struct tokens *out, const unsigned char *z, size_t n, size_t at)
{
    const struct d1g_text t = {z, n};
    uint32_t kind;
    const size_t end = d1g_scan(&t, at, &kind);

    put_token(out, kind, at, end);
    return end;
}

/*
 * Puts the tokens from `at` on that v shows to their ends, which shows the text from `from` on; at least one of them.
 * Returns where the last one ends.
 */
/*@ requires has_room(out) && is_text(z, n) && \valid_read(v) && \separated(v, out);
    requires \separated(v, out->first + (0 .. out->count - 1)) && \separated(z + (0 .. n - 1), out);
    requires \separated(z + (0 .. n - 1), out->first + (0 .. out->count - 1));
    requires 0 < bytes <= D1G_WINDOW && from <= at < from + bytes <= n;
    assigns out->used, out->first[out->used .. out->count - 1];
    ensures at < \result <= n && \old(out->used) < out->used <= out->count; */
static inline D1G_IN_PLACE size_t put_view(struct tokens *out, const unsigned char *z, size_t n, size_t at,
                                           const struct d1g_view *v, size_t from, size_t bytes)
{
    const size_t first = at;
    const size_t room = out->count - out->used;
    /* if there is not room for so many, so few bytes that there is room for their tokens */
    const size_t stop = room < bytes - (at - from) ? at - from + room : bytes;

    /*@ loop invariant is_out(out) && first <= at < from + stop && out->count - out->used >= from + stop - at;
        loop invariant \at(out->used, Pre) <= out->used && (at > first ==> \at(out->used, Pre) < out->used);
        loop assigns at, out->used, out->first[\at(out->used, Pre) .. out->count - 1];
        loop variant from + stop - at; */
    do {
        const size_t begun = at;
        const struct cuts c = cut(v, bits_between(at - from, stop));
        uint64_t ends = c.starts & (c.doubts ^ (c.doubts - 1));

        /*@ assert are_from(ends, at - from) && are_below(ends, stop); */
        /*@ loop invariant is_out(out) && begun <= at < from + stop && out->count - out->used >= from + stop - at;
            loop invariant are_from(ends, at - from + 1) && are_below(ends, stop);
            loop invariant \at(out->used, Pre) <= out->used && (at > first ==> \at(out->used, Pre) < out->used);
            loop invariant at > begun ==> begun <= out->first[out->used - 1].at < at &&
                out->count - out->used + 1 >= from + stop - out->first[out->used - 1].at;
            loop assigns ends, at, out->used, out->first[\at(out->used, Pre) .. out->count - 1];
            loop variant ends; */
        for (ends = but_first(ends); ends != 0; ends = but_first(ends)) {
            const size_t end = from + d1g_first_bit(ends);

            put_token(out, d1g_simple_kinds[z[at]], at, end);
            at = end;
        }
        if (c.doubts == 0 && from + stop < n && at > first)
            break; /* the last one may go on: better seen in a view that starts with it */
        if (c.doubts == 0 && from + stop == n && z[at] != '\'') { /* if a string, it may be open */
            /*@ assert \at(out->used, Pre) <= out->used < out->count; */
            put_token(out, d1g_simple_kinds[z[at]], at, n);
            return n;
        }
        /* a token that no view knows, unless its first byte belongs to the one before it: that is taken back */
        if (at > begun && (c.doubts >> (at - from) & 1) != 0 && may_go_on(z[at])) {
            out->used--;
            at = (size_t)token_at(out, out->used)->at;
        }
        /*@ assert \at(out->used, Pre) <= out->used < out->count; */
        at = put_any(out, z, n, at);
    } while (at - from < stop);
    return at;
}

/*@ requires \valid_read(&tokens->size);
    assigns \nothing;
    ensures \result.first == tokens && \result.count == count && \result.used == 0; */
static inline D1G_IN_PLACE struct tokens room_for(struct d1guard_token *tokens, size_t count)
{
    struct tokens out;

    out.first = tokens;
    out.stride = tokens->size;
    out.count = count;
    out.used = 0;
    return out;
}

/* Where the view starts that shows `at`: whole, if the text is long enough. */
/*@ requires at < n;
    assigns \nothing;
    ensures \result <= at && (D1G_WINDOW <= n ==> at < \result + D1G_WINDOW <= n); */
static inline size_t start_of_view(size_t n, size_t at)
{
    const size_t last = n < D1G_WINDOW ? 0 : n - D1G_WINDOW;

    return at < last ? at : last;
}

/* d1guard_tokens with views of either form, once its arguments are checked. */

/*@ predicate are_tokens(struct d1guard_token *tokens, integer count) = \valid(tokens + (0 .. count - 1)); */

/*@ requires at < n && 0 < count && are_tokens(tokens, count) && is_text(z, n);
    requires \separated(z + (0 .. n - 1), tokens + (0 .. count - 1));
    assigns tokens[0 .. count - 1];
    ensures 0 < \result <= count; */
static size_t read_by_blocks(const unsigned char *z, size_t n, size_t at, struct d1guard_token *tokens, size_t count)
{
    struct tokens out = room_for(tokens, count);
    struct d1g_view v;

    /*@ loop invariant \at(at, Pre) <= at < n && has_room(&out) && out.first == tokens && out.count == count;
        loop assigns at, v, out.used, tokens[0 .. count - 1];
        loop variant n - at; */
    do {
        const size_t from = start_of_view(n, at);

        if (n < D1G_WINDOW) {
            at = put_any(&out, z, n, at);
        } else {
            d1g_view_blocks(&v, z + from);
            at = put_view(&out, z, n, at, &v, from, D1G_WINDOW);
        }
    } while (at < n && out.used < count);
    return out.used;
}

#ifdef D1G_WIDE
D1G_WIDE static size_t read_wide(const unsigned char *z, size_t n, size_t at, struct d1guard_token *tokens,
                                 size_t count)
{
    const size_t bytes = n < D1G_WINDOW ? n : D1G_WINDOW;
    struct tokens out = room_for(tokens, count);
    struct d1g_view v;

    do {
        const size_t from = start_of_view(n, at);

        d1g_view_wide(&v, z + from, bytes);
        at = put_view(&out, z, n, at, &v, from, bytes);
    } while (at < n && out.used < count);
    return out.used;
}
#endif

/*@ requires sql != \null ==> \valid_read(sql + (0 .. len - 1));
    requires tokens != \null ==> \valid_read(&tokens->size);
    requires tokens != \null && tokens->size >= sizeof(struct d1guard_token) && count > 0 ==> are_tokens(tokens, count) &&
        \separated(sql + (0 .. len - 1), tokens + (0 .. count - 1));
    assigns tokens[0 .. count - 1];
    ensures \result <= count; */
size_t d1guard_tokens(const char *sql, size_t len, size_t at, struct d1guard_token *tokens, size_t count)
{
    const unsigned char *const z = (const unsigned char *)sql;

    if (sql == NULL || at >= len || tokens == NULL || tokens->size < sizeof *tokens || count == 0)
        return 0;
#ifdef D1G_WIDE
    if (len >= D1G_HALF && d1g_is_wide())
        return read_wide(z, len, at, tokens, count);
#endif
    return read_by_blocks(z, len, at, tokens, count);
}

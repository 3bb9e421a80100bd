/* Many tokens in one call: words, blanks, strings and signs are cut by the bits of a view; what may be more than that
 * goes through d1g_scan, so that the rules are in one place. */
#include "token.h"
#include "window.h"

/* What the shown bytes of a view, the first of which starts a token, are cut into. */
struct cuts {
    uint64_t starts; /* of tokens; true up to the first doubt */
    uint64_t doubts; /* the token that starts here or holds this byte must be read by d1g_scan */
};

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
    unsigned char *next;
    size_t stride;
    size_t room; /* for so many more */
};

static inline struct d1guard_token *token_at(unsigned char *place)
{
    return (struct d1guard_token *)(void *)place;
}

static inline D1G_IN_PLACE void put_token(struct tokens *out, uint32_t kind, size_t at, size_t end)
{
    struct d1guard_token *token = token_at(out->next);

    token->kind = kind;
    token->at = at;
    token->len = end - at;
    out->next += out->stride;
    out->room--;
}

/* Whether the byte may go on with the token before it, though a view takes it for a start. */
static int may_go_on(int byte)
{
    return d1g_is_id(byte) || d1g_is_blank(byte);
}

/* Puts the token at `at`, whatever it is. Returns its end. */
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
static inline D1G_IN_PLACE size_t put_view(struct tokens *out, const unsigned char *z, size_t n, size_t at,
                                           const struct d1g_view *v, size_t from, size_t bytes)
{
    const size_t first = at;
    size_t stop = bytes;
    uint64_t shown = ~UINT64_C(0) >> (D1G_WINDOW - stop);

    if (out->room < stop - (at - from)) {
        stop = at - from + out->room; /* so few bytes that there is room for their tokens */
        shown = ~UINT64_C(0) >> (D1G_WINDOW - stop);
    }
    do {
        const size_t begun = at;
        const struct cuts c = cut(v, shown & ~UINT64_C(0) << (at - from));
        uint64_t ends = c.starts & (c.doubts ^ (c.doubts - 1));

        for (ends &= ends - 1; ends != 0; ends &= ends - 1) {
            const size_t end = from + d1g_first_bit(ends);

            put_token(out, d1g_simple_kinds[z[at]], at, end);
            at = end;
        }
        if (c.doubts == 0 && from + stop < n && at > first)
            break; /* the last one may go on: better seen in a view that starts with it */
        if (c.doubts == 0 && from + stop == n && z[at] != '\'') { /* if a string, it may be open */
            put_token(out, d1g_simple_kinds[z[at]], at, n);
            return n;
        }
        /* a token that no view knows, unless its first byte belongs to the one before it: that is taken back */
        if (at > begun && (c.doubts >> (at - from) & 1) != 0 && may_go_on(z[at])) {
            out->next -= out->stride;
            out->room++;
            at = (size_t)token_at(out->next)->at;
        }
        at = put_any(out, z, n, at);
    } while (at - from < stop);
    return at;
}

static inline D1G_IN_PLACE struct tokens room_for(struct d1guard_token *tokens, size_t count)
{
    struct tokens out;

    out.next = (unsigned char *)tokens;
    out.stride = tokens->size;
    out.room = count;
    return out;
}

/* Where the view starts that shows `at`: whole, if the text is long enough. */
static inline size_t start_of_view(size_t n, size_t at)
{
    const size_t last = n < D1G_WINDOW ? 0 : n - D1G_WINDOW;

    return at < last ? at : last;
}

/* d1guard_tokens with views of either form, once its arguments are checked. */

static size_t read_by_blocks(const unsigned char *z, size_t n, size_t at, struct d1guard_token *tokens, size_t count)
{
    struct tokens out = room_for(tokens, count);
    struct d1g_view v;

    do {
        const size_t from = start_of_view(n, at);

        if (n < D1G_WINDOW) {
            at = put_any(&out, z, n, at);
        } else {
            d1g_view_blocks(&v, z + from);
            at = put_view(&out, z, n, at, &v, from, D1G_WINDOW);
        }
    } while (at < n && out.room > 0);
    return count - out.room;
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
    } while (at < n && out.room > 0);
    return count - out.room;
}
#endif

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

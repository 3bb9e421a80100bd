/* Many tokens in one call: words are cut by the bits of a window; what is more than a word, a blank or a sign
 * goes through d1g_scan, so that the rules are in one place. */
#include "policy.h"
#include "token.h"
#include "window.h"

/* What a byte is to the token before it, as bits. */
enum {
    TO_ID = 1,    /* goes on with a word */
    TO_BLANK = 2, /* goes on with a blank */
    TO_PAIR = 4,  /* may be the second byte of a sign */
    TO_DIGIT = 8, /* makes a number of a dot */
    TO_DOT = 16,  /* goes on with a number */
    TO_ANY = 32,
    GOES_ON = 64 /* says of a token: what must not follow only makes it longer */
};

/* By the classes of bytes: all that are not signs, then signs by their kinds. */
#define SIGN_FOLLOWS(id, number, slug) [CLASS_SIGN + (number)] = TO_ANY, [CLASS_PAIR + (number)] = TO_ANY | TO_PAIR,
static const unsigned char follows[256] = {
    [CLASS_LETTER] = TO_ANY | TO_ID,
    [CLASS_MARK] = TO_ANY | TO_ID,
    [CLASS_DIGIT] = TO_ANY | TO_ID | TO_DIGIT,
    [CLASS_DOLLAR] = TO_ANY | TO_ID,
    [CLASS_BLANK] = TO_ANY | TO_BLANK,
    [CLASS_VT] = TO_ANY | TO_BLANK,
    [CLASS_QUOTE] = TO_ANY,
    [CLASS_SIGIL] = TO_ANY,
    [CLASS_QMARK] = TO_ANY,
    [CLASS_DOT] = TO_ANY | TO_DOT,
    [CLASS_MINUS] = TO_ANY,
    [CLASS_SLASH] = TO_ANY,
    D1GUARD_TOKENS(SIGN_FOLLOWS)};

/* What must not follow a byte of a class if the token that starts with it is to end where the next one starts, and
 * above that the token's kind. */
#define STARTS(kind, unless) (uint16_t)((unless) | (kind) << 8)
#define SIGN_STARTS(id, number, slug) \
    [CLASS_SIGN + (number)] = STARTS(number, 0), [CLASS_PAIR + (number)] = STARTS(number, TO_PAIR),
static const uint16_t starts_with[256] = {
    [CLASS_LETTER] = STARTS(D1GUARD_TOKEN_WORD, TO_ID | GOES_ON),
    [CLASS_MARK] = STARTS(0, TO_ANY),
    [CLASS_DIGIT] = STARTS(D1GUARD_TOKEN_INTEGER, TO_ID | TO_DOT),
    [CLASS_DOLLAR] = STARTS(0, TO_ANY),
    [CLASS_BLANK] = STARTS(D1GUARD_TOKEN_SPACE, TO_BLANK | GOES_ON),
    [CLASS_VT] = STARTS(D1GUARD_TOKEN_ILLEGAL, 0),
    [CLASS_QUOTE] = STARTS(0, TO_ANY),
    [CLASS_SIGIL] = STARTS(0, TO_ANY),
    [CLASS_QMARK] = STARTS(0, TO_ANY),
    [CLASS_DOT] = STARTS(D1GUARD_TOKEN_DOT, TO_DIGIT),
    [CLASS_MINUS] = STARTS(0, TO_ANY),
    [CLASS_SLASH] = STARTS(0, TO_ANY),
    D1GUARD_TOKENS(SIGN_STARTS)};
#undef SIGN_FOLLOWS
#undef SIGN_STARTS
#undef STARTS

/* Where tokens start in the window, if all of them are as simple as starts_with says: each byte but those inside of
 * words. What stands right behind the digits of a number is a start too, and shows there that it goes on. */
static uint64_t starts_of_tokens(const struct d1g_window *w)
{
    const uint64_t words = w->words & ~(w->words << 1);
    const uint64_t digits = w->words & w->numbers;

    return words | ~w->words | ((digits + (digits & words)) & ~digits);
}

/* Where the host's tokens go. */
struct tokens {
    unsigned char *next;
    unsigned char *stop;
    size_t stride;
};

static inline void put_token(struct tokens *out, uint32_t kind, size_t at, size_t end)
{
    struct d1guard_token *token = (struct d1guard_token *)(void *)out->next;

    token->kind = kind;
    token->at = at;
    token->len = end - at;
    out->next += out->stride;
}

/*
 * Puts the simple tokens that end at starts, up to the first that may not be what it looks like. z is where the
 * window starts, at `from` in the text; *starts are those behind `at`. Returns where the last one ends.
 */
static size_t put_simple(struct tokens *host, const unsigned char *z, size_t from, size_t at, uint64_t *starts)
{
    struct tokens out = *host; /* in registers */
    unsigned first = starts_with[d1g_classes[z[at - from]]];
    uint64_t rest = *starts;

    while (rest != 0) {
        const size_t k = d1g_first_bit(rest);
        const int class = d1g_classes[z[k]];

        if ((first & follows[class]) == 0) {
            put_token(&out, first >> 8, at, from + k);
            at = from + k;
            first = starts_with[class];
        } else if ((first & GOES_ON) == 0) {
            break;
        }
        rest &= rest - 1;
    }
    *starts = rest;
    *host = out;
    return at;
}

/* How many bytes of a window to read: so few that there is room for their tokens, each at least a byte. */
static size_t bytes_to_read(const struct tokens *out, size_t rest)
{
    const size_t room = (size_t)(out->stop - out->next);
    const size_t n = rest < D1G_WINDOW ? rest : D1G_WINDOW;

    return room < n * out->stride ? room / out->stride : n;
}

/* Puts the tokens of a window that starts with one, at least one of them. Returns where the last one ends. */
static size_t put_window(struct tokens *out, const struct d1g_text *t, size_t from)
{
    const size_t n = bytes_to_read(out, t->n - from);
    struct d1g_window w;
    uint64_t starts;
    size_t at = from;

    d1g_look(&w, t, from, d1g_watched_fours);
    starts = starts_of_tokens(&w) & (~UINT64_C(0) >> (D1G_WINDOW - n)) & ~UINT64_C(1);
    do {
        size_t end;
        uint32_t kind;

        at = put_simple(out, t->z + from, from, at, &starts);
        if (starts == 0 && at > from && from + n < t->n)
            break; /* the last one may go on: better seen in a window that starts with it */
        end = d1g_scan(t, at, &kind);
        put_token(out, kind, at, end);
        at = end;
        starts = end - from < n ? starts >> (end - from) >> 1 << 1 << (end - from) : 0;
    } while (at - from < n);
    return at;
}

size_t d1guard_tokens(const char *sql, size_t len, size_t at, struct d1guard_token *tokens, size_t count)
{
    struct tokens out;
    struct d1g_text t;

    if (sql == NULL || at >= len || tokens == NULL || tokens->size < sizeof *tokens)
        return 0;
    t.z = (const unsigned char *)sql;
    t.n = len;
    out.stride = tokens->size;
    out.next = (unsigned char *)tokens;
    out.stop = out.next + (count < len - at ? count : len - at) * out.stride;
    while (at < len && out.next < out.stop)
        at = put_window(&out, &t, at);
    return (size_t)(out.next - (unsigned char *)tokens) / out.stride;
}

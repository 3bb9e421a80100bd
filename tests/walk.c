/*
 * How far a statement's body is stepped over at once, what a window of 64 bytes and a view of as many show, and
 * which letters stand beside the denied names. No verdict tells, or none does for sure: what is not stepped over is read token by
 * token, with the same result and more slowly. So this test knows some private headers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../lib/plain.h"
#include "../lib/policy.def"

/* ---- windows ---- */

static int is_letter(int b)
{
    return (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
}

static int is_digit(int b)
{
    return b >= '0' && b <= '9';
}

static int is_any_of(int b, const char *bytes)
{
    return b != 0 && strchr(bytes, b) != NULL;
}

/* The bits that the window should have for this byte, in the order of the masks below. */
static unsigned wanted_bits(int b)
{
    const int word = is_letter(b) || is_digit(b) || b == '_';
    const int number = is_digit(b) || b == '.';
    const int quote = b == '\'';
    const int mark = !word && !number && !quote && !is_any_of(b, "\t\n *+,<=>");

    return (unsigned)(word | number << 1 | quote << 2 | mark << 3);
}

/* What w shows of the text from `at` on; no bit is set behind its end. */
static void check_shown(const struct d1g_window *w, const struct d1g_text *t, size_t at)
{
    const uint64_t masks[] = {w->words, w->numbers, w->quotes, w->marks};

    for (size_t k = 0; k < D1G_WINDOW; k++) {
        const unsigned wanted = at + k < t->n ? wanted_bits(t->z[at + k]) : 0;
        unsigned got = 0;

        for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++)
            got |= (unsigned)(masks[i] >> k & 1) << i;
        if (got != wanted)
            fail_msg("byte %u of %u, window at %u: %x, not %x", (unsigned)(at + k), (unsigned)t->n, (unsigned)at, got,
                     wanted);
    }
}

/* Block by block, only words that go on for four letters at least, or to the window's end, are looked up. */
static void check_long_words(const struct d1g_window *w)
{
    for (size_t k = 0; k < D1G_WINDOW; k++) {
        const uint64_t letters = k < D1G_WINDOW - 3 ? 15 : 1;
        const int wanted = (w->words >> k & letters) == letters && (w->numbers >> k & 1) == 0;

        assert_int_equal(w->names >> k & 1, wanted);
    }
}

/* The window at a place of the text, which lies in memory of exactly its size. */
static void check_window(const unsigned char *bytes, size_t n, size_t at)
{
    unsigned char *exact = malloc(n);
    struct d1g_window w;
    struct d1g_text t;

    assert_non_null(exact);
    memcpy(exact, bytes, n);
    t.z = exact;
    t.n = n;
    d1g_look(&w, &t, at, d1g_watched_fours);
    check_shown(&w, &t, at);
    d1g_look_at_blocks(&w, &t, at);
    check_shown(&w, &t, at);
    check_long_words(&w);
    free(exact);
}

/* Texts of every length up to two windows and more, seen from every place. */
static void every_place_of_short_texts(void **state)
{
    unsigned char bytes[150];

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)" a.9'(+_,\t=%)\nZ-"[i * i % 17 % 16];
    for (size_t n = 1; n <= sizeof bytes; n++)
        for (size_t at = 0; at < n; at++)
            check_window(bytes, n, at);
}

/* Every byte, at each place of a block that is looked at at once. */
static void every_byte(void **state)
{
    unsigned char bytes[256 + D1G_WINDOW];

    (void)state;
    for (size_t shift = 0; shift < 16; shift++) {
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (unsigned char)(i + shift);
        for (size_t at = 0; at <= 256; at += D1G_WINDOW)
            check_window(bytes, sizeof bytes, at);
    }
}

/* ---- views ---- */

/* The bits that a view should have for this byte, in the order of its fields. */
static unsigned wanted_view(int b)
{
    const int word = is_letter(b) || is_digit(b) || b == '_';
    const int join = is_digit(b) || is_any_of(b, "-.;<=>");
    const int blank = is_any_of(b, "\t\n ");
    const int quote = b == '\'';
    const int known = word || join || blank || quote || is_any_of(b, "()*+,");

    return (unsigned)(word | join << 1 | blank << 2 | quote << 3 | known << 4);
}

static void check_view(const struct d1g_view *v, const unsigned char *bytes, size_t n)
{
    const uint64_t masks[] = {v->words, v->joins, v->blanks, v->quotes, v->known};

    for (size_t k = 0; k < D1G_WINDOW; k++) {
        const unsigned wanted = k < n ? wanted_view(bytes[k]) : 0;
        unsigned got = 0;

        for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++)
            got |= (unsigned)(masks[i] >> k & 1) << i;
        if (got != wanted)
            fail_msg("byte %u (0x%02x) of %u: %x, not %x", (unsigned)k, bytes[k], (unsigned)n, got, wanted);
    }
}

#ifdef D1G_WIDE
D1G_WIDE static void view_wide(struct d1g_view *v, const unsigned char *bytes, size_t n)
{
    d1g_view_wide(v, bytes, n);
}
#endif

/* Every byte at every place of a view, in the forms that there are. */
static void every_byte_of_views(void **state)
{
    unsigned char bytes[256 + D1G_WINDOW];
    struct d1g_view v;

    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t at = 0; at < 256; at++) {
        memset(&v, 0xFF, sizeof v);
        d1g_view_blocks(&v, bytes + at);
        check_view(&v, bytes + at, D1G_WINDOW);
#ifdef D1G_WIDE
        for (size_t n = D1G_HALF; d1g_is_wide() && n <= D1G_WINDOW; n++) {
            view_wide(&v, bytes + at, n);
            check_view(&v, bytes + at, n);
        }
#endif
    }
}

/* ---- steps ---- */

/* Long words, strings and runs, to put in front of what is looked at. */
#define TEN(x) x x x x x x x x x x
#define SIXTY(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x) TEN(x)

static const struct step {
    const char *text;
    size_t from;
    size_t end;  /* where the walk stops */
    size_t last; /* the end of what was stepped over, blanks aside */
    size_t depth;
    size_t floor;
} steps[] = {
    /* All of it: words, blanks, plain numbers, strings, signs, parentheses. */
    {"a", 0, 1, 1, 0, 0},
    {"SELECT a, b.c FROM t", 0, 20, 20, 0, 0},
    {"a  ", 0, 3, 1, 0, 0},
    {"   ", 0, 3, 0, 0, 0},
    {"a\t\n b", 0, 5, 5, 0, 0},
    {"a\rb\fc", 0, 5, 5, 0, 0},
    {"a \r\f", 0, 4, 1, 0, 0},
    {"1 + 2.5 * .5 - 1.", 0, 17, 17, 0, 0},
    {"T1.c1 = 1.2", 0, 11, 11, 0, 0},
    {"'a' 'it''s' ''", 0, 14, 14, 0, 0},
    {"'--' '/*' '(' '\"'", 0, 17, 17, 0, 0},
    {"a-b", 0, 3, 3, 0, 0},
    {"a/b", 0, 3, 3, 0, 0},
    {"a!=b", 0, 4, 4, 0, 0},
    {"a|b||~c", 0, 7, 7, 0, 0},
    {"%&*+,<=>", 0, 8, 8, 0, 0},
    {"(a)(b)", 0, 6, 6, 0, 0},
    {"((a", 0, 3, 3, 2, 0},
    {"a b", 1, 3, 3, 0, 0},
    /* Up to a token that must be read by itself. */
    {"a;b", 0, 1, 1, 0, 0},
    {"a ;", 0, 2, 1, 0, 0},
    {"a \"b\"", 0, 2, 1, 0, 0},
    {"a [b]", 0, 2, 1, 0, 0},
    {"a `b`", 0, 2, 1, 0, 0},
    {"a ?1", 0, 2, 1, 0, 0},
    {"a :b", 0, 2, 1, 0, 0},
    {"a--b", 0, 1, 1, 0, 0},
    {"a/*b*/", 0, 1, 1, 0, 0},
    {"a!b", 0, 1, 1, 0, 0},
    {"a\\b", 0, 1, 1, 0, 0},
    {"a+b$c", 0, 2, 2, 0, 0},
    {"a+\xC3\xA9", 0, 2, 2, 0, 0},
    {"a+b\xC3\xA9", 0, 2, 2, 0, 0},
    {"a+x'00'", 0, 2, 2, 0, 0},
    {"a+1e5", 0, 2, 2, 0, 0},
    {"a+1.5e3", 0, 2, 2, 0, 0},
    {"a+0x1F", 0, 2, 2, 0, 0},
    {"a+1_000", 0, 2, 2, 0, 0},
    {"a \v", 0, 1, 1, 0, 0},
    {"a 'b", 0, 2, 1, 0, 0},
    {"a 'b''", 0, 2, 1, 0, 0},
    /* Up to a parenthesis that is the caller's. */
    {"a)", 0, 1, 1, 0, 0},
    {"(a))b", 0, 3, 3, 0, 0},
    {"(a)b", 0, 4, 4, 1, 1},
    {"(a))b", 0, 3, 3, 1, 1},
    /* Over the borders of windows, whole tokens at a time. */
    {SIXTY("a") "aaa bcd", 0, 67, 67, 0, 0},
    {"b " SIXTY("a") "a c", 0, 65, 65, 0, 0},
    {SIXTY("a,") "b", 0, 121, 121, 0, 0},
    {SIXTY("a ") SIXTY("(b)") "c", 0, 301, 301, 0, 0},
    {SIXTY("1.5,") "1", 0, 241, 241, 0, 0},
    {SIXTY("'a''',") "b", 0, 361, 361, 0, 0},
    {SIXTY("a ") "'" SIXTY("b") "'", 0, 182, 182, 0, 0},
    {"a '" SIXTY("b") "' c", 0, 66, 66, 0, 0},
    {SIXTY("a -"), 0, 180, 180, 0, 0},
    {SIXTY("a "), 0, 120, 119, 0, 0},
    {SIXTY("a ") ";", 0, 120, 119, 0, 0},
    {"b " SIXTY("a") TEN("a"), 0, 72, 72, 0, 0},
    {"b '" SIXTY("a") TEN("a") "'", 0, 74, 74, 0, 0},
    {"b " SIXTY("+") TEN("+"), 0, 72, 72, 0, 0},
    /* Back to the start of a token that began windows before. */
    {"b " SIXTY("a") SIXTY("a") "$c", 0, 2, 1, 0, 0},
    {"b '" SIXTY("a") SIXTY("a"), 0, 2, 1, 0, 0},
    {"b " SIXTY("1") SIXTY("1") "e", 0, 2, 1, 0, 0},
    {"b " SIXTY("1") SIXTY("1") ".5_", 0, 2, 1, 0, 0},
    {"b " SIXTY(" ") TEN(" ") "\v", 0, 1, 1, 0, 0},
    {"b " SIXTY("a") SIXTY("a") "'c'", 0, 122, 122, 0, 0},
    {"b " SIXTY("a") "x'00'", 0, 63, 63, 0, 0},
    {"b -x'00'", 0, 3, 3, 0, 0},
    {"\va", 0, 0, 0, 0, 0},
    {" ;", 1, 1, 1, 0, 0},
};

/* Over quoted names and variables, too, where no clause is looked for. */
static const struct step more_steps[] = {
    {"?, a", 0, 4, 4, 0, 0},
    {"b " SIXTY("a") "?, c", 0, 66, 66, 0, 0},
    {"a \"b\"", 0, 5, 5, 0, 0},
    {"a [b] `c` d", 0, 11, 11, 0, 0},
    {"a \"(\" (b", 0, 8, 8, 1, 0},
    {"a \"b-c d\" e", 0, 11, 11, 0, 0},
    {"a \"b\"\"c\"", 0, 2, 1, 0, 0},
    {"a \"b'c'd\"", 0, 2, 1, 0, 0},
    {"a \"b'c\"d'", 0, 2, 1, 0, 0},
    {"a \"b", 0, 2, 1, 0, 0},
    {"a \"" SIXTY("b") "\" c", 0, 66, 66, 0, 0},
    {"ab \"" SIXTY("b") "\" c", 0, 3, 2, 0, 0},
    {SIXTY("a") "a \"\"", 0, 64, 64, 0, 0},
    {"a = ?, :b, @c) d", 0, 13, 13, 0, 0},
    {"a = ? b :c d", 0, 12, 12, 0, 0},
    {"a ?1 b", 0, 6, 6, 0, 0},
    {"a ?", 0, 2, 1, 0, 0},
    {"a ?(", 0, 2, 1, 0, 0},
    {"a ? (", 0, 2, 1, 0, 0},
    {"a :b (", 0, 2, 1, 0, 0},
    {"a :b/**/(", 0, 2, 1, 0, 0},
    {"a : b", 0, 2, 1, 0, 0},
    {"a :b::c d", 0, 2, 1, 0, 0},
    {"a :\xC3\xA9 b", 0, 2, 1, 0, 0},
    {"a :1b c", 0, 2, 1, 0, 0},
    {"a $b c", 0, 2, 1, 0, 0},
    {"a #b c", 0, 2, 1, 0, 0},
    {SIXTY("a") "b =:c d", 0, 63, 63, 0, 0},
    {SIXTY("a") " = ? d", 0, 63, 62, 0, 0},
};

/* Walks from a place on, as a statement's reader does in the middle of a text. */
static struct d1g_walk walked(const struct d1g_text *t, int wants_clauses, size_t from, size_t floor)
{
    struct d1g_walk w;

    d1g_start_walk(&w, wants_clauses);
    w.floor = floor;
    w.depth = floor;
    d1g_walk_plain(&w, t, from);
    return w;
}

static void check_steps(const struct step *rows, size_t count, int wants_clauses)
{
    for (size_t i = 0; i < count; i++) {
        const struct step *s = &rows[i];
        const size_t n = strlen(s->text);
        unsigned char *exact = malloc(n);

        assert_non_null(exact);
        memcpy(exact, s->text, n);
        const struct d1g_text t = {exact, n};
        const struct d1g_walk w = walked(&t, wants_clauses, s->from, s->floor);

        if (w.end != s->end || w.last != s->last || w.depth != s->depth)
            fail_msg("\"%s\": to %u, last %u, depth %u", s->text, (unsigned)w.end, (unsigned)w.last,
                     (unsigned)w.depth);
        free(exact);
    }
}

static void where_walks_stop(void **state)
{
    (void)state;
    check_steps(steps, sizeof steps / sizeof *steps, 1);
    check_steps(more_steps, sizeof more_steps / sizeof *more_steps, 0);
}

/* Nothing of what the struct held before is left in a walk that starts. */
static void a_fresh_walk(void **state)
{
    struct d1g_walk w;

    (void)state;
    memset(&w, 0xFF, sizeof w);
    d1g_start_walk(&w, 0);
    assert_int_equal(w.at | w.until | w.depth | w.floor, 0);
    assert_int_equal(w.listed, 0);
    assert_int_equal(w.clauses, 0);
}

/* Words that most queries have are stepped over unread. */
static void common_words_are_not_watched(void **state)
{
    static const char *const words[] = {"select", "FROM", "where", "count", "name", "users", "ORDER", "LIMIT"};

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        assert_int_equal(d1g_is_watched((const unsigned char *)words[i], 0), 0);
}

/* A denied name is seen wherever it stands in a window, in upper and in lower case, with more or less behind it. */
static void every_denied_name_is_seen(void **state)
{
#define NAME(arg, a, b, c, d, last, role, name) #name,
    static const char *const names[] = {D1G_DENIED(NAME, 0)};
#undef NAME
    enum { PLACES = 140, LONGEST = 40, BEHIND = 40 };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t len = strlen(names[i]);

        for (size_t n = 0; n < PLACES * 2; n++) {
            unsigned char text[PLACES + LONGEST + BEHIND];
            const size_t place = n / 2;
            const struct d1g_text t = {text, place + len + (place * 7 + i) % BEHIND};
            struct d1g_walk w;

            assert_true(len <= LONGEST);
            memset(text, ' ', sizeof text);
            for (size_t k = 0; k < len; k++)
                text[place + k] = (unsigned char)(n % 2 && is_letter(names[i][k]) ? names[i][k] ^ 0x20 : names[i][k]);
            d1g_start_walk(&w, 0);
            d1g_walk_plain(&w, &t, 0);
            if (!w.listed)
                fail_msg("%s at %u is not seen", names[i], (unsigned)place);
        }
    }
}

/* ---- verdicts, wherever in a window a thing stands ---- */

static const struct placed {
    const char *front, *back; /* with 0 to 140 times a byte between them */
    char between;
    uint32_t reason;
} placed[] = {
    {"SELECT 1", "", ' ', D1GUARD_REASON_READS_ONLY},
    {"SELECT (a", ") FROM t", 'a', D1GUARD_REASON_READS_ONLY},
    {"SELECT ", "optimize" SIXTY("a") TEN("a") "(f)", ' ', D1GUARD_REASON_READS_ONLY},
    {"SELECT ", "optimize(f)", ' ', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT ", "'optimize'(f)", ' ', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT ", "\"optimize\"(f)", ' ', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT ", "[optimize](f)", ' ', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT '", "', optimize(f)", 'a', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT \"", "\", optimize(f)", 'a', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT 1", ", optimize(f)", '1', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT a", ", optimize(f)", 'a', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT ?", ", optimize(f)", '1', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT :a", ", optimize(f)", 'a', D1GUARD_REASON_DENIED_FUNCTION},
    {"SELECT :a", "(b)", 'a', D1GUARD_REASON_VARIABLE_PAREN},
    {"SELECT '", "' FROM t, 'fsdir'", 'a', D1GUARD_REASON_DENIED_TABLE},
    {"SELECT a", ", 'fsdir' FROM t", 'a', D1GUARD_REASON_READS_ONLY},
    {"SELECT a", " -- b\n; DELETE FROM t", ' ', D1GUARD_REASON_MISSING_WHERE},
    {"SELECT '", "' /* b */; DROP TABLE t", 'a', D1GUARD_REASON_SCHEMA},
    {"UPDATE t SET a = ", "b WHERE c", ' ', D1GUARD_REASON_RISKS_ALLOWED},
    {"UPDATE t SET a = '", "' WHERE c", 'a', D1GUARD_REASON_RISKS_ALLOWED},
    {"UPDATE t SET a = (", "b) WHERE c", ' ', D1GUARD_REASON_RISKS_ALLOWED},
    {"UPDATE t SET a = (", "b WHERE c)", ' ', D1GUARD_REASON_MISSING_WHERE},
    {"UPDATE t SET a = (b)", "", ' ', D1GUARD_REASON_MISSING_WHERE},
};

/* The text lies in memory of exactly its size. */
static struct d1guard_report judged(const char *text, size_t n)
{
    const struct d1guard_options options = {.size = sizeof options, .flags = D1GUARD_REQUIRE_WHERE,
                                            .allow_risks = D1GUARD_RISK_BIT(D1GUARD_RISK_WRITE)};
    struct d1guard_report report = {.size = sizeof report};
    char *exact = malloc(n);

    assert_non_null(exact);
    memcpy(exact, text, n);
    d1guard_classify(exact, n, &options, &report);
    free(exact);
    return report;
}

static void verdicts_at_every_place(void **state)
{
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof placed / sizeof *placed; i++) {
        const struct placed *p = &placed[i];
        const size_t front = strlen(p->front), back = strlen(p->back);

        for (size_t n = 0; n <= 140; n++) {
            memcpy(text, p->front, front);
            memset(text + front, p->between, n);
            memcpy(text + front + n, p->back, back);

            const struct d1guard_report report = judged(text, front + n + back);

            if (report.reason != p->reason)
                fail_msg("%.*s: %s", (int)(front + n + back), text, d1guard_reason_slug(report.reason));
        }
    }
}

static void nul_at_every_place(void **state)
{
    static const char quotes[][2] = {{'\'', '\''}, {'"', '"'}, {'`', '`'}, {'[', ']'}, {' ', ' '}};
    char text[150] = "SELECT";

    (void)state;
    for (size_t q = 0; q < sizeof quotes / sizeof *quotes; q++) {
        memset(text + 6, 'a', sizeof text - 6);
        text[6] = quotes[q][0];
        text[sizeof text - 1] = quotes[q][1];
        for (size_t at = 7; at < sizeof text; at++) {
            const char byte = text[at];

            text[at] = '\0';
            assert_int_equal(judged(text, sizeof text).reason, D1GUARD_REASON_NUL_BYTE);
            assert_int_equal(judged(text, sizeof text).at, at);
            text[at] = byte;
        }
    }
}

/* ---- the letters of denied names ---- */

/* A wrong one would matter only where no other row happens to set the same bit. */
static void letters_beside_denied_names(void **state)
{
#define ROW(arg, a, b, c, d, last, role, name) {{a, b, c, d}, last, #name},
    static const struct {
        char first[4], last;
        const char *name;
    } rows[] = {D1G_DENIED(ROW, 0)};
#undef ROW

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (memcmp(rows[i].first, rows[i].name, sizeof rows[i].first) != 0 ||
            rows[i].last != rows[i].name[strlen(rows[i].name) - 1])
            fail_msg("%s: %.4s and %c", rows[i].name, rows[i].first, rows[i].last);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_of_short_texts),
        cmocka_unit_test(every_byte),
        cmocka_unit_test(every_byte_of_views),
#ifndef D1G_SMALL /* which steps over nothing */
        cmocka_unit_test(where_walks_stop),
        cmocka_unit_test(a_fresh_walk),
        cmocka_unit_test(every_denied_name_is_seen),
#endif
        cmocka_unit_test(verdicts_at_every_place),
        cmocka_unit_test(nul_at_every_place),
        cmocka_unit_test(common_words_are_not_watched),
        cmocka_unit_test(letters_beside_denied_names),
    };

    return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}

/* Slugs, sentences, version and messages: everything made from the header's lists. */
#include "d1guard.h"
#include "writer.h"

#define WORD_LENGTH 40 /* bytes of a word that a message shows */

/*
 * Lists of texts are one string, a NUL behind each: they need no pointers, hence no relocation in a shared
 * library. Returns the text number n, or "unknown" where the list has only `count`.
 */
static const char *nth_text(const char *list, size_t count, size_t n)
{
    size_t i = 0;

    if (n >= count)
        return "unknown";
    for (; n > 0; n--) {
        while (list[i] != '\0')
            i++;
        i++;
    }
    return list + i;
}

/* Lists numbered from 0 without a gap. */
#define SLUG(id, number, slug) slug "\0"
#define SLUG_FUNCTION(function, LIST, LAST)          \
    const char *function(uint32_t number)            \
    {                                                \
        static const char slugs[] = LIST(SLUG);      \
                                                     \
        return nth_text(slugs, (LAST) + 1u, number); \
    }

SLUG_FUNCTION(d1guard_risk_slug, D1GUARD_RISKS, D1GUARD_RISK_LAST)
SLUG_FUNCTION(d1guard_kind_slug, D1GUARD_KINDS, D1GUARD_KIND_LAST)
SLUG_FUNCTION(d1guard_explain_slug, D1GUARD_EXPLAINS, D1GUARD_EXPLAIN_LAST)
SLUG_FUNCTION(d1guard_token_slug, D1GUARD_TOKENS, D1GUARD_TOKEN_LAST)
SLUG_FUNCTION(d1guard_form_slug, D1GUARD_FORMS, D1GUARD_FORM_LAST)

#define REASON_NUMBER(id, number, slug, sentence) number,
#define REASON_SLUG(id, number, slug, sentence) slug "\0"
#define REASON_SENTENCE(id, number, slug, sentence) sentence "\0"
static const unsigned char reason_numbers[] = {D1GUARD_REASONS(REASON_NUMBER)};
static const char reason_slugs[] = D1GUARD_REASONS(REASON_SLUG);
static const char reason_sentences[] = D1GUARD_REASONS(REASON_SENTENCE);

/* The place of a reason in the list; behind its end for a number that is not in it. */
static size_t reason_place(uint32_t reason)
{
    size_t i = 0;

    while (i < sizeof reason_numbers && reason_numbers[i] != reason)
        i++;
    return i;
}

const char *d1guard_reason_slug(uint32_t reason)
{
    return nth_text(reason_slugs, sizeof reason_numbers, reason_place(reason));
}

const char *d1guard_reason_sentence(uint32_t reason)
{
    return nth_text(reason_sentences, sizeof reason_numbers, reason_place(reason));
}

const char *d1guard_version(void)
{
    return D1GUARD_VERSION_STRING;
}

void d1guard_position(const char *sql, size_t len, size_t at, uint64_t *line, uint64_t *column)
{
    const struct d1g_text t = {(const unsigned char *)sql, sql != NULL ? len : 0};
    uint64_t lines = 1;
    size_t start = 0;
    size_t i;

    if (at > t.n)
        at = t.n;
    for (i = 0; i < at; i++) {
        if (d1g_byte(&t, i) == '\n') {
            lines++;
            start = i + 1;
        }
    }
    if (line != NULL)
        *line = lines;
    if (column != NULL)
        *column = (uint64_t)(at - start) + 1;
}

/* The bytes of the span, a long one cut where no character of UTF-8 is cut in two. */
static void put_word(struct d1g_writer *w, const struct d1g_text *t, size_t at, size_t end)
{
    size_t stop = end;

    if (at >= end) {
        d1g_write_text(w, "the text");
        return;
    }
    if (end - at > WORD_LENGTH) {
        stop = at + WORD_LENGTH;
        while (stop > at && (d1g_byte(t, stop) & 0xC0) == 0x80)
            stop--;
    }
    for (; at < stop; at++) {
        const int b = d1g_byte(t, at);

        d1g_write_byte(w, b < 0x20 || b == 0x7F ? '?' : b);
    }
    if (stop < end)
        d1g_write_text(w, "...");
}

static void put_sentence(struct d1g_writer *w, const struct d1guard_report *report, const struct d1g_text *t)
{
    const size_t at = report->at < t->n ? (size_t)report->at : t->n;
    const size_t end = report->len < t->n - at ? at + (size_t)report->len : t->n;
    const char *s;

    for (s = d1guard_reason_sentence(report->reason); *s != '\0'; s++) {
        if (*s != '%') {
            d1g_write_byte(w, (unsigned char)*s);
        } else if (*++s == 'w') {
            put_word(w, t, at, end);
        } else {
            d1g_write_text(w, "byte ");
            d1g_write_number(w, report->at);
        }
    }
}

size_t d1guard_message(const struct d1guard_report *report, const char *sql, size_t len, char *buf, size_t size)
{
    static const struct d1guard_report unset = {sizeof unset, 0, 0, 0, 0, 0, 0, 0};
    const struct d1g_text t = {(const unsigned char *)sql, sql != NULL ? len : 0};
    struct d1g_writer w = {NULL, 0};
    size_t needed;

    if (report == NULL || report->size < sizeof *report)
        report = &unset;
    put_sentence(&w, report, &t);
    needed = w.len;
    if (buf == NULL || size <= needed)
        return needed;
    w.out = buf;
    w.len = 0;
    put_sentence(&w, report, &t);
    buf[needed] = '\0';
    return needed;
}

/* Slugs, sentences, version and messages: everything made from the header's lists. */
#include "d1guard.h"
#include "writer.h"

#define WORD_LENGTH 40 /* bytes of a word that a message shows */

/*
 * Lists of texts are one string, a NUL behind each: they need no pointers, hence no relocation in a shared
 * library. The size of a list counts its bytes, but for the last NUL that the compiler adds.
 */
#define SIZE_OF(list) (sizeof(list) - 1)

/* Where text number n starts, or `size` if there are not so many. */
/*@ requires \valid_read(list + (0 .. size - 1));
    assigns \nothing;
    ensures \result <= size; */
static size_t find_text(const char *list, size_t size, size_t n)
{
    size_t i;

    /*@ loop invariant i <= size;
        loop assigns i, n;
        loop variant size - i; */
    for (i = 0; n > 0 && i < size; i++)
        n -= list[i] == '\0';
    return i;
}

/* Text number n. */
/*@ requires \valid_read(list + (0 .. size - 1));
    assigns \nothing; */
static const char *nth_text(const char *list, size_t size, size_t n)
{
    const size_t i = find_text(list, size, n);

    return i < size ? list + i : "unknown";
}

/* Lists numbered from 0 without a gap. */
#define SLUG(id, number, slug) slug "\0"
#define SLUG_FUNCTION(function, LIST)                     \
    const char *function(uint32_t number)                 \
    {                                                     \
        static const char slugs[] = LIST(SLUG);           \
                                                          \
        return nth_text(slugs, SIZE_OF(slugs), number);   \
    }

/*@ assigns \nothing; */
SLUG_FUNCTION(d1guard_risk_slug, D1GUARD_RISKS)
/*@ assigns \nothing; */
SLUG_FUNCTION(d1guard_kind_slug, D1GUARD_KINDS)
/*@ assigns \nothing; */
SLUG_FUNCTION(d1guard_explain_slug, D1GUARD_EXPLAINS)
/*@ assigns \nothing; */
SLUG_FUNCTION(d1guard_token_slug, D1GUARD_TOKENS)
/*@ assigns \nothing; */
SLUG_FUNCTION(d1guard_form_slug, D1GUARD_FORMS)

#define REASON_NUMBER(id, number, slug, sentence) number,
#define REASON_SLUG(id, number, slug, sentence) slug "\0"
#define REASON_SENTENCE(id, number, slug, sentence) sentence "\0"
static const unsigned char reason_numbers[] = {D1GUARD_REASONS(REASON_NUMBER)};
static const char reason_slugs[] = D1GUARD_REASONS(REASON_SLUG);
static const char reason_sentences[] = D1GUARD_REASONS(REASON_SENTENCE);

/* The place of a reason in the list; behind its end for a number that is not in it. */
/*@ assigns \nothing; */
static size_t reason_place(uint32_t reason)
{
    size_t i = 0;

    /*@ loop invariant i <= sizeof(reason_numbers);
        loop assigns i;
        loop variant sizeof(reason_numbers) - i; */
    while (i < sizeof reason_numbers && reason_numbers[i] != reason)
        i++;
    return i;
}

/*@ assigns \nothing; */
const char *d1guard_reason_slug(uint32_t reason)
{
    return nth_text(reason_slugs, SIZE_OF(reason_slugs), reason_place(reason));
}

/*@ assigns \nothing; */
const char *d1guard_reason_sentence(uint32_t reason)
{
    return nth_text(reason_sentences, SIZE_OF(reason_sentences), reason_place(reason));
}

/*@ assigns \nothing; */
const char *d1guard_version(void)
{
    return D1GUARD_VERSION_STRING;
}

/*@ requires sql != \null ==> \valid_read(sql + (0 .. len - 1));
    requires line != \null ==> \valid(line);
    requires column != \null ==> \valid(column);
    assigns *line, *column; */
void d1guard_position(const char *sql, size_t len, size_t at, uint64_t *line, uint64_t *column)
{
    const struct d1g_text t = {(const unsigned char *)sql, sql != NULL ? len : 0};
    uint64_t lines = 1;
    size_t start = 0;
    size_t i;

    if (at > t.n)
        at = t.n;
    /*@ loop invariant i <= at && start <= i;
        loop assigns i, lines, start;
        loop variant at - i; */
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
/*@ requires d1g_writable(w) && d1g_readable(t) && \separated(w, t) && end <= t->n;
    assigns w->len, w->out[0 .. w->room - 1]; */
static void put_word(struct d1g_writer *w, const struct d1g_text *t, size_t at, size_t end)
{
    size_t stop = end;

    if (at >= end) {
        D1G_WRITE(w, "the text");
        return;
    }
    if (end - at > WORD_LENGTH) {
        stop = at + WORD_LENGTH;
        /*@ loop invariant at <= stop <= end;
            loop assigns stop;
            loop variant stop; */
        while (stop > at && (d1g_byte(t, stop) & 0xC0) == 0x80)
            stop--;
    }
    /*@ loop assigns at, w->len, w->out[0 .. w->room - 1];
        loop variant stop - at; */
    for (; at < stop; at++) {
        const int b = d1g_byte(t, at);

        d1g_write_byte(w, b < 0x20 || b == 0x7F ? '?' : b);
    }
    if (stop < end)
        D1G_WRITE(w, "...");
}

/*@ requires d1g_writable(w) && \valid_read(report) && d1g_readable(t);
    requires \separated(w, report) && \separated(w, t);
    assigns w->len, w->out[0 .. w->room - 1]; */
static void put_sentence(struct d1g_writer *w, const struct d1guard_report *report, const struct d1g_text *t)
{
    const size_t at = report->at < t->n ? (size_t)report->at : t->n;
    const size_t end = report->len < t->n - at ? at + (size_t)report->len : t->n;
    const char *s = reason_sentences;
    size_t i = find_text(s, SIZE_OF(reason_sentences), reason_place(report->reason));

    if (i == SIZE_OF(reason_sentences))
        D1G_WRITE(w, "unknown");
    /*@ loop invariant i <= sizeof(reason_sentences);
        loop assigns i, w->len, w->out[0 .. w->room - 1];
        loop variant sizeof(reason_sentences) - i; */
    for (; i < SIZE_OF(reason_sentences) && s[i] != '\0'; i++) {
        if (s[i] != '%') {
            d1g_write_byte(w, s[i]);
        } else if (s[++i] == 'w') {
            put_word(w, t, at, end);
        } else {
            D1G_WRITE(w, "byte ");
            d1g_write_number(w, report->at);
        }
    }
}

/*@ requires report != \null ==> \valid_read(&report->size);
    requires report != \null && report->size >= sizeof(struct d1guard_report) ==> \valid_read(report);
    requires sql != \null ==> \valid_read(sql + (0 .. len - 1));
    requires buf != \null ==> \valid(buf + (0 .. size - 1));
    assigns buf[0 .. size - 1]; */
size_t d1guard_message(const struct d1guard_report *report, const char *sql, size_t len, char *buf, size_t size)
{
    static const struct d1guard_report unset = {sizeof unset, 0, 0, 0, 0, 0, 0, 0};
    const struct d1g_text t = {(const unsigned char *)sql, sql != NULL ? len : 0};
    struct d1g_writer w = {NULL, 0, 0};
    size_t needed;

    if (report == NULL || report->size < sizeof *report)
        report = &unset;
    put_sentence(&w, report, &t);
    needed = w.len;
    if (buf == NULL || size <= needed)
        return needed;
    w.out = buf;
    w.room = needed;
    w.len = 0;
    put_sentence(&w, report, &t);
    buf[needed] = '\0';
    return needed;
}

/* Bytes to tokens: SQLite's lexical rules, and nothing of statements. */
#ifndef D1G_TOKEN_H
#define D1G_TOKEN_H

#include "bytes.h"
#include "d1guard.h"

/*@ predicate d1g_is_quoted(struct d1g_text *t, integer at) = d1g_classes[t->z[at]] == CLASS_QUOTE;
    predicate d1g_is_token(struct d1g_text *t, integer at, integer end, integer kind) =
        at < end <= t->n &&
        (kind == D1GUARD_TOKEN_NAME || kind == D1GUARD_TOKEN_STRING ==> end - at >= 2) &&
        (kind == D1GUARD_TOKEN_WORD ==> !d1g_is_quoted(t, at)); */

/*
 * One token, blanks and comments included. i < t->n. Returns where it ends, behind i; *kind is an enum
 * d1guard_token_kind. A NUL ends any token before it and is an ILLEGAL token of its own, since SQLite
 * would take it for the end of the text.
 */
/*@ requires d1g_readable(t) && i < t->n && \valid(kind);
    assigns *kind;
    ensures d1g_is_token(t, i, \result, *kind); */
size_t d1g_scan(const struct d1g_text *t, size_t i, uint32_t *kind);

/* The kind of a token that starts with the byte, where that is one which a view of window.h knows. */
extern const unsigned char d1g_simple_kinds[256];

#define D1G_TOKEN_END UINT32_MAX /* the kind of the token behind the last one */

/* Walks over the tokens that the grammar sees: no blanks, no comments. */
struct d1g_reader {
    const struct d1g_text *text;
    size_t at;     /* the current token */
    uint32_t kind; /* D1G_TOKEN_END behind the last one */
    size_t end;    /* just behind it; t->n when kind is D1G_TOKEN_END */
};

/*@ predicate d1g_is_reader(struct d1g_reader *r) =
        \valid_read(r) && d1g_readable(r->text) && \separated(r, r->text) && r->at <= r->end <= r->text->n &&
        (r->at < r->text->n ? d1g_is_token(r->text, r->at, r->end, r->kind) : r->kind == D1G_TOKEN_END); */

/* Reads the next token from r->end on. */
/*@ requires \valid(r) && d1g_readable(r->text) && \separated(r, r->text) && r->end <= r->text->n;
    assigns r->at, r->kind, r->end;
    ensures \old(r->end) <= r->at && d1g_is_reader(r); */
void d1g_advance(struct d1g_reader *r);

#endif

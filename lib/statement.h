/* Tokens to statements: boundaries, heads, WITH lists, trigger bodies, PRAGMA forms. */
#ifndef D1G_STATEMENT_H
#define D1G_STATEMENT_H

#include "plain.h"

struct d1g_statement {
    uint32_t kind;
    uint32_t explain;
    uint32_t flags;
    uint32_t reason;       /* UNSET, or why reading stopped at `cause` */
    struct d1g_span cause; /* else the first variable that holds or meets a parenthesis; empty without one */
    struct d1g_span span;  /* first to last token */
    size_t next;           /* behind the `;`, or the text's length */
    size_t verb;           /* where the word starts that decides the kind */
    struct d1g_span name;  /* PRAGMA: its name, without a schema */
    int listed;            /* 0 when no name in the statement is on a list of policy.def */
};

/*@ predicate d1g_is_in(struct d1g_text *t, struct d1g_span span) = span.at <= span.end <= t->n;
    predicate d1g_is_statement(struct d1g_text *t, struct d1g_statement *s) =
        \valid_read(s) && \separated(s, t) && d1g_is_in(t, s->span) && s->next <= t->n &&
        s->kind <= D1GUARD_KIND_LAST &&
        (s->span.at < s->span.end ==> s->verb < t->n) &&
        (s->kind == D1GUARD_KIND_PRAGMA && (s->name.end > 0 || s->reason == D1GUARD_REASON_UNSET) ==>
            d1g_is_nameable(t, s->name.at, s->name.end)); */

/* Reads the statement at or behind `at`; its flags WHERE and RETURNING are only sure where they are wanted.
 * 1, 0 when there is none, -1 with s->reason set. */
/*@ requires d1g_readable(t) && at <= t->n && \valid(s) && \separated(s, t);
    assigns *s;
    ensures -1 <= \result <= 1;
    ensures d1g_is_statement(t, s);
    ensures \result != 0 ==> at <= s->span.at < s->span.end <= s->next; */
int d1g_read_statement(const struct d1g_text *t, size_t at, int wants_clauses, struct d1g_statement *s);

/* Reads the head of a CREATE VIEW text; its query starts behind s->span then. Returns as above. */
/*@ requires d1g_readable(t) && \valid(s) && \separated(s, t);
    assigns *s;
    ensures d1g_is_statement(t, s); */
int d1g_read_view(const struct d1g_text *t, struct d1g_statement *s);

/* What the statement can do. */
/*@ requires d1g_readable(t) && d1g_is_statement(t, s);
    assigns \nothing;
    ensures \result <= D1GUARD_RISK_LAST; */
uint32_t d1g_risk(const struct d1g_text *t, const struct d1g_statement *s);

#endif

/* Stepping over what cannot matter to a statement's body, a window at a time. */
#ifndef D1G_PLAIN_H
#define D1G_PLAIN_H

#include "policy.h"
#include "window.h"

#ifdef D1G_SMALL /* a build for size, and a test: every token is read by itself */
#define D1G_STEPS_OVER 0
#else
#define D1G_STEPS_OVER 1
#endif

struct d1g_span {
    size_t at;
    size_t end;
};

/* Where a walk over a body stands. */
struct d1g_walk {
    struct d1g_window window;
    size_t at;         /* the window shows the bytes from here */
    size_t until;      /* to here */
    size_t end;        /* all tokens before it are taken in */
    size_t last;       /* the end of the last of them, blanks aside */
    size_t depth;      /* open parentheses */
    size_t floor;      /* a `)` that would take depth below it is left to the caller */
    int listed;        /* a name that was stepped over is on a list of policy.def */
    int wants_clauses; /* else the next one stays 0 */
    uint32_t clauses;  /* D1GUARD_WHERE, D1GUARD_RETURNING: stepped over, outside all parentheses */
};

/*@ predicate is_seen(struct d1g_walk *w, struct d1g_text *t) = w->at <= w->until <= t->n &&
        w->until - w->at <= D1G_WINDOW && d1g_shows(&w->window, w->until - w->at); */

/* Makes a walk ready for a new statement, or another text. */
/*@ requires \valid(w);
    assigns w->at, w->until, w->depth, w->floor, w->listed, w->wants_clauses, w->clauses; */
void d1g_start_walk(struct d1g_walk *w, int wants_clauses);

/*
 * Goes on from `from`, where a token starts, to the next token that must be read by itself: w->end is where
 * that starts, or blanks before it, or t->n. What is stepped over is whole tokens (blanks, words, strings,
 * plain numbers, signs, parentheses), and what matters in them is in *w. Between two starts, t is the
 * same and `from` never goes back.
 */
/*@ requires \valid(w) && d1g_readable(t) && \separated(w, t) && from <= t->n;
    assigns w->window, w->at, w->until, w->end, w->last, w->depth, w->listed, w->clauses;
    ensures from <= w->last <= w->end <= t->n; */
void d1g_walk_plain(struct d1g_walk *w, const struct d1g_text *t, size_t from);

#endif

#include "statement.h"

struct parser {
    struct d1g_reader r;
    struct d1g_statement *s;
    struct d1g_walk walk; /* holds how many parentheses are open, and where the last token ends */
    uint32_t unfit;       /* the reason where a token does not fit the head */
};

/*
 * A parser that stands on a token of a statement, or behind the last one; and what changes while it reads on, or
 * notes what it sees.
 */
/*@ predicate is_parser(struct parser *p) = \valid(p) && \valid(p->s) && d1g_is_reader(&p->r) &&
        \separated(p, p->s) && \separated(p, p->r.text) && \separated(p->s, p->r.text) &&
        p->walk.last <= p->r.end && p->s->span.at < p->s->span.end <= p->r.end && p->s->kind <= D1GUARD_KIND_LAST &&
        p->s->verb < p->r.text->n &&
        (p->s->name.end > 0 ==> d1g_is_nameable(p->r.text, p->s->name.at, p->s->name.end));
    predicate moves_on{Then,Now}(struct parser *p) =
        \at(p->r.text->n, Then) == \at(p->r.text->n, Now) && \at(p->r.end, Then) <= \at(p->r.end, Now);
    predicate stays{Then,Now}(struct parser *p) =
        moves_on{Then,Now}(p) && \at(p->r.at, Then) == \at(p->r.at, Now) &&
        \at(p->r.end, Then) == \at(p->r.end, Now); */
#define PLACE p->walk.last, p->r.at, p->r.kind, p->r.end
#define FAULT p->s->reason, p->s->cause
#define SEEN p->s->flags, p->s->listed, p->s->cause, p->walk
#define HEAD p->s->kind, p->s->explain, p->s->verb, p->s->name, p->unfit

/*@ requires \valid(p) && \valid(p->s) && \separated(p, p->s);
    assigns FAULT;
    ensures \result == -1; */
static int fail(struct parser *p, uint32_t reason, size_t at, size_t end)
{
    p->s->reason = reason;
    p->s->cause.at = at;
    p->s->cause.end = end;
    return -1;
}

/* Why SQLite has no such token; a NUL behind it is the cause where there is one. */
/*@ requires is_parser(p) && p->r.at < p->r.text->n;
    assigns FAULT;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p) && \result == -1; */
static int fail_illegal(struct parser *p)
{
    const struct d1g_text *t = p->r.text;
    const int first = d1g_byte(t, p->r.at);
    uint32_t reason = D1GUARD_REASON_ILLEGAL_TOKEN;

    if (first == 0)
        return fail(p, D1GUARD_REASON_NUL_BYTE, p->r.at, p->r.end);
    if (d1g_byte(t, p->r.end) == 0)
        return fail(p, D1GUARD_REASON_NUL_BYTE, p->r.end, p->r.end + 1);
    if (d1g_class(t, p->r.at) == CLASS_QUOTE)
        reason = D1GUARD_REASON_OPEN_QUOTE;
    else if (d1g_lower(first) == 'x')
        reason = D1GUARD_REASON_BAD_BLOB;
    else if (d1g_is_digit(first) || first == '.')
        reason = D1GUARD_REASON_BAD_NUMBER;
    return fail(p, reason, p->r.at, p->r.end);
}

/* Fails at the current token, where the grammar has no place for it. */
/*@ requires is_parser(p) && (p->r.kind == D1GUARD_TOKEN_ILLEGAL ==> p->r.at < p->r.text->n);
    assigns FAULT;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p) && \result == -1; */
static int fail_here(struct parser *p, uint32_t reason)
{
    const size_t verb = p->s->verb;
    uint32_t kind;

    if (p->r.kind == D1GUARD_TOKEN_ILLEGAL)
        return fail_illegal(p);
    if (p->r.kind == D1G_TOKEN_END || p->r.kind == D1GUARD_TOKEN_SEMI)
        return fail(p, D1GUARD_REASON_INCOMPLETE, verb, d1g_scan(p->r.text, verb, &kind));
    return fail(p, reason, p->r.at, p->r.end);
}

/*@ requires is_parser(p);
    assigns PLACE;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p) && \old(p->r.end) <= p->r.at; */
static void advance(struct parser *p)
{
    p->walk.last = p->r.end;
    d1g_advance(&p->r);
}

/*@ requires \valid_read(p);
    assigns \nothing;
    ensures p->r.kind == D1G_TOKEN_END ==> \result; */
static int is_at_end(const struct parser *p)
{
    return p->r.kind == D1G_TOKEN_END || p->r.kind == D1GUARD_TOKEN_SEMI;
}

/*@ requires \valid_read(p);
    assigns \nothing;
    ensures \result.at == p->r.at && \result.end == p->r.end; */
static struct d1g_span here(const struct parser *p)
{
    struct d1g_span span;

    span.at = p->r.at;
    span.end = p->r.end;
    return span;
}

/*@ assigns \nothing; */
static int is_digit(int byte, int hex)
{
    return hex ? d1g_is_hex(byte) : d1g_is_digit(byte);
}

/* Every `_` of a number needs a digit on both sides. */
/*@ requires d1g_readable(t) && at < end <= t->n;
    assigns \nothing; */
static int has_stray_separator(const struct d1g_text *t, size_t at, size_t end)
{
    const int hex = d1g_lower(d1g_peek(t, at, 1)) == 'x';
    size_t i;

    /*@ loop invariant at < i;
        loop assigns i;
        loop variant end - i; */
    for (i = at + 1; i < end; i++) {
        if (d1g_byte(t, i) != '_')
            continue;
        if (!is_digit(d1g_byte(t, i - 1), hex) || !is_digit(d1g_byte(t, i + 1), hex))
            return 1;
    }
    return 0;
}

/*@ assigns \nothing; */
static int is_writer(uint32_t kind)
{
    return kind >= D1GUARD_KIND_INSERT && kind <= D1GUARD_KIND_DELETE;
}

/* CREATE TRIGGER and CREATE VIRTUAL TABLE do not end at the first `;`. */
/*@ requires \valid_read(p) && \valid_read(p->s);
    assigns \nothing; */
static int holds_semicolons(const struct parser *p)
{
    return p->s->kind == D1GUARD_KIND_CREATE_TRIGGER || p->s->kind == D1GUARD_KIND_CREATE_VIRTUAL_TABLE;
}

/* Two keywords matter outside all parentheses. Returns whether the current word is one of them. */
/*@ requires is_parser(p);
    assigns p->s->flags;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p); */
static int note_clause(struct parser *p)
{
    switch (d1g_keyword_at(&p->r)) {
    case KW_WHERE:
        p->s->flags |= D1GUARD_WHERE;
        break;
    case KW_RETURNING:
        if (is_writer(p->s->kind))
            p->s->flags |= D1GUARD_RETURNING;
        break;
    default:
        return 0;
    }
    return 1;
}

/*@ requires is_parser(p) && D1GUARD_TOKEN_WORD <= p->r.kind <= D1GUARD_TOKEN_STRING;
    assigns p->s->flags, p->s->listed;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p); */
static void note_name(struct parser *p)
{
    if (p->r.kind == D1GUARD_TOKEN_WORD) {
        if (!d1g_may_matter(p->r.text, p->r.at, p->r.end, D1G_CLAUSES))
            return;
        if (p->walk.depth == 0 && !holds_semicolons(p) && note_clause(p))
            return;
    }
    if (!p->s->listed)
        p->s->listed = d1g_is_listed(p->r.text, p->r.at, p->r.end);
}

/*@ requires is_parser(p) && p->r.at < p->r.text->n;
    assigns p->walk.depth, FAULT;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p); */
static int close_parenthesis(struct parser *p)
{
    if (p->walk.depth == 0)
        return fail_here(p, D1GUARD_REASON_PARENTHESIS);
    p->walk.depth--;
    return 0;
}

/* Takes in the current token, which is none of `;` and the end. 0, or -1 for one that SQLite refuses. */
/*@ requires is_parser(p) && p->r.at < p->r.text->n;
    assigns SEEN, FAULT;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p); */
static int take_token(struct parser *p)
{
    int result = 0;

    switch (p->r.kind) {
    case D1GUARD_TOKEN_WORD:
    case D1GUARD_TOKEN_NAME:
    case D1GUARD_TOKEN_STRING:
        note_name(p);
        break;
    case D1GUARD_TOKEN_LP:
        p->walk.depth++;
        break;
    case D1GUARD_TOKEN_RP:
        result = close_parenthesis(p);
        break;
    case D1GUARD_TOKEN_QNUMBER:
        if (has_stray_separator(p->r.text, p->r.at, p->r.end))
            result = fail_here(p, D1GUARD_REASON_BAD_NUMBER);
        break;
    case D1GUARD_TOKEN_SLASH:
        /* The last two bytes of the text: two signs, but a comment as soon as anything is appended. */
        if (d1g_byte(p->r.text, p->r.end) == '*')
            result = fail(p, D1GUARD_REASON_ILLEGAL_TOKEN, p->r.at, p->r.end + 1);
        break;
    case D1GUARD_TOKEN_ILLEGAL:
        result = fail_illegal(p);
        break;
    default:
        break;
    }
    return result;
}

/* Goes on behind a variable. It is noted if it holds or meets a parenthesis: engines without TCL variables, or other
 * splitters, would read it differently. */
/*@ requires is_parser(p) && p->r.kind == D1GUARD_TOKEN_VARIABLE;
    assigns PLACE, p->s->cause;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p) && \old(p->r.end) <= p->r.at; */
D1G_APART static void advance_variable(struct parser *p)
{
    const struct d1g_span variable = here(p);

    advance(p);
    if (p->s->cause.end == 0 &&
        (p->r.kind == D1GUARD_TOKEN_LP || d1g_byte(p->r.text, variable.end - 1) == ')'))
        p->s->cause = variable;
}

/* Goes on to the next token that matters to a plain body. */
/*@ requires is_parser(p);
    assigns PLACE, p->walk, p->s->cause;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p) && \old(p->r.end) <= p->r.at; */
static inline void advance_plain(struct parser *p)
{
    if (p->r.kind == D1GUARD_TOKEN_VARIABLE) {
        advance_variable(p);
        return;
    }
    d1g_walk_plain(&p->walk, p->r.text, p->r.end);
    p->r.end = p->walk.end;
    d1g_advance(&p->r);
}

/* Fails at the outermost of the parentheses that are open before the current token. */
/*@ requires is_parser(p);
    assigns FAULT;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p) && \result == -1; */
static int fail_open(struct parser *p)
{
    struct d1g_reader r;
    struct d1g_span open = {0, 0};
    size_t depth = 0;

    r.text = p->r.text;
    r.end = p->s->span.at;
    /*@ loop invariant d1g_is_reader(&r) && r.text == p->r.text && open.at <= open.end;
        loop assigns r.at, r.kind, r.end, open, depth;
        loop variant p->r.at - r.at; */
    for (d1g_advance(&r); r.at < p->r.at; d1g_advance(&r)) {
        if (r.kind == D1GUARD_TOKEN_LP && depth++ == 0) {
            open.at = r.at;
            open.end = r.end;
        } else if (r.kind == D1GUARD_TOKEN_RP) {
            depth--;
        }
    }
    return fail(p, D1GUARD_REASON_PARENTHESIS, open.at, open.end);
}

/*
 * Reads tokens, from the keyword that is current: to the end of the statement, or with depth 1 to behind the `)`
 * that closes the parenthesis just stepped over. 1, or -1.
 */
/*@ requires is_parser(p);
    assigns PLACE, SEEN, FAULT;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p) && \old(p->r.end) <= p->r.at;
    ensures \result == 1 || \result == -1; */
static inline int read_plain(struct parser *p, size_t depth)
{
    p->walk.depth = depth;
    p->walk.floor = depth;
    /*@ loop invariant is_parser(p) && moves_on{Pre,Here}(p);
        loop assigns PLACE, SEEN, FAULT;
        loop variant p->r.text->n - p->r.end; */
    do {
        advance_plain(p);
        if (is_at_end(p))
            return p->walk.depth > 0 ? fail_open(p) : 1;
        if (take_token(p) < 0)
            return -1;
    } while (p->walk.depth >= depth);
    advance(p);
    return 1;
}

/* What precedes a `;` or the end of a trigger. */
enum trigger_tail {
    TAIL_OTHER, /* anything else */
    TAIL_SEMI,  /* ; */
    TAIL_END    /* ; END */
};

/*@ requires is_parser(p);
    assigns \nothing; */
static enum trigger_tail next_tail(const struct parser *p, enum trigger_tail tail)
{
    if (p->r.kind == D1GUARD_TOKEN_SEMI)
        return TAIL_SEMI;
    if (tail == TAIL_SEMI && d1g_keyword_at(&p->r) == KW_END)
        return TAIL_END;
    return TAIL_OTHER;
}

/*
 * Reads to the end of a trigger, which is `; END` behind BEGIN, or of a virtual table, where a `;` inside the
 * parentheses behind USING is an argument. 1, or -1.
 */
/*@ requires is_parser(p);
    assigns PLACE, SEEN, FAULT;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p);
    ensures \result == 1 || \result == -1; */
D1G_APART static int read_definition(struct parser *p)
{
    const int is_trigger = p->s->kind == D1GUARD_KIND_CREATE_TRIGGER;
    enum trigger_tail tail = TAIL_OTHER;
    int begun = 0; /* BEGIN or USING was seen */

    /*@ loop invariant is_parser(p) && moves_on{Pre,Here}(p);
        loop assigns PLACE, SEEN, FAULT, tail, begun;
        loop variant p->r.text->n - p->r.at; */
    for (;; p->r.kind == D1GUARD_TOKEN_VARIABLE ? advance_variable(p) : advance(p)) {
        if (is_at_end(p)) {
            const int may_go_on = begun && p->r.kind == D1GUARD_TOKEN_SEMI;

            if (p->walk.depth > 0 && (is_trigger || !may_go_on))
                return fail_open(p);
            if (p->walk.depth == 0 && (!is_trigger || tail == TAIL_END))
                return 1;
            if (!may_go_on)
                return fail_here(p, D1GUARD_REASON_TRIGGER_SYNTAX);
        } else if (tail == TAIL_END) {
            return fail_here(p, D1GUARD_REASON_TRIGGER_SYNTAX);
        } else {
            if (take_token(p) < 0)
                return -1;
            begun |= d1g_keyword_at(&p->r) == (is_trigger ? KW_BEGIN : KW_USING);
        }
        if (is_trigger)
            tail = next_tail(p, tail);
    }
}

/* The columns of heads.def. Its tokens are keywords, kinds of token, or groups of them: */
enum group {
    ANY_NAME = 192, /* behind all of SIGN() */
    ANY_NUMBER,
    PLUS_OR_MINUS,
    PRAGMA_WORD, /* what a PRAGMA's value can be, but for a signed number */
    START_OF_QUERY,
    END_OF_STATEMENT,
    BEHIND_WITH /* any token, where a WITH list was read */
};

/* What a token tells: a kind of statement, or */
enum note {
    NOTHING = 128,
    EXPLAIN,
    QUERY_PLAN,
    LIST,          /* WITH */
    PARENTHESISED, /* what starts here is to be read to its `)` */
    PRAGMA_NAME,
    SETS, /* a value follows */
    DEFINITION, /* CREATE, DROP, ALTER */
    UNPAIRED
};

#define WORD(keyword) KW_##keyword
#define SIGN(kind) ((int)KW_COUNT + (int)D1GUARD_TOKEN_##kind)
#define KIND(kind) D1GUARD_KIND_##kind

enum step {
#define X(step, token, tells, then, otherwise) STEP_##step,
#include "heads.def"
#undef X
    STEP_BODY,
    STEP_DONE,
    STEP_MISFIT
};

static const struct {
    unsigned char token;
    unsigned char tells;
    unsigned char then;
    unsigned char otherwise;
} steps[] = {
#define X(step, token, tells, then, otherwise) {token, tells, STEP_##then, STEP_##otherwise},
#include "heads.def"
#undef X
};

#undef WORD
#undef SIGN
#undef KIND

/*@ requires \valid_read(p) && keyword < KW_COUNT;
    assigns \nothing;
    ensures \result ==> D1GUARD_TOKEN_WORD <= p->r.kind <= D1GUARD_TOKEN_STRING; */
static int is_name(const struct parser *p, enum d1g_keyword keyword)
{
    return p->r.kind == D1GUARD_TOKEN_NAME || p->r.kind == D1GUARD_TOKEN_STRING ||
           (p->r.kind == D1GUARD_TOKEN_WORD && d1g_may_be_name(keyword));
}

/* A number with a separator is an error where a head has one. */
/*@ requires \valid_read(p);
    assigns \nothing;
    ensures \result ==> D1GUARD_TOKEN_INTEGER <= p->r.kind <= D1GUARD_TOKEN_FLOAT; */
static int is_number(const struct parser *p)
{
    return p->r.kind == D1GUARD_TOKEN_INTEGER || p->r.kind == D1GUARD_TOKEN_FLOAT;
}

/* Whether the current token is the one of a row; keyword is the token's. */
/*@ requires is_parser(p) && keyword < KW_COUNT && (keyword != KW_NONE ==> p->r.kind == D1GUARD_TOKEN_WORD);
    assigns \nothing;
    ensures \result && token == ANY_NAME ==> D1GUARD_TOKEN_WORD <= p->r.kind <= D1GUARD_TOKEN_STRING;
    ensures \result && 0 < token < END_OF_STATEMENT ==> p->r.kind != D1G_TOKEN_END; */
static int fits(const struct parser *p, unsigned token, enum d1g_keyword keyword)
{
    int fit;

    switch (token) {
    case ANY_NAME:
        fit = is_name(p, keyword);
        break;
    case ANY_NUMBER:
        fit = is_number(p);
        break;
    case PLUS_OR_MINUS:
        fit = p->r.kind == D1GUARD_TOKEN_PLUS || p->r.kind == D1GUARD_TOKEN_MINUS;
        break;
    case PRAGMA_WORD:
        fit = is_number(p) || is_name(p, keyword) || keyword == KW_ON || keyword == KW_DELETE ||
              keyword == KW_DEFAULT;
        break;
    case START_OF_QUERY:
        fit = keyword == KW_SELECT || keyword == KW_VALUES || keyword == KW_WITH;
        break;
    case END_OF_STATEMENT:
        fit = is_at_end(p);
        break;
    case BEHIND_WITH:
        fit = (p->s->flags & D1GUARD_WITH) != 0;
        break;
    default:
        fit = token < KW_COUNT ? keyword == token : p->r.kind == token - KW_COUNT;
        break;
    }
    return fit;
}

/*@ requires is_parser(p) && p->r.at < p->r.text->n && kind <= D1GUARD_KIND_LAST;
    assigns p->s->kind, p->s->verb, p->unfit;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p); */
static void note_kind(struct parser *p, uint32_t kind)
{
    p->s->kind = kind;
    if (kind < D1GUARD_KIND_CREATE_TABLE || kind > D1GUARD_KIND_ALTER_TABLE) /* theirs is CREATE, DROP or ALTER */
        p->s->verb = p->r.at;
    if (kind == D1GUARD_KIND_PRAGMA)
        p->unfit = D1GUARD_REASON_PRAGMA_SYNTAX;
}

/*@ requires is_parser(p) && (tells < NOTHING ==> tells <= D1GUARD_KIND_LAST);
    requires tells <= UNPAIRED && (tells != NOTHING ==> p->r.at < p->r.text->n);
    requires tells == PRAGMA_NAME ==> D1GUARD_TOKEN_WORD <= p->r.kind <= D1GUARD_TOKEN_STRING;
    assigns HEAD, p->s->flags;
    ensures is_parser(p);
    ensures stays{Pre,Post}(p); */
static void note(struct parser *p, unsigned tells)
{
    struct d1g_statement *s = p->s;

    switch (tells) {
    case NOTHING:
    case PARENTHESISED:
        break;
    case EXPLAIN:
        s->explain = D1GUARD_EXPLAIN_PROGRAM;
        p->unfit = D1GUARD_REASON_EXPLAIN_SYNTAX;
        break;
    case QUERY_PLAN:
        s->explain = D1GUARD_EXPLAIN_QUERY_PLAN;
        break;
    case LIST:
        s->flags |= D1GUARD_WITH;
        s->verb = p->r.at;
        p->unfit = D1GUARD_REASON_WITH_SYNTAX;
        break;
    case PRAGMA_NAME:
        s->name = here(p);
        break;
    case SETS:
        s->flags |= D1GUARD_PRAGMA_VALUE;
        break;
    case DEFINITION:
        s->verb = p->r.at;
        p->unfit = D1GUARD_REASON_UNKNOWN_STATEMENT;
        break;
    case UNPAIRED:
        p->unfit = D1GUARD_REASON_PARENTHESIS;
        break;
    default:
        note_kind(p, tells);
        break;
    }
}

/* Enough for the rows that can still be tried against one token. The only way back is that from the end of a WITH
 * list to STEP_COMMAND; the rows of commands only lead to each other. */
/*@ logic integer rows_left(integer row) =
        row >= STEP_BODY ? 0 : (row <= STEP_NO_COMMAND ? STEP_BODY : 2 * STEP_BODY) - row; */

/* Walks heads.def from the current token and `step` on: to STEP_BODY, STEP_DONE or STEP_MISFIT, or -1. */
/*@ requires is_parser(p);
    assigns PLACE, SEEN, FAULT, HEAD;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p); */
static int read_head(struct parser *p, enum step step)
{
    enum d1g_keyword keyword = d1g_keyword_at(&p->r);
    unsigned next = step;

    /*@ loop invariant is_parser(p);
        loop invariant moves_on{Pre,Here}(p);
        loop invariant keyword < KW_COUNT && (keyword != KW_NONE ==> p->r.kind == D1GUARD_TOKEN_WORD);
        loop assigns PLACE, SEEN, FAULT, HEAD, keyword, next;
        loop variant (p->r.text->n - p->r.at) * 1024 + rows_left(next); */
    while (next < STEP_BODY) {
        const unsigned row = next;

        /*@ admit rows_left(steps[row].otherwise) < rows_left(row) && steps[row].tells <= UNPAIRED &&
                  (steps[row].tells < NOTHING ==> steps[row].tells <= D1GUARD_KIND_LAST) &&
                  (steps[row].tells != NOTHING ==> 0 < steps[row].token < END_OF_STATEMENT) &&
                  (steps[row].tells == PRAGMA_NAME ==> steps[row].token == ANY_NAME) &&
                  (steps[row].then < STEP_BODY ==> 0 < steps[row].token < END_OF_STATEMENT); */
        if (!fits(p, steps[row].token, keyword)) {
            next = steps[row].otherwise;
            continue;
        }
        note(p, steps[row].tells);
        next = steps[row].then;
        if (next >= STEP_BODY)
            break;
        if (steps[row].tells != PARENTHESISED)
            advance(p);
        else if (read_plain(p, 1) < 0)
            return -1;
        keyword = d1g_keyword_at(&p->r);
    }
    return (int)next;
}

/* Reads the statement, or the head of a view, that starts at the current token; from STEP_BODY on, it is the last one
 * of its head. 1, or -1. */
/*@ requires is_parser(p);
    assigns PLACE, SEEN, FAULT, HEAD;
    ensures is_parser(p);
    ensures moves_on{Pre,Post}(p);
    ensures \result == 1 || \result == -1; */
static inline int read_from(struct parser *p, enum step step)
{
    const int end = step < STEP_BODY ? read_head(p, step) : (int)step;

    if (end == STEP_MISFIT)
        return fail_here(p, p->unfit);
    if (end == STEP_BODY)
        return holds_semicolons(p) ? read_definition(p) : read_plain(p, 0);
    return end == STEP_DONE ? 1 : -1;
}

#define SELECT_LENGTH 6

/* Whether the token at `at` is SELECT: most statements start with it, so it is known by a glance. */
/*@ requires d1g_readable(t) && at <= t->n;
    assigns \nothing;
    ensures \result ==> at + SELECT_LENGTH <= t->n; */
static int is_select(const struct d1g_text *t, size_t at)
{
    const uint32_t lower = UINT32_C(0x20202020);
    const unsigned char *z;

    if (t->n - at <= SELECT_LENGTH)
        return 0;
    z = t->z + at; /* not before: an empty text may be none at all */
    return (d1g_load4(z) | lower) == UINT32_C(0x656C6573) && (d1g_load4(z + 2) | lower) == UINT32_C(0x7463656C) &&
           !d1g_is_id(z[SELECT_LENGTH]);
}

/* Reads the first token of the statement at or behind `at`. Returns its kind if that is SELECT, else NONE. */
/*@ requires \valid(p) && d1g_readable(p->r.text) && \separated(p, p->r.text) && at <= p->r.text->n;
    assigns p->r.at, p->r.kind, p->r.end;
    ensures d1g_is_reader(&p->r) && at <= p->r.at;
    ensures \result == D1GUARD_KIND_NONE || (\result == D1GUARD_KIND_SELECT && p->r.kind == D1GUARD_TOKEN_WORD); */
static uint32_t read_first(struct parser *p, size_t at)
{
    p->r.end = at;
    if (D1G_STEPS_OVER && is_select(p->r.text, at)) {
        /*@ admit !d1g_is_quoted(p->r.text, at); */
        p->r.at = at;
        p->r.kind = D1GUARD_TOKEN_WORD;
        p->r.end = at + SELECT_LENGTH;
        return D1GUARD_KIND_SELECT;
    }
    /*@ loop invariant at <= p->r.end <= p->r.text->n;
        loop assigns p->r.at, p->r.kind, p->r.end;
        loop variant p->r.text->n - p->r.end; */
    do {
        d1g_advance(&p->r);
    } while (p->r.kind == D1GUARD_TOKEN_SEMI);
    return D1GUARD_KIND_NONE;
}

/* Makes s a statement of which no more is read than the first token, where p stands. */
/*@ requires \valid(s) && \valid_read(p) && \valid_read(p->r.text) && \separated(s, p) && \separated(s, p->r.text);
    assigns *s;
    ensures s->kind == kind && s->span.at == p->r.at && s->span.end == p->r.end && s->next == p->r.text->n;
    ensures s->verb == p->r.at && s->name.end == 0; */
static void clear(struct d1g_statement *s, const struct parser *p, uint32_t kind)
{
    const struct d1g_span none = {0, 0};

    s->kind = kind;
    s->explain = D1GUARD_EXPLAIN_NONE;
    s->flags = 0;
    s->listed = 0;
    s->reason = D1GUARD_REASON_UNSET;
    s->cause = none;
    s->span = here(p);
    s->verb = p->r.at;
    s->name = none;
    s->next = p->r.text->n;
}

/* Makes the parser ready for the statement at or behind `at` and reads its first token. 0 when there is
 * none. */
/*@ requires \valid(p) && \valid(s) && d1g_readable(t) && at <= t->n;
    requires \separated(p, s) && \separated(p, t) && \separated(s, t);
    assigns *p, *s;
    ensures \result != 0 ==> is_parser(p);
    ensures \result == 0 ==> d1g_is_statement(t, s);
    ensures p->s == s && p->r.text == t && at <= s->span.at <= s->span.end <= t->n;
    ensures s->next == t->n && s->name.end == 0 && p->r.end == s->span.end;
    ensures s->kind == D1GUARD_KIND_NONE || s->kind == D1GUARD_KIND_SELECT;
    ensures \result ==> s->span.at < s->span.end; */
static int start(struct parser *p, const struct d1g_text *t, size_t at, int wants_clauses,
                 struct d1g_statement *s)
{
    uint32_t kind;

    p->s = s;
    d1g_start_walk(&p->walk, wants_clauses);
    p->unfit = D1GUARD_REASON_UNKNOWN_STATEMENT;
    p->r.text = t;
    kind = read_first(p, at);
    p->walk.last = p->r.at;
    clear(s, p, kind);
    return p->r.kind != D1G_TOKEN_END;
}

/* Adds what was found in the tokens that were stepped over, and where the statement ends. */
/*@ requires is_parser(p) && p->s->span.at < p->s->span.end;
    requires p->s->kind == D1GUARD_KIND_PRAGMA && p->s->reason == D1GUARD_REASON_UNSET ==> p->s->name.end > 0;
    assigns p->s->listed, p->s->flags, p->s->span.end, p->s->next;
    ensures p->s->span.at < p->s->span.end <= p->s->next;
    ensures d1g_is_statement(p->r.text, p->s); */
static void finish(struct parser *p)
{
    struct d1g_statement *s = p->s;

    if (D1G_STEPS_OVER) {
        s->listed |= p->walk.listed;
        s->flags |= p->walk.clauses & (is_writer(s->kind) ? ~0u : ~D1GUARD_RETURNING);
    }
    if (p->walk.last > s->span.at) /* else the first token stays its end */
        s->span.end = p->walk.last;
    s->next = p->r.end;
}

/* Reads the statement at or behind `at`, or what else starts with this step. */
/*@ requires d1g_readable(t) && at <= t->n && (step == STEP_START || step == STEP_VIEW);
    requires \valid(s) && \separated(s, t);
    assigns *s;
    ensures -1 <= \result <= 1;
    ensures d1g_is_statement(t, s);
    ensures \result != 0 ==> at <= s->span.at < s->span.end <= s->next; */
static int read_one(const struct d1g_text *t, size_t at, int wants_clauses, enum step step, struct d1g_statement *s)
{
    struct parser p;
    int result;

    if (!start(&p, t, at, wants_clauses, s))
        return 0;
    if (step == STEP_VIEW)
        p.unfit = D1GUARD_REASON_NOT_A_VIEW;
    else if (s->kind == D1GUARD_KIND_SELECT)
        step = STEP_BODY;
    result = read_from(&p, step);
    /*@ admit s->kind == D1GUARD_KIND_PRAGMA && s->reason == D1GUARD_REASON_UNSET ==> s->name.end > 0; */
    finish(&p);
    return result;
}

int d1g_read_statement(const struct d1g_text *t, size_t at, int wants_clauses, struct d1g_statement *s)
{
    return read_one(t, at, wants_clauses, STEP_START, s);
}

int d1g_read_view(const struct d1g_text *t, struct d1g_statement *s)
{
    return read_one(t, 0, 0, STEP_VIEW, s);
}

uint32_t d1g_risk(const struct d1g_text *t, const struct d1g_statement *s)
{
    static const unsigned char risks[D1GUARD_KIND_LAST + 1] = {
        [D1GUARD_KIND_SELECT] = D1GUARD_RISK_READ,
        [D1GUARD_KIND_VALUES] = D1GUARD_RISK_READ,
        [D1GUARD_KIND_INSERT] = D1GUARD_RISK_WRITE,
        [D1GUARD_KIND_REPLACE] = D1GUARD_RISK_WRITE,
        [D1GUARD_KIND_UPDATE] = D1GUARD_RISK_WRITE,
        [D1GUARD_KIND_DELETE] = D1GUARD_RISK_WRITE,
        [D1GUARD_KIND_CREATE_TABLE] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_CREATE_INDEX] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_CREATE_VIEW] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_CREATE_TRIGGER] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_CREATE_VIRTUAL_TABLE] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_DROP_TABLE] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_DROP_INDEX] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_DROP_VIEW] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_DROP_TRIGGER] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_ALTER_TABLE] = D1GUARD_RISK_SCHEMA,
        [D1GUARD_KIND_BEGIN] = D1GUARD_RISK_TRANSACTION,
        [D1GUARD_KIND_COMMIT] = D1GUARD_RISK_TRANSACTION,
        [D1GUARD_KIND_ROLLBACK] = D1GUARD_RISK_TRANSACTION,
        [D1GUARD_KIND_SAVEPOINT] = D1GUARD_RISK_TRANSACTION,
        [D1GUARD_KIND_RELEASE] = D1GUARD_RISK_TRANSACTION,
        [D1GUARD_KIND_ATTACH] = D1GUARD_RISK_CONNECTION,
        [D1GUARD_KIND_DETACH] = D1GUARD_RISK_CONNECTION,
        [D1GUARD_KIND_VACUUM] = D1GUARD_RISK_MAINTENANCE,
        [D1GUARD_KIND_ANALYZE] = D1GUARD_RISK_MAINTENANCE,
        [D1GUARD_KIND_REINDEX] = D1GUARD_RISK_MAINTENANCE};
    static const unsigned char pragma_risks[] = {
        [D1G_PRAGMA_UNKNOWN] = D1GUARD_RISK_UNKNOWN,
        [D1G_PRAGMA_REPORTS_D1] = D1GUARD_RISK_READ,
        [D1G_PRAGMA_REPORTS] = D1GUARD_RISK_READ,
        [D1G_PRAGMA_SETS_STATE] = D1GUARD_RISK_CONNECTION,
        [D1G_PRAGMA_SETS_FILE] = D1GUARD_RISK_WRITE,
        [D1G_PRAGMA_ONLY_SETS] = D1GUARD_RISK_CONNECTION,
        [D1G_PRAGMA_ACTS] = D1GUARD_RISK_MAINTENANCE};
    enum d1g_pragma pragma;

    /*@ admit risks[s->kind] <= D1GUARD_RISK_LAST; */
    if (s->kind != D1GUARD_KIND_PRAGMA)
        return risks[s->kind];
    if (s->name.end == 0) /* it broke off before its name */
        return D1GUARD_RISK_UNKNOWN;
    pragma = d1g_find_pragma(t, s->name.at, s->name.end);
    if (d1g_pragma_reports(pragma, D1GUARD_ENGINE_SQLITE, (s->flags & D1GUARD_PRAGMA_VALUE) != 0))
        return D1GUARD_RISK_READ;
    /*@ admit pragma_risks[pragma] <= D1GUARD_RISK_LAST; */
    return pragma_risks[pragma];
}

/*@ requires sql != \null ==> \valid_read(sql + (0 .. len - 1));
    requires statement != \null ==> \valid(&statement->size);
    assigns statement->kind, statement->risk, statement->explain, statement->flags, statement->reason,
            statement->at, statement->len, statement->next, statement->error_at, statement->error_len; */
int d1guard_next_statement(const char *sql, size_t len, size_t at, struct d1guard_statement *statement)
{
    struct d1guard_statement found = {sizeof found, 0, 0, 0, 0, D1GUARD_REASON_BAD_ARGUMENT, 0, 0, 0, 0, 0};
    struct d1g_statement s;
    struct d1g_text t;
    int result = -1;

    if (statement == NULL || statement->size < sizeof statement->size)
        return -1;
    if (sql != NULL || len == 0) {
        t.z = (const unsigned char *)sql;
        t.n = len;
        result = d1g_read_statement(&t, at > len ? len : at, 1, &s);
        found.kind = s.kind;
        found.risk = d1g_risk(&t, &s);
        found.explain = s.explain;
        found.flags = s.flags;
        found.reason = s.reason;
        found.at = s.span.at;
        found.len = s.span.end - s.span.at;
        found.next = s.next;
        if (result < 0) {
            found.error_at = s.cause.at;
            found.error_len = s.cause.end - s.cause.at;
        }
    }
    /*@ admit \valid((unsigned char *)statement + (4 .. statement->size - 1)) &&
              \valid_read((unsigned char *)&found + (4 .. statement->size - 1)); */
    d1g_copy_out(statement, &found, statement->size, sizeof found);
    return result;
}

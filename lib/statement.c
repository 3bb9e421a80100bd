#include "statement.h"

/* How a statement's body ends. */
enum body {
    BODY_PLAIN,   /* at the first `;` */
    BODY_VIRTUAL, /* CREATE VIRTUAL TABLE: `;` inside the module's parentheses is an argument */
    BODY_TRIGGER  /* CREATE TRIGGER: behind `; END` */
};

struct parser {
    struct d1g_reader r;
    struct d1g_statement *s;
    enum body body;
    struct d1g_walk walk;     /* holds how many parentheses are open */
    size_t last;              /* end of the last token */
    struct d1g_span variable; /* the last variable */
    int begun;                /* CREATE TRIGGER: BEGIN was seen; CREATE VIRTUAL TABLE: USING */
};

static int fail(struct parser *p, uint32_t reason, size_t at, size_t end)
{
    p->s->reason = reason;
    p->s->error.at = at;
    p->s->error.end = end;
    return -1;
}

/* Why SQLite has no such token; a NUL behind it is the cause where there is one. */
static int fail_illegal(struct parser *p)
{
    const struct d1g_text *t = p->r.text;
    const int first = d1g_byte(t, p->r.at);
    uint32_t reason = D1GUARD_REASON_ILLEGAL_TOKEN;

    if (first == 0)
        return fail(p, D1GUARD_REASON_NUL_BYTE, p->r.at, p->r.end);
    if (d1g_byte(t, p->r.end) == 0)
        return fail(p, D1GUARD_REASON_NUL_BYTE, p->r.end, p->r.end + 1);
    if (d1g_class(first) == CLASS_QUOTE || first == '[')
        reason = D1GUARD_REASON_OPEN_QUOTE;
    else if (d1g_lower(first) == 'x')
        reason = D1GUARD_REASON_BAD_BLOB;
    else if (d1g_is_digit(first) || first == '.')
        reason = D1GUARD_REASON_BAD_NUMBER;
    return fail(p, reason, p->r.at, p->r.end);
}

/* Fails at the current token, where the grammar has no place for it. */
static int fail_here(struct parser *p, uint32_t reason)
{
    if (p->r.kind == D1GUARD_TOKEN_ILLEGAL)
        return fail_illegal(p);
    if (p->r.kind == D1G_TOKEN_END || p->r.kind == D1GUARD_TOKEN_SEMI)
        return fail(p, D1GUARD_REASON_INCOMPLETE, p->s->verb.at, p->s->verb.end);
    return fail(p, reason, p->r.at, p->r.end);
}

static void advance(struct parser *p)
{
    p->last = p->r.end;
    d1g_advance(&p->r);
}

static enum d1g_keyword keyword_here(const struct parser *p)
{
    return p->r.kind == D1GUARD_TOKEN_WORD ? d1g_find_keyword(p->r.text, p->r.at, p->r.end) : KW_NONE;
}

/* Steps over the keyword if it is the current token. */
static int accept(struct parser *p, enum d1g_keyword keyword)
{
    if (keyword_here(p) != keyword)
        return 0;
    advance(p);
    return 1;
}

static int accept_token(struct parser *p, uint32_t kind)
{
    if (p->r.kind != kind)
        return 0;
    advance(p);
    return 1;
}

/* Steps over a name: a word that is not reserved, in any quoting, or a string. */
static int accept_name(struct parser *p)
{
    switch (p->r.kind) {
    case D1GUARD_TOKEN_WORD:
        if (!d1g_may_be_name(keyword_here(p)))
            return 0;
        break;
    case D1GUARD_TOKEN_NAME:
    case D1GUARD_TOKEN_STRING:
        break;
    default:
        return 0;
    }
    advance(p);
    return 1;
}

static struct d1g_span here(const struct parser *p)
{
    struct d1g_span span;

    span.at = p->r.at;
    span.end = p->r.end;
    return span;
}

/* Every `_` of a number needs a digit on both sides. */
static int has_stray_separator(const struct d1g_text *t, size_t at, size_t end)
{
    const int hex = d1g_byte(t, at) == '0' && d1g_lower(d1g_peek(t, at, 1)) == 'x';
    int before = 0;
    size_t i;

    for (i = at + (hex ? 2 : 0); i < end; i++) {
        const int b = d1g_byte(t, i);
        const int next = i + 1 < end ? d1g_byte(t, i + 1) : D1G_END;

        if (b == '_' && (!before || !(hex ? d1g_is_hex(next) : d1g_is_digit(next))))
            return 1;
        before = hex ? d1g_is_hex(b) : d1g_is_digit(b);
    }
    return 0;
}

/* Notes a variable that engines without TCL variables, or other splitters, would read differently. */
static void note_variable(struct parser *p)
{
    if (p->s->variable.end == 0)
        p->s->variable = p->variable;
}

static int is_writer(uint32_t kind)
{
    return kind == D1GUARD_KIND_INSERT || kind == D1GUARD_KIND_REPLACE || kind == D1GUARD_KIND_UPDATE ||
           kind == D1GUARD_KIND_DELETE;
}

/* Two keywords matter outside all parentheses. Returns whether the current word is one of them. */
static int note_clause(struct parser *p)
{
    switch (keyword_here(p)) {
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

static void note_name(struct parser *p)
{
    if (p->r.kind == D1GUARD_TOKEN_WORD) {
        if (!d1g_may_matter(&d1g_watch_clauses, p->r.text, p->r.at, p->r.end))
            return;
        if (p->walk.depth == 0 && p->body == BODY_PLAIN && note_clause(p))
            return;
    }
    if (!p->s->listed)
        p->s->listed = d1g_is_listed(p->r.text, p->r.at, p->r.end);
}

static void open_parenthesis(struct parser *p)
{
    if (p->variable.end == p->last)
        note_variable(p);
    p->walk.depth++;
}

static int close_parenthesis(struct parser *p)
{
    if (p->walk.depth == 0)
        return fail_here(p, D1GUARD_REASON_PARENTHESIS);
    p->walk.depth--;
    return 0;
}

/* Takes in the current token, which is none of `;` and the end. 0, or -1 for one that SQLite refuses. */
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
        open_parenthesis(p);
        break;
    case D1GUARD_TOKEN_RP:
        result = close_parenthesis(p);
        break;
    case D1GUARD_TOKEN_VARIABLE:
        p->variable = here(p);
        if (d1g_byte(p->r.text, p->r.end - 1) == ')')
            note_variable(p);
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

/* Goes on to the next token that matters to a plain body. What follows a variable is looked at: it may be a
 * parenthesis. */
static void advance_plain(struct parser *p)
{
    if (p->r.kind == D1GUARD_TOKEN_VARIABLE) {
        advance(p);
        return;
    }
    d1g_walk_plain(&p->walk, p->r.text, p->r.end);
    p->last = p->walk.last;
    p->r.end = p->walk.end;
    d1g_advance(&p->r);
}

/* Fails at the outermost of the parentheses that are open before the current token. */
static int fail_open(struct parser *p)
{
    struct d1g_reader r = p->r;
    struct d1g_span open = {0, 0};
    size_t depth = 0;

    r.end = p->s->first.at;
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

/* Reads up to the `)` that closes the parenthesis just stepped over; then steps over it too. */
static int skip_parenthesised(struct parser *p)
{
    p->walk.depth = 1;
    p->walk.floor = 1;
    while (p->walk.depth > 0) {
        if (p->r.kind == D1G_TOKEN_END || p->r.kind == D1GUARD_TOKEN_SEMI)
            return fail_open(p);
        if (take_token(p) < 0)
            return -1;
        if (p->walk.depth > 0)
            advance_plain(p);
        else
            advance(p);
    }
    p->walk.floor = 0;
    return 0;
}

/* What precedes a `;` or the end of a trigger: a grid of "so far" by "token". */
enum trigger_tail {
    TAIL_OTHER, /* anything else */
    TAIL_SEMI,  /* ; */
    TAIL_END    /* ; END */
};

static enum trigger_tail next_tail(const struct parser *p, enum trigger_tail tail)
{
    if (p->r.kind == D1GUARD_TOKEN_SEMI)
        return TAIL_SEMI;
    if (tail == TAIL_SEMI && keyword_here(p) == KW_END)
        return TAIL_END;
    return TAIL_OTHER;
}

/* Whether the `;` or the end of the text that is current ends the statement: 1, 0 or -1. */
static int is_body_end(struct parser *p, enum trigger_tail tail)
{
    if (p->walk.depth > 0) {
        if (p->body == BODY_VIRTUAL && p->begun && p->r.kind == D1GUARD_TOKEN_SEMI)
            return 0;
        return fail_open(p);
    }
    if (p->body != BODY_TRIGGER || tail == TAIL_END)
        return 1;
    if (p->begun && p->r.kind == D1GUARD_TOKEN_SEMI)
        return 0;
    return fail_here(p, D1GUARD_REASON_TRIGGER_SYNTAX);
}

/* What a trigger or a virtual table needs to know of a word. */
static void note_begin(struct parser *p)
{
    const enum d1g_keyword keyword = keyword_here(p);

    if (keyword == (p->body == BODY_TRIGGER ? KW_BEGIN : KW_USING))
        p->begun = 1;
}

/* Reads from the current token to the end of the statement. 1, or -1. */
static int read_body(struct parser *p)
{
    enum trigger_tail tail = TAIL_OTHER;
    int result;

    for (;;) {
        if (p->r.kind == D1G_TOKEN_END || p->r.kind == D1GUARD_TOKEN_SEMI) {
            result = is_body_end(p, tail);
            if (result != 0)
                return result;
        } else {
            if (tail == TAIL_END)
                return fail_here(p, D1GUARD_REASON_TRIGGER_SYNTAX);
            if (take_token(p) < 0)
                return -1;
            if (p->body != BODY_PLAIN)
                note_begin(p);
        }
        if (p->body == BODY_TRIGGER)
            tail = next_tail(p, tail);
        if (p->body == BODY_PLAIN)
            advance_plain(p);
        else
            advance(p);
    }
}

/* (name, ...) if a parenthesis opens here. 0, or -1 for `reason`. */
static int read_columns(struct parser *p, uint32_t reason)
{
    if (!accept_token(p, D1GUARD_TOKEN_LP))
        return 0;
    do {
        if (!accept_name(p))
            return fail_here(p, reason);
    } while (accept_token(p, D1GUARD_TOKEN_COMMA));
    if (!accept_token(p, D1GUARD_TOKEN_RP))
        return fail_here(p, reason);
    return 0;
}

/* SELECT, VALUES or WITH: what a query starts with. */
static int is_at_query(const struct parser *p)
{
    const enum d1g_keyword keyword = keyword_here(p);

    return keyword == KW_SELECT || keyword == KW_VALUES || keyword == KW_WITH;
}

/* `AS [[NOT] MATERIALIZED] (` */
static int read_as(struct parser *p)
{
    int not_materialized;

    if (!accept(p, KW_AS))
        return fail_here(p, D1GUARD_REASON_WITH_SYNTAX);
    not_materialized = accept(p, KW_NOT);
    if (!accept(p, KW_MATERIALIZED) && not_materialized)
        return fail_here(p, D1GUARD_REASON_WITH_SYNTAX);
    if (!accept_token(p, D1GUARD_TOKEN_LP))
        return fail_here(p, D1GUARD_REASON_WITH_SYNTAX);
    return 0;
}

/* name [(columns)] AS [[NOT] MATERIALIZED] (select) */
static int read_common_table(struct parser *p)
{
    if (!accept_name(p))
        return fail_here(p, D1GUARD_REASON_WITH_SYNTAX);
    if (read_columns(p, D1GUARD_REASON_WITH_SYNTAX) < 0 || read_as(p) < 0)
        return -1;
    if (!is_at_query(p))
        return fail_here(p, D1GUARD_REASON_WITH_SYNTAX);
    return skip_parenthesised(p);
}

static uint32_t query_kind(enum d1g_keyword keyword)
{
    uint32_t kind;

    switch (keyword) {
    case KW_SELECT:
        kind = D1GUARD_KIND_SELECT;
        break;
    case KW_VALUES:
        kind = D1GUARD_KIND_VALUES;
        break;
    case KW_INSERT:
        kind = D1GUARD_KIND_INSERT;
        break;
    case KW_REPLACE:
        kind = D1GUARD_KIND_REPLACE;
        break;
    case KW_UPDATE:
        kind = D1GUARD_KIND_UPDATE;
        break;
    case KW_DELETE:
        kind = D1GUARD_KIND_DELETE;
        break;
    default:
        kind = D1GUARD_KIND_NONE;
        break;
    }
    return kind;
}

/* [RECURSIVE] list verb; WITH is stepped over. RECURSIVE is the keyword here, never a name. */
static int read_with(struct parser *p)
{
    p->s->flags |= D1GUARD_WITH;
    (void)accept(p, KW_RECURSIVE);
    do {
        if (read_common_table(p) < 0)
            return -1;
    } while (accept_token(p, D1GUARD_TOKEN_COMMA));
    p->s->kind = query_kind(keyword_here(p));
    if (p->s->kind == D1GUARD_KIND_NONE)
        return fail_here(p, D1GUARD_REASON_WITH_SYNTAX);
    p->s->verb = here(p);
    return read_body(p);
}

/* The number of a value, its sign stepped over; a separator in it is an error here. */
static int accept_number(struct parser *p)
{
    return accept_token(p, D1GUARD_TOKEN_INTEGER) || accept_token(p, D1GUARD_TOKEN_FLOAT);
}

/* A number with or without a sign, a name, or one of three keywords. */
static int accept_pragma_value(struct parser *p)
{
    const enum d1g_keyword keyword = keyword_here(p);

    p->s->value = here(p);
    p->s->flags |= D1GUARD_PRAGMA_VALUE;
    if (accept_token(p, D1GUARD_TOKEN_PLUS) || accept_token(p, D1GUARD_TOKEN_MINUS))
        return accept_number(p);
    if (keyword == KW_ON || keyword == KW_DELETE || keyword == KW_DEFAULT)
        return accept(p, keyword);
    return accept_number(p) || accept_name(p);
}

/* [schema.]name [= value | (value)]; PRAGMA is stepped over. */
static int read_pragma(struct parser *p)
{
    p->s->name = here(p);
    if (!accept_name(p))
        return fail_here(p, D1GUARD_REASON_PRAGMA_SYNTAX);
    if (accept_token(p, D1GUARD_TOKEN_DOT)) {
        p->s->name = here(p);
        if (!accept_name(p))
            return fail_here(p, D1GUARD_REASON_PRAGMA_SYNTAX);
    }
    if (accept_token(p, D1GUARD_TOKEN_EQ)) {
        if (!accept_pragma_value(p))
            return fail_here(p, D1GUARD_REASON_PRAGMA_SYNTAX);
    } else if (accept_token(p, D1GUARD_TOKEN_LP)) {
        if (!accept_pragma_value(p) || !accept_token(p, D1GUARD_TOKEN_RP))
            return fail_here(p, D1GUARD_REASON_PRAGMA_SYNTAX);
    }
    if (p->r.kind != D1G_TOKEN_END && p->r.kind != D1GUARD_TOKEN_SEMI)
        return fail_here(p, D1GUARD_REASON_PRAGMA_SYNTAX);
    return 1;
}

/* The object behind CREATE, DROP or ALTER; NONE if the words fit none. */
static uint32_t create_kind(struct parser *p)
{
    if (accept(p, KW_VIRTUAL))
        return accept(p, KW_TABLE) ? D1GUARD_KIND_CREATE_VIRTUAL_TABLE : D1GUARD_KIND_NONE;
    if (accept(p, KW_UNIQUE))
        return accept(p, KW_INDEX) ? D1GUARD_KIND_CREATE_INDEX : D1GUARD_KIND_NONE;
    if (accept(p, KW_INDEX))
        return D1GUARD_KIND_CREATE_INDEX;
    if (!accept(p, KW_TEMP))
        (void)accept(p, KW_TEMPORARY);
    if (accept(p, KW_TABLE))
        return D1GUARD_KIND_CREATE_TABLE;
    if (accept(p, KW_VIEW))
        return D1GUARD_KIND_CREATE_VIEW;
    return accept(p, KW_TRIGGER) ? D1GUARD_KIND_CREATE_TRIGGER : D1GUARD_KIND_NONE;
}

static uint32_t drop_kind(struct parser *p)
{
    if (accept(p, KW_TABLE))
        return D1GUARD_KIND_DROP_TABLE;
    if (accept(p, KW_INDEX))
        return D1GUARD_KIND_DROP_INDEX;
    if (accept(p, KW_VIEW))
        return D1GUARD_KIND_DROP_VIEW;
    return accept(p, KW_TRIGGER) ? D1GUARD_KIND_DROP_TRIGGER : D1GUARD_KIND_NONE;
}

/* CREATE, DROP or ALTER, the word stepped over. */
static int read_definition(struct parser *p, enum d1g_keyword verb)
{
    if (verb == KW_CREATE)
        p->s->kind = create_kind(p);
    else if (verb == KW_DROP)
        p->s->kind = drop_kind(p);
    else
        p->s->kind = accept(p, KW_TABLE) ? D1GUARD_KIND_ALTER_TABLE : D1GUARD_KIND_NONE;
    if (p->s->kind == D1GUARD_KIND_NONE)
        return fail_here(p, D1GUARD_REASON_UNKNOWN_STATEMENT);
    if (p->s->kind == D1GUARD_KIND_CREATE_TRIGGER)
        p->body = BODY_TRIGGER;
    else if (p->s->kind == D1GUARD_KIND_CREATE_VIRTUAL_TABLE)
        p->body = BODY_VIRTUAL;
    return read_body(p);
}

/* The kinds that one word decides and whose body is read as it comes. */
static uint32_t plain_kind(enum d1g_keyword keyword)
{
    uint32_t kind;

    switch (keyword) {
    case KW_BEGIN:
        kind = D1GUARD_KIND_BEGIN;
        break;
    case KW_COMMIT:
    case KW_END:
        kind = D1GUARD_KIND_COMMIT;
        break;
    case KW_ROLLBACK:
        kind = D1GUARD_KIND_ROLLBACK;
        break;
    case KW_SAVEPOINT:
        kind = D1GUARD_KIND_SAVEPOINT;
        break;
    case KW_RELEASE:
        kind = D1GUARD_KIND_RELEASE;
        break;
    case KW_ATTACH:
        kind = D1GUARD_KIND_ATTACH;
        break;
    case KW_DETACH:
        kind = D1GUARD_KIND_DETACH;
        break;
    case KW_VACUUM:
        kind = D1GUARD_KIND_VACUUM;
        break;
    case KW_ANALYZE:
        kind = D1GUARD_KIND_ANALYZE;
        break;
    case KW_REINDEX:
        kind = D1GUARD_KIND_REINDEX;
        break;
    default:
        kind = query_kind(keyword);
        break;
    }
    return kind;
}

/* Any statement but EXPLAIN; verb is the current keyword, `unknown` the reason when it starts none. */
static int read_command(struct parser *p, enum d1g_keyword verb, uint32_t unknown)
{
    int result;

    if (p->r.kind == D1GUARD_TOKEN_RP)
        return fail_here(p, D1GUARD_REASON_PARENTHESIS);
    p->s->kind = plain_kind(verb);
    if (p->s->kind != D1GUARD_KIND_NONE) {
        p->s->verb = here(p);
        return read_body(p);
    }
    switch (verb) {
    case KW_WITH:
        p->s->verb = here(p);
        advance(p);
        result = read_with(p);
        break;
    case KW_PRAGMA:
        p->s->verb = here(p);
        p->s->kind = D1GUARD_KIND_PRAGMA;
        advance(p);
        result = read_pragma(p);
        break;
    case KW_CREATE:
    case KW_DROP:
    case KW_ALTER:
        p->s->verb = here(p);
        advance(p);
        result = read_definition(p, verb);
        break;
    default:
        result = fail_here(p, unknown);
        break;
    }
    return result;
}

/* [QUERY PLAN] statement; EXPLAIN is stepped over. */
static int read_explained(struct parser *p)
{
    p->s->explain = D1GUARD_EXPLAIN_PROGRAM;
    if (accept(p, KW_QUERY)) {
        if (!accept(p, KW_PLAN))
            return fail_here(p, D1GUARD_REASON_EXPLAIN_SYNTAX);
        p->s->explain = D1GUARD_EXPLAIN_QUERY_PLAN;
    }
    return read_command(p, keyword_here(p), D1GUARD_REASON_EXPLAIN_SYNTAX);
}

static void clear_span(struct d1g_span *span)
{
    span->at = 0;
    span->end = 0;
}

/* Makes the parser ready for the statement at or behind `at` and reads its first token. 0 when there is
 * none. */
static int start(struct parser *p, const struct d1g_text *t, size_t at, int wants_clauses,
                 struct d1g_statement *s)
{
    p->r.text = t;
    p->r.end = at;
    do {
        d1g_advance(&p->r);
    } while (p->r.kind == D1GUARD_TOKEN_SEMI);
    p->s = s;
    p->body = BODY_PLAIN;
    d1g_start_walk(&p->walk, wants_clauses);
    p->last = p->r.at;
    clear_span(&p->variable);
    p->begun = 0;
    s->kind = D1GUARD_KIND_NONE;
    s->explain = D1GUARD_EXPLAIN_NONE;
    s->flags = 0;
    s->reason = D1GUARD_REASON_UNSET;
    clear_span(&s->error);
    s->span = here(p);
    s->first = here(p);
    s->verb = here(p);
    s->next = t->n;
    clear_span(&s->name);
    clear_span(&s->value);
    clear_span(&s->variable);
    s->listed = 0;
    return p->r.kind != D1G_TOKEN_END;
}

/* Adds what was found in the tokens that were stepped over. */
static void take_walk(const struct parser *p)
{
    p->s->listed |= p->walk.listed;
    p->s->flags |= p->walk.clauses & (is_writer(p->s->kind) ? ~0u : ~D1GUARD_RETURNING);
}

int d1g_read_statement(const struct d1g_text *t, size_t at, int wants_clauses, struct d1g_statement *s)
{
    enum d1g_keyword verb;
    struct parser p;
    int result;

    if (!start(&p, t, at, wants_clauses, s))
        return 0;
    verb = keyword_here(&p);
    if (verb == KW_EXPLAIN) {
        advance(&p);
        result = read_explained(&p);
    } else {
        result = read_command(&p, verb, D1GUARD_REASON_UNKNOWN_STATEMENT);
    }
    take_walk(&p);
    s->span.end = p.last > s->first.at ? p.last : s->first.end;
    s->next = p.r.end;
    return result;
}

/* CREATE [TEMP] VIEW [IF NOT EXISTS] [schema.]name [(columns)] AS */
static int is_view_head(struct parser *p)
{
    if (!accept(p, KW_CREATE))
        return 0;
    if (!accept(p, KW_TEMP))
        (void)accept(p, KW_TEMPORARY);
    if (!accept(p, KW_VIEW))
        return 0;
    if (keyword_here(p) == KW_IF) {
        struct parser ahead = *p;

        advance(&ahead);
        if (accept(&ahead, KW_NOT) && accept(&ahead, KW_EXISTS))
            *p = ahead;
    }
    if (!accept_name(p) || (accept_token(p, D1GUARD_TOKEN_DOT) && !accept_name(p)))
        return 0;
    return read_columns(p, D1GUARD_REASON_NOT_A_VIEW) == 0 && accept(p, KW_AS) && is_at_query(p);
}

int d1g_read_view(const struct d1g_text *t, struct d1g_statement *s)
{
    struct parser p;

    if (!start(&p, t, 0, 0, s))
        return 0;
    if (!is_view_head(&p))
        return s->reason != D1GUARD_REASON_UNSET ? -1 : fail_here(&p, D1GUARD_REASON_NOT_A_VIEW);
    s->next = p.r.at;
    return 1;
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
    enum d1g_pragma pragma;
    uint32_t risk = risks[s->kind];

    if (s->kind != D1GUARD_KIND_PRAGMA)
        return risk;
    pragma = d1g_find_pragma(t, s->name.at, s->name.end);
    if (d1g_pragma_reports(pragma, D1GUARD_ENGINE_SQLITE, (s->flags & D1GUARD_PRAGMA_VALUE) != 0))
        return D1GUARD_RISK_READ;
    switch (pragma) {
    case D1G_PRAGMA_SETS_STATE:
    case D1G_PRAGMA_ONLY_SETS:
        risk = D1GUARD_RISK_CONNECTION;
        break;
    case D1G_PRAGMA_SETS_FILE:
        risk = D1GUARD_RISK_WRITE;
        break;
    case D1G_PRAGMA_ACTS:
        risk = D1GUARD_RISK_MAINTENANCE;
        break;
    default:
        risk = D1GUARD_RISK_UNKNOWN;
        break;
    }
    return risk;
}

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
        found.error_at = s.error.at;
        found.error_len = s.error.end - s.error.at;
    }
    d1g_copy_out(statement, &found, statement->size, sizeof found);
    return result;
}

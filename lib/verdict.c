#include "verdict.h"

#define KNOWN_FLAGS (D1GUARD_STRICT_FUNCTIONS | D1GUARD_REQUIRE_WHERE)
#define KNOWN_RISKS \
    ((D1GUARD_RISK_BIT(D1GUARD_RISK_LAST + 1) - 1) & ~D1GUARD_RISK_BIT(D1GUARD_RISK_UNKNOWN))
#define SMALLEST_REPORT offsetof(struct d1guard_report, form) /* size, verdict and reason */
#define SMALLEST_OPTIONS offsetof(struct d1guard_options, max_statements)

const struct d1g_span d1g_nowhere = {0, 0};

int d1g_refuse(struct d1g_call *call, uint32_t reason, const struct d1g_span *cause)
{
    call->verdict = D1GUARD_REFUSE;
    call->reason = reason;
    call->cause = *cause;
    return 0;
}

int d1g_refuse_token(struct d1g_call *call, uint32_t reason, size_t at)
{
    struct d1g_span token;
    uint32_t kind;

    token.at = at;
    token.end = d1g_scan(&call->text, at, &kind);
    return d1g_refuse(call, reason, &token);
}

/*@ requires \valid(call);
    assigns call->verdict, call->reason; */
static int allow(struct d1g_call *call, uint32_t reason)
{
    call->verdict = D1GUARD_ALLOW;
    call->reason = reason;
    return 1;
}

/* The host's arguments. */

/*@ requires d1g_are_options(o);
    assigns \nothing; */
static int are_names(const struct d1guard_options *o, const struct d1guard_names *list)
{
    const struct d1guard_names *names = d1g_host_list(o, list);

    return names->len == 0 || (names->text != NULL && names->text[names->len - 1] == '\0');
}

/*@ requires d1g_are_options(o);
    assigns \nothing; */
static int are_options_known(const struct d1guard_options *o)
{
    return o->engine <= D1GUARD_ENGINE_SQLITE && (o->allow_risks & ~KNOWN_RISKS) == 0 &&
           (o->flags & ~KNOWN_FLAGS) == 0 && are_names(o, &o->deny_functions) && are_names(o, &o->deny_tables) &&
           are_names(o, &o->deny_pragmas) && are_names(o, &o->allow_functions) && are_names(o, &o->allow_tables) &&
           are_names(o, &o->allow_pragmas);
}

/* Whether the struct ends with a field: no header has one that ends inside of one. */
/*@ assigns \nothing;
    ensures \result ==> size >= 4 * sizeof(uint32_t); */
static int is_whole(uint32_t size)
{
    const size_t lists = offsetof(struct d1guard_options, deny_functions);

    return size == SMALLEST_OPTIONS || size >= sizeof(struct d1guard_options) ||
           (size >= lists && (size - lists) % sizeof(struct d1guard_names) == 0);
}

/* Bytes that a newer header knows and this library does not must be zero. */
/*@ requires \valid_read(&from->size);
    assigns \nothing; */
static int is_rest_zero(const struct d1guard_options *from)
{
    const unsigned char *bytes = (const unsigned char *)from;
    size_t i;

    /*@ admit \valid_read(bytes + (0 .. from->size - 1)); */
    /*@ loop invariant sizeof(struct d1guard_options) <= i;
        loop assigns i;
        loop variant from->size - i; */
    for (i = sizeof *from; i < from->size; i++) {
        if (bytes[i] != 0)
            return 0;
    }
    return 1;
}

/* Takes the host's options. 0 when they are bad; the defaults serve then. */
/*@ requires \valid(call) && d1g_are_host_options(o) && \separated(call, o);
    assigns call->options, call->allow_risks, call->max_statements;
    ensures d1g_is_ready(call); */
static int load_options(struct d1g_call *call, const struct d1guard_options *o)
{
    static const struct d1guard_options defaults = {0};

    /*@ admit d1g_are_options(&defaults) && \separated(call, &defaults); */
    call->options = &defaults;
    call->allow_risks = 0;
    call->max_statements = 0;
    if (o == NULL)
        return 1;
    if (!is_whole(o->size))
        return 0;
    /*@ admit d1g_are_options(o) && \separated(call, o); */
    if (!is_rest_zero(o) || !are_options_known(o))
        return 0;
    call->options = o;
    call->allow_risks = o->allow_risks;
    if (o->size >= offsetof(struct d1guard_options, deny_functions)) {
        /*@ admit \valid_read(&o->max_statements); */
        call->max_statements = o->max_statements;
    }
    return 1;
}

/*@ requires report != \null ==> \valid_read(&report->size);
    assigns \nothing;
    ensures \result ==> sql != \null || len == 0; */
static int are_given(const char *sql, size_t len, const struct d1guard_report *report)
{
    return (sql != NULL || len == 0) && (report == NULL || report->size >= SMALLEST_REPORT);
}

int d1g_open(struct d1g_call *call, const char *sql, size_t len, const struct d1guard_options *options,
             const struct d1guard_report *report)
{
    const int fit = load_options(call, options);

    call->text.z = (const unsigned char *)sql;
    call->text.n = len;
    call->form = D1GUARD_FORM_NONE;
    call->cause = d1g_nowhere;
    call->statements = 0;
    if (!fit || !are_given(sql, len, report))
        return d1g_refuse(call, D1GUARD_REASON_BAD_ARGUMENT, &d1g_nowhere);
    return 1;
}

/*@ requires \valid_read(call) && \valid(report) && \separated(call, report);
    assigns *report; */
static void fill_report(const struct d1g_call *call, struct d1guard_report *report)
{
    report->verdict = call->verdict;
    report->reason = call->reason;
    report->form = call->form;
    report->at = call->cause.at;
    report->len = call->cause.end - call->cause.at;
    report->statement = call->verdict == D1GUARD_REFUSE && call->statements > 0 ? call->statements - 1 : 0;
    report->statements = call->statements;
}

/* The same for the report of an older header. */
/*@ requires \valid_read(call) && \valid(&report->size) && \separated(call, report);
    assigns *report; */
D1G_APART static void fill_part(const struct d1g_call *call, struct d1guard_report *report)
{
    struct d1guard_report whole;

    fill_report(call, &whole);
    /*@ admit \valid((unsigned char *)report + (4 .. report->size - 1)) &&
              \valid_read((unsigned char *)&whole + (4 .. sizeof(struct d1guard_report) - 1)); */
    d1g_copy_out(report, &whole, report->size, sizeof whole);
}

int d1g_close(const struct d1g_call *call, struct d1guard_report *report)
{
    if (report != NULL && report->size >= sizeof *report)
        fill_report(call, report);
    else if (report != NULL && report->size >= SMALLEST_REPORT)
        fill_part(call, report);
    return (int)call->verdict;
}

/*
 * Names by where they stand. Only a statement that holds a listed name, or options that bring lists of
 * their own, need this second walk over its tokens.
 */

#define DEPTHS 256 /* deeper than queries go; beyond, every comma counts as a FROM list's */

struct seen { /* zeroed: nothing, like a token that no allowed statement holds */
    uint32_t kind;
    enum d1g_keyword keyword;
};

struct names {
    struct d1g_reader r;
    struct d1g_call *call;
    size_t depth;
    uint32_t in_from[DEPTHS / 32]; /* a bit a depth: inside a FROM list, where a comma brings a table */
    struct d1g_span last;          /* the token before */
    struct seen before;            /* what it is */
    struct seen before_that;       /* and the one before that */
    int table_next;                /* the next token stands where a table does */
    int is_table;                  /* so does the current one, and it may be a name */
    int was_table;                 /* and the one before */
    enum d1g_keyword table_verb;   /* the keyword that brought the last such place */
    int in_type;                   /* AS and names only since: an alias, a type of CAST, MATERIALIZED */
    int in_window;                 /* the last `(` came behind OVER, or AS as in WINDOW w AS ( */
    uint32_t kind;                 /* of the statement; NONE behind the head of a definition */
};

/*@ predicate is_last(struct d1g_text *t, struct names *n) = n->before.keyword < KW_COUNT &&
        (D1GUARD_TOKEN_WORD <= n->before.kind <= D1GUARD_TOKEN_STRING ==>
            d1g_is_nameable(t, n->last.at, n->last.end));
    predicate are_names_read(struct names *n) = \valid(n) && d1g_is_reader(&n->r) && d1g_is_call(n->call) &&
        \separated(n, n->call) && \separated(n, n->r.text) && \separated(n->call, n->r.text) &&
        \separated(n, n->call->options) && is_last(n->r.text, n) &&
        n->before_that.keyword < KW_COUNT && n->table_verb < KW_COUNT; */

/*@ requires \valid_read(n);
    assigns \nothing; */
static int is_in_from(const struct names *n)
{
    return n->depth >= DEPTHS || (n->in_from[n->depth / 32] >> (n->depth % 32) & 1) != 0;
}

/*@ requires \valid(n);
    assigns n->in_from[0 .. DEPTHS / 32 - 1]; */
static void set_in_from(struct names *n, int in)
{
    const uint32_t bit = UINT32_C(1) << (n->depth % 32);

    if (n->depth >= DEPTHS)
        return;
    if (in)
        n->in_from[n->depth / 32] |= bit;
    else
        n->in_from[n->depth / 32] &= ~bit;
}

/*@ requires first <= last;
    assigns \nothing;
    ensures \result <==> first <= kind <= last; */
static int is_kind_in(uint32_t kind, uint32_t first, uint32_t last)
{
    return kind >= first && kind <= last;
}

/*@ assigns \nothing;
    ensures \result <==> D1GUARD_TOKEN_WORD <= kind <= D1GUARD_TOKEN_STRING; */
static int is_name_kind(uint32_t kind)
{
    return is_kind_in(kind, D1GUARD_TOKEN_WORD, D1GUARD_TOKEN_STRING);
}

/*
 * Whether `paren` starts the columns of a common table expression: (name, ...) AS [[NOT] MATERIALIZED] (word
 * No call can look like that, CAST(f(a) AS materialized(1)) has a number there; and no list nests, so each byte
 * is looked at once.
 */
/*@ requires d1g_is_reader(paren);
    assigns \nothing; */
D1G_APART static int declares_columns(const struct d1g_reader *paren)
{
    struct d1g_reader r;
    enum d1g_keyword keyword;

    r.text = paren->text;
    r.end = paren->end;
    /*@ loop invariant r.text == paren->text && r.end <= r.text->n;
        loop assigns r.at, r.kind, r.end;
        loop variant r.text->n - r.end; */
    do {
        d1g_advance(&r);
        if (!is_name_kind(r.kind))
            return 0;
        d1g_advance(&r);
    } while (r.kind == D1GUARD_TOKEN_COMMA);
    if (r.kind != D1GUARD_TOKEN_RP)
        return 0;
    d1g_advance(&r);
    if (d1g_keyword_at(&r) != KW_AS)
        return 0;
    /*@ loop invariant d1g_is_reader(&r) && r.text == paren->text;
        loop assigns r.at, r.kind, r.end, keyword;
        loop variant r.text->n - r.end; */
    do {
        d1g_advance(&r);
        keyword = d1g_keyword_at(&r);
    } while (keyword == KW_NOT || keyword == KW_MATERIALIZED);
    if (r.kind != D1GUARD_TOKEN_LP)
        return 0;
    d1g_advance(&r);
    return r.kind == D1GUARD_TOKEN_WORD;
}

/* Whether an operand can end with this token, so that a name behind it is no call but a keyword. */
/*@ requires keyword < KW_COUNT;
    assigns \nothing; */
static int ends_operand(uint32_t kind, enum d1g_keyword keyword)
{
    if (kind == D1GUARD_TOKEN_WORD)
        return d1g_ends_operand(keyword);
    return kind == D1GUARD_TOKEN_RP || is_kind_in(kind, D1GUARD_TOKEN_NAME, D1GUARD_TOKEN_VARIABLE);
}

/* Whether the word before a `(` is there as a keyword, so that nothing is called. */
/*@ requires are_names_read(n);
    assigns \nothing; */
static int is_bare_keyword(const struct names *n)
{
    const enum d1g_keyword keyword = n->before.keyword;
    const struct seen *before = &n->before_that;

    switch (keyword) {
    case KW_CAST:
    case KW_RAISE:
        return 1;
    case KW_CONFLICT: /* JOIN t ON conflict(a) calls */
        return before->keyword == KW_ON && !is_in_from(n);
    case KW_OVER:
    case KW_FILTER:
        return before->kind == D1GUARD_TOKEN_RP;
    default:
        break;
    }
    if (!d1g_may_be_name(keyword))
        return 1;
    if (keyword == KW_BY && (before->keyword == KW_GROUP || before->keyword == KW_ORDER))
        return 1;
    return d1g_is_operator(keyword) && (ends_operand(before->kind, before->keyword) ||
                                        (before->kind == D1GUARD_TOKEN_LP && n->in_window));
}

/*
 * Whether a name before a parenthesis is a function, but for known exceptions. In a definition's head it is a
 * table, a type or a module; a function only further inside, or behind AS or ON, where step_definition takes the
 * kind off.
 */
/*@ requires \valid_read(n);
    assigns \nothing; */
static int holds_only_calls(const struct names *n)
{
    const size_t of_head = n->kind < D1GUARD_KIND_ALTER_TABLE ? 1 : 0; /* what a CREATE defines is in parentheses */

    return n->kind <= D1GUARD_KIND_DELETE || n->depth > of_head;
}

/* Whether the name before a `(` is one that no list of functions can be about: a keyword, a type behind AS, a table
 * with its columns. Elsewhere only a denied one counts. */
/*@ requires are_names_read(n);
    assigns \nothing; */
static int is_no_call(const struct names *n, uint32_t reason)
{
    if (!holds_only_calls(n))
        return reason == D1GUARD_REASON_UNLISTED_FUNCTION;
    return n->in_type || (n->was_table && (n->table_verb == KW_INTO || n->table_verb == KW_ON)) ||
           (n->before.kind == D1GUARD_TOKEN_WORD && is_bare_keyword(n));
}

/* r stands on `(`; the token before it is a name. */
/*@ requires are_names_read(n) && D1GUARD_TOKEN_WORD <= n->before.kind <= D1GUARD_TOKEN_STRING;
    assigns D1G_OUTCOME(n->call); */
static int judge_call(struct names *n)
{
    const uint32_t reason = d1g_refuses_name(n->r.text, n->last.at, n->last.end, D1G_AS_FUNCTION,
                                             n->call->options);

    if (reason == D1GUARD_REASON_UNSET || is_no_call(n, reason) || declares_columns(&n->r))
        return 1;
    return d1g_refuse(n->call, reason, &n->last);
}

/* Whether the name that n stands on is a schema: the next token is the dot behind it. */
/*@ requires are_names_read(n);
    assigns \nothing; */
D1G_APART static int is_schema(const struct names *n)
{
    struct d1g_reader r;

    r.text = n->r.text;
    r.end = n->r.end;
    d1g_advance(&r);
    return r.kind == D1GUARD_TOKEN_DOT && n->before.kind != D1GUARD_TOKEN_DOT;
}

/* Judges the current token as a name in this role. */
/*@ requires are_names_read(n) && D1GUARD_TOKEN_WORD <= n->r.kind <= D1GUARD_TOKEN_STRING;
    assigns D1G_OUTCOME(n->call); */
static int judge_name(struct names *n, enum d1g_role role)
{
    const uint32_t reason = d1g_refuses_name(n->r.text, n->r.at, n->r.end, role, n->call->options);
    const struct d1g_span name = {n->r.at, n->r.end};

    if (reason == D1GUARD_REASON_UNSET)
        return 1;
    return d1g_refuse(n->call, reason, &name);
}

/*@ requires are_names_read(n) && D1GUARD_TOKEN_WORD <= n->r.kind <= D1GUARD_TOKEN_STRING;
    assigns D1G_OUTCOME(n->call); */
static int judge_table(struct names *n)
{
    return is_schema(n) || judge_name(n, D1G_AS_TABLE);
}

/*@ requires \valid(n);
    assigns n->table_next, n->table_verb;
    ensures n->table_verb == verb; */
static void expect_table(struct names *n, enum d1g_keyword verb)
{
    n->table_next = 1;
    n->table_verb = verb;
}

/* Whether a keyword that could say something of tables does not here. */
/*@ requires \valid_read(n);
    assigns \nothing; */
static int says_nothing(const struct names *n, enum d1g_keyword keyword)
{
    switch (keyword) {
    case KW_FROM: /* IS [NOT] DISTINCT FROM compares */
        return n->before.keyword == KW_DISTINCT;
    case KW_RETURNING: /* up to SQLite 3.34 an alias, which only the FROM of a DELETE cannot have */
        return n->kind != D1GUARD_KIND_DELETE || n->depth > 0;
    case KW_WITH: /* a name elsewhere */
        return n->before.kind != D1GUARD_TOKEN_LP;
    default:
        return 0;
    }
}

/* Where the next token stands behind a keyword of its own right. */
/*@ requires \valid(n) && keyword < KW_COUNT && n->table_verb < KW_COUNT;
    assigns n->in_from[0 .. DEPTHS / 32 - 1], n->table_next, n->table_verb;
    ensures n->table_verb < KW_COUNT; */
static void step_keyword(struct names *n, enum d1g_keyword keyword)
{
    const enum d1g_tables tables = d1g_tables_behind(keyword);

    if (tables == D1G_TABLES_SAME || says_nothing(n, keyword))
        return;
    if (tables != D1G_TABLES_ONE)
        set_in_from(n, tables == D1G_TABLES_LIST);
    if (tables != D1G_TABLES_NONE)
        expect_table(n, keyword);
}

/* Behind AS, or ON and its table, a definition holds queries and expressions only. */
/*@ requires \valid(n) && n->table_verb < KW_COUNT;
    assigns n->kind, n->table_next, n->table_verb;
    ensures n->table_verb < KW_COUNT; */
static void step_definition(struct names *n, enum d1g_keyword keyword)
{
    if (n->depth > 0 || !is_kind_in(n->kind, D1GUARD_KIND_CREATE_TABLE, D1GUARD_KIND_CREATE_TRIGGER))
        return;
    if (keyword == KW_ON)
        expect_table(n, KW_ON);
    if (keyword == KW_ON || keyword == KW_AS)
        n->kind = D1GUARD_KIND_NONE;
}

/* Whether a word behind the token before may be an operator, though it may be a name too: SELECT key REGEXP 'a' */
/*@ requires are_names_read(n);
    assigns \nothing; */
static int may_be_operator(const struct names *n)
{
    const struct seen *before = &n->before;

    if (n->in_type)
        return 0; /* an alias or a type ends there, no operand */
    return ends_operand(before->kind, before->keyword) || before->keyword == KW_NOT ||
           (d1g_is_operator(before->keyword) && (n->before_that.keyword == KW_OVER || !is_bare_keyword(n)));
}

/* Whether the word, as an operator, calls the function of its name. */
/*@ assigns \nothing; */
static int is_calling(enum d1g_keyword keyword)
{
    return keyword == KW_GLOB || keyword == KW_LIKE || keyword == KW_MATCH || keyword == KW_REGEXP;
}

/*@ requires are_names_read(n) && D1GUARD_TOKEN_WORD <= n->r.kind <= D1GUARD_TOKEN_STRING;
    assigns D1G_OUTCOME(n->call); */
static int judge_operator(struct names *n)
{
    if (!holds_only_calls(n) || !may_be_operator(n))
        return 1; /* a name */
    return judge_name(n, D1G_AS_FUNCTION);
}

/*@ requires are_names_read(n) && keyword < KW_COUNT && n->r.kind == D1GUARD_TOKEN_WORD;
    assigns n->in_from[0 .. DEPTHS / 32 - 1], n->table_next, n->table_verb, n->is_table, n->kind, D1G_OUTCOME(n->call);
    ensures n->table_verb < KW_COUNT; */
static int step_word(struct names *n, enum d1g_keyword keyword, int table_here)
{
    n->is_table = table_here && d1g_may_be_name(keyword);
    if (n->is_table ? !judge_table(n) : is_calling(keyword) && !judge_operator(n))
        return 0;
    if (!n->is_table || keyword == KW_WITH) {
        step_definition(n, keyword);
        step_keyword(n, keyword);
    }
    if (n->before.keyword == KW_OR && n->before_that.keyword == KW_UPDATE)
        expect_table(n, KW_UPDATE); /* UPDATE OR IGNORE table */
    return 1;
}

/*@ requires are_names_read(n);
    assigns n->in_from[0 .. DEPTHS / 32 - 1], n->table_next, n->in_window, n->depth, D1G_OUTCOME(n->call); */
static int step_open(struct names *n, int table_here)
{
    if (is_name_kind(n->before.kind) && !judge_call(n))
        return 0;
    n->in_window = (n->before.keyword == KW_AS && n->kind <= D1GUARD_KIND_DELETE) || /* no generated column */
                   (n->before.keyword == KW_OVER && n->before_that.kind == D1GUARD_TOKEN_RP);
    n->table_next = table_here && d1g_tables_behind(n->table_verb) == D1G_TABLES_LIST;
    n->depth++;
    set_in_from(n, n->table_next);
    return 1;
}

/* Takes in the current token. 0 when it is refused. */
/*@ requires are_names_read(n) && keyword < KW_COUNT;
    assigns n->in_from[0 .. DEPTHS / 32 - 1], n->table_next, n->table_verb, n->is_table, n->in_window, n->depth,
            n->kind, D1G_OUTCOME(n->call);
    ensures n->table_verb < KW_COUNT; */
static int step(struct names *n, enum d1g_keyword keyword)
{
    const int table_here = n->table_next;
    int result = 1;

    n->table_next = 0;
    n->is_table = 0;
    switch (n->r.kind) {
    case D1GUARD_TOKEN_WORD:
        result = step_word(n, keyword, table_here);
        break;
    case D1GUARD_TOKEN_NAME:
    case D1GUARD_TOKEN_STRING:
        n->is_table = table_here;
        result = !table_here || judge_table(n);
        break;
    case D1GUARD_TOKEN_LP:
        result = step_open(n, table_here);
        break;
    case D1GUARD_TOKEN_RP:
        n->depth--;
        break;
    case D1GUARD_TOKEN_COMMA:
        if (is_in_from(n))
            expect_table(n, KW_FROM);
        break;
    case D1GUARD_TOKEN_DOT:
        n->table_next = n->was_table;
        break;
    default:
        break;
    }
    return result;
}

/* Makes the current token the one before. */
/*@ requires are_names_read(n) && keyword < KW_COUNT;
    assigns n->last, n->before, n->before_that, n->was_table, n->in_type;
    ensures is_last(n->r.text, n) && n->before_that.keyword < KW_COUNT; */
static void keep(struct names *n, enum d1g_keyword keyword)
{
    n->before_that = n->before;
    n->last.at = n->r.at;
    n->last.end = n->r.end;
    n->before.kind = n->r.kind;
    n->before.keyword = keyword;
    n->was_table = n->is_table;
    n->in_type = keyword == KW_AS || (n->in_type && is_name_kind(n->r.kind) &&
                                      (d1g_may_be_name(keyword) || keyword == KW_NOT)); /* AS NOT MATERIALIZED */
}

/* Judges every name of the statement. 1 when none is refused. */
/*@ requires d1g_is_call(call) && d1g_is_statement(&call->text, s);
    requires \separated(call, s);
    assigns D1G_OUTCOME(call); */
D1G_APART static int judge_names(struct d1g_call *call, const struct d1g_statement *s)
{
    static const struct names none = {0};
    const struct d1g_text statement = {call->text.z, s->span.end};
    struct names n;

    n = none;
    /*@ admit n.before.kind == 0 && n.before.keyword == 0 && n.before_that.keyword == 0 && n.table_verb == 0; */
    n.r.text = &statement;
    n.r.end = s->span.at;
    n.call = call;
    n.kind = s->kind;
    /*@ loop invariant are_names_read(&n) && n.r.text == &statement && n.call == call;
        loop assigns n, D1G_OUTCOME(call);
        loop variant statement.n - n.r.at; */
    for (d1g_advance(&n.r); n.r.kind != D1G_TOKEN_END; d1g_advance(&n.r)) {
        const enum d1g_keyword keyword = d1g_keyword_at(&n.r);

        if (!step(&n, keyword))
            return 0;
        keep(&n, keyword);
    }
    return 1;
}

/* One statement. */

/*@ requires \valid_read(call) && risk < 32;
    assigns \nothing; */
static int is_allowed_risk(const struct d1g_call *call, uint32_t risk)
{
    return risk == D1GUARD_RISK_READ || (call->allow_risks & D1GUARD_RISK_BIT(risk)) != 0;
}

/* Why a PRAGMA is refused, and for the token at which place; UNSET where it is not. */
/*@ requires d1g_is_call(call) && d1g_is_statement(&call->text, s) && s->span.at < s->span.end && risk < 32;
    requires \separated(call, s);
    requires s->kind == D1GUARD_KIND_PRAGMA && s->reason == D1GUARD_REASON_UNSET;
    requires \valid(at) && \separated(at, s) && \separated(at, call) && \separated(at, call->options);
    assigns *at;
    ensures *at < call->text.n; */
D1G_APART static uint32_t fault_of_pragma(const struct d1g_call *call, const struct d1g_statement *s, uint32_t risk,
                                          size_t *at)
{
    const struct d1guard_options *o = call->options;
    const struct d1g_text *t = &call->text;
    const enum d1g_pragma pragma = d1g_find_pragma(t, s->name.at, s->name.end);
    const int has_value = (s->flags & D1GUARD_PRAGMA_VALUE) != 0;
    struct d1g_reader r;

    *at = s->name.at;
    if (d1g_is_host_name(t, s->name.at, s->name.end, o, &o->deny_pragmas))
        return D1GUARD_REASON_PRAGMA_NOT_LISTED;
    if (d1g_is_host_name(t, s->name.at, s->name.end, o, &o->allow_pragmas) ||
        d1g_pragma_reports(pragma, o->engine, has_value) ||
        (risk != D1GUARD_RISK_READ && is_allowed_risk(call, risk))) /* READ: it would be on the other engine */
        return D1GUARD_REASON_UNSET;
    if (!has_value || !d1g_pragma_reports(pragma, o->engine, 0))
        return D1GUARD_REASON_PRAGMA_NOT_LISTED;
    r.text = t;
    r.end = s->name.end;
    d1g_advance(&r); /* the `=` or `(` */
    d1g_advance(&r);
    /*@ admit r.at < t->n; */ /* has_value: heads.def saw both */
    *at = r.at;
    return D1GUARD_REASON_PRAGMA_VALUE;
}

/* The reasons stand in the order of the risks. */
/*@ assigns \nothing; */
static uint32_t reason_for_risk(uint32_t risk)
{
    return D1GUARD_REASON_WRITE + (risk - D1GUARD_RISK_WRITE);
}

/* Why what a statement can do is refused, likewise. */
/*@ requires d1g_is_call(call) && d1g_is_statement(&call->text, s) && s->span.at < s->span.end && risk < 32;
    requires \separated(call, s);
    requires \valid(at) && \separated(at, s) && \separated(at, call) && \separated(at, call->options);
    assigns *at;
    ensures *at < call->text.n; */
static uint32_t fault_of_risk(const struct d1g_call *call, const struct d1g_statement *s, uint32_t risk, size_t *at)
{
    *at = s->verb;
    if (s->kind == D1GUARD_KIND_PRAGMA) {
        if (s->reason != D1GUARD_REASON_UNSET)
            return D1GUARD_REASON_UNSET;
        if (s->explain == D1GUARD_EXPLAIN_NONE)
            return fault_of_pragma(call, s, risk, at);
    } else if (is_allowed_risk(call, risk)) {
        return D1GUARD_REASON_UNSET;
    }
    return s->explain != D1GUARD_EXPLAIN_NONE ? D1GUARD_REASON_EXPLAIN_NOT_READ : reason_for_risk(risk);
}

/*@ requires d1g_is_call(call) && \valid_read(s);
    assigns \nothing; */
static int misses_where(const struct d1g_call *call, const struct d1g_statement *s)
{
    return (call->options->flags & D1GUARD_REQUIRE_WHERE) != 0 && (s->flags & D1GUARD_WHERE) == 0 &&
           (s->kind == D1GUARD_KIND_UPDATE || s->kind == D1GUARD_KIND_DELETE);
}

/*@ requires d1g_is_call(call) && d1g_is_statement(&call->text, s) && s->span.at < s->span.end && risk < 32;
    requires \separated(call, s);
    assigns D1G_OUTCOME(call); */
static int judge_statement(struct d1g_call *call, const struct d1g_statement *s, uint32_t risk)
{
    size_t at;
    const uint32_t fault = fault_of_risk(call, s, risk, &at);

    if (fault != D1GUARD_REASON_UNSET)
        return d1g_refuse_token(call, fault, at);
    if (s->reason != D1GUARD_REASON_UNSET)
        return d1g_refuse(call, s->reason, &s->cause);
    if (s->cause.end != 0)
        return d1g_refuse(call, D1GUARD_REASON_VARIABLE_PAREN, &s->cause);
    if (misses_where(call, s))
        return d1g_refuse_token(call, D1GUARD_REASON_MISSING_WHERE, s->verb);
    return (!s->listed && !d1g_has_host_lists(call->options)) || s->kind == D1GUARD_KIND_PRAGMA ||
           judge_names(call, s);
}

/* The whole text. */

int d1g_judge(struct d1g_call *call, size_t at)
{
    const int wants_where = (call->options->flags & D1GUARD_REQUIRE_WHERE) != 0;
    struct d1g_statement s;
    uint32_t reason = D1GUARD_REASON_READS_ONLY;
    int found;

    /*@ loop invariant at <= call->text.n && d1g_is_call(call);
        loop assigns at, s, found, reason, D1G_OUTCOME(call), call->statements;
        loop variant call->text.n - at; */
    while (at < call->text.n && (found = d1g_read_statement(&call->text, at, wants_where, &s)) != 0) {
        const uint32_t risk = d1g_risk(&call->text, &s);

        call->statements++;
        if (call->max_statements > 0 && call->statements > call->max_statements)
            return d1g_refuse_token(call, D1GUARD_REASON_TOO_MANY, s.span.at);
        if (found < 0 && s.kind == D1GUARD_KIND_NONE)
            return d1g_refuse(call, s.reason, &s.cause);
        if (!judge_statement(call, &s, risk))
            return 0;
        if (risk != D1GUARD_RISK_READ)
            reason = D1GUARD_REASON_RISKS_ALLOWED;
        at = s.next;
    }
    if (call->statements == 0)
        return d1g_refuse(call, D1GUARD_REASON_EMPTY, &d1g_nowhere);
    return allow(call, reason);
}

/*@ requires d1g_is_source(sql, len) && d1g_are_host_options(options) && d1g_is_host_report(report);
    assigns *report; */
int d1guard_classify(const char *sql, size_t len, const struct d1guard_options *options,
                     struct d1guard_report *report)
{
    struct d1g_call call;

    if (d1g_open(&call, sql, len, options, report))
        (void)d1g_judge(&call, 0);
    return d1g_close(&call, report);
}

/* Where the query of a view's text starts; SIZE_MAX, refused, when the text is none. */
/*@ requires d1g_is_call(call);
    assigns D1G_OUTCOME(call), call->statements;
    ensures \result == SIZE_MAX || \result <= call->text.n; */
D1G_APART static size_t find_query(struct d1g_call *call)
{
    struct d1g_statement s;

    if (d1g_read_view(&call->text, &s) >= 0)
        return s.span.end;
    call->statements = 1;
    (void)d1g_refuse(call, s.reason, &s.cause);
    return SIZE_MAX;
}

/*@ requires d1g_is_source(sql, len) && d1g_are_host_options(options) && d1g_is_host_report(report);
    assigns *report; */
int d1guard_classify_view(const char *sql, size_t len, const struct d1guard_options *options,
                          struct d1guard_report *report)
{
    struct d1g_call call;

    if (d1g_open(&call, sql, len, options, report)) {
        const size_t query = find_query(&call);

        call.allow_risks = 0;
        call.max_statements = 1;
        if (query != SIZE_MAX)
            (void)d1g_judge(&call, query);
    }
    return d1g_close(&call, report);
}

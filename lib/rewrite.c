/* An allowed text made safe to send (clean) and short (cap). */
#include "verdict.h"
#include "writer.h"

/* What d1guard_cap does with a statement. */
struct plan {
    uint32_t form; /* NONE: nothing, only clean */
    uint64_t rows;
    size_t limit; /* LOWERED: where the number starts that is to be replaced */
};

/* A `;` or CR in a comment could make another splitter cut there. */
/*@ requires d1g_readable(t);
    assigns \nothing; */
static int cuts_elsewhere(const struct d1g_text *t, size_t at, size_t end)
{
    /*@ loop assigns at;
        loop variant end - at; */
    for (; at < end; at++) {
        const int b = d1g_byte(t, at);

        if (b == ';' || b == '\r')
            return 1;
    }
    return 0;
}

/* Some splitters take comments out and leave nothing: what stands on both sides would become one word. A
 * comment is never the first token of a statement. */
/*@ requires d1g_readable(t);
    assigns \nothing; */
static int joins_elsewhere(const struct d1g_text *t, size_t at)
{
    return !d1g_is_blank(d1g_byte(t, at - 1));
}

/* Writes the tokens of the span, a risky comment as a blank and the plan's number in place of the old one. */
/*@ requires d1g_writable(w) && d1g_readable(t) && d1g_is_in(t, span) && \valid_read(plan);
    requires \separated(w, t) && \separated(w, plan);
    assigns w->len, w->out[0 .. w->room - 1]; */
static void write_statement(struct d1g_writer *w, const struct d1g_text *t, struct d1g_span span,
                            const struct plan *plan)
{
    size_t at = span.at;

    /*@ loop invariant at <= t->n;
        loop assigns at, w->len, w->out[0 .. w->room - 1];
        loop variant t->n - at; */
    while (at < span.end) {
        uint32_t kind;
        const size_t end = d1g_scan(t, at, &kind);

        if (kind == D1GUARD_TOKEN_COMMENT && (cuts_elsewhere(t, at, end) || joins_elsewhere(t, at)))
            d1g_write_byte(w, ' ');
        else if (plan->form == D1GUARD_FORM_LOWERED && at == plan->limit)
            d1g_write_number(w, plan->rows);
        else
            d1g_write_bytes(w, (const char *)t->z + at, end - at);
        at = end;
    }
}

/*@ requires d1g_writable(w) && d1g_readable(t) && d1g_is_in(t, span) && \valid_read(plan);
    requires \separated(w, t) && \separated(w, plan);
    assigns w->len, w->out[0 .. w->room - 1]; */
D1G_APART static void write_capped(struct d1g_writer *w, const struct d1g_text *t, struct d1g_span span,
                                   const struct plan *plan)
{
    if (plan->form == D1GUARD_FORM_WRAPPED)
        D1G_WRITE(w, "SELECT * FROM (");
    write_statement(w, t, span, plan);
    if (plan->form == D1GUARD_FORM_WRAPPED)
        D1G_WRITE(w, "\n) LIMIT ");
    else if (plan->form == D1GUARD_FORM_APPEND)
        D1G_WRITE(w, "\nLIMIT ");
    if (plan->form == D1GUARD_FORM_WRAPPED || plan->form == D1GUARD_FORM_APPEND)
        d1g_write_number(w, plan->rows);
}

/* All statements of an allowed text, joined. */
/*@ requires d1g_writable(w) && d1g_readable(t) && \valid_read(plan);
    requires \separated(w, t) && \separated(w, plan);
    assigns w->len, w->out[0 .. w->room - 1]; */
static void write_all(struct d1g_writer *w, const struct d1g_text *t, const struct plan *plan)
{
    struct d1g_statement s;
    size_t at = 0;

    /*@ loop invariant at <= t->n;
        loop assigns at, s, w->len, w->out[0 .. w->room - 1];
        loop variant t->n - at; */
    while (d1g_read_statement(t, at, 0, &s) > 0) {
        if (w->len > 0)
            D1G_WRITE(w, ";\n");
        write_capped(w, t, s.span, plan);
        at = s.next;
    }
}

/* Counts, then writes if there is room. */
/*@ requires d1g_readable(t) && \valid_read(plan) && \valid(out_len);
    requires out != \null ==> \valid(out + (0 .. out_size - 1));
    requires \separated(out_len, t) && \separated(out_len, plan);
    assigns *out_len, out[0 .. out_size - 1]; */
D1G_APART static void write_out(const struct d1g_text *t, const struct plan *plan, char *out, size_t out_size,
                                size_t *out_len)
{
    struct d1g_writer w = {NULL, 0, 0};

    /*@ loop invariant d1g_writable(&w) && (w.out != \null ==> w.out == out && w.room <= out_size);
        loop assigns w, *out_len, out[0 .. out_size - 1];
        loop variant w.out == \null ? 1 : 0; */
    for (;;) {
        write_all(&w, t, plan);
        *out_len = w.len;
        if (w.out != NULL || out == NULL || out_size < w.len)
            return;
        w.out = out;
        w.room = w.len;
        w.len = 0;
    }
}

/* The number in a decimal literal; 0 when it is not one, or beyond 2^63-1, which SQLite reads as REAL. */
/*@ requires d1g_readable(t) && d1g_is_in(t, span) && \valid(number) && \separated(number, t);
    assigns *number; */
static int read_decimal(const struct d1g_text *t, struct d1g_span span, uint64_t *number)
{
    const uint64_t most = INT64_MAX;
    size_t i;

    *number = 0;
    /*@ loop invariant span.at <= i <= span.end;
        loop assigns i, *number;
        loop variant span.end - i; */
    for (i = span.at; i < span.end; i++) {
        const int b = d1g_byte(t, i);
        const uint64_t digit = (uint64_t)(b - '0');

        if (!d1g_is_digit(b) || *number > (most - digit) / 10)
            return 0;
        *number = *number * 10 + digit;
    }
    return 1;
}

/* What decides the form of a statement: what stands outside all parentheses. */
struct shape {
    int is_values;          /* the last arm is VALUES */
    int has_limit;          /* there is a LIMIT */
    int is_alone;           /* `number` is all that says how many rows */
    struct d1g_span number; /* the token behind LIMIT, or behind its comma: LIMIT skip, rows */
};

/* r stands on LIMIT: reads what follows to the end. */
/*@ requires \valid(r) && d1g_is_reader(r) && \valid(shape) && d1g_is_in(r->text, shape->number);
    requires \separated(r, shape) && \separated(shape, r->text);
    assigns r->at, r->kind, r->end, shape->number, shape->is_alone;
    ensures d1g_is_reader(r) && \old(r->end) <= r->at && d1g_is_in(r->text, shape->number); */
static void read_limit(struct d1g_reader *r, struct shape *shape)
{
    size_t depth = 0;
    size_t count = 0; /* tokens since LIMIT or the comma */

    /*@ loop invariant d1g_is_reader(r) && \at(r->end, Pre) <= r->at && d1g_is_in(r->text, shape->number);
        loop assigns r->at, r->kind, r->end, shape->number, shape->is_alone, depth, count;
        loop variant r->text->n - r->at; */
    for (d1g_advance(r); r->kind != D1G_TOKEN_END; d1g_advance(r)) {
        if (depth == 0 && r->kind == D1GUARD_TOKEN_COMMA) {
            count = 0;
            continue;
        }
        depth += r->kind == D1GUARD_TOKEN_LP;
        depth -= r->kind == D1GUARD_TOKEN_RP;
        count++;
        if (count == 1) {
            shape->number.at = r->at;
            shape->number.end = r->end;
            shape->is_alone = 1;
        } else if (count == 2 && d1g_keyword_at(r) != KW_OFFSET) {
            shape->is_alone = 0;
        }
    }
}

/*@ requires d1g_readable(t) && d1g_is_in(t, span) && \valid(shape) && \separated(shape, t);
    requires shape->number.at <= shape->number.end <= span.end;
    assigns *shape;
    ensures d1g_is_in(t, shape->number); */
static void read_shape(const struct d1g_text *t, struct d1g_span span, struct shape *shape)
{
    const struct d1g_text statement = {t->z, span.end};
    struct d1g_reader r;
    size_t depth = 0;

    r.text = &statement;
    r.end = span.at;
    /*@ loop invariant d1g_is_reader(&r) && r.text == &statement && d1g_is_in(&statement, shape->number);
        loop assigns r.at, r.kind, r.end, *shape, depth;
        loop variant statement.n - r.at; */
    for (d1g_advance(&r); r.kind != D1G_TOKEN_END; d1g_advance(&r)) {
        const enum d1g_keyword keyword = d1g_keyword_at(&r);

        depth += r.kind == D1GUARD_TOKEN_LP;
        depth -= r.kind == D1GUARD_TOKEN_RP;
        if (depth > 0)
            continue;
        if (keyword == KW_SELECT || keyword == KW_VALUES)
            shape->is_values = keyword == KW_VALUES;
        if (keyword == KW_LIMIT) {
            shape->has_limit = 1;
            read_limit(&r, shape);
        }
    }
}

/*@ requires d1g_readable(t) && d1g_is_statement(t, s) && \valid(plan);
    requires \separated(plan, t) && \separated(plan, s);
    assigns plan->form, plan->limit; */
D1G_APART static void plan_statement(const struct d1g_text *t, const struct d1g_statement *s, struct plan *plan)
{
    struct shape shape = {0, 0, 0, {0, 0}};
    uint64_t number = 0;

    if (s->explain != D1GUARD_EXPLAIN_NONE || s->kind == D1GUARD_KIND_PRAGMA) {
        plan->form = D1GUARD_FORM_NOT_CAPPED;
        return;
    }
    read_shape(t, s->span, &shape);
    plan->form = D1GUARD_FORM_WRAPPED;
    if (shape.is_values)
        return;
    if (!shape.has_limit) {
        plan->form = D1GUARD_FORM_APPEND;
    } else if (shape.is_alone && read_decimal(t, shape.number, &number)) {
        plan->form = D1GUARD_FORM_UNCHANGED;
        if (number > plan->rows) {
            plan->form = D1GUARD_FORM_LOWERED;
            plan->limit = shape.number.at;
        }
    }
}

/* Plans an allowed text, if it is one statement. */
/*@ requires d1g_is_call(call) && \valid(plan) && \separated(call, plan);
    assigns D1G_OUTCOME(call), call->statements, plan->form, plan->limit; */
D1G_APART static int make_plan(struct d1g_call *call, struct plan *plan)
{
    struct d1g_statement s;

    (void)d1g_read_statement(&call->text, 0, 0, &s);
    plan_statement(&call->text, &s, plan);
    if (d1g_read_statement(&call->text, s.next, 0, &s) != 0) {
        call->statements = 2;
        return d1g_refuse_token(call, D1GUARD_REASON_NEEDS_ONE, s.span.at);
    }
    return 1;
}

/*@ requires d1g_is_source(sql, len) && d1g_are_host_options(options) && d1g_is_host_report(report);
    requires out_len != \null ==> \valid(out_len);
    requires out != \null ==> \valid(out + (0 .. out_size - 1));
    assigns *out_len, out[0 .. out_size - 1], *report; */
int d1guard_clean(const char *sql, size_t len, const struct d1guard_options *options, char *out,
                  size_t out_size, size_t *out_len, struct d1guard_report *report)
{
    const struct plan plan = {D1GUARD_FORM_NONE, 0, 0};
    struct d1g_call call;
    int fit;

    if (out_len != NULL)
        *out_len = 0;
    fit = d1g_open(&call, sql, len, options, report);
    if (out_len == NULL)
        fit = d1g_refuse(&call, D1GUARD_REASON_BAD_ARGUMENT, &d1g_nowhere);
    if (fit && d1g_judge(&call, 0))
        write_out(&call.text, &plan, out, out_size, out_len);
    return d1g_close(&call, report);
}

/*@ requires d1g_is_source(sql, len) && d1g_are_host_options(options) && d1g_is_host_report(report);
    requires out_len != \null ==> \valid(out_len);
    requires out != \null ==> \valid(out + (0 .. out_size - 1));
    assigns *out_len, out[0 .. out_size - 1], *report; */
int d1guard_cap(const char *sql, size_t len, const struct d1guard_options *options, uint64_t max_rows, char *out,
                size_t out_size, size_t *out_len, struct d1guard_report *report)
{
    struct plan plan = {D1GUARD_FORM_NONE, max_rows, 0};
    struct d1g_call call;
    int fit;

    if (out_len != NULL)
        *out_len = 0;
    fit = d1g_open(&call, sql, len, options, report);
    if (out_len == NULL || max_rows == 0 || max_rows > INT64_MAX)
        fit = d1g_refuse(&call, D1GUARD_REASON_BAD_ARGUMENT, &d1g_nowhere);
    call.allow_risks = 0;
    if (fit && d1g_judge(&call, 0) && make_plan(&call, &plan)) {
        call.form = plan.form;
        write_out(&call.text, &plan, out, out_size, out_len);
    }
    return d1g_close(&call, report);
}

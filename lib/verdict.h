/* Statements to a verdict: risks, names, counts, views. */
#ifndef D1G_VERDICT_H
#define D1G_VERDICT_H

#include "statement.h"

/* What a call works with, and what it found. */
struct d1g_call {
    struct d1g_text text;
    const struct d1guard_options *options; /* the host's or the defaults, but for the next two */
    uint64_t max_statements;
    uint32_t allow_risks;
    uint32_t form; /* not in the report's order: two words just stored are slow to load as one */
    uint32_t reason;
    uint32_t verdict;
    struct d1g_span cause; /* the bytes that caused a refusal; empty without */
    uint64_t statements;   /* seen so far */
};

/* What a verdict changes. */
#define D1G_OUTCOME(call) (call)->verdict, (call)->reason, (call)->cause

/*@ predicate d1g_is_ready(struct d1g_call *call) = \valid(call) && d1g_are_options(call->options) &&
        \separated(call->options, call);
    predicate d1g_is_call(struct d1g_call *call) = d1g_is_ready(call) && d1g_readable(&call->text);
    predicate d1g_is_source(char *sql, integer len) = sql != \null ==> \valid_read(sql + (0 .. len - 1)); */

/*@ predicate d1g_is_host_report(struct d1guard_report *report) = report != \null ==>
        \valid(&report->size) && (report->size >= sizeof(struct d1guard_report) ==> \valid(report));
    predicate d1g_are_host_options(struct d1guard_options *o) = o != \null ==> \valid_read(&o->size); */

extern const struct d1g_span d1g_nowhere; /* the cause of a refusal that is not in the text */

/* Fills call from the host's arguments. 0 when one of them is bad, which is the verdict then. */
/*@ requires \valid(call) && d1g_is_source(sql, len) && d1g_are_host_options(options) && d1g_is_host_report(report);
    requires \separated(call, options) && \separated(call, report);
    assigns *call;
    ensures d1g_is_ready(call);
    ensures \result ==> d1g_is_call(call) && call->text.n == len; */
int d1g_open(struct d1g_call *call, const char *sql, size_t len, const struct d1guard_options *options,
             const struct d1guard_report *report);

/* Fills the host's report, up to its size. Returns the verdict. */
/*@ requires \valid_read(call) && \separated(call, report) && d1g_is_host_report(report);
    assigns *report; */
int d1g_close(const struct d1g_call *call, struct d1guard_report *report);

/* Refuses, for the reason and the bytes that caused it. Returns 0. */
/*@ requires \valid(call) && \valid_read(cause) && \separated(call, cause);
    assigns D1G_OUTCOME(call);
    ensures \result == 0; */
int d1g_refuse(struct d1g_call *call, uint32_t reason, const struct d1g_span *cause);

/* Refuses for the token at `at`. Returns 0. */
/*@ requires d1g_is_call(call) && at < call->text.n;
    assigns D1G_OUTCOME(call);
    ensures \result == 0; */
int d1g_refuse_token(struct d1g_call *call, uint32_t reason, size_t at);

/* Judges every statement from `at` on. 1 when all are allowed. */
/*@ requires d1g_is_call(call) && at <= call->text.n;
    assigns D1G_OUTCOME(call), call->statements; */
int d1g_judge(struct d1g_call *call, size_t at);

#endif

/* Statements to a verdict: risks, names, counts, views. */
#ifndef D1G_VERDICT_H
#define D1G_VERDICT_H

#include "statement.h"

/* What a call works with: the host's arguments, checked and completed. */
struct d1g_call {
    struct d1g_text text;
    const struct d1guard_options *options; /* complete: `own`, or the defaults */
    struct d1guard_options own;
    struct d1guard_report *report; /* the host's, or `own_report` where that is too short or none */
    struct d1guard_report own_report;
};

/*@ predicate d1g_has_options(struct d1g_call *call) = \valid(call) && d1g_are_options(call->options) &&
        (call->options == &call->own || \separated(call->options, call));
    predicate d1g_has_report(struct d1g_call *call) = \valid(call) && \valid(call->report) &&
        (call->report == &call->own_report || \separated(call->report, call)) &&
        \separated(call->report, call->options);
    predicate d1g_is_ready(struct d1g_call *call) = d1g_has_options(call) && d1g_has_report(call);
    predicate d1g_is_call(struct d1g_call *call) = d1g_is_ready(call) && d1g_readable(&call->text);
    predicate d1g_is_source(char *sql, integer len) = sql != \null ==> \valid_read(sql + (0 .. len - 1)); */

/*@ predicate d1g_is_host_report(struct d1guard_report *report) = report != \null ==>
        \valid(&report->size) && (report->size >= sizeof(struct d1guard_report) ==> \valid(report));
    predicate d1g_are_host_options(struct d1guard_options *o) = o != \null ==> \valid_read(&o->size); */

extern const struct d1g_span d1g_nowhere; /* the cause of a refusal that is not in the text */

/* Fills call from the host's arguments. 0 when one of them is bad; call->report says so then. */
/*@ requires \valid(call) && d1g_is_source(sql, len) && d1g_are_host_options(options) && d1g_is_host_report(report);
    requires \separated(call, options) && \separated(call, report);
    assigns *call, *report;
    ensures d1g_is_ready(call) && (call->report == report || call->report == &call->own_report);
    ensures \result ==> d1g_is_call(call) && call->text.n == len; */
int d1g_open(struct d1g_call *call, const char *sql, size_t len, const struct d1guard_options *options,
             struct d1guard_report *report);

/* Allows nothing but reads, whatever the options say. */
/*@ requires d1g_is_ready(call);
    assigns call->own, call->options;
    ensures d1g_is_ready(call) && call->options == &call->own; */
void d1g_only_reads(struct d1g_call *call);

/* Copies the report to the host's, up to its size. Returns the verdict. */
/*@ requires d1g_has_report(call) && \separated(call, report);
    requires report != \null ==> \valid(&report->size);
    assigns *report; */
int d1g_close(const struct d1g_call *call, struct d1guard_report *report);

/* Refuses: fills the report with the reason and the bytes that caused it. Returns 0. */
/*@ requires d1g_has_report(call) && \valid_read(cause) && \separated(call, cause) && \separated(call->report, cause);
    assigns *call->report;
    ensures \result == 0;
    ensures \old(d1g_is_ready(call)) ==> d1g_is_ready(call);
    ensures \old(d1g_is_call(call)) ==> d1g_is_call(call); */
int d1g_refuse(struct d1g_call *call, uint32_t reason, const struct d1g_span *cause);

/* Refuses for the token at `at`. Returns 0. */
/*@ requires d1g_has_report(call) && d1g_readable(&call->text) && at < call->text.n;
    assigns *call->report;
    ensures \result == 0;
    ensures \old(d1g_is_call(call)) ==> d1g_is_call(call); */
int d1g_refuse_token(struct d1g_call *call, uint32_t reason, size_t at);

/* Judges every statement from `at` on. 1 when all are allowed. */
/*@ requires d1g_is_call(call) && at <= call->text.n;
    assigns *call->report;
    ensures d1g_is_call(call); */
int d1g_judge(struct d1g_call *call, size_t at);

#endif

/* Statements to a verdict: risks, names, counts, views. */
#ifndef D1G_VERDICT_H
#define D1G_VERDICT_H

#include "statement.h"

/* What a call works with: the host's arguments, checked and completed. */
struct d1g_call {
    struct d1g_text text;
    const struct d1guard_options *options; /* complete: `own`, or the defaults */
    struct d1guard_options own;
    struct d1guard_report report;
};

extern const struct d1g_span d1g_nowhere; /* the cause of a refusal that is not in the text */

/* Fills call from the host's arguments. 0 when one of them is bad; call->report says so then. */
int d1g_open(struct d1g_call *call, const char *sql, size_t len, const struct d1guard_options *options,
             const struct d1guard_report *report);

/* Allows nothing but reads, whatever the options say. */
void d1g_only_reads(struct d1g_call *call);

/* Copies the report to the host's, up to its size. Returns the verdict. */
int d1g_close(const struct d1g_call *call, struct d1guard_report *report);

/* Refuses: fills the report with the reason and the bytes that caused it. Returns 0. */
int d1g_refuse(struct d1g_call *call, uint32_t reason, const struct d1g_span *cause);

/* Refuses for the first token of a statement. Returns 0. */
int d1g_refuse_first(struct d1g_call *call, uint32_t reason, const struct d1g_statement *s);

/* Judges every statement from `at` on. 1 when all are allowed. */
int d1g_judge(struct d1g_call *call, size_t at);

#endif

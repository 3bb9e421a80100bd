/*
 * What both backends share: the clock and the first failure.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

int64_t clock_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum watch_state watch_look(const struct watch *watch)
{
    if (watch->cancelled != NULL && watch->cancelled(watch->context))
        return WATCH_CANCELLED;
    return clock_ms() >= watch->deadline_ms ? WATCH_TIMED_OUT : WATCH_GO_ON;
}

int fail(struct failure *failure, const char *code, const char *format, ...)
{
    char text[1024];
    va_list args;

    if (failure->code != NULL)
        return -1;
    failure->code = code;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    buf_str(&failure->message, text);
    return -1;
}

int fail_watch(struct failure *failure, enum watch_state state)
{
    if (state == WATCH_CANCELLED)
        return fail(failure, "CANCELLED", "the call was cancelled");
    return fail(failure, "TIMEOUT", "the time limit ran out; narrow the query with WHERE or LIMIT, or use an index");
}

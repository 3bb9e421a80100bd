/*
 * Two threads. This one reads every message at once and answers what needs no database; the worker runs
 * the tools, one after the other. So a cancellation is read, and stops the query, while that runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "serve.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAITING_MAX 64    /* calls in the queue */
#define END_GRACE_S 2     /* for calls still running or waiting when stdin ends */
#define READ_SIZE 65536

struct job {
    struct rpc_call call;
    int cancelled;
    struct job *next;
};

struct server {
    struct toolbox *box;
    pthread_mutex_t lock; /* over everything below */
    pthread_cond_t changed;
    struct job *first, *last; /* in the order they came; the first one runs */
    size_t count;
    int ended;  /* no more jobs will come */
    int worker_done;
    pthread_mutex_t output;
};

/* What one look at the watch of a job needs. */
struct job_watch {
    struct server *server;
    const struct job *job;
};

/* --- output --- */

static void send_line(struct server *s, struct buf *line)
{
    size_t at = 0;

    buf_str(line, "\n");
    pthread_mutex_lock(&s->output);
    while (at < line->len) {
        const ssize_t n = write(STDOUT_FILENO, line->data + at, line->len - at);

        if (n < 0 && errno != EINTR)
            _exit(0); /* the client is gone */
        if (n > 0)
            at += (size_t)n;
    }
    pthread_mutex_unlock(&s->output);
}

/* --- the worker --- */

static int is_cancelled(void *context)
{
    const struct job_watch *watch = context;
    int cancelled;

    pthread_mutex_lock(&watch->server->lock);
    cancelled = watch->job->cancelled;
    pthread_mutex_unlock(&watch->server->lock);
    return cancelled;
}

static void run_job(struct server *s, struct job *job)
{
    struct job_watch context = {s, job};
    struct watch watch = {0, is_cancelled, &context};
    struct buf reply = {0};

    if (!is_cancelled(&context) && rpc_run(s->box, &job->call, &watch, &reply) == 0)
        send_line(s, &reply);
    buf_free(&reply);
}

static struct job *wait_for_job(struct server *s)
{
    struct job *job;

    pthread_mutex_lock(&s->lock);
    while (s->first == NULL && !s->ended)
        pthread_cond_wait(&s->changed, &s->lock);
    job = s->first;
    pthread_mutex_unlock(&s->lock);
    return job;
}

static void drop_job(struct server *s, struct job *job)
{
    pthread_mutex_lock(&s->lock);
    s->first = job->next;
    if (s->first == NULL)
        s->last = NULL;
    s->count--;
    pthread_mutex_unlock(&s->lock);
    rpc_call_free(&job->call);
    free(job);
}

static void *work(void *context)
{
    struct server *s = context;
    struct job *job;

    while ((job = wait_for_job(s)) != NULL) {
        run_job(s, job);
        drop_job(s, job);
    }
    pthread_mutex_lock(&s->lock);
    s->worker_done = 1;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* --- the reader --- */

/* Takes the call over. */
static void add_job(struct server *s, struct rpc_call *call, struct buf *reply)
{
    struct job *job = mem_alloc(sizeof *job);
    int full;

    job->call = *call;
    job->cancelled = 0;
    job->next = NULL;
    pthread_mutex_lock(&s->lock);
    full = s->count >= WAITING_MAX;
    if (!full) {
        if (s->last != NULL)
            s->last->next = job;
        else
            s->first = job;
        s->last = job;
        s->count++;
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    if (full) {
        rpc_busy(&job->call, reply);
        rpc_call_free(&job->call);
        free(job);
    }
}

/* id NULL: all of them. */
static void cancel_jobs(struct server *s, const char *id)
{
    pthread_mutex_lock(&s->lock);
    for (struct job *job = s->first; job != NULL; job = job->next)
        if (id == NULL || strcmp(job->call.id, id) == 0)
            job->cancelled = 1;
    pthread_mutex_unlock(&s->lock);
}

static void take_line(struct server *s, const char *line, size_t len)
{
    struct buf reply = {0};
    struct rpc_call call;

    switch (rpc_read(s->box, line, len, &reply, &call)) {
    case RPC_CALL:
        add_job(s, &call, &reply);
        break;
    case RPC_CANCEL:
        cancel_jobs(s, call.id);
        rpc_call_free(&call);
        break;
    case RPC_REPLY:
    case RPC_NOTHING:
        break;
    }
    if (reply.len > 0)
        send_line(s, &reply);
    buf_free(&reply);
}

static void refuse_line(struct server *s)
{
    struct buf reply = {0};

    rpc_too_long(&reply);
    send_line(s, &reply);
    buf_free(&reply);
}

/* Takes the whole lines out of input and keeps the rest. A line that grows too long is refused once;
 * *skipping says that its end is still to come. */
static void take_lines(struct server *s, struct buf *input, int *skipping)
{
    size_t at = 0;
    const char *end;

    while ((end = memchr(input->data + at, '\n', input->len - at)) != NULL) {
        const size_t len = (size_t)(end - input->data) - at;

        if (!*skipping && len <= RPC_LINE_MAX)
            take_line(s, input->data + at, len);
        else if (!*skipping)
            refuse_line(s);
        *skipping = 0;
        at += len + 1;
    }
    memmove(input->data, input->data + at, input->len - at);
    buf_cut(input, input->len - at);
    if (*skipping || input->len > RPC_LINE_MAX) {
        if (!*skipping)
            refuse_line(s);
        *skipping = 1;
        buf_cut(input, 0);
    }
}

static void read_all(struct server *s)
{
    static char chunk[READ_SIZE];
    struct buf input = {0};
    int skipping = 0;
    ssize_t n;

    while ((n = read(STDIN_FILENO, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0) {
            buf_add(&input, chunk, (size_t)n);
            take_lines(s, &input, &skipping);
        }
    }
    if (input.len > 0 && !skipping)
        take_line(s, input.data, input.len); /* a last line without its end */
    buf_free(&input);
}

/* Waits for the worker, at most some seconds. Returns whether it is done. */
static int wait_for_worker(struct server *s)
{
    struct timespec until;
    int done;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += END_GRACE_S;
    pthread_mutex_lock(&s->lock);
    while (!s->worker_done && pthread_cond_timedwait(&s->changed, &s->lock, &until) != ETIMEDOUT)
        continue;
    done = s->worker_done;
    pthread_mutex_unlock(&s->lock);
    return done;
}

int serve(struct toolbox *box)
{
    static struct server s = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                              .output = PTHREAD_MUTEX_INITIALIZER};
    pthread_t worker;

    s.box = box;
    signal(SIGPIPE, SIG_IGN);
    if (pthread_create(&worker, NULL, work, &s) != 0) {
        fputs("d1guard-mcp: cannot start a thread\n", stderr);
        return 1;
    }
    read_all(&s);
    pthread_mutex_lock(&s.lock);
    s.ended = 1;
    pthread_cond_broadcast(&s.changed);
    pthread_mutex_unlock(&s.lock);
    if (!wait_for_worker(&s))
        cancel_jobs(&s, NULL);
    if (!wait_for_worker(&s))
        _exit(0); /* stuck in one long step: leave it to the operating system */
    pthread_join(worker, NULL);
    return 0;
}

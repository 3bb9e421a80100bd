/*
 * Two threads. This one reads every message at once and answers what needs no database; the worker runs
 * the tools, one after the other. So a cancellation is read, and stops the query, while that runs.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "serve.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAITING_MAX 64    /* calls in the queue */
#define END_GRACE_S 2     /* for calls still running or waiting when stdin ends */
#define STUCK_MS 3000     /* for a query to notice that it has to stop */
#define POLL_MS 500
#define READ_SIZE 65536

struct job {
    struct rpc_call call;
    int cancelled;
    int64_t stuck_at_ms; /* on clock_ms(); 0 until it runs */
    struct job *next;
};

struct server {
    struct toolbox *box;
    char **argv;
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

static void write_line(struct buf *line)
{
    size_t at = 0;

    buf_str(line, "\n");
    while (at < line->len) {
        const ssize_t n = write(STDOUT_FILENO, line->data + at, line->len - at);

        if (n < 0 && errno != EINTR)
            _exit(0); /* the client is gone */
        if (n > 0)
            at += (size_t)n;
    }
}

static void send_line(struct server *s, struct buf *line)
{
    pthread_mutex_lock(&s->output);
    write_line(line);
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
    const int answered = !is_cancelled(&context) && rpc_run(s->box, &job->call, &watch, &reply) == 0;

    pthread_mutex_lock(&s->lock);
    job->stuck_at_ms = 0;
    pthread_mutex_unlock(&s->lock);
    if (answered)
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
    if (job != NULL)
        job->stuck_at_ms = clock_ms() + s->box->timeout_ms + STUCK_MS;
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
    job->stuck_at_ms = 0;
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
        rpc_give_up(&job->call, "BUSY", "too many calls are waiting; try again later", reply);
        rpc_call_free(&job->call);
        free(job);
    }
}

/* id NULL: all of them. */
static void cancel_jobs(struct server *s, const char *id)
{
    pthread_mutex_lock(&s->lock);
    for (struct job *job = s->first; job != NULL; job = job->next) {
        if (id != NULL && strcmp(job->call.id, id) != 0)
            continue;
        job->cancelled = 1;
        if (job->stuck_at_ms > clock_ms() + STUCK_MS)
            job->stuck_at_ms = clock_ms() + STUCK_MS;
    }
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

/* SQLite cannot be interrupted inside one step, and a LIKE or instr() over long values can take hours. The
 * calls are answered and the program starts anew: no message depends on an earlier one. */
static void start_anew(struct server *s)
{
    fputs("d1guard-mcp: a query does not stop; starting anew\n", stderr);
    pthread_mutex_lock(&s->output); /* for good: nothing is to come behind these lines */
    for (struct job *job = s->first; job != NULL; job = job->next) {
        struct buf reply = {0};

        rpc_give_up(&job->call, job == s->first ? "TIMEOUT" : "BUSY",
                    job == s->first ? "the time limit ran out inside one long step; work on shorter values"
                                    : "the server starts anew; try again", &reply);
        if (!job->cancelled)
            write_line(&reply);
        buf_free(&reply);
    }
    execvp(s->argv[0], s->argv);
    perror("d1guard-mcp");
    _exit(1);
}

/* Only between two messages, since what has been read is lost. */
static void look_after_worker(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->first != NULL && s->first->stuck_at_ms > 0 && clock_ms() > s->first->stuck_at_ms)
        start_anew(s);
    pthread_mutex_unlock(&s->lock);
}

/* Bytes read, 0 at the end of input, -1 when there was nothing for a while. */
static ssize_t read_some(char *bytes, size_t size)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    ssize_t n;

    if (poll(&input, 1, POLL_MS) <= 0)
        return -1;
    n = read(STDIN_FILENO, bytes, size);
    return n < 0 && errno != EINTR ? 0 : n;
}

static void read_all(struct server *s)
{
    static char chunk[READ_SIZE];
    struct buf input = {0};
    int skipping = 0;
    ssize_t n;

    while ((n = read_some(chunk, sizeof chunk)) != 0) {
        if (n > 0) {
            buf_add(&input, chunk, (size_t)n);
            take_lines(s, &input, &skipping);
        }
        if (input.len == 0 && !skipping)
            look_after_worker(s);
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

int serve(struct toolbox *box, char **argv)
{
    static struct server s = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER,
                              .output = PTHREAD_MUTEX_INITIALIZER};
    pthread_t worker;

    s.box = box;
    s.argv = argv;
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

/*
 * A database as the tools see it: run one statement, get rows. The SQLite file and D1 over REST each
 * fill in one.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MCP_BACKEND_H
#define MCP_BACKEND_H

#include "json_out.h"

#include <d1guard.h>

enum value_kind { VALUE_NULL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_BLOB };

struct value {
    enum value_kind kind;
    int64_t integer;
    double real;
    const char *bytes; /* TEXT and BLOB; the reader does not own it */
    size_t len;
};

/* Values for the parameters of a statement: by position, or by name when names is not NULL. */
struct params {
    struct value *values;
    const char **names; /* without or with the leading : @ $ */
    size_t count;
};

/* When to stop: asked often while a statement runs. */
struct watch {
    int64_t deadline_ms; /* on clock_ms() */
    int (*cancelled)(void *context); /* may be NULL */
    void *context;
};

enum watch_state { WATCH_GO_ON, WATCH_TIMED_OUT, WATCH_CANCELLED };

int64_t clock_ms(void); /* monotonic */
enum watch_state watch_look(const struct watch *watch);

/* What went wrong, for the one who called the tool. */
struct failure {
    const char *code; /* a constant such as "SQL_ERROR"; NULL while nothing failed */
    struct buf message;
};

/* Returns -1, so that a function can end with it. The first failure stays. */
int fail(struct failure *failure, const char *code, const char *format, ...) __attribute__((format(printf, 3, 4)));
int fail_watch(struct failure *failure, enum watch_state state);

/* Takes the rows. Each call returns 0 to go on, 1 to stop reading. */
struct row_sink {
    int (*columns)(void *context, const struct value *names, size_t count); /* once, before the rows */
    int (*row)(void *context, const struct value *values, size_t count);
    void *context;
};

struct statement {
    const char *sql; /* what the guard handed out, or a constant of this server */
    size_t len;
    const struct params *params;
    int own; /* a constant of this server */
    int reads_only_by_form; /* the guard capped it, so SQLite has to call it read-only too */
};

struct backend {
    const char *name;    /* what the tools call this database */
    const char *id;      /* the id Cloudflare gave it; NULL for a file */
    const char *account; /* of Cloudflare; NULL for a file */
    uint32_t engine;     /* enum d1guard_engine */
    /* Holds the schema still from here to leave(), where that is possible; *schema_changed says whether
     * it may differ from the last time. Both -1 with failure filled. */
    int (*enter)(struct backend *b, const struct watch *watch, int *schema_changed, struct failure *failure);
    void (*leave)(struct backend *b);
    /* 0 when the statement ended or the sink had enough; -1 with failure filled. */
    int (*run)(struct backend *b, const struct statement *statement, const struct row_sink *sink,
               const struct watch *watch, struct failure *failure);
    /* Names of tables that virtual tables keep for themselves; ended by NUL bytes. May be NULL. */
    void (*set_shadow_tables)(struct backend *b, const char *names, size_t len);
    void (*close)(struct backend *b);
};

/* path NULL: the sample database. guard_only: for tests, see README. NULL with failure filled. */
struct backend *sqlite_backend_open(const char *path, const char *sample_sql, int guard_only, struct failure *failure);

#ifdef MCP_WITH_D1
/* All strings are copied. */
struct backend *d1_backend_open(const char *name, const char *account, const char *database, const char *api_base,
                                const char *token, struct failure *failure);
#endif

#endif

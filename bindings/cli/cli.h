/*
 * d1guard, the command: what its files share. It reads texts and prints what the library says of them;
 * it knows no SQL.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef D1GUARD_CLI_H
#define D1GUARD_CLI_H

#include <d1guard.h>
#include <jansson.h>
#include <stdio.h>

enum { MESSAGE_SIZE = 320 + 1 }; /* d1guard_message */

/* Exit status. */
enum { EXIT_ALLOWED = 0, EXIT_REFUSED = 1, EXIT_TROUBLE = 2 };

enum command { COMMAND_CHECK, COMMAND_STATEMENTS, COMMAND_TOKENS, COMMAND_CLEAN, COMMAND_CAP, COMMAND_HOOK };

enum format { FORMAT_HUMAN, FORMAT_JSON, FORMAT_JSONL };

struct arguments {
    enum command command;
    enum format format;
    int view;         /* check only: the text is a CREATE VIEW to be judged by its body */
    uint64_t rows;    /* cap only */
    const char *path; /* "-": standard input */
    struct d1guard_options options;
};

/* Fills the arguments; or ends the program: with 0 after --help and --version, with 2 if they are wrong. */
void arguments_read(struct arguments *arguments, int argc, char **argv);
void arguments_free(struct arguments *arguments);

/* An allowed text made safe to send. */
struct rewritten {
    struct d1guard_report report;
    char *sql; /* NULL when refused; len bytes, the caller's to free */
    size_t len;
};

/* The command's library call: each returns the verdict. */
int run_check(const struct arguments *arguments, const char *sql, size_t len, struct d1guard_report *report);
int run_rewrite(const struct arguments *arguments, const char *sql, size_t len, struct rewritten *out);

/* Sets the command's answer on a JSON object, or nothing but "error" if it cannot be written as JSON.
 * Returns the exit status. */
int answer_json(const struct arguments *arguments, const char *sql, size_t len, json_t *object);

/* Prints the command's answer for a person. Returns the exit status. */
int answer_human(const struct arguments *arguments, const char *sql, size_t len);

/* Answers a coding agent's hook object on `in` with the decision that the agent expects on standard output.
 */
int answer_hook(const struct arguments *arguments, const char *json, size_t len);

/* Any bytes as a JSON string: what is not UTF-8 is shown as '?'. */
json_t *json_shown(const char *bytes, size_t len);

/* The line of the text that holds the span, and a mark under the span. */
void show_span(FILE *out, const char *sql, size_t len, size_t at, size_t span);

/* malloc and realloc that end the program when there is no memory. */
void *resize(void *block, size_t size);

/* "d1guard: ..." on standard error. */
void complain(const char *format, ...);

#endif

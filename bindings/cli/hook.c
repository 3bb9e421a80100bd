/*
 * The hook of a coding agent that asks before it runs a tool: an object with the tool's arguments in
 * "tool_input" on standard input, the decision on standard output. Only refusals are decided here: for an
 * allowed text nothing is printed, and the agent goes on with its own rules. What holds no SQL is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cli.h"

#include <string.h>

static int print_denial(const char *reason)
{
    json_t *decision = json_pack("{s:{s:s, s:s, s:o}}", "hookSpecificOutput", "hookEventName", "PreToolUse",
                                 "permissionDecision", "deny", "permissionDecisionReason",
                                 json_shown(reason, strlen(reason)));

    if (!decision || json_dumpf(decision, stdout, JSON_COMPACT) != 0) {
        complain("cannot write JSON");
        return EXIT_TROUBLE;
    }
    putchar('\n');
    json_decref(decision);
    return EXIT_ALLOWED;
}

/* The SQL of the tool's arguments: the one string named so. */
static json_t *find_sql(const json_t *input)
{
    json_t *sql = json_object_get(input, "sql");
    json_t *query = json_object_get(input, "query");

    if (sql && query)
        return NULL;
    return sql ? sql : query;
}

int answer_hook(const struct arguments *arguments, const char *json, size_t len)
{
    json_error_t error;
    json_t *event = json_loadb(json, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    json_t *sql = find_sql(json_object_get(event, "tool_input"));
    struct d1guard_report report;
    int status = EXIT_ALLOWED;

    if (!json_is_string(sql)) {
        status = print_denial(event ? "tool_input holds no single string \"sql\" or \"query\" to check"
                                    : "the hook's input is not JSON");
    } else if (run_check(arguments, json_string_value(sql), json_string_length(sql), &report) !=
               D1GUARD_ALLOW) {
        char message[MESSAGE_SIZE];

        d1guard_message(&report, json_string_value(sql), json_string_length(sql), message, sizeof message);
        status = print_denial(message);
    }
    json_decref(event);
    return status;
}

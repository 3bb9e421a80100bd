/*
 * d1guard-mcp: an MCP server that runs read-only SQL, and the reference for how to use libd1guard.
 *
 *   main.c            options, from the command line and the environment
 *   serve.c           lines in and out, and the thread that runs the tools
 *   rpc.c             JSON-RPC in both eras of MCP
 *   tools.c           the tools: arguments, the guard, rows within bounds
 *   catalog.c         tables and columns, and which views are not to be read
 *   sqlite_backend.c  a SQLite file;  d1_backend.c  Cloudflare D1 over REST
 *   dictionary.c, audit.c, json_out.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "serve.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_MAX 4096
#define D1_API "https://api.cloudflare.com/client/v4"

extern const char tools_json[], sample_sql[], sample_dictionary[];

/* X(member, name, environment, value, help) in the order of --help; value NULL for a switch. */
#define OPTIONS(X)                                                                                           \
    X(d1, "--d1", "D1GUARD_D1", "[NAME=]ACCOUNT_ID/DATABASE_ID",                                             \
      "Cloudflare D1 over REST; repeat it, or separate by commas, for several")                              \
    X(demo, "--demo", "D1GUARD_DEMO", NULL, "a small sample database in memory")                             \
    X(token_file, "--token-file", "D1GUARD_TOKEN_FILE", "FILE",                                              \
      "the API token for D1; else CLOUDFLARE_API_TOKEN is read")                                             \
    X(max_rows, "--max-rows", "D1GUARD_MAX_ROWS", "N", "rows of a result (default 200)")                     \
    X(max_bytes, "--max-bytes", "D1GUARD_MAX_BYTES", "N", "bytes of a result (default 65536)")               \
    X(timeout_ms, "--timeout-ms", "D1GUARD_TIMEOUT_MS", "N", "time for a call (default 30000)")              \
    X(dictionary, "--dictionary", "D1GUARD_DICTIONARY", "FILE", "notes on tables and columns, JSON")         \
    X(audit, "--audit", "D1GUARD_AUDIT", "FILE", "one JSON line for each call (default: none)")              \
    X(audit_sql, "--audit-sql", "D1GUARD_AUDIT_SQL", "hash|text", "how the audit holds the SQL (default hash)") \
    X(d1_api_base, "--d1-api-base", "D1GUARD_D1_API_BASE", "URL", "for tests; http only to this machine")    \
    X(guard_only, "--guard-only", "D1GUARD_GUARD_ONLY", NULL,                                                \
      "for tests: opens the file for writing, with nothing but the guard in between")                        \
    X(version, "--version", NULL, NULL, "")                                                                  \
    X(help, "--help", NULL, NULL, "")

struct options {
    const char *file;
#define X(member, name, environment, value, help) const char *member;
    OPTIONS(X)
#undef X
};

static const struct option_row {
    const char *name, *environment, *value, *help;
} rows[] = {
#define X(member, name, environment, value, help) {name, environment, value, help},
    OPTIONS(X)
#undef X
};

#define ROW_COUNT (sizeof rows / sizeof *rows)

/* The member of o that row i of the list sets. */
static const char **option_at(struct options *o, size_t i)
{
    const char **const members[] = {
#define X(member, name, environment, value, help) &o->member,
        OPTIONS(X)
#undef X
    };

    return members[i];
}

static int usage_error(const char *what, const char *which)
{
    fprintf(stderr, "d1guard-mcp: %s%s%s; see d1guard-mcp --help\n", what, which[0] != '\0' ? ": " : "", which);
    return -1;
}

static void print_help(void)
{
    puts("usage: d1guard-mcp [OPTIONS] FILE      a SQLite file\n"
         "       d1guard-mcp [OPTIONS] --d1 ACCOUNT_ID/DATABASE_ID\n"
         "       d1guard-mcp [OPTIONS] --demo\n"
         "\nServes MCP on stdin and stdout: list_tables, describe_table and query, for reading only.\n");
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].environment != NULL)
            printf("  %s%s%s\n      %s [%s]\n", rows[i].name, rows[i].value != NULL ? " " : "",
                   rows[i].value != NULL ? rows[i].value : "", rows[i].help, rows[i].environment);
    puts("\nIn brackets: the environment variable that does the same. D1GUARD_DATABASE is FILE.");
}

/* --- reading the options --- */

static void read_environment(struct options *o)
{
    const char *file = getenv("D1GUARD_DATABASE");

    o->file = file != NULL && *file != '\0' ? file : NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        const char *value = rows[i].environment != NULL ? getenv(rows[i].environment) : NULL;

        if (value != NULL && *value != '\0' && (rows[i].value != NULL || strcmp(value, "0") != 0))
            *option_at(o, i) = value;
    }
}

/* A database named on the command line takes the place of one from the environment. */
static void forget_database(struct options *o)
{
    o->file = o->d1 = o->demo = NULL;
}

/* Several --d1 become one list with commas. */
static void add_d1(struct options *o, const char *value, struct buf *list)
{
    if (list->len > 0)
        buf_str(list, ",");
    buf_str(list, value);
    o->d1 = list->data;
}

/* The row and, behind a `=`, the value of an argument that starts with `--`. */
static int find_row(const char *argument, const char **value)
{
    const size_t len = strcspn(argument, "=");

    *value = argument[len] == '=' ? argument + len + 1 : NULL;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, argument, len) == 0)
            return (int)i;
    return -1;
}

static int read_arguments(struct options *o, int argc, char **argv, struct buf *d1_list)
{
    int database_seen = 0;

    for (int at = 1; at < argc; at++) {
        const char *value = NULL;
        const int is_option = strncmp(argv[at], "--", 2) == 0;
        const int row = is_option ? find_row(argv[at], &value) : -1;
        const char **member = row >= 0 ? option_at(o, (size_t)row) : &o->file;
        const int names_database = !is_option || member == &o->d1 || member == &o->demo;

        if (is_option && row < 0)
            return usage_error("unknown option", argv[at]);
        if (is_option && rows[row].value != NULL && value == NULL && (value = argv[++at]) == NULL)
            return usage_error("a value is missing behind", rows[row].name);
        if (is_option && rows[row].value == NULL && value != NULL)
            return usage_error("no value goes with", rows[row].name);
        if (names_database && !database_seen++)
            forget_database(o);
        if (!is_option && o->file != NULL)
            return usage_error("more than one file", argv[at]);
        if (member == &o->d1)
            add_d1(o, value, d1_list);
        else
            *member = !is_option ? argv[at] : value != NULL ? value : "1";
    }
    return 0;
}

static int check_choice(const struct options *o)
{
    const int named = (o->file != NULL) + (o->d1 != NULL) + (o->demo != NULL);

    if (named != 1)
        return usage_error(named == 0 ? "no database" : "more than one of FILE, --d1 and --demo", "");
    if (o->guard_only != NULL && o->file == NULL)
        return usage_error("only a file goes with", "--guard-only");
    return 0;
}

/* Leaves *number alone when text is NULL. */
static int read_number(const char *name, const char *text, int64_t least, int64_t most, int64_t *number)
{
    char *end;
    long long n;

    if (text == NULL)
        return 0;
    errno = 0;
    n = strtoll(text, &end, 10);
    if (errno != 0 || *text == '\0' || *end != '\0' || n < least || n > most)
        return usage_error("not a number this option takes", name);
    *number = n;
    return 0;
}

static int read_limits(const struct options *o, struct toolbox *box)
{
    box->max_rows = 200;
    box->max_bytes = 65536;
    box->timeout_ms = 30000;
    if (read_number("--max-rows", o->max_rows, 1, 1000000, &box->max_rows) != 0 ||
        read_number("--max-bytes", o->max_bytes, 1024, 64 << 20, &box->max_bytes) != 0 ||
        read_number("--timeout-ms", o->timeout_ms, 1, 3600000, &box->timeout_ms) != 0)
        return -1;
    if (o->audit_sql != NULL && strcmp(o->audit_sql, "hash") != 0 && strcmp(o->audit_sql, "text") != 0)
        return usage_error("neither hash nor text", "--audit-sql");
    box->audit.path = o->audit;
    box->audit.with_text = o->audit_sql != NULL && strcmp(o->audit_sql, "text") == 0;
    return 0;
}

/* --- the databases --- */

static int add_backend(struct toolbox *box, struct backend *backend, const char *what, struct failure *failure)
{
    struct database *more;

    if (backend == NULL) {
        fprintf(stderr, "d1guard-mcp: %s: %s\n", what, failure->message.data);
        buf_free(&failure->message);
        return -1;
    }
    more = mem_alloc((box->database_count + 1) * sizeof *more);
    if (box->database_count > 0)
        memcpy(more, box->databases, box->database_count * sizeof *more);
    memset(&more[box->database_count], 0, sizeof *more);
    more[box->database_count++].backend = backend;
    free(box->databases);
    box->databases = more;
    return 0;
}

static int open_file(const struct options *o, struct toolbox *box)
{
    struct failure failure = {0};

    if (o->guard_only != NULL)
        fputs("d1guard-mcp: --guard-only: THE FILE IS OPEN FOR WRITING and every protection but the guard is"
              " off. For tests only.\n", stderr);
    return add_backend(box, sqlite_backend_open(o->file, sample_sql, o->guard_only != NULL, &failure),
                       o->file != NULL ? o->file : "--demo", &failure);
}

#ifdef MCP_WITH_D1
/* The token, to free; NULL with a message when there is none. */
static char *read_token(const struct options *o)
{
    const char *from_environment = getenv("CLOUDFLARE_API_TOKEN");
    char text[TOKEN_MAX];
    FILE *f = o->token_file != NULL ? fopen(o->token_file, "r") : NULL;
    size_t n = 0;

    if (o->token_file != NULL && f == NULL) {
        fprintf(stderr, "d1guard-mcp: %s: %s\n", o->token_file, strerror(errno));
        return NULL;
    }
    if (f != NULL) {
        n = fread(text, 1, sizeof text, f);
        fclose(f);
    } else if (from_environment != NULL && strlen(from_environment) < sizeof text) {
        n = strlen(from_environment);
        memcpy(text, from_environment, n);
    }
    while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL)
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] <= ' ' || text[i] > '~')
            n = 0; /* it would not fit into a header */
    if (n == 0 || n == sizeof text) {
        usage_error("no usable API token in CLOUDFLARE_API_TOKEN or --token-file", "");
        return NULL;
    }
    return mem_copy(text, n);
}

static int has_database(const struct toolbox *box, const char *name)
{
    for (size_t i = 0; i < box->database_count; i++)
        if (strcmp(box->databases[i].backend->name, name) == 0)
            return 1;
    return 0;
}

/* item: [NAME=]ACCOUNT_ID/DATABASE_ID, cut up here. */
static int open_one_d1(const struct options *o, const char *token, char *item, struct toolbox *box)
{
    char *const equals = strchr(item, '='), *const slash = strchr(item, '/');
    const char *const account = equals != NULL ? equals + 1 : item;
    const char *const base = o->d1_api_base != NULL ? o->d1_api_base : D1_API;
    struct failure failure = {0};
    const char *name;

    if (slash == NULL || slash <= account || slash[1] == '\0')
        return usage_error("not of the form [NAME=]ACCOUNT_ID/DATABASE_ID", item);
    *slash = '\0';
    if (equals != NULL)
        *equals = '\0';
    name = equals != NULL ? item : slash + 1;
    if (has_database(box, name))
        return usage_error("two databases of one name; write NAME=ACCOUNT_ID/DATABASE_ID", name);
    return add_backend(box, d1_backend_open(name, account, slash + 1, base, token, &failure), name, &failure);
}

static int open_d1(const struct options *o, struct toolbox *box)
{
    char *token = read_token(o);
    int rc = token != NULL ? 0 : -1;

    for (const char *item = o->d1; rc == 0 && *item != '\0';) {
        const size_t n = strcspn(item, ",");
        char *copy = mem_copy(item, n);

        rc = open_one_d1(o, token, copy, box);
        free(copy);
        item += item[n] == ',' ? n + 1 : n;
    }
    free(token);
    return rc;
}
#else
static int open_d1(const struct options *o, struct toolbox *box)
{
    (void)o;
    (void)box;
    return usage_error("this server was built without libcurl and cannot reach D1", "--d1");
}
#endif


static int read_dictionary(const struct options *o, struct toolbox *box, json_t **all)
{
    if (o->dictionary == NULL && o->demo == NULL)
        return 0;
    *all = dictionary_read(o->dictionary, sample_dictionary);
    for (size_t i = 0; *all != NULL && i < box->database_count; i++)
        box->databases[i].dictionary = dictionary_of(*all, box->databases[i].backend->name);
    return *all != NULL ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct options o = {0};
    struct toolbox box = {0};
    struct buf d1_list = {0};
    json_t *dictionary = NULL;
    int status = 2;

    read_environment(&o);
    if (read_arguments(&o, argc, argv, &d1_list) != 0)
        return 2;
    if (o.help != NULL || o.version != NULL) {
        if (o.help != NULL)
            print_help();
        else
            printf("d1guard-mcp %s\n", d1guard_version());
        return 0;
    }
    json_object_seed(0); /* before there are threads */
    if (check_choice(&o) == 0 && read_limits(&o, &box) == 0) {
        status = 1;
        if ((o.d1 != NULL ? open_d1(&o, &box) : open_file(&o, &box)) == 0 && read_dictionary(&o, &box, &dictionary) == 0 &&
            toolbox_open(&box, tools_json) == 0)
            status = serve(&box, argv);
    }
    toolbox_close(&box);
    free(box.databases);
    json_decref(dictionary);
    buf_free(&d1_list);
    return status;
}

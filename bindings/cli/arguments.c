/*
 * The command's arguments.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* getopt_long */
#include "cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: d1guard COMMAND [OPTION]... [FILE]\n"
    "Says whether SQL text for SQLite or Cloudflare D1 only reads.\n"
    "Without FILE, or when FILE is -, reads standard input.\n"
    "\n"
    "  check        allowed or refused, and why\n"
    "  statements   the statements of the text: kind, risk, bytes\n"
    "  tokens       the tokens of the text\n"
    "  clean        the allowed text, safe to send whatever splits it into statements\n"
    "  cap          one allowed statement that returns at most --rows rows\n"
    "  hook         the answer to a coding agent's hook: the SQL is in its tool_input\n"
    "\n"
    "  --engine d1|sqlite       whose PRAGMA and function lists apply (d1)\n"
    "  --max-statements N       refuse a text of more statements\n"
    "  --strict-functions       refuse functions that are not the engine's own\n"
    "  --require-where          refuse UPDATE and DELETE without a WHERE of their own\n"
    "  --allow-risk RISK        allow write, schema, transaction, connection or maintenance too\n"
    "  --deny-function NAME     and --deny-table, --deny-pragma: refuse this name\n"
    "  --allow-function NAME    and --allow-table, --allow-pragma: allow this name\n"
    "  --view                   check: the text is a CREATE VIEW; judge its body\n"
    "  --rows N                 cap: rows, 1 or more\n"
    "  --json                   print one JSON object\n"
    "  --jsonl                  read JSON objects with a string \"sql\", one a line; print one for each\n"
    "  --help  --version\n"
    "\n"
    "Exit status: 0 allowed, 1 refused, 2 usage or internal error.\n"
    "With --jsonl: 0, or 2 if a line was no such object.\n";

static const char *const command_names[] = {
    [COMMAND_CHECK] = "check",   [COMMAND_STATEMENTS] = "statements",
    [COMMAND_TOKENS] = "tokens", [COMMAND_CLEAN] = "clean",
    [COMMAND_CAP] = "cap",       [COMMAND_HOOK] = "hook",
};

enum option_id {
    OPTION_ENGINE = 256,
    OPTION_MAX_STATEMENTS,
    OPTION_STRICT_FUNCTIONS,
    OPTION_REQUIRE_WHERE,
    OPTION_ALLOW_RISK,
    OPTION_DENY_FUNCTION,
    OPTION_DENY_TABLE,
    OPTION_DENY_PRAGMA,
    OPTION_ALLOW_FUNCTION,
    OPTION_ALLOW_TABLE,
    OPTION_ALLOW_PRAGMA,
    OPTION_VIEW,
    OPTION_ROWS,
    OPTION_JSON,
    OPTION_JSONL,
    OPTION_HELP,
    OPTION_VERSION
};

static const struct option option_table[] = {
    {"engine", required_argument, NULL, OPTION_ENGINE},
    {"max-statements", required_argument, NULL, OPTION_MAX_STATEMENTS},
    {"strict-functions", no_argument, NULL, OPTION_STRICT_FUNCTIONS},
    {"require-where", no_argument, NULL, OPTION_REQUIRE_WHERE},
    {"allow-risk", required_argument, NULL, OPTION_ALLOW_RISK},
    {"deny-function", required_argument, NULL, OPTION_DENY_FUNCTION},
    {"deny-table", required_argument, NULL, OPTION_DENY_TABLE},
    {"deny-pragma", required_argument, NULL, OPTION_DENY_PRAGMA},
    {"allow-function", required_argument, NULL, OPTION_ALLOW_FUNCTION},
    {"allow-table", required_argument, NULL, OPTION_ALLOW_TABLE},
    {"allow-pragma", required_argument, NULL, OPTION_ALLOW_PRAGMA},
    {"view", no_argument, NULL, OPTION_VIEW},
    {"rows", required_argument, NULL, OPTION_ROWS},
    {"json", no_argument, NULL, OPTION_JSON},
    {"jsonl", no_argument, NULL, OPTION_JSONL},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static void end_usage(void)
{
    fputs("Try: d1guard --help\n", stderr);
    exit(EXIT_TROUBLE);
}

/* A plain decimal number from least to 2^63-1. */
static uint64_t read_number(const char *option, const char *text, uint64_t least)
{
    const size_t digits = strspn(text, "0123456789");
    /* strtoull stops at the largest number, which is too large here too. */
    const uint64_t number = digits > 0 && text[digits] == '\0' ? strtoull(text, NULL, 10) : UINT64_MAX;

    if (number < least || number > INT64_MAX) {
        complain("%s takes a number from %d to 9223372036854775807, not '%s'", option, (int)least, text);
        end_usage();
    }
    return number;
}

static uint32_t read_engine(const char *text)
{
    if (strcmp(text, "d1") == 0)
        return D1GUARD_ENGINE_D1;
    if (strcmp(text, "sqlite") != 0) {
        complain("--engine takes d1 or sqlite, not '%s'", text);
        end_usage();
    }
    return D1GUARD_ENGINE_SQLITE;
}

static uint32_t read_risk(const char *text)
{
    for (uint32_t risk = D1GUARD_RISK_READ; risk <= D1GUARD_RISK_LAST; risk++) {
        if (strcmp(text, d1guard_risk_slug(risk)) == 0)
            return D1GUARD_RISK_BIT(risk);
    }
    complain("--allow-risk takes read, write, schema, transaction, connection or maintenance, not '%s'",
             text);
    end_usage();
    return 0;
}

/* Adds a name to the list, in a block that grows. */
static void add_name(struct d1guard_names *list, const char *name)
{
    const size_t size = strlen(name) + 1;
    char *text;

    if (size == 1) {
        complain("a name cannot be empty");
        end_usage();
    }
    text = resize((char *)list->text, list->len + size);
    memcpy(text + list->len, name, size);
    list->text = text;
    list->len += size;
}

static void set_format(struct arguments *arguments, enum format format)
{
    if (arguments->format != FORMAT_HUMAN && arguments->format != format) {
        complain("--json and --jsonl exclude each other");
        end_usage();
    }
    arguments->format = format;
}

static void read_option(struct arguments *arguments, int id, const char *value)
{
    struct d1guard_options *options = &arguments->options;

    /* clang-format off */
    switch (id) {
    case OPTION_ENGINE: options->engine = read_engine(value); break;
    case OPTION_MAX_STATEMENTS: options->max_statements = read_number("--max-statements", value, 0); break;
    case OPTION_STRICT_FUNCTIONS: options->flags |= D1GUARD_STRICT_FUNCTIONS; break;
    case OPTION_REQUIRE_WHERE: options->flags |= D1GUARD_REQUIRE_WHERE; break;
    case OPTION_ALLOW_RISK: options->allow_risks |= read_risk(value); break;
    case OPTION_DENY_FUNCTION: add_name(&options->deny_functions, value); break;
    case OPTION_DENY_TABLE: add_name(&options->deny_tables, value); break;
    case OPTION_DENY_PRAGMA: add_name(&options->deny_pragmas, value); break;
    case OPTION_ALLOW_FUNCTION: add_name(&options->allow_functions, value); break;
    case OPTION_ALLOW_TABLE: add_name(&options->allow_tables, value); break;
    case OPTION_ALLOW_PRAGMA: add_name(&options->allow_pragmas, value); break;
    case OPTION_VIEW: arguments->view = 1; break;
    case OPTION_ROWS: arguments->rows = read_number("--rows", value, 1); break;
    case OPTION_JSON: set_format(arguments, FORMAT_JSON); break;
    case OPTION_JSONL: set_format(arguments, FORMAT_JSONL); break;
    case OPTION_HELP: fputs(help, stdout); exit(EXIT_ALLOWED);
    case OPTION_VERSION: printf("d1guard %s\n", d1guard_version()); exit(EXIT_ALLOWED);
    default: end_usage(); /* getopt_long has said why */
    }
    /* clang-format on */
}

static enum command read_command(const char *name)
{
    const int count = (int)(sizeof command_names / sizeof command_names[0]);

    for (int i = 0; i < count; i++) {
        if (name && strcmp(name, command_names[i]) == 0)
            return (enum command)i;
    }
    if (name)
        complain("there is no command '%s'", name);
    else
        complain("no command");
    end_usage();
    return COMMAND_CHECK;
}

/* Options that mean nothing to the command are mistakes, not silence. */
static void require_fit(const struct arguments *arguments)
{
    const char *wrong = NULL;

    if (arguments->command == COMMAND_CAP && arguments->rows == 0)
        wrong = "cap needs --rows N";
    else if (arguments->command != COMMAND_CAP && arguments->rows != 0)
        wrong = "--rows belongs to cap";
    else if (arguments->command != COMMAND_CHECK && arguments->view)
        wrong = "--view belongs to check";
    else if (arguments->command == COMMAND_HOOK && arguments->format != FORMAT_HUMAN)
        wrong = "hook reads and prints a form of its own, without --json or --jsonl";
    if (wrong) {
        complain("%s", wrong);
        end_usage();
    }
}

void arguments_read(struct arguments *arguments, int argc, char **argv)
{
    int id;

    memset(arguments, 0, sizeof *arguments);
    arguments->options.size = sizeof arguments->options;
    while ((id = getopt_long(argc, argv, "", option_table, NULL)) != -1)
        read_option(arguments, id, optarg);
    arguments->command = read_command(argv[optind]);
    arguments->path = argv[optind + 1] ? argv[optind + 1] : "-";
    if (argc - optind > 2) {
        complain("one FILE at a time, not '%s' too", argv[optind + 2]);
        end_usage();
    }
    require_fit(arguments);
}

void arguments_free(struct arguments *arguments)
{
    struct d1guard_options *options = &arguments->options;

    free((char *)options->deny_functions.text);
    free((char *)options->deny_tables.text);
    free((char *)options->deny_pragmas.text);
    free((char *)options->allow_functions.text);
    free((char *)options->allow_tables.text);
    free((char *)options->allow_pragmas.text);
}

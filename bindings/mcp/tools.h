/*
 * The tools: list_tables, describe_table, query and, for D1, d1_read_query. What they are called and
 * what they take is in tools.json, which the Worker serves too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef MCP_TOOLS_H
#define MCP_TOOLS_H

#include "backend.h"

#include <jansson.h>

struct view_block {
    char *name;
    uint32_t reason; /* enum d1guard_reason */
};

struct database {
    struct backend *backend;
    const json_t *dictionary; /* of this database, or NULL */
    /* What judging the views has found; see catalog_refresh(). */
    struct buf denied_views; /* for d1guard_options.deny_tables */
    struct view_block *blocks;
    size_t block_count;
    int judged;
};

struct audit {
    const char *path; /* NULL: no audit */
    int with_text;    /* the SQL itself, not its SHA-256 */
};

struct toolbox {
    struct database *databases;
    size_t database_count;
    int64_t max_rows;
    int64_t max_bytes;
    int64_t timeout_ms;
    struct audit audit;
    json_t *tools;       /* those of tools.json that apply here */
    char *instructions;
};

/* What one call came to, for the audit. */
struct call_record {
    const char *tool;
    const char *database;
    const char *sql; /* NULL for a tool without */
    size_t sql_len;
    const char *verdict; /* "allow", "refuse" or NULL when nothing was judged */
    uint32_t reason;
    int64_t rows;
    int64_t duration_ms;
    const char *error; /* code, or NULL */
};

/* catalog.c */
int catalog_refresh(struct database *db, const struct watch *watch, struct failure *failure);
int catalog_list(struct database *db, int64_t max_bytes, const struct watch *watch, struct buf *out, int *truncated,
                 struct failure *failure);
int catalog_describe(struct database *db, const char *table, size_t table_len, const struct watch *watch,
                     struct buf *out, struct failure *failure);
void catalog_free(struct database *db);

/* dictionary.c: notes on a database, its tables and columns, from a JSON file or text.
 * NULL with a message on stderr when it is not a dictionary. */
json_t *dictionary_read(const char *path, const char *text);
const json_t *dictionary_of(const json_t *all, const char *database);
const json_t *dictionary_table(const json_t *dictionary, const char *table);
const char *dictionary_note(const json_t *entry); /* of a database or a table; NULL when there is none */
const char *dictionary_column(const json_t *table, const char *column);

/* audit.c */
void audit_write(const struct audit *audit, const struct call_record *record);
void sha256_hex(const void *bytes, size_t len, char hex[65]);

/* tools.c: 0, or -1 with a message on stderr. The databases, limits and audit are set before. */
int toolbox_open(struct toolbox *box, const char *tools_json);
void toolbox_close(struct toolbox *box);

/* Is there such a tool here? */
int toolbox_has(const struct toolbox *box, const char *name);

/* The members of a CallToolResult that says what went wrong. */
void put_tool_error(struct buf *out, const char *code, const char *message);

/* Runs a tool and writes the members of a CallToolResult: "content":[...],... and so on.
 * Returns 0, or -1 if the call was cancelled: then nothing is to be answered. */
int toolbox_call(struct toolbox *box, const char *name, const json_t *arguments, struct watch *watch, struct buf *out);

#endif

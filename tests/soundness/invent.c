/*
 * Every table that SQLite misses gets every name of the text as a column. Where a name is then ambiguous,
 * only the first table keeps it. The rows hold the literals of the text, so that comparisons find some.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "invent.h"
#include "text.h"

#include <d1guard.h>

#include <strings.h>

enum { NAMES_MAX = 150, TABLES_MAX = 12, NAME_SIZE = 80, TRIES_MAX = 60, ROWS = 12 };

struct invention {
    char name[NAMES_MAX][NAME_SIZE];
    unsigned char only_first[NAMES_MAX]; /* ambiguous: not in the other tables */
    unsigned names;
    char literal[NAMES_MAX][NAME_SIZE];
    unsigned literals;
    char table[TABLES_MAX][NAME_SIZE];
    unsigned tables;
};

/* The bytes of a name without its quotes. Returns 0 if it is too long or empty. */
static int plain_name(const char *bytes, size_t len, char *name)
{
    const char open = strchr("\"`[", bytes[0]) != NULL ? bytes[0] : '\0';
    size_t n = 0;

    if (open != '\0') {
        bytes++;
        len -= 2;
    }
    for (size_t i = 0; i < len && n + 1 < NAME_SIZE; i++) {
        name[n++] = bytes[i];
        if (open != '\0' && bytes[i] == open)
            i++; /* doubled: stands for one */
    }
    name[n] = '\0';
    return n > 0 && n + 1 < NAME_SIZE;
}

static int find(char (*list)[NAME_SIZE], unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++) {
        if (strcasecmp(list[i], name) == 0)
            return (int)i;
    }
    return -1;
}

static void collect(struct invention *v, const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};
    char name[NAME_SIZE];

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        if ((token.kind == D1GUARD_TOKEN_STRING || token.kind == D1GUARD_TOKEN_INTEGER) &&
            v->literals < NAMES_MAX && token.len < NAME_SIZE)
            snprintf(v->literal[v->literals++], NAME_SIZE, "%.*s", (int)token.len, sql + at);
        if (token.kind != D1GUARD_TOKEN_WORD && token.kind != D1GUARD_TOKEN_NAME)
            continue;
        if (v->names < NAMES_MAX && plain_name(sql + at, (size_t)token.len, name) &&
            find(v->name, v->names, name) < 0)
            memcpy(v->name[v->names++], name, NAME_SIZE);
    }
}

static int has_column(const struct invention *v, unsigned table, unsigned column)
{
    return table == 0 || !v->only_first[column];
}

static int create(sqlite3 *db, const struct invention *v, unsigned table)
{
    struct text sql = {0};
    char part[2 * NAME_SIZE + 8];
    int rc;

    sqlite3_snprintf((int)sizeof part, part, "CREATE TABLE \"%w\"(", v->table[table]);
    text_add_string(&sql, part);
    for (unsigned i = 0, written = 0; i < v->names; i++) {
        if (!has_column(v, table, i))
            continue;
        sqlite3_snprintf((int)sizeof part, part, "%s\"%w\"%s", written++ > 0 ? "," : "", v->name[i],
                         i % 3 == 0   ? " INT"
                         : i % 3 == 1 ? " TEXT"
                                      : "");
        text_add_string(&sql, part);
    }
    text_add_string(&sql, ")");
    rc = sqlite3_exec(db, sql.bytes, NULL, NULL, NULL);
    text_free(&sql);
    return rc == SQLITE_OK;
}

static int fill(sqlite3 *db, const struct invention *v, unsigned table)
{
    struct text sql = {0};
    char part[2 * NAME_SIZE + 8];
    int rc;

    sqlite3_snprintf((int)sizeof part, part, "INSERT INTO \"%w\" VALUES", v->table[table]);
    text_add_string(&sql, part);
    for (unsigned row = 0; row < ROWS; row++) {
        text_add_string(&sql, row > 0 ? ",(" : "(");
        for (unsigned i = 0, written = 0; i < v->names; i++) {
            const unsigned mix = row * 7 + i * 3 + table * 5;

            if (!has_column(v, table, i))
                continue;
            text_add_string(&sql, written++ > 0 ? "," : "");
            if (mix % 3 == 0 && v->literals > 0)
                text_add_string(&sql, v->literal[mix / 3 % v->literals]);
            else if (mix % 11 == 10)
                text_add_string(&sql, "NULL");
            else
                text_add_string(&sql, mix % 4 == 0 ? "1" : mix % 4 == 1 ? "2" : mix % 4 == 2 ? "'a'" : "3.5");
        }
        text_add_string(&sql, ")");
    }
    rc = sqlite3_exec(db, sql.bytes, NULL, NULL, NULL);
    text_free(&sql);
    return rc == SQLITE_OK;
}

static int rebuild(sqlite3 *db, const struct invention *v)
{
    char sql[2 * NAME_SIZE + 40];

    for (unsigned table = 0; table < v->tables; table++) {
        sqlite3_snprintf((int)sizeof sql, sql, "DROP TABLE IF EXISTS \"%w\"", v->table[table]);
        sqlite3_exec(db, sql, NULL, NULL, NULL);
        if (!create(db, v, table))
            return 0;
    }
    return 1;
}

/* Makes up what the message misses. Returns 0 if it says something else. */
static int mend(sqlite3 *db, struct invention *v, const char *message)
{
    static const char no_table[] = "no such table: ";
    static const char ambiguous[] = "ambiguous column name: ";
    int column;

    if (strncmp(message, no_table, sizeof no_table - 1) == 0) {
        const char *name = message + sizeof no_table - 1;

        if (v->tables == TABLES_MAX || strlen(name) >= NAME_SIZE || find(v->table, v->tables, name) >= 0)
            return 0;
        memcpy(v->table[v->tables], name, strlen(name) + 1);
        v->tables++;
        return create(db, v, v->tables - 1);
    }
    if (strncmp(message, ambiguous, sizeof ambiguous - 1) != 0)
        return 0;
    column = find(v->name, v->names, message + sizeof ambiguous - 1);
    if (column < 0 || v->only_first[column])
        return 0;
    v->only_first[column] = 1;
    return rebuild(db, v);
}

sqlite3 *invent_tables(const char *sql, size_t len)
{
    static struct invention v;
    sqlite3 *db = NULL;
    int prepared = 0;

    memset(&v, 0, sizeof v);
    collect(&v, sql, len);
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        return NULL;
    for (int tries = 0; !prepared && tries < TRIES_MAX; tries++) {
        sqlite3_stmt *stmt = NULL;

        prepared = sqlite3_prepare_v2(db, sql, (int)len + 1, &stmt, NULL) == SQLITE_OK;
        sqlite3_finalize(stmt);
        if (!prepared) {
            char message[200];

            snprintf(message, sizeof message, "%s", sqlite3_errmsg(db));
            if (!mend(db, &v, message))
                break;
        }
    }
    for (unsigned table = 0; prepared && table < v.tables; table++)
        prepared = fill(db, &v, table);
    if (!prepared) {
        sqlite3_close(db);
        return NULL;
    }
    return db;
}

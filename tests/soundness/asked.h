/*
 * What SQLite asks its authorizer for while it prepares a text: functions, tables and PRAGMAs by name.
 *
 * A view, a trigger, a table or an index that the text creates is made, used and dropped again, since what stands in
 * it is often looked at only then. Nothing else runs, no query of CREATE TABLE AS either, and PRAGMAs are held back.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ASKED_H
#define ASKED_H

#include <sqlite3.h>
#include <stddef.h>

enum { NAMES_MAX = 400, NAME_MAX_BYTES = 100 };

struct names {
    char name[NAMES_MAX][NAME_MAX_BYTES]; /* in small letters */
    size_t count;
};

int names_have(const struct names *names, const char *name);
void names_add(struct names *names, const char *name, size_t len);

struct asked {
    struct names
        called; /* functions: by the text itself and by what it creates, not by a view or trigger that it uses */
    struct names read;     /* tables, likewise */
    struct names columns;  /* those of the tables read of which it reads a column */
    struct names by_views; /* tables that views read */
    struct names anywhere; /* functions, by views too */
    struct names touched;  /* tables: read or written, by views too */
    struct names pragmas;  /* by PRAGMA statements */
    struct names set;      /* those of them that have a value */
    int defines;           /* the text creates something */
};

struct asker;

/* The database's views and triggers are to stay as they are. asker_close leaves the database open. */
struct asker *asker_open(sqlite3 *db);
void asker_close(struct asker *asker);

/* What a text asks for; until the next call. NULL if SQLite does not take it. */
const struct asked *asker_ask(struct asker *asker, const char *sql, size_t len);

/* Whether SQLite takes a text: NULL, or its error message. What asker_ask returned stays. */
const char *asker_error(struct asker *asker, const char *sql, size_t len);

#endif

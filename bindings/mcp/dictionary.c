/*
 * The data dictionary: free notes that the owner of a database writes for those who query it.
 *
 *     {"note": "...", "tables": {"orders": {"note": "...", "columns": {"status": "..."}}}}
 *
 * or, for several databases, {"databases": {"NAME": {as above}, ...}}.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tools.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static int complain(const char *what, const char *key)
{
    fprintf(stderr, "d1guard-mcp: dictionary: \"%s\" %s\n", key, what);
    return -1;
}

static int check_columns(json_t *columns)
{
    const char *key;
    json_t *value;

    json_object_foreach (columns, key, value)
        if (!json_is_string(value))
            return complain("is not a string", key);
    return 0;
}

/* An object of "note" and `members`, whose values check_member accepts. */
static int check_entry(json_t *entry, const char *name, const char *members, int (*check_members)(json_t *))
{
    const char *key;
    json_t *value;

    if (!json_is_object(entry))
        return complain("is not an object", name);
    json_object_foreach (entry, key, value) {
        if (strcmp(key, "note") == 0) {
            if (!json_is_string(value))
                return complain("is not a string", key);
        } else if (strcmp(key, members) != 0) {
            return complain("is not a known key", key);
        } else if (!json_is_object(value)) {
            return complain("is not an object", key);
        } else if (check_members(value) != 0) {
            return -1;
        }
    }
    return 0;
}

static int check_tables(json_t *tables)
{
    const char *key;
    json_t *value;

    json_object_foreach (tables, key, value)
        if (check_entry(value, key, "columns", check_columns) != 0)
            return -1;
    return 0;
}

static int check_all(json_t *all)
{
    json_t *databases = json_object_get(all, "databases"), *value;
    const char *key;

    if (databases == NULL)
        return check_entry(all, "the file", "tables", check_tables);
    if (json_object_size(all) != 1 || !json_is_object(databases))
        return complain("has to be an object and the only key", "databases");
    json_object_foreach (databases, key, value)
        if (check_entry(value, key, "tables", check_tables) != 0)
            return -1;
    return 0;
}

json_t *dictionary_read(const char *path, const char *text)
{
    json_error_t error;
    json_t *all = path != NULL ? json_load_file(path, JSON_REJECT_DUPLICATES, &error)
                               : json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (all == NULL) {
        fprintf(stderr, "d1guard-mcp: dictionary: line %d: %s\n", error.line, error.text);
        return NULL;
    }
    if (check_all(all) != 0) {
        json_decref(all);
        return NULL;
    }
    return all;
}

const json_t *dictionary_of(const json_t *all, const char *database)
{
    const json_t *databases = json_object_get(all, "databases");

    return databases == NULL ? all : json_object_get(databases, database);
}

/* SQLite compares names without ASCII case. */
static const json_t *find(const json_t *members, const char *name)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)members, key, value)
        if (strcasecmp(key, name) == 0)
            return value;
    return NULL;
}

const json_t *dictionary_table(const json_t *dictionary, const char *table)
{
    return find(json_object_get(dictionary, "tables"), table);
}

const char *dictionary_note(const json_t *entry)
{
    return json_string_value(json_object_get(entry, "note"));
}

const char *dictionary_column(const json_t *table, const char *column)
{
    return json_string_value(find(json_object_get(table, "columns"), column));
}

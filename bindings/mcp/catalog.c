/*
 * What is in a database: tables, views, columns, and which views are not to be read. A name given by
 * the model reaches the database as a bound value only.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tools.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Tables that SQLite, virtual tables or Cloudflare keep for themselves are left out. */
#define OBJECTS                                                                                          \
    "SELECT t.name, t.type FROM pragma_table_list AS t"                                                  \
    " WHERE t.schema = 'main' AND t.type <> 'shadow'"                                                    \
    " AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'" \
    " AND t.name <> 'd1_migrations'"

static const char list_sql[] = OBJECTS " ORDER BY t.name COLLATE NOCASE";
static const char find_sql[] = OBJECTS " AND t.name = ?1 COLLATE NOCASE";
static const char views_sql[] = "SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND sql IS NOT NULL";
static const char shadow_sql[] = "SELECT name FROM pragma_table_list WHERE type = 'shadow'";
static const char has_estimates_sql[] = "SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'";
static const char estimates_sql[] = "SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl";
static const char columns_sql[] = "SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1)";
static const char indexes_sql[] =
    "SELECT l.name, l.\"unique\", l.partial, i.name"
    " FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) AS i ORDER BY l.seq, i.seqno";
static const char keys_sql[] =
    "SELECT id, \"table\", on_update, on_delete, \"from\", \"to\""
    " FROM pragma_foreign_key_list(?1) ORDER BY id, seq";

/* --- rows kept in memory: what the statements above return is small --- */

struct cell {
    int is_null;
    int64_t number;
    char *text; /* the value as text */
    size_t len;
};

struct table {
    struct cell *cells;
    size_t width, count, size; /* count and size in cells */
};

static int keep_columns(void *context, const struct value *names, size_t count)
{
    struct table *t = context;

    (void)names;
    t->width = count;
    return 0;
}

static struct cell keep_cell(const struct value *v)
{
    struct cell c = {v->kind == VALUE_NULL, 0, NULL, 0};

    if (v->kind == VALUE_TEXT || v->kind == VALUE_BLOB) {
        c.text = mem_copy(v->bytes, v->len);
        c.len = v->len;
    } else {
        c.number = v->kind == VALUE_INT ? v->integer : v->kind == VALUE_REAL ? (int64_t)v->real : 0;
        c.text = mem_copy("", 0);
    }
    return c;
}

static int keep_row(void *context, const struct value *values, size_t count)
{
    struct table *t = context;

    if (t->count + count > t->size) {
        struct cell *more = mem_alloc((t->size * 2 + count) * sizeof *more);

        if (t->count > 0)
            memcpy(more, t->cells, t->count * sizeof *more);
        free(t->cells);
        t->cells = more;
        t->size = t->size * 2 + count;
    }
    for (size_t i = 0; i < count; i++)
        t->cells[t->count++] = keep_cell(&values[i]);
    return 0;
}

static void table_free(struct table *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->cells[i].text);
    free(t->cells);
    memset(t, 0, sizeof *t);
}

static size_t table_rows(const struct table *t)
{
    return t->width > 0 ? t->count / t->width : 0;
}

static const struct cell *table_row(const struct table *t, size_t row)
{
    return t->cells + row * t->width;
}

/* Runs one of the constants above; name fills ?1 when not NULL. */
static int ask(struct database *db, const char *sql, const struct cell *name, const struct watch *watch,
               struct table *t, struct failure *failure)
{
    struct value value = {VALUE_TEXT, 0, 0, name != NULL ? name->text : "", name != NULL ? name->len : 0};
    const struct params params = {&value, NULL, name != NULL ? 1 : 0};
    const struct statement statement = {sql, strlen(sql), &params, 1, 0};
    const struct row_sink sink = {keep_columns, keep_row, t};

    memset(t, 0, sizeof *t);
    return db->backend->run(db->backend, &statement, &sink, watch, failure);
}

/* --- views --- */

void catalog_free(struct database *db)
{
    for (size_t i = 0; i < db->block_count; i++)
        free(db->blocks[i].name);
    free(db->blocks);
    db->blocks = NULL;
    db->block_count = 0;
    buf_free(&db->denied_views);
}

static const struct view_block *find_block(const struct database *db, const char *name)
{
    for (size_t i = 0; i < db->block_count; i++)
        if (strcmp(db->blocks[i].name, name) == 0)
            return &db->blocks[i];
    return NULL;
}

static void block(struct database *db, const struct cell *name, uint32_t reason)
{
    db->blocks[db->block_count].name = mem_copy(name->text, name->len);
    db->blocks[db->block_count].reason = reason;
    db->block_count++;
    buf_add(&db->denied_views, name->text, name->len + 1);
}

/* Judges each view not blocked yet; a view over a blocked one fails in its turn. Returns how many fell. */
static size_t judge_views(struct database *db, const struct table *views)
{
    const size_t before = db->block_count;

    for (size_t i = 0; i < table_rows(views); i++) {
        const struct cell *name = table_row(views, i), *sql = name + 1;
        struct d1guard_options options = {sizeof options, .engine = db->backend->engine};
        struct d1guard_report report = {sizeof report, 0, 0, 0, 0, 0, 0, 0};

        options.deny_tables.text = db->denied_views.data;
        options.deny_tables.len = db->denied_views.len;
        if (find_block(db, name->text) == NULL &&
            d1guard_classify_view(sql->text, sql->len, &options, &report) != D1GUARD_ALLOW)
            block(db, name, report.reason);
    }
    return db->block_count - before;
}

static int tell_shadow_tables(struct database *db, const struct watch *watch, struct failure *failure)
{
    struct table t;
    struct buf names = {0};
    int rc = ask(db, shadow_sql, NULL, watch, &t, failure);

    for (size_t i = 0; rc == 0 && i < table_rows(&t); i++)
        buf_add(&names, table_row(&t, i)->text, table_row(&t, i)->len + 1);
    if (rc == 0)
        db->backend->set_shadow_tables(db->backend, names.data, names.len);
    buf_free(&names);
    table_free(&t);
    return rc;
}

/* Between enter() and leave(), when the schema may have changed. */
int catalog_refresh(struct database *db, const struct watch *watch, struct failure *failure)
{
    struct table views;
    int rc;

    db->judged = 0;
    rc = ask(db, views_sql, NULL, watch, &views, failure);
    if (rc == 0) {
        catalog_free(db);
        db->blocks = mem_alloc(table_rows(&views) * sizeof *db->blocks);
        while (judge_views(db, &views) > 0 && watch_look(watch) == WATCH_GO_ON)
            continue;
        if (watch_look(watch) != WATCH_GO_ON)
            rc = fail_watch(failure, watch_look(watch));
    }
    table_free(&views);
    if (rc == 0 && db->backend->set_shadow_tables != NULL)
        rc = tell_shadow_tables(db, watch, failure);
    db->judged = rc == 0;
    return rc;
}

/* --- pieces of JSON --- */

static void add_note(struct buf *out, const char *note)
{
    if (note != NULL) {
        put_key(out, "note");
        put_str(out, note);
    }
}

static void add_text(struct buf *out, const char *key, const struct cell *cell)
{
    put_key(out, key);
    put_text(out, cell->text, cell->len);
}

static void add_text_or_null(struct buf *out, const struct cell *cell)
{
    if (cell->is_null)
        buf_str(out, "null");
    else
        put_text(out, cell->text, cell->len);
}

static void add_flag(struct buf *out, const char *key, int flag)
{
    put_key(out, key);
    buf_str(out, flag ? "true" : "false");
}

static void add_number(struct buf *out, const char *key, int64_t number)
{
    put_key(out, key);
    put_int(out, number);
}

/* --- list_tables --- */

static int read_estimates(struct database *db, const struct watch *watch, struct table *t, struct failure *failure)
{
    int rc = ask(db, has_estimates_sql, NULL, watch, t, failure);

    if (rc != 0 || table_rows(t) == 0)
        return rc;
    table_free(t);
    return ask(db, estimates_sql, NULL, watch, t, failure);
}

static void add_object(struct buf *out, const struct database *db, const struct cell *name, const struct table *estimates)
{
    const struct view_block *blocked = find_block(db, name->text);

    buf_str(out, "{");
    add_text(out, "name", name);
    add_text(out, "type", name + 1);
    for (size_t i = 0; i < table_rows(estimates); i++)
        if (strcasecmp(table_row(estimates, i)->text, name->text) == 0)
            add_number(out, "row_estimate", table_row(estimates, i)[1].number);
    add_note(out, dictionary_note(dictionary_table(db->dictionary, name->text)));
    if (blocked != NULL) {
        put_key(out, "blocked");
        put_str(out, d1guard_reason_slug(blocked->reason));
    }
    buf_str(out, "}");
}

int catalog_list(struct database *db, int64_t max_bytes, const struct watch *watch, struct buf *out, int *truncated,
                 struct failure *failure)
{
    struct table objects, estimates = {0};
    int rc = ask(db, list_sql, NULL, watch, &objects, failure);

    if (rc == 0)
        rc = read_estimates(db, watch, &estimates, failure);
    *truncated = 0;
    buf_str(out, "{");
    put_key(out, "database");
    put_str(out, db->backend->name);
    add_note(out, dictionary_note(db->dictionary));
    put_key(out, "tables");
    buf_str(out, "[");
    for (size_t i = 0; rc == 0 && !*truncated && i < table_rows(&objects); i++) {
        const size_t before = out->len;

        if (i > 0)
            buf_str(out, ",");
        add_object(out, db, table_row(&objects, i), &estimates);
        if (out->len > (size_t)max_bytes) {
            buf_cut(out, before);
            *truncated = 1;
        }
    }
    buf_str(out, "]");
    add_flag(out, "truncated", *truncated);
    buf_str(out, "}");
    table_free(&objects);
    table_free(&estimates);
    return rc;
}

/* --- describe_table --- */

static void add_column(struct buf *out, const struct cell *row, const json_t *notes)
{
    buf_str(out, "{");
    add_text(out, "name", &row[0]);
    add_text(out, "type", &row[1]);
    add_flag(out, "not_null", row[2].number != 0);
    put_key(out, "default");
    add_text_or_null(out, &row[3]);
    add_number(out, "primary_key", row[4].number);
    add_flag(out, "generated", row[5].number >= 2);
    add_note(out, dictionary_column(notes, row[0].text));
    buf_str(out, "}");
}

static void add_columns(struct buf *out, const struct table *t, const json_t *notes)
{
    put_key(out, "columns");
    buf_str(out, "[");
    for (size_t i = 0; i < table_rows(t); i++) {
        if (i > 0)
            buf_str(out, ",");
        add_column(out, table_row(t, i), notes);
    }
    buf_str(out, "]");
}

/* A row of t for each column of an index; the rows of one index follow each other. */
static void add_indexes(struct buf *out, const struct table *t)
{
    const char *last = NULL;

    put_key(out, "indexes");
    buf_str(out, "[");
    for (size_t i = 0; i < table_rows(t); i++) {
        const struct cell *row = table_row(t, i);

        if (last != NULL && strcmp(last, row[0].text) == 0) {
            buf_str(out, ",");
            add_text_or_null(out, &row[3]);
            continue;
        }
        buf_str(out, last != NULL ? "]},{" : "{");
        add_text(out, "name", &row[0]);
        add_flag(out, "unique", row[1].number != 0);
        add_flag(out, "partial", row[2].number != 0);
        put_key(out, "columns");
        buf_str(out, "[");
        add_text_or_null(out, &row[3]);
        last = row[0].text;
    }
    buf_str(out, last != NULL ? "]}]" : "]");
}

/* Column `which` of the rows from first that belong to one foreign key, as a list. */
static void add_key_side(struct buf *out, const char *key, const struct table *t, size_t first, size_t which)
{
    const int64_t id = table_row(t, first)->number;

    put_key(out, key);
    buf_str(out, "[");
    for (size_t i = first; i < table_rows(t) && table_row(t, i)->number == id; i++) {
        if (i > first)
            buf_str(out, ",");
        add_text_or_null(out, &table_row(t, i)[which]);
    }
    buf_str(out, "]");
}

static void add_foreign_keys(struct buf *out, const struct table *t)
{
    put_key(out, "foreign_keys");
    buf_str(out, "[");
    for (size_t i = 0; i < table_rows(t); i++) {
        const struct cell *row = table_row(t, i);

        if (i > 0 && table_row(t, i - 1)->number == row->number)
            continue;
        buf_str(out, i > 0 ? ",{" : "{");
        add_key_side(out, "columns", t, i, 4);
        add_text(out, "table", &row[1]);
        add_key_side(out, "references", t, i, 5);
        add_text(out, "on_update", &row[2]);
        add_text(out, "on_delete", &row[3]);
        buf_str(out, "}");
    }
    buf_str(out, "]");
}

/* The object's true name and type, as the database spells them. */
static int find_object(struct database *db, const char *name, size_t len, const struct watch *watch, struct table *found,
                       struct failure *failure)
{
    char *copy = mem_copy(name, len);
    const struct cell cell = {0, 0, copy, len};
    int rc = ask(db, find_sql, &cell, watch, found, failure);

    free(copy);
    if (rc == 0 && table_rows(found) == 0)
        return fail(failure, "NO_SUCH_TABLE", "there is no table or view of this name; list_tables shows all");
    return rc;
}

static void write_description(struct database *db, const struct cell *object, const struct table *columns,
                              const struct table *indexes, const struct table *keys, struct buf *out)
{
    const json_t *notes = dictionary_table(db->dictionary, object->text);
    const struct view_block *blocked = find_block(db, object->text);

    buf_str(out, "{");
    put_key(out, "database");
    put_str(out, db->backend->name);
    add_text(out, "table", object);
    add_text(out, "type", object + 1);
    add_note(out, dictionary_note(notes));
    if (blocked != NULL) {
        put_key(out, "blocked");
        put_str(out, d1guard_reason_slug(blocked->reason));
    }
    add_columns(out, columns, notes);
    add_indexes(out, indexes);
    add_foreign_keys(out, keys);
    buf_str(out, "}");
}

int catalog_describe(struct database *db, const char *table, size_t table_len, const struct watch *watch,
                     struct buf *out, struct failure *failure)
{
    struct table object = {0}, columns = {0}, indexes = {0}, keys = {0};
    int rc = find_object(db, table, table_len, watch, &object, failure);

    /* SQLite would have to look into a view that is blocked to tell its columns. */
    if (rc == 0 && find_block(db, table_row(&object, 0)->text) == NULL)
        rc = ask(db, columns_sql, table_row(&object, 0), watch, &columns, failure);
    if (rc == 0)
        rc = ask(db, indexes_sql, table_row(&object, 0), watch, &indexes, failure);
    if (rc == 0)
        rc = ask(db, keys_sql, table_row(&object, 0), watch, &keys, failure);
    if (rc == 0)
        write_description(db, table_row(&object, 0), &columns, &indexes, &keys, out);
    table_free(&object);
    table_free(&columns);
    table_free(&indexes);
    table_free(&keys);
    return rc;
}

/*
 * See tools.h. The way of a query: arguments, the guard, the database, rows within bounds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tools.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAP_ROOM 64          /* what d1guard_cap may add to a text, bytes */
#define LARGEST_EXACT INT64_C(9007199254740991)

/* --- tools.json --- */

static const char *tool_name(const json_t *tool)
{
    return json_string_value(json_object_get(tool, "name"));
}

static const json_t *find_tool(const struct toolbox *box, const char *name)
{
    size_t i;
    json_t *tool;

    json_array_foreach (box->tools, i, tool)
        if (strcmp(tool_name(tool), name) == 0)
            return tool;
    return NULL;
}

int toolbox_has(const struct toolbox *box, const char *name)
{
    return find_tool(box, name) != NULL;
}

/* Leaves out what does not apply: the D1 tool without D1, the choice of a database where there is one. */
static void fit_tools(struct toolbox *box)
{
    for (size_t i = json_array_size(box->tools); i-- > 0;) {
        json_t *tool = json_array_get(box->tools, i);

        if (strcmp(tool_name(tool), "d1_read_query") == 0 && box->databases[0].backend->account == NULL)
            json_array_remove(box->tools, i);
        else if (box->database_count == 1)
            json_object_del(json_object_get(json_object_get(tool, "inputSchema"), "properties"), "database");
    }
}

/* The general instructions, then what the owner wrote about each database. */
static char *make_instructions(const struct toolbox *box, const char *general)
{
    struct buf text = {0};

    buf_str(&text, general);
    for (size_t i = 0; i < box->database_count; i++) {
        const struct database *db = &box->databases[i];
        const char *note = dictionary_note(db->dictionary);

        if (box->database_count > 1 || note != NULL)
            buf_printf(&text, "\nDatabase %s%s", db->backend->name, note != NULL ? ": " : "");
        if (note != NULL)
            buf_str(&text, note);
    }
    return text.data;
}

int toolbox_open(struct toolbox *box, const char *tools_json)
{
    json_error_t error;
    json_t *all = json_loads(tools_json, JSON_REJECT_DUPLICATES, &error);

    box->tools = json_incref(json_object_get(all, "tools"));
    if (box->tools == NULL) {
        fprintf(stderr, "d1guard-mcp: tools.json line %d: %s\n", error.line, error.text);
        json_decref(all);
        return -1;
    }
    fit_tools(box);
    box->instructions = make_instructions(box, json_string_value(json_object_get(all, "instructions")));
    json_decref(all);
    return 0;
}

void toolbox_close(struct toolbox *box)
{
    for (size_t i = 0; i < box->database_count; i++) {
        catalog_free(&box->databases[i]);
        box->databases[i].backend->close(box->databases[i].backend);
    }
    json_decref(box->tools);
    free(box->instructions);
}

/* --- arguments against the tool's inputSchema --- */

static int type_is(const json_t *value, const char *type)
{
    if (strcmp(type, "string") == 0)
        return json_is_string(value);
    if (strcmp(type, "integer") == 0)
        return json_is_integer(value);
    if (strcmp(type, "array") == 0)
        return json_is_array(value);
    return strcmp(type, "object") == 0 && json_is_object(value);
}

static int type_fits(const json_t *value, const json_t *type)
{
    size_t i;
    json_t *one;

    if (json_is_string(type))
        return type_is(value, json_string_value(type));
    json_array_foreach (type, i, one)
        if (type_is(value, json_string_value(one)))
            return 1;
    return 0;
}

/* The words of a schema that tools.json uses: properties, type, minimum, required. */
static int check_arguments(const json_t *tool, const json_t *arguments, struct failure *failure)
{
    const json_t *schema = json_object_get(tool, "inputSchema");
    const json_t *properties = json_object_get(schema, "properties");
    const char *name;
    json_t *value;
    size_t i;

    json_object_foreach ((json_t *)arguments, name, value) {
        const json_t *property = json_object_get(properties, name);
        const json_t *minimum = json_object_get(property, "minimum");

        if (property == NULL)
            return fail(failure, "BAD_ARGUMENT", "%s takes no argument \"%.80s\"", tool_name(tool), name);
        if (!type_fits(value, json_object_get(property, "type")))
            return fail(failure, "BAD_ARGUMENT", "the argument \"%s\" has the wrong type", name);
        if (minimum != NULL && json_integer_value(value) < json_integer_value(minimum))
            return fail(failure, "BAD_ARGUMENT", "the argument \"%s\" is less than %lld", name,
                        (long long)json_integer_value(minimum));
    }
    json_array_foreach (json_object_get(schema, "required"), i, value)
        if (json_object_get(arguments, json_string_value(value)) == NULL)
            return fail(failure, "BAD_ARGUMENT", "the argument \"%s\" is missing", json_string_value(value));
    return 0;
}

static int same_text(const json_t *string, const char *text)
{
    return json_string_length(string) == strlen(text) && strcmp(json_string_value(string), text) == 0;
}

/* The database that the arguments name: any missing name fits the first one. */
static struct database *find_database(struct toolbox *box, const json_t *arguments, struct failure *failure)
{
    const json_t *name = json_object_get(arguments, "database");
    const json_t *account = json_object_get(arguments, "account_id");
    const json_t *id = json_object_get(arguments, "database_id");

    for (size_t i = 0; i < box->database_count; i++) {
        const struct backend *b = box->databases[i].backend;

        if ((name == NULL || same_text(name, b->name)) && (id == NULL || same_text(id, b->id)) &&
            (account == NULL || same_text(account, b->account)))
            return &box->databases[i];
    }
    fail(failure, "NOT_CONFIGURED", "this server was not started with that database%s",
         account != NULL ? " in that account" : "");
    return NULL;
}

/* --- params --- */

struct bound {
    struct params params;
    char **blobs; /* decoded, to free; as many as values, NULL where there is none */
};

static int read_int64(const json_t *text, int64_t *number)
{
    char *end;
    const char *s = json_string_value(text);

    if (s == NULL || strlen(s) > 20 || strlen(s) != json_string_length(text))
        return -1;
    errno = 0;
    *number = strtoll(s, &end, 10);
    return (*s == '-' || (*s >= '0' && *s <= '9')) && *end == '\0' && errno == 0 ? 0 : -1;
}

/* {"blob_base64": "..."} or {"integer": "..."}; "bytes", which results carry, may stand beside the blob. */
static int read_object(const json_t *json, struct value *v, char **blob)
{
    const json_t *base64 = json_object_get(json, "blob_base64");
    const size_t known = base64 != NULL && json_object_get(json, "bytes") != NULL ? 2 : 1;

    if (json_object_size(json) != known)
        return -1;
    if (json_is_string(base64)) {
        v->kind = VALUE_BLOB;
        if (base64_read(json_string_value(base64), json_string_length(base64), blob, &v->len) != 0)
            return -1;
        v->bytes = *blob;
        return 0;
    }
    v->kind = VALUE_INT;
    return read_int64(json_object_get(json, "integer"), &v->integer);
}

static int read_value(const json_t *json, struct value *v, char **blob)
{
    memset(v, 0, sizeof *v);
    switch (json_typeof(json)) {
    case JSON_NULL:
        v->kind = VALUE_NULL;
        return 0;
    case JSON_TRUE:
    case JSON_FALSE:
        v->kind = VALUE_INT;
        v->integer = json_is_true(json);
        return 0;
    case JSON_INTEGER:
        v->kind = VALUE_INT;
        v->integer = json_integer_value(json);
        return 0;
    case JSON_REAL:
        v->kind = VALUE_REAL;
        v->real = json_real_value(json);
        return 0;
    case JSON_STRING:
        v->kind = VALUE_TEXT;
        v->bytes = json_string_value(json);
        v->len = json_string_length(json);
        return 0;
    case JSON_OBJECT:
        return read_object(json, v, blob);
    case JSON_ARRAY:
        break;
    }
    return -1;
}

static void bound_free(struct bound *bound)
{
    for (size_t i = 0; i < bound->params.count; i++)
        free(bound->blobs[i]);
    free(bound->blobs);
    free(bound->params.values);
    free(bound->params.names);
}

static int bound_read(const json_t *json, struct bound *bound, struct failure *failure)
{
    const int named = json_is_object(json);
    const size_t count = named ? json_object_size(json) : json_array_size(json);
    void *at = named ? json_object_iter((json_t *)json) : NULL;

    memset(bound, 0, sizeof *bound);
    bound->params.values = mem_alloc(count * sizeof *bound->params.values);
    bound->params.names = named ? mem_alloc(count * sizeof *bound->params.names) : NULL;
    bound->blobs = mem_alloc(count * sizeof *bound->blobs);
    for (size_t i = 0; i < count; i++) {
        const json_t *value = named ? json_object_iter_value(at) : json_array_get(json, i);

        bound->blobs[i] = NULL;
        bound->params.count = i + 1;
        if (named)
            bound->params.names[i] = json_object_iter_key(at);
        if (read_value(value, &bound->params.values[i], &bound->blobs[i]) != 0)
            return fail(failure, "BAD_ARGUMENT", "value %zu of params is none that SQLite has", i + 1);
        if (named)
            at = json_object_iter_next((json_t *)json, at);
    }
    return 0;
}

/* --- rows within bounds --- */

struct collector {
    struct buf *out; /* {"columns":[...],"rows":[[...], ... */
    int64_t row_cap, rows;
    size_t byte_cap, cell_cap;
    int more_rows, out_of_bytes, cut_cells, names_too_long, beyond_exact;
};

static void collect_text(struct collector *c, const struct value *v)
{
    size_t n = c->cell_cap;
    struct buf cut = {0};

    if (v->len <= n) {
        put_text(c->out, v->bytes, v->len);
        return;
    }
    while (n > 0 && ((unsigned char)v->bytes[n] & 0xC0) == 0x80)
        n--; /* never inside a character */
    buf_add(&cut, v->bytes, n);
    buf_printf(&cut, " ... [cut: %zu bytes in all]", v->len);
    put_text(c->out, cut.data, cut.len);
    buf_free(&cut);
    c->cut_cells = 1;
}

static void collect_value(struct collector *c, const struct value *v)
{
    enum value_kind kind = v->kind;

    if (kind == VALUE_TEXT && !utf8_valid(v->bytes, v->len))
        kind = VALUE_BLOB; /* bytes that are no text travel as a BLOB does */
    switch (kind) {
    case VALUE_NULL:
        buf_str(c->out, "null");
        break;
    case VALUE_INT:
        put_int(c->out, v->integer);
        if (v->integer > LARGEST_EXACT || v->integer < -LARGEST_EXACT)
            c->beyond_exact = 1;
        break;
    case VALUE_REAL:
        put_real(c->out, v->real);
        if (fabs(v->real) > (double)LARGEST_EXACT)
            c->beyond_exact = 1;
        break;
    case VALUE_TEXT:
        collect_text(c, v);
        break;
    case VALUE_BLOB:
        put_blob(c->out, v->bytes, v->len, c->cell_cap);
        if (v->len > c->cell_cap)
            c->cut_cells = 1;
        break;
    }
}

static void collect_list(struct collector *c, const struct value *values, size_t count)
{
    buf_str(c->out, "[");
    for (size_t i = 0; i < count && c->out->len <= c->byte_cap; i++) {
        if (i > 0)
            buf_str(c->out, ",");
        collect_value(c, &values[i]);
    }
    buf_str(c->out, "]");
}

static int collect_columns(void *context, const struct value *names, size_t count)
{
    struct collector *c = context;

    buf_str(c->out, "{");
    put_key(c->out, "columns");
    buf_str(c->out, "[");
    for (size_t i = 0; i < count && c->out->len <= c->byte_cap; i++) {
        if (i > 0)
            buf_str(c->out, ",");
        put_text(c->out, names[i].bytes, names[i].len); /* a name is always text */
    }
    buf_str(c->out, "]");
    c->names_too_long = c->out->len > c->byte_cap;
    put_key(c->out, "rows");
    buf_str(c->out, "[");
    return c->names_too_long;
}

static int collect_row(void *context, const struct value *values, size_t count)
{
    struct collector *c = context;
    const size_t before = c->out->len;

    if (c->rows == c->row_cap) {
        c->more_rows = 1;
        return 1;
    }
    if (c->rows > 0)
        buf_str(c->out, ",");
    collect_list(c, values, count);
    if (c->out->len > c->byte_cap) {
        buf_cut(c->out, before);
        c->out_of_bytes = 1;
        return 1;
    }
    c->rows++;
    return 0;
}

static void collect_end(struct collector *c)
{
    const int truncated = c->more_rows || c->out_of_bytes;

    buf_str(c->out, "]");
    put_key(c->out, "row_count");
    put_int(c->out, c->rows);
    put_key(c->out, "truncated");
    buf_str(c->out, truncated ? "true" : "false");
    put_key(c->out, "row_cap");
    put_int(c->out, c->row_cap);
    buf_str(c->out, "}");
}

/* What the model has to know about the result beside the rows. */
static void collect_notes(const struct collector *c, const struct backend *b, struct buf *notes)
{
    if (c->more_rows)
        buf_printf(notes, "Only the first %lld rows are shown; there are more. ", (long long)c->rows);
    if (c->out_of_bytes && c->rows > 0)
        buf_printf(notes, "Only the first %lld rows are shown: the next one would make the result longer than"
                          " this server allows. ", (long long)c->rows);
    if (c->out_of_bytes && c->rows == 0)
        buf_str(notes, "No row is shown: the first one alone is longer than this server allows; select fewer"
                       " or shorter columns. ");
    if (c->cut_cells)
        buf_str(notes, "Long cells are cut; use substr() to read on. ");
    if (c->beyond_exact && b->account != NULL)
        buf_str(notes, "D1 sends integers beyond 2^53 rounded; CAST(x AS TEXT) keeps their digits. ");
    if (notes->len > 0)
        buf_cut(notes, notes->len - 1);
}

/* --- results --- */

static void put_content(struct buf *out, const struct buf *text, const struct buf *notes)
{
    put_key(out, "content");
    buf_str(out, "[{\"type\":\"text\",\"text\":");
    put_text(out, text->data, text->len);
    buf_str(out, "}");
    if (notes != NULL && notes->len > 0) {
        buf_str(out, ",{\"type\":\"text\",\"text\":");
        put_text(out, notes->data, notes->len);
        buf_str(out, "}");
    }
    buf_str(out, "]");
}

static void put_result(struct buf *out, const struct buf *structured, const struct buf *notes)
{
    put_content(out, structured, notes);
    put_key(out, "structuredContent");
    buf_add(out, structured->data, structured->len);
    put_key(out, "isError");
    buf_str(out, "false");
}

/* An error carries no structuredContent: clients hold that against the tool's outputSchema. */
static void put_error(struct buf *out, const struct buf *error)
{
    put_content(out, error, NULL);
    put_key(out, "isError");
    buf_str(out, "true");
}

void put_tool_error(struct buf *out, const char *code, const char *message)
{
    struct buf error = {0};

    buf_str(&error, "{\"error\":{");
    put_key(&error, "code");
    put_str(&error, code);
    put_key(&error, "message");
    put_str(&error, message);
    buf_str(&error, "}}");
    put_error(out, &error);
    buf_free(&error);
}

static void put_refusal(struct buf *out, const struct d1guard_report *report, const char *sql, size_t len)
{
    struct buf error = {0};
    char message[321];
    const size_t n = d1guard_message(report, sql, len, message, sizeof message);
    uint64_t line = 0, column = 0;

    d1guard_position(sql, len, (size_t)report->at, &line, &column);
    buf_str(&error, "{\"error\":{");
    put_key(&error, "code");
    put_str(&error, "SQL_BLOCKED");
    put_key(&error, "reason");
    put_str(&error, d1guard_reason_slug(report->reason));
    put_key(&error, "message");
    put_text(&error, message, n < sizeof message ? n : 0);
    put_key(&error, "at");
    put_int(&error, (int64_t)report->at);
    put_key(&error, "len");
    put_int(&error, (int64_t)report->len);
    put_key(&error, "line");
    put_int(&error, (int64_t)line);
    put_key(&error, "column");
    put_int(&error, (int64_t)column);
    buf_str(&error, "}}");
    put_error(out, &error);
    buf_free(&error);
}

/* --- query --- */

/* Asks the guard. Returns the text to send, capped at one row more than is shown, or NULL when refused. */
static char *guarded(const struct database *db, const char *sql, size_t len, int64_t row_cap, size_t *out_len,
                     struct d1guard_report *report)
{
    struct d1guard_options options = {sizeof options, .engine = db->backend->engine};
    const size_t size = len + CAP_ROOM;
    char *text = mem_alloc(size);

    options.deny_tables.text = db->denied_views.data;
    options.deny_tables.len = db->denied_views.len;
    if (d1guard_cap(sql, len, &options, (uint64_t)row_cap + 1, text, size, out_len, report) == D1GUARD_ALLOW &&
        *out_len <= size)
        return text;
    free(text);
    return NULL;
}

static int64_t wanted_rows(const struct toolbox *box, const json_t *arguments)
{
    const json_t *max_rows = json_object_get(arguments, "max_rows");

    if (max_rows == NULL || json_integer_value(max_rows) > box->max_rows)
        return box->max_rows;
    return json_integer_value(max_rows);
}

/* The text that the guard handed out, with its values, within bounds. */
static int run_guarded(const struct toolbox *box, struct database *db, const struct statement *statement,
                       int64_t row_cap, const struct watch *watch, struct buf *out, struct call_record *record,
                       struct failure *failure)
{
    struct buf structured = {0}, notes = {0};
    struct collector c = {.out = &structured, .row_cap = row_cap};
    const struct row_sink sink = {collect_columns, collect_row, &c};
    int rc;

    c.byte_cap = (size_t)box->max_bytes;
    c.cell_cap = c.byte_cap / 8;
    rc = db->backend->run(db->backend, statement, &sink, watch, failure);
    if (rc == 0 && c.names_too_long)
        rc = fail(failure, "TOO_LARGE", "the column names alone are longer than a result may be; select fewer columns");
    if (rc == 0) {
        collect_end(&c);
        collect_notes(&c, db->backend, &notes);
        put_result(out, &structured, &notes);
        record->rows = c.rows;
    }
    buf_free(&structured);
    buf_free(&notes);
    return rc;
}

static int tool_query(const struct toolbox *box, struct database *db, const json_t *arguments,
                      const struct watch *watch, struct buf *out, struct call_record *record, struct failure *failure)
{
    struct d1guard_report report = {sizeof report, 0, 0, 0, 0, 0, 0, 0};
    const int64_t row_cap = wanted_rows(box, arguments);
    struct bound bound;
    size_t len = 0;
    char *text = guarded(db, record->sql, record->sql_len, row_cap, &len, &report);
    int rc;

    record->reason = report.reason;
    record->verdict = text != NULL ? "allow" : "refuse";
    if (text == NULL) {
        put_refusal(out, &report, record->sql, record->sql_len);
        record->error = "SQL_BLOCKED";
        return 0;
    }
    rc = bound_read(json_object_get(arguments, "params"), &bound, failure);
    if (rc == 0) {
        const struct statement statement = {text, len, &bound.params, 0, report.form != D1GUARD_FORM_NOT_CAPPED};

        rc = run_guarded(box, db, &statement, row_cap, watch, out, record, failure);
        if (rc != 0 && strstr(failure->message.data, "\"LIMIT\"") != NULL)
            buf_str(&failure->message, " (the LIMIT that ends the text is this server's row cap)");
    }
    bound_free(&bound);
    free(text);
    return rc;
}

/* --- list_tables, describe_table --- */

static int tool_catalog(const struct toolbox *box, struct database *db, const char *name, const json_t *arguments,
                        const struct watch *watch, struct buf *out, struct failure *failure)
{
    const json_t *table = json_object_get(arguments, "table");
    struct buf structured = {0}, notes = {0};
    int rc, truncated = 0;

    if (strcmp(name, "list_tables") == 0)
        rc = catalog_list(db, box->max_bytes, watch, &structured, &truncated, failure);
    else
        rc = catalog_describe(db, json_string_value(table), json_string_length(table), watch, &structured, failure);
    if (truncated)
        buf_str(&notes, "There are more tables than fit; query sqlite_schema for the others.");
    if (rc == 0)
        put_result(out, &structured, &notes);
    buf_free(&structured);
    buf_free(&notes);
    return rc;
}

/* --- one call --- */

/* With the schema held still, so that the views are those that were judged. */
static int call_on(const struct toolbox *box, struct database *db, const char *name, const json_t *arguments,
                   const struct watch *watch, struct buf *out, struct call_record *record, struct failure *failure)
{
    int schema_changed = 0, rc = db->backend->enter(db->backend, watch, &schema_changed, failure);

    if (rc != 0)
        return rc;
    if (schema_changed || !db->judged)
        rc = catalog_refresh(db, watch, failure);
    if (rc == 0 && record->sql != NULL)
        rc = tool_query(box, db, arguments, watch, out, record, failure);
    else if (rc == 0)
        rc = tool_catalog(box, db, name, arguments, watch, out, failure);
    db->backend->leave(db->backend);
    return rc;
}

int toolbox_call(struct toolbox *box, const char *name, const json_t *arguments, struct watch *watch, struct buf *out)
{
    const json_t *tool = find_tool(box, name), *sql = json_object_get(arguments, "sql");
    const int64_t start = clock_ms();
    struct call_record record = {.tool = name, .sql = json_string_value(sql), .sql_len = json_string_length(sql)};
    struct failure failure = {0};
    struct database *db = NULL;
    int cancelled;

    watch->deadline_ms = start + box->timeout_ms;
    if (check_arguments(tool, arguments, &failure) == 0)
        db = find_database(box, arguments, &failure);
    if (db != NULL) {
        record.database = db->backend->name;
        call_on(box, db, name, arguments, watch, out, &record, &failure);
    }
    if (failure.code != NULL) {
        put_tool_error(out, failure.code, failure.message.data);
        record.error = failure.code;
    }
    record.duration_ms = clock_ms() - start;
    audit_write(&box->audit, &record);
    cancelled = watch_look(watch) == WATCH_CANCELLED;
    buf_free(&failure.message);
    return cancelled ? -1 : 0;
}

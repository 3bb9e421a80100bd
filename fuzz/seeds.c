/*
 * Makes what a fuzzing engine starts from: SEEDS ROOT OUT writes
 *   OUT/sql      the text of every line of ROOT/tests/cases, one a file
 *   OUT/structs  the same behind choices for fuzz/structs.c
 *   OUT/mcp      the messages of ROOT/bindings/mcp/tests/transcripts
 *   OUT/sql.dict, OUT/mcp.dict   words that mean something to SQLite, here, or to MCP
 * A private header: the library's own keywords go into the dictionary.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "../tests/case_file.h"
#include "sqlite_oracle.h"
#include <sqlite3.h>

static const struct {
    const char *prefix;
    size_t fields;
} kinds[] = {{"tokens", 2}, {"statements", 2}, {"verdict", 6}, {"view", 6}, {"clean", 5}, {"cap", 7}, {"message", 3}, {"position", 4}};

static void stop(const char *what, const char *path)
{
    fprintf(stderr, "seeds: %s %s\n", what, path);
    exit(2);
}

static void make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        stop("cannot make", path);
}

static FILE *create(const char *folder, const char *name)
{
    char path[PATH_MAX];
    FILE *stream;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        stop("too long a path in", folder);
    stream = fopen(path, "wb");
    if (stream == NULL)
        stop("cannot write", path);
    return stream;
}

/* The same text twice makes one file. */
static void write_seed(const char *folder, const char *bytes, size_t len)
{
    char name[24];
    FILE *stream;

    snprintf(name, sizeof name, "%016llx", (unsigned long long)fuzz_hash((const uint8_t *)bytes, len));
    stream = create(folder, name);
    if (fwrite(bytes, 1, len, stream) != len || fclose(stream) != 0)
        stop("cannot write into", folder);
}

/* Choices for fuzz/structs.c in front, drawn from the text; a call with everything as it should be at first. */
static void write_struct_seed(const char *folder, const struct case_field *text)
{
    enum { CHOICES = 128 };
    uint64_t random = fuzz_hash((const uint8_t *)text->bytes, text->len);
    char *bytes = fuzz_allocate(CHOICES + text->len);

    for (size_t i = 0; i < CHOICES; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        bytes[i] = (char)(random >> 56);
    }
    bytes[0] = 1;
    memcpy(bytes + CHOICES, text->bytes, text->len);
    write_seed(folder, bytes, CHOICES + text->len);
    free(bytes);
}

static unsigned long cut_case_file(const char *path, size_t fields, const char *sql, const char *structs)
{
    struct case_file file;
    unsigned long count;

    if (!case_file_read(&file, path, fields))
        exit(2);
    for (size_t i = 0; i < file.count; i++) {
        const struct case_field *text = &file.lines[i].field[fields - 1];

        write_seed(sql, text->bytes, text->len);
        if (i % 20 == 0)
            write_struct_seed(structs, text);
    }
    count = (unsigned long)file.count;
    case_file_free(&file);
    return count;
}

/* What the client sends: the lines behind `-> `. */
static unsigned long cut_transcript(const char *path, const char *folder)
{
    static const char sent[] = "-> ";
    char *text = case_read_all(path);
    unsigned long count = 0;

    if (text == NULL)
        stop("cannot read", path);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, sent, sizeof sent - 1) != 0)
            continue;
        line += sizeof sent - 1;
        write_seed(folder, line, strlen(line));
        count++;
    }
    free(text);
    return count;
}

static size_t fields_of(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i].prefix, strlen(kinds[i].prefix)) == 0)
            return kinds[i].fields;
    return 0;
}

/* Cuts the files of ROOT/where: transcripts, or case files of a known kind. Ends the program if nothing is there. */
static void cut_folder(const char *root, const char *where, const char *out, int transcripts)
{
    char folder[PATH_MAX], first[PATH_MAX], second[PATH_MAX], path[PATH_MAX];
    unsigned long count = 0;
    struct dirent *entry;
    DIR *list;

    snprintf(folder, sizeof folder, "%s/%s", root, where);
    snprintf(first, sizeof first, "%s/%s", out, transcripts ? "mcp" : "sql");
    snprintf(second, sizeof second, "%s/structs", out);
    make_folder(first);
    make_folder(second);
    list = opendir(folder);
    if (list == NULL)
        stop("cannot list", folder);
    while ((entry = readdir(list)) != NULL) {
        if (entry->d_name[0] == '.' || snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        if (transcripts)
            count += cut_transcript(path, first);
        else if (fields_of(entry->d_name) > 0)
            count += cut_case_file(path, fields_of(entry->d_name), first, second);
    }
    closedir(list);
    printf("%lu seeds from %s\n", count, where);
    if (count == 0)
        stop("no seed in", folder);
}

/* --- the dictionaries ------------------------------------------------------------------------------------ */

static void write_entry(FILE *stream, const char *word)
{
    fputc('"', stream);
    for (; *word != '\0'; word++) {
        const unsigned char b = (unsigned char)*word;

        fprintf(stream, b < 0x20 || b >= 0x7f || b == '"' || b == '\\' ? "\\x%02x" : "%c", b);
    }
    fputs("\"\n", stream);
}

static const char *const own_keywords[] = {
#define X(word, ...) #word,
#include "../lib/keywords.def"
#undef X
};

/* What SQLite reads in a way of its own. */
static const char *const signs[] = {"/*", "*/", "--", "\n", "\r", "\v", "\f", "''", "\"", "`", "[", "]", "(", ")", ";", ",", ".", "$a(", "::", "?1", "@a", "#a", "->", "->>", "||", "<>", "<<", ">>", "==", "!=", "x'00'", "0x1F", "1_0", "1e5", ".5", "\xEF\xBB\xBF", " LIMIT 9", ") LIMIT 9 --", "pragma_"};

/* Functions and tables that this SQLite has not, and that must not be named. */
static const char *const side_effects[] = {"load_extension", "writefile", "readfile", "edit", "eval", "usleep", "fsdir", "zipfile"};

/* What this SQLite has. */
static void write_names(FILE *stream, const char *query)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = NULL;

    if (sqlite3_open(":memory:", &db) != SQLITE_OK || sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK)
        stop("cannot ask SQLite:", sqlite3_errmsg(db));
    while (sqlite3_step(statement) == SQLITE_ROW)
        write_entry(stream, (const char *)sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sqlite3_close(db);
}

static const char *const message_words[] = {
    "\"jsonrpc\":\"2.0\"", "\"id\":1", "\"id\":\"a\"", "\"id\":null", "\"method\":", "\"params\":{}", "\"initialize\"",
    "\"notifications/initialized\"", "\"notifications/cancelled\"", "\"requestId\":1", "\"ping\"", "\"tools/list\"",
    "\"tools/call\"", "\"server/discover\"", "\"cursor\":", "\"protocolVersion\":", "\"2025-06-18\"", "\"2025-11-25\"",
    "\"2026-07-28\"", "\"_meta\":{}", "\"io.modelcontextprotocol/protocolVersion\":", "\"io.modelcontextprotocol/clientCapabilities\":{}",
    "\"name\":", "\"arguments\":{}", "\"list_tables\"", "\"describe_table\"", "\"query\"", "\"d1_read_query\"", "\"table\":",
    "\"sql\":", "\"SELECT 1\"", "\"params\":[]", "\"max_rows\":", "\"database\":", "\"blob_base64\":", "\"integer\":", "\"result\":{}",
    "\"error\":{}", "\\u0000", "\\ud800", "9223372036854775808", "1e999", "true", "null", "[[", "{}", ","};

static void write_message_dictionary(const char *folder)
{
    FILE *stream = create(folder, "mcp.dict");

    for (size_t i = 0; i < sizeof message_words / sizeof *message_words; i++)
        write_entry(stream, message_words[i]);
    if (fclose(stream) != 0)
        stop("cannot write into", folder);
}

static void write_sql_dictionary(const char *folder)
{
    FILE *stream = create(folder, "sql.dict");
    const char *word;

    for (size_t i = 0; i < sizeof own_keywords / sizeof *own_keywords; i++)
        write_entry(stream, own_keywords[i]);
    for (int i = 0; (word = oracle_keyword(i)) != NULL; i++)
        write_entry(stream, word);
    write_names(stream, "SELECT name FROM pragma_pragma_list UNION SELECT name FROM pragma_function_list"
                        " UNION SELECT name FROM pragma_module_list");
    for (size_t i = 0; i < sizeof side_effects / sizeof *side_effects; i++)
        write_entry(stream, side_effects[i]);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        write_entry(stream, signs[i]);
    if (fclose(stream) != 0)
        stop("cannot write into", folder);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: seeds ROOT OUT\n", stderr);
        return 2;
    }
    make_folder(argv[2]);
    cut_folder(argv[1], "tests/cases", argv[2], 0);
    cut_folder(argv[1], "bindings/mcp/tests/transcripts", argv[2], 1);
    write_sql_dictionary(argv[2]);
    write_message_dictionary(argv[2]);
    return 0;
}

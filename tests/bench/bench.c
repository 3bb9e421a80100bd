/*
 * How fast the library is, beside SQLite itself on the same texts in the same run: its tokenizer's loop
 * and sqlite3_prepare_v2.
 *
 *   bench [--quick] ROOT          tests/bench/sample.sql, and the reads of ../shared/corpora/dev if there
 *   bench --once WHAT ROOT        one walk of one measure over the sample, for instructions.sh; prints its bytes
 *
 * Times are CPU time. The measures of a table take turns, so that a busy machine slows all of them; what
 * is printed is the median of the repeats, and the fastest and slowest of them.
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../case_file.h"
#include "../oracle/texts.h"
#include "d1guard.h"
#include "sqlite3.h"
#include "sqlite_speed.h"

enum { REPEATS = 15, QUICK_REPEATS = 5 };

/* Texts one behind the other, a NUL byte behind each. */
struct texts {
    char *bytes;
    size_t used, room;
    size_t *starts; /* count + 1 of them */
    size_t count, starts_room;
};

static sqlite3 *db;
static volatile size_t sink; /* what a measure found, so that the compiler cannot leave it out */

static void fail(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(2);
}

static void *grow(void *memory, size_t bytes)
{
    void *more = realloc(memory, bytes);

    if (more == NULL)
        fail("no memory");
    return more;
}

static void add_text(struct texts *t, const char *sql, size_t len)
{
    if (t->used + len + 1 > t->room) {
        t->room = 2 * (t->used + len + 1);
        t->bytes = grow(t->bytes, t->room);
    }
    if (t->count + 2 > t->starts_room) {
        t->starts_room = 2 * (t->count + 2);
        t->starts = grow(t->starts, t->starts_room * sizeof t->starts[0]);
    }
    t->starts[t->count++] = t->used;
    memcpy(t->bytes + t->used, sql, len);
    t->bytes[t->used + len] = '\0';
    t->used += len + 1;
    t->starts[t->count] = t->used;
}

static const char *text_at(const struct texts *t, size_t i)
{
    return t->bytes + t->starts[i];
}

static size_t text_len(const struct texts *t, size_t i)
{
    return t->starts[i + 1] - t->starts[i] - 1;
}

static size_t bytes_of(const struct texts *t)
{
    return t->used - t->count;
}

/* The measures: each goes over all texts once. */

static void measure_nothing(const struct texts *t)
{
    sink += t->count;
}

static void measure_verdict(const struct texts *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct d1guard_report report = {.size = sizeof report};

        sink += (size_t)d1guard_classify(text_at(t, i), text_len(t, i), NULL, &report);
    }
}

static void measure_tokens(const struct texts *t)
{
    for (size_t i = 0; i < t->count; i++) {
        struct d1guard_token token = {.size = sizeof token};
        const char *sql = text_at(t, i);
        const size_t len = text_len(t, i);
        size_t at = 0;

        while (d1guard_next_token(sql, len, at, &token)) {
            at += (size_t)token.len;
            sink++;
        }
    }
}

static void measure_many_tokens(const struct texts *t)
{
    enum { MANY = 256 };
    struct d1guard_token tokens[MANY];

    tokens[0].size = sizeof tokens[0];
    for (size_t i = 0; i < t->count; i++) {
        const char *sql = text_at(t, i);
        const size_t len = text_len(t, i);
        size_t at = 0, found;

        do {
            found = d1guard_tokens(sql, len, at, tokens, MANY);
            sink += found;
            if (found > 0)
                at = (size_t)(tokens[found - 1].at + tokens[found - 1].len);
        } while (found == MANY);
    }
}

static void measure_sqlite_tokens(const struct texts *t)
{
    for (size_t i = 0; i < t->count; i++)
        sink += sqlite_speed_tokens(text_at(t, i));
}

static void measure_prepare(const struct texts *t)
{
    for (size_t i = 0; i < t->count; i++) {
        sqlite3_stmt *statement = NULL;

        sink += (size_t)sqlite3_prepare_v2(db, text_at(t, i), (int)text_len(t, i) + 1, &statement, NULL);
        sqlite3_finalize(statement);
    }
}

static const struct measure {
    const char *key;
    const char *name;
    void (*run)(const struct texts *);
    size_t bytes; /* a pass goes over the texts as often as gives about so many bytes */
} measures[] = {
    {"sqlite-tokens", "SQLite's tokenizer", measure_sqlite_tokens, 1 << 22},
    {"tokens", "d1guard_next_token", measure_tokens, 1 << 22},
    {"many-tokens", "d1guard_tokens", measure_many_tokens, 1 << 22},
    {"verdict", "d1guard_classify", measure_verdict, 1 << 22},
    {"prepare", "sqlite3_prepare_v2", measure_prepare, 1 << 18},
    {"nothing", "", measure_nothing, 0}, /* for instructions.sh only */
};
enum { SQLITE_TOKENS, TOKENS, MANY_TOKENS, VERDICT, PREPARE, MEASURES };

static double cpu_seconds(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        fail("no CPU clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The CPU seconds that one walk over all texts takes. */
static double time_pass(const struct measure *measure, const struct texts *t)
{
    const size_t walks = 1 + measure->bytes / (bytes_of(t) + 1);
    const double start = cpu_seconds();

    for (size_t i = 0; i < walks; i++)
        measure->run(t);
    return (cpu_seconds() - start) / (double)walks;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void print_table(const char *name, const struct texts *t, int repeats)
{
    double times[MEASURES][REPEATS];
    double median[MEASURES];
    const double bytes = (double)bytes_of(t), count = (double)t->count;

    for (int r = -1; r < repeats; r++) { /* one more, to warm up */
        for (int m = 0; m < MEASURES; m++) {
            const double seconds = time_pass(&measures[m], t);

            if (r >= 0)
                times[m][r] = seconds;
        }
    }
    printf("%s: %zu texts of %.0f bytes, medians of %d passes (slowest to fastest)\n", name, t->count, bytes / count,
           repeats);
    for (int m = 0; m < MEASURES; m++) {
        qsort(times[m], (size_t)repeats, sizeof times[m][0], by_size);
        median[m] = times[m][repeats / 2];
        printf("  %-20s %8.1f MB/s  (%.1f to %.1f) %9.1f ns a text\n", measures[m].name, bytes / median[m] * 1e-6,
               bytes / times[m][repeats - 1] * 1e-6, bytes / times[m][0] * 1e-6, median[m] / count * 1e9);
    }
    printf("  tokens %.2f (many in a call %.2f) and verdict %.2f times SQLite's tokenizer; verdict 1/%.0f of "
           "sqlite3_prepare_v2\n\n",
           median[SQLITE_TOKENS] / median[TOKENS], median[SQLITE_TOKENS] / median[MANY_TOKENS],
           median[SQLITE_TOKENS] / median[VERDICT], median[PREPARE] / median[VERDICT]);
}

/* The sample: statements that end with a `;` at the end of a line. CREATE makes the schema, the others are the texts. */
static void load_sample(struct texts *t, const char *root)
{
    char path[4096];
    char *content;
    char *next;

    if (snprintf(path, sizeof path, "%s/tests/bench/sample.sql", root) >= (int)sizeof path)
        fail("too long a path");
    content = case_read_all(path);
    if (content == NULL)
        fail("tests/bench/sample.sql cannot be read");
    for (next = content; *next != '\0';) {
        char *end = strstr(next, ";\n");

        if (end == NULL)
            fail("sample.sql: the last statement has no `;`");
        *end = '\0';
        if (strncmp(next, "CREATE ", 7) != 0)
            add_text(t, next, (size_t)(end - next));
        else if (sqlite3_exec(db, next, NULL, NULL, NULL) != SQLITE_OK)
            fail(sqlite3_errmsg(db));
        next = end + 2;
    }
    free(content);
}

/* All of the sample must be allowed, and must be what SQLite can run: else the figures mean nothing. */
static void check_sample(const struct texts *t)
{
    for (size_t i = 0; i < t->count; i++) {
        sqlite3_stmt *statement = NULL;

        if (sqlite3_prepare_v2(db, text_at(t, i), -1, &statement, NULL) != SQLITE_OK ||
            d1guard_classify(text_at(t, i), text_len(t, i), NULL, NULL) != D1GUARD_ALLOW) {
            fprintf(stderr, "%s\n", text_at(t, i));
            fail("sample.sql: this text is not valid, or not allowed");
        }
        sqlite3_finalize(statement);
    }
}

/* Reads, as people and projects write them; SQLite's own tests are not among them. */
static void add_read(void *context, const struct text *text)
{
    const char *file = strrchr(text->file, '/') + 1;

    if (json_is_true(json_object_get(text->labels, "read")) && strlen(text->sql) == text->len &&
        (strcmp(file, "text2sql.jsonl") == 0 || strcmp(file, "projects.jsonl") == 0 ||
         strcmp(file, "sqllogictest.jsonl") == 0))
        add_text(context, text->sql, text->len);
}

static void run_once(const char *key, const struct texts *t)
{
    for (int m = 0; m <= MEASURES; m++) {
        if (strcmp(measures[m].key, key) == 0) {
            measures[m].run(t);
            printf("%zu\n", bytes_of(t));
            return;
        }
    }
    fail("no such measure");
}

int main(int argc, char **argv)
{
    const char *once = argc == 4 && strcmp(argv[1], "--once") == 0 ? argv[2] : NULL;
    const int quick = argc == 3 && strcmp(argv[1], "--quick") == 0;
    struct texts sample = {0}, corpora = {0};

    if (argc != 2 && !quick && once == NULL) {
        fprintf(stderr, "usage: bench [--quick | --once WHAT] ROOT\n");
        return 2;
    }
    if (sqlite3_open(":memory:", &db) != SQLITE_OK)
        fail(sqlite3_errmsg(db));
    load_sample(&sample, argv[argc - 1]);
    check_sample(&sample);
    if (once != NULL) {
        run_once(once, &sample);
        return 0;
    }
    printf("SQLite %s\n", sqlite3_libversion());
    print_table("sample.sql", &sample, quick ? QUICK_REPEATS : REPEATS);
    texts_of_corpora(argv[argc - 1], add_read, &corpora);
    if (corpora.count > 0)
        print_table("corpora", &corpora, quick ? QUICK_REPEATS : REPEATS);
    sqlite3_close(db);
    return 0;
}

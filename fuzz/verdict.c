/*
 * The verdict against the engine.
 *   - What either engine's lists allow is run on a file and on a database in memory: SQLite's authorizer
 *     hears of nothing but reads, and file, folder, memory image and connection stay as they were.
 *   - Verdict, reason and place stay when blanks and comments are put at token borders and when words
 *     change their letter case.
 *   - The cleaned text is allowed, cleans to itself and holds the same statements.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include <d1guard.h>

#include "scratch.h"

enum { ALL_RISKS = 0x7e };

const size_t fuzz_header = 0;

static const struct d1guard_options options[] = {
    {.size = sizeof options[0]},
    {.size = sizeof options[0], .engine = D1GUARD_ENGINE_SQLITE},
    {.size = sizeof options[0], .engine = D1GUARD_ENGINE_SQLITE, .flags = D1GUARD_STRICT_FUNCTIONS},
    {.size = sizeof options[0], .allow_risks = ALL_RISKS, .flags = D1GUARD_REQUIRE_WHERE, .max_statements = 2},
};

enum { OPTIONS = sizeof options / sizeof options[0], READERS = 2 /* the first ones allow what must only read */ };

/* --- the engine ---------------------------------------------------------------------------------------- */

static struct scratch *file;

static struct {
    sqlite3 *db;
    unsigned char *image; /* as it was at first */
    sqlite3_int64 size;
    int changes;
    int looks;
    int asked_to_write;
} memory;

static int authorize(void *context, int action, const char *first, const char *second, const char *third, const char *fourth)
{
    (void)context, (void)third, (void)fourth;
    if (!scratch_only_reads(action, first, second))
        memory.asked_to_write = 1; /* and is not run: see run_in_memory */
    return SQLITE_OK;
}

static int look_at_budget(void *context)
{
    (void)context;
    return ++memory.looks > 40;
}

static void close_file(void)
{
    scratch_close(file);
}

/* Once; the folder goes when the process ends well. */
static void open_databases(void)
{
    static const char use_tables[] = "SELECT * FROM f3; SELECT * FROM f4; SELECT * FROM f5; SELECT * FROM rt";

    if (file != NULL)
        return;
    file = scratch_open();
    atexit(close_file);
    memory.db = scratch_memory();
    sqlite3_exec(memory.db, use_tables, NULL, NULL, NULL);
    memory.image = sqlite3_serialize(memory.db, "main", &memory.size, 0);
    memory.changes = sqlite3_total_changes(memory.db);
    sqlite3_set_authorizer(memory.db, authorize, NULL);
    sqlite3_progress_handler(memory.db, 500, look_at_budget, NULL);
}

static int memory_changed(void)
{
    sqlite3_int64 size;
    unsigned char *image = sqlite3_serialize(memory.db, "main", &size, 0);
    const int same = size == memory.size && image != NULL && memcmp(image, memory.image, (size_t)size) == 0;

    sqlite3_free(image);
    return !same || memory.asked_to_write || sqlite3_total_changes(memory.db) != memory.changes ||
           !sqlite3_get_autocommit(memory.db);
}

static void run_in_memory(const char *sql, size_t len)
{
    char *z = fuzz_string((const uint8_t *)sql, len);
    const char *const end = z + len;
    const char *tail = z;
    const char *from;

    do {
        sqlite3_stmt *statement = NULL;
        int rows = 0;

        from = tail;
        memory.looks = 0;
        if (sqlite3_prepare_v2(memory.db, from, (int)(end - from) + 1, &statement, &tail) != SQLITE_OK) {
            memory.asked_to_write = 0; /* a name met before an error has no effect */
            break;
        }
        while (!memory.asked_to_write && rows++ < 300 && sqlite3_step(statement) == SQLITE_ROW)
            ;
        sqlite3_finalize(statement);
    } while (!memory.asked_to_write && tail < end && tail > from);
    free(z);
}

/* Runs an allowed text. A text without a statement that SQLite takes changes nothing worth a look. */
static void check_effects(const char *sql, size_t len)
{
    const char *change;

    open_databases();
    scratch_run(file, sql, len);
    change = scratch_changed(file);
    if (change == NULL)
        change = scratch_state_changed(file);
    if (change != NULL)
        fuzz_broken(change, sql, len);
    run_in_memory(sql, len);
    if (memory_changed())
        fuzz_broken("the database in memory changed", sql, len);
}

/* --- stable verdicts --------------------------------------------------------------------------------- */

static int verdict_of(const char *sql, size_t len, const struct d1guard_options *o, struct d1guard_report *report)
{
    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    return d1guard_classify(sql, len, o, report);
}

/* Is every border between tokens one that a blank does not change? */
static int is_stable(const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};
    uint32_t before = D1GUARD_TOKEN_ILLEGAL;

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        if (token.kind == D1GUARD_TOKEN_ILLEGAL && sql[at] == '\v')
            return 0; /* legal behind a blank */
        if (token.kind == D1GUARD_TOKEN_STAR && before == D1GUARD_TOKEN_SLASH)
            return 0; /* at the text's end or before a NUL; more text behind it would make it a comment */
        before = token.kind;
    }
    return 1;
}

/* The same tokens with something between them, words in another case. *mark moves along with its token. */
static void dress(const char *sql, size_t len, uint64_t random, struct text *out, uint64_t *mark)
{
    static const char *const fillers[] = {"", " ", "\n", "\t", "/**/", "/*;*/", "/*'*/", " --\"\n", " --;\r\n", "\r", "\f", "/* ( */"};
    struct d1guard_token token = {.size = sizeof token};
    const uint64_t place = *mark;

    text_clear(out);
    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len) {
        const int is_open = token.kind == D1GUARD_TOKEN_ILLEGAL || token.kind == D1GUARD_TOKEN_COMMENT;

        if (at == place)
            *mark = out->len;
        text_add(out, sql + at, (size_t)token.len);
        for (size_t i = out->len - (size_t)token.len; token.kind == D1GUARD_TOKEN_WORD && i < out->len; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            if ((random >> 60 & 1) && ((out->bytes[i] | 32) >= 'a' && (out->bytes[i] | 32) <= 'z'))
                out->bytes[i] ^= 32;
        }
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (!is_open) /* what is behind an open one belongs to it */
            text_add_string(out, fillers[(random >> 33) % (sizeof fillers / sizeof *fillers)]);
    }
}

static void check_stable(const char *sql, size_t len, const struct d1guard_options *o, uint64_t random)
{
    static struct text dressed;
    struct d1guard_report plain, other;
    uint64_t mark;

    verdict_of(sql, len, o, &plain);
    mark = plain.at;
    dress(sql, len, random, &dressed, &mark);
    verdict_of(dressed.bytes, dressed.len, o, &other);
    if (other.verdict != plain.verdict || other.reason != plain.reason || other.statement != plain.statement ||
        (plain.len > 0 && other.at != mark)) {
        fprintf(stderr, "plain: %s at %lu, dressed: %s at %lu, should be %lu: ", d1guard_reason_slug(plain.reason),
                (unsigned long)plain.at, d1guard_reason_slug(other.reason), (unsigned long)other.at, (unsigned long)mark);
        text_print(stderr, dressed.bytes, dressed.len);
        fputs("\n", stderr);
        fuzz_broken("blanks, comments and letter case change no verdict", sql, len);
    }
}

/* --- the cleaned text ------------------------------------------------------------------------------------ */

static int same_kinds(const char *one, size_t one_len, const char *other, size_t other_len)
{
    struct d1guard_statement a = {.size = sizeof a}, b = {.size = sizeof b};
    int more;

    do {
        more = d1guard_next_statement(one, one_len, (size_t)a.next, &a);
        if (d1guard_next_statement(other, other_len, (size_t)b.next, &b) != more)
            return 0;
        if (more == 1 && (a.kind != b.kind || a.explain != b.explain || a.flags != b.flags))
            return 0;
    } while (more == 1);
    return 1;
}

/* Does a comment hold what could make another splitter cut there? */
static int cuts_in_comment(const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len)
        if (token.kind == D1GUARD_TOKEN_COMMENT &&
            (memchr(sql + at, ';', (size_t)token.len) != NULL || memchr(sql + at, '\r', (size_t)token.len) != NULL))
            return 1;
    return 0;
}

static void check_clean(const char *sql, size_t len, const struct d1guard_options *o)
{
    struct d1guard_report report = {.size = sizeof report};
    size_t size, again_size;
    char *out, *again;

    if (d1guard_clean(sql, len, o, NULL, 0, &size, &report) != D1GUARD_ALLOW)
        fuzz_broken("what is allowed can be cleaned", sql, len);
    if (size > len + report.statements)
        fuzz_broken("a cleaned text is no longer than the header says", sql, len);
    out = fuzz_allocate(size);
    again = fuzz_allocate(size);
    if (d1guard_clean(sql, len, o, out, size, &again_size, NULL) != D1GUARD_ALLOW || again_size != size)
        fuzz_broken("cleaning twice gives the same", sql, len);
    if (d1guard_clean(out, size, o, again, size, &again_size, NULL) != D1GUARD_ALLOW || again_size != size ||
        memcmp(again, out, size) != 0)
        fuzz_broken("a cleaned text is allowed and clean", sql, len);
    if (cuts_in_comment(out, size))
        fuzz_broken("no comment of a cleaned text holds a semicolon or CR", sql, len);
    if (!same_kinds(sql, len, out, size))
        fuzz_broken("a cleaned text holds the same statements", sql, len);
    free(out);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *sql = fuzz_exact(data, size);
    const uint64_t random = fuzz_hash(data, size);
    int reads = 0;

    for (size_t i = 0; i < OPTIONS; i++) {
        struct d1guard_report report;

        if (verdict_of(sql, size, &options[i], &report) != D1GUARD_ALLOW)
            continue;
        reads |= i < READERS;
        check_clean(sql, size, &options[i]);
    }
    if (reads)
        check_effects(sql, size);
    if (is_stable(sql, size))
        check_stable(sql, size, &options[random % OPTIONS], random);
    free(sql);
    return 0;
}

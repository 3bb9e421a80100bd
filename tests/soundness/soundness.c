/*
 * Soundness: whatever d1guard_classify allows is run on a scratch database where everything could be
 * written, and nothing may change. The reverse too: whatever it refuses although SQLite takes it as
 * queries must name a documented reason.
 *
 * Before that it shows that it can see: a verdict that reads only the first word is put through the same
 * checks and must miss.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "generate.h"
#include "inputs.h"
#include "scratch.h"
#include "shrink.h"

#include <d1guard.h>

#include <ctype.h>

enum { BATCH = 32, CONTROL_TEXTS = 3000, MISSES_MAX = 10 };

typedef int verdict_fn(const char *sql, size_t len);

struct run {
    struct scratch *scratch;
    verdict_fn *verdict;
    struct text batch[BATCH]; /* allowed texts since the state was last read */
    unsigned batched;
    int quiet;
    uint64_t texts, allowed, statements, misses;
    uint64_t refused_reads, undocumented;
    uint64_t by_reason[D1GUARD_REASON_LAST + 1];
};

/* --- verdicts ------------------------------------------------------------------------------------------ */

static int verdict_of(uint32_t engine, const char *sql, size_t len, struct d1guard_report *report)
{
    struct d1guard_options options = {.size = sizeof options, .engine = engine};

    memset(report, 0, sizeof *report);
    report->size = sizeof *report;
    return d1guard_classify(sql, len, &options, report);
}

/* Allowed by either engine's lists. */
static int library_verdict(const char *sql, size_t len)
{
    struct d1guard_report report;

    return verdict_of(D1GUARD_ENGINE_SQLITE, sql, len, &report) == D1GUARD_ALLOW ||
           verdict_of(D1GUARD_ENGINE_D1, sql, len, &report) == D1GUARD_ALLOW;
}

/* What many tools do: read the first word. */
static int first_word_verdict(const char *sql, size_t len)
{
    static const char *const reads[] = {"SELECT", "WITH", "VALUES", "EXPLAIN", "PRAGMA"};

    while (len > 0 && isspace((unsigned char)*sql)) {
        sql++;
        len--;
    }
    for (size_t i = 0; i < sizeof reads / sizeof *reads; i++) {
        size_t n = 0;

        while (n < len && reads[i][n] != '\0' && toupper((unsigned char)sql[n]) == reads[i][n])
            n++;
        if (reads[i][n] == '\0')
            return 1;
    }
    return 0;
}

/* --- misses -------------------------------------------------------------------------------------------- */

/* Runs one text on a fresh database, all checks at once. */
static const char *change_alone(struct run *run, const char *sql, size_t len)
{
    const char *change;

    scratch_restore(run->scratch);
    scratch_run(run->scratch, sql, len);
    change = scratch_changed(run->scratch);
    return change != NULL ? change : scratch_state_changed(run->scratch);
}

static int shows_miss(void *context, const char *sql, size_t len)
{
    struct run *run = context;

    return run->verdict(sql, len) && change_alone(run, sql, len) != NULL;
}

static void report_miss(struct run *run, const char *sql, size_t len)
{
    const char *change = change_alone(run, sql, len);
    struct text text = {0};

    run->misses++;
    if (!run->quiet && run->misses <= MISSES_MAX) {
        text_set(&text, sql, len);
        printf("MISS: %s\n  text: ", change != NULL ? change : "only together with the texts before it");
        text_print(stdout, sql, len);
        if (change != NULL) {
            shrink(&text, shows_miss, run);
            printf("\n  least: ");
            text_print(stdout, text.bytes, text.len);
            printf("\n  which: %s", change_alone(run, text.bytes, text.len));
        }
        printf("\n");
        text_free(&text);
    }
    scratch_restore(run->scratch);
}

/* Reads the whole state; if it changed, finds the text of the batch that did it. */
static void check_batch(struct run *run)
{
    const uint64_t misses = run->misses;

    if (scratch_state_changed(run->scratch) != NULL) {
        for (unsigned i = 0; i < run->batched; i++) {
            if (change_alone(run, run->batch[i].bytes, run->batch[i].len) != NULL)
                report_miss(run, run->batch[i].bytes, run->batch[i].len);
        }
        scratch_restore(run->scratch);
        if (run->misses == misses) {
            run->misses++;
            printf("MISS: together, not alone, these change the state\n");
            for (unsigned i = 0; i < run->batched; i++) {
                printf("  text: ");
                text_print(stdout, run->batch[i].bytes, run->batch[i].len);
                printf("\n");
            }
        }
    }
    run->batched = 0;
}

static void run_allowed(struct run *run, const char *sql, size_t len)
{
    run->allowed++;
    run->statements += scratch_run(run->scratch, sql, len);
    if (scratch_changed(run->scratch) != NULL) {
        report_miss(run, sql, len);
        return;
    }
    text_set(&run->batch[run->batched++], sql, len);
    if (run->batched == BATCH)
        check_batch(run);
}

/* --- the reverse -----------------------------------------------------------------------------------------
 */

/* The refused word without its quotes, in small letters. */
static void plain_word(const char *word, size_t len, char *plain, size_t size)
{
    size_t n = 0;

    if (len > 2 && strchr("'\"`[", word[0]) != NULL) {
        word++;
        len -= 2;
    }
    for (; n < len && n + 1 < size; n++)
        plain[n] = (char)tolower((unsigned char)word[n]);
    plain[n] = '\0';
}

static int listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, list[i]) == 0)
            return 1;
    }
    return 0;
}

#define LISTED(name, list) listed((name), (list), sizeof(list) / sizeof *(list))

/* The PRAGMAs that the default engine lets through; the other one lets all through that only report. */
static const char *const d1_pragmas[] = {"table_list",  "table_info",        "table_xinfo",
                                         "index_list",  "index_info",        "index_xinfo",
                                         "quick_check", "foreign_key_check", "foreign_key_list"};

static int is_denied_name(const char *name)
{
    static const char *const names[] = {
        "optimize", "load_extension", "fts3_tokenizer",  "sqlite_log", "writefile",    "readfile",
        "edit",     "sha3_query",     "sha1_query",      "usleep",     "shell_putsnl", "eval",
        "define",   "undefine",       "pragma_optimize", "bytecode",   "tables_used",  "sqlite_dbpage",
        "fsdir",    "lsdir",          "zipfile",
        "initspatialmetadata", "initspatialmetadatafull", "addgeometrycolumn", "recovergeometrycolumn",
        "discardgeometrycolumn", "createspatialindex", "disablespatialindex", "blobtofile",
        "sqlcipher_export", "crsql_as_crr", "crsql_as_table", "crsql_begin_alter",
        "crsql_commit_alter", "crsql_finalize", "writeblob", "fileio_write",
        "fileio_append", "fileio_mkdir", "fileio_symlink", "icu_load_collation"};

    return LISTED(name, names);
}

/* name: a PRAGMA, or a table called pragma_ and its name. What gets here only reports, or is not there: in a
 * WITH table that nothing reads, SQLite does not look for it. */
static int is_unlisted_pragma(struct run *run, const char *name, uint32_t engine)
{
    if (strncmp(name, "pragma_", 7) == 0 && strcmp(name, "pragma_list") != 0)
        name += 7;
    return !scratch_has_pragma(run->scratch, name) ||
           (engine == D1GUARD_ENGINE_D1 && !LISTED(name, d1_pragmas));
}

/* Why may a text be refused that SQLite takes as queries and reporting PRAGMAs? README, "What it decides". */
static int is_documented(struct run *run, const struct d1guard_report *report, uint32_t engine,
                         const char *sql)
{
    static const char *const query_heads[] = {"select", "values", "with"};
    const char *word = sql + report->at;
    char name[64];

    plain_word(word, (size_t)report->len, name, sizeof name);
    switch (report->reason) {
    case D1GUARD_REASON_DENIED_FUNCTION:
    case D1GUARD_REASON_DENIED_TABLE:
        return is_denied_name(name);
    case D1GUARD_REASON_VARIABLE_PAREN:
        return memchr(word, '(', (size_t)report->len) != NULL;
    case D1GUARD_REASON_NUL_BYTE:
        return word[0] == '\0';
    case D1GUARD_REASON_BAD_NUMBER:
        /* Up to 3.45, 0x1G was 0x1 and the alias G. */
        return sqlite3_libversion_number() < 3046000 && name[0] == '0' && name[1] == 'x';
    case D1GUARD_REASON_PRAGMA_NOT_LISTED:
        return is_unlisted_pragma(run, name, engine);
    case D1GUARD_REASON_EXPLAIN_NOT_READ:
        return !LISTED(name, query_heads);
    default:
        return 0;
    }
}

/* Refused for a reason that is not documented, though SQLite takes it as queries and reporting PRAGMAs? */
static int is_false_refusal(struct run *run, uint32_t engine, const char *sql, size_t len,
                            struct d1guard_report *report)
{
    const enum scratch_reading reading = scratch_read(run->scratch, sql, len);

    if (reading != SCRATCH_QUERIES && reading != SCRATCH_WITH_PRAGMA)
        return 0;
    return verdict_of(engine, sql, len, report) != D1GUARD_ALLOW && !is_documented(run, report, engine, sql);
}

struct refusal {
    struct run *run;
    uint32_t engine;
    struct d1guard_report report;
};

static int shows_refusal(void *context, const char *sql, size_t len)
{
    struct refusal *refusal = context;

    return is_false_refusal(refusal->run, refusal->engine, sql, len, &refusal->report);
}

static void report_false_refusal(struct run *run, uint32_t engine, const char *sql, size_t len)
{
    struct refusal refusal = {.run = run, .engine = engine};
    struct text text = {0};

    text_set(&text, sql, len);
    shrink(&text, shows_refusal, &refusal);
    shows_refusal(&refusal, text.bytes, text.len);
    printf("FALSE REFUSAL (%s): %s at %lu, %lu bytes\n  least: ",
           engine == D1GUARD_ENGINE_D1 ? "d1" : "sqlite", d1guard_reason_slug(refusal.report.reason),
           (unsigned long)refusal.report.at, (unsigned long)refusal.report.len);
    text_print(stdout, text.bytes, text.len);
    printf("\n");
    text_free(&text);
}

static void check_refused(struct run *run, uint32_t engine, const char *sql, size_t len)
{
    struct d1guard_report report;

    if (verdict_of(engine, sql, len, &report) == D1GUARD_ALLOW)
        return;
    run->refused_reads++;
    run->by_reason[report.reason]++;
    if (is_documented(run, &report, engine, sql))
        return;
    if (run->undocumented++ < MISSES_MAX)
        report_false_refusal(run, engine, sql, len);
}

static void judge(void *context, const char *sql, size_t len)
{
    struct run *run = context;
    enum scratch_reading reading;

    run->texts++;
    if (run->verdict(sql, len))
        run_allowed(run, sql, len);
    if (run->verdict != library_verdict)
        return;
    reading = scratch_read(run->scratch, sql, len);
    if (reading == SCRATCH_QUERIES || reading == SCRATCH_WITH_PRAGMA) {
        check_refused(run, D1GUARD_ENGINE_SQLITE, sql, len);
        check_refused(run, D1GUARD_ENGINE_D1, sql, len);
    }
}

/* --- the program ------------------------------------------------------------------------------------------
 */

/* The same checks on a verdict known to be wrong. Returns its misses. */
static uint64_t run_control(struct scratch *scratch, struct generator *generator, uint64_t seed)
{
    static struct run run;

    run.scratch = scratch;
    run.verdict = first_word_verdict;
    run.quiet = 1;
    inputs_generated(generator, NULL, seed, CONTROL_TEXTS, judge, &run);
    check_batch(&run);
    printf("control (first word only): %lu texts, %lu allowed, %lu misses seen\n", (unsigned long)run.texts,
           (unsigned long)run.allowed, (unsigned long)run.misses);
    scratch_restore(scratch);
    return run.misses;
}

static void print_counts(const struct run *run, const struct inputs *inputs)
{
    printf("SQLite %s: %lu texts (%lu cases, %lu corpus texts, the rest generated), %lu allowed, %lu "
           "statements run, %lu misses\n",
           sqlite3_libversion(), (unsigned long)run->texts, (unsigned long)inputs->cases_taken,
           (unsigned long)inputs->corpora_taken,
           (unsigned long)run->allowed, (unsigned long)run->statements, (unsigned long)run->misses);
    printf("refused though SQLite takes them as queries or reporting PRAGMAs (each engine counts): %lu, "
           "undocumented %lu\n",
           (unsigned long)run->refused_reads, (unsigned long)run->undocumented);
    for (uint32_t reason = 0; reason <= D1GUARD_REASON_LAST; reason++) {
        if (run->by_reason[reason] > 0)
            printf("  %s %lu\n", d1guard_reason_slug(reason), (unsigned long)run->by_reason[reason]);
    }
}

int main(int argc, char **argv)
{
    static struct run run;
    struct inputs inputs;
    struct generator *generator;
    struct scratch *scratch;
    uint64_t control = 1;

    inputs_read(&inputs, argc, argv, 20000);
    scratch = scratch_open();
    run.scratch = scratch;
    run.verdict = library_verdict;
    generator = inputs_generator(&inputs);
    if (inputs.text == NULL)
        control = run_control(scratch, generator, inputs.seed);
    inputs_all(&inputs, generator, NULL, judge, &run);
    check_batch(&run);
    print_counts(&run, &inputs);
    scratch_close(scratch);
    generate_close(generator);
    if (control == 0)
        printf("the control run saw no miss: these checks are blind\n");
    return control == 0 || run.misses > 0 || run.undocumented > 0;
}

/*
 * Splitter independence: whatever cuts a cleaned text into statements, and wherever, running the pieces
 * changes nothing. Each piece runs in order, with everything writable, up to the first error.
 *
 * The originals, uncleaned, are cut too: there the same checks must find a change, or they are blind.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "generate.h"
#include "inputs.h"
#include "scratch.h"
#include "splitter.h"

#include <d1guard.h>

enum { BATCH = 32, PRINTED_MAX = 20, CONTROL_TEXTS = 1000 };

struct piece_run {
    struct scratch *scratch;
    int original; /* cut what came in, not what d1guard_clean made of it */
    struct text cleaned;
    struct text batch[BATCH];
    unsigned batched;
    uint64_t texts, allowed, pieces, wrong_cuts, changes, broken;
};

/* --- cutting and running ---------------------------------------------------------------------------------
 */

/* Runs the pieces up to the first that SQLite refuses. Returns how many were run. */
static unsigned run_pieces(struct scratch *scratch, const struct splitter *splitter, const struct text *text)
{
    unsigned pieces = 0;

    for (size_t at = 0; at < text->len;) {
        const size_t end = splitter_next(splitter, text->bytes, text->len, at);

        pieces++;
        if (!scratch_run_all(scratch, text->bytes + at, end - at))
            break;
        at = end;
    }
    return pieces;
}

static const char *change_alone(struct piece_run *run, const struct text *text, size_t *splitter)
{
    for (size_t i = 0; i < splitter_count; i++) {
        const char *change;

        scratch_restore(run->scratch);
        run_pieces(run->scratch, &splitters[i], text);
        change = scratch_changed(run->scratch);
        if (change == NULL)
            change = scratch_state_changed(run->scratch);
        if (change != NULL) {
            *splitter = i;
            return change;
        }
    }
    return NULL;
}

static void report_change(struct piece_run *run, const struct text *text)
{
    size_t splitter = 0;
    const char *change;

    run->changes++;
    if (!run->original && run->changes <= PRINTED_MAX) {
        change = change_alone(run, text, &splitter);
        printf("CHANGE: %s, cut by: %s\n  cleaned text: ",
               change != NULL ? change : "only together with others", splitters[splitter].name);
        text_print(stdout, text->bytes, text->len);
        printf("\n");
    }
    scratch_restore(run->scratch);
}

static void check_batch(struct piece_run *run)
{
    const uint64_t changes = run->changes;
    size_t splitter = 0;

    if (scratch_state_changed(run->scratch) != NULL) {
        for (unsigned i = 0; i < run->batched; i++) {
            if (change_alone(run, &run->batch[i], &splitter) != NULL)
                report_change(run, &run->batch[i]);
        }
        if (run->changes == changes)
            report_change(run, &run->batch[0]);
        scratch_restore(run->scratch);
    }
    run->batched = 0;
}

/* Are two splitters of one mind about this text? Then one run is enough. */
static int same_cuts(const struct splitter *one, const struct splitter *other, const struct text *text)
{
    size_t at = 0;

    while (at < text->len) {
        const size_t end = splitter_next(one, text->bytes, text->len, at);

        if (end != splitter_next(other, text->bytes, text->len, at))
            return 0;
        at = end;
    }
    return 1;
}

static void run_splitters(struct piece_run *run, const struct text *text)
{
    for (size_t i = 0; i < splitter_count; i++) {
        size_t earlier = 0;

        while (earlier < i && !same_cuts(&splitters[earlier], &splitters[i], text))
            earlier++;
        if (earlier < i)
            continue;
        run->wrong_cuts += i > 0;
        run->pieces += run_pieces(run->scratch, &splitters[i], text);
        if (scratch_changed(run->scratch) != NULL) {
            report_change(run, text);
            return;
        }
    }
    text_set(&run->batch[run->batched++], text->bytes, text->len);
    if (run->batched == BATCH)
        check_batch(run);
}

/* --- texts
 * --------------------------------------------------------------------------------------------------- */

static void complain(struct piece_run *run, const char *what, const char *sql, size_t len)
{
    if (run->broken++ < PRINTED_MAX) {
        printf("WRONG: %s\n  text: ", what);
        text_print(stdout, sql, len);
        printf("\n");
    }
}

/* What the header says of d1guard_clean, beside what its text does. */
static void check_contract(struct piece_run *run, const struct d1guard_options *options, const char *sql,
                           size_t len)
{
    const struct text *cleaned = &run->cleaned;
    struct d1guard_report report = {.size = sizeof report};
    struct text again = {0};
    size_t size = 0;

    if (d1guard_classify(cleaned->bytes, cleaned->len, options, &report) != D1GUARD_ALLOW)
        complain(run, "the cleaned text is not allowed", sql, len);
    if (cleaned->len > len + report.statements) /* a line feed behind each `;` */
        complain(run, "the cleaned text is longer than the original", sql, len);
    text_reserve(&again, cleaned->len);
    if (d1guard_clean(cleaned->bytes, cleaned->len, options, again.bytes, again.room, &size, NULL) !=
            D1GUARD_ALLOW ||
        size != cleaned->len || memcmp(again.bytes, cleaned->bytes, size) != 0)
        complain(run, "cleaning the cleaned text changes it", sql, len);
    text_free(&again);
}

static void judge(void *context, const char *sql, size_t len)
{
    struct piece_run *run = context;
    struct d1guard_options options = {.size = sizeof options, .engine = D1GUARD_ENGINE_SQLITE};
    struct text *cleaned = &run->cleaned;
    size_t size = 0;

    run->texts++;
    if (d1guard_clean(sql, len, &options, NULL, 0, &size, NULL) != D1GUARD_ALLOW)
        return;
    run->allowed++;
    text_clear(cleaned);
    if (run->original) {
        text_add(cleaned, sql, len);
    } else {
        size_t written = 0;

        text_reserve(cleaned, size);
        if (d1guard_clean(sql, len, &options, cleaned->bytes, cleaned->room, &written, NULL) !=
                D1GUARD_ALLOW ||
            written != size) {
            complain(run, "the second call of d1guard_clean differs from the first", sql, len);
            return;
        }
        cleaned->len = size;
        cleaned->bytes[size] = '\0';
        check_contract(run, &options, sql, len);
    }
    run_splitters(run, cleaned);
}

static void print_counts(const struct piece_run *run, const char *what)
{
    printf("SQLite %s, %s: %lu texts, %lu allowed, cut by %lu splitters with %lu different results, %lu "
           "pieces run, %lu changes\n",
           sqlite3_libversion(), what, (unsigned long)run->texts, (unsigned long)run->allowed,
           (unsigned long)splitter_count, (unsigned long)run->wrong_cuts, (unsigned long)run->pieces,
           (unsigned long)run->changes);
}

int main(int argc, char **argv)
{
    static struct piece_run cleaned, original;
    struct inputs inputs;
    struct generator *generator;
    struct scratch *scratch;
    int blind = 0;

    inputs_read(&inputs, argc, argv, 4000);
    scratch = scratch_open();
    cleaned.scratch = original.scratch = scratch;
    original.original = 1;
    generator = inputs_generator(&inputs);
    if (inputs.text == NULL) {
        inputs_cases(&inputs, judge, &original);
        inputs_generated(generator, NULL, inputs.seed, CONTROL_TEXTS, judge, &original);
        check_batch(&original);
        print_counts(&original, "originals (control)");
        scratch_restore(scratch);
        blind = original.changes == 0;
    }
    inputs_all(&inputs, generator, NULL, judge, &cleaned);
    check_batch(&cleaned);
    print_counts(&cleaned, "cleaned");
    scratch_close(scratch);
    generate_close(generator);
    if (blind)
        printf("the originals changed nothing: these checks are blind\n");
    return blind || cleaned.changes > 0 || cleaned.broken > 0;
}

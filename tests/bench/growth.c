/*
 * A text twice as long takes twice the time, whatever the text: hostile shapes from 1 KB on, four times
 * longer at each step. Prints the nanoseconds of each byte; they must not grow.
 *
 *   growth [MEGABYTES]      the longest texts, 64 when left out
 */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "d1guard.h"

/* `head`, then `open` again and again, `middle`, and `close` as often. */
static const struct shape {
    const char *name, *head, *open, *middle, *close;
} shapes[] = {
    {"one string", "SELECT '", "a", "'", ""},
    {"one open string", "SELECT '", "a", "", ""},
    {"doubled quotes", "SELECT '", "''", "'", ""},
    {"short strings", "SELECT ''", "+''", "", ""},
    {"open quotes", "SELECT ", "\"", "", ""},
    {"one word", "SELECT ", "a", "", ""},
    {"one number", "SELECT ", "1", "", ""},
    {"numbers and dots", "SELECT ", "1.", "", ""},
    {"no blanks", "SELECT 1", ",1", "", ""},
    {"blanks", "SELECT 1", " ", "", ""},
    {"blanks and VT", "SELECT 1", " \v", "", ""},
    {"one comment", "SELECT 1 /*", "*", "/", ""},
    {"comments", "SELECT 1", "/**/", "", ""},
    {"open comments", "SELECT 1", " --\n", "", ""},
    {"minus signs", "SELECT 1", "- ", "1", ""},
    {"line comment of minus signs", "SELECT 1", "-", "", ""},
    {"nested parentheses", "SELECT ", "(", "1", ")"},
    {"open parentheses", "SELECT ", "(", "", ""},
    {"variables with parentheses", "SELECT ", "$a(", "", ""},
    {"variables", "SELECT :a", ",:a", "", ""},
    {"brackets", "SELECT [", "[", "]", ""},
    {"bracketed names", "SELECT [a]", ",[a]", "", ""},
    {"semicolons", "SELECT 1", ";", "", ""},
    {"statements", "", "SELECT 1;", "", ""},
    {"WITH list", "WITH a AS (SELECT 1)", ", a AS (SELECT 1)", " SELECT 1", ""},
    {"deep WITH", "", "WITH a AS (", "SELECT 1", ") SELECT 1"},
    {"deep CASE", "SELECT ", "CASE WHEN 1 THEN ", "1", " END"},
    {"deep subqueries", "", "SELECT (", "SELECT 1", ")"},
    {"listed names", "SELECT optimize", ",optimize", "", ""},
    {"declared columns", "SELECT eval(a", ",eval(a", "", ""},
    {"FROM lists", "SELECT eval FROM a", ",a", "", ""},
    {"hex digits", "SELECT x'", "00", "'", ""},
    {"a bad blob", "SELECT x'0", "00", "", ""},
};

enum { SMALLEST = 1024, SHAPES = sizeof shapes / sizeof shapes[0] };

/* Fills text with a shape of at most size bytes. Returns how many. */
static size_t make_text(char *text, size_t size, const struct shape *s)
{
    const size_t open = strlen(s->open), close = strlen(s->close);
    const size_t times = (size - strlen(s->head) - strlen(s->middle)) / (open + close);
    char *end = text;

    end = (char *)memcpy(end, s->head, strlen(s->head)) + strlen(s->head);
    for (size_t i = 0; i < times; i++)
        end = (char *)memcpy(end, s->open, open) + open;
    end = (char *)memcpy(end, s->middle, strlen(s->middle)) + strlen(s->middle);
    for (size_t i = 0; i < times; i++)
        end = (char *)memcpy(end, s->close, close) + close;
    return (size_t)(end - text);
}

static double cpu_seconds(void)
{
    struct timespec now;

    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        exit(2);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Nanoseconds of CPU time that a verdict takes for each byte: the best of some, for a busy machine. */
static double time_verdict(const char *text, size_t len)
{
    struct d1guard_report report = {.size = sizeof report};
    const size_t calls = 1 + (1 << 16) / len;
    double best = 0;

    for (int i = 0; i < 3; i++) {
        const double start = cpu_seconds();
        double spent;

        for (size_t k = 0; k < calls; k++)
            d1guard_classify(text, len, NULL, &report);
        spent = (cpu_seconds() - start) / (double)(calls * len) * 1e9;
        if (i == 0 || spent < best)
            best = spent;
    }
    return best;
}

int main(int argc, char **argv)
{
    const size_t longest = (size_t)(argc > 1 ? strtoul(argv[1], NULL, 10) : 64) << 20;
    char *text = malloc(longest);
    int grows = 0;

    if (text == NULL || longest == 0) {
        fprintf(stderr, "usage: growth [MEGABYTES]\n");
        return 2;
    }
    printf("ns of d1guard_classify a byte; the text is four times longer from column to column\n%-28s", "");
    for (size_t size = SMALLEST; size <= longest; size *= 4)
        printf(" %6zu K", size / 1024);
    printf("\n");
    for (int i = 0; i < SHAPES; i++) {
        double least = 0, last = 0;

        printf("%-28s", shapes[i].name);
        for (size_t size = SMALLEST; size <= longest; size *= 4) {
            last = time_verdict(text, make_text(text, size, &shapes[i]));
            if (size == SMALLEST || last < least)
                least = last;
            printf(" %8.2f", last);
            fflush(stdout);
        }
        /* What is seldom refused at once takes no time a byte; memory beyond the caches takes some. */
        if (last > 4 * least + 1) {
            grows++;
            printf("  grows");
        }
        printf("\n");
    }
    printf("%d of %d shapes grow faster than their text\n", grows, (int)SHAPES);
    free(text);
    return grows != 0;
}

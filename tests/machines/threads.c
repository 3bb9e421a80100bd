/*
 * Many threads ask at once, and each gets the answer that one alone gets. Built with ThreadSanitizer, which
 * reports any state that calls would share.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "d1guard.h"

enum { THREADS = 16, ROUNDS = 2000, ROOM = 200 };

static const char *const texts[] = {
    "SELECT a, count(*) FROM t WHERE b LIKE 'x%' GROUP BY a LIMIT 7",
    "WITH q(a) AS (VALUES(1),(2)) SELECT * FROM q, json_each('[1]') -- all; of it",
    "SELECT * FROM pragma_optimize",
    "WITH x AS (SELECT 1) DELETE FROM t",
    "SELECT 1; SELECT (2",
    "PRAGMA table_info(t)",
    "SELECT :a(b)",
    ""};

enum { TEXTS = sizeof texts / sizeof *texts };

struct answer {
    struct d1guard_report report;
    int verdict;
    size_t len;
    char out[ROOM];
    char message[ROOM + 121];
};

static struct answer alone[TEXTS];

static void ask(const char *sql, struct answer *answer)
{
    memset(answer, 0, sizeof *answer);
    answer->report.size = sizeof answer->report;
    answer->verdict = d1guard_cap(sql, strlen(sql), NULL, 5, answer->out, ROOM, &answer->len, &answer->report);
    d1guard_message(&answer->report, sql, strlen(sql), answer->message, sizeof answer->message);
}

static void *ask_all(void *differences)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < TEXTS; i++) {
            struct answer answer;

            ask(texts[i], &answer);
            *(int *)differences += memcmp(&answer, &alone[i], sizeof answer) != 0;
        }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int differences[THREADS] = {0};
    int all = 0;

    for (int i = 0; i < TEXTS; i++)
        ask(texts[i], &alone[i]);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, ask_all, &differences[i]) != 0)
            return 2;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        all += differences[i];
    }
    printf("%d threads, %d answers, %d differences\n", THREADS, THREADS * ROUNDS * TEXTS, all);
    return all != 0;
}

/*
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "inputs.h"
#include "../case_file.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>

static void usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--count N] [--seed S] [--cases DIR] [--corpora DIR] [--every N] [--text SQL]\n",
            program);
    exit(2);
}

static uint64_t number(const char *program, const char *digits)
{
    char *end = NULL;
    const unsigned long long value = strtoull(digits, &end, 10);

    if (digits[0] < '0' || digits[0] > '9' || *end != '\0')
        usage(program);
    return value;
}

/* The programs move into a scratch folder, so paths are made absolute first. */
static const char *absolute(const char *path, char *whole)
{
    return realpath(path, whole) != NULL ? whole : NULL;
}

void inputs_read(struct inputs *inputs, int argc, char **argv, uint64_t count)
{
    const char *cases = NULL;

    memset(inputs, 0, sizeof *inputs);
    inputs->count = count;
    inputs->seed = 1;
    inputs->every = 1;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            usage(argv[0]);
        if (strcmp(argv[i], "--count") == 0)
            inputs->count = number(argv[0], argv[i + 1]);
        else if (strcmp(argv[i], "--seed") == 0)
            inputs->seed = number(argv[0], argv[i + 1]);
        else if (strcmp(argv[i], "--every") == 0)
            inputs->every = number(argv[0], argv[i + 1]);
        else if (strcmp(argv[i], "--cases") == 0)
            cases = argv[i + 1];
        else if (strcmp(argv[i], "--corpora") == 0)
            inputs->corpora = absolute(argv[i + 1], inputs->path[1]);
        else if (strcmp(argv[i], "--text") == 0)
            inputs->text = argv[i + 1];
        else
            usage(argv[0]);
    }
    if (cases != NULL)
        inputs->cases = absolute(cases, inputs->path[0]);
    if (cases != NULL && inputs->cases == NULL) {
        fprintf(stderr, "%s: %s: there is no such folder\n", argv[0], cases);
        exit(2);
    }
    if (inputs->every == 0)
        usage(argv[0]);
}

static int ends_with(const char *name, const char *end)
{
    return strlen(name) >= strlen(end) && strcmp(name + strlen(name) - strlen(end), end) == 0;
}

/* Calls `file` for every file of a folder whose name ends so. */
static size_t each_file(const char *folder, const char *end,
                        size_t (*file)(const char *path, const char *name, void *context), void *context)
{
    DIR *list = folder != NULL ? opendir(folder) : NULL;
    const struct dirent *entry;
    char path[PATH_MAX];
    size_t count = 0;

    if (list == NULL)
        return 0;
    while ((entry = readdir(list)) != NULL) {
        if (!ends_with(entry->d_name, end))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        count += file(path, entry->d_name, context);
    }
    closedir(list);
    return count;
}

struct taker {
    inputs_take *take;
    void *context;
    uint64_t every;
    uint64_t seen;
};

static size_t take_cases(const char *path, const char *name, void *context)
{
    const struct taker *taker = context;
    const size_t fields = strncmp(name, "verdict", 7) == 0 ? 6
                          : strncmp(name, "clean", 5) == 0 ? 5
                          : strncmp(name, "cap", 3) == 0   ? 7
                                                           : 0;
    struct case_file file;
    size_t count;

    if (fields == 0)
        return 0;
    if (!case_file_read(&file, path, fields))
        exit(2);
    for (size_t i = 0; i < file.count; i++)
        taker->take(taker->context, file.lines[i].field[fields - 1].bytes,
                    file.lines[i].field[fields - 1].len);
    count = file.count;
    case_file_free(&file);
    return count;
}

static size_t take_corpus(const char *path, const char *name, void *context)
{
    struct taker *taker = context;
    FILE *stream = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    size_t count = 0;
    unsigned long number_of_line = 0;

    (void)name;
    while (stream != NULL && getline(&line, &room, stream) > 0) {
        json_t *object;
        json_t *sql;

        number_of_line++;
        if (taker->seen++ % taker->every != 0)
            continue;
        object = json_loads(line, JSON_ALLOW_NUL, NULL);
        sql = json_object_get(object, "sql");
        if (!json_is_string(sql)) {
            fprintf(stderr, "%s:%lu: no object with a string \"sql\"\n", path, number_of_line);
            exit(2);
        }
        taker->take(taker->context, json_string_value(sql), json_string_length(sql));
        json_decref(object);
        count++;
    }
    if (stream != NULL)
        fclose(stream);
    free(line);
    return count;
}

size_t inputs_cases(const struct inputs *inputs, inputs_take *take, void *context)
{
    struct taker taker = {take, context, 1, 0};

    return each_file(inputs->cases, ".tsv", take_cases, &taker);
}

size_t inputs_corpora(const struct inputs *inputs, inputs_take *take, void *context)
{
    struct taker taker = {take, context, inputs->every, 0};

    return each_file(inputs->corpora, ".jsonl", take_corpus, &taker);
}

static void take_seed(void *context, const char *sql, size_t len)
{
    generate_add_seed(context, sql, len);
}

struct generator *inputs_generator(const struct inputs *inputs)
{
    struct generator *generator = generate_open();

    inputs_cases(inputs, take_seed, generator);
    return generator;
}

static void make_anything(struct generator *generator, uint64_t seed, uint64_t i, struct text *out)
{
    generate_text(generator, GENERATE_ANYTHING, generate_seed(seed, i), out);
}

void inputs_generated(struct generator *generator, inputs_make *make, uint64_t seed, uint64_t count, inputs_take *take,
                      void *context)
{
    struct text text = {0};

    for (uint64_t i = 0; i < count; i++) {
        (make != NULL ? make : make_anything)(generator, seed, i, &text);
        take(context, text.bytes, text.len);
    }
    text_free(&text);
}

void inputs_all(struct inputs *inputs, struct generator *generator, inputs_make *make, inputs_take *take, void *context)
{
    if (inputs->text != NULL) {
        take(context, inputs->text, strlen(inputs->text));
        return;
    }
    inputs->cases_taken = inputs_cases(inputs, take, context);
    inputs->corpora_taken = inputs_corpora(inputs, take, context);
    inputs_generated(generator, make, inputs->seed, inputs->count, take, context);
}

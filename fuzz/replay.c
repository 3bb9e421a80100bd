/*
 * Runs a fuzz target on files, without a fuzzing engine: REPLAY FILE-OR-FOLDER... A folder stands for the
 * files in it and in its folders. Prints how many files were run; none at all is an error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _XOPEN_SOURCE 700
#include "fuzz.h"

#include <dirent.h>
#include <limits.h>
#include <sys/stat.h>

static unsigned long files;

static void stop(const char *what, const char *path)
{
    fprintf(stderr, "replay: %s %s\n", what, path);
    exit(2);
}

static void replay_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t size = 0;
    size_t room = 0;
    size_t n;

    if (stream == NULL)
        stop("cannot read", path);
    do {
        if (room - size < 4096 && (data = realloc(data, room = 2 * room + 8192)) == NULL)
            stop("out of memory for", path);
        n = fread(data + size, 1, room - size, stream);
        size += n;
    } while (n > 0);
    if (ferror(stream))
        stop("cannot read", path);
    fclose(stream);
    fprintf(stderr, "%s\r", path); /* the last one shown is the one that broke */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    files++;
}

static void replay(const char *path)
{
    struct stat status;
    struct dirent *entry;
    DIR *folder;
    char inside[PATH_MAX];

    if (stat(path, &status) != 0)
        stop("cannot find", path);
    if (!S_ISDIR(status.st_mode)) {
        replay_file(path);
        return;
    }
    folder = opendir(path);
    if (folder == NULL)
        stop("cannot list", path);
    while ((entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        if (snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name) >= (int)sizeof inside)
            stop("too long a path in", path);
        replay(inside);
    }
    closedir(folder);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        replay(argv[i]);
    if (files == 0)
        stop("nothing to run in", argc > 1 ? argv[1] : "no file named");
    printf("%lu inputs, every promise kept\n", files);
    return 0;
}

/*
 * Compares statements as sqlite3_prepare_v2 cuts them with the library's (boundary.h) on the texts of
 * tests/cases and of the corpora.
 *
 * boundary_oracle ROOT
 */
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "boundary.h"
#include "texts.h"

static unsigned long disagreements;

/* Of a text with a NUL, the part before it. */
static void compare(void *context, const struct text *text)
{
    size_t at;
    const char *what = boundary_compare(text->sql, &at);

    (void)context;
    if (!what || ++disagreements > 50)
        return;
    printf("%s:%lu: from byte %lu, %s: \"", text->file, text->line, (unsigned long)at, what);
    print_escaped(stdout, text->sql + at, strlen(text->sql + at));
    printf("\"\n");
}

int main(int argc, char **argv)
{
    if (argc != 2 || argv[1][0] == '-') {
        fprintf(stderr, "usage: boundary_oracle ROOT\n");
        return 2;
    }
    printf("statements as sqlite3_prepare_v2 of SQLite %s cuts them\n", sqlite3_libversion());
    texts_of_cases(argv[1], compare, NULL);
    texts_of_corpora(argv[1], compare, NULL);
    boundary_close();
    printf("%lu texts: %lu statements with an end, %lu of them with a kind; %lu texts end in a syntax error,\n"
           "%lu in an error of meaning within a statement, %lu at a number that other versions read otherwise\n",
           boundary_counts.texts, boundary_counts.ends, boundary_counts.kinds, boundary_counts.syntax_errors,
           boundary_counts.undecided, boundary_counts.known);
    printf("%lu disagreements\n", disagreements);
    return disagreements != 0 || boundary_counts.ends == 0;
}

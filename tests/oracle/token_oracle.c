/*
 * Compares d1guard_next_token with the tokenizer of the SQLite that is linked in, on
 *   - all texts of up to 3 bytes, and of up to 5 bytes over 40 telling ones,
 *   - random texts made of pieces that are hard to read,
 *   - the texts of tests/cases and of the corpora.
 * The only differences let through are those of known_difference(), by version. No text given to both
 * holds a NUL, which ends a text for SQLite; that ours reads each side of one by itself is tested apart.
 *
 * token_oracle [--long] [--seed N] ROOT
 *   --long   all texts of up to 4 bytes, and 20 million random ones
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "sqlite_oracle.h"
#include "texts.h"

enum difference { NONE, BOM, POINTER, SEPARATOR, HEX_TAIL, DIFFERENCES };

static const char *const difference_names[DIFFERENCES] = {
    NULL, "BOM as a blank (from 3.36)", "-> and ->> (from 3.38)", "_ in numbers (from 3.46)",
    "name right behind a hex number (illegal from 3.46)"};

/* What this run has seen. */
static unsigned long long texts, disagreements, differences[DIFFERENCES];

struct token {
    uint32_t kind;
    size_t len;
};

static int is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static int is_decimal(char c)
{
    return c >= '0' && c <= '9';
}

static size_t hex_number(const char *sql)
{
    size_t n = 2;

    if (sql[0] != '0' || (sql[1] != 'x' && sql[1] != 'X') || !is_hex(sql[2]))
        return 0;
    while (is_hex(sql[n]))
        n++;
    return n;
}

/* Which documented difference between SQLite's versions these readings of one place are, if any. */
static enum difference known_difference(const char *sql, struct token ours, struct token sqlite)
{
    if (oracle_version() < 3036000 && strncmp(sql, "\xEF\xBB\xBF", 3) == 0 && ours.kind == D1GUARD_TOKEN_SPACE &&
        ours.len == 3 && sqlite.kind == D1GUARD_TOKEN_WORD)
        return BOM;
    if (oracle_version() < 3038000 && strncmp(sql, "->", 2) == 0 && ours.kind == D1GUARD_TOKEN_PTR &&
        sqlite.kind == D1GUARD_TOKEN_MINUS)
        return POINTER;
    if (oracle_version() < 3046000 && hex_number(sql) && sqlite.len == hex_number(sql) &&
        sqlite.kind == D1GUARD_TOKEN_INTEGER &&
        (ours.kind == D1GUARD_TOKEN_ILLEGAL || ours.kind == D1GUARD_TOKEN_QNUMBER))
        return HEX_TAIL;
    if (oracle_version() < 3046000 && (is_decimal(sql[0]) || (sql[0] == '.' && is_decimal(sql[1]))) &&
        memchr(sql, '_', sqlite.len) && sqlite.kind == D1GUARD_TOKEN_ILLEGAL &&
        (ours.kind == D1GUARD_TOKEN_QNUMBER || (ours.kind == D1GUARD_TOKEN_ILLEGAL && ours.len > sqlite.len)))
        return SEPARATOR;
    return NONE;
}

/* The library's token at `at`; all zero for none or one that is not where it was asked for. */
static struct token our_token(const char *sql, size_t len, size_t at)
{
    struct d1guard_token token = {.size = sizeof token};
    struct token result = {0, 0};

    if (d1guard_next_token(sql, len, at, &token) && token.at == at && token.len <= len - at) {
        result.kind = token.kind;
        result.len = (size_t)token.len;
    }
    return result;
}

static void print_ours(const char *sql, size_t len)
{
    struct token token;

    printf("disagreement on \"");
    print_escaped(stdout, sql, len);
    printf("\"\n  ours:  ");
    for (size_t at = 0; at < len; at += token.len) {
        token = our_token(sql, len, at);
        if (token.len == 0)
            break;
        printf(" %s:%zu", d1guard_token_slug(token.kind), token.len);
    }
    printf("\n");
}

static void print_sqlite(const char *sql, size_t len)
{
    struct token token;

    printf("  SQLite:");
    for (size_t at = 0; at < len; at += token.len) {
        token.len = oracle_token(sql + at, &token.kind);
        printf(" %s:%zu", d1guard_token_slug(token.kind), token.len);
    }
    printf("\n");
}

/* sql ends with a NUL and holds no other. */
static void disagree(const char *sql, size_t len)
{
    if (++disagreements > 50)
        return;
    print_ours(sql, len);
    print_sqlite(sql, len);
}

/* `mine` are the same bytes as `sql`, which a NUL ends for SQLite; nothing need stand behind mine. */
static void compare(const char *mine, const char *sql, size_t len)
{
    struct token sqlite;

    texts++;
    for (size_t at = 0; at < len; at += sqlite.len) {
        const struct token ours = our_token(mine, len, at);

        sqlite.len = oracle_token(sql + at, &sqlite.kind);
        if (ours.kind == sqlite.kind && ours.len == sqlite.len)
            continue;
        const enum difference known = known_difference(sql + at, ours, sqlite);
        if (known)
            differences[known]++;
        else
            disagree(sql, len);
        return;
    }
    if (our_token(mine, len, len).len != 0)
        disagree(sql, len);
}

/* All texts of exactly len bytes over an alphabet, like a mileage counter. */
static void compare_all(const unsigned char *alphabet, size_t letters, size_t len)
{
    size_t digit[8] = {0};
    char sql[8] = {0};
    size_t i;

    memset(sql, alphabet[0], len);
    do {
        compare(sql, sql, len);
        for (i = 0; i < len; i++) {
            digit[i] = (digit[i] + 1) % letters;
            sql[i] = (char)alphabet[digit[i]];
            if (digit[i] != 0)
                break;
        }
    } while (i < len);
}

static void compare_short(int longer)
{
    static const char telling[] = " \n\v->/*();=<!|'\"`[].07xXeag_$@#:?+\xEF\xBB\xBF&\\\x01";
    unsigned char all[255];

    for (int i = 0; i < 255; i++)
        all[i] = (unsigned char)(i + 1);
    for (size_t len = 1; len <= (longer ? 4 : 3); len++)
        compare_all(all, sizeof all, len);
    for (size_t len = 1; len <= 5; len++)
        compare_all((const unsigned char *)telling, sizeof telling - 1, len);
}

static const char *const pieces[] = {
    "SELECT", "a", "x", "X", "e", "E", "_", "x'", "X'ab'", "x'0", "ab", "g", "\xC3\xA9", "\x80", "0", "1", "90",
    "0x", "0X1", "0xF", "1e", "1E+", "e-7", ".", "..", "1.", ".5", "1_000", "1__", "_1", "'", "''", "\"", "`", "[",
    "]", "--", "-", "->", "->>", ">", "/", "*", "/*", "*/", "/**/", "(", ")", ";", ",", "+", "%", "&", "~", "=", "==",
    "<", "<=", "<>", "<<", ">=", ">>", "!", "!=", "|", "||", "?", "?12", "$", "$a", "@", "#", "#1", ":", "::", ":a(",
    "$a::b(", " ", "\t", "\n", "\v", "\f", "\r", "\xEF\xBB\xBF", "\xEF\xBB", "\xEF", "\xBB\xBF", "\\", "{", "\x7F"};

/* Returns the length; up to 12 pieces, one byte in ten any but NUL. */
static size_t random_text(char *sql)
{
    size_t len = 0;

    for (unsigned left = 1 + random_below(12); left > 0; left--) {
        const char *piece = pieces[random_below(sizeof pieces / sizeof pieces[0])];

        if (random_below(10) == 0) {
            sql[len++] = (char)(1 + random_below(255));
            continue;
        }
        memcpy(sql + len, piece, strlen(piece));
        len += strlen(piece);
    }
    sql[len] = '\0';
    return len;
}

static void *allocate(size_t size)
{
    void *memory = malloc(size ? size : 1);

    if (!memory)
        abort();
    return memory;
}

/* The library gets a buffer of the exact size, so that a sanitizer sees a byte too many read. */
static void compare_random(unsigned long long count)
{
    char sql[128];

    for (; count > 0; count--) {
        const size_t len = random_text(sql);
        char *mine = allocate(len);

        memcpy(mine, sql, len);
        compare(mine, sql, len);
        free(mine);
    }
}

/* A NUL is one ILLEGAL byte, and what is before and behind it reads as if it were alone. */
static void compare_around_nul(unsigned long long count)
{
    char before[128], behind[128];

    for (; count > 0; count--) {
        const size_t middle = random_text(before);
        const size_t len = middle + 1 + random_text(behind);
        char *mine = allocate(len);
        struct token token;

        memcpy(mine, before, middle + 1);
        memcpy(mine + middle + 1, behind, len - middle - 1);
        texts++;
        for (size_t at = 0; at < len; at += token.len) {
            struct token alone = {D1GUARD_TOKEN_ILLEGAL, 1};

            token = our_token(mine, len, at);
            if (at < middle)
                alone = our_token(before, middle, at);
            else if (at > middle)
                alone = our_token(behind, len - middle - 1, at - middle - 1);
            if (token.len == 0 || token.kind != alone.kind || token.len != alone.len) {
                if (++disagreements <= 50)
                    print_ours(mine, len);
                break;
            }
        }
        free(mine);
    }
}

/* Of a text with a NUL, the part before it. */
static void compare_text(void *context, const struct text *text)
{
    (void)context;
    compare(text->sql, text->sql, strlen(text->sql));
}

/* Names what was compared since `before`. */
static void print_part(const char *what, unsigned long long before)
{
    printf("%-40s %11llu texts\n", what, texts - before);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const struct arguments arguments = read_arguments(argc, argv);
    const int longer = arguments.longer;
    unsigned long long before;

    random_seed(arguments.seed);
    printf("tokens against SQLite %d.%d.%d, seed %llu%s\n", oracle_version() / 1000000,
           oracle_version() / 1000 % 1000, oracle_version() % 1000, arguments.seed, longer ? ", long" : "");

    before = texts;
    compare_short(longer);
    print_part(longer ? "all up to 4 bytes, telling up to 5" : "all up to 3 bytes, telling up to 5", before);
    before = texts;
    compare_random(longer ? 20000000 : 2000000);
    print_part("random", before);
    before = texts;
    compare_around_nul(200000);
    print_part("random with a NUL", before);
    before = texts;
    texts_of_cases(arguments.root, compare_text, NULL);
    print_part("tests/cases", before);
    before = texts;
    texts_of_corpora(arguments.root, compare_text, NULL);
    print_part("corpora", before);
    for (int i = 1; i < DIFFERENCES; i++)
        if (differences[i])
            printf("known difference: %-49s %11llu texts\n", difference_names[i], differences[i]);
    printf("%llu texts compared, %llu disagreements\n", texts, disagreements);
    return disagreements != 0;
}

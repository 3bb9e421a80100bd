/*
 * A mutator that knows SQL: it writes new texts by the grammar of tests/soundness/generate.h, and changes
 * a text token by token: takes some out, doubles, swaps or replaces them, or puts in those of another
 * text. One time in three it leaves the work to the engine, which flips bytes and uses the dictionary.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fuzz.h"

#include <d1guard.h>

#include "generate.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size); /* the engine's own */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed);

static uint64_t random_state;

static void random_start(unsigned seed)
{
    random_state = generate_seed(seed, 0) | 1;
}

static size_t below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return n == 0 ? 0 : (size_t)((random_state >> 16) % n);
}

static size_t count_tokens(const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};
    size_t count = 0;

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len)
        count++;
    return count;
}

/* Where token number i starts, or len. */
static size_t token_start(const char *sql, size_t len, size_t i)
{
    struct d1guard_token token = {.size = sizeof token};
    size_t at = 0;

    while (i-- > 0 && d1guard_next_token(sql, len, at, &token))
        at += (size_t)token.len;
    return at;
}

/* A run of tokens: mostly a short one, at times long. */
struct part {
    size_t at, end;
};

static struct part any_part(const char *sql, size_t len)
{
    const size_t count = count_tokens(sql, len);
    const size_t first = below(count + 1);
    const size_t some = below(4) == 0 ? below(count + 1) : below(5);
    const struct part part = {token_start(sql, len, first), token_start(sql, len, first + some)};

    return part;
}

static void new_text(struct text *out)
{
    static const enum generate_what what[] = {GENERATE_ANYTHING, GENERATE_ANYTHING, GENERATE_READ, GENERATE_ESCAPE};
    static struct generator *generator;
    const uint64_t seed = ((uint64_t)below(1u << 31) << 31) + below(1u << 31);

    if (generator == NULL)
        generator = generate_open();
    generate_text(generator, what[below(4)], seed, out);
}

/* Words and signs that change what is around them. */
static const char *const pieces[] = {
    "(", ")", "((", "))", ";", ",", ".", "*", "=", "'", "\"", "[", "]", "`", "--", "/*", "*/", "/**/", "\n", "\r", "\v",
    "\xEF\xBB\xBF", "$a(", ":a", "?", "1_0", "0x1G", "1e", "x'00'", "->", "||", "SELECT", "VALUES", "WITH", "RECURSIVE",
    "AS", "MATERIALIZED", "NOT", "FROM", "IN", "JOIN", "ON", "WHERE", "LIMIT", "OFFSET", "ORDER BY", "GROUP BY", "UNION ALL",
    "EXCEPT", "OVER", "FILTER", "WINDOW", "ROWS", "EXPLAIN", "QUERY PLAN", "PRAGMA", "INSERT INTO", "REPLACE", "UPDATE",
    "SET", "DELETE FROM", "RETURNING", "CREATE", "TEMP", "TABLE", "VIEW", "TRIGGER", "VIRTUAL", "USING", "BEGIN", "END",
    "CASE", "CAST(", "EXISTS", "COLLATE", "ATTACH", "VACUUM", "optimize(f3)", "\"optimize\"(f4)", "FROM f3",
    "FROM f4", "load_extension('x')", "FROM pragma_optimize", "pragma_table_info", "table_info", "user_version", "main.",
    "temp.", "sqlite_schema", "FROM big", "a"};

/* The text without from..end, but with `more` there; cut to fit. */
static size_t replace(uint8_t *data, size_t size, size_t max_size, struct part part, const char *more, size_t len)
{
    const size_t rest = size - part.end;

    if (part.at + len + rest > max_size) {
        if (part.at + rest > max_size)
            return size;
        len = max_size - part.at - rest;
    }
    memmove(data + part.at + len, data + part.end, rest);
    if (len > 0)
        memcpy(data + part.at, more, len);
    return part.at + len + rest;
}

static size_t mutate_tokens(uint8_t *data, size_t size, size_t max_size)
{
    static struct text other;
    struct part part = any_part((const char *)data, size);
    struct part from;

    switch (below(6)) {
    case 0: /* take out */
        return replace(data, size, max_size, part, NULL, 0);
    case 1: /* double, or move: the same again elsewhere */
        text_set(&other, (const char *)data + part.at, part.end - part.at);
        part = any_part((const char *)data, size);
        part.end = below(2) ? part.at : part.end;
        return replace(data, size, max_size, part, other.bytes, other.len);
    case 2: /* between blanks, or not */
        text_set(&other, " ", below(2));
        text_add_string(&other, pieces[below(sizeof pieces / sizeof *pieces)]);
        text_add(&other, " ", below(2));
        part.end = below(2) ? part.at : part.end;
        return replace(data, size, max_size, part, other.bytes, other.len);
    case 3: /* around it: a parenthesis, a subquery, a quote */
        text_clear(&other);
        text_add_string(&other, below(2) ? "(" : below(2) ? "(SELECT " : "\"");
        text_add(&other, (const char *)data + part.at, part.end - part.at);
        text_add_string(&other, other.bytes[0] == '"' ? "\"" : ")");
        return replace(data, size, max_size, part, other.bytes, other.len);
    case 4: /* a part of a new text */
        new_text(&other);
        from = any_part(other.bytes, other.len);
        return replace(data, size, max_size, part, other.bytes + from.at, from.end - from.at);
    default: /* a whole new text */
        new_text(&other);
        part.at = 0;
        part.end = below(2) ? size : 0;
        return replace(data, size, max_size, part, other.bytes, other.len);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    random_start(seed);
    for (; size < fuzz_header && size < max_size; size++)
        data[size] = (uint8_t)below(256);
    if (max_size <= fuzz_header || below(3) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    if (fuzz_header > 0 && below(2) == 0)
        data[below(fuzz_header)] = (uint8_t)below(256);
    return fuzz_header + mutate_tokens(data + fuzz_header, size - fuzz_header, max_size - fuzz_header);
}

/* The first text with a run of its tokens replaced by one of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t max_size, unsigned seed)
{
    const char *const tail = (const char *)other + fuzz_header;
    struct part part, from;

    random_start(seed);
    if (one_size < fuzz_header || other_size < fuzz_header || one_size > max_size)
        return 0;
    memcpy(out, one, one_size);
    part = any_part((const char *)out + fuzz_header, one_size - fuzz_header);
    from = any_part(tail, other_size - fuzz_header);
    return fuzz_header +
           replace(out + fuzz_header, one_size - fuzz_header, max_size - fuzz_header, part, tail + from.at, from.end - from.at);
}

/* Keywords and names: what a word or a quoted name says, whatever its case and quoting. */
#ifndef D1G_KEYWORD_H
#define D1G_KEYWORD_H

#include "token.h"

enum d1g_keyword {
    KW_NONE,
#define X(word, use, tables) KW_##word,
#include "keywords.def"
#undef X
    KW_COUNT
};

/* The keyword that the word in [at, end) is, or KW_NONE; at < end <= t->n. */
/*@ requires d1g_readable(t) && at < end <= t->n;
    assigns \nothing;
    ensures \result < KW_COUNT; */
enum d1g_keyword d1g_find_keyword(const struct d1g_text *t, size_t at, size_t end);

/* The keyword that the current token is, or KW_NONE. */
/*@ requires d1g_is_reader(r);
    assigns \nothing;
    ensures \result < KW_COUNT && (\result != KW_NONE ==> r->kind == D1GUARD_TOKEN_WORD); */
enum d1g_keyword d1g_keyword_at(const struct d1g_reader *r);

/* 0 for a keyword that can never be a name without quotes. */
/*@ requires keyword < KW_COUNT;
    assigns \nothing; */
int d1g_may_be_name(enum d1g_keyword keyword);

/* Whether an operand can end with the word, so that what stands behind it is no operand. */
/*@ requires keyword < KW_COUNT;
    assigns \nothing; */
int d1g_ends_operand(enum d1g_keyword keyword);

/* Whether an operand follows the word, where it does not stand as a name. */
/*@ requires keyword < KW_COUNT;
    assigns \nothing; */
int d1g_is_operator(enum d1g_keyword keyword);

/* What a keyword says of the tables that are named behind it. */
enum d1g_tables {
    D1G_TABLES_SAME, /* nothing */
    D1G_TABLES_NONE,
    D1G_TABLES_ONE,
    D1G_TABLES_LIST
};

/*@ requires keyword < KW_COUNT;
    assigns \nothing; */
enum d1g_tables d1g_tables_behind(enum d1g_keyword keyword);

/*
 * The content of a name token: a word, or what stands between its quotes. Reading it byte by byte takes
 * a doubled quote for one.
 */
struct d1g_name {
    const struct d1g_text *text;
    size_t at;
    size_t end;
    int quote; /* the closing quote if it can stand doubled inside, else D1G_END */
};

/*@ predicate d1g_is_nameable(struct d1g_text *t, integer at, integer end) =
        d1g_readable(t) && at < end <= t->n && (d1g_is_quoted(t, at) ==> end - at >= 2);
    predicate d1g_is_name(struct d1g_name name) =
        d1g_readable(name.text) && name.at <= name.end <= name.text->n; */

/* The name in the token [at, end): a word, a quoted name or a string. */
/*@ requires d1g_is_nameable(t, at, end);
    assigns \nothing;
    ensures d1g_is_name(\result) && \result.text == t; */
struct d1g_name d1g_read_name(const struct d1g_text *t, size_t at, size_t end);

#define D1G_NOT_THERE SIZE_MAX

/* Where the name goes on behind the bytes of text, ASCII case aside; D1G_NOT_THERE if it does not start with them. */
/*@ requires \valid_read(name) && d1g_readable(name->text) && \valid_read(text + (0 .. len - 1));
    assigns \nothing; */
size_t d1g_name_behind(const struct d1g_name *name, const char *text, size_t len);

/* Whether the name is text, ASCII case aside. */
/*@ requires \valid_read(name) && d1g_readable(name->text) && \valid_read(text + (0 .. len - 1));
    assigns \nothing; */
int d1g_name_is(const struct d1g_name *name, const char *text, size_t len);

#endif

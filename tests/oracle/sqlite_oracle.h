/*
 * What SQLite itself says of a text: the private tokenizer and the grammar tables of the one-file
 * SQLite (amalgamation) that sqlite_oracle.c is compiled with.
 */
#ifndef SQLITE_ORACLE_H
#define SQLITE_ORACLE_H

#include <stddef.h>
#include <stdint.h>

#include "d1guard.h"

/* A kind no token of SQLite should have: sqlite_oracle.c does not know what it was given. */
#define ORACLE_UNKNOWN 0xffffu

/* 3045001 for SQLite 3.45.1 */
int oracle_version(void);

/*
 * The token at `sql`, which ends with a NUL byte and does not start with one. Returns its bytes; *kind is
 * an enum d1guard_token_kind.
 */
size_t oracle_token(const char *sql, uint32_t *kind);

enum oracle_result {
    ORACLE_STATEMENT,
    ORACLE_EMPTY, /* only blanks, comments and `;` are left */
    ORACLE_ERROR  /* the tokenizer or the grammar stops at statement->next */
};

struct oracle_statement {
    uint32_t kind;    /* enum d1guard_kind; ORACLE_UNKNOWN: a rule of the grammar that no sample reached */
    uint32_t explain; /* enum d1guard_explain */
    uint32_t flags;   /* as in d1guard.h */
    size_t at;        /* from the first token to the last, the `;` not counted */
    size_t len;
    size_t next; /* the byte behind its `;` or the end */
};

/*
 * Reads the statement at `at` of `sql`, which ends with a NUL byte, by SQLite's own LALR tables without
 * the actions behind the rules, so no schema is needed. Errors that only those actions find (too many
 * columns, `1__0`) are none here.
 */
enum oracle_result oracle_statement(const char *sql, size_t at, struct oracle_statement *statement);

/*
 * The grammar as a guide for making texts: oracle_walk_start stands before a first statement, oracle_walk
 * goes one token on and returns 1 if the grammar has this token here, else it stays and returns 0;
 * *complete tells whether the token ended a statement.
 */
void oracle_walk_start(void);
int oracle_walk(const char *token, int *complete);

/* A keyword, or NULL behind the last one. */
const char *oracle_keyword(int number);

#endif

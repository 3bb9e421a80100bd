/*
 * libd1guard: does this SQL text only read?
 *
 * The whole public contract. Text is any bytes with a length; offsets and lengths are bytes, from 0.
 * No function allocates, keeps state, recurses or calls anything outside: all are safe in threads and
 * signal handlers. Cost is linear in the length of the text unless a comment says otherwise.
 *
 * Structs start with `size`: set it to sizeof before a call. A caller built against an older header
 * passes a smaller size and gets what it knows; fields are only ever added at the end. Options that end
 * inside a field, or have bytes other than zero behind the fields this version knows, are refused
 * (bad-argument). A zeroed report means refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef D1GUARD_H
#define D1GUARD_H

#include <stddef.h>
#include <stdint.h>

#define D1GUARD_VERSION_MAJOR 0
#define D1GUARD_VERSION_MINOR 1
#define D1GUARD_VERSION_PATCH 0
#define D1GUARD_VERSION_STRING "0.1.0"

#ifndef D1GUARD_API
#if defined(__GNUC__) && !defined(_WIN32)
#define D1GUARD_API __attribute__((visibility("default")))
#else
#define D1GUARD_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum d1guard_verdict {
    D1GUARD_REFUSE = 0,
    D1GUARD_ALLOW = 1
};

/* Whose PRAGMA and function lists apply. Tokens and statements are SQLite's for both. */
enum d1guard_engine {
    D1GUARD_ENGINE_D1 = 0,
    D1GUARD_ENGINE_SQLITE = 1
};

/*
 * Why a text was allowed or refused: X(id, number, slug, sentence). Numbers are never reused.
 * In a sentence, %w stands for the bytes of the span and %a for where it starts ("byte 31");
 * d1guard_message fills them in. Below 10 nothing was refused.
 */
#define D1GUARD_REASONS(X)                                                                              \
    X(UNSET,               0, "unset",               "no text has been classified yet")                 \
    X(READS_ONLY,          1, "reads-only",          "every statement only reads")                      \
    X(RISKS_ALLOWED,       2, "risks-allowed",       "every statement is within the risks that the host allows") \
    X(BAD_ARGUMENT,       10, "bad-argument",        "the host passed an argument that the guard does not accept") \
    X(INTERNAL,           11, "internal",            "%w at %a broke a rule inside the guard; please report this text") \
    X(EMPTY,              12, "empty",               "the text holds no statement; send one SELECT")    \
    X(TOO_MANY,           13, "too-many-statements", "%w at %a starts one statement too many; send them one at a time") \
    X(NUL_BYTE,           20, "nul-byte",            "the NUL at %a would end the text for SQLite; remove it") \
    X(OPEN_QUOTE,         21, "open-quote",          "the quote at %a never closes; close it")          \
    X(BAD_NUMBER,         22, "bad-number",          "the number %w at %a is not read alike by all versions of SQLite; put a space behind the digits") \
    X(BAD_BLOB,           23, "bad-blob",            "the blob %w at %a is not pairs of hex digits in quotes") \
    X(ILLEGAL_TOKEN,      24, "illegal-token",       "%w at %a is no token of SQLite; remove or quote it") \
    X(VARIABLE_PAREN,     25, "variable-parenthesis", "the parameter %w at %a holds or meets a parenthesis, which engines read differently; use a plain name such as :a") \
    X(UNKNOWN_STATEMENT,  30, "unknown-statement",   "%w at %a starts no statement that SQLite has; start with SELECT, VALUES or WITH") \
    X(PARENTHESIS,        31, "parenthesis",         "the parenthesis at %a has no partner")            \
    X(WITH_SYNTAX,        32, "with-syntax",         "%w at %a does not fit a WITH list: WITH name AS (SELECT ...) SELECT ...") \
    X(EXPLAIN_SYNTAX,     33, "explain-syntax",      "%w at %a cannot follow EXPLAIN; write EXPLAIN QUERY PLAN SELECT ...") \
    X(PRAGMA_SYNTAX,      34, "pragma-syntax",       "%w at %a does not fit PRAGMA name, PRAGMA name=value or PRAGMA name(value)") \
    X(TRIGGER_SYNTAX,     35, "trigger-syntax",      "%w at %a does not fit CREATE TRIGGER ... BEGIN statement; END") \
    X(INCOMPLETE,         36, "incomplete",          "%w at %a is the start of a statement that does not go on") \
    X(NOT_A_VIEW,         37, "not-a-view",          "%w at %a does not fit CREATE VIEW name AS SELECT ...") \
    X(WRITE,              40, "write",               "%w at %a would write; this tool only reads")      \
    X(SCHEMA,             41, "schema",              "%w at %a would change the schema; this tool only reads") \
    X(TRANSACTION,        42, "transaction",         "%w at %a would control a transaction; this tool only reads, no transaction is needed") \
    X(CONNECTION,         43, "connection",          "%w at %a would change the connection; this tool only reads the database that is open") \
    X(MAINTENANCE,        44, "maintenance",         "%w at %a would rewrite or analyse the database; this tool only reads") \
    X(EXPLAIN_NOT_READ,   45, "explain-not-read",    "%w at %a cannot be explained here; EXPLAIN takes only a query") \
    X(PRAGMA_NOT_LISTED,  46, "pragma-not-listed",   "%w at %a is no PRAGMA that only reports here; query sqlite_schema or pragma_table_info instead") \
    X(PRAGMA_VALUE,       47, "pragma-value",        "%w at %a would set a PRAGMA; leave the value out to read it") \
    X(DENIED_FUNCTION,    50, "denied-function",     "the function %w at %a has side effects; leave it out") \
    X(DENIED_TABLE,       51, "denied-table",        "reading the table %w at %a has side effects; leave it out") \
    X(UNLISTED_FUNCTION,  52, "unlisted-function",   "the function %w at %a is not one of the engine's own; use a built-in one") \
    X(MISSING_WHERE,      53, "missing-where",       "%w at %a would touch every row; add a WHERE")      \
    X(NEEDS_ONE,          60, "needs-one",           "%w at %a is a second statement; a row cap takes one statement at a time")

enum d1guard_reason {
#define X(id, number, slug, sentence) D1GUARD_REASON_##id = number,
    D1GUARD_REASONS(X)
#undef X
    D1GUARD_REASON_LAST = D1GUARD_REASON_NEEDS_ONE
};

/* What a statement can do: X(id, number, slug). The highest of its parts. */
#define D1GUARD_RISKS(X)               \
    X(UNKNOWN,     0, "unknown")       \
    X(READ,        1, "read")          \
    X(WRITE,       2, "write")         \
    X(SCHEMA,      3, "schema")        \
    X(TRANSACTION, 4, "transaction")   \
    X(CONNECTION,  5, "connection")    \
    X(MAINTENANCE, 6, "maintenance")

enum d1guard_risk {
#define X(id, number, slug) D1GUARD_RISK_##id = number,
    D1GUARD_RISKS(X)
#undef X
    D1GUARD_RISK_LAST = D1GUARD_RISK_MAINTENANCE
};

/* For d1guard_options.allow_risks. */
#define D1GUARD_RISK_BIT(risk) ((uint32_t)1 << (risk))

/* Kinds of statement: X(id, number, slug). */
#define D1GUARD_KINDS(X)                                  \
    X(NONE,                  0, "none")                   \
    X(SELECT,                1, "select")                 \
    X(VALUES,                2, "values")                 \
    X(INSERT,                3, "insert")                 \
    X(REPLACE,               4, "replace")                \
    X(UPDATE,                5, "update")                 \
    X(DELETE,                6, "delete")                 \
    X(CREATE_TABLE,          7, "create-table")           \
    X(CREATE_INDEX,          8, "create-index")           \
    X(CREATE_VIEW,           9, "create-view")            \
    X(CREATE_TRIGGER,       10, "create-trigger")         \
    X(CREATE_VIRTUAL_TABLE, 11, "create-virtual-table")   \
    X(DROP_TABLE,           12, "drop-table")             \
    X(DROP_INDEX,           13, "drop-index")             \
    X(DROP_VIEW,            14, "drop-view")              \
    X(DROP_TRIGGER,         15, "drop-trigger")           \
    X(ALTER_TABLE,          16, "alter-table")            \
    X(BEGIN,                17, "begin")                  \
    X(COMMIT,               18, "commit")                 \
    X(ROLLBACK,             19, "rollback")               \
    X(SAVEPOINT,            20, "savepoint")              \
    X(RELEASE,              21, "release")                \
    X(ATTACH,               22, "attach")                 \
    X(DETACH,               23, "detach")                 \
    X(PRAGMA,               24, "pragma")                 \
    X(VACUUM,               25, "vacuum")                 \
    X(ANALYZE,              26, "analyze")                \
    X(REINDEX,              27, "reindex")

enum d1guard_kind {
#define X(id, number, slug) D1GUARD_KIND_##id = number,
    D1GUARD_KINDS(X)
#undef X
    D1GUARD_KIND_LAST = D1GUARD_KIND_REINDEX
};

#define D1GUARD_EXPLAINS(X)              \
    X(NONE,       0, "none")             \
    X(PROGRAM,    1, "explain")          \
    X(QUERY_PLAN, 2, "query-plan")

enum d1guard_explain {
#define X(id, number, slug) D1GUARD_EXPLAIN_##id = number,
    D1GUARD_EXPLAINS(X)
#undef X
    D1GUARD_EXPLAIN_LAST = D1GUARD_EXPLAIN_QUERY_PLAN
};

/*
 * Kinds of token: X(id, number, slug). SQLite's own, with three merges: a keyword is a word like any
 * name without quotes; `==` is `=`, `<>` is `!=`; `->` and `->>` are one kind.
 */
#define D1GUARD_TOKENS(X)              \
    X(ILLEGAL,   0, "illegal")         \
    X(SPACE,     1, "space")           \
    X(COMMENT,   2, "comment")         \
    X(WORD,      3, "word")            \
    X(NAME,      4, "name")            \
    X(STRING,    5, "string")          \
    X(BLOB,      6, "blob")            \
    X(INTEGER,   7, "integer")         \
    X(FLOAT,     8, "float")           \
    X(QNUMBER,   9, "qnumber")         \
    X(VARIABLE, 10, "variable")        \
    X(LP,       11, "lp")              \
    X(RP,       12, "rp")              \
    X(SEMI,     13, "semi")            \
    X(COMMA,    14, "comma")           \
    X(DOT,      15, "dot")             \
    X(STAR,     16, "star")            \
    X(PLUS,     17, "plus")            \
    X(MINUS,    18, "minus")           \
    X(SLASH,    19, "slash")           \
    X(REM,      20, "rem")             \
    X(EQ,       21, "eq")              \
    X(NE,       22, "ne")              \
    X(LT,       23, "lt")              \
    X(LE,       24, "le")              \
    X(GT,       25, "gt")              \
    X(GE,       26, "ge")              \
    X(LSHIFT,   27, "lshift")          \
    X(RSHIFT,   28, "rshift")          \
    X(BITAND,   29, "bitand")          \
    X(BITOR,    30, "bitor")           \
    X(BITNOT,   31, "bitnot")          \
    X(CONCAT,   32, "concat")          \
    X(PTR,      33, "ptr")

enum d1guard_token_kind {
#define X(id, number, slug) D1GUARD_TOKEN_##id = number,
    D1GUARD_TOKENS(X)
#undef X
    D1GUARD_TOKEN_LAST = D1GUARD_TOKEN_PTR
};

/* What d1guard_cap did: X(id, number, slug). */
#define D1GUARD_FORMS(X)                 \
    X(NONE,       0, "none")             \
    X(APPEND,     1, "append")           \
    X(LOWERED,    2, "lowered")          \
    X(UNCHANGED,  3, "unchanged")        \
    X(WRAPPED,    4, "wrapped")          \
    X(NOT_CAPPED, 5, "not-capped")

enum d1guard_form {
#define X(id, number, slug) D1GUARD_FORM_##id = number,
    D1GUARD_FORMS(X)
#undef X
    D1GUARD_FORM_LAST = D1GUARD_FORM_NOT_CAPPED
};

/* Names one behind the other, each ended by a NUL byte ("alpha\0beta\0"), len bytes in all.
 * Compared without ASCII case, as SQLite does. NULL only with len 0. */
struct d1guard_names {
    const char *text;
    size_t len;
};

/* d1guard_options.flags */
#define D1GUARD_STRICT_FUNCTIONS 1u /* only the engine's own functions (and allow_functions) */
#define D1GUARD_REQUIRE_WHERE 2u    /* UPDATE and DELETE need a WHERE of their own */

struct d1guard_options {
    uint32_t size;
    uint32_t engine;         /* enum d1guard_engine */
    uint32_t allow_risks;    /* set of D1GUARD_RISK_BIT; reads are always in it, so 0 is reads only */
    uint32_t flags;          /* set of D1GUARD_STRICT_FUNCTIONS, D1GUARD_REQUIRE_WHERE */
    uint64_t max_statements; /* 0: any number */
    /* The host's own names. A denied name wins over an allowed one; both win over the built-in lists.
     * Each name in the text that a list could hold costs one walk over that list. */
    struct d1guard_names deny_functions;
    struct d1guard_names deny_tables; /* tables, views, table functions; any schema */
    struct d1guard_names deny_pragmas;
    struct d1guard_names allow_functions;
    struct d1guard_names allow_tables;
    struct d1guard_names allow_pragmas; /* allowed in every form, with a value too */
};

struct d1guard_report {
    uint32_t size;
    uint32_t verdict;    /* enum d1guard_verdict */
    uint32_t reason;     /* enum d1guard_reason */
    uint32_t form;       /* enum d1guard_form; NONE but after d1guard_cap */
    uint64_t at;         /* the bytes that caused the refusal; 0, 0 when allowed or empty */
    uint64_t len;
    uint64_t statement;  /* number of the refused statement, from 0; 0 when allowed */
    uint64_t statements; /* statements seen up to there, the refused one included */
};

struct d1guard_token {
    uint32_t size;
    uint32_t kind; /* enum d1guard_token_kind */
    uint64_t at;
    uint64_t len; /* at least 1 */
};

/* d1guard_statement.flags */
#define D1GUARD_WITH 1u         /* starts with a WITH list */
#define D1GUARD_WHERE 2u        /* a WHERE outside all parentheses; not looked for in a trigger or a virtual table */
#define D1GUARD_RETURNING 4u    /* a RETURNING clause of an INSERT, REPLACE, UPDATE or DELETE */
#define D1GUARD_PRAGMA_VALUE 8u /* PRAGMA name=value or name(value) */

struct d1guard_statement {
    uint32_t size;
    uint32_t kind;    /* enum d1guard_kind */
    uint32_t risk;    /* enum d1guard_risk; of the explained statement under EXPLAIN */
    uint32_t explain; /* enum d1guard_explain */
    uint32_t flags;
    uint32_t reason; /* enum d1guard_reason: UNSET, or why reading stopped here */
    uint64_t at;     /* from the first token to the last, the `;` not counted */
    uint64_t len;
    uint64_t next;     /* the byte behind the statement's `;`, or the text's length */
    uint64_t error_at; /* with a reason: the bytes that caused it */
    uint64_t error_len;
};

/*
 * Reads one token of SQLite, blanks and comments included; the tokens of a text tile it.
 *
 * sql, len   the text; NULL only with len 0. A NUL byte is an ILLEGAL token of one byte, never the end.
 * at         where to read: 0 or the end of the token before.
 * token      with `size` set; written up to its size when 1 is returned, else left alone.
 *
 * Returns 1, or 0 at the end of the text (at >= len) and for a bad argument. Linear in the token.
 * Rules: sqlite3GetToken of SQLite 3.54, the only reading of the versions from 3.46 on; README lists
 * what older ones read otherwise. Since 0.1.
 */
D1GUARD_API int
d1guard_next_token(const char *sql, size_t len, size_t at, struct d1guard_token *token);

/*
 * Reads many tokens at once: those that d1guard_next_token reads one by one, two to three times as fast.
 *
 * sql, len, at  as there.
 * tokens        count of them, with `size` of the first one set: as far apart they lie, so at least, and mostly,
 *               sizeof(struct d1guard_token). Of each one read, kind, at and len are written.
 *
 * Returns how many were read: fewer than count only at the end of the text; 0 there and for a bad argument.
 * The next call's `at` is the end of the last one. Since 0.1.
 */
D1GUARD_API size_t
d1guard_tokens(const char *sql, size_t len, size_t at, struct d1guard_token *tokens, size_t count);

/*
 * Reads one statement: where it starts and ends and what it is, with trigger bodies and the arguments of
 * CREATE VIRTUAL TABLE read as SQLite does. Only the head is checked against the grammar.
 *
 * sql, len   the text; NULL only with len 0.
 * at         where to read: 0, or `next` of the statement before. Empty statements are skipped.
 * statement  with `size` set; written up to its size on every return but for a bad argument.
 *
 * Returns 1 for a statement, 0 when only blanks, comments and `;` are left, -1 where SQLite would stop
 * with an error (statement->reason and error_at say why; nothing behind it must be run) and for a bad
 * argument (statement->reason bad-argument if it can be written). Since 0.1.
 */
D1GUARD_API int
d1guard_next_statement(const char *sql, size_t len, size_t at, struct d1guard_statement *statement);

/*
 * Decides whether a SQL text only reads: all its statements, to the last byte.
 *
 * sql, len   the text; NULL only with len 0.
 * options    NULL for the defaults (D1, reads only, any number of statements), else with `size` set.
 * report     NULL, or with `size` set; filled on every return, up to its size.
 *
 * Returns D1GUARD_ALLOW or D1GUARD_REFUSE (0). Anything not understood is refused, never skipped.
 * At most two passes over the text. The report keeps no pointer into sql.
 * Rules: README, "What it decides"; tests/cases/verdict*.tsv has each one. Since 0.1.
 */
D1GUARD_API int
d1guard_classify(const char *sql, size_t len, const struct d1guard_options *options,
                 struct d1guard_report *report);

/*
 * Decides whether reading a view would only read: judges the body of a CREATE [TEMP] VIEW text, as
 * sqlite_schema.sql holds it, by the rules of d1guard_classify. Views it names in turn are the host's to
 * judge: see options->deny_tables. Arguments, result and cost as d1guard_classify. Since 0.1.
 */
D1GUARD_API int
d1guard_classify_view(const char *sql, size_t len, const struct d1guard_options *options,
                      struct d1guard_report *report);

/*
 * Writes the allowed text so that it is safe whatever cuts it into statements: each statement from its
 * first token to its last, joined by ";\n", with every comment that holds a `;` or a CR, or has no blank
 * before it, replaced by a space; everything else byte for byte.
 *
 * out, out_size  where to write; no NUL is added. Must not overlap sql. NULL or too short: nothing is
 *                written, and the verdict and *out_len are the same as if it had been.
 * out_len        never NULL: the bytes of the cleaned text, at most len and one for every statement but
 *                the first; 0 when refused.
 *
 * Returns the verdict, as d1guard_classify. Since 0.1.
 */
D1GUARD_API int
d1guard_clean(const char *sql, size_t len, const struct d1guard_options *options, char *out,
              size_t out_size, size_t *out_len, struct d1guard_report *report);

/*
 * Writes one allowed statement, cleaned, so that it returns at most max_rows rows: the first ones of the
 * original. Where SQL leaves the order open (DISTINCT, UNION, INTERSECT, EXCEPT without ORDER BY) SQLite may
 * choose others of its rows. Column names stay, but for comments in names that SQLite makes from the text
 * and, in form WRAPPED, what README lists. report->form says how; NOT_CAPPED (EXPLAIN, PRAGMA) leaves it to
 * the host to stop reading. To learn whether rows were cut off, ask for one row more than you keep.
 *
 * max_rows   rows, 1 to 2^63-1; 0 or more than that is a bad argument.
 * out_len    as in d1guard_clean; at most len + 64 bytes.
 *
 * A text of more than one statement is refused (needs-one), one that writes always, whatever
 * allow_risks says. Otherwise as d1guard_clean. Since 0.1.
 */
D1GUARD_API int
d1guard_cap(const char *sql, size_t len, const struct d1guard_options *options, uint64_t max_rows,
            char *out, size_t out_size, size_t *out_len, struct d1guard_report *report);

/*
 * Finds the line and the column of a byte: both from 1, the column in bytes; a line ends behind LF.
 * at beyond len counts as len. line and column may be NULL. Linear in at. Since 0.1.
 */
D1GUARD_API void
d1guard_position(const char *sql, size_t len, size_t at, uint64_t *line, uint64_t *column);

/*
 * Writes one line for a person or an agent: which word, where, and what to do instead, such as
 * "DELETE at byte 31 would write; this tool only reads". Control bytes of the word are shown as '?',
 * a long word is cut; the line is valid UTF-8 if the word is.
 *
 * report     as filled by a call on this very text; NULL reads as a zeroed one.
 * buf, size  where to write, NUL at the end; NULL or too short: nothing is written.
 *
 * Returns the bytes of the line without the NUL, at most 320. Since 0.1.
 */
D1GUARD_API size_t
d1guard_message(const struct d1guard_report *report, const char *sql, size_t len, char *buf,
                size_t size);

/* The slugs and the sentence of the lists above; "unknown" for a number that is not in the list.
 * Static, never NULL. Since 0.1. */
D1GUARD_API const char *d1guard_reason_slug(uint32_t reason);
D1GUARD_API const char *d1guard_reason_sentence(uint32_t reason);
D1GUARD_API const char *d1guard_risk_slug(uint32_t risk);
D1GUARD_API const char *d1guard_kind_slug(uint32_t kind);
D1GUARD_API const char *d1guard_explain_slug(uint32_t explain);
D1GUARD_API const char *d1guard_token_slug(uint32_t kind);
D1GUARD_API const char *d1guard_form_slug(uint32_t form);

/* "0.1.0", of the library that is linked. Since 0.1. */
D1GUARD_API const char *d1guard_version(void);

#ifdef __cplusplus
}
#endif

#endif

/*
 * SQLite's private tokenizer and grammar, made callable by being in the same file.
 * ORACLE_AMALGAMATION is the quoted path of sqlite3.c. The object is a whole SQLite too.
 */
#include ORACLE_AMALGAMATION

#include <stdlib.h>

#include "sqlite_oracle.h"

int oracle_version(void)
{
    return SQLITE_VERSION_NUMBER;
}

/* Tokens ------------------------------------------------------------------------------------------- */

static int starts_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static uint32_t kind_of(int type, char first)
{
    switch (type) {
    case TK_ILLEGAL:
        return D1GUARD_TOKEN_ILLEGAL;
    case TK_SPACE: /* up to 3.48 comments are TK_SPACE too */
        return first == '-' || first == '/' ? D1GUARD_TOKEN_COMMENT : D1GUARD_TOKEN_SPACE;
#ifdef TK_COMMENT
    case TK_COMMENT:
        return D1GUARD_TOKEN_COMMENT;
#endif
    case TK_STRING:
        return D1GUARD_TOKEN_STRING;
    case TK_BLOB:
        return D1GUARD_TOKEN_BLOB;
    case TK_INTEGER:
        return D1GUARD_TOKEN_INTEGER;
    case TK_FLOAT:
        return D1GUARD_TOKEN_FLOAT;
#ifdef TK_QNUMBER
    case TK_QNUMBER:
        return D1GUARD_TOKEN_QNUMBER;
#endif
    case TK_VARIABLE:
        return D1GUARD_TOKEN_VARIABLE;
    case TK_LP:
        return D1GUARD_TOKEN_LP;
    case TK_RP:
        return D1GUARD_TOKEN_RP;
    case TK_SEMI:
        return D1GUARD_TOKEN_SEMI;
    case TK_COMMA:
        return D1GUARD_TOKEN_COMMA;
    case TK_DOT:
        return D1GUARD_TOKEN_DOT;
    case TK_STAR:
        return D1GUARD_TOKEN_STAR;
    case TK_PLUS:
        return D1GUARD_TOKEN_PLUS;
    case TK_MINUS:
        return D1GUARD_TOKEN_MINUS;
    case TK_SLASH:
        return D1GUARD_TOKEN_SLASH;
    case TK_REM:
        return D1GUARD_TOKEN_REM;
    case TK_EQ:
        return D1GUARD_TOKEN_EQ;
    case TK_NE:
        return D1GUARD_TOKEN_NE;
    case TK_LT:
        return D1GUARD_TOKEN_LT;
    case TK_LE:
        return D1GUARD_TOKEN_LE;
    case TK_GT:
        return D1GUARD_TOKEN_GT;
    case TK_GE:
        return D1GUARD_TOKEN_GE;
    case TK_LSHIFT:
        return D1GUARD_TOKEN_LSHIFT;
    case TK_RSHIFT:
        return D1GUARD_TOKEN_RSHIFT;
    case TK_BITAND:
        return D1GUARD_TOKEN_BITAND;
    case TK_BITOR:
        return D1GUARD_TOKEN_BITOR;
    case TK_BITNOT:
        return D1GUARD_TOKEN_BITNOT;
    case TK_CONCAT:
        return D1GUARD_TOKEN_CONCAT;
#ifdef TK_PTR
    case TK_PTR:
        return D1GUARD_TOKEN_PTR;
#endif
    default: /* names, and the more than a hundred keywords */
        if (starts_word(first))
            return D1GUARD_TOKEN_WORD;
        if (type == TK_ID && (first == '"' || first == '`' || first == '['))
            return D1GUARD_TOKEN_NAME;
        return ORACLE_UNKNOWN;
    }
}

size_t oracle_token(const char *sql, uint32_t *kind)
{
    int type = 0;
    const size_t len = (size_t)sqlite3GetToken((const unsigned char *)sql, &type);

    *kind = kind_of(type, sql[0]);
    return len;
}

/* The grammar -------------------------------------------------------------------------------------- */

/* The state of the automaton, and what it did for the last token. */
struct machine {
    YYACTIONTYPE *stack;
    size_t depth;
    size_t room;
    int rule;        /* the last rule that was reduced, or -1 */
    int rule_before; /* the one before that */
    int saw_replace; /* `insert_cmd ::= REPLACE` was reduced, ever */
};

static int cmdx_rule = -1;    /* cmdx ::= cmd, with which a statement is complete */
static int replace_rule = -1; /* insert_cmd ::= REPLACE */
static uint32_t kind_of_rule[sizeof(yyRuleInfoNRhs)];

static void push(struct machine *m, YYACTIONTYPE state)
{
    if (m->depth == m->room) {
        m->room = m->room ? 2 * m->room : 256;
        m->stack = realloc(m->stack, m->room * sizeof(m->stack[0]));
        if (!m->stack)
            abort();
    }
    m->stack[m->depth++] = state;
}

static void restart(struct machine *m)
{
    m->depth = 0;
    m->rule = m->rule_before = -1;
    m->saw_replace = 0;
    push(m, 0);
}

/* One token through the tables, as sqlite3Parser does it. Returns 0 for a syntax error. */
static int feed(struct machine *m, int type)
{
    YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)type, m->stack[m->depth - 1]);

    m->rule = m->rule_before = -1;
    while (action >= YY_MIN_REDUCE) {
        const int rule = action - YY_MIN_REDUCE;

        m->depth -= (size_t)-yyRuleInfoNRhs[rule];
        push(m, yy_find_reduce_action(m->stack[m->depth - 1], (YYCODETYPE)yyRuleInfoLhs[rule]));
        m->rule_before = m->rule;
        m->rule = rule;
        if (rule == replace_rule)
            m->saw_replace = 1;
        action = yy_find_shift_action((YYCODETYPE)type, m->stack[m->depth - 1]);
    }
    if (action > YY_MAX_SHIFTREDUCE)
        return action == YY_ACCEPT_ACTION;
    push(m, action > YY_MAX_SHIFT ? (YYACTIONTYPE)(action + YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE) : action);
    return 1;
}

/* What the parser is given for a token: three keywords depend on what is around them. */
static int parser_type(int type, const unsigned char *behind, int last)
{
    switch (type) {
    case TK_WINDOW:
        return analyzeWindowKeyword(behind);
    case TK_OVER:
        return analyzeOverKeyword(behind, last);
    case TK_FILTER:
        return analyzeFilterKeyword(behind, last);
    default:
        return type;
    }
}

static int is_blank(int type)
{
#ifdef TK_COMMENT
    if (type == TK_COMMENT)
        return 1;
#endif
    return type == TK_SPACE;
}

/* What the tokens tell, seen in order: EXPLAIN, WITH, a top-level WHERE, RETURNING, SELECT or VALUES, and a
 * `=` or `(` (which in a PRAGMA comes only before its value). */
struct seen {
    uint32_t count; /* tokens after EXPLAIN [QUERY PLAN] */
    uint32_t depth;
    uint32_t explain;
    uint32_t flags;
    int values;
    int value;
    int verb;
};

static void see(struct seen *s, int type)
{
    if (s->count == 0 && type == TK_EXPLAIN)
        s->explain = D1GUARD_EXPLAIN_PROGRAM;
    else if (s->count == 0 && (type == TK_QUERY || type == TK_PLAN))
        s->explain = D1GUARD_EXPLAIN_QUERY_PLAN;
    else if (s->count++ == 0 && type == TK_WITH)
        s->flags |= D1GUARD_WITH;
    if (type == TK_LP)
        s->depth++;
    if (type == TK_RP)
        s->depth--;
    if (type == TK_LP || type == TK_EQ)
        s->value = 1;
    if (s->depth == 0 && type == TK_WHERE)
        s->flags |= D1GUARD_WHERE;
#ifdef TK_RETURNING
    if (s->depth == 0 && type == TK_RETURNING)
        s->flags |= D1GUARD_RETURNING;
#endif
    if (s->depth == 0 && !s->verb && (type == TK_SELECT || type == TK_VALUES)) {
        s->verb = 1;
        s->values = type == TK_VALUES;
    }
}

static uint32_t kind_now(const struct machine *m, const struct seen *s)
{
    uint32_t kind = kind_of_rule[m->rule_before];

    if (kind == D1GUARD_KIND_SELECT && s->values)
        kind = D1GUARD_KIND_VALUES;
    if (kind == D1GUARD_KIND_INSERT && m->saw_replace)
        kind = D1GUARD_KIND_REPLACE;
    return kind;
}

static enum oracle_result
read_statement(struct machine *m, const char *sql, size_t at, struct oracle_statement *statement)
{
    const unsigned char *z = (const unsigned char *)sql;
    struct seen seen = {0};
    size_t end = at;
    int last = 0, started = 0;

    memset(statement, 0, sizeof(*statement));
    restart(m);
    for (;;) {
        int type = 0;
        size_t len = 0;

        if (z[at])
            len = (size_t)sqlite3GetToken(z + at, &type);
        else if (last == 0)
            return ORACLE_EMPTY;
        else if (last != TK_SEMI)
            type = TK_SEMI;
        if (is_blank(type)) {
            at += len;
            continue;
        }
        statement->next = at + len;
        if (type == TK_ILLEGAL)
            return ORACLE_ERROR;
        type = parser_type(type, z + at + len, last);
        if (!feed(m, type))
            return ORACLE_ERROR;
        if (type == TK_SEMI && m->rule == cmdx_rule)
            break;
        if (type == 0)
            return ORACLE_EMPTY;
        last = type;
        if (type != TK_SEMI || started) {
            if (!started)
                statement->at = at;
            started = 1;
            end = at + len;
            see(&seen, type);
        }
        at += len;
    }
    statement->len = end - statement->at;
    statement->kind = kind_now(m, &seen);
    statement->explain = seen.explain;
    statement->flags = seen.flags;
    if (statement->kind == D1GUARD_KIND_CREATE_TRIGGER)
        statement->flags = 0; /* those of its body are not its own */
    if (statement->kind == D1GUARD_KIND_PRAGMA && seen.value)
        statement->flags |= D1GUARD_PRAGMA_VALUE;
    return ORACLE_STATEMENT;
}

/* Which rule makes which kind is learnt from one sample of each: the tables hold no names. */
static const struct {
    uint32_t kind;
    const char *sql;
} samples[] = {
    {D1GUARD_KIND_SELECT, "SELECT 1"},
    {D1GUARD_KIND_INSERT, "INSERT INTO a VALUES(1)"},
    {D1GUARD_KIND_INSERT, "INSERT INTO a DEFAULT VALUES"},
    {D1GUARD_KIND_UPDATE, "UPDATE a SET b=1"},
    {D1GUARD_KIND_DELETE, "DELETE FROM a"},
    {D1GUARD_KIND_CREATE_TABLE, "CREATE TABLE a(b)"},
    {D1GUARD_KIND_CREATE_INDEX, "CREATE INDEX a ON b(c)"},
    {D1GUARD_KIND_CREATE_VIEW, "CREATE VIEW a AS SELECT 1"},
    {D1GUARD_KIND_CREATE_TRIGGER, "CREATE TRIGGER a DELETE ON b BEGIN SELECT 1; END"},
    {D1GUARD_KIND_CREATE_VIRTUAL_TABLE, "CREATE VIRTUAL TABLE a USING b"},
    {D1GUARD_KIND_CREATE_VIRTUAL_TABLE, "CREATE VIRTUAL TABLE a USING b(c)"},
    {D1GUARD_KIND_DROP_TABLE, "DROP TABLE a"},
    {D1GUARD_KIND_DROP_INDEX, "DROP INDEX a"},
    {D1GUARD_KIND_DROP_VIEW, "DROP VIEW a"},
    {D1GUARD_KIND_DROP_TRIGGER, "DROP TRIGGER a"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a RENAME TO b"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a RENAME b TO c"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a ADD b"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a DROP b"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a ADD CHECK (b)"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a ADD CONSTRAINT b CHECK (c)"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a DROP CONSTRAINT b"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a ALTER b SET NOT NULL"},
    {D1GUARD_KIND_ALTER_TABLE, "ALTER TABLE a ALTER b DROP NOT NULL"},
    {D1GUARD_KIND_BEGIN, "BEGIN"},
    {D1GUARD_KIND_COMMIT, "COMMIT"},
    {D1GUARD_KIND_COMMIT, "END"},
    {D1GUARD_KIND_ROLLBACK, "ROLLBACK"},
    {D1GUARD_KIND_ROLLBACK, "ROLLBACK TO a"},
    {D1GUARD_KIND_SAVEPOINT, "SAVEPOINT a"},
    {D1GUARD_KIND_RELEASE, "RELEASE a"},
    {D1GUARD_KIND_ATTACH, "ATTACH a AS b"},
    {D1GUARD_KIND_DETACH, "DETACH a"},
    {D1GUARD_KIND_PRAGMA, "PRAGMA a"},
    {D1GUARD_KIND_PRAGMA, "PRAGMA a=b"},
    {D1GUARD_KIND_PRAGMA, "PRAGMA a(b)"},
    {D1GUARD_KIND_PRAGMA, "PRAGMA a=-1"},
    {D1GUARD_KIND_PRAGMA, "PRAGMA a(-1)"},
    {D1GUARD_KIND_VACUUM, "VACUUM"},
    {D1GUARD_KIND_VACUUM, "VACUUM a"},
    {D1GUARD_KIND_ANALYZE, "ANALYZE"},
    {D1GUARD_KIND_ANALYZE, "ANALYZE a"},
    {D1GUARD_KIND_REINDEX, "REINDEX"},
    {D1GUARD_KIND_REINDEX, "REINDEX a"},
};

static void learn_rules(struct machine *m)
{
    struct oracle_statement statement;

    restart(m); /* COMMIT ; reduces trans_opt ::= , cmd ::= COMMIT trans_opt, cmdx ::= cmd */
    feed(m, TK_COMMIT);
    feed(m, TK_SEMI);
    cmdx_rule = m->rule;
    restart(m);
    feed(m, TK_REPLACE);
    feed(m, TK_INTO);
    replace_rule = m->rule;
    for (size_t i = 0; i < sizeof(kind_of_rule) / sizeof(kind_of_rule[0]); i++)
        kind_of_rule[i] = ORACLE_UNKNOWN;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        /* An older grammar may lack some forms of ALTER TABLE. */
        if (read_statement(m, samples[i].sql, 0, &statement) == ORACLE_STATEMENT)
            kind_of_rule[m->rule_before] = samples[i].kind;
    }
}

static struct machine reader, walker;

static void prepare_rules(void)
{
    if (cmdx_rule < 0)
        learn_rules(&reader);
}

enum oracle_result oracle_statement(const char *sql, size_t at, struct oracle_statement *statement)
{
    prepare_rules();
    return read_statement(&reader, sql, at, statement);
}

void oracle_walk_start(void)
{
    prepare_rules();
    restart(&walker);
}

int oracle_walk(const char *token, int *complete)
{
    const size_t depth = walker.depth;
    int type = 0;

    /* A token that does not fit is seen only after reductions: try on the other machine first. */
    sqlite3GetToken((const unsigned char *)token, &type);
    reader.depth = 0;
    for (size_t i = 0; i < depth; i++)
        push(&reader, walker.stack[i]);
    if (type == TK_ILLEGAL || is_blank(type) || !feed(&reader, type))
        return 0;
    feed(&walker, type);
    *complete = type == TK_SEMI && walker.rule == cmdx_rule;
    return 1;
}

const char *oracle_keyword(int number)
{
    static char word[32];
    const char *name;
    int len;

    if (sqlite3_keyword_name(number, &name, &len) != SQLITE_OK)
        return NULL;
    memcpy(word, name, (size_t)len);
    word[len] = '\0';
    return word;
}

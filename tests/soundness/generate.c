/*
 * The grammar and the tricks: see generate.h.
 *
 * A text is first a list of pieces, each a token or what stands between two tokens; breaking a text on
 * purpose then works on pieces, whatever they are.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "generate.h"

#include <d1guard.h>

#include <ctype.h>

enum { PIECES_MAX = 1500, DEPTH_MAX = 5, RULE_MAX = 96, SOURCES_MAX = 12, NAMES_MAX = 8, SEEDS_MAX = 20000 };

struct pieces {
    struct text bytes;
    size_t count;
    size_t end[PIECES_MAX];
};

/* The columns of one item of a FROM list. */
enum columns {
    COLUMNS_ABC, /* a, b, c: every table, subquery and WITH table here */
    COLUMNS_JSON,
    COLUMNS_INFO,
    COLUMNS_LIST
};

struct source {
    int alias;
    enum columns columns;
};

/* What a column can come from: the items of the FROM lists around, the innermost last. */
struct scope {
    struct source source[SOURCES_MAX];
    unsigned count;
};

/* What a query has to look like. */
enum {
    QUERY_COLUMNS = 7, /* mask: how many */
    QUERY_NAMED = 8,   /* they are called a, b and c */
    QUERY_VALUES = 16, /* a VALUES will do as well as a SELECT */
    QUERY_STAR = 32    /* any other number will do */
};

enum separators { SEPARATE_PLAIN, SEPARATE_SHORT, SEPARATE_ODD };

struct generator {
    uint64_t random;
    struct pieces *out;
    unsigned depth;
    int aliases; /* given away so far in this text */
    struct scope scope;
    int with[NAMES_MAX]; /* numbers of the WITH tables in scope */
    unsigned withs;
    enum separators separators;
    unsigned odd_case;  /* of 100 words */
    unsigned odd_quote; /* of 100 names */
    unsigned denied;    /* of 1000 tables and functions: one that has side effects */
    struct text *seeds;
    size_t seed_count;
    struct pieces first, second, third;
};

/* --- randomness ------------------------------------------------------------------------------------ */

static uint32_t any(struct generator *g, uint32_t below)
{
    uint64_t x = g->random;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    g->random = x;
    return (uint32_t)((x >> 16) % below);
}

static int chance(struct generator *g, uint32_t of_1000)
{
    return any(g, 1000) < of_1000;
}

#define PICK(g, list) ((list)[any((g), (uint32_t)(sizeof(list) / sizeof *(list)))])

/* --- pieces ---------------------------------------------------------------------------------------- */

static void pieces_clear(struct pieces *p)
{
    text_clear(&p->bytes);
    p->count = 0;
}

static void pieces_add(struct pieces *p, const char *bytes, size_t len)
{
    if (p->count == PIECES_MAX || len == 0)
        return;
    text_add(&p->bytes, bytes, len);
    p->end[p->count++] = p->bytes.len;
}

static size_t piece_start(const struct pieces *p, size_t i)
{
    return i == 0 ? 0 : p->end[i - 1];
}

static void pieces_copy(struct pieces *to, const struct pieces *from, size_t first, size_t count)
{
    for (size_t i = first; i < first + count && i < from->count; i++)
        pieces_add(to, from->bytes.bytes + piece_start(from, i), from->end[i] - piece_start(from, i));
}

static void pieces_from_text(struct pieces *p, const char *sql, size_t len)
{
    struct d1guard_token token = {.size = sizeof token};

    for (size_t at = 0; d1guard_next_token(sql, len, at, &token); at += (size_t)token.len)
        pieces_add(p, sql + at, (size_t)token.len);
}

/* --- how a token is dressed ------------------------------------------------------------------------ */

/* What SQLite reads as a blank, comments that hold what could end a text elsewhere included. */
/* clang-format off */
static const char *const odd_blanks[] = {
    " ", "  ", "\n", "\t", "\f", "\r\n", " \v ", " \xef\xbb\xbf", "/**/", "/* x */", "/* ; */", "/*'*/",
    "/*\"*/", "/*`*/", "/*[*/", "/* /* */", "/*/ */", "/*;DELETE FROM u;*/", "/*\r;DROP TABLE u;*/",
    "-- x\n", "--\n", "--;\n", "--'\n", "--\"\n", "--]\n", "--;DELETE FROM u;\n", "--\r;DELETE FROM u;--\n",
    "-- \xe2\x80\xa8;DELETE FROM u;\n", "--*/\n", "/*--*/", "/* BEGIN */", "/* $$ */",
    "/* $$;DELETE FROM u;$$ */", "-- $a$;DELETE FROM u;\n", "/* CASE */", "/* # */", "/* \\ */", "/*\\'*/",
    "--\\\n", "/* # */ /* ;PRAGMA user_version=7; */"
};
/* clang-format on */

static int needs_blank(const struct generator *g, const char *next)
{
    static const char alone[] = "(),;";
    const struct text *bytes = &g->out->bytes;

    if (bytes->len == 0)
        return 0;
    return strchr(alone, bytes->bytes[bytes->len - 1]) == NULL && strchr(alone, next[0]) == NULL;
}

static void separate(struct generator *g, const char *next)
{
    const char *blank = " ";

    if (g->separators == SEPARATE_SHORT && !needs_blank(g, next))
        return;
    if (g->separators == SEPARATE_ODD && chance(g, 300))
        blank = PICK(g, odd_blanks);
    else if (g->out->count == 0)
        return;
    /* A vertical tab continues blanks, yet cannot start them: the plain blank in front keeps the text whole.
     */
    pieces_add(g->out, blank, strlen(blank));
}

static void put(struct generator *g, const char *token)
{
    separate(g, token);
    pieces_add(g->out, token, strlen(token));
}

static void put_keyword(struct generator *g, const char *word)
{
    char copy[64];
    size_t n = 0;

    for (; word[n] != '\0' && n + 1 < sizeof copy; n++)
        copy[n] = (char)(any(g, 100) < g->odd_case ? tolower((unsigned char)word[n]) : word[n]);
    copy[n] = '\0';
    put(g, copy);
}

enum name_place {
    NAME_OR_STRING, /* 'x' may stand here too */
    NAME_ONLY
};

static void put_name(struct generator *g, const char *name, enum name_place place)
{
    static const char quotes[][3] = {"\"\"", "[]", "``", "''"};
    char copy[96];
    size_t n = 0;
    const char *quote;

    if (any(g, 100) >= g->odd_quote) {
        put(g, name);
        return;
    }
    quote = quotes[any(g, place == NAME_ONLY ? 3 : 4)];
    copy[n++] = quote[0];
    for (size_t i = 0; name[i] != '\0' && n + 2 < sizeof copy; i++)
        copy[n++] = (char)(any(g, 100) < g->odd_case ? toupper((unsigned char)name[i]) : name[i]);
    copy[n++] = quote[1];
    copy[n] = '\0';
    put(g, copy);
}

static void put_alias(struct generator *g, char prefix, int number)
{
    char name[16];

    snprintf(name, sizeof name, "%c%d", prefix, number);
    put_name(g, name, NAME_ONLY);
}

static void put_number(struct generator *g, unsigned number)
{
    char digits[16];

    snprintf(digits, sizeof digits, "%u", number);
    put(g, digits);
}

/* --- the grammar ------------------------------------------------------------------------------------
 *
 * One alternative a line; the first one ends a rule that is nested too deep. A word in capitals is a
 * keyword, one in small letters a name in any quoting, with `~` behind it a name that cannot be a string;
 * <x> is a rule or one of the functions below; all else stands as it is.
 */
/* clang-format off */
static const char *const grammar[][2] = {
    {"literal",
     "1\n0\n2\n-1\n3.5\n.5\n1.\n1e3\n0x1F\n9223372036854775807\nNULL\n'x'\n'a'\n''\n'it''s'\n';'\n"
     "'--'\n'/*'\n'*/'\n'%a%'\n'\\'\n'a\\'\n'; DELETE FROM u; --'\n'$$'\nx'00ff'\nX''\nTRUE\nFALSE\n"
     "CURRENT_TIMESTAMP\nCURRENT_DATE\n'a\nb'\n'#'\n'pragma_optimize'\n'load_extension(1)'\n"
     "'\xe6\x97\xa5\xe6\x9c\xac; \xf0\x9f\x98\x80'"},
    {"parameter", "?\n?1\n?2\n:a\n@b\n$c\n:a1\n$d::e\n#f\n@x::y::z\n:\xc3\xa9"},
    {"tcl", "$a(;)\n:a(b)\n@a(')\n$a(--)\n:a(/*)\n#a(\")\n@a([)\n$a::b(c)\n$a (1)\n$1(')\n:a(x)(y)"},
    {"leaf", "<literal>\n<column>\n<column>\n<column>\n<literal>\n<parameter>"},
    {"binary",
     "+\n-\n*\n/\n%\n||\n<<\n>>\n&\n|\n<\n<=\n>\n>=\n=\n==\n!=\n<>\nAND\nOR\nIS\nIS NOT\nLIKE\nGLOB\n"
     "IS DISTINCT FROM\n->\n->>\nNOT LIKE"},
    {"expr",
     "<leaf>\n<leaf>\n<leaf>\n( <expr> )\n<expr> <binary> <expr>\n<expr> <binary> <expr>\n- <expr>\n"
     "+ <expr>\n~ <expr>\nNOT <expr>\n<expr> ISNULL\n<expr> NOTNULL\n<expr> NOT NULL\n"
     "<expr> COLLATE nocase~\n<expr> BETWEEN <leaf> AND <expr>\n<expr> NOT BETWEEN <leaf> AND <leaf>\n"
     "CASE WHEN <expr> THEN <expr> ELSE <expr> END\nCASE <expr> WHEN <expr> THEN <expr> END\n"
     "CAST ( <expr> AS <type> )\n<call>\n<call>\n<call>\n<call>\n( <query1> )\nEXISTS ( <query1> )\n"
     "NOT EXISTS ( <query1> )\n<expr> IN ( <query1> )\n<expr> NOT IN ( <expr> , <leaf> )\n"
     "<expr> IN ( )\n<expr> IN ( VALUES ( 1 ) , ( 2 ) )\n<expr> IN <in>\n"
     "( ( <leaf> , <leaf> ) = ( <leaf> , <leaf> ) )\n( ( <leaf> , <leaf> ) IN ( SELECT 1 , 2 ) )\n"
     "<expr> LIKE <literal> ESCAPE '\\'"},
    {"type", "TEXT\nINTEGER\nREAL\nBLOB\nNUMERIC\nVARCHAR ( 10 )\nDECIMAL ( 10 , 2 )\n\"a;b\""},
    {"in", "one~\nmain~ . one~\none\npragma_freelist_count\npragma_compile_options~ ( )\n'one'"},
    {"call",
     "abs~ ( <expr> )\nlength~ ( <expr> )\nupper~ ( <expr> )\nlower~ ( <expr> )\n"
     "coalesce~ ( <expr> , <expr> )\nifnull~ ( <expr> , <leaf> )\nsubstr~ ( <expr> , 1 , 2 )\n"
     "replace~ ( <expr> , 'a' , 'b' )\nREPLACE ( 'a' , 'b' , <leaf> )\nquote~ ( <expr> )\n"
     "typeof~ ( <expr> )\nhex~ ( <expr> )\nround~ ( <leaf> , 2 )\nmax~ ( <expr> , <expr> )\n"
     "min~ ( <leaf> , <expr> , 3 )\nnullif~ ( <expr> , <leaf> )\niif~ ( <expr> , <expr> , <expr> )\n"
     "printf~ ( '%s;%d' , <expr> , <expr> )\ninstr~ ( <expr> , 'a' )\njson~ ( '{\"a\":[1,2]}' )\n"
     "json_extract~ ( '{\"a\":1}' , '$.a' )\njson_array~ ( <expr> , <expr> )\n"
     "strftime~ ( '%Y' , '2020-01-01' )\ndate~ ( '2020-01-01' , '+1 day' )\nzeroblob~ ( 3 )\n"
     "likely~ ( <expr> )\nunlikely~ ( <leaf> )\nGLOB ( 'a*' , <leaf> )\nLIKE ( 'a%' , <leaf> )\n"
     "trim~ ( <leaf> )\nunicode~ ( <leaf> )\nchar~ ( 59 , 39 )\nrandom~ ( )\nchanges~ ( )\n"
     "total_changes~ ( )\nlast_insert_rowid~ ( )\nsqlite_version~ ( )\nsqlite_source_id~ ( )\n"
     "<denied-call>"},
    {"aggregate",
     "count~ ( * )\ncount~ ( <leaf> )\nsum~ ( <leaf> )\ntotal~ ( <leaf> )\navg~ ( <leaf> )\n"
     "min~ ( <leaf> )\nmax~ ( <leaf> )\ngroup_concat~ ( <leaf> )\ngroup_concat~ ( <leaf> , '; ' )\n"
     "count~ ( DISTINCT <leaf> )\ncount~ ( * ) FILTER ( WHERE <expr> )\njson_group_array~ ( <leaf> )\n"
     "sum~ ( <leaf> ) FILTER ( WHERE <leaf> > 1 )"},
    {"window",
     "row_number~ ( ) OVER ( ORDER BY <leaf> )\n"
     "rank~ ( ) OVER ( PARTITION BY <leaf> ORDER BY <leaf> DESC )\n"
     "sum~ ( <leaf> ) OVER ( ORDER BY <leaf> ROWS BETWEEN 1 PRECEDING AND CURRENT ROW )\n"
     "count~ ( * ) OVER ( )\nlag~ ( <leaf> , 1 ) OVER ( ORDER BY <leaf> )\n"
     "sum~ ( <leaf> ) FILTER ( WHERE <leaf> ) OVER ( ORDER BY <leaf> RANGE UNBOUNDED PRECEDING )\n"
     "first_value~ ( <leaf> ) OVER ( ORDER BY <leaf> GROUPS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE TIES )\n"
     "ntile~ ( 3 ) OVER ( ORDER BY <leaf> )"},
    {"alias",
     "a~\nb\nx\nA\nselect_\n\"select\"\n[delete from u]\n`a;b`\n'x;y'\n\"a\"\"b\"\n\"--\"\n"
     "updated_at\nwith\nreplace\noptimize~\nend\nbegin\nkey\npragma\nafter\n\"\"\n\xc3\xa9t\xc3\xa9\n"
     "load_extension~\npragma_optimize~\ncount"},
    {"order", "<leaf>\n<expr>\n<leaf> DESC\n<leaf> ASC NULLS LAST\n<leaf> COLLATE nocase~ DESC\n1\n1 DESC"},
    {"limit",
     "LIMIT 3\nLIMIT 5000\nLIMIT 0\nLIMIT 2 OFFSET 1\nLIMIT 1 , 4\nLIMIT 3 , 5000\nLIMIT - 1\n"
     "LIMIT + 4\nLIMIT 1 + 2\nLIMIT ?\nLIMIT :n OFFSET :m\nLIMIT ( SELECT 3 )\nLIMIT '2'\nLIMIT 2.0\n"
     "LIMIT 0x5\nLIMIT ( 4 )\nLIMIT 9223372036854775807\nLIMIT 99999999999999999999\n"
     "LIMIT 5000 OFFSET 2\nLIMIT 0 , 0\nLIMIT 007\nLIMIT - 1 OFFSET 3\nLIMIT 2 , - 1\n"
     "LIMIT CAST ( 2 AS INTEGER )\nLIMIT 10 OFFSET ( SELECT 1 )\nLIMIT CASE WHEN 1 THEN 4 END\n"
     "LIMIT <expr>\nLIMIT 2 OFFSET - 5\nLIMIT 1000 OFFSET 1000"},
    {"table", "t\nt\nu\nu\nw\nf5\nf4\nf3\nrt\nv\nmain . t\nmain . u\n[a;b]\none3\nempty\nbig"},
    {"pragma-table",
     "pragma_table_info~ ( 't' )\npragma_table_info~ ( 'u' , 'main' )\n"
     "main . pragma_table_xinfo~ ( 'w' )"},
    {"list-table", "sqlite_master\nsqlite_schema\nmain . sqlite_schema\nsqlite_master"},
    {"json-table",
     "json_each~ ( '[1,2,3]' )\njson_tree~ ( '{\"a\":[1,2]}' )\njson_each~ ( '{\"drop\":1}' , '$' )"},
    {"join",
     ",\nJOIN\nINNER JOIN\nLEFT JOIN\nLEFT OUTER JOIN\nCROSS JOIN\nRIGHT JOIN\nFULL OUTER JOIN\n,\n"
     "JOIN"},
    /* Pragmas that only report, and those that do more. */
    {"read-pragma",
     "table_info~ ( t )\ntable_info = u\ntable_xinfo ( 'w' )\nindex_list ( t )\nindex_info ( tb )\n"
     "index_xinfo ( tb )\nforeign_key_list ( u )\nforeign_key_check\nforeign_key_check ( u )\n"
     "quick_check\nquick_check ( 1 )\nintegrity_check\ntable_list\nmain . table_info ( t )\n"
     "'main' . 'table_info' ( [u] )\ndata_version\nfreelist_count\npage_count\ncollation_list\n"
     "compile_options\nfunction_list\nmodule_list\npragma_list\ndatabase_list\nforeign_keys\n"
     "user_version\njournal_mode\nmain . cache_size\nencoding\nsynchronous\nauto_vacuum\n"
     "max_page_count\nbusy_timeout\nquery_only\nschema_version\napplication_id\nsoft_heap_limit\n"
     "secure_delete"},
    {"write-pragma",
     "user_version = 9\nuser_version ( 9 )\nmain . user_version = 9\napplication_id = 5\n"
     "foreign_keys = ON\nforeign_keys ( 1 )\nquery_only = 1\ncache_size = 5\njournal_mode = WAL\n"
     "journal_mode = OFF\njournal_mode ( memory )\nlocking_mode = EXCLUSIVE\nsynchronous = OFF\n"
     "case_sensitive_like = 1\nreverse_unordered_selects = on\nrecursive_triggers = off\n"
     "ignore_check_constraints ( yes )\noptimize\noptimize ( 0x10002 )\nincremental_vacuum\n"
     "incremental_vacuum ( 5 )\nwal_checkpoint\nwal_checkpoint ( truncate )\nshrink_memory\n"
     "schema_version = 77\nwritable_schema = 1\ntrusted_schema = off\ntemp_store = 2\n"
     "auto_vacuum = 0\npage_size = 1024\ncache_spill = 0\nthreads = 2\nbusy_timeout = 77\n"
     "max_page_count = 5000\nsecure_delete = off\nmmap_size = 4096\nanalysis_limit = 9\n"
     "automatic_index = 0\ncell_size_check = 1\ndefer_foreign_keys = 1\nlegacy_alter_table = 1\n"
     "full_column_names = 1\nshort_column_names = 0\ncount_changes = 1\nread_uncommitted = 1\n"
     "soft_heap_limit = 500000000\nhard_heap_limit = 900000000\ntemp_store_directory = '.'\n"
     "journal_size_limit = 99\ndefault_cache_size = 99\nwal_autocheckpoint = 7\nfullfsync = 1\n"
     "checkpoint_fullfsync = 1\nempty_result_callbacks = 1\nkey = 'x'\nrekey = 'x'\nnosuch = 1\n"
     "encoding = 'UTF-16'\nuser_version = - 3\nuser_version = + 3\n'user_version' = '4'\n"
     "[main] . [user_version] = 4"},
    {"denied-table",
     "pragma_optimize\nmain . pragma_optimize\nnosuchdb . pragma_optimize\n"
     "pragma_optimize~ ( 0x10002 )\npragma_optimize~ ( 2 )\nbytecode~ ( 'PRAGMA foreign_keys=0' )\n"
     "bytecode~ ( 'PRAGMA cache_size=7' )\ntables_used~ ( 'PRAGMA reverse_unordered_selects=1' )\n"
     "main . tables_used~ ( 'PRAGMA query_only=1' )\nsqlite_dbpage\nfsdir~ ( '.' )\n"
     "zipfile~ ( 'x.zip' )\nlsdir~ ( '.' )"},
    {"denied-call",
     "optimize~ ( f4 )\noptimize~ ( f3 )\noptimize~ /**/ ( [f4] )\noptimize~ --\n ( f4 )\n"
     "load_extension~ ( 'nope' )\nload_extension~ ( 'nope' , 'x' )\nsqlite_log~ ( 1 , 'x' )\n"
     "fts3_tokenizer~ ( 'simple' )\nwritefile~ ( 'n.txt' , 'x' )\nreadfile~ ( 'x' )\n"
     "edit~ ( 'x' , 'true' )\neval~ ( 'DELETE FROM u' )\nsha3_query~ ( 'PRAGMA foreign_keys=1' )\n"
     "usleep~ ( 1 )\nshell_putsnl~ ( 'x' )\ndefine~ ( 'f' , '1' )\nundefine~ ( 'f' )"},
    /* Writers of every kind. */
    {"assign", "b = <leaf>\nb = 'z' , c = 3\n( b , c ) = ( 1 , 2 )\nb = b || 'x'"},
    {"where", "WHERE 1\nWHERE a > 0\nWHERE b = 'a'\nWHERE a IN ( SELECT a FROM t )"},
    {"insert",
     "INSERT INTO u ( a ) VALUES ( 99 )\nINSERT INTO u SELECT 1 , 2 , 3 , 4\n"
     "INSERT OR REPLACE INTO t ( a ) VALUES ( 1 )\nINSERT OR IGNORE INTO t ( a ) SELECT 77\n"
     "INSERT INTO u DEFAULT VALUES\nINSERT INTO u ( a ) VALUES ( 5 ) RETURNING a\n"
     "INSERT INTO t ( a , b ) VALUES ( 1 , 2 ) ON CONFLICT ( a ) DO UPDATE SET b = 'q'\n"
     "INSERT INTO f5 ( f5 ) VALUES ( 'optimize' )\nINSERT INTO f4 ( f4 ) VALUES ( 'optimize' )\n"
     "INSERT INTO v ( a ) VALUES ( 1 )\nINSERT INTO u ( a ) <with> SELECT 98\n"
     "REPLACE INTO u ( a ) VALUES ( 1 )\nREPLACE INTO t ( a ) VALUES ( 1 ) RETURNING *\n"
     "INSERT INTO 't' ( 'a' ) VALUES ( 98 )"},
    {"update",
     "UPDATE u SET <assign>\nUPDATE t SET <assign> <where>\n"
     "UPDATE OR IGNORE u SET <assign> <where> RETURNING *\n"
     "UPDATE u AS z SET <assign> FROM t WHERE z . a = t . a"},
    {"delete",
     "DELETE FROM u\nDELETE FROM t <where>\nDELETE FROM main . u <where> RETURNING a\n"
     "DELETE FROM [u] WHERE a IN ( SELECT 1 )"},
    {"trigger",
     "CREATE TEMP TRIGGER tz AFTER INSERT ON u BEGIN <trigger-body> END\n"
     "CREATE TRIGGER tz BEFORE DELETE ON t WHEN 1 BEGIN <trigger-body> <trigger-body> END\n"
     "CREATE TRIGGER IF NOT EXISTS main . tz INSTEAD OF UPDATE OF a ON v FOR EACH ROW BEGIN <trigger-body> END"},
    {"trigger-body",
     "SELECT 1 ;\nDELETE FROM u ;\nINSERT INTO u ( a ) VALUES ( 1 ) ;\n"
     "UPDATE t SET b = CASE WHEN 1 THEN 2 END ;\nSELECT 1 AS end ;"},
    {"schema",
     "CREATE TABLE z ( a , b )\nCREATE TABLE IF NOT EXISTS t ( a )\nCREATE TEMP TABLE z AS SELECT 1\n"
     "CREATE TABLE z AS <query>\nCREATE INDEX iz ON u ( c )\n"
     "CREATE UNIQUE INDEX IF NOT EXISTS iz ON t ( a )\nCREATE VIEW vz AS <query>\n"
     "CREATE TEMP VIEW vz AS SELECT 1\nCREATE VIRTUAL TABLE z USING fts5 ( a )\n"
     "CREATE VIRTUAL TABLE z USING rtree ( a , b , c )\n<trigger>\nDROP TABLE u\n"
     "DROP VIEW IF EXISTS v\nDROP INDEX tb\nDROP TRIGGER IF EXISTS tr\nDROP TABLE nosuch\n"
     "ALTER TABLE u ADD COLUMN z\nALTER TABLE u RENAME TO z\nALTER TABLE u RENAME COLUMN c TO z\n"
     "ALTER TABLE u DROP COLUMN c"},
    {"other",
     "BEGIN\nBEGIN IMMEDIATE\nBEGIN EXCLUSIVE TRANSACTION\nCOMMIT\nEND\nROLLBACK\nROLLBACK TO s\n"
     "SAVEPOINT s\nSAVEPOINT 's'\nRELEASE s\nRELEASE SAVEPOINT s\nATTACH 'n.db' AS n\n"
     "ATTACH DATABASE ':memory:' AS n\nATTACH '' AS n\nDETACH n\nDETACH DATABASE temp\nVACUUM\n"
     "VACUUM main\nVACUUM INTO 'n.db'\nANALYZE\nANALYZE t\nANALYZE main . u\nREINDEX\nREINDEX t\n"
     "REINDEX nocase"},
    {"writer",
     "<delete>\n<insert>\n<update>\n<schema>\n<other>\nPRAGMA <write-pragma>\n<with> <delete>\n"
     "<with> <insert>\n<with> <update>\n<delete>\nEXPLAIN PRAGMA <write-pragma>\nEXPLAIN <delete>\n"
     "EXPLAIN QUERY PLAN <update>\nEXPLAIN <schema>\nEXPLAIN QUERY PLAN PRAGMA <write-pragma>\n"
     "EXPLAIN <other>"},
    {"statement",
     "<query>\n<query>\n<query>\n<query>\n<query>\n<query>\n<query>\nEXPLAIN <query>\n"
     "EXPLAIN QUERY PLAN <query>\nPRAGMA <read-pragma>\nPRAGMA <read-pragma>\n<writer>"},
    {"semicolon", ";\n; ;\n;\n;\n; ; ;"},
    {"text",
     "<statement>\n<query>\n<query>\n<query>\n<statement>\n<statement>\n<statement> <semicolon>\n"
     "<query> ; <query>\n<statement> <semicolon> <statement>\n<query> <semicolon> <writer>\n"
     "<query> ; <query> ; <writer>\n<semicolon> <statement>\n"
     "<statement> <semicolon> <statement> <semicolon> <statement>\n<writer>"},
};
/* clang-format on */

enum { RULES = (int)(sizeof grammar / sizeof *grammar) };

struct alternatives {
    const char *start[RULE_MAX];
    size_t len[RULE_MAX];
    uint32_t count;
};

static struct alternatives rules[RULES];

/* Finds the lines of each rule. A line feed inside quotes belongs to the line. */
static void rules_split(void)
{
    for (int i = 0; i < RULES; i++) {
        const char *at = grammar[i][1];

        rules[i].count = 0;
        for (;;) {
            const char *end = at;
            int quoted = 0;

            for (;
                 *end != '\0' && (quoted || *end != '\n' || (end - at >= 2 && memcmp(end - 2, "--", 2) == 0));
                 end++) {
                if (*end == '\'')
                    quoted = !quoted;
            }
            if (rules[i].count == RULE_MAX)
                break;
            rules[i].start[rules[i].count] = at;
            rules[i].len[rules[i].count++] = (size_t)(end - at);
            if (*end == '\0')
                break;
            at = end + 1;
        }
    }
}

static void write_query(struct generator *g, unsigned columns);
static void write_with(struct generator *g);
static void write_column(struct generator *g);
static void write_rule(struct generator *g, const char *name, size_t len);

static int equal(const char *name, size_t len, const char *other)
{
    return strlen(other) == len && memcmp(name, other, len) == 0;
}

/* Writes <name>: what needs to know the scope is a function, all else a rule. */
static void write_nested(struct generator *g, const char *name, size_t len)
{
    g->depth++;
    if (equal(name, len, "query"))
        write_query(g, (1 + any(g, 4)) | QUERY_STAR);
    else if (equal(name, len, "query1"))
        write_query(g, 1);
    else if (equal(name, len, "with"))
        write_with(g);
    else if (equal(name, len, "column"))
        write_column(g);
    else
        write_rule(g, name, len);
    g->depth--;
}

static void write_token(struct generator *g, const char *token, size_t len)
{
    char copy[96];

    if (len >= sizeof copy)
        return;
    memcpy(copy, token, len);
    copy[len] = '\0';
    if (isupper((unsigned char)copy[0]) && (len == 1 || isupper((unsigned char)copy[1]) || copy[1] == '_'))
        put_keyword(g, copy);
    else if (copy[len - 1] == '~' && len > 1) {
        copy[len - 1] = '\0';
        put_name(g, copy, NAME_ONLY);
    } else if (islower((unsigned char)copy[0]) && strchr(copy, '\'') == NULL)
        put_name(g, copy, NAME_OR_STRING);
    else
        put(g, copy);
}

/* The bytes of the symbol at the start of an alternative: up to a blank outside quotes. */
static size_t symbol_len(const char *at, const char *end)
{
    char quote = '\0';
    size_t n = 0;

    for (; at + n < end && (quote != '\0' || at[n] != ' '); n++) {
        if (quote != '\0')
            quote = at[n] == quote ? '\0' : quote;
        else if (at[n] == '[')
            quote = ']';
        else if (at[n] == '\'' || at[n] == '"' || at[n] == '`')
            quote = at[n];
    }
    return n;
}

static void write_alternative(struct generator *g, const char *at, size_t len)
{
    const char *const end = at + len;

    while (at < end) {
        const size_t n = symbol_len(at, end);

        if (n > 2 && at[0] == '<' && at[n - 1] == '>' && islower((unsigned char)at[1]))
            write_nested(g, at + 1, n - 2);
        else if (n > 0)
            write_token(g, at, n);
        at += n;
        while (at < end && *at == ' ')
            at++;
    }
}

static void write_rule(struct generator *g, const char *name, size_t len)
{
    for (int i = 0; i < RULES; i++) {
        uint32_t choice = 0;

        if (!equal(name, len, grammar[i][0]))
            continue;
        if (equal(name, len, "call")) {
            /* Its last line has side effects. */
            choice = chance(g, g->denied) ? rules[i].count - 1 : any(g, rules[i].count - 1);
        } else if (g->depth <= DEPTH_MAX + 4 || equal(name, len, "leaf")) {
            choice = any(g, rules[i].count);
        }
        if (g->depth > DEPTH_MAX && equal(name, len, "expr"))
            choice = 0;
        write_alternative(g, rules[i].start[choice], rules[i].len[choice]);
        return;
    }
    fprintf(stderr, "generate: no rule %.*s\n", (int)len, name);
    exit(2);
}

static void write_named(struct generator *g, const char *rule)
{
    write_rule(g, rule, strlen(rule));
}

static void write_line(struct generator *g, const char *alternative)
{
    write_alternative(g, alternative, strlen(alternative));
}

/* --- queries --------------------------------------------------------------------------------------- */

static void write_column(struct generator *g)
{
    static const char *const names[][3] = {
        {"a", "b", "c"}, {"key", "value", "type"}, {"cid", "name", "type"}, {"name", "type", "tbl_name"}};
    const struct source *source;

    if (g->scope.count == 0) {
        write_named(g, "literal");
        return;
    }
    /* Mostly the innermost ones; outer ones make a correlated subquery. */
    source =
        &g->scope
             .source[g->scope.count - 1 - any(g, g->scope.count > 2 && !chance(g, 200) ? 2 : g->scope.count)];
    if (g->scope.count > 1 || chance(g, 500)) {
        put_alias(g, 'x', source->alias);
        put(g, ".");
    }
    put_name(g, names[source->columns][any(g, 3)], NAME_ONLY);
}

/* The item of a FROM list for a source that is already in scope for others, not for itself. */
static void write_source(struct generator *g, const struct source *source)
{
    switch (source->columns) {
    case COLUMNS_JSON:
        write_named(g, "json-table");
        break;
    case COLUMNS_INFO:
        write_named(g, "pragma-table");
        break;
    case COLUMNS_LIST:
        write_named(g, "list-table");
        break;
    case COLUMNS_ABC:
        if (chance(g, g->denied)) {
            write_named(g, "denied-table");
        } else if (g->withs > 0 && chance(g, 600)) {
            put_alias(g, 'n', g->with[any(g, g->withs)]);
        } else if (g->depth < DEPTH_MAX && chance(g, 250)) {
            const struct scope outer = g->scope;

            g->scope.count = 0; /* a subquery of a FROM list sees nothing outside */
            put(g, "(");
            g->depth += 2;
            write_query(g, 3 | QUERY_NAMED);
            g->depth -= 2;
            put(g, ")");
            g->scope = outer;
        } else {
            write_named(g, "table");
        }
        break;
    }
    if (chance(g, 500))
        put_keyword(g, "AS");
    put_alias(g, 'x', source->alias);
}

static void write_from(struct generator *g, const struct source *source, unsigned count)
{
    const int parenthesised = count > 1 && chance(g, 150);

    put_keyword(g, "FROM");
    if (parenthesised)
        put(g, "(");
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            write_named(g, "join");
        write_source(g, &source[i]);
        if (i > 0 && chance(g, 400)) {
            const struct scope outer = g->scope;

            put_keyword(g, "ON");
            g->scope.count = 0;
            for (unsigned k = 0; k <= i; k++)
                g->scope.source[g->scope.count++] = source[k];
            write_named(g, "expr");
            g->scope = outer;
        }
    }
    if (parenthesised)
        put(g, ")");
}

static void write_result_columns(struct generator *g, unsigned columns, int named)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    const uint32_t style = any(g, 10); /* aggregates and windows come with all columns or none */

    for (unsigned i = 0; i < columns; i++) {
        if (i > 0)
            put(g, ",");
        if (style == 0)
            write_named(g, "aggregate");
        else if (style == 1 && g->scope.count > 0)
            write_named(g, "window");
        else
            write_named(g, "expr");
        if (named) {
            put_keyword(g, "AS");
            put_name(g, names[i % 4], NAME_OR_STRING);
        } else if (chance(g, 150)) {
            put_keyword(g, "AS");
            write_named(g, "alias");
        }
    }
}

static void write_tail_of_core(struct generator *g)
{
    if (chance(g, 350)) {
        put_keyword(g, "WHERE");
        write_named(g, "expr");
    }
    if (g->scope.count > 0 && chance(g, 120)) {
        put_keyword(g, "GROUP");
        put_keyword(g, "BY");
        write_named(g, "leaf");
        if (chance(g, 300)) {
            put_keyword(g, "HAVING");
            write_named(g, chance(g, 500) ? "expr" : "aggregate");
        }
    }
    if (chance(g, 30))
        write_line(g, "WINDOW w AS ( ORDER BY <leaf> )");
}

/* One arm of a compound. */
static void write_core(struct generator *g, unsigned columns, unsigned how)
{
    struct source source[3];
    const struct scope outer = g->scope;
    const unsigned count = chance(g, 200) ? 0 : chance(g, 300) ? 2 : 1;

    if (g->scope.count > SOURCES_MAX - 4)
        g->scope.count = SOURCES_MAX - 4;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t kind = any(g, 20);

        source[i].alias = ++g->aliases;
        source[i].columns = kind == 0   ? COLUMNS_JSON
                            : kind == 1 ? COLUMNS_INFO
                            : kind == 2 ? COLUMNS_LIST
                                        : COLUMNS_ABC;
    }
    for (unsigned i = 0; i < count; i++)
        g->scope.source[g->scope.count++] = source[i];
    put_keyword(g, "SELECT");
    if (chance(g, 100))
        put_keyword(g, chance(g, 700) ? "DISTINCT" : "ALL");
    if (count > 0 && (how & QUERY_STAR) != 0 && chance(g, 250))
        put(g, chance(g, 900) ? "*" : "*, *");
    else
        write_result_columns(g, columns, (how & QUERY_NAMED) != 0);
    if (count > 0)
        write_from(g, source, count);
    write_tail_of_core(g);
    g->scope = outer;
}

static void write_values(struct generator *g, unsigned columns)
{
    const unsigned rows = 1 + any(g, 4);

    put_keyword(g, "VALUES");
    for (unsigned row = 0; row < rows; row++) {
        if (row > 0)
            put(g, ",");
        put(g, "(");
        for (unsigned i = 0; i < columns; i++) {
            if (i > 0)
                put(g, ",");
            write_named(g, chance(g, 800) ? "literal" : "expr");
        }
        put(g, ")");
    }
}

/* A WITH list; each of its tables has the columns a, b, c and stays in scope until the caller takes it out.
 */
static void write_with(struct generator *g)
{
    static const char *const hints[] = {"AS", "AS", "AS MATERIALIZED", "AS NOT MATERIALIZED"};
    const unsigned count = 1 + any(g, 2);
    const struct scope outer = g->scope;
    const int recursive = chance(g, 250);

    put_keyword(g, "WITH");
    if (recursive)
        put_keyword(g, "RECURSIVE");
    g->scope.count = 0;
    for (unsigned i = 0; i < count && g->withs < NAMES_MAX; i++) {
        const int number = ++g->aliases;
        const char *hint = PICK(g, hints);

        if (i > 0)
            put(g, ",");
        put_alias(g, 'n', number);
        put(g, "(");
        write_line(g, "a~ , b~ , c~");
        put(g, ")");
        write_line(g, hint);
        put(g, "(");
        if (recursive && chance(g, 700)) {
            write_line(g, "SELECT 1 , 2 , 3 UNION ALL SELECT a + 1 , b , c FROM");
            put_alias(g, 'n', number);
            if (chance(g, 600))
                write_line(g, "WHERE a < 9");
        } else {
            g->depth += 2;
            write_query(g, 3 | QUERY_VALUES);
            g->depth -= 2;
        }
        put(g, ")");
        g->with[g->withs++] = number;
    }
    g->scope = outer;
}

/* what: QUERY_ bits. */
static void write_query(struct generator *g, unsigned what)
{
    const unsigned columns = what & QUERY_COLUMNS;
    const int values = (what & QUERY_NAMED) == 0 && ((what & QUERY_VALUES) != 0 || chance(g, 300));
    const unsigned withs = g->withs;
    uint32_t arms = 1;
    int last_is_values = 0;

    if (g->depth <= DEPTH_MAX && chance(g, 150))
        write_with(g);
    while (arms < 4 && g->depth <= DEPTH_MAX && chance(g, 120))
        arms++;
    for (uint32_t arm = 0; arm < arms; arm++) {
        if (arm > 0)
            write_line(g, chance(g, 500)   ? "UNION ALL"
                          : chance(g, 500) ? "UNION"
                          : chance(g, 700) ? "EXCEPT"
                                           : "INTERSECT");
        last_is_values = arm == 0 ? values && chance(g, 300) : chance(g, 150);
        if (last_is_values)
            write_values(g, columns);
        else
            write_core(g, columns, arms == 1 ? what : what & ~(unsigned)QUERY_STAR);
    }
    if (!last_is_values && chance(g, 250)) {
        put_keyword(g, "ORDER");
        put_keyword(g, "BY");
        if (arms > 1)
            put_number(g, 1 + any(g, columns));
        else
            write_named(g, "order");
    }
    if (!last_is_values && chance(g, 250))
        write_named(g, "limit");
    g->withs = withs;
}

/* --- breaking a text on purpose ----------------------------------------------------------------------- */

/* clang-format off */
static const char *const words[] = {
    "SELECT", "DELETE FROM u", "INSERT INTO u(a) VALUES(1)", "UPDATE u SET b=1", "DROP TABLE u", "WITH",
    "WITH z AS (SELECT 1)", "EXPLAIN", "EXPLAIN QUERY PLAN", "PRAGMA", "user_version", "= 9", "RECURSIVE",
    "AS", "(", ")", ";", ",", ".", "*", "--", "/*", "*/", "'", "\"", "`", "[", "]", "\n", "\r", "\v", "\f",
    "\xef\xbb\xbf", "\xc2\xa0", "$a(;)", ":a(", "@a(')", "$a$", "#", "pragma_optimize",
    "\"pragma_optimize\"", "'pragma_optimize'", "[optimize]", "optimize", "(f4)", "FROM", "JOIN", "IN",
    "IN pragma_optimize", ", pragma_optimize", "main.", "temp.", "BEGIN", "END", "COMMIT",
    "ATTACH 'n.db' AS n", "VACUUM", "CREATE TEMP TRIGGER tz AFTER INSERT ON u BEGIN SELECT 1;", "REPLACE",
    "VALUES", "VALUES(1)", "UNION ALL", "LIMIT 5000", "LIMIT", "1__0", "0x1G", "1_000", "1e", "x'0",
    "x'00'", "USING", "LEFT", "CROSS", "NOT", "MATERIALIZED", "RETURNING *", "WHERE", "CASE", "WHEN",
    "SAVEPOINT s", "/*;", ";--", "\\", "\\'", "''", "->>", "!", "{", "?1(", "ON",
    "CREATE VIRTUAL TABLE z USING fts5(", "INDEXED BY tb", "NOT INDEXED", "OVER", "FILTER", "WINDOW",
    "(SELECT", "SELECT * FROM (", "load_extension(", "1;", "=", "+", "-", "~"
};
/* clang-format on */

static void seed_pieces(struct generator *g, struct pieces *p);

/* Other material to splice with: a seed, or a text of the grammar. */
static void other_pieces(struct generator *g, struct pieces *p)
{
    struct pieces *const out = g->out;

    pieces_clear(p);
    if (g->seed_count > 0 && chance(g, 500)) {
        seed_pieces(g, p);
        return;
    }
    g->out = p;
    g->depth = 2;
    write_named(g, chance(g, 600) ? "writer" : "text");
    g->out = out;
}

static void seed_pieces(struct generator *g, struct pieces *p)
{
    const struct text *seed = &g->seeds[any(g, (uint32_t)g->seed_count)];

    pieces_from_text(p, seed->bytes, seed->len);
}

/* Writes to `to` a changed copy of `from`. */
static void mutate(struct generator *g, const struct pieces *from, struct pieces *to)
{
    const size_t n = from->count;
    const size_t at = n == 0 ? 0 : any(g, (uint32_t)n);
    const size_t run = 1 + any(g, 6);
    const char *word = PICK(g, words);

    pieces_clear(to);
    switch (any(g, 7)) {
    case 0: /* delete */
        pieces_copy(to, from, 0, at);
        pieces_copy(to, from, at + run, n);
        break;
    case 1: /* duplicate */
        pieces_copy(to, from, 0, at + run);
        pieces_copy(to, from, at, n);
        break;
    case 2: /* insert a word */
        pieces_copy(to, from, 0, at);
        pieces_add(to, word, strlen(word));
        if (chance(g, 500))
            pieces_add(to, " ", 1);
        pieces_copy(to, from, at, n);
        break;
    case 3: /* replace a piece by a word */
        pieces_copy(to, from, 0, at);
        pieces_add(to, word, strlen(word));
        pieces_copy(to, from, at + 1, n);
        break;
    case 4: /* the head of this one, the tail of another */
        other_pieces(g, &g->third);
        pieces_copy(to, from, 0, at);
        pieces_copy(to, &g->third, g->third.count == 0 ? 0 : any(g, (uint32_t)g->third.count), PIECES_MAX);
        break;
    case 5: /* a run of another one in the middle of this one */
        other_pieces(g, &g->third);
        pieces_copy(to, from, 0, at);
        pieces_copy(to, &g->third,
                    chance(g, 500) || g->third.count == 0 ? 0 : any(g, (uint32_t)g->third.count),
                    1 + any(g, 30));
        pieces_copy(to, from, at, n);
        break;
    default: /* swap two neighbours */
        pieces_copy(to, from, 0, at);
        pieces_copy(to, from, at + 1, 1);
        pieces_copy(to, from, at, 1);
        pieces_copy(to, from, at + 2, n);
        break;
    }
}

static void mutate_bytes(struct generator *g, struct text *text)
{
    static const char bytes[] = ";'\"`[]()/*-\\\0\v\n\r #$:@?.,x0_=\xef\xc2";
    const char byte = bytes[any(g, (uint32_t)sizeof bytes)];
    const size_t at = text->len == 0 ? 0 : any(g, (uint32_t)text->len);

    if (text->len == 0 || chance(g, 400)) {
        text_add(text, &byte, 1);
        memmove(text->bytes + at + 1, text->bytes + at, text->len - 1 - at);
        text->bytes[at] = byte;
    } else if (chance(g, 500)) {
        text->bytes[at] = byte;
    } else {
        memmove(text->bytes + at, text->bytes + at + 1, text->len - at);
        text->len--;
    }
}

/* --- whole texts ------------------------------------------------------------------------------------- */

static void begin_text(struct generator *g, uint64_t seed, struct pieces *p)
{
    g->random = seed == 0 ? 1 : seed;
    for (int i = 0; i < 4; i++)
        any(g, 2);
    pieces_clear(p);
    g->out = p;
    g->depth = any(g, 4); /* some texts shallow, some nested */
    g->aliases = 0;
    g->scope.count = 0;
    g->withs = 0;
    g->separators = chance(g, 500) ? SEPARATE_PLAIN : chance(g, 500) ? SEPARATE_SHORT : SEPARATE_ODD;
    g->odd_case = chance(g, 300) ? 50 : 0;
    g->odd_quote = chance(g, 300) ? 40 : 3;
}

/* In front of a text and behind it: nothing that should count. */
static void add_ends(struct generator *g, struct text *text)
{
    /* clang-format off */
    static const char *const fronts[] = {
        ";", ";;", "-- x\n", "/* tag */ ", "\xef\xbb\xbf", "\n", "\f", "/*;*/", "--;DELETE FROM u\n", "\t",
        "--\r\n"
    };
    /* clang-format on */
    /* clang-format off */
    static const char *const behinds[] = {
        ";", ";;", " ", "\n", "; -- done", "-- x", "/* x", "/*", ";/* x", "; /* ;DELETE FROM u",
        "/* ; DELETE FROM u; */", "--;DELETE FROM u", "--\r;DELETE FROM u", ";\n;\n", ";\v", " \v", "; \v",
        "-- LIMIT 5", "/* LIMIT 5 */", "\xef\xbb\xbf", ";\xef\xbb\xbf"
    };
    /* clang-format on */
    struct text copy = {0};

    if (chance(g, 150))
        text_add_string(text, PICK(g, behinds));
    if (chance(g, 150)) {
        text_set(&copy, text->bytes, text->len);
        text_clear(text);
        text_add_string(text, PICK(g, fronts));
        text_add(text, copy.bytes, copy.len);
        text_free(&copy);
    }
}

static void generate_anything(struct generator *g, struct text *out)
{
    struct pieces *from = &g->first;
    struct pieces *to = &g->second;

    g->denied = 25;
    if (g->seed_count > 0 && chance(g, 250))
        seed_pieces(g, from);
    else
        write_named(g, "text");
    if (chance(g, 30))
        write_named(g, "tcl");
    if (chance(g, 450)) {
        for (uint32_t n = 1 + any(g, 3); n > 0; n--) {
            struct pieces *const swap = from;

            mutate(g, from, to);
            from = to;
            to = swap;
        }
    }
    text_set(out, from->bytes.bytes, from->bytes.len);
    if (chance(g, 60))
        mutate_bytes(g, out);
    add_ends(g, out);
}

static void generate_read(struct generator *g, struct text *out)
{
    g->denied = 0;
    write_query(g, (1 + any(g, 4)) | QUERY_STAR);
    text_set(out, g->first.bytes.bytes, g->first.bytes.len);
    add_ends(g, out);
}

/* Spliced around a read: what closes a wrap, opens another, swallows a LIMIT or begins a second statement. */
static void generate_escape(struct generator *g, struct text *out)
{
    /* clang-format off */
    static const char *const closers[] = {
        ")", ") LIMIT 5000", ") LIMIT 5000 /*", ") LIMIT 5000 --", ") LIMIT 5000; SELECT * FROM (SELECT 1",
        "; SELECT * FROM big", ";", "; --", "/*", "/* ", "--", "--\n", " LIMIT 5000", " LIMIT 5000 --",
        " LIMIT 5000 /*", "\nLIMIT 5000;", " UNION ALL SELECT a FROM big",
        ") UNION ALL SELECT * FROM (SELECT a FROM big", ") AS x, (SELECT 1 FROM big", " -- LIMIT 1",
        " /* LIMIT 1 */", ";;", "; VALUES(1)", "\\", "'", "\"", "`", "[", "]", " LIMIT",
        " LIMIT 5000 OFFSET", " OFFSET 1", " LIMIT 1,", " LIMIT 5000 LIMIT 5000", " LIMIT (5000",
        " ORDER BY 1", "\r", "-- x\r;", "/*\r*/", " LIMIT 5000 + 0", "\xef\xbb\xbf",
        " LIMIT 1; SELECT a FROM big", ")) LIMIT 5000 /*", ") x WHERE (1", ") x WHERE (1)",
        " AS x) LIMIT (5000", " limit", " \"limit\" 5", " [LIMIT] ", " 'limit'", " LIMIT 5000 -- ",
        " LIMIT 9e3", " LIMIT 0x1388", " LIMIT 5_000", " LIMIT 05000", " LIMIT -1", " LIMIT ?",
        " LIMIT 5000, 5000", " LIMIT 0, 5000", " LIMIT (SELECT 5000)", " LIMIT 5000 UNION ALL SELECT 1",
        " UNION ALL VALUES (1)", " UNION ALL VALUES (1) LIMIT 2"
    };
    /* clang-format on */
    /* clang-format off */
    static const char *const openers[] = {
        "(", "SELECT * FROM (", "SELECT 1) UNION ALL SELECT * FROM (", "/*", "--", "--\n", "/* x */", ";",
        "; ;", "'", "SELECT 1;", "EXPLAIN ", "WITH x AS (SELECT 1) ", "VALUES (1); ", "\xef\xbb\xbf"
    };
    /* clang-format on */
    uint32_t n = 1 + any(g, 3);

    g->denied = 0;
    if (chance(g, 600)) {
        /* clang-format off */
        static const char *const reads[] = {
            "SELECT a FROM big", "SELECT * FROM big", "SELECT a FROM big ORDER BY a",
            "SELECT a FROM big UNION ALL SELECT a FROM big", "VALUES (1),(2),(3)",
            "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM r) SELECT i FROM r",
            "SELECT count(*) FROM big", "SELECT a FROM big LIMIT 5000"
        };
        /* clang-format on */
        text_set(out, "", 0);
        text_add_string(out, PICK(g, reads));
    } else {
        write_query(g, (1 + any(g, 3)) | QUERY_STAR);
        text_set(out, g->first.bytes.bytes, g->first.bytes.len);
    }
    for (; n > 0; n--) {
        struct text copy = {0};

        text_set(&copy, out->bytes, out->len);
        text_clear(out);
        if (chance(g, 200)) {
            text_add_string(out, PICK(g, openers));
            text_add(out, copy.bytes, copy.len);
        } else if (chance(g, 800)) {
            text_add(out, copy.bytes, copy.len);
            text_add_string(out, PICK(g, closers));
        } else {
            const size_t at = copy.len == 0 ? 0 : any(g, (uint32_t)copy.len);

            text_add(out, copy.bytes, at);
            text_add_string(out, PICK(g, closers));
            text_add(out, copy.bytes + at, copy.len - at);
        }
        text_free(&copy);
    }
}

struct generator *generate_open(void)
{
    struct generator *g = calloc(1, sizeof *g);

    if (g == NULL) {
        fputs("out of memory\n", stderr);
        exit(2);
    }
    rules_split();
    return g;
}

void generate_close(struct generator *generator)
{
    for (size_t i = 0; i < generator->seed_count; i++)
        text_free(&generator->seeds[i]);
    free(generator->seeds);
    text_free(&generator->first.bytes);
    text_free(&generator->second.bytes);
    text_free(&generator->third.bytes);
    free(generator);
}

void generate_add_seed(struct generator *generator, const char *sql, size_t len)
{
    if (generator->seeds == NULL)
        generator->seeds = calloc(SEEDS_MAX, sizeof *generator->seeds);
    if (generator->seeds == NULL || generator->seed_count == SEEDS_MAX || len > 4000)
        return;
    text_set(&generator->seeds[generator->seed_count++], sql, len);
}

void generate_text(struct generator *generator, enum generate_what what, uint64_t seed, struct text *out)
{
    begin_text(generator, seed, &generator->first);
    switch (what) {
    case GENERATE_ANYTHING:
        generate_anything(generator, out);
        break;
    case GENERATE_READ:
        generate_read(generator, out);
        break;
    case GENERATE_ESCAPE:
        generate_escape(generator, out);
        break;
    }
}

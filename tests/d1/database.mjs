/*
 * The database that the texts run on: rows that tie, NULLs, blobs, an index, a table without rowid, full text, a view, and
 * the tables that cases and corpora ask for most. And a dump of all that a text could change.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
const SCHEMA = [
    'CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL)',
    'CREATE INDEX t_b ON t(b)',
    'CREATE TABLE u(a INTEGER, x TEXT COLLATE NOCASE, y BLOB)',
    'CREATE TABLE w(k TEXT, n INTEGER, PRIMARY KEY (k, n)) WITHOUT ROWID',
    'CREATE TABLE big(n INTEGER PRIMARY KEY, m INTEGER)',
    'CREATE TABLE child(id INTEGER PRIMARY KEY, parent INTEGER REFERENCES t(a))',
    'CREATE TABLE doc(id INTEGER PRIMARY KEY, body TEXT)',
    'CREATE VIRTUAL TABLE note USING fts5(title, body)',
    'CREATE VIEW v AS SELECT b, count(*) AS n, max(c) AS top FROM t GROUP BY b',
    'CREATE TABLE t1(a INTEGER, b INTEGER, c INTEGER, d INTEGER, e INTEGER, x INTEGER, y INTEGER)',
    'CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT, password TEXT, age INTEGER)',
    ...[0, 1, 2, 3, 4].map((i) => `CREATE TABLE tab${i}(pk INTEGER PRIMARY KEY, col0 INTEGER, col1 REAL, col2 TEXT,
        col3 INTEGER, col4 REAL, col5 TEXT)`),
];

const rows = (count) => `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < ${count})`;

const CONTENT = [
    `${rows(40)} INSERT INTO t SELECT i, CASE i % 5 WHEN 0 THEN NULL ELSE 'b' || (i % 7) END, i % 4 / 2.0 FROM r`,
    `${rows(30)} INSERT INTO u SELECT nullif(i % 9, 3), CASE i % 2 WHEN 0 THEN 'Name ' ELSE 'NAME ' END || (i % 4),
        CASE i % 6 WHEN 0 THEN NULL ELSE unhex(printf('%02x00ff', i % 3)) END FROM r`,
    `${rows(20)} INSERT INTO w SELECT 'k' || (i % 3), i FROM r`,
    `${rows(1200)} INSERT INTO big SELECT i, i % 10 FROM r`,
    `${rows(15)} INSERT INTO child SELECT i, i * 2 FROM r`,
    `${rows(12)} INSERT INTO doc SELECT i, json_object('id', i, 'tags', json_array('x', i % 3, NULL)) FROM r`,
    `${rows(25)} INSERT INTO note SELECT 'title ' || (i % 5), 'red ' || CASE i % 2 WHEN 0 THEN 'blue' ELSE 'green' END FROM r`,
    `${rows(30)} INSERT INTO t1 SELECT i, i * 7 % 30, i % 5, nullif(i % 6, 2), i, i % 3, i FROM r`,
    `${rows(12)} INSERT INTO users SELECT i, 'name' || (i % 4), hex(i), 20 + i % 5 FROM r`,
    ...[0, 1, 2, 3, 4].map((i) => `${rows(11)} INSERT INTO tab${i} SELECT i, i * ${i + 3} % 8, i / 2.0, 'text' || (i % 3),
        nullif(i % 4, 1), i % 3 * 1.5, 'text' || i FROM r`),
];

const TABLES = {
    t: 'a,b,c', u: 'a,x,y', w: 'k,n', big: 'n,m', child: 'id,parent', doc: 'id,body', note: 'title,body',
    users: 'id,name,password,age', t1: 'a,b,c,d,e,x,y',
    ...Object.fromEntries([0, 1, 2, 3, 4].map((i) => [`tab${i}`, 'pk,col0,col1,col2,col3,col4,col5'])),
};
const SETTINGS = ['foreign_keys', 'defer_foreign_keys', 'ignore_check_constraints', 'legacy_alter_table',
    'recursive_triggers', 'reverse_unordered_selects'];

/* All in one query, each with its name. sqlite_stat1 would be in the schema. case_sensitive_like has no form that reads it. */
const DUMP = {
    schema: '(SELECT json_group_array(json_array(type, name, tbl_name, sql)) FROM sqlite_schema)',
    ...Object.fromEntries(Object.entries(TABLES).map(([table, columns]) => [table,
        `(SELECT group_concat(${columns.split(',').map((column) => `quote(${column})`).join("||','||")}, ';') FROM ${table})`])),
    ...Object.fromEntries(SETTINGS.map((name) => [name, `(SELECT ${name} FROM pragma_${name})`])),
    like: "'a' LIKE 'A'",
    last_insert_rowid: 'last_insert_rowid()',
};

export async function populate(engine) {
    for (const sql of [...SCHEMA, ...CONTENT]) {
        const { error } = await engine.all(sql);
        if (error !== undefined)
            throw new Error(`${error}: ${sql}`);
    }
}

export const dumpJob = { call: 'raw', sql: `SELECT ${Object.values(DUMP).join(',\n')}`, values: [] };

/* The answer to dumpJob as [[name, value]]. */
export function readDump(answer) {
    if (answer.rows?.length !== 1)
        throw new Error(`no dump: ${answer.error}`);
    return Object.keys(DUMP).map((name, i) => [name, answer.rows[0][i]]);
}

/* What two dumps differ in, or undefined. */
export function firstDifference(was, is) {
    const at = was.findIndex(([, value], i) => value !== is[i][1]);
    return at < 0 ? undefined : `${was[at][0]} was ${was[at][1]}, is ${is[at][1]}`;
}

/*
 * The texts: what tests/cases allows, queries written for the database of database.mjs, and reads of the corpora where they
 * are. All of them are allowed by the guard's default options, and no endless one is among them but those marked so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { guard } from './engine.mjs';

const CASES = new URL('../cases/', import.meta.url);
const CORPORA = new URL('../../../shared/corpora/dev/', import.meta.url);

const ESCAPES = { n: '\n', t: '\t', r: '\r', 0: '\0', '\\': '\\' };

/* The text of a case, or undefined if it is no UTF-8, which D1 cannot be sent. */
function unescape(field) {
    const bytes = [];
    for (const [part, hex, letter] of field.matchAll(/\\x([0-9a-f]{2})|\\([^x])|[^\\]+/gi))
        bytes.push(...hex ? [parseInt(hex, 16)] : Buffer.from(letter ? ESCAPES[letter] : part));
    try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    } catch {
        return undefined;
    }
}

/* What the verdict, cap and clean files allow with default options. */
export function caseTexts() {
    const texts = new Set();
    for (const file of readdirSync(CASES).filter((name) => /^(verdict|cap|clean).*\.tsv$/.test(name)).sort()) {
        for (const line of readFileSync(new URL(file, CASES), 'utf8').split('\n')) {
            const text = line === '' || line.startsWith('#') ? undefined : unescape(line.slice(line.lastIndexOf('\t') + 1));
            if (text !== undefined && guard.check(text).allowed)
                texts.add(text);
        }
    }
    return [...texts];
}

/* No row source ends by itself here: only the capped text is run. */
export const isEndless = (text) => /UNION ALL SELECT i ?\+ ?1\s+FROM n\)/.test(text);

/* Reads of the corpora that do not look recursive (which might never end) and prepare or name a table that is here: the
 * engine has the last word. Empty where there are no corpora. */
export function corpusTexts() {
    const texts = new Set();
    for (const [file, step] of existsSync(CORPORA) ? Object.entries(SAMPLED) : []) {
        const reads = readFileSync(new URL(file, CORPORA), 'utf8').split('\n').filter((line) => line !== '')
            .map((line) => JSON.parse(line))
            .filter(({ read, st, msg, sql }) => read && (st === 'ok' || HERE.test(msg ?? '')) && !/WITH.*UNION/is.test(sql));
        for (let i = 0; i < reads.length; i += step)
            texts.add(reads[i].sql);
    }
    return [...texts].filter((text) => guard.check(text).allowed);
}
const HERE = /no such table: (t|u|v|t1|tab[0-4]|users)$/;
const SAMPLED = { /* every so many */
    'sqlite-tests.jsonl': 70, 'sqllogictest.jsonl': 24, 'projects.jsonl': 8, 'injection.jsonl': 60, 'other-dialects.jsonl': 12,
};

const SOURCES = [
    'a, b, c FROM t', '* FROM t', 'b FROM t WHERE b IS NOT NULL', 'DISTINCT b FROM t', 'DISTINCT b, c FROM t WHERE a > 3',
    'b, count(*) FROM t GROUP BY b', 'b, sum(c) AS total FROM t GROUP BY b HAVING count(*) > 4', 'count(*) FROM t',
    'a, row_number() OVER (ORDER BY a DESC) FROM t', 't.a, u.x FROM t JOIN u ON t.a = u.a', 't.a, u.a, u.a FROM t, u WHERE t.a < 4',
    'x, y FROM u', 'A, X, hex(y) AS h FROM u', 'typeof(y), length(y) FROM u', 'rowid, a FROM u', '* FROM w', '* FROM v',
    'n, m FROM big', 'm, max(n) FROM big GROUP BY m', 'n AS "order by", m AS [limit] FROM big WHERE n % 3 = 0',
    'title, body FROM note', "highlight(note, 1, '<', '>') FROM note WHERE note MATCH 'blue'",
    "id, json_extract(body, '$.tags[1]') AS tag FROM doc", 'doc.id, e.value FROM doc, json_each(doc.body, \'$.tags\') AS e',
    'a FROM t WHERE a IN (SELECT n FROM big LIMIT 20)', '(SELECT max(n) FROM big WHERE m = c * 2) AS top, a FROM t',
    'CASE WHEN b IS NULL THEN 0 ELSE a END FROM t', 'NULL, x\'00ff\', 1.5, \'it\'\'s\' FROM t',
];
const ORDERS = ['', ' ORDER BY 1', ' ORDER BY 1 DESC'];
const LIMITS = ['', ' LIMIT 5', ' LIMIT 3, 4', ' LIMIT 1+2', ' LIMIT ? OFFSET 2'];

const WHOLE = [
    'SELECT a FROM t ORDER BY c, a', 'SELECT a, c FROM t ORDER BY c DESC, b NULLS LAST, a', 'SELECT x FROM u ORDER BY x, rowid',
    'SELECT 1', 'SELECT NULL', 'SELECT 1 WHERE 0', 'SELECT a FROM t WHERE 0', 'SELECT 1, 1, 1', 'SELECT a, A, a AS a FROM t',
    'SELECT a AS x, b AS x FROM t LIMIT 1+1', 'SELECT TRUE, false, 1 LIMIT 1+1', 'SELECT likely(a), t.a, "b" FROM t LIMIT 2*3',
    'SELECT A, B COLLATE NOCASE FROM t LIMIT 2*3', 'SELECT u.rowid, oid FROM u LIMIT 9-1', 'SELECT "a" FROM t LIMIT (SELECT 4)',
    'VALUES (1)', 'VALUES (1, 2), (3, 4), (5, 6)', 'VALUES (NULL), (x\'00\'), (1.5), (\'s\')', 'SELECT 1 UNION ALL VALUES (2), (3)',
    'VALUES (1), (2) UNION ALL SELECT 3', 'SELECT a FROM t UNION SELECT n FROM big', 'SELECT a FROM t UNION ALL SELECT a FROM u',
    'SELECT b FROM t EXCEPT SELECT x FROM u', 'SELECT a FROM t INTERSECT SELECT a FROM u ORDER BY 1',
    'SELECT a, b FROM t UNION SELECT a, x FROM u ORDER BY 2, 1 LIMIT 7', 'SELECT c FROM t UNION SELECT a FROM u ORDER BY 1 DESC LIMIT 2+3',
    'WITH q AS (SELECT a FROM t) SELECT * FROM q', 'WITH q(z) AS (VALUES (3), (2), (1)) SELECT z FROM q ORDER BY z',
    'WITH q AS MATERIALIZED (SELECT * FROM big) SELECT count(*) FROM q', 'WITH q AS (SELECT 1 LIMIT 1) SELECT * FROM q, t',
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 1500) SELECT i FROM r',
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i * 2 FROM r LIMIT 30) SELECT i FROM r',
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i, \'endless\' FROM n',
    'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i * 2 AS twice FROM n WHERE i % 2',
    'SELECT title, rank FROM note WHERE note MATCH \'green\' ORDER BY rank, rowid', 'SELECT * FROM note(\'red\') ORDER BY rowid',
    'SELECT snippet(note, 1, \'[\', \']\', \'...\', 2), bm25(note) FROM note WHERE body MATCH \'blue\' ORDER BY rowid',
    'SELECT key, value, type FROM json_each(\'[1, null, "x", {"a": 2}]\')', 'SELECT fullkey, atom FROM json_tree(\'{"a":[1,2,{"b":3}]}\')',
    'SELECT body -> \'$.tags\' ->> 1, id FROM doc', 'SELECT group_concat(b, \',\') FROM (SELECT b FROM t ORDER BY a)',
    'SELECT a, lag(a) OVER w, sum(c) OVER w FROM t WINDOW w AS (ORDER BY a ROWS 2 PRECEDING)',
    'SELECT b, rank() OVER (PARTITION BY b ORDER BY a) FROM t ORDER BY a', 'SELECT count(*) FILTER (WHERE c > 1) FROM t',
    'SELECT * FROM t LEFT JOIN child ON child.parent = t.a ORDER BY t.a', 'SELECT * FROM t NATURAL JOIN u ORDER BY a, u.rowid',
    'SELECT t.*, u.* FROM t JOIN u USING (a) ORDER BY a, u.rowid LIMIT 2+2', 'SELECT * FROM t, u ORDER BY t.a, u.rowid LIMIT 4+4',
    'SELECT * FROM (SELECT a FROM t ORDER BY a DESC LIMIT 8)', 'SELECT * FROM (VALUES (1), (2))', 'SELECT EXISTS (SELECT 1 FROM t)',
    'SELECT name, type FROM sqlite_schema ORDER BY name', 'SELECT name FROM pragma_table_info(\'t\')', 'PRAGMA table_info(t)',
    'PRAGMA foreign_key_check', 'PRAGMA index_list(\'t\')', 'PRAGMA quick_check', 'EXPLAIN QUERY PLAN SELECT * FROM t WHERE b = 1',
    'EXPLAIN SELECT a FROM t', 'SELECT a FROM t WHERE a > ?1 AND a < ?1 + ?2', 'SELECT :x, @y, $z', 'SELECT ?, ?, a FROM t LIMIT ?',
    'SELECT \';\' AS semi, "b;" FROM (SELECT 1 AS "b;")', 'SELECT [a;b] FROM (SELECT 1 AS [a;b])', 'SELECT `a``b` FROM (SELECT 1 AS `a``b`)',
    'SELECT a FROM t -- LIMIT 3', 'SELECT a FROM t /* LIMIT 3', 'SELECT a FROM t LIMIT 3 -- rest', 'SELECT/**/a/**/FROM/**/t',
    'SELECT 1 /* ; */ + 2', 'SELECT a -- ; DELETE FROM t\n, b FROM t', 'SELECT a /* \r */, b FROM t LIMIT 1+1', '\ufeffSELECT a FROM t',
    'SELECT é FROM (SELECT \'\u{1f600}\' AS é)', 'SELECT a FROM t WHERE b LIKE \'%;%\' OR b GLOB \'b[1-3]*\'',
];
const AROUND = [ /* in turn */
    (text) => text, (text) => `${text};`, (text) => `-- first\n${text}`, (text) => `${text}; -- x`, (text) => `;;${text} ; ;`,
    (text) => `${text} /* ; */`, (text) => `/* a */ ${text};\n\n-- b;\n`, (text) => `${text.replace(' FROM ', '\n  FROM ')}\n`,
];

/* [{ plain, text }]: the query, and the query with comments, blanks and `;` around it. */
export function ownTexts() {
    const texts = [...WHOLE];
    for (const source of SOURCES) {
        for (const order of ORDERS) {
            for (const limit of LIMITS)
                texts.push(`SELECT ${source}${order}${limit}`);
        }
    }
    return texts.map((plain, i) => ({ plain, text: AROUND[i % AROUND.length](plain) }));
}

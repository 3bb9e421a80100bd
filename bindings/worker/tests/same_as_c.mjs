/*
 * The Worker and the server in C, d1guard-mcp, on one D1 database: the same call has the same answer, to the last field. Both
 * send the same text to D1 as well.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { ACCOUNT, READ_TOKEN, startTeam } from './team.mjs';

const DICTIONARY = new URL('../dictionary.json', import.meta.url).pathname;
const FIXTURE = [
    'CREATE TABLE d1_migrations (id, name)', // wrangler's own, listed by neither
    'CREATE TABLE v (i, r, t, b, n)',
    "INSERT INTO v VALUES (9007199254740993, 1.5, 'žluť 🐎', x'00ff10', NULL), (-9223372036854775808, 1e300, '', x'', NULL), (1, -0.0, 'a''b\"', x'41', 2.0)",
    'CREATE TABLE "odd name; --" ("a b" TEXT NOT NULL DEFAULT \'x\', g AS ("a b" || 1), PRIMARY KEY ("a b"))',
    'CREATE TABLE child (a, b, FOREIGN KEY (a, b) REFERENCES v (i, r) ON UPDATE CASCADE, FOREIGN KEY (b) REFERENCES v)',
    'CREATE INDEX expression ON v (lower(t), i) WHERE n IS NULL',
    'CREATE VIEW w AS SELECT i AS first, t FROM v',
    'CREATE VIRTUAL TABLE words USING fts5 (word)',
];

let team, ada, c;

/* d1guard-mcp in the older era, which has no per-request extras. */
function startC(apiBase) {
    const child = spawn(process.env.D1GUARD_MCP, ['--d1', `shop=${ACCOUNT}/db-1`, '--d1-api-base', apiBase, '--dictionary',
        DICTIONARY],
        { env: { CLOUDFLARE_API_TOKEN: READ_TOKEN }, stdio: ['pipe', 'pipe', 'inherit'] });
    const waiting = new Map();
    createInterface({ input: child.stdout }).on('line', (line) => {
        const message = JSON.parse(line);
        waiting.get(message.id)?.(message);
    });
    let number = 0;
    return {
        request: (method, params) => new Promise((resolve) => {
            waiting.set(++number, resolve);
            child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: number, method, params })}\n`);
        }),
        close: () => child.kill(),
    };
}

before(async () => {
    team = await startTeam({ people: ['Ada'] });
    for (const sql of FIXTURE)
        await team.standin.database('db-1').prepare(sql).run();
    ada = await team.as('Ada').approve();
    c = startC(team.standin.apiBase);
});
after(async () => {
    c.close();
    await team.close();
});

function answered(promise, what) {
    let timer;
    const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), 20_000); });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/* The answers of both, and what each sent to D1. */
async function both(method, params) {
    const one = async (ask) => {
        team.standin.requests.length = 0;
        const { result, error } = await ask();
        return { result, error, sent: team.standin.requests.map(({ url, text }) => [url, JSON.parse(text)]) };
    };
    return [await one(() => answered(c.request(method, params), JSON.stringify(params).slice(0, 200))),
        await one(async () => (await ada.legacy(method, params)).json())];
}

/* Text that is JSON is compared as JSON: the two need not write numbers alike. */
function plain(result) {
    const texts = (result?.content ?? []).map(({ text }) => {
        try {
            return JSON.parse(text);
        } catch {
            return text;
        }
    });
    return { ...result, content: texts };
}

async function agree(name, args) {
    const [inC, here] = await both('tools/call', { name, arguments: args });
    assert.deepEqual(plain(here.result), plain(inC.result), `${name} ${JSON.stringify(args)}`);
    assert.deepEqual(here.error, inC.error);
    if (args.sql !== undefined)
        assert.deepEqual(here.sent, inC.sent, `sent for ${JSON.stringify(args)}`);
    return here.result;
}

test('the tools are described by one text, and so are the instructions', async () => {
    const [inC, here] = await both('tools/list', {});
    assert.deepEqual(here.result, inC.result);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } };
    const [hello, ours] = await both('initialize', params);
    assert.deepEqual({ ...ours.result, serverInfo: 0 }, { ...hello.result, serverInfo: 0 });
    assert.equal(ours.result.serverInfo.version, hello.result.serverInfo.version);
});

test('list_tables', async () => {
    const { structuredContent } = await agree('list_tables', {});
    assert.ok(structuredContent.tables.length >= 9);
    for (const args of [{ database: 'shop' }, { database: 1 }, { more: 1 }])
        await agree('list_tables', args);
});

test('describe_table, for every table and for none', async () => {
    const { structuredContent } = await agree('list_tables', {});
    for (const { name } of structuredContent.tables) {
        const result = await agree('describe_table', { table: name });
        assert.equal(result.isError, false, name);
    }
    for (const table of ['ORDERS', 'nope', '', "x'; DROP TABLE v; --", 'sqlite_schema', '_cf_KV', 'words_data', 'a\0b'])
        await agree('describe_table', { table });
    for (const args of [{}, { table: 1 }, { table: 'v', more: 1 }])
        await agree('describe_table', args);
});

const ROWS = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i';

test('queries: rows, values, notes, caps', async () => {
    for (const sql of [
        'SELECT 1', 'SELECT * FROM v', 'SELECT i, i FROM v', 'SELECT r, typeof(r) FROM v', 'SELECT CAST(i AS TEXT) FROM v',
        'SELECT * FROM w', 'VALUES (1, 2), (3, NULL)',
        'SELECT 1.0, 1e15, 1e16, 1e18, 9007199254740991, 9007199254740992, 4611686018427387904',
        'SELECT 1e20, 1e21, 1e22, 0.1, 1e-7, 123456789.125', 'SELECT 9e999, -9e999',
        "SELECT 'a' AS \"\", '\t\n\r\b\f\x7f\\\"' AS \"b\n\"", "SELECT '\u2028', '😀', 'e\u0301'", 'SELECT * FROM orders',
        'SELECT * FROM orders LIMIT 1000', 'SELECT * FROM orders LIMIT 3',
        'SELECT * FROM orders LIMIT 1 + 1', 'SELECT * FROM orders WHERE 0', 'EXPLAIN QUERY PLAN SELECT * FROM orders',
        'PRAGMA table_info(orders)', 'PRAGMA table_list',
        ';SELECT 1 -- ; x\n;', '/* ; */ SELECT 1', `${ROWS} FROM n`, `${ROWS}, hex(zeroblob(300)) FROM n`,
        'SELECT hex(zeroblob(5000))', 'SELECT hex(zeroblob(40000))', 'SELECT zeroblob(9000)',
        "SELECT replace(hex(zeroblob(20000)), '0', 'ž')",
        `SELECT ${Array.from({ length: 60 }, (_, i) => `hex(zeroblob(2000)) AS a${i}`).join(', ')}`,
        `SELECT ${Array.from({ length: 99 }, (_, i) => `1 AS "${'long name '.repeat(70)}${i}"`).join(', ')}`,
    ])
        await agree('query', { sql });
    for (const max of [1, 7, 200, 201, 1e6, 0, -1, 1.5, '3'])
        await agree('query', { sql: `${ROWS} FROM n`, max_rows: max });
});

test('queries: errors of D1', async () => {
    for (const sql of ['SELECT nowhere', 'SELECT * FROM nowhere', 'SELECT (', 'SELECT sqlite_version()', 'SELECT 1 +',
        'PRAGMA foreign_key_list', 'SELECT abs(-9223372036854775808)', 'WITH a SELECT 1'])
        await agree('query', { sql });
});

test('queries: refusals', async () => {
    for (const sql of ['', ';', '-- x', 'DELETE FROM v', 'SELECT 1; SELECT 2', '\n\n  ž',
        'SELECT \'žluť\'; UPDATE v SET i = 1', "SELECT 'open", 'SELECT $a(1)', 'PRAGMA user_version', 'PRAGMA optimize',
        'SELECT * FROM pragma_optimize', 'EXPLAIN DELETE FROM v', 'SELECT load_extension(1)', 'VACUUM', 'ATTACH \'x\' AS y',
        'SELECT 1 WHERE 0x1G', 'SELECT 1\0', 'SELECT (1', 'SELECT 1)', 'BEGIN',
        'CREATE TABLE x (y)', 'WITH a AS (SELECT 1) REPLACE INTO v SELECT 1', 'x'.repeat(400)])
        await agree('query', { sql });
});

test('parameters', async () => {
    for (const [sql, params] of [
        ['SELECT ?', [1]], ['SELECT ?, typeof(?1)', [1.5]], ['SELECT ?, ?', ['a', null]], ['SELECT ?2, ?1', [1, 2]],
        ['SELECT :a, @b, $c, :a', { a: 1, '@b': 'x', $c: true }], ['SELECT ?1, :x, ?', [1, 2, 3]],
        ['SELECT hex(?), typeof(?1)', [{ blob_base64: 'AP8Q' }]], ['SELECT hex(?)', [{ blob_base64: '', bytes: 0 }]],
        ['SELECT ?', [{ integer: '-5' }]], ['SELECT ?', [{ integer: '9007199254740993' }]],
        ['SELECT ?', [{ integer: 'x' }]], ['SELECT ?', [{ integer: 5 }]], ['SELECT ?', [{}]], ['SELECT ?', [[]]], ['SELECT ?',
        [{ blob_base64: 'A' }]], ['SELECT ?', []], ['SELECT 1', [1]], ['SELECT ?', {}],
        ['SELECT :a', { b: 1 }], ['SELECT :a', [7]], ['SELECT ?', 'x'], ['SELECT ?', null], ['SELECT ?101', [1]],
        ['SELECT \'?\', "?"', []], ['SELECT ?', ['žluť 🐎\0x']], ['SELECT ?', [false]],
        ['SELECT ?5', [1, 2, 3, 4, 5]], ['SELECT ?', [1e300]], ['SELECT ?', [-0]],
    ])
        await agree('query', { sql, params });
});

test('d1_read_query and the choice of a database', async () => {
    for (const more of [{}, { database_id: 'db-1' }, { account_id: ACCOUNT }, { database_id: 'db-1', account_id: ACCOUNT },
        { database_id: 'x' }, { account_id: 'x' }, { database: 'shop' }, { max_rows: 1 }])
        await agree('d1_read_query', { sql: 'SELECT 1', ...more });
});

test('calls that are none', async () => {
    for (const params of [{ name: 'drop', arguments: {} }, { name: 'QUERY', arguments: { sql: 'SELECT 1' } }, { name: '',
        arguments: {} }]) {
        const [inC, here] = await both('tools/call', params);
        assert.deepEqual(here.error, inC.error, JSON.stringify(params));
    }
    for (const params of [{ name: 'query' }, { name: 'list_tables' }]) {
        const [inC, here] = await both('tools/call', params);
        assert.deepEqual(plain(here.result), plain(inC.result), JSON.stringify(params));
    }
});

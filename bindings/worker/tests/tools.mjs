/*
 * The tools over the real D1 engine: results, bounds, values, refusals, and what comes of a D1 that does not work.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Miniflare } from 'miniflare';
import { makeToken } from '../people.mjs';
import { workerOptions } from '../local/worker.mjs';
import { ACCOUNT, bundleWorker, caller, READ_TOKEN, startTeam } from './team.mjs';

let team, ada;
before(async () => {
    team = await startTeam({ people: ['Ada'], ids: ['db-1', 'db-2'] });
    const db = team.standin.database('db-2');
    await db.exec('CREATE TABLE v (i, r, t, b, n)');
    await db.prepare("INSERT INTO v VALUES (9007199254740993, 1.5, 'žluť 🐎', x'00ff10', NULL)").run();
    ada = await team.as('Ada').approve();
});
after(() => team.close());

async function rowsOf(sql, more) {
    const { structuredContent, content, isError } = await ada.query(sql, more);
    assert.equal(isError, false, content?.[0]?.text);
    assert.deepEqual(JSON.parse(content[0].text), structuredContent, 'the text says the same');
    return structuredContent;
}

test('list_tables and describe_table show the schema with the owner’s notes', async () => {
    const list = (await ada.tool('list_tables')).structuredContent;
    assert.deepEqual(list.tables.map(({ name, type }) => [name, type]), [['customers', 'table'], ['order_lines', 'table'],
        ['orders', 'table'],
        ['products', 'table'], ['revenue_by_month', 'view']]);
    const orders = (await ada.tool('describe_table', { table: 'ORDERS' })).structuredContent;
    assert.equal(orders.table, 'orders');
    assert.deepEqual(orders.columns.map(({ name }) => name), ['id', 'customer_id', 'ordered_at', 'status']);
    assert.deepEqual(orders.indexes.map(({ name, partial, columns }) => [name, partial, columns]),
        [['open_orders', true, ['ordered_at']], ['orders_by_customer', false, ['customer_id', 'ordered_at']]]);
    assert.deepEqual(orders.foreign_keys, [{ columns: ['customer_id'], table: 'customers', references: ['id'],
        on_update: 'NO ACTION', on_delete: 'RESTRICT' }]);
    for (const table of ['nope', "orders'; DROP TABLE orders; --", '_cf_METADATA', 'sqlite_schema'])
        assert.equal((await ada.failure('describe_table', { table })).code, 'NO_SUCH_TABLE', table);
});

test('several databases by name and by id; others are not there', async () => {
    assert.deepEqual((await ada.tool('list_tables', { database: 'other1' })).structuredContent.tables.map(({ name }) => name),
        ['v']);
    const byId = { sql: 'SELECT count(*) AS n FROM v', database_id: 'db-2', account_id: ACCOUNT };
    assert.deepEqual((await ada.tool('d1_read_query', byId)).structuredContent.rows, [[1]]);
    for (const wrong of [{ database_id: 'db-3' }, { account_id: 'else' }])
        assert.equal((await ada.failure('d1_read_query', { ...byId, ...wrong })).code, 'NOT_CONFIGURED');
    assert.equal((await ada.failure('list_tables', { database: 'x' })).code, 'NOT_CONFIGURED');
    const { tools } = (await (await ada.legacy('tools/list')).json()).result;
    assert.ok(tools.every(({ name, inputSchema }) => name === 'd1_read_query' || inputSchema.properties.database !== undefined));
});

test('values of every type', async () => {
    const { rows, columns } = await rowsOf('SELECT i, r, t, b, n, CAST(i AS TEXT) AS exact, 1 AS a, 2 AS a FROM v',
        { database: 'other1' });
    assert.deepEqual(columns, ['i', 'r', 't', 'b', 'n', 'exact', 'a', 'a']);
    assert.deepEqual(rows, [['9007199254740992', 1.5, 'žluť 🐎', { blob_base64: 'AP8Q', bytes: 3 }, null, '9007199254740993', 1,
        2]]);
    const { content } = await ada.query('SELECT i FROM v', { database: 'other1' });
    assert.match(content[1].text, /beyond 2\^53 rounded; CAST/);
});

test('parameters by position and by name', async () => {
    assert.deepEqual((await rowsOf('SELECT ?, ?2, :x', { params: [1, 'b', null] })).rows, [[1, 'b', null]]);
    assert.deepEqual((await rowsOf('SELECT :x, @y, $z, :x', { params: { x: 'a', '@y': 2.5, z: true } })).rows, [['a', 2.5, 1,
        'a']]);
    assert.deepEqual((await rowsOf('SELECT typeof(?1), hex(?1)', { params: [{ blob_base64: 'AP8Q' }] })).rows, [['blob',
        '00FF10']]);
    assert.deepEqual((await rowsOf('SELECT CAST(?1 AS INTEGER) = 9223372036854775807',
        { params: [{ integer: '9223372036854775807' }] })).rows, [[1]]);
    assert.deepEqual((await rowsOf("SELECT '?', [?], ':x' FROM (SELECT 1 AS \"?\")")).rows, [['?', 1, ':x']]);
    for (const [sql, params] of [['SELECT ?', []], ['SELECT ?', [1, 2]], ['SELECT :x', { y: 1 }], ['SELECT ?', [[1]]],
        ['SELECT ?', [{ integer: '1x' }]],
        ['SELECT ?', [{ integer: '9223372036854775808' }]], ['SELECT ?', [{ blob_base64: '*' }]], ['SELECT ?101', [1]],
        ['SELECT ?0', [1]]])
        assert.equal((await ada.failure('query', { sql, params })).code, 'BAD_ARGUMENT', JSON.stringify([sql, params]));
});

test('arguments are held against the schema', async () => {
    for (const [name, args] of [['query', {}], ['query', { sql: 1 }], ['query', { sql: 'SELECT 1', more: 1 }], ['query',
        { sql: 'SELECT 1', max_rows: 0 }],
        ['query', { sql: 'SELECT 1', max_rows: 1.5 }], ['query', { sql: 'SELECT 1', params: 'x' }], ['query',
        { sql: 'SELECT 1', ['__proto__x']: 1 }],
        ['list_tables', { x: 1 }], ['describe_table', {}], ['query', { sql: 'SELECT 1', toString: 1 }]])
        assert.equal((await ada.failure(name, args)).code, 'BAD_ARGUMENT', JSON.stringify(args));
});

test('truncated is true exactly when there were more rows', async () => {
    const n = (count) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n`;
    for (const [count, max, shown, truncated] of [[199, undefined, 199, false], [200, undefined, 200, false], [201, undefined,
        200, true],
        [5, 5, 5, false], [6, 5, 5, true], [300, 1000, 200, true]]) {
        const result = await rowsOf(n(count), max && { max_rows: max });
        assert.deepEqual([result.row_count, result.truncated, result.row_cap], [shown, truncated, Math.min(max ?? 200, 200)]);
    }
    const { content } = await ada.query(n(201));
    assert.match(content[1].text, /^Only the first 200 rows are shown; there are more\.$/);
    assert.equal((await rowsOf('EXPLAIN SELECT * FROM orders JOIN order_lines ON id = order_id', { max_rows: 3 })).truncated, true);
});

test('bytes are bounded: long cells are cut between characters, long results end early', async () => {
    const { rows } = await rowsOf("SELECT replace(hex(zeroblob(20000)), '0', 'ä')");
    assert.match(rows[0][0], /^ä+ \.\.\. \[cut: 80000 bytes in all\]$/);
    const long = await ada.query("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT hex(zeroblob(2000)) FROM n");
    assert.ok(long.structuredContent.truncated && long.structuredContent.row_count < 20);
    assert.ok(JSON.stringify(long.structuredContent).length <= 65_536 + 100);
    assert.equal((await rowsOf('SELECT zeroblob(100000)')).rows[0][0].bytes, 100_000);
    assert.equal((await ada.failure('query',
        { sql: "SELECT hex(zeroblob(900000)) FROM orders, (SELECT 1 UNION ALL SELECT 2) LIMIT 20" })).code, 'TOO_LARGE');
});

test('a refusal says why and where, in bytes, and reaches no database', async () => {
    const before = team.standin.requests.length;
    const { code, reason, at, len, line, column, message } = await ada.failure('query',
        { sql: "SELECT 'žž';\n  DELETE FROM orders" });
    assert.deepEqual({ code, reason, at, len, line, column }, { code: 'SQL_BLOCKED', reason: 'write', at: 17, len: 6, line: 2,
        column: 3 });
    assert.match(message, /^DELETE at byte 17 would write/);
    for (const sql of ['', ' ', 'SELECT 1; SELECT 2', 'PRAGMA user_version', 'VACUUM INTO \'x\'', 'SELECT 1\0',
        'WITH a AS (SELECT 1) DELETE FROM orders', 'SELECT * FROM pragma_optimize'])
        assert.equal((await ada.failure('query', { sql })).code, 'SQL_BLOCKED', sql);
    assert.equal(team.standin.requests.length, before);
});

test('what is sent is the guard’s text, not the caller’s', async () => {
    team.standin.requests.length = 0;
    await rowsOf(' ; SELECT 1 /* ; DROP TABLE orders */ AS a -- ; more\n ;');
    assert.deepEqual(JSON.parse(team.standin.requests.at(-1).text), { sql: 'SELECT 1   AS a\nLIMIT 201', params: [] });
    assert.match(team.standin.requests.at(-1).url, /\/raw$/);
});

test('an SQL error is D1’s own', async () => {
    const { code, message } = await ada.failure('query', { sql: 'SELECT nowhere FROM orders' });
    assert.equal(code, 'SQL_ERROR');
    assert.match(message, /^D1 answered HTTP 400: no such column: nowhere.*\(code 7500\)$/);
});

test('a view with a side effect is blocked, by name, in lists, and under other views', async () => {
    const blocked = await startTeam({ people: ['Ada'], sample: false });
    try {
        const answers = JSON.stringify({ success: true, errors: [], messages: [], result: [{ success: true, meta: {},
            results: { columns: ['name', 'sql'], rows: [
            ['harmless', 'CREATE VIEW harmless AS SELECT 1'], ['over', 'CREATE VIEW over AS SELECT * FROM "Tune_Up"'],
            ['tune_up', 'CREATE VIEW tune_up AS SELECT * FROM pragma_optimize']] } }] });
        /* The engine here does not let such a view be made; a database that came from elsewhere may hold one. */
        blocked.standin.intercept = (_request, text, response) => text.includes("type = 'view'") && response.end(answers);
        const one = await blocked.as('Ada').approve();
        for (const view of ['tune_up', 'TUNE_UP', '"over"', 'main.over'])
            assert.equal((await one.failure('query', { sql: `SELECT * FROM ${view}` })).reason, 'denied-table', view);
        assert.equal((await (await one.readQuery({ sql: 'SELECT * FROM over' })).json()).success, false);
        assert.equal((await one.failure('query', { sql: 'SELECT * FROM harmless' })).code, 'SQL_ERROR');
    } finally {
        await blocked.close();
    }
});

/* --- a D1 that does not work --- */

const json = (status, body, headers = {}) => (_request, _text, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
    return true;
};
const envelope = (code, message) => ({ success: false, errors: [{ code, message }], messages: [], result: [] });

async function against(intercept, args = { sql: 'SELECT 1' }) {
    await ada.query('SELECT 1'); /* the views are judged */
    team.standin.requests.length = 0;
    team.standin.intercept = intercept;
    try {
        return { ...await ada.failure('query', args), requests: team.standin.requests.length };
    } finally {
        team.standin.intercept = undefined;
    }
}

test('the token is refused', async () => {
    for (const status of [401, 403]) {
        const { code, message, requests } = await against(json(status, envelope(10000, 'Authentication error')));
        assert.deepEqual([code, message, requests], ['D1_AUTH',
            `D1 answered HTTP ${status}: Authentication error (code 10000)`, 1]);
    }
});

test('overloaded and broken: tried again a few times, then told', async () => {
    for (const [status, code] of [[429, 'D1_BUSY'], [500, 'D1_ERROR'], [503, 'D1_ERROR']]) {
        const answer = await against(json(status, envelope(7500, 'internal')));
        assert.deepEqual([answer.code, answer.requests], [code, 4], String(status));
    }
    let left = 2;
    team.standin.intercept = (...all) => left-- > 0 && json(500, envelope(1, 'x'), { 'retry-after': '0' })(...all);
    assert.deepEqual((await rowsOf('SELECT 7')).rows, [[7]]);
    team.standin.intercept = undefined;
    const long = await against(json(429, envelope(1, 'x'), { 'retry-after': '3600' }));
    assert.deepEqual([long.code, long.requests], ['D1_BUSY', 1], 'does not wait for an hour');
});

test('HTML, nonsense, half an answer, another form, a redirect', async () => {
    const raw = (status, text, headers = {}) => (_request, _text, response) => Boolean(response.writeHead(status,
        headers).end(text));
    assert.match((await against(raw(502, '<html>Bad gateway'))).message, /HTTP 502 with a body that is none of its JSON/);
    for (const text of ['', '{', 'null', '[]', '1', '{"success":true}', '{"success":true,"result":[]}',
        '{"success":true,"result":[{}]}',
        '{"success":true,"result":[{"results":{"columns":["a"],"rows":[[1]]}},{"results":{"columns":["a"],"rows":[[1]]}}]}',
        '{"success":true,"result":[{"results":{"columns":[1],"rows":[]}}]}',
        '{"success":true,"result":[{"results":{"columns":["a"],"rows":[[1,2]]}}]}',
        '{"success":true,"result":[{"results":{"columns":["a"],"rows":[1]}}]}'])
        assert.equal((await against(raw(200, text))).code, 'D1_ERROR', text);
    const { code, requests } = await against(raw(307, '', { location: `${team.standin.apiBase}/elsewhere` }));
    assert.deepEqual([code, requests], ['D1_ERROR', 1]);
    assert.equal((await against((_request, _text, response) => Boolean(response.socket.destroy()))).code, 'D1_UNREACHABLE');
});

test('too slow: ends at the time limit', async () => {
    const hurried = await startTeam({ people: ['Ada'], standin: team.standin, vars: { TIMEOUT_MS: 1000 } });
    const one = await hurried.as('Ada').approve();
    await one.query('SELECT 1');
    const start = Date.now();
    try {
        for (const slow of [() => true, (_request, _text, response) => Boolean(response.writeHead(200).write('{"success":'))]) {
            team.standin.intercept = slow;
            assert.equal((await one.failure('query', { sql: 'SELECT 1' })).code, 'TIMEOUT');
            assert.equal((await one.readQuery({ sql: 'SELECT 1' })).status, 504);
        }
    } finally {
        team.standin.intercept = undefined;
        await hurried.close();
    }
    assert.ok(Date.now() - start < 8000);
});

/* workerd's HTTP server does not tell the Worker on this machine that a caller is gone, Cloudflare's does; between two Workers it
 * tells here too. */
test('a caller who hangs up ends the query', async () => {
    const { token, sha256 } = makeToken();
    const front = `export default { async fetch(request, { TEAM }) {
        const hangUp = new AbortController();
        const call = TEAM.fetch(request, { signal: hangUp.signal });
        if (request.headers.has('X-Hang-Up')) {
            await scheduler.wait(500);
            hangUp.abort();
            return new Response(await call.then(() => 'answered', (error) => error.name));
        }
        return call;
    } };`;
    const vars = { DATABASES: [{ name: 'shop', account: ACCOUNT, id: 'db-1' }], D1_READ_TOKEN: READ_TOKEN,
        D1_API_BASE: team.standin.apiBase, PERSON_ADA: `${sha256} Ada` };
    const mf = new Miniflare({ host: '127.0.0.1', cf: false, workers: [
        { name: 'front', modules: true, script: front, compatibilityDate: '2026-07-01', serviceBindings: { TEAM: 'team' } },
        { name: 'team', ...workerOptions(await bundleWorker(), vars) },
    ] });
    try {
        const one = caller({ url: (await mf.ready).origin }, token);
        await one.approve();
        await one.query('SELECT 1');
        let arrived, closed;
        team.standin.intercept = (_request, _text, response) => {
            arrived = Date.now();
            response.on('close', () => { closed = Date.now(); });
            return true;
        };
        one.headers['X-Hang-Up'] = '1';
        const answer = await one.modern('tools/call', { name: 'query', arguments: { sql: 'SELECT 2' } });
        assert.equal(await answer.text(), 'AbortError');
        for (let left = 100; left > 0 && closed === undefined; left--)
            await new Promise((resolve) => setTimeout(resolve, 50));
        assert.ok(arrived !== undefined && closed !== undefined, 'the request to D1 is closed');
    } finally {
        team.standin.intercept = undefined;
        await mf.dispose();
    }
});

test('a write that D1 reports is an error and an alarm in the log', async () => {
    for (const meta of [{ changed_db: true }, { rows_written: 1 }]) {
        const answer = { success: true, errors: [], messages: [], result: [{ success: true, meta, results: { columns: ['a'],
            rows: [[1]] } }] };
        assert.equal((await against(json(200, answer))).code, 'DATABASE_CHANGED');
        team.standin.intercept = json(200, answer);
        const rest = await ada.readQuery({ sql: 'SELECT 1' });
        team.standin.intercept = undefined;
        assert.deepEqual([rest.status, (await rest.json()).success], [502, false]);
    }
    assert.equal(team.log.lines.join('').match(/ALARM: D1 reports/g).length, 4);
});

test('nobody listens; the token shows nowhere', async () => {
    const alone = await startTeam({ people: ['Ada'], standin: team.standin,
        vars: { D1_API_BASE: 'http://127.0.0.1:1/client/v4' } });
    try {
        const { code, message } = await (await alone.as('Ada').approve()).failure('query', { sql: 'SELECT 1' });
        assert.deepEqual([code, message], ['D1_UNREACHABLE', 'D1 cannot be reached']);
    } finally {
        await alone.close();
    }
    assert.ok(!alone.log.lines.concat(team.log.lines).join('').includes('d1-read-token-of-the-test'));
});

test('as a binding, by choice: the same answers', async () => {
    const bound = await startTeam({ people: ['Ada'], standin: team.standin, d1Databases: { SHOP: 'shop' },
        vars: { DATABASES: [{ name: 'shop', binding: 'SHOP' }], D1_READ_TOKEN: '' } });
    try {
        await (await bound.mf.getD1Database('SHOP')).exec("CREATE TABLE t (a, b)");
        await (await bound.mf.getD1Database('SHOP')).exec("INSERT INTO t VALUES (1, 'x'), (2, NULL)");
        const one = await bound.as('Ada').approve();
        assert.deepEqual((await one.query('SELECT * FROM t WHERE a > ?', { params: [0], max_rows: 1 })).structuredContent,
            { columns: ['a', 'b'], rows: [[1, 'x']], row_count: 1, truncated: true, row_cap: 1 });
        assert.deepEqual((await one.tool('list_tables')).structuredContent.tables, [{ name: 't', type: 'table' }]);
        assert.equal((await one.failure('query', { sql: 'DELETE FROM t' })).code, 'SQL_BLOCKED');
        assert.equal((await one.failure('query', { sql: 'SELECT x FROM t' })).code, 'SQL_ERROR');
        assert.equal((await one.readQuery({ sql: 'SELECT 1' })).status, 404, 'a binding has no id');
    } finally {
        await bound.close();
    }
});

/*
 * The guarded twin of D1's /query: what passes arrives as the guard wrote it, what does not is answered as Cloudflare would.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ACCOUNT, READ_TOKEN, startTeam } from './team.mjs';

let team, ada;
before(async () => {
    team = await startTeam({ people: ['Ada'] });
    ada = await team.as('Ada').approve();
    await ada.query('SELECT 1'); /* the views are judged */
});
after(() => team.close());

/* [status, body, bodies that reached D1] */
async function ask(body, ...more) {
    team.standin.requests.length = 0;
    const answer = await ada.readQuery(body, ...more);
    return [answer.status, await answer.json(), team.standin.requests.map(({ text }) => text)];
}

function isEnvelope(body, code, part) {
    assert.deepEqual(Object.keys(body), ['success', 'errors', 'messages', 'result']);
    assert.equal(body.success, false);
    assert.equal(body.errors.length, 1);
    assert.equal(body.errors[0].code, code);
    assert.match(body.errors[0].message, part);
}

test('a query and a batch are answered with D1’s own envelope', async () => {
    const [status, body, sent] = await ask({ sql: 'SELECT name FROM customers WHERE id = ?', params: ['1'] });
    assert.equal(status, 200);
    assert.deepEqual(body.result[0].results, [{ name: 'Ada Byron' }]);
    assert.deepEqual(sent, ['{"sql":"SELECT name FROM customers WHERE id = ?","params":["1"]}']);
    assert.match(team.standin.requests[0].url, new RegExp(`/accounts/${ACCOUNT}/d1/database/db-1/query$`));
    const [, batch] = await ask({ batch: [{ sql: 'SELECT 1 AS a' }, { sql: 'SELECT ? AS b', params: [2] }] });
    assert.deepEqual(batch.result.map(({ results }) => results), [[{ a: 1 }], [{ b: 2 }]]);
});

test('the SQL is cleaned, everything else goes on as it was written', async () => {
    const text = '{ "params": [1.0, 12345678901234567890, 1e2, "\\u00e9", null, true, -0], "sql": ";SELECT ?,?,?,?,?,?,? -- ;\\n;" }';
    const [, , sent] = await ask(text);
    assert.deepEqual(sent, ['{"params":[1.0,12345678901234567890,1e2,"é",null,true,-0],"sql":"SELECT ?,?,?,?,?,?,?"}']);
    const [, , twice] = await ask({ sql: 'SELECT 1; /* ; */ SELECT 2;' });
    assert.deepEqual(twice, ['{"sql":"SELECT 1;\\nSELECT 2"}']);
});

test('refused SQL does not leave, wherever in a batch, and the reason is told', async () => {
    for (const sql of ['DELETE FROM customers', 'SELECT 1; DROP TABLE customers',
        'WITH a AS (SELECT 1) INSERT INTO customers SELECT 1', 'PRAGMA user_version = 1', '', 'SELECT 1\0']) {
        for (const body of [{ sql }, { batch: [{ sql: 'SELECT 1' }, { sql }] }]) {
            const [status, answer, sent] = await ask(body);
            assert.equal(status, 400);
            isEnvelope(answer, 7500, /^SQL_BLOCKED \([a-z-]+\): /);
            assert.deepEqual(sent, []);
        }
    }
});

test('a body of another shape does not leave', async () => {
    for (const body of ['', '{', 'null', '[]', '1', '"SELECT 1"', {}, { sql: 1 }, { sql: ['SELECT 1'] }, { sql: 'SELECT 1',
        more: 1 }, { sql: 'SELECT 1', params: 'x' },
        { sql: 'SELECT 1', params: [{}] }, { batch: [] }, { batch: {} }, { batch: [{ sql: 'SELECT 1' }], sql: 'SELECT 1' },
        { batch: [{ sql: 'SELECT 1', x: 1 }] },
        { batch: [{ batch: [] }] }, '{"sql":"SELECT 1","__proto__":{"sql":"DROP TABLE t"}}',
        Buffer.from('{"sql":"SELECT \xff"}', 'latin1')]) {
        team.standin.requests.length = 0;
        const answer = await fetch(`${team.url}/accounts/${ACCOUNT}/d1/database/db-1/read_query`,
            { method: 'POST', headers: ada.headers,
            body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body) });
        assert.equal(answer.status, 400, JSON.stringify(body));
        isEnvelope(await answer.json(), 7400, /./);
        assert.equal(team.standin.requests.length, 0, JSON.stringify(body));
    }
    assert.equal((await ask({ sql: `SELECT '${'x'.repeat(1 << 20)}'` }))[0], 413);
});

test('of a key that stands twice the last counts, for the guard and for D1 alike', async () => {
    const [status, , sent] = await ask('{"sql":"DROP TABLE customers","sql":"SELECT 1"}');
    assert.deepEqual([status, sent], [200, ['{"sql":"SELECT 1"}']]);
    assert.equal((await ask('{"sql":"SELECT 1","sql":"DROP TABLE customers"}'))[0], 400);
});

test('other databases and accounts are not there', async () => {
    for (const [account, id] of [[ACCOUNT, 'db-2'], ['else', 'db-1']]) {
        const [status, body, sent] = await ask({ sql: 'SELECT 1' }, {}, account, id);
        assert.deepEqual([status, sent], [404, []]);
        isEnvelope(body, 7404, /not started with that database/);
    }
});

test('D1’s own error arrives as it is; the read token goes to D1 and not back', async () => {
    const [status, body] = await ask({ sql: 'SELECT nowhere FROM customers' });
    assert.equal(status, 400);
    isEnvelope({ success: body.success, errors: body.errors, messages: body.messages, result: body.result }, 7500,
        /no such column: nowhere/);
    let seen;
    team.standin.intercept = (request, _text, response) => Boolean(seen = request.headers, response.writeHead(403,
        { 'content-type': 'text/html', 'set-cookie': 'x=1' }).end('<p>no'));
    const answer = await ada.readQuery({ sql: 'SELECT 1' });
    team.standin.intercept = undefined;
    assert.equal(seen.authorization, `Bearer ${READ_TOKEN}`);
    assert.deepEqual([answer.status, answer.headers.get('set-cookie'), await answer.text()], [403, null, '<p>no']);
});

test('the database is as it was', async () => {
    const { results } = await team.standin.database('db-1').prepare('SELECT count(*) AS n, sum(id) AS s FROM customers').all();
    assert.deepEqual(results, [{ n: 5, s: 15 }]);
});

/*
 * What every request goes through before a tool: paths, methods, Origin and Host, tokens, sizes, JSON.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { startTeam } from './team.mjs';

let team, ada;
before(async () => {
    team = await startTeam();
    ada = await team.as('Ada Byron').approve();
});
after(() => team.close());

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } } };

/* fetch does not let one choose the Host. */
function withHost({ url }, { headers }, host) {
    return new Promise((resolve, reject) => {
        http.request(`${url}/mcp`, { method: 'POST', agent: false, headers: { ...headers, Host: host } },
            (response) => response.resume().on('end', () => resolve(response.statusCode)))
            .on('error', reject).end(JSON.stringify(initialize));
    });
}

test('paths that are not there are 404 in JSON, with or without a token', async () => {
    for (const path of ['/', '/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server/mcp', '/mcp/',
        '/approve/ADA_BYRON', '/accounts/a/d1/database/b/query', '/accounts/a/d1/database/b/raw']) {
        const answer = await fetch(team.url + path);
        assert.equal(answer.status, 404, path);
        assert.equal((await answer.json()).error, 'not_found');
        assert.equal((await ada.post('{}', {}, path)).status, 404, path);
    }
});

test('other methods are 405 and say which is not', async () => {
    for (const method of ['GET', 'DELETE', 'PUT', 'OPTIONS', 'HEAD']) {
        const answer = await fetch(`${team.url}/mcp`, { method, headers: ada.headers });
        assert.equal(answer.status, 405, method);
        assert.equal(answer.headers.get('Allow'), 'POST');
        const read = await fetch(`${team.url}/accounts/acc-1/d1/database/db-1/read_query`, { method, headers: ada.headers });
        assert.equal(read.status, 405, method);
    }
});

test('a foreign Origin is 403, our own passes, none passes', async () => {
    for (const origin of ['https://evil.example', 'null', `${team.url}.evil.example`, `https://127.0.0.1.evil.example`, 'x'])
        assert.equal((await ada.post(initialize, { Origin: origin })).status, 403, origin);
    for (const origin of [team.url, 'http://localhost:6274'])
        assert.equal((await ada.post(initialize, { Origin: origin })).status, 200, origin);
    assert.equal((await ada.post(initialize)).status, 200);
});

test('a Host that is not ours is 403, where PUBLIC_URL says which is', async () => {
    const { port } = new URL(team.url);
    assert.equal(await withHost(team, ada, `127.0.0.1:${port}`), 200);
    const named = await startTeam({ vars: { PUBLIC_URL: 'https://sql.example.com' }, standin: team.standin });
    const own = named.as('Ada Byron');
    try {
        assert.equal(await withHost(named, own, 'sql.example.com'), 200);
        for (const host of [`127.0.0.1:${port}`, 'localhost', 'evil.example', 'sql.example.com.evil.example', 'sql.example.com:81'])
            assert.equal(await withHost(named, own, host), 403, host);
    } finally {
        await named.close();
    }
});

test('no token, a wrong token, a token elsewhere: 401 with a plain Bearer challenge', async () => {
    const wrong = { Authorization: `Bearer ${ada.token}x` };
    for (const [headers, challenge] of [
        [{}, 'Bearer realm="d1guard"'],
        [wrong, 'Bearer realm="d1guard", error="invalid_token"'],
        [{ Authorization: `Basic ${btoa(`ada:${ada.token}`)}` }, 'Bearer realm="d1guard", error="invalid_token"'],
        [{ Authorization: ada.token }, 'Bearer realm="d1guard", error="invalid_token"'],
        [{ Cookie: `token=${ada.token}`, 'X-Api-Key': ada.token }, 'Bearer realm="d1guard"'],
    ]) {
        for (const path of ['/mcp', `/mcp?token=${ada.token}`, `/mcp?access_token=${ada.token}`,
            '/accounts/acc-1/d1/database/db-1/read_query']) {
            const answer = await fetch(team.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json',
                ...headers }, body: JSON.stringify(initialize) });
            assert.equal(answer.status, 401, JSON.stringify(headers));
            assert.equal(answer.headers.get('WWW-Authenticate'), challenge);
            assert.equal((await answer.json()).error, 'unauthorized');
        }
    }
});

test('the scheme is read without case', async () => {
    assert.equal((await ada.post(initialize, { Authorization: `bearer ${ada.token}` })).status, 200);
});

test('not JSON, not UTF-8, batches, bad messages: a JSON-RPC error with status 400 and no id', async () => {
    const deep = '{"jsonrpc":"2.0","id":1,"method":"ping","params":' + '{"a":'.repeat(70) + '1' + '}'.repeat(71);
    for (const [body, code] of [['', -32700], ['{', -32700], ['nul', -32700], [Uint8Array.of(0x22, 0xff, 0x22), -32700],
        ['[]', -32600], [JSON.stringify([initialize]), -32600], ['1', -32600], ['null', -32600], ['"x"', -32600], [deep, -32600],
        ['['.repeat(500_000), -32700]]) {
        const answer = await fetch(`${team.url}/mcp`, { method: 'POST', headers: ada.headers, body });
        assert.equal(answer.status, 400, String(body).slice(0, 40));
        const { error, id } = await answer.json();
        assert.equal(error.code, code, String(body).slice(0, 40));
        assert.equal(id, undefined);
    }
});

test('a body beyond 1 MiB is 413, one just below is read', async () => {
    const filled = (length) => JSON.stringify({ ...initialize, params: { ...initialize.params, filler: 'x'.repeat(length) } });
    assert.equal((await ada.post(filled(1 << 20))).status, 413);
    assert.equal((await ada.post(filled((1 << 20) - 1000))).status, 200);
});

test('unknown methods, tools, cursors, versions: the codes of each era', async () => {
    const codes = async (answer) => [answer.status, (await answer.json()).error?.code];
    assert.deepEqual(await codes(await ada.modern('resources/list')), [404, -32601]);
    assert.deepEqual(await codes(await ada.legacy('resources/list')), [200, -32601]);
    assert.deepEqual(await codes(await ada.modern('ping')), [404, -32601]);
    assert.deepEqual(await codes(await ada.modern('initialize', initialize.params)), [404, -32601]);
    assert.deepEqual(await codes(await ada.modern('tools/call', { name: 'drop', arguments: {} })), [200, -32602]);
    assert.deepEqual(await codes(await ada.legacy('tools/call', { name: 'drop', arguments: {} })), [200, -32602]);
    assert.deepEqual(await codes(await ada.modern('tools/list', { cursor: 'x' })), [200, -32602]);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    for (const version of ['2024-11-05', '2025-03-26', '2099-01-01', 'x'])
        assert.equal((await ada.post(list, { 'MCP-Protocol-Version': version })).status, 400, version);
    for (const version of ['2025-11-25', '2025-06-18'])
        assert.equal((await ada.post(list, { 'MCP-Protocol-Version': version })).status, 200, version);
    assert.deepEqual(await (await ada.legacy('ping')).json().then(({ result }) => result), {});
});

test('initialize answers the asked version if it has it, else the newest old one', async () => {
    for (const [asked, wanted] of [['2025-11-25', '2025-11-25'], ['2025-06-18', '2025-06-18'], ['2024-11-05', '2025-11-25'],
        ['2026-07-28', '2025-11-25'], ['nonsense', '2025-11-25']]) {
        const answer = await ada.legacy('initialize', { ...initialize.params, protocolVersion: asked });
        assert.match(answer.headers.get('Content-Type'), /^application\/json/);
        assert.equal(answer.headers.get('Mcp-Session-Id'), null);
        assert.equal((await answer.json()).result.protocolVersion, wanted, asked);
    }
});

test('a notification is 202 without a body', async () => {
    const answer = await ada.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    assert.equal(answer.status, 202);
    assert.equal(await answer.text(), '');
});

test('a mistake in the settings stops every request and names itself', async () => {
    for (const [vars, message] of [
        [{ DATABASES: [] }, /DATABASES must be/],
        [{ DATABASES: '[{"name":"x"}]' }, /DATABASES must be/],
        [{ DATABASES: [{ name: 'x', binding: 'NONE' }] }, /no binding NONE/],
        [{ D1_READ_TOKEN: '' }, /D1_READ_TOKEN is not set/],
        [{ MAX_ROWS: 0 }, /MAX_ROWS must be/],
        [{ PUBLIC_URL: 'https://x.example/path' }, /PUBLIC_URL must be/],
        [{ AUDIT: 'on' }, /AUDIT must be/],
    ]) {
        const broken = await startTeam({ vars, standin: team.standin });
        try {
            const answer = await broken.as('Ada Byron').post(initialize);
            assert.equal(answer.status, 500);
            assert.match((await answer.json()).message, message);
        } finally {
            await broken.close();
        }
    }
});

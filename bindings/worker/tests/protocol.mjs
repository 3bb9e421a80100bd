/*
 * MCP as others test it: the official conformance suite, the official client in both eras, the official inspector.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { DEPS, startTeam } from './team.mjs';

const run = promisify(execFile);

/* The suite's scenarios that a server with tools and nothing else can pass, by version. */
const SCENARIOS = {
    '2026-07-28': ['server-stateless', 'tools-list', 'dns-rebinding-protection', 'http-header-validation',
    'server-sse-multiple-streams',
        'sep-2164-resource-not-found'],
    '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection', 'server-session-lifecycle',
    'server-sse-polling'],
    '2025-06-18': ['server-initialize', 'ping', 'tools-list'],
};

/* Four checks of server-stateless need tools made for the suite. */
const BASELINE = `server:
  - server-stateless:sep-2575-server-rejects-undeclared-capability
  - server-stateless:sep-2575-missing-capability-http-400
  - server-stateless:sep-2575-http-server-no-independent-requests-on-stream
  - server-stateless:sep-2575-server-no-log-without-loglevel
`;

let team, ada, door, folder;

/* The suite sends no token: this adds one and leaves the rest as it is. */
function openDoor({ url }, { token }) {
    const server = http.createServer((request, response) => {
        const forward = http.request(`${url}${request.url}`, { method: request.method, agent: false,
            headers: { ...request.headers, Authorization: `Bearer ${token}` } }, (answer) => {
            response.writeHead(answer.statusCode, answer.headers);
            answer.pipe(response);
        }).on('error', () => response.destroy());
        request.pipe(forward);
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

before(async () => {
    team = await startTeam({ people: ['Ada'], vars: { PUBLIC_URL: 'http://127.0.0.1:1' } });
    ada = team.as('Ada');
    const link = new URL(await ada.link()).pathname; /* PUBLIC_URL is another port's */
    const page = await (await fetch(team.url + link)).text();
    const pressed = await fetch(team.url + link, { method: 'POST', headers: { Origin: 'http://127.0.0.1:1',
        'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form: /name="form" value="([^"]+)"/.exec(page)[1] }) });
    assert.equal(pressed.status, 200);
    door = await openDoor(team, ada);
    folder = mkdtempSync(join(tmpdir(), 'd1guard-conformance-'));
    writeFileSync(join(folder, 'baseline.yml'), BASELINE);
});
after(async () => {
    door.closeAllConnections();
    door.close();
    await team.close();
    rmSync(folder, { recursive: true });
});

const program = (name) => [process.execPath, [join(DEPS, 'node_modules/.bin', name)]];

async function conformance(version, scenario) {
    const [node, args] = program('conformance');
    const url = `http://127.0.0.1:${door.address().port}/mcp`;
    try {
        const { stdout, stderr } = await run(node, [...args, 'server', '--url', url, '--scenario', scenario, '--spec-version',
            version,
            ...(scenario === 'server-stateless' ? ['--expected-failures', join(folder, 'baseline.yml')] : [])], { cwd: folder,
                timeout: 60_000 });
        return { code: 0, output: stdout + stderr };
    } catch (error) {
        return { code: error.code ?? 'timeout', output: String(error.stdout) + String(error.stderr) };
    }
}

for (const [version, scenarios] of Object.entries(SCENARIOS)) {
    for (const scenario of scenarios) {
        test(`conformance ${version} ${scenario}`, async (t) => {
            const { code, output } = await conformance(version, scenario);
            assert.equal(code, 0, output);
            const [, passed, all, failed] = /Passed: (\d+)\/(\d+), (\d+) failed/.exec(output) ?? assert.fail(output);
            t.diagnostic(`${passed} of ${all} passed, ${failed} failed`);
            assert.equal(Number(failed), scenario === 'server-stateless' ? 4 : 0, output);
            assert.ok(Number(passed) > 0 || ['server-session-lifecycle', 'server-sse-polling'].includes(scenario), output);
        });
    }
}

/* --- the official client --- */

for (const [era, mode] of [['2026-07-28', { pin: '2026-07-28' }], ['2025-11-25', 'legacy'], ['whatever both have', 'auto']]) {
    test(`official client, ${era}`, async () => {
        const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
        await client.connect(new StreamableHTTPClientTransport(new URL(`${team.url}/mcp`),
            { requestInit: { headers: { Authorization: `Bearer ${ada.token}` } } }));
        try {
            const { tools } = await client.listTools();
            assert.deepEqual(tools.map(({ name }) => name), ['list_tables', 'describe_table', 'query', 'd1_read_query']);
            for (const tool of tools)
                assert.deepEqual(tool.annotations, { title: tool.title, readOnlyHint: true, destructiveHint: false,
                    idempotentHint: true, openWorldHint: false });
            const { structuredContent } = await client.callTool({ name: 'query',
                arguments: { sql: 'SELECT name FROM customers ORDER BY id', max_rows: 2 } });
            assert.deepEqual(structuredContent, { columns: ['name'], rows: [['Ada Byron'], ['Grace Murray']], row_count: 2,
                truncated: true, row_cap: 2 });
            const unicode = await client.callTool({ name: 'query', arguments: { sql: "SELECT '森 🐎' AS \"ž\"" } });
            assert.deepEqual(unicode.structuredContent.rows, [['森 🐎']]);
            const refused = await client.callTool({ name: 'query', arguments: { sql: 'DROP TABLE customers' } });
            assert.equal(refused.isError, true);
            assert.equal(JSON.parse(refused.content[0].text).error.code, 'SQL_BLOCKED');
            assert.equal((await client.callTool({ name: 'describe_table',
                arguments: { table: 'orders' } })).structuredContent.table, 'orders');
            await assert.rejects(client.callTool({ name: 'drop', arguments: {} }), /no tool of this name/);
            assert.match(client.getInstructions() ?? '', /Read-only SQL/);
        } finally {
            await client.close();
        }
    });
}

test('official client of the first generation', async () => {
    const client = new FirstClient({ name: 'test', version: '1' });
    await client.connect(new FirstTransport(new URL(`${team.url}/mcp`),
        { requestInit: { headers: { Authorization: `Bearer ${ada.token}` } } }));
    try {
        assert.equal((await client.listTools()).tools.length, 4);
        const { structuredContent } = await client.callTool({ name: 'query', arguments: { sql: 'SELECT 1 AS one' } });
        assert.deepEqual(structuredContent.rows, [[1]]);
        assert.equal((await client.callTool({ name: 'query', arguments: { sql: 'VACUUM' } })).isError, true);
    } finally {
        await client.close();
    }
});

test('official client, with a token that is not known', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    const transport = new StreamableHTTPClientTransport(new URL(`${team.url}/mcp`),
        { requestInit: { headers: { Authorization: 'Bearer wrong' } } });
    await assert.rejects(client.connect(transport), /401|[Uu]nauthorized/);
});

/* --- the official inspector --- */

async function inspect(era, ...more) {
    const [node, args] = program('mcp-inspector');
    const done = { code: 0, stdout: '', stderr: '' };
    try {
        Object.assign(done, await run(node, [...args, '--cli', `${team.url}/mcp`, '--transport', 'http', '--protocol-era', era,
            '--header', `Authorization: Bearer ${ada.token}`,
            '--format', 'json', ...more], { cwd: folder, timeout: 60_000, env: { ...process.env, HOME: folder } }));
    } catch (error) {
        Object.assign(done, { code: error.code, stdout: error.stdout, stderr: error.stderr });
    }
    return done;
}

for (const era of ['modern', 'legacy', 'auto']) {
    test(`official inspector, ${era}`, async () => {
        const list = await inspect(era, '--method', 'tools/list', '--strict');
        assert.equal(list.code, 0, list.stdout + list.stderr);
        assert.ok(list.stdout.includes('describe_table'));
        const rows = await inspect(era, '--method', 'tools/call', '--tool-name', 'query', '--tool-arg',
            'sql=SELECT count(*) AS n FROM orders');
        assert.equal(rows.code, 0, rows.stdout + rows.stderr);
        assert.match(rows.stdout, /300/);
        const refused = await inspect(era, '--method', 'tools/call', '--tool-name', 'query', '--tool-arg',
            'sql=DELETE FROM orders');
        assert.equal(refused.code, 5, refused.stdout + refused.stderr);
        assert.match(refused.stdout + refused.stderr, /SQL_BLOCKED/);
    });
}

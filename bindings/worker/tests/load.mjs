/*
 * A load run: requests per second through MCP, the Worker, the approval's Durable Object, REST and D1's engine, all on this
 * machine; and how much of a request's time is the guard's, measured in workerd too.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { readFileSync } from 'node:fs';
import { BUILD, READ_TOKEN, startTeam } from './team.mjs';

const SECONDS = 4;
const SQL = "SELECT c.name, count(*) AS orders FROM orders AS o JOIN customers AS c ON c.id = o.customer_id WHERE o.status <> 'returned' GROUP BY c.id ORDER BY 2 DESC";

let team, ada;
before(async () => {
    team = await startTeam({ people: ['Ada'], vars: { CALLS_PER_MINUTE: 1_000_000 } });
    ada = await team.as('Ada').approve();
});
after(() => team.close());

/* Milliseconds that each call took. */
async function load(callers, call) {
    const times = [];
    const until = performance.now() + SECONDS * 1000;
    await Promise.all(Array.from({ length: callers }, async () => {
        while (performance.now() < until) {
            const start = performance.now();
            await call();
            times.push(performance.now() - start);
        }
    }));
    return times.sort((a, b) => a - b);
}

const percentile = (times, p) => times[Math.min(times.length - 1, Math.floor(times.length * p))];

/* Microseconds of the guard for one call, in workerd: many in one request, timed from outside. */
async function guardMicroseconds() {
    const { outputFiles } = await build({
        stdin: { contents: `import { capRows } from './bindings/node/workerd.js';
            const options = { denyTables: [], offsets: 'bytes' };
            export default { async fetch(request) { const { sql, n } = await request.json(); let rows = 0;
                for (let i = 0; i < n; i++) rows += capRows(sql, 201,
                    options).allowed; return new Response(String(rows)); } };`, loader: 'js', resolveDir: BUILD },
        bundle: true, write: false, format: 'esm',
        plugins: [{ name: 'wasm', setup: ({ onResolve }) => onResolve({ filter: /\.wasm$/ }, () => ({ path: './d1guard.wasm',
            external: true })) }],
    });
    const mf = new Miniflare({ compatibilityDate: '2026-07-01', modules: [
        { type: 'ESModule', path: 'index.js', contents: outputFiles[0].text },
        { type: 'CompiledWasm', path: 'd1guard.wasm', contents: readFileSync(`${BUILD}/bindings/node/d1guard.wasm`) }] });
    const time = async (n) => {
        const start = performance.now();
        assert.equal(await (await mf.dispatchFetch('http://x/', { method: 'POST', body: JSON.stringify({ sql: SQL,
            n }) })).text(), String(n));
        return performance.now() - start;
    };
    try {
        await time(10_000);
        const [few, many] = [await time(1), await time(50_000)];
        return (many - few) * 1000 / 50_000;
    } finally {
        await mf.dispose();
    }
}

test('requests per second, and the guard’s share', async (t) => {
    const call = async () => {
        const result = await ada.query(SQL);
        assert.equal(result.structuredContent?.row_count, 5);
    };
    await Promise.all(Array.from({ length: 20 }, call));
    const guard = await guardMicroseconds();
    for (const callers of [1, 16]) {
        const times = await load(callers, call);
        const rate = times.length / SECONDS;
        const share = guard * times.length / (SECONDS * 1e6) * 100;
        t.diagnostic(`${callers} at a time: ${rate.toFixed(0)} requests/s, half within ${percentile(times, 0.5).toFixed(1)} ms, `
            + `99 of 100 within ${percentile(times, 0.99).toFixed(1)} ms; the guard: ${guard.toFixed(2)} µs a query of ${SQL.length} bytes, ${share.toFixed(2)} % of the time`);
        assert.ok(rate > 1, `${rate} requests/s`);
        assert.ok(share < 5, `the guard takes ${share} %`);
    }
});

test('what the stand-in for D1 does alone, for comparison', async (t) => {
    const { url, text } = team.standin.requests.findLast(({ text }) => text.includes('GROUP BY'));
    const times = await load(16, async () => {
        const answer = await fetch(new URL(url, team.standin.apiBase), { method: 'POST',
            headers: { Authorization: `Bearer ${READ_TOKEN}` }, body: text });
        assert.equal((await answer.json()).success, true);
    });
    t.diagnostic(`16 at a time: ${(times.length / SECONDS).toFixed(0)} requests/s`);
});

test('refusals cost no round trip to D1', async (t) => {
    team.standin.requests.length = 0;
    const times = await load(16, async () => assert.equal((await ada.query('DELETE FROM orders')).isError, true));
    t.diagnostic(`16 at a time: ${(times.length / SECONDS).toFixed(0)} refusals/s`);
    assert.equal(team.standin.requests.filter(({ text }) => text.includes('DELETE')).length, 0);
});

/*
 * tests/harness over HTTP: it sends what writes to the Worker and asks the file of the real D1 engine what came of it. The token
 * here lets everything through, so it is the guard alone that holds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { startStandin } from '../local/standin.mjs';
import { bundleWorker, READ_TOKEN, startTeam } from './team.mjs';

const HARNESS = new URL('../../../tests/harness/harness.py', import.meta.url).pathname;

/* The report of the harness on a Worker over a D1 whose file is fresh. */
async function examine(module, ...more) {
    const folder = mkdtempSync(join(tmpdir(), 'd1guard-harness-'));
    const start = () => startStandin({ ids: ['db-1'], token: READ_TOKEN, persist: folder });
    try {
        /* Where the engine keeps this database shows when it has done so once; the harness wants to make the file itself. */
        const first = await start();
        await first.database('db-1').exec('SELECT 1');
        await first.close();
        const file = readdirSync(folder, { recursive: true }).find((name) => /[0-9a-f]{64}\.sqlite$/.test(name));
        for (const end of ['', '-wal', '-shm'])
            rmSync(join(folder, file + end), { force: true });

        const standin = await start();
        const team = await startTeam({ people: ['Ada'], standin, module });
        try {
            await team.as('Ada').approve();
            const args = [HARNESS, '--json', '--database', join(folder, file), '--url', `${team.url}/mcp`,
                '--header', `Authorization: Bearer ${team.tokens.Ada}`, ...more];
            return await new Promise((resolve) => execFile('python3', args, { maxBuffer: 1 << 24 },
                (error, stdout) => resolve({ status: error?.code ?? 0, ...JSON.parse(stdout) })));
        } finally {
            await team.close();
            await standin.close();
        }
    } finally {
        rmSync(folder, { recursive: true });
    }
}

test('with the guard alone, nothing is written', async (t) => {
    const { status, verdict, why, trials, groups } = await examine();
    assert.deepEqual([status, verdict, why, trials.filter((trial) => trial.armed && trial.verdict !== 'pass')], [0, 'pass', '',
        []]);
    const passed = Object.values(groups).reduce((sum, group) => sum + group.pass, 0);
    t.diagnostic(`${passed} of ${trials.length} inputs pass, the others write nowhere`);
    assert.ok(passed >= 120);
});

test('without the guard, the same Worker lets a plain INSERT through: the harness sees', async () => {
    const module = await bundleWorker({ entry: new URL('no_guard.mjs', import.meta.url).pathname });
    const { trials } = await examine(module, '--group', 'plain');
    assert.equal(trials[0].verdict, 'fail');
    assert.match(trials[0].evidence, /\bu\b/);
});

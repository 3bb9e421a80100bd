/*
 * The strict list for D1 against D1's own authorizer: each function that its engine has is called with all numbers of
 * arguments, and what D1 does not authorize is what the guard refuses.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { guard, startEngine } from './engine.mjs';

const UNAUTHORIZED = /not authorized/;
const UNKNOWN = /no such function/;
const ARGUMENTS = ['', '1', '1, 2', '1, 2, 3', '1, 2, 3, 4'];

/* Every function that lib/policy.def lists, for D1 or for SQLite. */
const policy = readFileSync(new URL('../../lib/policy.def', import.meta.url), 'utf8');
const names = [...policy.slice(policy.indexOf('define D1G_FUNCTIONS_D1')).matchAll(/ X\((\w+)\)/g)].map(([, name]) => name);

let engine;
before(async () => {
    engine = await startEngine();
});
after(() => engine.close());

test('the strict list allows what D1 authorizes', async (t) => {
    const calls = names.flatMap((name) => ARGUMENTS.map((values) => ({ name, sql: `SELECT "${name}"(${values})` })));
    const answers = await engine.ask(calls.map(({ sql }) => ({ call: 'raw', sql, values: [] })));
    const counts = { allowed: 0, refused: 0, unknown: 0 };
    for (const name of names) {
        const errors = answers.filter((_, i) => calls[i].name === name).map(({ error }) => error ?? '');
        const { allowed } = guard.check(`SELECT ${name}(1)`, { strictFunctions: true });
        if (errors.every((error) => UNKNOWN.test(error)))
            counts.unknown++;
        else {
            assert.equal(allowed, !errors.some((error) => UNAUTHORIZED.test(error)), `${name}: ${errors.join(' | ')}`);
            counts[allowed ? 'allowed' : 'refused']++;
        }
    }
    t.diagnostic(`${names.length} functions: ${JSON.stringify(counts)}`);
    assert.ok(counts.allowed > 100 && counts.refused > 5);
});

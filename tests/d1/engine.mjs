/*
 * D1's own engine, workerd, on this machine through miniflare, which tests/setup.sh puts into tests/deps/worker;
 * and the guard as npm package, from the build folder in D1GUARD_BUILD.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export const requirePackage = createRequire(new URL('../deps/worker/package.json', import.meta.url));
const { Miniflare } = requirePackage('miniflare');

const JOBS_AT_ONCE = 50;
const TIME_LIMIT = 120_000; /* milliseconds for so many jobs; on a quiet machine they take less than one second */

export const guard = await import(pathToFileURL(join(process.env.D1GUARD_BUILD, 'bindings/node/index.js')));

/* An empty database. ask(jobs) answers as in_worker.mjs says; the short forms ask for one thing. */
export async function startEngine() {
    const miniflare = new Miniflare({
        modules: true,
        cf: false,
        script: readFileSync(new URL('in_worker.mjs', import.meta.url), 'utf8'),
        compatibilityDate: '2026-07-01',
        d1Databases: { DB: 'scratch' },
    });

    async function askSome(jobs) {
        const texts = () => jobs.map(({ sql }) => JSON.stringify(sql)).join('\n');
        const response = await Promise.race([
            miniflare.dispatchFetch('http://d1/', { method: 'POST', body: JSON.stringify(jobs) }),
            new Promise((_, reject) => setTimeout(() => reject(new Error(`one of these does not end:\n${texts()}`)),
                TIME_LIMIT).unref()),
        ]);
        if (response.status !== 200)
            throw new Error(`the engine answers ${response.status} to one of these:\n${texts()}`);
        return response.json();
    }

    async function ask(jobs) {
        const answers = [];
        for (let at = 0; at < jobs.length; at += JOBS_AT_ONCE)
            answers.push(...await askSome(jobs.slice(at, at + JOBS_AT_ONCE)));
        return answers;
    }

    const one = (call) => async (sql, values) => (await ask([{ call, sql, values }]))[0];
    return { ask, raw: one('raw'), all: one('all'), exec: one('exec'), close: () => miniflare.dispose() };
}

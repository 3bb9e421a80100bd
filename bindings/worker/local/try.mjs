/*
 * The Worker on this machine, without an account: the sample database of bindings/mcp in the real D1 engine, behind a stand-in for
 * Cloudflare's REST API; and two people. try.sh runs this.
 *
 *     node --import ./deps.mjs try.mjs BUILD-FOLDER [PORT]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { readFileSync } from 'node:fs';
import { Log, LogLevel } from 'miniflare';
import { makeToken, secretOf } from '../people.mjs';
import { startStandin } from './standin.mjs';
import { bundle, startWorker } from './worker.mjs';

const SAMPLE = new URL('../../mcp/sample.sql', import.meta.url);
const MODULES = new URL('../../../tests/deps/worker/node_modules', import.meta.url).pathname;
const READ_TOKEN = makeToken().token;

/* The sample, statement by statement. One view of it is an example for SQLite; D1 does not let it be made. */
export async function fillSample(db) {
    const text = readFileSync(SAMPLE, 'utf8').replace(/^--.*$/gm, '');
    for (const statement of text.split(/;\s*$/m).filter((part) => part.trim() !== '' && !part.includes('tune_up')))
        await db.prepare(statement).run();
}

async function main([build, port = '8787']) {
    const standin = await startStandin({ ids: ['shop-1'], token: READ_TOKEN });
    await fillSample(standin.database('shop-1'));
    const people = ['Ada Byron', 'Grace Murray'].map((name) => ({ name, ...makeToken() }));
    const publicUrl = `http://127.0.0.1:${port}`;
    const worker = await startWorker(await bundle({ guard: `${build}/bindings/node`, modules: MODULES }), {
        port: Number(port),
        log: new Log(LogLevel.WARN),
        vars: {
            DATABASES: [{ name: 'shop', account: 'local', id: 'shop-1' }],
            D1_READ_TOKEN: READ_TOKEN,
            D1_API_BASE: standin.apiBase,
            PUBLIC_URL: publicUrl,
            ...Object.fromEntries(people.map(({ name, sha256 }) => secretOf(name, sha256))),
        },
    });
    const [ada, grace] = people;
    console.log(`
MCP over HTTP at ${publicUrl}/mcp, until Ctrl-C.

${people.map(({ name, token }) => `    ${name.padEnd(14)} ${token}`).join('\n')}

The first call answers with a link: open it, press the button, call again.

    claude mcp add --transport http shop ${publicUrl}/mcp --header 'Authorization: Bearer ${ada.token}'

    curl ${publicUrl}/accounts/local/d1/database/shop-1/read_query -H 'Authorization: Bearer ${grace.token}' \\
        -H 'Content-Type: application/json' -d '{"sql": "SELECT * FROM revenue_by_month"}'
`);
    process.once('SIGINT', async () => {
        await worker.close();
        await standin.close();
    });
}

if (import.meta.main ?? import.meta.url === new URL(process.argv[1], 'file:').href)
    await main(process.argv.slice(2));

/* node readme.mjs PACKAGE-FOLDER: runs the examples of README.md, in workerd with a D1 database and in this Node. */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { equal, report, run } from './harness.mjs';
import { requireDependency } from './miniflare.mjs';

const { Miniflare } = requireDependency('miniflare');
const esbuild = requireDependency('esbuild');
const dependencies = resolve(requireDependency.resolve('miniflare/package.json'), '../..');

const readme = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8');
const section = /^## Node and Workers\n(.*?)^## /ms.exec(readme)[1];
const [workerExample, serverExample] = [...section.matchAll(/^```js\n(.*?)^```/gms)].map((match) => match[1]);

/* A project that has the package and what else the examples import. */
const project = mkdtempSync(join(tmpdir(), 'd1guard-readme-'));
mkdirSync(join(project, 'node_modules'));
symlinkSync(resolve(process.argv[2]), join(project, 'node_modules', 'd1guard'));
for (const name of ['@modelcontextprotocol', 'zod'])
    symlinkSync(join(dependencies, name), join(project, 'node_modules', name));

/* As wrangler bundles: the condition `workerd`, and .wasm files as modules of their own. */
async function startExample() {
    writeFileSync(join(project, 'worker.js'), workerExample);
    const { outputFiles } = await esbuild.build({
        entryPoints: [join(project, 'worker.js')], bundle: true, format: 'esm', conditions: ['workerd'], write: false,
        external: ['*.wasm'],
    });
    return new Miniflare({
        modulesRoot: '/',
        modules: [
            { type: 'ESModule', path: '/worker.js', contents: outputFiles[0].text },
            { type: 'CompiledWasm', path: '/d1guard.wasm', contents: readFileSync(join(process.argv[2], 'd1guard.wasm')) },
        ],
        d1Databases: { DB: 'shop' },
        compatibilityDate: '2026-01-01',
    });
}

async function tryWorker() {
    const worker = await startExample();
    try {
        const database = await worker.getD1Database('DB');
        await database.exec('CREATE TABLE orders(id); INSERT INTO orders VALUES (1), (2);');
        const send = (sql) => worker.dispatchFetch('http://worker/', { method: 'POST', body: sql });
        equal(await (await send('SELECT id FROM orders -- all')).json(), [{ id: 1 }, { id: 2 }]);
        const many = await send('WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n');
        equal((await many.json()).length, 100);
        const refused = await send('DELETE FROM orders');
        equal([refused.status, (await refused.text()).startsWith('DELETE at byte 0 would write')], [403, true]);
        equal((await database.prepare('SELECT count(*) AS n FROM orders').first()).n, 2);
    } finally {
        await worker.dispose();
    }
}

/* Sends the requests one by one and returns the answers. */
async function ask(program, requests) {
    const lines = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
    const answers = [];
    for (const [id, request] of requests.entries()) {
        program.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, ...request }) + '\n');
        const { value, done } = await lines.next();
        if (done)
            throw new Error('the server ended');
        answers.push(JSON.parse(value).result);
    }
    return answers;
}

async function tryServer() {
    const database = new DatabaseSync(join(project, 'shop.db'));
    database.exec("CREATE TABLE orders(id); INSERT INTO orders VALUES (1), (2)");
    writeFileSync(join(project, 'server.mjs'), serverExample);
    const program = spawn(process.execPath, ['--no-warnings', 'server.mjs'], { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] });
    const call = (sql) => ({ method: 'tools/call', params: { name: 'query', arguments: { sql } } });
    try {
        const [first, rows, refused] = await ask(program, [
            {
                method: 'initialize',
                params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
            },
            call('SELECT id FROM orders'), call('DELETE FROM orders'),
        ]);
        equal(first.serverInfo.name, 'shop');
        equal(rows.content, [{ type: 'text', text: '[{"id":1},{"id":2}]' }]);
        equal([refused.isError, refused.content[0].text.startsWith('DELETE at byte 0 would write')], [true, true]);
    } finally {
        program.kill();
        database.close();
    }
}

const results = await run([['the Worker', tryWorker], ['the MCP server', tryServer]]);
rmSync(project, { recursive: true });
process.exitCode = report(results, 'README: ') ? 0 : 1;

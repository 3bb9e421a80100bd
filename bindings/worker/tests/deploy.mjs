/*
 * What is deployed: the types hold, wrangler bundles it as wrangler.jsonc says, the one-command trial answers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { BUILD, DEPS, formOf, press } from './team.mjs';

const HERE = new URL('..', import.meta.url).pathname;
const BIN = join(DEPS, 'node_modules/.bin');
const PORT = '18787';

let folder;

/* As in a clone where `npm install` has run. */
before(() => {
    folder = mkdtempSync(join(tmpdir(), 'd1guard-deploy-'));
    const worker = join(folder, 'bindings/worker');
    cpSync(HERE, worker, { recursive: true });
    mkdirSync(join(folder, 'bindings/mcp'));
    cpSync(join(HERE, '../mcp/tools.json'), join(folder, 'bindings/mcp/tools.json'));
    mkdirSync(join(worker, 'node_modules/@modelcontextprotocol'), { recursive: true });
    symlinkSync(join(BUILD, 'bindings/node'), join(worker, 'node_modules/d1guard'));
    symlinkSync(join(DEPS, 'node_modules/@modelcontextprotocol/server'), join(worker, 'node_modules/@modelcontextprotocol/server'));
    symlinkSync(join(DEPS, 'node_modules/@cloudflare'), join(worker, 'node_modules/@cloudflare'));
});
after(() => rmSync(folder, { recursive: true }));

function run(name, ...args) {
    const cwd = join(folder, 'bindings/worker');
    const env = { ...process.env, HOME: folder, CI: '1', WRANGLER_SEND_METRICS: 'false', PATH: `${BIN}:${process.env.PATH}` };
    return new Promise((resolve) => execFile(process.execPath, [join(BIN, name), ...args], { cwd, env, timeout: 90_000 },
        (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr })));
}

test('the versions in package.json are those that are tested', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
    const tested = JSON.parse(readFileSync(join(DEPS, 'package.json'), 'utf8')).dependencies;
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) => name !== 'd1guard'))
        assert.equal(version, tested[name], name);
});

test('the types hold', async () => {
    const { code, output } = await run('tsc', '-p', '.');
    assert.equal(code, 0, output);
});

test('wrangler bundles it, with the guard as a compiled module', async (t) => {
    const { code, output } = await run('wrangler', 'deploy', '--dry-run', '--outdir', 'out');
    assert.equal(code, 0, output);
    assert.match(output, /env\.PERSON/);
    assert.ok(!/\bwarning\b/i.test(output), output);
    const out = join(folder, 'bindings/worker/out');
    const wasm = readdirSync(out).find((name) => name.endsWith('.wasm'));
    assert.deepEqual(readFileSync(join(out, wasm)), readFileSync(join(BUILD, 'bindings/node/d1guard.wasm')));
    t.diagnostic(/Total Upload: .*/.exec(output)[0]);
});

test('a mistake in the types is seen', async () => {
    writeFileSync(join(folder, 'bindings/worker/src/mistake.ts'),
        "import { check } from 'd1guard';\nexport const wrong: number = check('SELECT 1').reason;\n");
    const { code, output } = await run('tsc', '-p', '.');
    assert.notEqual(code, 0);
    assert.match(output, /mistake\.ts/);
});

test('the trial prints what works: token, link, button, curl', async () => {
    const child = spawn(process.execPath, ['--import', join(HERE, 'local/deps.mjs'), join(HERE, 'local/try.mjs'), BUILD, PORT],
        { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
        let text = '';
        for await (const chunk of child.stdout) {
            text += chunk;
            if (text.includes('revenue_by_month'))
                break;
        }
        const [, token] = /^ {4}Grace Murray +(\S+)$/m.exec(text);
        const [, url] = /^ {4}curl (\S+) -H 'Authorization: Bearer/m.exec(text);
        const ask = () => fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${token}` },
            body: /-d '(.*)'/.exec(text)[1] });
        const [, link] = /(http:\S+)/.exec((await (await ask()).json()).errors[0].message);
        assert.equal((await press(link, formOf(await (await fetch(link)).text()))).status, 200);
        const { success, result } = await (await ask()).json();
        assert.equal(success, true);
        assert.ok(result[0].results.length > 3 && result[0].results[0].revenue_cents > 0);
    } finally {
        child.kill('SIGINT');
        await new Promise((resolve) => child.on('exit', resolve));
    }
});

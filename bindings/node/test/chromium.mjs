/*
 * node chromium.mjs PACKAGE-FOLDER: the suite in a headless Chromium, on a page served from this machine. The page
 * writes its results into its own text, which --dump-dom prints.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { caseFiles } from './case_files.mjs';
import { report } from './harness.mjs';

const folder = resolve(process.argv[2]);
const files = caseFiles();

const page = `<!doctype html><title>d1guard</title><pre id="results">waiting</pre><script type="module">
import * as guard from './package/index.js';
import { run } from './test/harness.mjs';
import { suite } from './test/suite.mjs';
const files = {};
for (const name of ${JSON.stringify(Object.keys(files))})
    files[name] = new Uint8Array(await (await fetch('./cases/' + name)).arrayBuffer());
document.getElementById('results').textContent = JSON.stringify(await run(suite(guard, files)));
</script>`;

function content(url) {
    const [, kind, name] = /^\/(?:(package|test|cases)\/)?([\w.-]*)$/.exec(url) ?? [];
    if (kind === 'cases')
        return [files[name], 'application/octet-stream'];
    if (kind === 'package')
        return [readFileSync(join(folder, name)), 'text/javascript'];
    if (kind === 'test')
        return [readFileSync(fileURLToPath(new URL(name, import.meta.url))), 'text/javascript'];
    return [page, 'text/html; charset=utf-8'];
}

const server = createServer((request, response) => {
    const [body, type] = content(request.url);
    response.writeHead(200, { 'content-type': type }).end(body);
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const profile = mkdtempSync(join(tmpdir(), 'd1guard-chromium-'));
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profile}`,
    '--virtual-time-budget=60000', '--dump-dom'];

/* Chromium prints the page when its own clock has run for the budget; work does not use that clock up. */
const dom = await new Promise((done, failed) => {
    execFile('chromium', [...flags, `http://127.0.0.1:${server.address().port}/`], { maxBuffer: 1 << 26, timeout: 240_000 },
        (error, stdout) => (error ? failed(error) : done(stdout)));
});
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
const text = /<pre id="results">(.*?)<\/pre>/s.exec(dom)?.[1] ?? 'no page';
if (text === 'waiting' || text === 'no page')
    throw new Error(`the page gave no results: ${dom.slice(0, 2000)}`);
const decoded = text.replace(/&(lt|gt|nbsp|amp);/g, (_, name) => ({ lt: '<', gt: '>', nbsp: '\u00a0', amp: '&' })[name]);
process.exitCode = report(JSON.parse(decoded), 'Chromium: ') ? 0 : 1;

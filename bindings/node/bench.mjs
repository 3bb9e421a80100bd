/*
 * node bench.mjs PACKAGE-FOLDER PYTHON [SECONDS]: calls a second on queries of about 150 bytes, in one run: this package in
 * this Node, in workerd and as the Python package (PYTHONPATH and LD_LIBRARY_PATH say where it is), and what people
 * use instead; then how many of the case files' and the corpora's reads each of them refuses. Not a test: it has no limit to pass.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { caseFiles } from './test/case_files.mjs';
import { asString, readCases } from './test/cases.mjs';
import { corpusReads } from './test/agree_texts.mjs';
import { startWorker } from './test/miniflare.mjs';

const [folder, python, seconds = '1'] = process.argv.slice(2);
const guard = await import(pathToFileURL(join(resolve(folder), 'index.js')));
const require = createRequire(new URL('../../tests/deps/bindings/package.json', import.meta.url));
const { Parser } = require('node-sql-parser');
const cst = require('sql-parser-cst');
const rust = require('@guanmingchiu/sqlparser-ts');

const QUERIES = [
    "SELECT id, name, email FROM customers WHERE country = 'DE' AND created_at >= '2024-01-01' AND status IN ('new', 'paid') ORDER BY created_at DESC LIMIT 50",
    'SELECT c.name, count(*) AS orders, sum(o.total) AS total FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id HAVING total > 100 LIMIT 5',
    "WITH recent AS (SELECT * FROM orders WHERE day >= date('now', '-7 days')) SELECT day, count(*), avg(total) FROM recent GROUP BY day ORDER BY day LIMIT 99",
    "SELECT p.title, coalesce(p.price, 0) * 1.19 AS gross FROM products AS p LEFT JOIN stock s ON s.product = p.id WHERE s.amount > 0 AND p.title LIKE '%book%'",
    'SELECT CASE WHEN age < 18 THEN 1 WHEN age < 65 THEN 2 ELSE 3 END AS band, count(DISTINCT city) AS cities, max(age) FROM people GROUP BY 1 ORDER BY 1 DESC',
    "SELECT a.id FROM articles a WHERE a.author = (SELECT id FROM authors WHERE name = 'Ann O''Neil') AND a.published IS NOT NULL ORDER BY a.published LIMIT 10",
];

/* Reads, as one would ask these parsers: nothing but queries, explained or not. */
const nodeSqlParser = new Parser();
const queriesOnly = {
    'node-sql-parser': (sql) => {
        const ast = nodeSqlParser.astify(sql, { database: 'sqlite' });
        return [ast].flat().every(({ type }) => type === 'select');
    },
    'sql-parser-cst': (sql) => cst.parse(sql, { dialect: 'sqlite' }).statements
        .every(({ type }) => ['select_stmt', 'compound_select_stmt', 'explain_stmt', 'pragma_stmt', 'empty'].includes(type)),
    'sqlparser-rs (sqlparser-ts)': (sql) => rust.parse(sql, 'sqlite').every((statement) => 'Query' in statement || 'Explain' in statement),
};

/* Calls a second: whole rounds over the queries until the time is over, once the code has been compiled in half as long. */
function rate(call) {
    const run = (milliseconds) => {
        const start = performance.now();
        let calls = 0;
        while (performance.now() < start + milliseconds) {
            for (const sql of QUERIES)
                call(sql);
            calls += QUERIES.length;
        }
        return calls / ((performance.now() - start) / 1000);
    };
    run(500 * Number(seconds));
    return run(1000 * Number(seconds));
}

/* A Worker's clock stands still while it computes, so the time is taken outside, less that of an empty request. */
async function rateInWorkerd() {
    const worker = startWorker('bench_worker.mjs', [], folder);
    const time = async (rounds) => {
        const start = performance.now();
        await (await worker.dispatchFetch(`http://worker/${rounds}`, { method: 'POST', body: JSON.stringify(QUERIES) })).text();
        return (performance.now() - start) / 1000;
    };
    try {
        await time(10_000);
        const empty = await time(0);
        const rounds = Math.ceil(Number(seconds) * 50_000);
        return rounds * QUERIES.length / (await time(rounds) - empty);
    } finally {
        await worker.dispose();
    }
}

function rateInPython() {
    const program = `
import d1guard, json, sys, time
queries = json.load(sys.stdin)
start, calls = time.perf_counter(), 0
while time.perf_counter() - start < ${Number(seconds)}:
    for sql in queries:
        d1guard.check(sql)
    calls += len(queries)
print(calls / (time.perf_counter() - start))`;
    const done = spawnSync(python, ['-c', program], { input: JSON.stringify(QUERIES), encoding: 'utf8' });
    if (done.status !== 0)
        throw new Error(done.stderr);
    return Number(done.stdout);
}

const refuses = (call) => (sql) => {
    try {
        return !call(sql);
    } catch {
        return true;
    }
};

const share = (part, whole) => `${part} (${(100 * part / whole).toFixed(1)} %)`;

function caseReads() {
    return Object.entries(caseFiles()).filter(([name]) => name.startsWith('verdict'))
        .flatMap(([, file]) => readCases(file).map(({ fields }) => fields.map(asString)))
        .filter(([verdict, reason, , , options, sql]) => verdict === 'allow' && reason === 'reads-only' && options === '-' && sql)
        .map((fields) => fields.at(-1));
}

await rust.init?.();
const bytes = QUERIES.reduce((sum, sql) => sum + sql.length, 0) / QUERIES.length;
const reads = { 'case files': caseReads(), 'corpora': corpusReads(3000) };
const rows = [
    ['d1guard, Node', rate((sql) => guard.check(sql)), (sql) => guard.check(sql).allowed],
    ['d1guard, workerd', await rateInWorkerd()],
    ['d1guard, Python', rateInPython()],
    ...Object.entries(queriesOnly).map(([name, call]) => [`${name}, Node`, rate(call), call]),
];
console.log(`${QUERIES.length} queries of ${bytes.toFixed(0)} bytes on average; Node ${process.version}; ` +
    `reads: ${Object.entries(reads).map(([name, list]) => `${list.length} of the ${name}`).join(', ')}\n`);
console.log('| | calls a second | microseconds a call | ' + Object.keys(reads).map((name) => `reads refused: ${name}`).join(' | ') + ' |');
console.log('|---|---:|---:|---:|---:|');
for (const [name, callsPerSecond, allows] of rows) {
    const refused = Object.values(reads).map((list) => (allows && list.length ? share(list.filter(refuses(allows)).length, list.length) : ''));
    console.log(`| ${name} | ${Math.round(callsPerSecond).toLocaleString('en')} | ${(1e6 / callsPerSecond).toFixed(1)} | ${refused.join(' | ')} |`);
}

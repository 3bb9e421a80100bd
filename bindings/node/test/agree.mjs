/*
 * node agree.mjs PACKAGE-FOLDER AGREE-PROGRAM PYTHON [COUNT]: feeds texts to C, Python, Node and workerd and
 * compares everything each of them can say about a text: a line for each text, the same one from all four. C's
 * messages may hold bytes of a text that are no UTF-8; they are compared as the strings that others make of them.
 */
import { spawnSync } from 'node:child_process';
import { resolve, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { answerAll, hex } from './agree_answer.mjs';
import { texts } from './agree_texts.mjs';
import { asString, show } from './cases.mjs';
import { report } from './harness.mjs';
import { startWorker } from './miniflare.mjs';

const [folder, program, python] = process.argv.slice(2, 5);
const count = Number(process.argv[5] ?? 50_000);
const CHUNK = 2000; /* texts in one request to the Worker */

function record(text) {
    const bytes = Buffer.alloc(5 + text.length);
    bytes.writeUInt32LE(text.length);
    bytes[4] = (asString(text) === undefined ? 'b' : 's').charCodeAt(0);
    bytes.set(text, 5);
    return bytes;
}

function runProgram(command, args, input) {
    const done = spawnSync(command, args, { input, maxBuffer: 1 << 30 });
    if (done.status !== 0)
        throw new Error(`${command}: ${done.error ?? done.stderr}`);
    return done.stdout.toString();
}

async function runWorker(records) {
    const worker = startWorker('agree_worker.mjs', ['agree_answer.mjs', 'cases.mjs'], folder);
    try {
        let lines = '';
        for (let first = 0; first < records.length; first += CHUNK) {
            const body = Buffer.concat(records.slice(first, first + CHUNK));
            const response = await worker.dispatchFetch(`http://worker/${first}`, { method: 'POST', body });
            lines += await response.text();
        }
        return lines;
    } finally {
        await worker.dispose();
    }
}

function decodeMessages(lines) {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    const decode = (bytes) => decoder.decode(Buffer.from(bytes, 'hex'));
    return lines.replace(/ message=([0-9a-f]*)/g, (_, bytes) => ` message=${hex(decode(bytes))}`);
}

/* names.js is made from the header; the library's own names are made from it too, by the C compiler. */
function compareNames(names) {
    const name = (list, number) => (list in names && number in names[list] ? names[list][number] : 'unknown');
    const lines = runProgram(program, ['names']).trimEnd().split('\n');
    const wrong = lines.filter((line) => {
        const [, list, number, text] = /^(\w+) (\d+) (.*)$/.exec(line) ?? [];
        return line !== (list ? `${list} ${number} ${name(list, number)}` : `VERSION ${names.VERSION}`);
    });
    const isRight = lines.length === 7 * 256 + 1 && wrong.length === 0;
    return isRight ? undefined : `${lines.length} lines, wrong: ${wrong.join('\n')}`;
}

const list = texts(count);
const records = list.map(record);
const input = Buffer.concat(records);
const guard = await import(pathToFileURL(join(resolve(folder), 'index.js')));
const names = await import(pathToFileURL(join(resolve(folder), 'names.js')));
const wanted = decodeMessages(runProgram(program, [], input)).split('\n');

const found = {
    Python: () => runProgram(python, [fileURLToPath(new URL('agree.py', import.meta.url))], input),
    Node: () => answerAll(guard, input),
    workerd: () => runWorker(records),
};

const results = [
    { name: `${count} texts`, failure: wanted.length === count + 1 ? undefined : `C gave ${wanted.length - 1} lines` },
    { name: 'names.js has the names that C has', failure: compareNames(names) },
];
for (const [name, answers] of Object.entries(found)) {
    const got = (await answers()).split('\n');
    const differences = wanted.flatMap((line, i) => (line === got[i] ? [] : [i]));
    const first = differences.slice(0, 5).map((i) => `${show(list[i])}\n  C      ${wanted[i]}\n  ${name.padEnd(6)} ${got[i]}`);
    results.push({
        name: `${name}: ${differences.length} differences from C in ${list.length} texts`,
        failure: differences.length === 0 && got.length === wanted.length ? undefined : first.join('\n'),
    });
}
process.exitCode = report(results) ? 0 : 1;

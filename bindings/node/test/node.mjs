/* node node.mjs PACKAGE-FOLDER: the suite in this Node, from the ES module and from CommonJS; layouts; memory. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { caseFiles } from './case_files.mjs';
import { equal, report, run, throws } from './harness.mjs';
import { suite } from './suite.mjs';

const folder = resolve(process.argv[2]);
const header = readFileSync(new URL('../../../include/d1guard.h', import.meta.url), 'utf8');

/* As a user has it: found by name in node_modules. */
const project = mkdtempSync(join(tmpdir(), 'd1guard-node-'));
mkdirSync(join(project, 'node_modules'));
symlinkSync(folder, join(project, 'node_modules', 'd1guard'));
const require = createRequire(join(project, 'program.cjs'));
const commonJs = require('d1guard');
const { LAYOUT, OPTIONS, REPORT, TOKEN, STATEMENT } = await import(pathToFileURL(join(folder, 'guard.js')));
const guard = await import(pathToFileURL(join(folder, 'index.js')));
rmSync(project, { recursive: true });

/* Slugs of one of the header's lists. */
function slugs(list) {
    const body = new RegExp(`#define D1GUARD_${list}\\(X\\)((?:.*\\\\\n)*.*)`).exec(header)[1];
    return [...body.matchAll(/X\(\w+,\s*\d+,\s*"([^"]+)"/g)].map((match) => match[1]);
}

function typeMembers(name) {
    const types = readFileSync(join(folder, 'index.d.ts'), 'utf8');
    return [...new RegExp(`export type ${name} =([^;]*);`).exec(types)[1].matchAll(/'([^']+)'/g)].map((match) => match[1]);
}

const tests = [
    ['require gives the same functions as import', () => {
        equal(Object.keys(commonJs).sort(), Object.keys(guard).sort());
    }],
    ['the struct layouts are those of abi.tsv', () => {
        const text = readFileSync(new URL('../../../tests/cases/abi.tsv', import.meta.url), 'utf8');
        const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
        const ours = Object.entries(LAYOUT).flatMap(([struct, fields]) =>
            Object.entries(fields).map(([field, type]) => [struct, field, type].join('\t')));
        equal(ours, lines);
        equal([OPTIONS.SIZE, REPORT.SIZE, TOKEN.SIZE, STATEMENT.SIZE], [72, 48, 24, 64]);
    }],
    ['the types list what the header lists', () => {
        equal(typeMembers('Reason'), slugs('REASONS'));
        equal(typeMembers('Risk'), slugs('RISKS'));
        equal(typeMembers('StatementKind'), slugs('KINDS'));
        equal(typeMembers('TokenKind'), slugs('TOKENS'));
        equal(typeMembers('CapForm'), slugs('FORMS'));
    }],
    ['the module imports nothing, exports what it should and is small', () => {
        const bytes = readFileSync(join(folder, 'd1guard.wasm'));
        const module = new WebAssembly.Module(bytes);
        equal(WebAssembly.Module.imports(module), []);
        const listed = readFileSync(new URL('../exports.txt', import.meta.url), 'utf8').split(/\s+/).filter(Boolean);
        equal(WebAssembly.Module.exports(module).map(({ name }) => name).sort(), [...listed, 'memory'].sort());
        console.log(`# d1guard.wasm: ${bytes.length} bytes`);
        equal(bytes.length < 16384, true, `${bytes.length} bytes`);
    }],
    ['a million calls leave no memory behind', () => {
        const texts = ['SELECT a FROM t WHERE b = 1', 'DROP TABLE t', "SELECT 'é' FROM t -- x"];
        const calls = (count) => {
            for (let i = 0; i < count; i++)
                guard.check(texts[i % 3], i % 7 ? undefined : { denyTables: ['secret'] });
        };
        const used = () => {
            globalThis.gc();
            const { heapUsed, external, arrayBuffers } = process.memoryUsage();
            return heapUsed + external + arrayBuffers;
        };
        calls(100_000);
        const before = used();
        calls(1_000_000);
        const grown = used() - before;
        equal(grown < 1_000_000, true, `grown by ${grown} bytes`);
    }],
    ['a text beyond WebAssembly\'s memory is an error, and the next call works', () => {
        throws(() => guard.clean(new Uint8Array(2 ** 31)), RangeError, 'too long');
        equal(guard.check('SELECT 1').allowed, true);
    }],
    ['npm packs what package.json exports', () => {
        const { exports, files, main, types } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const named = [main, types, JSON.stringify(exports).match(/\.\/[\w.]+/g)].flat().map((name) => name.replace('./', ''));
        for (const name of named)
            equal(name === 'package.json' || files.includes(name), true, name);
        for (const name of files)
            equal(readFileSync(join(folder, name)).length > 0, true, name);
    }],
    ...suite(guard, caseFiles()),
    ...suite(commonJs, caseFiles()).map(([name, action]) => [`CommonJS: ${name}`, action]),
];

process.exitCode = report(await run(tests), `Node ${process.versions.node.split('.')[0]}: `) ? 0 : 1;

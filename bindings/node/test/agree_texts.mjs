/*
 * Texts for comparing languages: of the corpora beside the project where they are, and made up from the case files,
 * by a fixed sequence of random numbers. Each is bytes.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { caseFiles } from './case_files.mjs';
import { readCases } from './cases.mjs';

const corpora = new URL('../../../../shared/corpora/dev/', import.meta.url);
const encoder = new TextEncoder();

const PIECES = [
    'SELECT', 'FROM', 'WHERE', 'WITH', 'AS', 'EXPLAIN ', 'PRAGMA ', 'DELETE', 'VALUES', 'LIMIT 5', 'CREATE VIEW v AS ',
    'CREATE TRIGGER t BEGIN ', 'END', ';', '(', ')', ',', '.', "'", '"', '`', '[', ']', '--', '/*', '*/', '\n', '\r', '\t',
    '\0', '\x0b', '\x1f', '\ufeff', 'é', '\u{1f600}', '\u2028', ':a', '$b::c(', '?1', '@', '#', "x'00'", '0x1F', '1_0', '1e',
    ' users ', ' T1 ', 'count(', 'load_extension(', ' sqlite_dbpage ', 'mine()', 'user_version', '->>', '||', '!=', '\\',
    '\ufffd', '"\t\x7f"(', 'aé'.repeat(14), '\u2028'.repeat(14), ` ${'\u{1f600}'.repeat(11)}`, `"a${'\u{1f600}\ufffd'.repeat(7)}"(`,
].map((text) => encoder.encode(text)).concat([0x80, 0xc3, 0xef, 0xff].map((byte) => Uint8Array.of(byte)));

/* mulberry32 */
function randomNumbers(seed) {
    return (below) => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) % below;
    };
}

function concat(...parts) {
    const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        whole.set(part, at);
        at += part.length;
    }
    return whole;
}

/* Parts of two cases, with pieces put in. */
function makeText(seeds, random) {
    const pick = (list) => list[random(list.length)];
    const cut = (text) => {
        const [a, b] = [random(text.length + 1), random(text.length + 1)];
        return random(3) === 0 ? text : text.subarray(Math.min(a, b), Math.max(a, b));
    };
    const parts = [cut(pick(seeds))];
    for (let n = random(4); n > 0; n--)
        parts.push(pick(PIECES), cut(pick(seeds)));
    return concat(...parts);
}

function corpus(count, filter) {
    if (!existsSync(corpora))
        return [];
    const all = readdirSync(corpora).filter((name) => name.endsWith('.jsonl')).sort()
        .flatMap((name) => readFileSync(new URL(name, corpora), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)))
        .filter(filter).map(({ sql }) => sql);
    const step = Math.max(1, all.length / count);
    return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)]);
}

/* Statements that SQLite itself has taken for queries. */
export function corpusReads(count) {
    return corpus(count, ({ sql, read }) => typeof sql === 'string' && read === true);
}

export function texts(count) {
    const random = randomNumbers(1);
    const list = corpus(Math.floor(count * 0.6), ({ sql }) => typeof sql === 'string').map((sql) => encoder.encode(sql));
    const seeds = Object.values(caseFiles()).flatMap((file) => readCases(file).map(({ fields }) => fields.at(-1)));
    while (list.length < count)
        list.push(makeText(seeds, random));
    return list;
}

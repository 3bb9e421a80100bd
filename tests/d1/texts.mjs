/*
 * The texts: what tests/cases allows, queries written for the database of database.mjs, and reads of the corpora where they
 * are. The guard's default options allow all of them. Those that isEndless knows run only once they are capped.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { guard } from './engine.mjs';

const CASES = new URL('../cases/', import.meta.url);
const OWN = new URL('queries.txt', import.meta.url);
const CORPORA = new URL('../../../shared/corpora/dev/', import.meta.url);

const ESCAPES = { n: '\n', t: '\t', r: '\r', 0: '\0', '\\': '\\' };

/* The text of a case, or undefined if it is no UTF-8, which D1 cannot be sent. */
function unescape(field) {
    const bytes = [];
    for (const [part, hex, letter] of field.matchAll(/\\x([0-9a-f]{2})|\\([^x])|[^\\]+/gi))
        bytes.push(...hex ? [parseInt(hex, 16)] : Buffer.from(letter ? ESCAPES[letter] : part));
    try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    } catch {
        return undefined;
    }
}

/* What the verdict, cap and clean files allow with default options. */
export function caseTexts() {
    const texts = new Set();
    for (const file of readdirSync(CASES).filter((name) => /^(verdict|cap|clean).*\.tsv$/.test(name)).sort()) {
        for (const line of readFileSync(new URL(file, CASES), 'utf8').split('\n')) {
            const text = line === '' || line.startsWith('#') ? undefined : unescape(line.slice(line.lastIndexOf('\t') + 1));
            if (text !== undefined && guard.check(text).allowed)
                texts.add(text);
        }
    }
    return [...texts];
}

/* Would it never end? This is how cases and queries.txt write one. */
export const isEndless = (text) => /UNION ALL SELECT i ?\+ ?1\s+FROM n\)/.test(text);

const HERE = /no such table: (t|u|v|t1|tab[0-4]|users)$/;
const SAMPLED = { /* every so many */
    'sqlite-tests.jsonl': 70, 'sqllogictest.jsonl': 24, 'projects.jsonl': 8, 'injection.jsonl': 60, 'other-dialects.jsonl': 12,
};

/* Reads of the corpora that prepare by themselves or name a table that is here (the engine has the last word), but for what
 * could be recursive and never end. Empty where there are no corpora. */
export function corpusTexts() {
    const texts = new Set();
    for (const [file, step] of existsSync(CORPORA) ? Object.entries(SAMPLED) : []) {
        const reads = readFileSync(new URL(file, CORPORA), 'utf8').split('\n').filter((line) => line !== '')
            .map((line) => JSON.parse(line))
            .filter(({ read, st, msg, sql }) => read && (st === 'ok' || HERE.test(msg ?? '')) && !/WITH.*UNION/is.test(sql));
        for (let i = 0; i < reads.length; i += step)
            texts.add(reads[i].sql);
    }
    return [...texts].filter((text) => guard.check(text).allowed);
}

const ORDERS = ['', ' ORDER BY 1', ' ORDER BY 1 DESC'];
const LIMITS = ['', ' LIMIT 5', ' LIMIT 3, 4', ' LIMIT 1+2', ' LIMIT ? OFFSET 2'];
const AROUND = [ /* in turn */
    (text) => text,
    (text) => `${text};`,
    (text) => `-- first\n${text}`,
    (text) => `${text}; -- x`,
    (text) => `;;${text} ; ;`,
    (text) => `${text} /* ; */`,
    (text) => `/* a */ ${text};\n\n-- b;\n`,
    (text) => `${text.replace(' FROM ', '\n  FROM ')}\n`,
];

/* [{ plain, text }]: the query, and the query with comments, blanks and `;` around it. */
export function ownTexts() {
    const texts = [];
    for (const line of readFileSync(OWN, 'utf8').split('\n').filter((one) => one !== '' && !one.startsWith('#'))) {
        if (!line.startsWith('...'))
            texts.push(unescape(line));
        else
            texts.push(...ORDERS.flatMap((order) => LIMITS.map((limit) => `SELECT ${unescape(line.slice(3))}${order}${limit}`)));
    }
    return texts.map((plain, i) => ({ plain, text: AROUND[i % AROUND.length](plain) }));
}

const JOINTS = ['; ', ';\n-- ; x\n', ' /* ; */ ;', " -- it's one\n;;\n", ';'];
const ENDS = ['', ';', '; -- x', ' -- x', ';\n/* ; */'];

/* Without parameters, which D1 takes for one statement only. */
export const isPlain = (text) => !guard.tokens(text).some(({ kind }) => kind === 'variable');

/* Two or three of our own queries, joined in many ways. */
export function joinedTexts() {
    const all = ownTexts().map(({ plain }) => plain)
        .filter((text) => isPlain(text) && !isEndless(text) && !/--|\/\*/.test(text));
    const pick = (i) => all[i % all.length];
    return all.filter((_, i) => i % 2 > 0).map((text, i) => {
        const third = i % 3 > 0 ? '' : JOINTS[i % 4] + pick(5 * i + 1);
        return text + JOINTS[i % JOINTS.length] + pick(7 * i + 3) + third + ENDS[i % ENDS.length];
    });
}

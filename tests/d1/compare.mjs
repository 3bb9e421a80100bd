/*
 * How the answer to a capped text may differ from the first rows of the original's: what README documents under "The cap", and
 * nothing else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { guard } from './engine.mjs';

const isBlank = ({ kind }) => kind === 'space' || kind === 'comment';

function words(text) {
    return guard.tokens(text).filter((token) => !isBlank(token)).map(({ at, length }) => text.slice(at, at + length));
}

/* SQLite calls an expression by its text, comments included; one that was replaced or cut shows in the name. */
function differInComments(was, is) {
    const same = (one, other) => JSON.stringify(words(one)) === JSON.stringify(words(other));
    return same(was, is) || (was.endsWith('/*') && same(was.slice(0, -2), is)); /* a comment that never closed */
}

/* The wrapped form: equal names get a number; a column is called as the query writes it or the table declares it; likely(),
 * COLLATE and quotes fall away; TRUE, FALSE and a string in the first row of VALUES. */
function isDocumentedRename(was, is, sql) {
    const bare = is.replace(/:\d+$/, '');
    const [a, b, b2] = [was, is, bare].map((name) => name.toLowerCase());
    return a === b || a === b2 || differInComments(was, bare) || /^(rowid|oid|_rowid_)$/.test(b2) ||
        (/^column\d+$/.test(bare) && /true|false/.test(a)) || (/^column\d+$/.test(was) && sql.includes(`"${bare}"`)) ||
        (/collate|likel|["`[.(]/.test(a) && a.includes(b2));
}

/* What is wrong with the columns' names, or undefined. */
export function compareNames(original, capped, { form, sql }) {
    if (original.length !== capped.length)
        return `${original.length} columns, capped ${capped.length}`;
    for (const [i, was] of original.entries()) {
        const is = capped[i];
        if (was !== is && !differInComments(was, is) && !(form === 'wrapped' && isDocumentedRename(was, is, sql)))
            return `column ${i + 1} is called ${JSON.stringify(was)}, capped ${JSON.stringify(is)}`;
    }
    return undefined;
}

/* The words outside parentheses, in upper case. */
function outerWords(sql) {
    let depth = 0;
    return guard.tokens(sql).filter((token) => {
        depth += (token.kind === 'lp') - (token.kind === 'rp');
        return depth === 0 && !isBlank(token);
    }).map(({ at, length }) => sql.slice(at, at + length).toUpperCase());
}

/* Does SQL leave open which rows come first: DISTINCT or a compound, and no ORDER BY? */
function isUnordered(words) {
    return !words.includes('ORDER') && words.some((word) => ['DISTINCT', 'UNION', 'INTERSECT', 'EXCEPT'].includes(word));
}

/* The value that rows are ordered by first, where that is a result column given by its number: rows that have the same tie. */
function firstKeys(words, rows) {
    const column = words.indexOf('ORDER') < 0 ? NaN : Number(words[words.lastIndexOf('ORDER') + 2]);
    return Number.isInteger(column) ? JSON.stringify(rows.map((row) => row[column - 1])) : undefined;
}

function isSubset(few, many) {
    const left = new Map();
    for (const row of many)
        left.set(row, (left.get(row) ?? 0) + 1);
    return few.every((row) => {
        const count = left.get(row) ?? 0;
        left.set(row, count - 1);
        return count > 0;
    });
}

/* 'same', 'unordered' or 'tied' (other rows of the original, where SQL leaves that open), or what is wrong. */
export function compareRows(original, capped, most, sql) {
    const [was, is] = [original, capped].map((rows) => rows.map((row) => JSON.stringify(row)));
    const wanted = Math.min(most, was.length);
    if (is.length !== wanted)
        return `${was.length} rows, capped ${is.length} instead of ${wanted}`;
    const at = is.findIndex((row, i) => row !== was[i]);
    if (at < 0)
        return 'same';
    const outer = outerWords(sql);
    if (isUnordered(outer) && isSubset(is, was))
        return 'unordered';
    const keys = firstKeys(outer, capped);
    if (keys !== undefined && keys === firstKeys(outer, original.slice(0, wanted)) && isSubset(is, was))
        return 'tied';
    return `row ${at + 1} is ${was[at]}, capped ${is[at]}`;
}

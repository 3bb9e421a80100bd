/*
 * The row cap on D1: wherever the original answers, the capped text answers with the first rows of it and the same names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compareNames, compareRows } from './compare.mjs';
import { populate } from './database.mjs';
import { guard, startEngine } from './engine.mjs';
import { caseTexts, corpusTexts, isEndless, ownTexts } from './texts.mjs';

const LIMITS = [1, 2, 10, 1000];
const NO_STATEMENT = /did not contain a statement/;
const UNUSED_COLLATION = /no such collation sequence/; /* looked for only when wrapped: README says so */
const RUNS_TO_BE_SURE = 5; /* of a query that may hang on chance or on the time */

let engine;
before(async () => {
    engine = await startEngine();
    await populate(engine);
});
after(() => engine.close());

/* Does the original answer differently by itself? */
async function isUnrepeatable(sql, { rows, values }) {
    const again = await engine.ask(Array(RUNS_TO_BE_SURE).fill({ call: 'raw', sql, values }));
    return again.some((answer) => JSON.stringify(answer.rows) !== JSON.stringify(rows));
}

/* [{ sql, most, original, capped, form }] for all limits; a text that holds several statements has no cap. */
function capAll(sql, original) {
    return LIMITS.map((most) => {
        const { sql: capped, form } = guard.capRows(sql, most);
        return { sql, most, original, capped, form };
    }).filter(({ capped }) => capped !== null);
}

/* What is wrong with one capped answer, or undefined. Counts. */
async function judge(trial, answer, counts) {
    const { sql, original, form, most } = trial;
    if (answer.error !== undefined && form === 'wrapped' && UNUSED_COLLATION.test(answer.error))
        return undefined;
    if (answer.error !== undefined)
        return `fails: ${answer.error}`;
    const names = compareNames(original.columns, answer.columns, trial);
    if (names !== undefined)
        return names;
    counts.renamed += JSON.stringify(original.columns) !== JSON.stringify(answer.columns);
    let rows = compareRows(original.rows, answer.rows, form === 'not-capped' ? Infinity : most, sql);
    if (!(rows in counts.rows) && await isUnrepeatable(original.sql, original))
        rows = 'unrepeatable';
    if (!(rows in counts.rows))
        return rows;
    counts.rows[rows]++;
    counts.forms[form] = (counts.forms[form] ?? 0) + 1;
    return undefined;
}

/* Asks equal things once: a text whose own limit is low is capped the same for all higher ones. */
async function askOnce(jobs) {
    const keys = jobs.map((job) => JSON.stringify(job));
    const different = [...new Set(keys)];
    const answers = await engine.ask(different.map((key) => JSON.parse(key)));
    const byKey = new Map(different.map((key, i) => [key, answers[i]]));
    return keys.map((key) => byKey.get(key));
}

/* Runs texts and their capped texts. [{ text, plain }]: the plain one stands in where D1 does not take the
 * other. */
async function compare(texts, t) {
    const counts = { texts: texts.length, answered: 0, onlyCapped: 0, compared: 0, renamed: 0, forms: {},
        rows: { same: 0, unordered: 0, tied: 0, unrepeatable: 0 } };
    const wrong = [];
    const originals = await engine.ask(texts.map(({ text }) => ({ call: 'raw', sql: text })));
    const trials = [];
    for (const [i, { text, plain }] of texts.entries()) {
        let original = { ...originals[i], sql: text };
        counts.answered += original.error === undefined;
        if (plain !== undefined && original.error !== undefined)
            original = { ...await engine.raw(plain), sql: plain };
        trials.push(...capAll(text, original));
    }
    const answers = await askOnce(trials.map(({ capped, original }) => ({ call: 'raw', sql: capped, values: original.values })));
    for (const [i, trial] of trials.entries()) {
        const answer = answers[i];
        let problem;
        if (trial.original.error === undefined) {
            counts.compared++;
            problem = await judge(trial, answer, counts);
        } else if (NO_STATEMENT.test(answer.error ?? '')) {
            problem = answer.error;
        }
        counts.onlyCapped += answer.error === undefined && trial.original.sql !== trial.sql;
        if (problem !== undefined)
            wrong.push([problem, `text:   ${JSON.stringify(trial.sql)}`,
                `capped: ${JSON.stringify(trial.capped)} (${trial.form})`].join('\n  '));
    }
    t.diagnostic(JSON.stringify(counts));
    assert.equal(wrong.length, 0, `${wrong.length} differences:\n${wrong.slice(0, 20).join('\n')}`);
    return counts;
}

const finite = (texts) => texts.filter((text) => !isEndless(text)).map((text) => ({ text }));

test('capped cases answer as the originals do', async (t) => {
    const { answered } = await compare(finite(caseTexts()), t);
    assert.ok(answered > 200, `only ${answered} cases answer`);
});

test('capped queries of a populated database answer as the originals do', async (t) => {
    const own = ownTexts().filter(({ plain }) => !isEndless(plain));
    const { compared, onlyCapped, forms } = await compare(own, t);
    assert.equal(compared, own.length * LIMITS.length);
    assert.ok(onlyCapped > 100, `only ${onlyCapped} answer that did not before`);
    for (const form of ['append', 'lowered', 'unchanged', 'wrapped', 'not-capped'])
        assert.ok(forms[form] > 10, `the form ${form} is rare`);
});

const corpus = corpusTexts();
if (corpus.length > 0) {
    test('capped reads of the corpora answer as the originals do', async (t) => {
        const { answered } = await compare(finite(corpus), t);
        assert.ok(answered > 200, `only ${answered} reads answer`);
    });
}

test('an endless query ends once it is capped', async () => {
    const texts = [...new Set([...caseTexts(), ...ownTexts().map(({ text }) => text)])].filter(isEndless);
    assert.ok(texts.length > 2);
    for (const text of texts) {
        const answers = await engine.ask(LIMITS.map((most) => ({ call: 'raw', sql: guard.capRows(text, most).sql })));
        assert.deepEqual(answers.map(({ rows, error }) => rows?.length ?? error), LIMITS, text);
        for (const [i, { rows }] of answers.entries())
            assert.deepEqual(rows, answers.at(-1).rows.slice(0, LIMITS[i]), text);
    }
});

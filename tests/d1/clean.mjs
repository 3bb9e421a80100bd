/*
 * A cleaned text of several statements runs on D1, prepared or line by line, where the original does not, answers what its last
 * statement answers, and changes nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dumpJob, firstDifference, populate, readDump } from './database.mjs';
import { guard, startEngine } from './engine.mjs';
import { caseTexts, isPlain, joinedTexts } from './texts.mjs';

let engine;
before(async () => {
    engine = await startEngine();
    await populate(engine);
});
after(() => engine.close());

const cut = (text) => guard.statements(text).map(({ at, length }) => text.slice(at, at + length));

/* [{ text, cleaned, pieces, last }] of the texts whose pieces all run here; last is what the last one answers. */
async function runnable(texts) {
    const all = texts.map((text) => {
        const cleaned = guard.clean(text).sql;
        return { text, cleaned, pieces: cut(cleaned) };
    });
    const pieces = [...new Set(all.flatMap((one) => one.pieces))];
    const answers = await engine.ask(pieces.map((sql) => ({ call: 'raw', sql })));
    const alone = new Map(pieces.map((piece, i) => [piece, answers[i]]));
    return all.filter((one) => one.pieces.every((piece) => alone.get(piece).error === undefined))
        .map((one) => ({ ...one, last: alone.get(one.pieces.at(-1)) }));
}

test('cleaned texts of several statements run, where originals do not, and change nothing', async (t) => {
    const counts = { originalsRun: 0, originalsFail: 0, prepared: 0, lineByLine: 0 };
    const several = caseTexts().filter((text) => guard.check(text).statements > 1 && isPlain(text));
    const texts = await runnable([...several, ...joinedTexts()]);
    const jobs = texts.flatMap(({ text, cleaned }) =>
        [{ call: 'raw', sql: text }, { call: 'raw', sql: cleaned }, { call: 'exec', sql: cleaned }]);
    const answers = await engine.ask([dumpJob, ...jobs, dumpJob]);
    assert.equal(firstDifference(readDump(answers.shift()), readDump(answers.pop())), undefined);
    for (const [i, { text, cleaned, pieces, last }] of texts.entries()) {
        const [original, prepared, lines] = answers.slice(3 * i, 3 * i + 3);
        assert.equal(pieces.length, guard.check(text).statements);
        counts[original.error === undefined ? 'originalsRun' : 'originalsFail']++;
        assert.deepEqual(prepared, last, `${cleaned}\nfrom ${text}`);
        counts.prepared++;
        if (pieces.some((piece) => piece.includes('\n')))
            continue; /* exec takes each line for a statement */
        assert.equal(lines.count, pieces.length, `${lines.error}: ${cleaned}`);
        counts.lineByLine++;
    }
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.lineByLine > 100 && counts.originalsFail > 50);
});

test('`SELECT 1; -- x` runs once it is cleaned', async () => {
    const text = 'SELECT 1; -- x';
    const cleaned = guard.clean(text).sql;
    for (const call of ['raw', 'exec']) {
        const [original, ours] = await engine.ask([{ call, sql: text }, { call, sql: cleaned }]);
        assert.match(original.error, /did not contain a statement/);
        assert.equal(ours.error, undefined);
    }
});

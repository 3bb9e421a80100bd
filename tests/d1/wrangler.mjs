/*
 * wrangler, whose `d1 execute` cuts a text in its own way before D1 sees it: the pieces of a text that the guard hands out, run
 * in order up to the first error, change nothing. Pieces of originals do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { populate } from './database.mjs';
import { guard, requirePackage, startEngine } from './engine.mjs';
import { caseTexts, corpusTexts, isEndless, joinedTexts, ownTexts } from './texts.mjs';
import { listChanges, watch } from './watch.mjs';

const { unstable_splitSqlQuery: split } = requirePackage('wrangler');

let engine;
before(async () => {
    engine = await startEngine();
    await populate(engine);
});
after(() => engine.close());

/* Allowed texts whose pieces write: it knows no brackets, takes $$ for a quote inside a name, and puts nothing where a comment
 * was. */
const MISCUT = [
    "SELECT 1 AS [a'] /* '; DELETE FROM big; */, 2",
    'SELECT 1 AS a$$ /* $$; DELETE FROM big; */, 2',
    'SELECT 1 AS a$b$ /* $b$; UPDATE t SET b = 1; */, 2',
    "SELECT ';' FROM pragma_/**/optimize",
    "SELECT ';' FROM pragma_/* ; */optimize",
    'SELECT 1; SELECT * FROM pragma_/* a */optimize',
];

/* What the guard hands out. */
function handedOut(text) {
    return [guard.clean(text).sql, guard.capRows(text, 10).sql].filter((sql) => sql !== null);
}

/* The pieces in order; none where wrangler itself refuses the text. */
function cut(text) {
    try {
        return split(text);
    } catch {
        return [];
    }
}

test('the pieces of what the guard hands out change nothing', async (t) => {
    const texts = [...caseTexts(), ...ownTexts().map(({ text }) => text), ...joinedTexts(), ...corpusTexts(), ...MISCUT];
    const out = [...new Set(texts.filter((text) => !isEndless(text)).flatMap(handedOut))];
    /* One piece that is the text itself is what the other programs here run. */
    const altered = out.filter((text) => JSON.stringify(cut(text)) !== JSON.stringify([text]));
    const results = await watch(engine, altered.map((text) => ({ call: 'each', texts: cut(text) })));
    const stopped = results.filter(({ answer }) => answer.error !== undefined).length;
    t.diagnostic(`${out.length} texts, ${altered.length} cut or altered by wrangler, ${stopped} of these stop at an error`);
    assert.ok(altered.length > 200);
    assert.equal(listChanges(results), '');
});

/* A fresh database, one query further, so that there is something to optimize. */
async function startScratch(t) {
    const scratch = await startEngine();
    t.after(() => scratch.close());
    await populate(scratch);
    await scratch.all("SELECT count(*) FROM t WHERE b = 'b1'");
    return scratch;
}

const title = (text) => text.replaceAll('#', '');

for (const text of MISCUT) {
    test(`pieces of the original change something: ${title(text)}`, async (t) => {
        assert.equal(guard.check(text).allowed, true);
        const scratch = await startScratch(t);
        const [whole, pieces] = await watch(scratch, [{ call: 'all', sql: text }, { call: 'each', texts: cut(text) }]);
        assert.equal(whole.change, undefined);
        assert.notEqual(pieces.change, undefined);
    });
}

/* What README says is beyond the guard: wrangler edits inside quotes, comments in brackets and the first BEGIN TRANSACTION; and
 * COMMIT; anywhere. What it makes of such a text the guard refuses, so who needs wrangler can ask again behind it. */
const EDITED = ['SELECT * FROM [pragma/*;*/_optimize]', "SELECT 'BEGIN TRANSACTION;' FROM \"pragmaCOMMIT;_optimize\""];

for (const text of EDITED) {
    test(`known, in README: wrangler edits inside quotes: ${title(text)}`, async (t) => {
        const cleaned = guard.clean(text).sql;
        const scratch = await startScratch(t);
        const [whole, pieces] = await watch(scratch, [{ call: 'all', sql: cleaned }, { call: 'each', texts: cut(cleaned) }]);
        assert.equal(whole.change, undefined);
        assert.notEqual(pieces.change, undefined);
        assert.equal(guard.check(cut(cleaned)[0]).allowed, false);
    });
}

/*
 * What the guard allows changes nothing on D1: not the schema, not a row, not a setting. And the check sees: what the guard
 * refuses is noticed when it is sent past it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { populate } from './database.mjs';
import { guard, startEngine } from './engine.mjs';
import { caseTexts, corpusTexts, isEndless, ownTexts } from './texts.mjs';
import { listChanges, watch } from './watch.mjs';

let engine;
before(async () => {
    engine = await startEngine();
    await populate(engine);
});
after(() => engine.close());

/* Runs texts as they came and as the guard hands them out. Returns how many D1 answered. */
async function staysAsItIs(texts, t) {
    const both = new Set(texts.filter((text) => !isEndless(text)).flatMap((text) => [text, guard.clean(text).sql]));
    const results = await watch(engine, [...both].map((sql) => ({ call: 'all', sql })));
    const answered = results.filter(({ answer }) => answer.error === undefined).length;
    t.diagnostic(`${results.length} texts run, ${answered} answered`);
    assert.equal(listChanges(results), '');
    return answered;
}

test('allowed cases change nothing', async (t) => {
    assert.ok(await staysAsItIs(caseTexts(), t) > 300);
});

test('allowed queries of a populated database change nothing', async (t) => {
    assert.ok(await staysAsItIs(ownTexts().map(({ text }) => text), t) > 400);
});

const corpus = corpusTexts();
if (corpus.length > 0) {
    test('allowed reads of the corpora change nothing', async (t) => {
        assert.ok(await staysAsItIs(corpus, t) > 200);
    });
}

const CHANGING = {
    'rows': 'INSERT INTO t(b) VALUES (1)',
    'rows behind a read': 'SELECT 1; DELETE FROM big',
    'rows behind WITH': 'WITH q AS (SELECT 1) DELETE FROM big',
    'the schema': 'DROP VIEW v',
    'a setting': 'PRAGMA reverse_unordered_selects = 1',
    'a setting that cannot be read': 'PRAGMA case_sensitive_like = 1',
    'a setting, explained': 'EXPLAIN PRAGMA recursive_triggers = 1',
    'statistics, by PRAGMA': 'PRAGMA optimize(0x10002)',
    'statistics, by a SELECT': 'SELECT * FROM pragma_optimize',
    'statistics, by a quoted name': 'SELECT * FROM main."PRAGMA_optimize"',
};
for (const [what, sql] of Object.entries(CHANGING)) {
    test(`refused, and noticed when sent all the same: ${what}`, async (t) => {
        assert.equal(guard.check(sql).allowed, false);
        const scratch = await startEngine();
        t.after(() => scratch.close());
        await populate(scratch);
        await scratch.all("SELECT count(*) FROM t WHERE b = 'b1'"); /* an index was used, so there is something to optimize */
        const [{ answer, change }] = await watch(scratch, [{ call: 'all', sql }]);
        assert.equal(answer.error, undefined);
        assert.notEqual(change, undefined, 'the check does not see it');
    });
}

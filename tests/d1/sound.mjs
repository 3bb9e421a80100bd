/*
 * What the guard allows changes nothing on D1: not the schema, not a row, not a setting, by
 * what D1 reports and by a dump in the next request. And the check sees: what the guard refuses is noticed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dumpJob, firstDifference, populate, readDump } from './database.mjs';
import { guard, startEngine } from './engine.mjs';
import { caseTexts, corpusTexts, isEndless, ownTexts } from './texts.mjs';

let engine;
before(async () => {
    engine = await startEngine();
    await populate(engine);
});
after(() => engine.close());

/* Runs texts one by one. [{ text, answered, change }]: change says what is different, undefined if nothing is. */
async function watch(texts) {
    const answers = await engine.ask([dumpJob, ...texts.flatMap((sql) => [{ call: 'all', sql }, dumpJob])]);
    return texts.map((text, i) => {
        const [was, { meta, error }, is] = answers.slice(2 * i, 2 * i + 3);
        let change;
        const differs = firstDifference(readDump(was), readDump(is));
        if (differs !== undefined)
            change = differs;
        else if (meta?.changed_db || meta?.rows_written || meta?.changes)
            change = `D1 says ${JSON.stringify(meta)}`;
        return { text, answered: error === undefined, change };
    });
}

async function staysAsItIs(texts, t) {
    const results = await watch(texts);
    const wrong = results.filter(({ change }) => change !== undefined);
    const answered = results.filter((result) => result.answered).length;
    t.diagnostic(`${texts.length} texts run, ${answered} answered, ${wrong.length} changed something`);
    assert.equal(wrong.length, 0, wrong.slice(0, 5).map(({ text, change }) => `${JSON.stringify(text)}: ${change}`).join('\n'));
    return answered;
}

/* The texts as they came and as the guard hands them out. */
function bothWays(texts) {
    return [...new Set(texts.filter((text) => !isEndless(text)).flatMap((text) => [text, guard.clean(text).sql]))];
}

test('allowed cases change nothing', async (t) => {
    assert.ok(await staysAsItIs(bothWays(caseTexts()), t) > 300);
});

test('allowed queries of a populated database change nothing', async (t) => {
    assert.ok(await staysAsItIs(bothWays(ownTexts().map(({ text }) => text)), t) > 400);
});

const corpus = corpusTexts();
test('allowed reads of the corpora change nothing', { skip: corpus.length === 0 && 'no corpora here' }, async (t) => {
    assert.ok(await staysAsItIs(bothWays(corpus), t) > 200);
});

/* Sent past the guard, each on a database of its own. */
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
    test(`noticed and refused: ${what}`, async (t) => {
        assert.equal(guard.check(sql).allowed, false);
        const own = await startEngine();
        try {
            await populate(own);
            await own.all('SELECT count(*) FROM t WHERE b = \'b1\' AND c > 0'); /* what optimize looks at */
            const shared = engine;
            engine = own;
            const [{ change, answered }] = await watch([sql]).finally(() => { engine = shared; });
            assert.ok(answered, 'D1 does not run it');
            assert.ok(change !== undefined, 'the check does not see it');
            t.diagnostic(`${change.split(' was ')[0]} differs`);
        } finally {
            await own.close();
        }
    });
}

/*
 * Runs inside workerd, next to the database: answers a list of jobs, one after the other.
 *
 *     {call: 'raw' | 'all' | 'exec', sql, values}   ->   {columns, rows} | {meta} | {count} | {error}
 *     {call: 'each', texts}                         ->   {ran} | {error}, up to the first error
 *
 * Without `values` a text with parameters gets as many numbers as it asks for; the answer says which.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
const MOST_PARAMETERS = 6;

const calls = {
    async raw(db, sql, values) {
        const [columns = [], ...rows] = await db.prepare(sql).bind(...values).raw({ columnNames: true });
        return { columns, rows, values };
    },
    async all(db, sql, values) {
        const { meta } = await db.prepare(sql).bind(...values).all();
        return { meta, values };
    },
    async exec(db, sql) {
        return { count: (await db.exec(sql)).count };
    },
};

async function runEach(db, texts) {
    try {
        for (const text of texts)
            await db.prepare(text).run();
        return { ran: texts.length };
    } catch (error) {
        return { error: String(error.cause?.message ?? error.message) };
    }
}

/* A text of several statements leaves all but its last one unfinished in workerd's cache: the same text fails when it is run
 * again, and runs when it is tried once more. */
const BUSY = 'A SQL prepared statement can only be executed once at a time';

async function answer(db, { call, sql, values, texts }) {
    if (call === 'each')
        return runEach(db, texts);
    const most = values === undefined ? MOST_PARAMETERS : 0;
    const tried = values ?? [];
    for (let wasBusy = false; ;) {
        try {
            return await calls[call](db, sql, [...tried]);
        } catch (error) {
            const reason = String(error.cause?.message ?? error.message);
            if (reason.includes('Wrong number of parameter bindings') && tried.length < most)
                tried.push(tried.length + 2);
            else if (reason.includes(BUSY) && !wasBusy)
                wasBusy = true;
            else
                return { error: reason };
        }
    }
}

export default {
    async fetch(request, env) {
        const answers = [];
        for (const job of await request.json())
            answers.push(await answer(env.DB, job));
        return Response.json(answers);
    },
};

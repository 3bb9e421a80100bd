/*
 * Runs inside workerd, next to the database: answers a list of jobs, one after the other.
 *
 *     {call: 'raw' | 'all' | 'exec', sql, values}   ->   {columns, rows} | {meta} | {count} | {error}
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

async function answer(db, { call, sql, values }) {
    for (const most = values === undefined ? MOST_PARAMETERS : 0, tried = values ?? []; ;) {
        try {
            return await calls[call](db, sql, [...tried]);
        } catch (error) {
            const reason = String(error.cause?.message ?? error.message);
            if (tried.length >= most || !reason.includes('Wrong number of parameter bindings'))
                return { error: reason };
            tried.push(tried.length + 2);
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

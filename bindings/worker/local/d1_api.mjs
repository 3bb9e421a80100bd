/*
 * Cloudflare's REST API for D1, as far as reading needs it, as a Worker: standin.mjs runs it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
const PATH = /^\/client\/v4\/accounts\/[^/]+\/d1\/database\/([^/]+)\/(query|raw)$/;

function failure(status, code, message) {
    return Response.json({ result: [], success: false, errors: [{ code, message }], messages: [] }, { status });
}

async function run(db, { sql, params = [] }, raw) {
    const statement = params.length > 0 ? db.prepare(sql).bind(...params) : db.prepare(sql);
    if (!raw) {
        const { results, meta } = await statement.all();
        return { results, success: true, meta };
    }
    const [columns = [], ...rows] = await statement.raw({ columnNames: true });
    return { results: { columns, rows }, success: true, meta: {} };
}

export default {
    async fetch(request, env) {
        const [, id, endpoint] = PATH.exec(new URL(request.url).pathname) ?? [];
        if (request.headers.get('Authorization') !== `Bearer ${env.TOKEN}`)
            return failure(401, 10000, 'Authentication error');
        if (request.method !== 'POST' || env[id]?.prepare === undefined)
            return failure(404, 7404, 'Not Found');
        try {
            const body = await request.json();
            const result = [];
            for (const query of body.batch ?? [body])
                result.push(await run(env[id], query, endpoint === 'raw'));
            return Response.json({ result, success: true, errors: [], messages: [] });
        } catch (error) {
            return failure(400, 7500, String(error.cause?.message ?? error.message).replace(/^D1_ERROR: /, ''));
        }
    },
};

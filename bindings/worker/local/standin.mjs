/*
 * Cloudflare's REST API for D1, as far as reading needs it, over the real D1 engine on this machine. For trying the Worker
 * without an account, and for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import http from 'node:http';
import { Miniflare } from 'miniflare';

const PATH = /^\/client\/v4\/accounts\/[^/]+\/d1\/database\/([^/]+)\/(query|raw)$/;

function failure(status, code, message) {
    return [status, { result: [], success: false, errors: [{ code, message }], messages: [] }];
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

async function answer(databases, token, request, text) {
    const [, id, endpoint] = PATH.exec(request.url) ?? [];
    const db = databases.get(id);
    if (request.headers.authorization !== `Bearer ${token}`)
        return failure(401, 10000, 'Authentication error');
    if (request.method !== 'POST' || db === undefined)
        return failure(404, 7404, 'Not Found');
    try {
        const body = JSON.parse(text);
        const result = [];
        for (const query of body.batch ?? [body])
            result.push(await run(db, query, endpoint === 'raw'));
        return [200, { result, success: true, errors: [], messages: [] }];
    } catch (error) {
        return failure(400, 7500, String(error.cause?.message ?? error.message).replace(/^D1_ERROR: /, ''));
    }
}

/* Databases by id. Returns {apiBase, database(id), requests, intercept, close}; database(id) is the engine itself, and
 * intercept, when set, may answer in its place: (request, text, response) => true when it did. */
export async function startStandin({ ids, token, persist = false }) {
    const engine = new Miniflare({
        modules: true,
        cf: false,
        script: 'export default { fetch() { return new Response() } }',
        compatibilityDate: '2026-07-01',
        d1Persist: persist,
        d1Databases: Object.fromEntries(ids.map((id) => [`DB_${id.replaceAll('-', '_')}`, id])),
    });
    const databases = new Map();
    for (const id of ids)
        databases.set(id, await engine.getD1Database(`DB_${id.replaceAll('-', '_')}`));
    const self = { database: (id) => databases.get(id), requests: [], intercept: undefined };
    const server = http.createServer((request, response) => {
        const chunks = [];
        request.on('data', (chunk) => chunks.push(chunk)).on('end', async () => {
            const text = Buffer.concat(chunks).toString();
            self.requests.push({ url: request.url, text });
            if (self.intercept?.(request, text, response))
                return;
            const [status, body] = await answer(databases, token, request, text);
            response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    self.apiBase = `http://127.0.0.1:${server.address().port}/client/v4`;
    self.close = async () => {
        server.closeAllConnections();
        server.close();
        await engine.dispose();
    };
    return self;
}

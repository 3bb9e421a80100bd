/*
 * A stand-in for api.cloudflare.com, over the real D1 engine on this machine. For trying the Worker without an account, and for
 * tests, which look at what arrives and may answer in its place.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { Miniflare } from 'miniflare';

/* Answers as the engine's Worker does. */
async function forward(engine, request, text, response) {
    const { method, headers } = request;
    const answer = await fetch(new URL(request.url, engine), { method, headers: { authorization: headers.authorization ?? '' },
        ...(method === 'POST' && { body: text }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') }).end(await answer.text());
}

/* Databases by id, kept in the folder persist, if any. Returns {apiBase, database(id), requests, intercept, close}: database(id) is
 * the engine itself; intercept, when set, is asked first: (request, text, response) => true when it has answered. */
export async function startStandin({ ids, token, persist = false }) {
    const mf = new Miniflare({
        host: '127.0.0.1',
        cf: false,
        modules: true,
        script: readFileSync(new URL('d1_api.mjs', import.meta.url), 'utf8'),
        compatibilityDate: '2026-07-01',
        d1Persist: persist,
        d1Databases: Object.fromEntries(ids.map((id) => [id, id])),
        bindings: { TOKEN: token },
    });
    const engine = await mf.ready;
    const databases = new Map();
    for (const id of ids)
        databases.set(id, await mf.getD1Database(id));
    const self = { database: (id) => databases.get(id), requests: [], intercept: undefined };
    const server = http.createServer((request, response) => {
        const chunks = [];
        request.on('data', (chunk) => chunks.push(chunk)).on('end', async () => {
            const text = Buffer.concat(chunks).toString();
            self.requests.push({ url: request.url, text });
            if (!self.intercept?.(request, text, response))
                await forward(engine, request, text, response).catch(() => response.destroy());
        });
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    self.apiBase = `http://127.0.0.1:${server.address().port}/client/v4`;
    self.close = async () => {
        server.closeAllConnections();
        server.close();
        await mf.dispose();
    };
    return self;
}

// Stand-ins for Cloudflare's D1 REST API. One runs the real engine (workerd, by miniflare); the other
// answers as it is told, for what goes wrong on the way.
//
// SPDX-License-Identifier: Apache-2.0
import { createServer } from "node:http";
import { createRequire } from "node:module";

const { Miniflare } = createRequire(new URL("../../../tests/deps/worker/package.json", import.meta.url))("miniflare");
const PATH = /^\/client\/v4\/accounts\/([^/]+)\/d1\/database\/([^/]+)\/raw$/;

const envelope = (result) => ({ success: true, errors: [], messages: [], result });
const failure = (code, message) => ({ success: false, errors: [{ code, message }], messages: [], result: [] });

async function listen(answer) {
    const requests = [];
    const server = createServer((request, response) => {
        const chunks = [];
        request.on("data", (chunk) => chunks.push(chunk));
        request.on("end", async () => {
            const body = Buffer.concat(chunks).toString();
            requests.push({ url: request.url, headers: request.headers, body: JSON.parse(body) });
            await answer(request, response, JSON.parse(body), requests.length);
        });
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const close = () => new Promise((done) => { server.closeAllConnections(); server.close(done); });
    return { base: `http://127.0.0.1:${server.address().port}/client/v4`, requests, close };
}

function send(response, status, body, headers = {}) {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
}

// databases: {id: [statement, ...]}, each run once at the start.
export async function realEngine(databases, token) {
    const names = Object.keys(databases);
    const miniflare = new Miniflare({ modules: true, script: "export default { fetch() { return new Response() } }", compatibilityDate: "2026-01-01",
        d1Databases: Object.fromEntries(names.map((name) => [name, name])) });
    for (const name of names) {
        const db = await miniflare.getD1Database(name);
        for (const sql of databases[name])
            await db.prepare(sql).run();
    }
    async function run(name, { sql, params }) {
        const statement = (await miniflare.getD1Database(name)).prepare(sql).bind(...params);
        const [columns, ...rows] = await statement.raw({ columnNames: true });
        return { success: true, results: { columns, rows }, meta: { changed_db: false, rows_written: 0 } };
    }
    const api = await listen(async (request, response, body) => {
        const [, account, name] = PATH.exec(request.url) ?? [];
        if (request.method !== "POST" || account !== "account" || !names.includes(name))
            return send(response, 404, failure(7404, "The database could not be found"));
        if (request.headers.authorization !== `Bearer ${token}`)
            return send(response, 401, failure(10000, "Authentication error"));
        try {
            return send(response, 200, envelope([await run(name, body)]));
        } catch (error) {
            return send(response, 400, failure(7500, String(error.cause?.message ?? error.message)));
        }
    });
    return { ...api, database: (name) => miniflare.getD1Database(name), close: async () => { await api.close(); await miniflare.dispose(); } };
}

// answers: a function of (response, number of the query, sql); the listing of views, which the server asks
// for by itself, is answered with none.
export function scripted(answers) {
    let queries = 0;
    return listen((request, response, body) => {
        if (body.sql.includes("type = 'view'"))
            return send(response, 200, envelope([{ success: true, results: { columns: ["name", "sql"], rows: [] }, meta: {} }]));
        return answers({ send: (...args) => send(response, ...args), response }, ++queries, body.sql);
    });
}

export const table = (columns, rows, meta = {}) => envelope([{ success: true, results: { columns, rows }, meta }]);
export { envelope, failure };

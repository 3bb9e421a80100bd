/*
 * What the tests share: the Worker in workerd before the real D1 engine, people with tokens, calls over HTTP.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { after } from 'node:test';
import { Log, LogLevel } from 'miniflare';
import { makeToken, secretOf } from '../people.mjs';
import { fillSample } from '../local/try.mjs';
import { bundle, startWorker } from '../local/worker.mjs';
import { startStandin } from '../local/standin.mjs';

export const BUILD = process.env.D1GUARD_TESTED_BUILD; /* meson's build folder */
export const DEPS = new URL('../../../tests/deps/worker/', import.meta.url).pathname;
export const ACCOUNT = 'acc-1';
export const READ_TOKEN = 'd1-read-token-of-the-test';
export const MODERN = '2026-07-28';

/* Errors of the Worker and of workerd are kept for the test to look at. */
export class Kept extends Log {
    lines = [];

    constructor() {
        super(LogLevel.DEBUG);
    }

    log(line) {
        this.lines.push(line);
    }
}

export function bundleWorker(more) {
    return bundle({ guard: `${BUILD}/bindings/node`, modules: `${DEPS}node_modules`, ...more });
}

let bundled;

/* What a failed test has left open would keep the program from ending. */
const open = new Set();
after(() => Promise.all([...open].map((team) => team.close())));

/* Starts everything. people: names; vars: on top of the defaults. */
export async function startTeam({ people = ['Ada Byron', 'Grace Murray'], vars = {}, ids = ['db-1'], sample = true,
    standin: given, module, ...worker } = {}) {
    const standin = given ?? await startStandin({ ids, token: READ_TOKEN });
    if (sample && given === undefined)
        await fillSample(standin.database(ids[0]));
    const tokens = {};
    const secrets = {};
    for (const name of people) {
        const { token, sha256 } = makeToken();
        const [secret, value] = secretOf(name, sha256);
        tokens[name] = token;
        secrets[secret] = value;
    }
    bundled ??= bundleWorker();
    const log = new Kept();
    const { url, mf, close } = await startWorker(module ?? await bundled, {
        log,
        /* What the Worker writes to its console. */
        handleRuntimeStdio: (...streams) => streams.forEach((stream) => stream.on('data',
            (chunk) => log.lines.push(String(chunk)))),
        vars: {
            DATABASES: ids.map((id, at) => ({ name: at === 0 ? 'shop' : `other${at}`, account: ACCOUNT, id })),
            D1_READ_TOKEN: READ_TOKEN,
            D1_API_BASE: standin.apiBase,
            CALLS_PER_MINUTE: 100_000,
            ...secrets,
            ...vars,
        },
        ...worker,
    });
    const team = {
        url, mf, standin, tokens, log,
        async close() {
            if (!open.delete(team))
                return;
            await close();
            if (given === undefined)
                await standin.close();
        },
    };
    open.add(team);
    team.as = (name) => caller(team, tokens[name]);
    return team;
}

/* The other end of one token. */
export function caller({ url }, token) {
    let number = 0;
    const self = {
        token,
        headers: { 'Content-Type': 'application/json', 'Accept': 'application/json, text/event-stream',
            'Authorization': `Bearer ${token}` },
        /* Whatever body, to wherever. */
        post: (body, headers = {}, path = '/mcp') => fetch(url + path, {
            method: 'POST', headers: { ...self.headers, ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
        legacy: (method, params = {}) => self.post({ jsonrpc: '2.0', id: ++number, method, params }),
        modern: (method, params = {}) => self.post({
            jsonrpc: '2.0', id: ++number, method,
            params: { ...params, _meta: {
                'io.modelcontextprotocol/protocolVersion': MODERN,
                'io.modelcontextprotocol/clientCapabilities': {},
                'io.modelcontextprotocol/clientInfo': { name: 'test <script>', version: '1' },
            } },
        }, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...(params.name && { 'Mcp-Name': params.name }) }),
        /* The result of a tool, in the modern era. */
        async tool(name, args = {}) {
            const answer = await (await self.modern('tools/call', { name, arguments: args })).json();
            if (answer.result === undefined)
                throw new Error(JSON.stringify(answer));
            return answer.result;
        },
        query: (sql, more = {}) => self.tool('query', { sql, ...more }),
        /* The error object of a tool's answer. */
        async failure(name, args) {
            const result = await self.tool(name, args);
            if (!result.isError || result.structuredContent !== undefined)
                throw new Error(`no error: ${JSON.stringify(result)}`);
            return JSON.parse(result.content[0].text).error;
        },
        async link() {
            const { code, approve_url: link } = await self.failure('list_tables', {});
            if (code !== 'NOT_APPROVED')
                throw new Error(code);
            return link;
        },
        /* Does what the browser does. */
        async approve() {
            const link = await self.link();
            const page = await (await fetch(link)).text();
            const answer = await press(link, formOf(page));
            if (answer.status !== 200)
                throw new Error(`not approved: ${answer.status}`);
            return self;
        },
        readQuery: (body, headers = {}, account = ACCOUNT, id = 'db-1') =>
            self.post(body, headers, `/accounts/${account}/d1/database/${id}/read_query`),
    };
    return self;
}

export function formOf(page) {
    return /name="form" value="([^"]+)"/.exec(page)?.[1];
}

export function press(link, form, headers = {}) {
    return fetch(link, {
        method: 'POST',
        headers: { 'Origin': new URL(link).origin, 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ form: form ?? '' }),
    });
}

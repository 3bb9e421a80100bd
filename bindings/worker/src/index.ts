/*
 * Read-only D1 over MCP for a team: a Cloudflare Worker.
 *
 *   index.ts       routes, and what is checked before any of them
 *   mcp.ts         MCP over HTTP, by the official SDK
 *   tools.ts       the tools, and the way of a query; arguments.ts, catalog.ts, rows.ts, dictionary.ts
 *   database.ts    D1 over its REST API, or as a binding
 *   read_query.ts  D1's own REST call, guarded
 *   people.ts      tokens;  person.ts  what is remembered of a person;  approve.ts, page.ts  the first use of a token
 *   audit.ts, settings.ts, errors.ts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { answerApprove } from './approve.ts';
import { answerMcp } from './mcp.ts';
import { everyone, findCaller, isAuditor, unauthorized } from './people.ts';
import { answerReadQuery } from './read_query.ts';
import { publicUrl, settingsOf, SettingsError, type Env } from './settings.ts';

export { Person } from './person.ts';

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])$/;

/* Is this host ours? A page elsewhere may have pointed its own name at this machine. */
function knowsHost(host: string, own: URL): boolean {
    const url = URL.parse(`http://${host}`);
    return url !== null && (host === own.host || (LOOPBACK.test(own.hostname) && LOOPBACK.test(url.hostname)));
}

function checkOrigin(request: Request, env: Env): Response | undefined {
    const own = new URL(publicUrl(request, env));
    const origin = request.headers.get('Origin');
    if (!knowsHost(new URL(request.url).host, own))
        return problem(403, 'forbidden', 'this server does not go by that Host');
    if (origin !== null && (URL.parse(origin)?.origin !== origin || !knowsHost(new URL(origin).host, own)))
        return problem(403, 'forbidden', 'this Origin may not call here');
    return undefined;
}

function problem(status: number, error: string, message: string, headers: { [name: string]: string } = {}): Response {
    return Response.json({ error, message }, { status, headers });
}

async function answerAudit(request: Request, env: Env): Promise<Response> {
    if (!await isAuditor(request, env))
        return unauthorized(request);
    const lines = await Promise.all(everyone(env).map(async ({ key, name }) => {
        const own = await env.PERSON.getByName(key).lines();
        return own.map((line) => `${JSON.stringify({ person: name, ...JSON.parse(line) })}\n`);
    }));
    const headers = { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' };
    return new Response(lines.flat().join(''), { headers });
}

const MCP = /^\/mcp$/;
const AUDIT = /^\/audit$/;
const APPROVE = /^\/approve\/([A-Z0-9_]{1,64})\/([A-Za-z0-9_-]{43})$/;
const READ_QUERY = /^\/accounts\/([A-Za-z0-9_-]+)\/d1\/database\/([A-Za-z0-9_-]+)\/read_query$/;

async function route(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url);
    const approve = APPROVE.exec(pathname);
    const readQuery = READ_QUERY.exec(pathname);
    const method = MCP.test(pathname) || readQuery !== null ? 'POST' : AUDIT.test(pathname) ? 'GET' : undefined;
    if (method === undefined && approve === null) /* clients look under /.well-known/ and want JSON */
        return problem(404, 'not_found', 'there is nothing here; MCP is at /mcp');
    const stranger = checkOrigin(request, env);
    if (stranger !== undefined)
        return stranger;
    if (approve !== null)
        return answerApprove(request, env, approve[1] as string, approve[2] as string);
    if (request.method !== method)
        return problem(405, 'method_not_allowed', `this takes ${method} only`, { Allow: method as string });
    if (AUDIT.test(pathname))
        return answerAudit(request, env);
    const caller = await findCaller(request, env);
    if (caller === undefined)
        return unauthorized(request);
    if (readQuery !== null)
        return answerReadQuery(request, env, context, caller, readQuery[1] as string, readQuery[2] as string);
    return answerMcp(request, env, context, caller);
}

export default {
    async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
        try {
            settingsOf(env);
            return await route(request, env, context);
        } catch (error) {
            console.error(error);
            return error instanceof SettingsError ? problem(500, 'settings', error.message)
                : problem(500, 'internal', 'something went wrong in this server; its log says more');
        }
    },
} satisfies ExportedHandler<Env>;

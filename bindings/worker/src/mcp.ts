/*
 * MCP over Streamable HTTP, by the official SDK: 2026-07-28, where each request stands alone, and the older versions that
 * begin with a handshake. No sessions: every request is answered by a server of its own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import {
    createMcpHandler, isLegacyRequest, ProtocolError, ProtocolErrorCode, Server, WebStandardStreamableHTTPServerTransport,
    type CallToolResult, type McpRequestContext, type Tool,
} from '@modelcontextprotocol/server';
import { version } from 'd1guard';
import { admit } from './approve.ts';
import { writeAudit } from './audit.ts';
import type { Arguments } from './arguments.ts';
import { readText } from './database.ts';
import { ToolError } from './errors.ts';
import type { Caller } from './people.ts';
import type { Env } from './settings.ts';
import { failed, toolboxOf, type CallRecord, type Outcome } from './tools.ts';

const LEGACY = ['2025-11-25', '2025-06-18']; /* newest first */
const VERSIONS = ['2026-07-28', ...LEGACY];
const BODY_MAX = 1 << 20; /* bytes */
const DEPTH_MAX = 64;

/* What goes with a request from the route to the tool. */
interface Exchange {
    env: Env;
    context: ExecutionContext;
    caller: Caller;
    request: Request;
}

function exchangeOf(context: McpRequestContext): Exchange {
    return context.authInfo?.extra?.exchange as Exchange;
}

async function runTool({ env, context, caller, request }: Exchange, name: string, args: Arguments, signal: AbortSignal,
    client: string | undefined): Promise<Outcome> {
    const box = toolboxOf(env);
    const record: CallRecord = { tool: name, rows: 0 };
    const startedAt = Date.now();
    const problem = await admit(request, env, caller, client);
    let outcome;
    if (problem !== undefined) {
        record.error = problem.code;
        outcome = failed(problem);
    } else {
        outcome = await box.call(name, args, signal, record);
    }
    context.waitUntil(writeAudit(env, box.settings, caller, record, startedAt));
    return outcome;
}

function makeServer(context: McpRequestContext): Server {
    const exchange = exchangeOf(context);
    const box = toolboxOf(exchange.env);
    const server = new Server({ name: 'd1guard-worker', version }, {
        capabilities: { tools: {} },
        instructions: box.instructions,
        supportedProtocolVersions: VERSIONS,
        cacheHints: {
            'server/discover': { ttlMs: 3_600_000, cacheScope: 'private' },
            'tools/list': { ttlMs: 300_000, cacheScope: 'private' },
        },
    });
    server.setRequestHandler('tools/list', ({ params }) => {
        if (params?.cursor !== undefined)
            throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'no such cursor: all tools are on one page');
        return { tools: box.tools as unknown as Tool[] };
    });
    server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
        if (!box.has(params.name))
            throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'there is no tool of this name; see tools/list');
        const client = server.getClientVersion()?.name;
        return await runTool(exchange, params.name, params.arguments ?? {}, mcpReq.signal, client) as CallToolResult;
    });
    return server;
}

/* `legacy: 'reject'`: those requests are answered below, with JSON instead of a stream of one event. */
const modern = createMcpHandler(makeServer, { legacy: 'reject' });

async function answerLegacy(exchange: Exchange, request: Request, parsedBody: unknown): Promise<Response> {
    const authInfo = authInfoOf(exchange);
    const server = makeServer({ era: 'legacy', authInfo });
    const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
        enableJsonResponse: true,
        supportedProtocolVersions: LEGACY,
    });
    await server.connect(transport);
    try {
        return await transport.handleRequest(request, { authInfo, parsedBody });
    } finally {
        await server.close();
    }
}

function authInfoOf(exchange: Exchange) {
    return { token: '', clientId: exchange.caller.key, scopes: [], extra: { exchange } };
}

/* An error for a message that was not understood; it has no id. */
function rejected(status: number, code: number, message: string): Response {
    return Response.json({ jsonrpc: '2.0', error: { code, message } }, { status });
}

function tooDeep(value: unknown, levels: number): boolean {
    if (typeof value !== 'object' || value === null)
        return false;
    return levels === 0 || Object.values(value).some((member) => tooDeep(member, levels - 1));
}

/* The message of the request's body, or the answer to one that is none. */
async function readMessage(request: Request): Promise<{ message: object } | { answer: Response }> {
    let message: unknown;
    try {
        message = JSON.parse(await readText(request.body, BODY_MAX, true));
    } catch (error) {
        return { answer: error instanceof ToolError ? rejected(413, -32600, 'the message is longer than 1 MiB')
            : rejected(400, -32700, 'the body is not JSON') };
    }
    if (typeof message !== 'object' || message === null || Array.isArray(message))
        return { answer: rejected(400, -32600, 'a message is one object; batches are not supported') };
    if (tooDeep(message, DEPTH_MAX))
        return { answer: rejected(400, -32600, 'the message is nested too deeply') };
    return { message };
}

export async function answerMcp(request: Request, env: Env, context: ExecutionContext, caller: Caller): Promise<Response> {
    const read = await readMessage(request);
    if ('answer' in read)
        return read.answer;
    const exchange = { env, context, caller, request };
    /* The body has been read: what goes on is the request without it. */
    const head = new Request(request.url, { method: 'POST', headers: request.headers, signal: request.signal });
    if (await isLegacyRequest(head, read.message))
        return answerLegacy(exchange, head, read.message);
    return modern.fetch(head, { authInfo: authInfoOf(exchange), parsedBody: read.message });
}

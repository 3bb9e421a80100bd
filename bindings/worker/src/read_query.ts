/*
 * POST /accounts/{account_id}/d1/database/{database_id}/read_query: Cloudflare's /query for those who may only read. The body
 * is D1's own, {sql, params?} or {batch: [...]}; each text goes through the guard and is sent on as the guard wrote it,
 * everything else as it came.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { checkBatch, clean } from 'd1guard';
import { admit } from './approve.ts';
import { writeAudit } from './audit.ts';
import { alarm, apiUrl, readText, RESPONSE_MAX, send, type Database } from './database.ts';
import { ToolError } from './errors.ts';
import type { Caller } from './people.ts';
import type { Env } from './settings.ts';
import { toolboxOf, type CallRecord, type OpenDatabase, type Toolbox } from './tools.ts';

const BODY_MAX = 1 << 20; /* bytes */

/* Cloudflare's error envelope, and which HTTP status goes with it. */
class Refusal extends Error {
    constructor(readonly status: number, readonly number: number, message: string, readonly code?: string,
        readonly headers: { [name: string]: string } = {}) {
        super(message);
    }

    response(): Response {
        const { number: code, message, status, headers } = this;
        return Response.json({ success: false, errors: [{ code, message }], messages: [], result: [] }, { status, headers });
    }
}

interface Query {
    sql: string;
    params?: unknown[];
}

/* JSON.parse, but numbers keep the digits that they were written with. */
function parseAsWritten(text: string): Query | { batch: Query[] } {
    const rawJSON = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
    const revive = (_key: string, value: unknown, context?: { source?: string }) =>
        typeof value === 'number' ? rawJSON(context?.source as string) : value;
    return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

async function readBody(request: Request): Promise<string> {
    try {
        return await readText(request.body, BODY_MAX, true);
    } catch (error) {
        if (error instanceof ToolError)
            throw new Refusal(413, 7400, 'the body is longer than 1 MiB');
        throw new Refusal(400, 7400, 'the body is not UTF-8');
    }
}

function parse(text: string): unknown {
    try {
        return JSON.parse(text);
    } catch {
        throw new Refusal(400, 7400, 'the body is not JSON');
    }
}

/* The body to send, every text of it judged and cleaned. */
function guarded(text: string, denyTables: string[], record: CallRecord): string {
    const report = checkBatch(parse(text), { denyTables });
    record.verdict = report.allowed ? 'allow' : 'refuse';
    record.reason = report.reason;
    if (report.reason === 'bad-argument') /* the body, not its SQL */
        throw new Refusal(400, 7400, report.message, 'BAD_ARGUMENT');
    if (!report.allowed)
        throw new Refusal(400, 7500, `SQL_BLOCKED (${report.reason}): ${report.message}`, 'SQL_BLOCKED');
    const body = parseAsWritten(text);
    for (const query of 'batch' in body ? body.batch : [body]) {
        const cleaned = clean(query.sql, { denyTables });
        if (!cleaned.allowed)
            throw new Refusal(500, 7500, 'the guard disagrees with itself; please report this text', 'SQL_BLOCKED');
        query.sql = cleaned.sql;
    }
    return JSON.stringify(body);
}

async function forward(box: Toolbox, db: Database, body: string, signal: AbortSignal): Promise<Response> {
    const response = await send(apiUrl(db.settings, box.settings, 'query'), box.settings, body, signal);
    const text = await readText(response.body, RESPONSE_MAX);
    const headers = new Headers({ 'Content-Type': response.headers.get('Content-Type') ?? 'application/json' });
    for (const result of response.ok ? (JSON.parse(text) as { result?: { meta?: object }[] }).result ?? [] : [])
        alarm(body, result.meta);
    return new Response(text, { status: response.status, headers });
}

function find(box: Toolbox, account: string, id: string): OpenDatabase {
    try {
        return box.find({ account_id: account, database_id: id });
    } catch {
        throw new Refusal(404, 7404, 'this server was not started with that database');
    }
}

async function answer(request: Request, env: Env, caller: Caller, account: string, id: string,
    record: CallRecord): Promise<Response> {
    const box = toolboxOf(env);
    const signal = AbortSignal.any([request.signal, AbortSignal.timeout(box.settings.timeoutMs)]);
    const problem = await admit(request, env, caller);
    if (problem !== undefined)
        throw problem.retry_after_seconds === undefined ? new Refusal(403, 10000, problem.message, problem.code)
            : new Refusal(429, 971, problem.message, problem.code, { 'Retry-After': String(problem.retry_after_seconds) });
    const db = find(box, account, id);
    record.database = db.settings.name;
    const text = await readBody(request);
    record.sql = text;
    const body = guarded(text, [...(await box.blocks(db, signal)).keys()], record);
    return forward(box, db, body, signal);
}

/* What failed, as Cloudflare would put it. */
function refusalOf(error: unknown): Refusal {
    if (error instanceof Refusal)
        return error;
    if (error instanceof ToolError)
        return new Refusal(502, 7500, error.message, error.code);
    if (error instanceof DOMException && error.name === 'TimeoutError')
        return new Refusal(504, 7500, 'the time limit ran out', 'TIMEOUT');
    console.error(`read_query: ${String(error)}`);
    return new Refusal(502, 7500, 'D1 cannot be reached, or sent what is not JSON', 'D1_UNREACHABLE');
}

export async function answerReadQuery(request: Request, env: Env, context: ExecutionContext, caller: Caller, account: string,
    id: string): Promise<Response> {
    const record: CallRecord = { tool: 'read_query', rows: 0 };
    const startedAt = Date.now();
    let response;
    try {
        response = await answer(request, env, caller, account, id, record);
    } catch (error) {
        const refusal = refusalOf(error);
        record.error = refusal.code ?? String(refusal.number);
        response = refusal.response();
    }
    context.waitUntil(writeAudit(env, toolboxOf(env).settings, caller, record, startedAt));
    return response;
}

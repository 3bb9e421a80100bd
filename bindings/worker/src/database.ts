/*
 * A D1 database as the tools see it: send one statement, get columns and rows. Over D1's REST API with a token that may
 * only read, which is a second layer behind the guard; or as a binding, which could write and so is none.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { ToolError } from './errors.ts';
import type { DatabaseSettings, Env, Settings } from './settings.ts';

export type Cell = null | number | bigint | string | number[]; /* bigint: an integer beyond 2^53-1; number[]: a BLOB */

export interface Rows {
    columns: string[];
    rows: Cell[][];
}

export type Param = null | number | string | number[];

export interface Database {
    settings: DatabaseSettings;
    run(sql: string, params: Param[], signal: AbortSignal): Promise<Rows>;
}

export const RESPONSE_MAX = 8 << 20; /* bytes of an answer that are read */
const ATTEMPTS = 4;
const FIRST_WAIT_MS = 200; /* doubled for each further attempt, with jitter */
const RETRY_AFTER_MAX_MS = 10_000;

export function openDatabase(entry: DatabaseSettings, settings: Settings, env: Env): Database {
    if (entry.binding !== undefined)
        return { settings: entry, run: (sql, params) => runBound(env[entry.binding as string] as D1Database, sql, params) };
    return { settings: entry, run: (sql, params, signal) => runRemote(entry, settings, { sql, params }, signal) };
}

export function apiUrl(entry: DatabaseSettings, settings: Settings, endpoint: 'raw' | 'query'): string {
    return `${settings.apiBase}/accounts/${encodeURIComponent(entry.account ?? '')}`
        + `/d1/database/${encodeURIComponent(entry.id ?? '')}/${endpoint}`;
}

/* A promise of setTimeout, or the signal's reason. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, ms);
        signal.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(signal.reason);
        }, { once: true });
    });
}

/* How long to wait before the next attempt: as the server says, else longer each time, never the same for two callers. */
function waitFor(response: Response, attempt: number): number {
    const said = Number(response.headers.get('Retry-After') ?? NaN) * 1000;
    return said > 0 ? said : FIRST_WAIT_MS * 2 ** attempt * (1 + Math.random());
}

/* Sends what the guard has judged. Only reads get here, so a failure on the way may be tried again. */
export async function send(url: string, settings: Settings, body: string, signal: AbortSignal): Promise<Response> {
    for (let attempt = 0; ; attempt++) {
        const response = await fetch(url, {
            method: 'POST',
            redirect: 'manual', /* the token goes nowhere else */
            headers: { 'Authorization': `Bearer ${settings.readToken}`, 'Content-Type': 'application/json' },
            body,
            signal,
        });
        const wait = waitFor(response, attempt);
        if ((response.status !== 429 && response.status < 500) || attempt === ATTEMPTS - 1 || wait > RETRY_AFTER_MAX_MS)
            return response;
        await response.body?.cancel();
        await pause(wait, signal);
    }
}

/* At most so many bytes. strict: bytes that are not UTF-8 are an error. */
export async function readText(body: ReadableStream<Uint8Array> | null, most: number, strict = false): Promise<string> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: strict });
    let text = '';
    let length = 0;
    for await (const chunk of body ?? []) {
        length += chunk.byteLength;
        if (length > most)
            throw new ToolError('TOO_LARGE', `D1's answer is longer than ${most >> 20} MiB; select fewer or shorter columns`);
        text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
}

/* Integers that a double would round stay exact as far as the wire has them: they become a bigint. */
function parseExact(text: string): unknown {
    const revive = (_key: string, value: unknown, context?: { source?: string }) => {
        if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value))
            return value;
        const exact = BigInt(/^-?\d+$/.test(context?.source ?? '') ? context?.source as string : value);
        return BigInt.asIntN(64, exact) === exact ? exact : value;
    };
    return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

interface Envelope {
    success?: boolean;
    errors?: { code?: number; message?: string }[];
    result?: { results?: { columns?: string[]; rows?: Cell[][] }; meta?: { changed_db?: boolean; rows_written?: number } }[];
}

function parseEnvelope(text: string): Envelope | undefined {
    try {
        const value = parseExact(text);
        return typeof value === 'object' && value !== null ? value : undefined;
    } catch {
        return undefined; /* an HTML page of some proxy, say */
    }
}

const CODES: { [status: number]: string } = { 400: 'SQL_ERROR', 401: 'D1_AUTH', 403: 'D1_AUTH', 429: 'D1_BUSY' };

function failureOf(status: number, envelope: Envelope | undefined): ToolError {
    const first = envelope?.errors?.[0];
    const told = typeof first?.message === 'string'
        ? `: ${first.message.slice(0, 500)} (code ${first.code ?? 0})` : ' with a body that is none of its JSON';
    return new ToolError(CODES[status] ?? 'D1_ERROR', `D1 answered HTTP ${status}${told}`);
}

/* An allowed text that wrote: the guard and the token both failed. */
export function alarm(sql: string, meta: { changed_db?: unknown; rows_written?: unknown } | undefined): void {
    if (meta?.changed_db !== true && !(Number(meta?.rows_written ?? 0) > 0))
        return;
    console.error(`ALARM: D1 reports that a text which the guard allowed has written: ${JSON.stringify(sql)}`);
    throw new ToolError('DATABASE_CHANGED',
        'D1 reports that this statement wrote to the database; tell the person in charge of it');
}

async function runRemote(entry: DatabaseSettings, settings: Settings, body: { sql: string; params: Param[] },
    signal: AbortSignal): Promise<Rows> {
    let response, text;
    try {
        response = await send(apiUrl(entry, settings, 'raw'), settings, JSON.stringify(body), signal);
        text = await readText(response.body, RESPONSE_MAX);
    } catch (error) {
        if (error instanceof ToolError || signal.aborted)
            throw error;
        throw new ToolError('D1_UNREACHABLE', 'D1 cannot be reached');
    }
    const envelope = parseEnvelope(text);
    if (response.status !== 200 || envelope?.success !== true)
        throw failureOf(response.status, envelope);
    alarm(body.sql, envelope.result?.[0]?.meta);
    const { columns, rows } = envelope.result?.[0]?.results ?? {};
    if (envelope.result?.length !== 1 || !Array.isArray(columns) || !Array.isArray(rows))
        throw new ToolError('D1_ERROR', 'D1 did not answer with the rows of one statement');
    const fits = (row: unknown) => Array.isArray(row) && row.length === columns.length;
    if (!columns.every((name) => typeof name === 'string') || !rows.every(fits))
        throw new ToolError('D1_ERROR', "D1's rows do not fit its columns");
    return { columns, rows };
}

async function runBound(binding: D1Database, sql: string, params: Param[]): Promise<Rows> {
    try {
        const [columns, ...rows] = await binding.prepare(sql).bind(...params).raw<Cell[]>({ columnNames: true });
        return { columns: (columns ?? []) as unknown as string[], rows };
    } catch (error) {
        throw new ToolError('SQL_ERROR', `D1: ${String((error as Error).message).replace(/^D1_ERROR: /, '')}`);
    }
}

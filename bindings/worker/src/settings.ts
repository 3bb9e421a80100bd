/*
 * What the deployment says: wrangler.jsonc's vars, secrets and bindings, read once and checked. A mistake stops
 * every request with its name, rather than some of them later.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import type { Person } from './person.ts';

export interface Env {
    PERSON: DurableObjectNamespace<Person>;
    [name: string]: unknown;
}

export interface DatabaseSettings {
    name: string;
    account?: string; /* these two: over D1's REST API */
    id?: string;
    binding?: string; /* or as a binding, which could also write */
}

export interface Settings {
    databases: DatabaseSettings[];
    apiBase: string;
    readToken: string;
    publicUrl: string; /* origin of this Worker; empty: whatever Cloudflare routed here */
    maxRows: number;
    maxBytes: number;
    timeoutMs: number;
    callsPerMinute: number;
    audit: 'off' | 'hash' | 'text';
    auditDays: number;
    auditRows: number;
}

export class SettingsError extends Error {}

const CLOUDFLARE_API = 'https://api.cloudflare.com/client/v4';

function text(env: Env, name: string, otherwise: string): string {
    const value = env[name] ?? otherwise;
    if (typeof value !== 'string')
        throw new SettingsError(`${name} must be a string`);
    return value;
}

function count(env: Env, name: string, otherwise: number, most: number): number {
    const value = Number(env[name] ?? otherwise);
    if (!Number.isInteger(value) || value < 1 || value > most)
        throw new SettingsError(`${name} must be a whole number from 1 to ${most}`);
    return value;
}

function isDatabase(entry: unknown): entry is DatabaseSettings {
    const { name, account, id, binding, ...others } = (entry ?? {}) as Record<string, unknown>;
    const isText = (value: unknown) => typeof value === 'string' && value !== '';
    return isText(name) && Object.keys(others).length === 0
        && (binding === undefined ? isText(account) && isText(id) : isText(binding));
}

function readDatabases(env: Env): DatabaseSettings[] {
    let list = env.DATABASES;
    try {
        if (typeof list === 'string')
            list = JSON.parse(list);
    } catch {
        list = undefined;
    }
    if (!Array.isArray(list) || list.length === 0 || !list.every(isDatabase))
        throw new SettingsError('DATABASES must be a list of {name, account, id} or {name, binding}');
    if (new Set(list.map((entry) => entry.name)).size !== list.length)
        throw new SettingsError('DATABASES holds a name twice');
    const missing = list.find((entry) => entry.binding !== undefined && env[entry.binding] === undefined);
    if (missing !== undefined)
        throw new SettingsError(`there is no binding ${missing.binding}`);
    return list;
}

function readPublicUrl(env: Env): string {
    const value = text(env, 'PUBLIC_URL', '');
    if (value === '')
        return '';
    const url = URL.parse(value);
    if (url === null || !['http:', 'https:'].includes(url.protocol) || url.href !== `${url.origin}/`)
        throw new SettingsError('PUBLIC_URL must be like https://sql.example.com');
    return url.origin;
}

function readAudit(env: Env): Settings['audit'] {
    const value = text(env, 'AUDIT', 'off');
    if (value !== 'off' && value !== 'hash' && value !== 'text')
        throw new SettingsError('AUDIT must be off, hash or text');
    return value;
}

function readAll(env: Env): Settings {
    const settings: Settings = {
        databases: readDatabases(env),
        apiBase: text(env, 'D1_API_BASE', CLOUDFLARE_API),
        readToken: text(env, 'D1_READ_TOKEN', ''),
        publicUrl: readPublicUrl(env),
        maxRows: count(env, 'MAX_ROWS', 200, 1_000_000),
        maxBytes: count(env, 'MAX_BYTES', 65_536, 16_777_216),
        timeoutMs: count(env, 'TIMEOUT_MS', 30_000, 600_000),
        callsPerMinute: count(env, 'CALLS_PER_MINUTE', 60, 1_000_000),
        audit: readAudit(env),
        auditDays: count(env, 'AUDIT_DAYS', 30, 3_650),
        auditRows: count(env, 'AUDIT_ROWS', 10_000, 1_000_000),
    };
    if (settings.readToken === '' && settings.databases.some((entry) => entry.binding === undefined))
        throw new SettingsError('the secret D1_READ_TOKEN is not set');
    return settings;
}

const known = new WeakMap<Env, Settings>(); /* an isolate keeps one env */

export function settingsOf(env: Env): Settings {
    let settings = known.get(env);
    if (settings === undefined) {
        settings = readAll(env);
        known.set(env, settings);
    }
    return settings;
}

/* Origin under which this Worker is reached. */
export function publicUrl(request: Request, env: Env): string {
    return settingsOf(env).publicUrl || new URL(request.url).origin;
}

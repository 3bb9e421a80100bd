/*
 * Who may call. Each person is one secret of the Worker, PERSON_<KEY>, that holds the SHA-256 of the person's token and
 * a name to show: "9f86d0...  Ada Byron". Deleting the secret revokes that person and nobody else. people.mjs makes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import type { Env } from './settings.ts';

export interface Caller {
    key: string;  /* PERSON_<key> */
    name: string; /* to show */
    sha256: string; /* of the token, hex */
}

const SECRET = /^PERSON_([A-Z0-9_]{1,64})$/;
const VALUE = /^([0-9a-f]{64})\s+(\S.{0,99})$/;

export async function sha256(text: string): Promise<string> {
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
    return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/* Both are hex digests, so of one length. */
function same(one: string, other: string): boolean {
    const encoder = new TextEncoder();
    return crypto.subtle.timingSafeEqual(encoder.encode(one), encoder.encode(other));
}

export function everyone(env: Env): Caller[] {
    return Object.entries(env).flatMap(([name, value]) => {
        const key = SECRET.exec(name)?.[1];
        const [, digest, shown] = typeof value === 'string' && VALUE.exec(value.trim()) || [];
        return key !== undefined && digest !== undefined && shown !== undefined ? [{ key, name: shown, sha256: digest }] : [];
    });
}

/* The token of an Authorization header, which is the only place for one; undefined when there is none. */
function bearer(request: Request): string | undefined {
    return /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i.exec(request.headers.get('Authorization') ?? '')?.[1];
}

export async function findCaller(request: Request, env: Env): Promise<Caller | undefined> {
    const token = bearer(request);
    if (token === undefined)
        return undefined;
    const digest = await sha256(token);
    return everyone(env).findLast((person) => same(person.sha256, digest));
}

/* The one who may read the audit: the secret AUDITOR is a SHA-256 too. */
export async function isAuditor(request: Request, env: Env): Promise<boolean> {
    const token = bearer(request);
    const digest = env.AUDITOR;
    return token !== undefined && typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest)
        && same(digest, await sha256(token));
}

/* 401 without resource_metadata: there is no OAuth server, and clients would go looking for one. */
export function unauthorized(request: Request): Response {
    const given = request.headers.has('Authorization');
    const challenge = 'Bearer realm="d1guard"' + (given ? ', error="invalid_token"' : '');
    const message = given ? 'this token is not known here' : 'send your token as Authorization: Bearer <token>';
    return Response.json({ error: 'unauthorized', message }, { status: 401, headers: { 'WWW-Authenticate': challenge } });
}

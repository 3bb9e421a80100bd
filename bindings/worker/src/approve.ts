/*
 * First use of a token: the call is answered with a link, and a person presses a button behind it. GET and HEAD change
 * nothing, since mail scanners and previews follow links; the POST needs a value from the page, and works once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { readText } from './database.ts';
import { html, Html, page } from './page.ts';
import { everyone, type Caller } from './people.ts';
import type { Asking, Pending } from './person.ts';
import { publicUrl, settingsOf, type Env } from './settings.ts';

const FORM_MAX = 1024; /* bytes */

export interface Problem {
    code: string;
    message: string;
    approve_url?: string;
    retry_after_seconds?: number;
    [detail: string]: unknown;
}

function asking(request: Request, client: string | undefined): Asking {
    const country = request.cf?.country;
    const address = request.headers.get('CF-Connecting-IP');
    return {
        'Calls itself': (client ?? request.headers.get('User-Agent') ?? 'unknown').slice(0, 120),
        ...(address !== null && { From: `${address}${typeof country === 'string' ? ` (${country})` : ''}` }),
    };
}

/* undefined when the call may run, else what to answer it with. */
export async function admit(request: Request, env: Env, caller: Caller, client?: string): Promise<Problem | undefined> {
    const { callsPerMinute } = settingsOf(env);
    const admission = await env.PERSON.getByName(caller.key).admit(caller.sha256, callsPerMinute, asking(request, client));
    if (admission.state === 'admitted')
        return undefined;
    if (admission.state === 'too-many')
        return {
            code: 'RATE_LIMITED',
            message: `more than ${callsPerMinute} calls in a minute; try again in ${admission.seconds} s`,
            retry_after_seconds: admission.seconds,
        };
    const url = `${publicUrl(request, env)}/approve/${caller.key}/${admission.link}`;
    return {
        code: 'NOT_APPROVED',
        message: `this token is used for the first time. Show this link to the person you work for, who opens it and presses`
            + ` Approve; then call again. It is good for one hour: ${url}`,
        approve_url: url,
    };
}

/* --- the page --- */

function utc(ms: number): string {
    return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

function gone(host: string): Response {
    return page(410, 'This link is no longer valid', host, html`
<p>It was used already, is older than one hour, or was never given out. Nothing has been changed.</p>
<p class="quiet">If you still need access, let your program call again: it gets a new link.</p>`);
}

function askPage(host: string, caller: Caller, pending: Pending, env: Env): Response {
    const databases = settingsOf(env).databases.map(({ name }) => name).join(', ');
    const details = Object.entries({ Person: caller.name, ...pending.asking, Databases: databases, Asked: utc(pending.askedAt) });
    const rows = details.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`.text).join('\n');
    return page(200, `Let ${caller.name} read the team’s databases?`, host, html`
<p>A program that holds the token of <strong>${caller.name}</strong> has called for the first time. If you approve, it may
<strong>read</strong> everything in these databases. It cannot change anything.</p>
<dl>
${new Html(rows)}
</dl>
<form method="post">
<input type="hidden" name="form" value="${pending.form}">
<button type="submit">Approve</button>
</form>
<p class="quiet">Approve only if you expected this, for example because you have just set the program up. Otherwise close this
page and tell whoever runs this server: the link ends by itself at ${utc(pending.expiresAt)}.</p>`);
}

/* A form is posted from our own page only. */
function isOwnForm(request: Request, env: Env): boolean {
    return request.headers.get('Origin') === publicUrl(request, env)
        && (request.headers.get('Content-Type') ?? '').startsWith('application/x-www-form-urlencoded');
}

async function readForm(request: Request): Promise<string> {
    try {
        return new URLSearchParams(await readText(request.body, FORM_MAX)).get('form') ?? '';
    } catch {
        return ''; /* too long for a form of ours */
    }
}

export async function answerApprove(request: Request, env: Env, key: string, link: string): Promise<Response> {
    const host = new URL(publicUrl(request, env)).host;
    const caller = everyone(env).find((person) => person.key === key);
    if (caller === undefined)
        return gone(host);
    const person = env.PERSON.getByName(caller.key);
    if (request.method === 'GET' || request.method === 'HEAD') {
        const pending = await person.look(caller.sha256, link);
        return pending === null ? gone(host) : askPage(host, caller, pending, env);
    }
    if (request.method !== 'POST')
        return page(405, 'This page takes no such request', host, html``, { Allow: 'GET, HEAD, POST' });
    if (!isOwnForm(request, env))
        return page(403, 'Approve on the page itself', host, html`
<p>This request came from elsewhere. Nothing has been changed.</p>`);
    if (!await person.approve(caller.sha256, link, await readForm(request)))
        return gone(host);
    return page(200, 'Approved', host, html`
<p>The token of <strong>${caller.name}</strong> may now read. You can close this page and go on in your program.</p>
<p class="quiet">To take this back, the owner of this server removes the token.</p>`);
}

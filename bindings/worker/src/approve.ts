/*
 * First use of a token: the call is answered with a link, and a person presses a button behind it. GET and HEAD change
 * nothing, since mail scanners and previews follow links; the POST needs a value from the page, and works once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { everyone, type Caller } from './people.ts';
import type { Asking, Pending } from './person.ts';
import { settingsOf, type Env } from './settings.ts';

export interface Problem {
    code: string;
    message: string;
    approve_url?: string;
    retry_after_seconds?: number;
    [detail: string]: unknown;
}

/* Origin under which this Worker is reached. */
export function publicUrl(request: Request, env: Env): string {
    return settingsOf(env).publicUrl || new URL(request.url).origin;
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

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --quiet: light-dark(#5f6368, #a5a9b0); --go: #0b6b3a; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif;
    background: light-dark(#f4f5f7, #16181c); color: light-dark(#1c1e21, #e8e8e8); }
main { box-sizing: border-box; width: min(34rem, 100vw - 2rem); margin: 1rem; padding: 2rem; border: 1px solid var(--line);
    border-radius: 12px; background: light-dark(#fff, #202328); }
header { color: var(--quiet); font-size: .875rem; }
h1 { font-size: 1.375rem; line-height: 1.3; margin: .25rem 0 1rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .375rem 1rem; margin: 1.25rem 0; padding: 1rem 0;
    border: solid var(--line); border-width: 1px 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
button { font: inherit; font-weight: 600; padding: .625rem 1.5rem; border: 0; border-radius: 8px; background: var(--go); color: #fff;
    cursor: pointer; }
button:focus-visible { outline: 3px solid #6ab0ff; outline-offset: 2px; }
.quiet { color: var(--quiet); font-size: .875rem; margin-bottom: 0; }
`;

const ESCAPES: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/* HTML with every value escaped. */
function html(parts: TemplateStringsArray, ...values: (string | Html)[]): Html {
    const text = values.map((value) => value instanceof Html ? value.text : value.replace(/[&<>"']/g, (char) => ESCAPES[char] as string));
    return new Html(parts.map((part, i) => part + (text[i] ?? '')).join(''));
}

class Html {
    constructor(readonly text: string) {}
}

function page(status: number, title: string, host: string, body: Html, headers: { [name: string]: string } = {}): Response {
    const nonce = crypto.randomUUID();
    const document = html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex">
<title>${title}</title>
<style nonce="${nonce}">${new Html(STYLE)}</style>
<main>
<header>${host} · read-only SQL</header>
<h1>${title}</h1>
${body}
</main>
</html>
`;
    return new Response(document.text, {
        status,
        headers: {
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; frame-ancestors 'none';`
                + ` base-uri 'none'`,
            'X-Frame-Options': 'DENY',
            'X-Content-Type-Options': 'nosniff',
            /* The link leaves this origin for nowhere. Not no-referrer: browsers then hide the POST's Origin as well. */
            'Referrer-Policy': 'same-origin',
            'Cache-Control': 'no-store',
            ...headers,
        },
    });
}

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
    const length = Number(request.headers.get('Content-Length') ?? NaN);
    return length > 0 && length <= 1024 ? new URLSearchParams(await request.text()).get('form') ?? '' : '';
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
        return page(403, 'Approve on the page itself', host, html`<p>This request came from elsewhere. Nothing has been changed.</p>`);
    if (!await person.approve(caller.sha256, link, await readForm(request)))
        return gone(host);
    return page(200, 'Approved', host, html`
<p>The token of <strong>${caller.name}</strong> may now read. You can close this page and go on in your program.</p>
<p class="quiet">To take this back, the owner of this server removes the token.</p>`);
}

/*
 * A page for a person: one card, no script, nothing loaded from elsewhere, and headers that keep it so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
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
button { font: inherit; font-weight: 600; padding: .625rem 1.5rem; border: 0; border-radius: 8px; background: var(--go);
    color: #fff; cursor: pointer; }
button:focus-visible { outline: 3px solid #6ab0ff; outline-offset: 2px; }
.quiet { color: var(--quiet); font-size: .875rem; margin-bottom: 0; }
`;

const ESCAPES: { [char: string]: string } = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/* HTML with every value escaped that is not HTML already. */
export function html(parts: TemplateStringsArray, ...values: (string | Html)[]): Html {
    const escape = (value: string) => value.replace(/[&<>"']/g, (char) => ESCAPES[char] as string);
    const text = values.map((value) => value instanceof Html ? value.text : escape(value));
    return new Html(parts.map((part, i) => part + (text[i] ?? '')).join(''));
}

export class Html {
    constructor(readonly text: string) {}
}

export function page(status: number, title: string, host: string, body: Html,
    headers: { [name: string]: string } = {}): Response {
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
            'Content-Security-Policy': `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self';`
                + ` frame-ancestors 'none'; base-uri 'none'`,
            'X-Frame-Options': 'DENY',
            'X-Content-Type-Options': 'nosniff',
            /* The link leaves this origin for nowhere. Not no-referrer: browsers then hide the POST's Origin as well. */
            'Referrer-Policy': 'same-origin',
            'Cache-Control': 'no-store',
            ...headers,
        },
    });
}

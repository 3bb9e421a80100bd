/*
 * Tokens, the first use of a token, the rate limit and the audit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, test } from 'node:test';
import { keyOf, makeToken } from '../people.mjs';
import { formOf, press, startTeam } from './team.mjs';

const PEOPLE = new URL('../people.mjs', import.meta.url).pathname;

let team;
before(async () => { team = await startTeam({ people: ['Ada', 'Grace', 'Konrad', 'Émilie du Châtelet', 'Rosa'] }); });
after(() => team.close());

/* --- tokens --- */

test('a token is 32 random bytes, and only its SHA-256 is kept', () => {
    const { token, sha256 } = makeToken();
    assert.equal(Buffer.from(token.replace('d1g_', ''), 'base64url').length, 32);
    assert.equal(sha256, createHash('sha256').update(token).digest('hex'));
    assert.notEqual(makeToken().token, token);
});

test('people.mjs prints the secret to store and the token once', () => {
    const { stdout, status } = spawnSync(process.execPath, [PEOPLE, '--print', 'add', 'Ada Byron'], { encoding: 'utf8' });
    assert.equal(status, 0);
    const [, digest] = /^PERSON_ADA_BYRON="([0-9a-f]{64}) Ada Byron"$/m.exec(stdout);
    const [, token] = /^token, shown only now: (\S+)$/m.exec(stdout);
    assert.equal(createHash('sha256').update(token).digest('hex'), digest);
    assert.equal(stdout.split(token).length, 2);
});

test('people.mjs refuses what it cannot do', () => {
    for (const args of [[], ['add'], ['add', ''], ['add', '森'], ['add', 'a\nb'], ['add', 'a', 'b'], ['fly', 'x'], ['--public',
        'add', 'x'],
        ['add', 'x'.repeat(65)]]) {
        const { stdout, stderr, status } = spawnSync(process.execPath, [PEOPLE, ...args], { encoding: 'utf8' });
        assert.equal(status, 1, args.join(' '));
        assert.match(stderr, /^people\.mjs: /);
        assert.equal(stdout, '');
    }
    assert.equal(keyOf('Émilie du Châtelet'), 'EMILIE_DU_CHATELET');
});

test('people.mjs hands wrangler the secret on stdin, never as an argument, and the token to nobody', () => {
    const folder = mkdtempSync(join(tmpdir(), 'd1guard-people-'));
    /* Stands in for npx, since there is no account here: writes down what it is given. */
    writeFileSync(join(folder, 'npx'), '#!/bin/sh\necho "$@"\ncat\n[ "$3" != delete ] || exit 3\n', { mode: 0o755 });
    const run = (...args) => spawnSync(process.execPath, [PEOPLE, ...args], { encoding: 'utf8',
        env: { PATH: `${folder}:/usr/bin:/bin` } });
    try {
        const added = run('add', 'Ada Byron');
        assert.match(added.stdout,
            /^wrangler secret put PERSON_ADA_BYRON\n[0-9a-f]{64} Ada Byron(\n)?token, shown only now: d1g_\S{43}\n$/);
        assert.match(run('auditor').stdout, /^wrangler secret put AUDITOR\n[0-9a-f]{64}(\n)?token, shown/);
        const removed = run('remove', 'Ada Byron');
        assert.match(removed.stdout, /^wrangler secret delete PERSON_ADA_BYRON\n/);
        assert.deepEqual([removed.status, removed.stderr], [1, 'people.mjs: wrangler secret delete did not work\n'],
            'a failure of wrangler is one');
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('removing one person touches nobody else', async () => {
    const standin = team.standin;
    const all = await startTeam({ people: ['Ada', 'Grace'], standin });
    const [ada, grace] = [all.as('Ada'), all.as('Grace')];
    try {
        assert.equal((await ada.legacy('ping')).status, 200);
        const { PERSON_GRACE } = await all.mf.getBindings();
        const kept = { PERSON_GRACE };
        const without = await startTeam({ people: [], vars: kept, standin });
        try {
            const post = (token) => fetch(`${without.url}/mcp`, { method: 'POST', headers: { ...grace.headers,
                Authorization: `Bearer ${token}` },
                body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) });
            assert.equal((await post(ada.token)).status, 401);
            assert.equal((await post(grace.token)).status, 200);
        } finally {
            await without.close();
        }
    } finally {
        await all.close();
    }
});

/* --- first use --- */

test('before approval: discover and list work, every call is answered with the same link, also read_query', async () => {
    const ada = team.as('Ada');
    assert.equal((await ada.modern('server/discover')).status, 200);
    assert.equal((await (await ada.legacy('tools/list')).json()).result.tools.length, 4);
    const link = await ada.link();
    assert.match(link, new RegExp(`^${team.url}/approve/ADA/[A-Za-z0-9_-]{43}$`));
    assert.equal(await ada.link(), link);
    const other = await ada.failure('query', { sql: 'SELECT 1' });
    assert.equal(other.approve_url, link);
    assert.ok(other.message.includes(link));
    const refusal = await ada.readQuery({ sql: 'SELECT 1' });
    assert.equal(refusal.status, 403);
    assert.ok((await refusal.json()).errors[0].message.includes(link));
    assert.notEqual(await team.as('Grace').link(), link);
});

test('nothing reaches the database before approval', async () => {
    const before = team.standin.requests.length;
    const grace = team.as('Grace');
    await grace.link();
    await grace.readQuery({ sql: 'SELECT 1' });
    assert.equal(team.standin.requests.length, before);
});

test('GET and HEAD, however often, approve nothing', async () => {
    const ada = team.as('Ada');
    const link = await ada.link();
    const previews = ['Slackbot-LinkExpanding 1.0', 'facebookexternalhit/1.1', 'Microsoft Office/16.0', 'Mozilla/5.0'];
    for (const agent of previews) {
        for (const method of ['GET', 'HEAD']) {
            const answer = await fetch(link, { method, headers: { 'User-Agent': agent } });
            assert.equal(answer.status, 200);
            await answer.text();
        }
    }
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'PATCH'])
        assert.equal((await fetch(link, { method })).status, 405);
    assert.equal(await ada.link(), link);
});

test('the page carries its protections and escapes what a client says of itself', async () => {
    const answer = await fetch(await team.as('Ada').link());
    const text = await answer.text();
    const policy = answer.headers.get('Content-Security-Policy');
    for (const part of ["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'", "base-uri 'none'"])
        assert.ok(policy.includes(part), part);
    assert.ok(!policy.includes('unsafe'));
    assert.equal(answer.headers.get('X-Frame-Options'), 'DENY');
    assert.equal(answer.headers.get('Referrer-Policy'), 'same-origin');
    assert.equal(answer.headers.get('Cache-Control'), 'no-store');
    assert.equal(answer.headers.get('X-Content-Type-Options'), 'nosniff');
    assert.ok(text.includes('test &lt;script&gt;'));
    assert.ok(!text.includes('<script'));
    assert.ok(text.includes('Ada') && text.includes('shop'));
});

test('a POST without the page, from elsewhere or with a guess approves nothing', async () => {
    const ada = team.as('Ada');
    const link = await ada.link();
    const form = formOf(await (await fetch(link)).text());
    const own = new URL(link).origin;
    for (const [value, headers, status] of [
        ['', {}, 410], ['x', {}, 410], [`${form}x`, {}, 410], [form.toLowerCase(), {}, 410],
        [form, { Origin: 'https://evil.example' }, 403], [form, { Origin: 'null' }, 403], [form,
        { Origin: `${own}.evil.example` }, 403],
        [form, { Origin: 'http://localhost:1' }, 403], [form, { 'Content-Type': 'text/plain' }, 403],
        [form, { 'Content-Type': 'application/json' }, 403],
    ])
        assert.equal((await press(link, value, headers)).status, status, JSON.stringify([value, headers]));
    assert.equal((await fetch(link, { method: 'POST', body: new URLSearchParams({ form }) })).status, 403, 'no Origin');
    assert.equal((await press(link, form + 'x'.repeat(5000))).status, 410);
    const guess = link.slice(0, -1) + (link.endsWith('A') ? 'B' : 'A');
    assert.equal((await fetch(guess)).status, 410);
    assert.equal((await press(guess, form)).status, 410);
    assert.equal((await press(link.replace('/ADA/', '/GRACE/'), form)).status, 410);
    assert.equal((await press(link.replace('/ADA/', '/NOBODY/'), form)).status, 410);
    assert.equal(await ada.link(), link);
});

test('of 50 people who press at once, exactly one approves', async () => {
    const konrad = team.as('Konrad');
    const link = await konrad.link();
    const form = formOf(await (await fetch(link)).text());
    const answers = await Promise.all(Array.from({ length: 50 }, () => press(link, form)));
    const count = (status) => answers.filter((answer) => answer.status === status).length;
    assert.deepEqual([count(200), count(410)], [1, 49]);
    assert.equal((await konrad.query('SELECT 1 AS one')).structuredContent.rows[0][0], 1);
    assert.equal((await fetch(link)).status, 410);
});

test('50 first calls at once get one link', async () => {
    const rosa = team.as('Rosa');
    const links = await Promise.all(Array.from({ length: 50 }, () => rosa.link()));
    assert.equal(new Set(links).size, 1);
});

/* Runs SQL in the files of the stopped Durable Objects. */
function inStorage(folder, sql) {
    let done = 0;
    for (const file of readdirSync(folder, { recursive: true }).filter((name) => /\.sqlite$/.test(name))) {
        const db = new DatabaseSync(join(folder, file));
        if (db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'pending'").get().n > 0) {
            db.exec(sql);
            done++;
        }
        db.close();
    }
    assert.ok(done > 0);
}

test('approval and audit outlive a restart; an hour later the link is dead and there is a new one; a new token asks anew',
    async () => {
    const folder = mkdtempSync(join(tmpdir(), 'd1guard-worker-'));
    const start = (vars) => startTeam({ people: [], standin: team.standin, persist: folder, vars: { AUDIT: 'hash', ...vars } });
    const secrets = {};
    const tokens = {};
    for (const name of ['ADA', 'GRACE']) {
        const { token, sha256 } = makeToken();
        secrets[`PERSON_${name}`] = `${sha256} ${name}`;
        tokens[name] = token;
    }
    const withToken = (running, name, token = tokens[name]) => {
        running.tokens[name] = token;
        return running.as(name);
    };
    try {
        let running = await start(secrets);
        await withToken(running, 'ADA').approve();
        const link = await withToken(running, 'GRACE').link();
        const form = formOf(await (await fetch(link)).text());
        await running.close();

        inStorage(folder, 'UPDATE pending SET asked_at = asked_at - 3600001, expires_at = expires_at - 3600001');

        const reissued = makeToken();
        running = await start(secrets);
        assert.equal((await withToken(running, 'ADA').query('SELECT 1')).isError, false);
        const old = running.url + new URL(link).pathname;
        assert.equal((await fetch(old)).status, 410);
        assert.equal((await press(old, form)).status, 410);
        assert.notEqual(new URL(await withToken(running, 'GRACE').link()).pathname, new URL(link).pathname);
        await withToken(running, 'GRACE').approve();
        await running.close();

        running = await start({ ...secrets, PERSON_ADA: `${reissued.sha256} ADA` });
        assert.equal((await withToken(running, 'ADA').legacy('ping')).status, 401);
        await withToken(running, 'ADA', reissued.token).link();
        await running.close();
    } finally {
        rmSync(folder, { recursive: true });
    }
});

/* --- rate --- */

test('the rate limit is each person’s own, and comes back', async () => {
    const limited = await startTeam({ people: ['Ada', 'Grace'], standin: team.standin, vars: { CALLS_PER_MINUTE: 12 } });
    try {
        const ada = await limited.as('Ada').approve(); /* one call gone */
        const answers = [];
        for (let i = 0; i < 16; i++)
            answers.push(await ada.query('SELECT 1'));
        const blocked = answers.filter(({ isError }) => isError);
        assert.ok(blocked.length >= 1 && blocked.length <= 5, String(blocked.length));
        const { code, retry_after_seconds: wait } = JSON.parse(blocked.at(-1).content[0].text).error;
        assert.equal(code, 'RATE_LIMITED');
        assert.ok(wait >= 1 && wait <= 5, String(wait));
        assert.equal((await limited.as('Grace').failure('list_tables', {})).code, 'NOT_APPROVED');
        let rest;
        do
            rest = await ada.readQuery({ sql: 'SELECT 1' });
        while (rest.status === 200); /* a slow machine earns calls meanwhile */
        assert.equal(rest.status, 429);
        await new Promise((resolve) => setTimeout(resolve, Number(rest.headers.get('Retry-After')) * 1000));
        assert.equal((await ada.query('SELECT 1')).isError, false);
    } finally {
        await limited.close();
    }
});

/* --- audit --- */

async function auditOf({ url }, token) {
    const answer = await fetch(`${url}/audit`, { headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });
    return [answer.status,
        answer.ok ? (await answer.text()).split('\n').filter(Boolean).map((line) => JSON.parse(line)) : await answer.json()];
}

/* Lines are written behind the answers. */
async function auditLines(team, token, wanted) {
    for (let left = 50; ; left--) {
        const [status, lines] = await auditOf(team, token);
        assert.equal(status, 200);
        if (lines.length >= wanted || left === 0)
            return lines;
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
}

test('the audit holds each call, with the hash or the text of its SQL, and drops the oldest', async () => {
    for (const mode of ['hash', 'text']) {
        const auditor = makeToken();
        const audited = await startTeam({ people: ['Ada', 'Grace'], standin: team.standin,
            vars: { AUDIT: mode, AUDIT_ROWS: 6, AUDITOR: auditor.sha256 } });
        try {
            const ada = await audited.as('Ada').approve();
            await ada.query('SELECT 1 AS one UNION SELECT 2');
            await ada.query('DELETE FROM orders');
            await ada.query('SELECT nothing');
            await ada.tool('list_tables');
            await ada.readQuery({ sql: 'SELECT 3' });
            await audited.as('Grace').link();
            const lines = await auditLines(audited, auditor.token, 7);
            assert.deepEqual(lines.map(({ person, tool, verdict, reason, error, rows }) => [person, tool, verdict, reason,
                error, rows]), [
                ['Ada', 'list_tables', undefined, undefined, 'NOT_APPROVED', 0],
                ['Ada', 'query', 'allow', 'reads-only', undefined, 2],
                ['Ada', 'query', 'refuse', 'write', 'SQL_BLOCKED', 0],
                ['Ada', 'query', 'allow', 'reads-only', 'SQL_ERROR', 0],
                ['Ada', 'list_tables', undefined, undefined, undefined, 0],
                ['Ada', 'read_query', 'allow', 'reads-only', undefined, 0],
                ['Grace', 'list_tables', undefined, undefined, 'NOT_APPROVED', 0],
            ]);
            const text = 'DELETE FROM orders';
            assert.equal(lines[2].sql, mode === 'text' ? text : undefined);
            assert.equal(lines[2].sql_sha256, mode === 'hash' ? createHash('sha256').update(text).digest('hex') : undefined);
            assert.ok(Math.abs(Date.parse(lines[2].time) - Date.now()) < 60_000);
            await ada.tool('list_tables'); /* the seventh of hers */
            let own;
            for (let left = 50; left > 0 && own?.[0].rows !== 2; left--)
                own = (await auditOf(audited, auditor.token))[1].filter(({ person }) => person === 'Ada');
            assert.deepEqual([own.length, own[0].rows], [6, 2]);
        } finally {
            await audited.close();
        }
    }
});

test('an audit that cannot be written costs no answer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'd1guard-worker-'));
    const { token, sha256 } = makeToken();
    const start = () => startTeam({ people: [], standin: team.standin, persist: folder, vars: { AUDIT: 'text',
        PERSON_ADA: `${sha256} Ada` } });
    try {
        for (const broken of [false, true]) {
            const running = await start();
            running.tokens.Ada = token;
            const ada = running.as('Ada');
            if (!broken)
                await ada.approve();
            assert.deepEqual((await ada.query('SELECT 1')).structuredContent.rows, [[1]]);
            for (let left = 50; left > 0 && broken && !running.log.lines.join('').includes('a line was lost'); left--)
                await new Promise((resolve) => setTimeout(resolve, 20));
            assert.equal(running.log.lines.join('').includes('audit: a line was lost: Error: no space'), broken);
            await running.close();
            if (!broken)
                inStorage(folder, "CREATE TRIGGER full BEFORE INSERT ON audit BEGIN SELECT RAISE(ABORT, 'no space'); END");
        }
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('the audit is off unless asked for, and read by its own token only', async () => {
    const auditor = makeToken();
    const quiet = await startTeam({ people: ['Ada'], standin: team.standin, vars: { AUDITOR: auditor.sha256 } });
    try {
        const ada = await quiet.as('Ada').approve();
        await ada.query('SELECT 1');
        assert.deepEqual(await auditOf(quiet, auditor.token), [200, []]);
        for (const token of [undefined, ada.token, `${auditor.token}x`])
            assert.equal((await auditOf(quiet, token))[0], 401);
        assert.equal((await ada.legacy('ping')).status, 200);
        assert.equal((await auditOf(team, auditor.token))[0], 401, 'no AUDITOR set');
        quiet.tokens.Auditor = auditor.token;
        assert.equal((await quiet.as('Auditor').legacy('ping')).status, 401, 'the auditor is no person');
    } finally {
        await quiet.close();
    }
});

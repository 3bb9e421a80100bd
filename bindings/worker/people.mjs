#!/usr/bin/env node
/*
 * Makes and removes people's tokens.
 *
 *     node people.mjs add "Ada Byron"       makes a token, shows it once, stores its SHA-256 as the secret PERSON_ADA_BYRON
 *     node people.mjs remove "Ada Byron"    deletes that secret: her token ends, nobody else's does
 *     node people.mjs auditor               makes a token that reads the audit, as the secret AUDITOR
 *
 * Secrets go to the deployed Worker through `wrangler secret`. With --print, no secret is stored: the line to store is
 * printed, as .dev.vars and .env files have it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

export function makeToken() {
    const token = `d1g_${randomBytes(32).toString('base64url')}`;
    return { token, sha256: createHash('sha256').update(token).digest('hex') };
}

/* "Ada Byron": ADA_BYRON */
export function keyOf(name) {
    const key = name.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase().replace(/[^A-Z0-9]+/g, '_').replace(/^_|_$/g, '');
    if (!/^[A-Z0-9_]{1,64}$/.test(key) || /[^\P{C}]/u.test(name) || name.length > 100)
        throw new Error(`a name has letters or digits of the Latin alphabet, 64 at most: ${JSON.stringify(name)}`);
    return key;
}

/* The secret of a person: its name and its value. */
export function secretOf(name, sha256) {
    return [`PERSON_${keyOf(name)}`, `${sha256} ${name}`];
}

function wrangler(args, input) {
    const { status, error } = spawnSync('npx', ['wrangler', ...args], { input, stdio: ['pipe', 'inherit', 'inherit'] });
    if (error !== undefined || status !== 0)
        throw new Error(`wrangler ${args.slice(0, 2).join(' ')} did not work${error === undefined ? '' : `: ${error.message}`}`);
}

function store([secret, value], token, print) {
    if (print)
        console.log(`${secret}="${value}"`);
    else
        wrangler(['secret', 'put', secret], value);
    console.log(`token, shown only now: ${token}`);
}

function main() {
    const { values: { print }, positionals: [command, name, ...others] } = parseArgs({
        options: { print: { type: 'boolean', default: false } }, allowPositionals: true,
    });
    const { token, sha256 } = makeToken();
    if (command === 'add' && name !== undefined && others.length === 0)
        store(secretOf(name, sha256), token, print);
    else if (command === 'remove' && name !== undefined && others.length === 0)
        wrangler(['secret', 'delete', `PERSON_${keyOf(name)}`], 'y\n');
    else if (command === 'auditor' && name === undefined)
        store(['AUDITOR', sha256], token, print);
    else
        throw new Error('usage: people.mjs [--print] add NAME | remove NAME | auditor');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
    try {
        main();
    } catch (error) {
        console.error(`people.mjs: ${error.message}`);
        process.exitCode = 1;
    }
}

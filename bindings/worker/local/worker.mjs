/*
 * The Worker in workerd on this machine: bundled as `wrangler deploy` bundles it, then started by Miniflare. For trying it
 * without an account, and for tests.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';

const HERE = fileURLToPath(new URL('..', import.meta.url));

/* The module as one text. guard: folder of the npm package d1guard; entry: its module there or elsewhere; modules: node_modules. */
export async function bundle({ guard, entry = join(guard, 'workerd.js'), modules }) {
    const { outputFiles } = await build({
        entryPoints: [join(HERE, 'src/index.ts')],
        bundle: true,
        write: false,
        format: 'esm',
        target: 'esnext',
        conditions: ['workerd', 'worker', 'browser'],
        alias: { d1guard: entry },
        nodePaths: [modules],
        external: ['cloudflare:workers'],
        plugins: [{
            name: 'wasm',
            setup: ({ onResolve }) => onResolve({ filter: /\.wasm$/ }, () => ({ path: './d1guard.wasm', external: true })),
        }],
        logLevel: 'warning',
    });
    return { script: outputFiles[0].text, wasm: readFileSync(join(guard, 'd1guard.wasm')) };
}

/* What wrangler.jsonc says of the module, for Miniflare. vars: what it and the secrets hold. */
export function workerOptions({ script, wasm }, vars, d1Databases = {}) {
    return {
        modules: [
            { type: 'ESModule', path: 'index.js', contents: script },
            { type: 'CompiledWasm', path: 'd1guard.wasm', contents: wasm },
        ],
        compatibilityDate: '2026-07-01',
        compatibilityFlags: ['enable_request_signal'],
        durableObjects: { PERSON: { className: 'Person', useSQLite: true } },
        d1Databases,
        bindings: vars,
    };
}

/* Returns {url, mf, close}. persist: a folder for what the Durable Objects keep; more: other options of Miniflare. */
export async function startWorker(module, { vars, port = 0, d1Databases, persist = false, ...more }) {
    const mf = new Miniflare({
        host: '127.0.0.1',
        port,
        cf: false, /* asks nobody where this machine is */
        ...(persist !== false && { durableObjectsPersist: persist }),
        ...workerOptions(module, vars, d1Databases),
        ...more,
    });
    const url = (await mf.ready).origin;
    return { url, mf, close: () => mf.dispose() };
}

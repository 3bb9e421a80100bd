/* Real workerd, through miniflare, which tests/setup.sh puts into tests/deps/worker. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const deps = fileURLToPath(new URL('../../../tests/deps/worker/', import.meta.url));
export const requireDependency = createRequire(join(deps, 'package.json'));
const { Miniflare } = requireDependency('miniflare');

const here = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

/* A worker of `entry`, a file of this folder that may import `others`, with the package in ./package. */
export function startWorker(entry, others, folder, options = {}) {
    const text = (path, contents) => ({ type: 'ESModule', path, contents });
    return new Miniflare({
        modulesRoot: '/',
        modules: [
            text(`/${entry}`, here(entry)),
            ...others.map((name) => text(`/${name}`, here(name))),
            ...['workerd.js', 'guard.js', 'names.js'].map((name) => text(`/package/${name}`, readFileSync(join(folder, name), 'utf8'))),
            { type: 'CompiledWasm', path: '/package/d1guard.wasm', contents: readFileSync(join(folder, 'd1guard.wasm')) },
        ],
        compatibilityDate: '2026-01-01',
        ...options,
    });
}

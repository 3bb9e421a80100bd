/*
 * d1guard for Node, Deno, Bun and browsers. The module's bytes come as a JavaScript file, d1guard.wasm.js:
 * the same import then works from a file, from npm, from a bundler and from a web server, in ESM and in
 * CommonJS, with nothing to await, to fetch or to look for on a disk. Workers take workerd.js instead.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import wasm from './d1guard.wasm.js';
import { createGuard } from './guard.js';

export { SqlBlockedError } from './guard.js';
export const {
    check, checkView, assertReadOnly, clean, capRows, tokens, statements, position, checkBatch, version,
} = createGuard(new WebAssembly.Module(wasm));

/*
 * d1guard for Cloudflare Workers, which compile no bytes at run time: the import below is a WebAssembly.Module
 * that was compiled when the Worker was uploaded.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import wasm from './d1guard.wasm';
import { createGuard } from './guard.js';

export { SqlBlockedError } from './guard.js';
export const {
    check, checkView, assertReadOnly, clean, capRows, tokens, statements, position, checkBatch, version,
} = createGuard(wasm);

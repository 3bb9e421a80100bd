/*
 * node --import deps.mjs: packages that this folder's programs import come from tests/deps/worker, where tests/setup.sh puts
 * them at pinned versions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { registerHooks } from 'node:module';

const HERE = new URL('..', import.meta.url).href;
const DEPS = new URL('../../../tests/deps/worker/', import.meta.url).href;

registerHooks({
    resolve(specifier, context, next) {
        const isPackage = /^[a-z@]/.test(specifier) && !specifier.includes(':');
        return next(specifier, isPackage && context.parentURL?.startsWith(HERE) ? { ...context, parentURL: DEPS } : context);
    },
});

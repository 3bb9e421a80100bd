/*
 * The package d1guard with the guard taken out, for tests/harness.mjs: everything is allowed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
const allow = (sql) => ({ allowed: true, reason: 'reads-only', message: '', sql, form: 'unchanged' });

export const version = '0';
export const checkView = allow;
export const checkBatch = allow;
export const clean = allow;
export const capRows = allow;
export const tokens = () => [];

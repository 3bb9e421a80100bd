/*
 * The arguments of a call: against the tool's inputSchema, then the values for the statement's parameters.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { tokens } from 'd1guard';
import type { Param } from './database.ts';
import { ToolError } from './errors.ts';

export type Arguments = { [name: string]: unknown };

export interface Schema {
    type: 'object';
    properties?: { [name: string]: { type: string | string[]; minimum?: number; description?: string } };
    required?: string[];
    additionalProperties?: boolean;
}

const PARAMETERS_MAX = 100; /* what D1 takes */

function isObject(value: unknown): value is { [key: string]: unknown } {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const IS: { [type: string]: (value: unknown) => boolean } = {
    string: (value) => typeof value === 'string',
    integer: Number.isInteger,
    array: Array.isArray,
    object: isObject,
};

/* The words of a schema that tools.json uses: properties, type, minimum, required. */
export function checkArguments(tool: string, schema: Schema, args: Arguments): void {
    for (const [name, value] of Object.entries(args)) {
        const property = Object.hasOwn(schema.properties ?? {}, name) ? schema.properties?.[name] : undefined;
        if (property === undefined)
            throw new ToolError('BAD_ARGUMENT', `${tool} takes no argument "${name.slice(0, 80)}"`);
        if (![property.type].flat().some((type) => IS[type]?.(value)))
            throw new ToolError('BAD_ARGUMENT', `the argument "${name}" has the wrong type`);
        if (property.minimum !== undefined && (value as number) < property.minimum)
            throw new ToolError('BAD_ARGUMENT', `the argument "${name}" is less than ${property.minimum}`);
    }
    const missing = schema.required?.find((name) => !Object.hasOwn(args, name));
    if (missing !== undefined)
        throw new ToolError('BAD_ARGUMENT', `the argument "${missing}" is missing`);
}

/* --- params --- */

/* How the parameters of an allowed text are numbered: ? takes the next number, ?3 names its own, a name keeps the number
 * that it got first. Returns the names by number; undefined for one without. */
function numberParameters(sql: string): (string | undefined)[] {
    const names: (string | undefined)[] = [];
    const numberOf = (text: string) => {
        if (text.startsWith('?'))
            return text.length > 1 ? Number(text.slice(1)) : names.length + 1;
        return names.includes(text) ? names.indexOf(text) + 1 : names.length + 1;
    };
    for (const { kind, at, length } of tokens(sql)) {
        if (kind !== 'variable')
            continue;
        const text = sql.slice(at, at + length);
        const number = numberOf(text);
        if (number < 1 || number > PARAMETERS_MAX)
            throw new ToolError('BAD_ARGUMENT', `D1 takes parameters 1 to ${PARAMETERS_MAX}`);
        while (names.length < number)
            names.push(undefined);
        if (!text.startsWith('?'))
            names[number - 1] = text;
    }
    return names;
}

/* {"blob_base64": "..."} or {"integer": "..."}; "bytes", which results carry, may stand beside the blob. */
function readObject(value: { [key: string]: unknown }): Param | undefined {
    const { blob_base64: blob, integer, bytes, ...others } = value;
    if (Object.keys(others).length > 0 || (bytes !== undefined && blob === undefined))
        return undefined;
    if (typeof blob === 'string' && integer === undefined) {
        if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(blob))
            return undefined;
        return Array.from(atob(blob), (char) => char.charCodeAt(0));
    }
    if (typeof integer !== 'string' || blob !== undefined || !/^-?\d{1,19}$/.test(integer))
        return undefined;
    const exact = BigInt(integer);
    if (BigInt.asIntN(64, exact) !== exact)
        return undefined;
    return Number.isSafeInteger(Number(exact)) ? Number(exact) : String(exact); /* JSON would round it: D1 takes text */
}

function readValue(value: unknown, at: number): Param {
    let param: Param | undefined;
    if (value === null || typeof value === 'string' || typeof value === 'number')
        param = value;
    else if (typeof value === 'boolean')
        param = value ? 1 : 0;
    else if (isObject(value))
        param = readObject(value);
    if (param === undefined)
        throw new ToolError('BAD_ARGUMENT', `value ${at + 1} of params is none that SQLite has`);
    return param;
}

/* The argument `params` as D1 takes it: a list by number. */
export function bindParams(sql: string, params: unknown): Param[] {
    const given = Object.entries((params ?? []) as { [key: string]: unknown });
    const values = given.map(([, value], at) => readValue(value, at));
    const names = numberParameters(sql);
    if (values.length !== names.length)
        throw new ToolError('BAD_ARGUMENT', `the statement has ${names.length} parameters, params holds ${values.length} values`);
    if (!isObject(params))
        return values;
    return names.map((name, at) => {
        const found = given.findIndex(([key]) => name !== undefined && (key === name || key === name.slice(1)));
        if (found < 0)
            throw new ToolError('BAD_ARGUMENT', `params holds no value for parameter ${at + 1}`);
        return values[found] as Param;
    });
}

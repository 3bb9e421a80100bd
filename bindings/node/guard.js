/*
 * libd1guard behind a JavaScript face: puts texts into the WebAssembly memory, calls, and names what comes
 * back. It knows no SQL. The API and its promises are described in index.d.ts.
 *
 * Memory, from the module's __heap_base on: the structs of one call, the names of its options, the text,
 * the output. Nothing is kept between calls and everything a caller's object could do (getters, proxies)
 * is done before the first byte is written, so a call inside a call is safe. Memory grows to what the longest
 * text needs and stays there; growing makes the old views void, so they are taken anew.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { EXPLAINS, FORMS, KINDS, REASONS, RISKS, SENTENCES, TOKENS, VERSION } from './names.js';

/* The structs of include/d1guard.h for wasm32; tests/cases/abi.tsv has the same lines and a test compares. */
export const LAYOUT = {
    names: { text: 'pointer', len: 'size' },
    options: {
        size: 'u32', engine: 'u32', allow_risks: 'u32', flags: 'u32', max_statements: 'u64',
        deny_functions: 'names', deny_tables: 'names', deny_pragmas: 'names',
        allow_functions: 'names', allow_tables: 'names', allow_pragmas: 'names',
    },
    report: {
        size: 'u32', verdict: 'u32', reason: 'u32', form: 'u32',
        at: 'u64', len: 'u64', statement: 'u64', statements: 'u64',
    },
    token: { size: 'u32', kind: 'u32', at: 'u64', len: 'u64' },
    statement: {
        size: 'u32', kind: 'u32', risk: 'u32', explain: 'u32', flags: 'u32', reason: 'u32',
        at: 'u64', len: 'u64', next: 'u64', error_at: 'u64', error_len: 'u64',
    },
};

const WIDTH = { u32: [4, 4], u64: [8, 8], pointer: [4, 4], size: [4, 4], names: [8, 4] }; /* bytes, alignment */

/* C's natural layout: { field: offset, ..., SIZE }. */
function layOut(fields) {
    const offsets = {};
    let end = 0;
    let widest = 1;
    const up = (n, to) => Math.ceil(n / to) * to;
    for (const [field, type] of Object.entries(fields)) {
        const [width, alignment] = WIDTH[type];
        offsets[field] = up(end, alignment);
        end = offsets[field] + width;
        widest = Math.max(widest, alignment);
    }
    offsets.SIZE = up(end, widest);
    return offsets;
}

export const OPTIONS = layOut(LAYOUT.options);
export const REPORT = layOut(LAYOUT.report);
export const TOKEN = layOut(LAYOUT.token);
export const STATEMENT = layOut(LAYOUT.statement);

const ENGINES = { d1: 0, sqlite: 1 };
const STRICT_FUNCTIONS = 1;
const REQUIRE_WHERE = 2;
const WITH = 1;
const WHERE = 2;
const RETURNING = 4;
const PRAGMA_VALUE = 8;
const BAD_ARGUMENT = 10;
const UNSET = 0;

const WORD_LENGTH = 40;  /* bytes of a word that a message shows */
const OUTPUT_EXTRA = 64; /* d1guard_cap: at most so much longer than its input */
const PAGE = 65536;
const LF = 10;

/* Option name here, field there. */
const NAME_LISTS = {
    denyFunctions: 'deny_functions', denyTables: 'deny_tables', denyPragmas: 'deny_pragmas',
    allowFunctions: 'allow_functions', allowTables: 'allow_tables', allowPragmas: 'allow_pragmas',
};
const OPTION_KEYS = new Set(['engine', 'allow', 'maxStatements', 'strictFunctions', 'requireWhere', 'offsets',
    ...Object.keys(NAME_LISTS)]);

export class SqlBlockedError extends Error {
    constructor(report) {
        super(report.message);
        this.name = 'SqlBlockedError';
        this.code = 'SQL_BLOCKED';
        const { message, ...fields } = report;
        Object.assign(this, fields);
    }
}

/* A count for a uint64_t, as a BigInt. */
function count(value, what) {
    if (typeof value === 'bigint' ? value >= 0n && value < 1n << 64n : Number.isSafeInteger(value) && value >= 0)
        return BigInt(value);
    throw new TypeError(`${what} must be a whole number from 0, not ${String(value)}`);
}

/* Names as d1guard_names has them. A name that cannot be written down so is an error, never left out. */
function joinNames(list, what) {
    if (typeof list === 'string')
        throw new TypeError(`${what} must be several names, not one string`);
    let text = '';
    for (const name of list) {
        if (typeof name !== 'string' || name === '' || name.includes('\0'))
            throw new TypeError(`${what} must hold names: strings that are not empty and hold no NUL`);
        text += name + '\0';
    }
    return text;
}

function checkText(sql) {
    if (typeof sql !== 'string' && !(sql instanceof Uint8Array))
        throw new TypeError(`the SQL text must be a string or a Uint8Array, not ${sql === null ? 'null' : typeof sql}`);
}

/* The bits of RISKS, without that of `unknown`, which is nothing to allow. */
const RISK_BITS = new Map(Object.entries(RISKS).slice(1).map(([number, slug]) => [slug, 2 ** number]));

/* UTF-16 units that bytes[from..to] take when decoded. */
function countUnits(bytes, from, to) {
    let units = 0;
    for (let i = from; i < to; i++) {
        const byte = bytes[i];
        if ((byte & 0xc0) !== 0x80) /* not the middle of a character */
            units += byte >= 0xf0 ? 2 : 1;
    }
    return units;
}

/* The guard of one compiled module. */
export function createGuard(module) {
    const c = new WebAssembly.Instance(module, {}).exports;
    const encoder = new TextEncoder();
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

    let at = Math.ceil(c.__heap_base.value / 16) * 16;
    const place = (size) => {
        const here = at;
        at += Math.ceil(size / 16) * 16;
        return here;
    };
    const optionsAt = place(OPTIONS.SIZE);
    const reportAt = place(REPORT.SIZE);
    const tokenAt = place(TOKEN.SIZE);
    const statementAt = place(STATEMENT.SIZE);
    const outLenAt = place(4);
    const variableAt = at; /* names, text, output */

    let bytes = new Uint8Array(c.memory.buffer);
    let view = new DataView(c.memory.buffer);

    /* Makes sure that memory reaches to end. */
    function reserve(end) {
        if (end <= bytes.length)
            return;
        try {
            c.memory.grow(Math.ceil((end - bytes.length) / PAGE));
        } catch {
            throw new RangeError('the SQL text is too long for WebAssembly memory');
        }
        bytes = new Uint8Array(c.memory.buffer);
        view = new DataView(c.memory.buffer);
    }

    reserve(variableAt);

    /* Everything asked of the caller's object, before memory is touched. undefined: the defaults. */
    function readOptions(options) {
        if (options === undefined || options === null)
            return undefined;
        if (typeof options !== 'object')
            throw new TypeError('options must be an object');
        for (const key of Object.keys(options)) {
            if (!OPTION_KEYS.has(key))
                throw new TypeError(`no option is called ${key}`);
        }
        const { engine = 'd1', allow = [], maxStatements = 0, offsets = 'utf16', strictFunctions, requireWhere } = options;
        if (!Object.hasOwn(ENGINES, engine))
            throw new TypeError(`engine must be 'd1' or 'sqlite', not ${String(engine)}`);
        if (offsets !== 'utf16' && offsets !== 'bytes')
            throw new TypeError(`offsets must be 'utf16' or 'bytes', not ${String(offsets)}`);
        let allowRisks = 0;
        for (const risk of allow) {
            if (!RISK_BITS.has(risk))
                throw new TypeError(`allow holds ${String(risk)}, which is no risk`);
            allowRisks |= RISK_BITS.get(risk);
        }
        const names = [];
        for (const [key, field] of Object.entries(NAME_LISTS)) {
            const list = options[key];
            if (list !== undefined)
                names.push([OPTIONS[field], encoder.encode(joinNames(list, key))]);
        }
        return {
            engine: ENGINES[engine], allowRisks, maxStatements: count(maxStatements, 'maxStatements'), names,
            flags: (strictFunctions ? STRICT_FUNCTIONS : 0) | (requireWhere ? REQUIRE_WHERE : 0),
            inBytes: offsets === 'bytes',
        };
    }

    /* Writes the options and returns where the names end. */
    function putOptions(options) {
        let end = variableAt;
        if (options === undefined)
            return end;
        reserve(options.names.reduce((sum, [, list]) => sum + list.length, end));
        bytes.fill(0, optionsAt, optionsAt + OPTIONS.SIZE);
        view.setUint32(optionsAt + OPTIONS.size, OPTIONS.SIZE, true);
        view.setUint32(optionsAt + OPTIONS.engine, options.engine, true);
        view.setUint32(optionsAt + OPTIONS.allow_risks, options.allowRisks, true);
        view.setUint32(optionsAt + OPTIONS.flags, options.flags, true);
        view.setBigUint64(optionsAt + OPTIONS.max_statements, options.maxStatements, true);
        for (const [field, list] of options.names) {
            bytes.set(list, end);
            view.setUint32(optionsAt + field, end, true);
            view.setUint32(optionsAt + field + 4, list.length, true);
            end += list.length;
        }
        return end;
    }

    /* Writes the text and makes room behind it for an output. ascii: offsets in bytes and in UTF-16 units are the
     * same numbers. A lone surrogate becomes U+FFFD, three bytes and one unit, as on every way from JavaScript to
     * a database. */
    function putText(sql, start, withOutput = false) {
        const reserveFor = (length) => reserve(start + length + (withOutput ? length + OUTPUT_EXTRA : 0));
        let length = sql.length;
        reserveFor(length);
        if (typeof sql === 'string') {
            length = encode(sql, start);
            reserveFor(length);
        } else {
            bytes.set(sql, start);
        }
        return { start, length, ascii: length === sql.length };
    }

    /* Room for one byte a unit is there; what is not ASCII takes up to three, so the rest gets room once more.
     * encodeInto is given no more than that: Node 20 writes nothing into 2 GiB and more. */
    function encode(sql, start) {
        const { read, written } = encoder.encodeInto(sql, bytes.subarray(start, start + sql.length));
        if (read === sql.length)
            return written;
        const rest = start + written;
        const end = rest + 3 * (sql.length - read);
        reserve(end);
        return written + encoder.encodeInto(sql.slice(read), bytes.subarray(rest, end)).written;
    }

    /* Translates byte offsets; quick for offsets near the one before, as those of a list are. */
    function translator(text, inBytes) {
        if (inBytes || text.ascii)
            return (byte) => byte;
        let last = 0;
        let units = 0;
        return (byte) => {
            units += byte >= last ? countUnits(bytes, text.start + last, text.start + byte)
                : -countUnits(bytes, text.start + byte, text.start + last);
            last = byte;
            return units;
        };
    }

    /*
     * What d1guard_message and d1guard_position do is written here once more: in the module they would take a
     * quarter of its size. test/agree.mjs and the case files hold them to what C says.
     */

    /* The bytes of the span, a long one cut where no character of UTF-8 is cut in two. */
    function showWord(word) {
        if (word.length === 0)
            return 'the text';
        let stop = word.length;
        if (stop > WORD_LENGTH) {
            stop = WORD_LENGTH;
            while (stop > 0 && (word[stop] & 0xc0) === 0x80)
                stop--;
        }
        const shown = word.slice(0, stop).map((byte) => (byte < 0x20 || byte === 0x7f ? 0x3f /* ? */ : byte));
        return decoder.decode(shown) + (stop < word.length ? '...' : '');
    }

    /* Only sentences of refusals have something to fill in. */
    function makeMessage(text, reason, byte, length) {
        const word = () => showWord(bytes.subarray(text.start + byte, text.start + byte + length));
        return SENTENCES[reason].replace(/%[wa]/g, (mark) => (mark === '%w' ? word() : `byte ${byte}`));
    }

    /* The column is in the unit that translate gives. */
    function findPosition(text, byte, translate) {
        const before = bytes.subarray(text.start, text.start + byte);
        let line = 1;
        let start = 0;
        for (let end; (end = before.indexOf(LF, start)) !== -1; line++)
            start = end + 1;
        return { line, column: 1 + translate(byte) - translate(start) };
    }

    function readReport(text, inBytes) {
        const field = (offset) => view.getUint32(reportAt + offset, true);
        const reason = field(REPORT.reason);
        const byte = field(REPORT.at);
        const length = field(REPORT.len);
        const translate = translator(text, inBytes);
        const at = translate(byte);
        const { line, column } = findPosition(text, byte, translate);
        const allowed = field(REPORT.verdict) === 1;
        return {
            allowed,
            reason: REASONS[reason],
            message: allowed ? SENTENCES[reason] : makeMessage(text, reason, byte, length),
            at,
            length: translate(byte + length) - at,
            line,
            column,
            statement: field(REPORT.statement),
            statements: field(REPORT.statements),
        };
    }

    /* One of the calls that fill only a report. */
    function judge(call, sql, options) {
        checkText(sql);
        const o = readOptions(options);
        const text = putText(sql, putOptions(o));
        view.setUint32(reportAt + REPORT.size, REPORT.SIZE, true);
        call(text.start, text.length, o && optionsAt, reportAt);
        return readReport(text, o?.inBytes || typeof sql !== 'string');
    }

    /* One of the calls that write a text as well. */
    function rewrite(call, sql, options) {
        checkText(sql);
        const o = readOptions(options);
        const text = putText(sql, putOptions(o), true);
        const out = text.start + text.length;
        const room = text.length + OUTPUT_EXTRA;
        view.setUint32(reportAt + REPORT.size, REPORT.SIZE, true);
        call(text.start, text.length, o && optionsAt, out, room, outLenAt, reportAt);
        const length = view.getUint32(outLenAt, true);
        const report = readReport(text, o?.inBytes || typeof sql !== 'string');
        const written = bytes.subarray(out, out + length);
        report.sql = !report.allowed ? null : typeof sql === 'string' ? decoder.decode(written) : written.slice();
        return report;
    }

    function check(sql, options) {
        return judge(c.d1guard_classify, sql, options);
    }

    function checkView(sql, options) {
        return judge(c.d1guard_classify_view, sql, options);
    }

    function assertReadOnly(sql, options) {
        const report = check(sql, options);
        if (!report.allowed)
            throw new SqlBlockedError(report);
        return report;
    }

    function clean(sql, options) {
        return rewrite(c.d1guard_clean, sql, options);
    }

    function capRows(sql, maxRows, options) {
        const rows = count(maxRows, 'maxRows');
        const cap = (start, length, opts, out, room, outLen, report) =>
            c.d1guard_cap(start, length, opts, rows, out, room, outLen, report);
        const report = rewrite(cap, sql, options);
        report.form = FORMS[view.getUint32(reportAt + REPORT.form, true)];
        return report;
    }

    /* The unit of the calls that take no other option. */
    function readUnit(sql, options) {
        checkText(sql);
        return typeof sql !== 'string' || (readOptions(options)?.inBytes ?? false);
    }

    function tokens(sql, options) {
        const inBytes = readUnit(sql, options);
        const text = putText(sql, variableAt);
        const translate = translator(text, inBytes);
        const list = [];
        view.setUint32(tokenAt + TOKEN.size, TOKEN.SIZE, true);
        for (let byte = 0; c.d1guard_next_token(text.start, text.length, byte, tokenAt) === 1;) {
            const at = translate(byte);
            byte += view.getUint32(tokenAt + TOKEN.len, true);
            list.push({
                kind: TOKENS[view.getUint32(tokenAt + TOKEN.kind, true)],
                at,
                length: translate(byte) - at,
            });
        }
        return list;
    }

    function readStatement(translate) {
        const field = (offset) => view.getUint32(statementAt + offset, true);
        const span = (byte, length) => {
            const at = translate(byte);
            return { at, length: translate(byte + length) - at };
        };
        const flags = field(STATEMENT.flags);
        const reason = field(STATEMENT.reason);
        return {
            kind: KINDS[field(STATEMENT.kind)],
            risk: RISKS[field(STATEMENT.risk)],
            explain: EXPLAINS[field(STATEMENT.explain)],
            with: (flags & WITH) !== 0,
            where: (flags & WHERE) !== 0,
            returning: (flags & RETURNING) !== 0,
            pragmaValue: (flags & PRAGMA_VALUE) !== 0,
            ...span(field(STATEMENT.at), field(STATEMENT.len)),
            next: translate(field(STATEMENT.next)),
            error: reason === UNSET ? null
                : { reason: REASONS[reason], ...span(field(STATEMENT.error_at), field(STATEMENT.error_len)) },
        };
    }

    function statements(sql, options) {
        const inBytes = readUnit(sql, options);
        const text = putText(sql, variableAt);
        const translate = translator(text, inBytes);
        const list = [];
        for (let byte = 0, result = 1; result === 1;) {
            view.setUint32(statementAt + STATEMENT.size, STATEMENT.SIZE, true);
            result = c.d1guard_next_statement(text.start, text.length, byte, statementAt);
            byte = view.getUint32(statementAt + STATEMENT.next, true);
            if (result !== 0)
                list.push(readStatement(translate));
        }
        return list;
    }

    function position(sql, at) {
        checkText(sql);
        const where = Number(count(at, 'at'));
        const text = putText(sql, variableAt);
        if (typeof sql !== 'string')
            return findPosition(text, Math.min(where, text.length), (byte) => byte);
        /* The bytes in front of the offset, by the same rule as putText. */
        const byte = text.ascii ? Math.min(where, text.length) : encoder.encode(sql.slice(0, where)).length;
        return findPosition(text, byte, translator(text, false));
    }

    /* A body for D1 that is not of the shape it must have. */
    function badBody(message, query) {
        return {
            allowed: false, reason: REASONS[BAD_ARGUMENT], message, at: 0, length: 0, line: 1, column: 1,
            statement: 0, statements: 0, query,
        };
    }

    /* What is wrong with one {sql, params?}, or undefined. */
    function faultOfQuery(query) {
        if (!isRecord(query))
            return 'a query must be an object with sql and, if needed, params';
        const extra = Object.keys(query).find((key) => key !== 'sql' && key !== 'params');
        if (extra !== undefined)
            return `a query holds the key ${JSON.stringify(extra)}; only sql and params are known`;
        if (typeof query.sql !== 'string')
            return 'sql must be a string';
        if (query.params !== undefined && !(Array.isArray(query.params) && query.params.every(isScalar)))
            return 'params must be an array of strings, numbers, booleans and nulls';
        return undefined;
    }

    function checkBatch(body, options) {
        if (!isRecord(body))
            return badBody('the body must be an object: {sql, params?} or {batch: [...]}', 0);
        let queries = [body];
        if (Object.hasOwn(body, 'batch')) {
            const extra = Object.keys(body).find((key) => key !== 'batch');
            if (extra !== undefined)
                return badBody(`a body with batch holds the key ${JSON.stringify(extra)} as well`, 0);
            queries = body.batch;
            if (!Array.isArray(queries) || queries.length === 0)
                return badBody('batch must be an array of at least one query', 0);
        }
        let report;
        for (const [index, query] of queries.entries()) {
            const fault = faultOfQuery(query);
            report = fault === undefined ? { ...check(query.sql, options), query: index } : badBody(fault, index);
            if (!report.allowed)
                break;
        }
        return report;
    }

    return {
        check, checkView, assertReadOnly, clean, capRows, tokens, statements, position, checkBatch,
        version: VERSION,
    };
}

function isRecord(value) {
    return typeof value === 'object' && value !== null;
}

function isScalar(value) {
    return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

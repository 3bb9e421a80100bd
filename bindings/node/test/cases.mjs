/*
 * Runs the case files of tests/cases against a guard; tests/run_cases.c says what the columns are. Used in Node,
 * in workerd and in a browser, so it takes the files as { name: Uint8Array } and needs nothing but the language.
 */

const ESCAPES = { n: 10, t: 9, r: 13, 0: 0, '\\': 92 };
const encoder = new TextEncoder();

/* One field: \n \t \r \0 \\ and \xNN stand for one byte, other bytes for themselves. */
function unescape(bytes) {
    const out = [];
    for (let i = 0; i < bytes.length; i++) {
        if (bytes[i] !== 92) {
            out.push(bytes[i]);
        } else if (bytes[++i] === 0x78) {
            out.push(parseInt(String.fromCharCode(bytes[i + 1], bytes[i + 2]), 16));
            i += 2;
        } else {
            const byte = ESCAPES[String.fromCharCode(bytes[i])];
            if (byte === undefined)
                throw new Error('bad escape');
            out.push(byte);
        }
    }
    return Uint8Array.from(out);
}

function split(bytes, separator) {
    const parts = [];
    let start = 0;
    for (let end; (end = bytes.indexOf(separator, start)) !== -1; start = end + 1)
        parts.push(bytes.subarray(start, end));
    parts.push(bytes.subarray(start));
    return parts;
}

/* The cases of a file: [{ line, fields: [bytes] }]. */
export function readCases(file) {
    return split(file, 10).map((bytes, index) => ({ line: index + 1, bytes }))
        .filter(({ bytes }) => bytes.length > 0 && bytes[0] !== 35)
        .map(({ line, bytes }) => ({ line, fields: split(bytes, 9).map(unescape) }));
}

const latin = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');

/* Bytes as a text for comparing and showing. */
export function show(value) {
    if (value === null)
        return '';
    const bytes = typeof value === 'string' ? encoder.encode(value) : value;
    return latin(bytes).replace(/[^ -[\]-~]/g, (c) => '\\x' + c.charCodeAt(0).toString(16).padStart(2, '0'));
}

/* The text as a string, or undefined where it is none. */
export function asString(bytes) {
    try {
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
        return undefined;
    }
}

const LISTS = {
    'deny-function': 'denyFunctions', 'deny-table': 'denyTables', 'deny-pragma': 'denyPragmas',
    'allow-function': 'allowFunctions', 'allow-table': 'allowTables', 'allow-pragma': 'allowPragmas',
};

function readOptions(field) {
    const text = asString(field);
    if (text === '-')
        return undefined;
    const options = {};
    for (const option of text.split(',')) {
        const [name, value] = option.split(/=(.*)/s);
        if (name === 'engine')
            options.engine = value;
        else if (name === 'strict')
            options.strictFunctions = true;
        else if (name === 'where')
            options.requireWhere = true;
        else if (name === 'max')
            options.maxStatements = BigInt(value);
        else if (name === 'allow')
            options.allow = value.split('+');
        else if (name in LISTS)
            (options[LISTS[name]] ??= []).push(value);
        else
            throw new Error(`no option is called ${name}`);
    }
    return options;
}

const verdict = (report) => `${report.allowed ? 'allow' : 'refuse'} ${report.reason}`;
const span = ({ at, length }) => `${at} ${length}`;
const join = (...fields) => fields.map(latin).join(' ');

function describeStatements(list) {
    const words = list.filter((s) => s.error === null).map((s) => {
        const flags = (s.with ? 'w' : '') + (s.where ? 'h' : '') + (s.returning ? 'r' : '') + (s.pragmaValue ? 'v' : '');
        return [s.kind, s.explain, flags || '-', s.at, s.length, s.next].join(',');
    });
    const error = list.at(-1)?.error;
    if (error)
        words.push(`!${error.reason},${error.at},${error.length}`);
    return words.join(' ') || '-';
}

/* By the first word of the file's name: what one case must give, and what the guard makes of it. */
const CALLS = {
    tokens: {
        want: ([result]) => latin(result),
        got: (guard, fields, sql, options) =>
            guard.tokens(sql, options).map(({ kind, length }) => `${kind}:${length}`).join(' '),
    },
    statements: {
        want: ([result]) => latin(result),
        got: (guard, fields, sql, options) => describeStatements(guard.statements(sql, options)),
    },
    verdict: {
        options: 4,
        want: ([allow, reason, at, length]) => join(allow, reason, at, length),
        got: (guard, fields, sql, options) => {
            const report = guard.check(sql, options);
            return `${verdict(report)} ${span(report)}`;
        },
    },
    view: {
        options: 4,
        want: ([allow, reason, at, length]) => join(allow, reason, at, length),
        got: (guard, fields, sql, options) => {
            const report = guard.checkView(sql, options);
            return `${verdict(report)} ${span(report)}`;
        },
    },
    clean: {
        options: 2,
        want: ([allow, reason, , out]) => `${join(allow, reason)} ${show(out)}`,
        got: (guard, fields, sql, options) => {
            const report = guard.clean(sql, options);
            return `${verdict(report)} ${show(report.sql)}`;
        },
    },
    cap: {
        options: 4,
        want: ([, allow, reason, form, , out]) => `${join(allow, reason, form)} ${show(out)}`,
        got: (guard, [rows], sql, options) => {
            const report = guard.capRows(sql, BigInt(latin(rows)), options);
            return `${verdict(report)} ${report.form} ${show(report.sql)}`;
        },
    },
    message: {
        options: 0,
        want: ([, message]) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(message),
        got: (guard, fields, sql, options) => guard.check(sql, options).message,
    },
    position: {
        bytesOnly: true,
        want: ([, line, column]) => join(line, column),
        got: (guard, [at], sql) => {
            const { line, column } = guard.position(sql, BigInt(latin(at)));
            return `${line} ${column}`;
        },
    },
};

/* Throws unless the spans of two lists name the same bytes, by bytes in one and by UTF-16 units in the other. */
export function compareSpans(sql, bytes, inBytes, inUnits) {
    const length = (text) => encoder.encode(text).length;
    for (const [index, b] of inBytes.entries()) {
        const u = inUnits[index];
        if (length(sql.slice(0, u.at)) !== b.at || length(sql.slice(u.at, u.at + u.length)) !== b.length)
            throw new Error(`bytes ${b.at} ${b.length} became units ${u.at} ${u.length}`);
    }
    if (inBytes.length !== inUnits.length)
        throw new Error('lists of different length');
}

function spansOf(guard, call, sql, options) {
    if (call === 'tokens')
        return guard.tokens(sql, options);
    if (call === 'statements')
        return guard.statements(sql, options).flatMap((s) => (s.error ? [s, s.error] : [s]));
    return [call === 'view' ? guard.checkView(sql, options) : guard.check(sql, options)];
}

function runCase(guard, call, fields) {
    const { want, got, options: column, bytesOnly } = CALLS[call];
    const bytes = fields.at(-1);
    const options = column === undefined ? undefined : readOptions(fields[column]);
    const sql = asString(bytes);
    const wanted = want(fields);
    const compare = (how, found) => {
        if (found !== wanted)
            throw new Error(`${how}\n  text   ${show(bytes)}\n  wanted ${wanted}\n  got    ${found}`);
    };
    compare('as bytes', got(guard, fields, bytes, options));
    if (sql === undefined || bytesOnly)
        return;
    compare('as a string', got(guard, fields, sql, { ...options, offsets: 'bytes' }));
    compareSpans(sql, bytes, spansOf(guard, call, bytes, options), spansOf(guard, call, sql, options));
}

/* A test for each case file, as [name, function]. */
export function caseTests(guard, files) {
    return Object.entries(files).map(([name, file]) => [`cases: ${name}`, () => {
        const call = Object.keys(CALLS).find((word) => name.startsWith(word));
        const cases = readCases(file);
        if (call === undefined || cases.length === 0)
            throw new Error('its name starts with no call, or it holds no case');
        const failures = [];
        for (const { line, fields } of cases) {
            try {
                runCase(guard, call, fields);
            } catch (error) {
                failures.push(`${name}:${line}: ${error.message}`);
            }
        }
        if (failures.length > 0)
            throw new Error(`${failures.length} of ${cases.length} failed\n${failures.slice(0, 20).join('\n')}`);
    }]);
}

/* What agree.c does, through the JavaScript module: the records' answers as one text. */
import { compareSpans } from './cases.mjs';

const OPTION_SETS = [
    {},
    { engine: 'sqlite' },
    {
        engine: 'sqlite', strictFunctions: true, requireWhere: true, maxStatements: 3,
        allow: ['write', 'schema', 'transaction', 'connection', 'maintenance'],
    },
    {
        denyFunctions: ['count', 'max'], denyTables: ['users', 'T1', 'é'], denyPragmas: ['table_info'],
        allowFunctions: ['mine', 'load_extension'], allowTables: ['sqlite_dbpage'], allowPragmas: ['user_version'],
    },
];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function hex(text) {
    let out = '';
    for (const byte of typeof text === 'string' ? encoder.encode(text) : text ?? [])
        out += HEX[byte];
    return out;
}

function showReport(name, r) {
    const place = `${r.at} ${r.length} ${r.line} ${r.column} ${r.statement} ${r.statements}`;
    return `${name} ${Number(r.allowed)} ${r.reason} ${place} message=${hex(r.message)}`;
}

function showStatement(s) {
    const flags = Number(s.with) + 2 * Number(s.where) + 4 * Number(s.returning) + 8 * Number(s.pragmaValue);
    const error = s.error ? `!${s.error.reason},${s.error.at},${s.error.length}` : '';
    return ` ${s.kind},${s.risk},${s.explain},${flags},${s.at},${s.length},${s.next}${error}`;
}

function compareUnits(guard, sql, options) {
    const spans = (unit) => [guard.check(sql, { ...options, ...unit }), ...guard.tokens(sql, unit),
        ...guard.statements(sql, unit).flatMap((s) => (s.error ? [s, s.error] : [s]))];
    try {
        compareSpans(sql, undefined, spans({ offsets: 'bytes' }), spans({}));
        return '';
    } catch (error) {
        return `|${error.message}`;
    }
}

/* U+FFFD and a surrogate that is alone are the same text. */
function compareSurrogates(guard, sql, options) {
    const calls = [(text) => guard.check(text, options), (text) => guard.clean(text, options), (text) => guard.tokens(text)];
    const alone = sql.replaceAll('\ufffd', sql.length % 2 ? '\ud800' : '\udc00');
    const differs = calls.some((call) => JSON.stringify(call(alone)) !== JSON.stringify(call(sql)));
    return differs ? '|a lone surrogate makes a difference' : '';
}

function answer(guard, sql, choice) {
    const bytes = { offsets: 'bytes' };
    const options = { ...choice, ...bytes };
    const clean = guard.clean(sql, options);
    const cap = guard.capRows(sql, 100, options);
    const isString = typeof sql === 'string';
    const units = isString && /[^\0-\x7f]/.test(sql) ? compareUnits(guard, sql, choice) : '';
    const surrogates = isString && sql.includes('\ufffd') ? compareSurrogates(guard, sql, choice) : '';
    return [
        'tokens' + guard.tokens(sql, bytes).map((t) => ` ${t.kind}:${t.length}`).join(''),
        'statements' + guard.statements(sql, bytes).map(showStatement).join(''),
        showReport('check', guard.check(sql, options)), showReport('view', guard.checkView(sql, options)),
        `${showReport('clean', clean)} ${hex(clean.sql)}`, `${showReport('cap', cap)} ${cap.form} ${hex(cap.sql)}`,
    ].join('|') + units + surrogates;
}

/* first: the number of the first record, on which the options depend. */
export function answerAll(guard, records, first = 0) {
    const view = new DataView(records.buffer, records.byteOffset, records.byteLength);
    let lines = '';
    for (let at = 0, number = first; at < records.length; number++) {
        const text = records.subarray(at + 5, at + 5 + view.getUint32(at, true));
        const sql = records[at + 4] === 0x73 ? decoder.decode(text) : text;
        lines += answer(guard, sql, OPTION_SETS[number % 4]) + '\n';
        at += 5 + text.length;
    }
    return lines;
}

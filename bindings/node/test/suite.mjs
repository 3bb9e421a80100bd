/* What holds in every runtime: the API, beside the case files. Takes the module's exports and the case files. */
import { caseTests } from './cases.mjs';
import { equal, throws } from './harness.mjs';

const SELECT = 'SELECT 1';

function apiTests(guard) {
    const { check, checkView, assertReadOnly, clean, capRows, tokens, statements, position, checkBatch } = guard;
    return [
        ['memory grows for names, bytes and strings', () => { /* first, while it is small */
            const denyTables = Array.from({ length: 10_000 }, (_, i) => `a_name_that_is_long_${i}`);
            equal(check('SELECT * FROM a_name_that_is_long_9999', { denyTables }).reason, 'denied-table');
            equal(check(new Uint8Array(600_000).fill(32)).reason, 'empty');
            equal(check(' '.repeat(1_200_000)).reason, 'empty');
            equal(check('é'.repeat(1_000_000)).reason, 'unknown-statement');
            equal(clean(`SELECT '${'é'.repeat(1_900_000)}'`).sql.length, 1_900_009);
        }],
        ['an allowed text', () => {
            equal(check(SELECT), {
                allowed: true, reason: 'reads-only', message: 'every statement only reads', at: 0, length: 0, line: 1,
                column: 1, statement: 0, statements: 1,
            });
        }],
        ['a refused text has a span, a place and a message', () => {
            const report = check('SELECT 1;\n DROP TABLE t');
            equal(report.message.startsWith('DROP at byte 11 would change the schema'), true, report.message);
            equal({ ...report, message: '' }, {
                allowed: false, reason: 'schema', message: '', at: 11, length: 4, line: 2, column: 2, statement: 1,
                statements: 2,
            });
        }],
        ['offsets are UTF-16 units, or bytes', () => {
            const sql = "SELECT '\u{1f600}é\ufeff';\n/*\u{1f600}*/ DROP TABLE t";
            const report = check(sql);
            equal(sql.slice(report.at, report.at + report.length), 'DROP');
            equal([report.line, report.column], [2, 8]);
            const inBytes = check(sql, { offsets: 'bytes' });
            equal([inBytes.at, inBytes.length, inBytes.line, inBytes.column], [29, 4, 2, 10]);
            const fromBytes = check(new TextEncoder().encode(sql));
            equal(fromBytes, inBytes);
            for (const { at, length, kind } of tokens(sql))
                equal(kind === 'name' || sql.slice(at, at + length).length === length, true);
            equal(tokens(sql).map(({ at, length }) => sql.slice(at, at + length)).join(''), sql);
            equal(statements(sql).map(({ at, length }) => sql.slice(at, at + length)), ["SELECT '\u{1f600}é\ufeff'", 'DROP TABLE t']);
        }],
        ['a lone surrogate counts as U+FFFD', () => {
            equal(clean("SELECT '\ud800x\udc00' /*;*/").sql, "SELECT '\ufffdx\ufffd'");
            const sql = "'\ud800' \udc00 'x";
            const report = check(sql);
            equal(sql.slice(report.at, report.at + report.length), report.reason === 'open-quote' ? "'x" : "'\ud800'");
            equal(clean(`SELECT '${'a'.repeat(70000)}\u{1f600}\ud800é'`).sql.slice(-5), "\u{1f600}\ufffdé'");
            equal(tokens('\ud800\ud800'), [{ kind: 'word', at: 0, length: 2 }]);
        }],
        ['a NUL is seen', () => {
            const report = check('SELECT 1\0; DROP TABLE t');
            equal([report.allowed, report.reason, report.at, report.length], [false, 'nul-byte', 8, 1]);
        }],
        ['a BOM comes back', () => {
            equal(clean("\ufeffSELECT '\ufeff'").sql, "SELECT '\ufeff'");
        }],
        ['assertReadOnly throws an error with the report', () => {
            equal(assertReadOnly(SELECT), check(SELECT));
            const error = throws(() => assertReadOnly('DELETE FROM t'), guard.SqlBlockedError, 'would write');
            equal([error.code, error.name, error instanceof Error], ['SQL_BLOCKED', 'SqlBlockedError', true]);
            for (const [key, value] of Object.entries(check('DELETE FROM t')))
                equal(error[key], value, key);
        }],
        ['clean and capRows give the text to send, or null', () => {
            equal(clean(' SELECT 1 ; SELECT 2 --;').sql, 'SELECT 1;\nSELECT 2');
            equal(clean('DROP TABLE t').sql, null);
            const capped = capRows('SELECT a FROM t', 5);
            equal([capped.allowed, capped.form, capped.sql], [true, 'append', 'SELECT a FROM t\nLIMIT 5']);
            equal(capRows('SELECT 1; SELECT 2', 5).reason, 'needs-one');
            equal(capRows('DROP TABLE t', 5).sql, null);
            equal(capRows(SELECT, 0).reason, 'bad-argument');
            equal(capRows(SELECT, 2n ** 63n).reason, 'bad-argument');
            equal(capRows(SELECT, 2n ** 63n - 1n).sql, 'SELECT 1\nLIMIT 9223372036854775807');
            const bytes = capRows(new TextEncoder().encode(SELECT), 5).sql;
            check('x'.repeat(1000));
            equal(new TextDecoder().decode(bytes), 'SELECT 1\nLIMIT 5');
        }],
        ['checkView judges the body', () => {
            equal(checkView('CREATE VIEW v AS SELECT 1').allowed, true);
            equal(checkView(SELECT).reason, 'not-a-view');
        }],
        ['position', () => {
            equal(position('a\n\u{1f600}b', 4), { line: 2, column: 3 });
            equal(position('é\nb', 2), { line: 2, column: 1 });
            equal(position('a\nb', 99), { line: 2, column: 2 });
            equal(position(new TextEncoder().encode('é\nb'), 3), { line: 2, column: 1 });
        }],
        ['every option reaches the library', () => {
            const reason = (sql, options) => check(sql, options).reason;
            equal(reason('PRAGMA user_version', { engine: 'sqlite' }), 'reads-only');
            equal(reason('PRAGMA user_version'), 'pragma-not-listed');
            equal(reason('DELETE FROM t', { allow: ['write'] }), 'risks-allowed');
            equal(reason('DELETE FROM t', { allow: ['write', 'schema'] }), 'risks-allowed');
            equal(reason('DELETE FROM t', { allow: new Set(['write']), requireWhere: true }), 'missing-where');
            equal(reason('SELECT 1; SELECT 2', { maxStatements: 1 }), 'too-many-statements');
            equal(reason('SELECT mine()', { strictFunctions: true }), 'unlisted-function');
            equal(reason('SELECT mine()', { strictFunctions: true, allowFunctions: ['Mine'] }), 'reads-only');
            equal(reason('SELECT abs(1)', { denyFunctions: ['x', 'ABS'] }), 'denied-function');
            equal(reason('SELECT * FROM secret', { denyTables: ['a', 'secret', 'z'] }), 'denied-table');
            equal(reason('SELECT * FROM "sécret"', { denyTables: ['sécret'] }), 'denied-table');
            equal(reason('PRAGMA table_list', { denyPragmas: ['table_list'] }), 'pragma-not-listed');
            equal(reason('PRAGMA user_version', { allowPragmas: ['user_version'] }), 'reads-only');
            equal(reason('SELECT * FROM sqlite_dbpage', { allowTables: ['sqlite_dbpage'] }), 'reads-only');
        }],
        ['a wrong argument is an error, not a refusal', () => {
            for (const sql of [undefined, null, 1, {}, [SELECT], new String(SELECT)])
                throws(() => check(sql), TypeError, 'must be a string');
            throws(() => check(SELECT, { denyTable: ['t'] }), TypeError, 'denyTable');
            throws(() => check(SELECT, { engine: 'mysql' }), TypeError, 'engine');
            throws(() => check(SELECT, { engine: 'toString' }), TypeError, 'engine');
            throws(() => check(SELECT, { allow: ['everything'] }), TypeError, 'everything');
            throws(() => check(SELECT, { allow: ['unknown'] }), TypeError, 'unknown');
            throws(() => check(SELECT, { denyTables: ['a\0b'] }), TypeError, 'denyTables');
            throws(() => check(SELECT, { denyTables: [''] }), TypeError, 'denyTables');
            throws(() => check(SELECT, { denyTables: 'abc' }), TypeError, 'denyTables');
            throws(() => check(SELECT, { denyTables: [7] }), TypeError, 'denyTables');
            throws(() => check(SELECT, { denyTables: 7 }), TypeError);
            throws(() => check(SELECT, { offsets: 'utf8' }), TypeError, 'offsets');
            throws(() => check(SELECT, { maxStatements: -1 }), TypeError, 'maxStatements');
            throws(() => check(SELECT, 'sqlite'), TypeError, 'options');
            for (const rows of [1.5, NaN, -1, '5', undefined, 2 ** 53, 2n ** 64n])
                throws(() => capRows(SELECT, rows), TypeError, 'maxRows');
        }],
        ['a call inside a call', () => {
            const inner = [];
            const options = {
                get engine() {
                    inner.push(check(`DROP TABLE ${'x'.repeat(200000)}`).reason, clean('SELECT 2').sql);
                    return 'd1';
                },
                denyTables: (function* () {
                    yield 'secret';
                    inner.push(tokens('SELECT 3').length);
                })(),
            };
            equal(check('SELECT * FROM secret', options).reason, 'denied-table');
            equal(inner, ['schema', 'SELECT 2', 3]);
        }],
        ['texts of 10 MB', () => {
            const long = `SELECT '${'é'.repeat(5_000_000)}' /* ; */, ${'1,'.repeat(1000)}1`;
            equal(check(long).allowed, true);
            const report = check(`${long}; DROP TABLE t`);
            equal([report.reason, report.at], ['schema', long.length + 2]);
            const capped = capRows(long, 7);
            equal([capped.allowed, capped.sql.length], [true, long.length - '/* ; */'.length + 1 + '\nLIMIT 7'.length]);
            equal(check(' '.repeat(10_000_000)).reason, 'empty');
            equal(check('('.repeat(10_000_000)).allowed, false);
            equal(check(SELECT).allowed, true);
        }],
        ['bodies for D1', () => {
            const good = [
                { sql: SELECT }, { sql: SELECT, params: [] }, { sql: 'SELECT ?, ?', params: ['a', 1, null, true] },
                { batch: [{ sql: SELECT }, { sql: SELECT, params: ['x'] }] },
            ];
            for (const body of good)
                equal(checkBatch(body).allowed, true, JSON.stringify(body));
            const report = checkBatch({ batch: [{ sql: SELECT }, { sql: ' DROP TABLE t' }, { sql: SELECT }] });
            equal([report.allowed, report.reason, report.query, report.at], [false, 'schema', 1, 1]);
            const bad = [
                null, undefined, 'SELECT 1', [], [{ sql: SELECT }], {}, { batch: [] }, { batch: {} }, { batch: [null] },
                { batch: [[]] }, { sql: 1 }, { sql: [SELECT] }, { sql: SELECT, params: {} },
                { sql: SELECT, params: [{}] }, { sql: SELECT, batch: [{ sql: SELECT }] }, { sql: SELECT, query: 'DROP TABLE t' },
                { batch: [{ sql: SELECT, extra: 1 }] }, JSON.parse('{"sql": "SELECT 1", "__proto__": {"sql": "DROP TABLE t"}}'),
            ];
            for (const body of bad) {
                const { allowed, reason, message } = checkBatch(body);
                equal([allowed, reason], [false, 'bad-argument'], JSON.stringify(body));
                equal(message.length > 10, true);
            }
            equal(checkBatch({ sql: 'PRAGMA user_version' }, { engine: 'sqlite' }).allowed, true);
        }],
        ['statements say what each one is', () => {
            equal(statements('WITH a AS (SELECT 1) DELETE FROM t WHERE x RETURNING y; EXPLAIN SELECT 1; SELEC'), [
                {
                    kind: 'delete', risk: 'write', explain: 'none', with: true, where: true, returning: true,
                    pragmaValue: false, at: 0, length: 54, next: 55, error: null,
                },
                {
                    kind: 'select', risk: 'read', explain: 'explain', with: false, where: false, returning: false,
                    pragmaValue: false, at: 56, length: 16, next: 73, error: null,
                },
                {
                    kind: 'none', risk: 'unknown', explain: 'none', with: false, where: false, returning: false,
                    pragmaValue: false, at: 74, length: 5, next: 79,
                    error: { reason: 'unknown-statement', at: 74, length: 5 },
                },
            ]);
        }],
        ['version', () => {
            equal(/^\d+\.\d+\.\d+$/.test(guard.version), true);
        }],
    ];
}

export function suite(guard, caseFiles) {
    return [...apiTests(guard), ...caseTests(guard, caseFiles)];
}

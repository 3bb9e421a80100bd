/* Checked by types.mjs: compiles, and each line under @ts-expect-error does not. */
import {
    assertReadOnly, capRows, check, checkBatch, checkView, clean, position, SqlBlockedError, statements, tokens, version,
    type CapForm, type Options, type Reason, type Report, type Statement, type Token,
} from 'd1guard';

const options: Options = {
    engine: 'sqlite', allow: ['write', 'schema'], maxStatements: 3, strictFunctions: true, requireWhere: true,
    denyTables: new Set(['secret']), allowPragmas: ['user_version'], offsets: 'bytes',
};

const report: Report = check('SELECT 1', options);
const reason: Reason = report.reason;
const allowed: true = assertReadOnly('SELECT 1').allowed;
const view: boolean = checkView(new Uint8Array(1)).allowed;

const cleaned = clean('SELECT 1');
if (cleaned.allowed)
    cleaned.sql.toUpperCase();
else
    cleaned.sql satisfies null;

const capped = capRows(new Uint8Array(1), 100n, options);
const form: CapForm = capped.form;
if (capped.allowed)
    capped.sql satisfies Uint8Array;

const kinds: string[] = statements('SELECT 1').map((statement: Statement) => `${statement.kind} ${statement.error?.at}`);
const words: Token[] = tokens('SELECT 1', { offsets: 'utf16' });
const { line, column } = position('SELECT 1', 3);
const query: number = checkBatch(JSON.parse('{}'), options).query;

try {
    assertReadOnly('DROP TABLE t');
} catch (error) {
    if (error instanceof SqlBlockedError && error.code === 'SQL_BLOCKED')
        console.log(error.reason, error.at, error.line, error.message satisfies string);
}
console.log(reason, allowed, view, form, kinds, words, line, column, query, version.length);

/* @ts-expect-error the text to send may be missing */
const text: string = clean('SELECT 1').sql;
/* @ts-expect-error no such option */
check('SELECT 1', { denyTable: ['secret'] });
/* @ts-expect-error no such engine */
check('SELECT 1', { engine: 'mysql' });
/* @ts-expect-error no such risk */
check('SELECT 1', { allow: ['everything'] });
/* @ts-expect-error no text */
check(1);
/* @ts-expect-error no such reason */
const wrong: Reason = 'nonsense';
/* @ts-expect-error the number of rows is not optional */
capRows('SELECT 1');
/* @ts-expect-error only offsets */
tokens('SELECT 1', { engine: 'd1' });
console.log(text, wrong);

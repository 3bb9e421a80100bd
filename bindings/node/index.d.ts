/**
 * Does this SQL text only read? libd1guard for JavaScript: SQLite's and Cloudflare D1's SQL, judged before it is
 * sent. Every function is synchronous and works as soon as the module is imported.
 *
 * Wherever a text is asked for, a `string` or its UTF-8 bytes will do. Offsets and lengths are what JavaScript
 * slices a string by, UTF-16 units; they are bytes for a `Uint8Array`, and with `offsets: 'bytes'`.
 * A lone surrogate counts as U+FFFD, which is what reaches a database in its place.
 *
 * A wrong argument (not a text, an unknown option) throws a `TypeError`; a text is never thrown on, only refused.
 */

/** Whose PRAGMA and function lists apply. */
export type Engine = 'd1' | 'sqlite';

/** What a statement can do: the highest of its parts. */
export type Risk = 'unknown' | 'read' | 'write' | 'schema' | 'transaction' | 'connection' | 'maintenance';

/** Why a text was allowed (`reads-only`, `risks-allowed`) or refused. Slugs are stable. */
export type Reason =
    | 'unset' | 'reads-only' | 'risks-allowed' | 'bad-argument' | 'internal' | 'empty' | 'too-many-statements'
    | 'nul-byte' | 'open-quote' | 'bad-number' | 'bad-blob' | 'illegal-token' | 'variable-parenthesis'
    | 'unknown-statement' | 'parenthesis' | 'with-syntax' | 'explain-syntax' | 'pragma-syntax' | 'trigger-syntax'
    | 'incomplete' | 'not-a-view' | 'write' | 'schema' | 'transaction' | 'connection' | 'maintenance'
    | 'explain-not-read' | 'pragma-not-listed' | 'pragma-value' | 'denied-function' | 'denied-table'
    | 'unlisted-function' | 'missing-where' | 'needs-one';

/** Kinds of statement. */
export type StatementKind =
    | 'none' | 'select' | 'values' | 'insert' | 'replace' | 'update' | 'delete' | 'create-table' | 'create-index'
    | 'create-view' | 'create-trigger' | 'create-virtual-table' | 'drop-table' | 'drop-index' | 'drop-view'
    | 'drop-trigger' | 'alter-table' | 'begin' | 'commit' | 'rollback' | 'savepoint' | 'release' | 'attach'
    | 'detach' | 'pragma' | 'vacuum' | 'analyze' | 'reindex';

/** Kinds of token. A keyword is a `word` like any name without quotes. */
export type TokenKind =
    | 'illegal' | 'space' | 'comment' | 'word' | 'name' | 'string' | 'blob' | 'integer' | 'float' | 'qnumber'
    | 'variable' | 'lp' | 'rp' | 'semi' | 'comma' | 'dot' | 'star' | 'plus' | 'minus' | 'slash' | 'rem' | 'eq'
    | 'ne' | 'lt' | 'le' | 'gt' | 'ge' | 'lshift' | 'rshift' | 'bitand' | 'bitor' | 'bitnot' | 'concat' | 'ptr';

/** How {@link capRows} holds the rows down. `not-capped` (EXPLAIN, PRAGMA) leaves it to you to stop reading. */
export type CapForm = 'none' | 'append' | 'lowered' | 'unchanged' | 'wrapped' | 'not-capped';

export interface OffsetOptions {
    /** Unit of the offsets and lengths for a string. Default `'utf16'`. */
    offsets?: 'utf16' | 'bytes' | undefined;
}

/** Everything is optional; without options only reads pass, by D1's lists. An unknown key is an error. */
export interface Options extends OffsetOptions {
    /** Default `'d1'`. */
    engine?: Engine | undefined;
    /** Risks to let through besides `read`. */
    allow?: Iterable<Exclude<Risk, 'unknown'>> | undefined;
    /** Most statements a text may hold. Default 0: any number. */
    maxStatements?: number | bigint | undefined;
    /** Only the engine's own functions, and those in `allowFunctions`. */
    strictFunctions?: boolean | undefined;
    /** UPDATE and DELETE need a WHERE of their own (where `allow` lets them through at all). */
    requireWhere?: boolean | undefined;
    /** Your own names, without quotes; compared without ASCII case. A denied name wins over an allowed one. */
    denyFunctions?: Iterable<string> | undefined;
    /** Tables, views and table functions, in any schema. */
    denyTables?: Iterable<string> | undefined;
    denyPragmas?: Iterable<string> | undefined;
    allowFunctions?: Iterable<string> | undefined;
    allowTables?: Iterable<string> | undefined;
    /** Allowed in every form, with a value too. */
    allowPragmas?: Iterable<string> | undefined;
}

/** The verdict on a text. */
export interface Report {
    /** Whether the text may run. Ask this: a report as such is always truthy. */
    allowed: boolean;
    reason: Reason;
    /** One line for a person or an agent: which word, where, and what to do instead. */
    message: string;
    /** The span that caused the refusal: `sql.slice(at, at + length)`. 0, 0 when allowed. */
    at: number;
    length: number;
    /** Line and column of `at`, from 1; the column in the unit of `at`. */
    line: number;
    column: number;
    /** Number of the refused statement, from 0. */
    statement: number;
    /** Statements seen up to there, the refused one included. */
    statements: number;
}

/** A verdict and the text to send: null when refused. */
export type CleanReport<Text = string> = Report & (
    | { allowed: true; sql: Text }
    | { allowed: false; sql: null });

export type CapReport<Text = string> = CleanReport<Text> & { form: CapForm };

export interface Token {
    kind: TokenKind;
    at: number;
    /** At least 1. */
    length: number;
}

export interface Statement {
    kind: StatementKind;
    /** Of the explained statement under EXPLAIN. */
    risk: Risk;
    explain: 'none' | 'explain' | 'query-plan';
    /** Starts with a WITH list. */
    with: boolean;
    /** Has a WHERE outside all parentheses. */
    where: boolean;
    /** Has a RETURNING clause. */
    returning: boolean;
    /** PRAGMA name=value or name(value). */
    pragmaValue: boolean;
    /** From the first token to the last, the `;` not counted. */
    at: number;
    length: number;
    /** Behind the statement's `;`, or the text's length. */
    next: number;
    /** Where SQLite would stop with an error; then this is the last statement, and nothing behind may run. */
    error: { reason: Reason; at: number; length: number } | null;
}

/** A query as D1's REST API takes it. */
export interface D1Query {
    sql: string;
    params?: readonly (string | number | boolean | null)[] | undefined;
}

export interface BatchReport extends Report {
    /** Number of the query that the rest of the report is about, from 0: the refused one, else the last. */
    query: number;
}

/** Thrown by {@link assertReadOnly}; holds the report's fields. Tell it by its `code`. */
export class SqlBlockedError extends Error implements Omit<Report, 'allowed'> {
    constructor(report: Report);
    readonly name: 'SqlBlockedError';
    readonly code: 'SQL_BLOCKED';
    readonly allowed: false;
    readonly reason: Reason;
    readonly at: number;
    readonly length: number;
    readonly line: number;
    readonly column: number;
    readonly statement: number;
    readonly statements: number;
}

/** Decides whether a text only reads: all its statements, to the last byte. */
export function check(sql: string | Uint8Array, options?: Options): Report;

/**
 * Decides whether reading a view would only read, from its CREATE VIEW text as `sqlite_schema.sql` holds it.
 * Give the names of views that fail to `denyTables`.
 */
export function checkView(sql: string | Uint8Array, options?: Options): Report;

/** {@link check}, but throws a {@link SqlBlockedError} instead of returning a refusal. */
export function assertReadOnly(sql: string | Uint8Array, options?: Options): Report & { allowed: true };

/**
 * The text, made safe to send whatever cuts it into statements on the way: statements from their first token to
 * their last, joined by `;` and a newline. Send this, not the original.
 */
export function clean(sql: string, options?: Options): CleanReport;
export function clean(sql: Uint8Array, options?: Options): CleanReport<Uint8Array>;

/**
 * One statement, cleaned, so that it returns at most `maxRows` rows (1 to 2^63-1): the first ones of the original.
 * To learn whether rows were cut off, ask for one row more than you keep.
 */
export function capRows(sql: string, maxRows: number | bigint, options?: Options): CapReport;
export function capRows(sql: Uint8Array, maxRows: number | bigint, options?: Options): CapReport<Uint8Array>;

/** SQLite's tokens, blanks and comments included: they tile the text. */
export function tokens(sql: string | Uint8Array, options?: OffsetOptions): Token[];

/** The statements of any text, not only of reads. */
export function statements(sql: string | Uint8Array, options?: OffsetOptions): Statement[];

/** Line and column, from 1, of an offset in the text's own unit. */
export function position(sql: string | Uint8Array, at: number | bigint): { line: number; column: number };

/**
 * Checks a body for D1's REST API, `{sql, params?}` or `{batch: [{sql, params?}, ...]}`, query by query. A body with
 * other keys is refused (`bad-argument`), since what it would do is not known here. Pass what `JSON.parse` returned
 * and send that, stringified again: in the original text a key may stand twice.
 */
export function checkBatch(body: unknown, options?: Options): BatchReport;

/** Version of the library inside, such as `"0.1.0"`. */
export const version: string;

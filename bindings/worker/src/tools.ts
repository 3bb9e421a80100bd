/*
 * The tools: list_tables, describe_table, query and d1_read_query, as bindings/mcp/tools.json describes them for both
 * servers. The way of a query: arguments, the guard, the database, rows within bounds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { capRows, type CapReport } from 'd1guard';
import file from '../../mcp/tools.json';
import { bindParams, checkArguments, type Arguments, type Schema } from './arguments.ts';
import { describeTable, listTables, readBlocks, type Blocks } from './catalog.ts';
import { openDatabase, type Database, type Rows } from './database.ts';
import { noteOfDatabase } from './dictionary.ts';
import { ToolError } from './errors.ts';
import { collect } from './rows.ts';
import { settingsOf, type Env, type Settings } from './settings.ts';

const BLOCKS_TTL_MS = 60_000; /* D1 does not tell when its schema changes: judge views anew this often */

interface Tool {
    name: string;
    inputSchema: Schema;
}

/* What one call came to: the answer, and what the audit wants to know. */
export interface Outcome {
    content: { type: 'text'; text: string }[];
    structuredContent?: { [key: string]: unknown };
    isError: boolean;
}

export interface CallRecord {
    tool: string;
    database?: string;
    sql?: string;
    verdict?: 'allow' | 'refuse';
    reason?: string;
    error?: string;
    rows: number;
}

export interface OpenDatabase extends Database {
    blocks: Blocks;
    judgedAt: number;
}

export class Toolbox {
    readonly tools: Tool[];
    readonly instructions: string;
    readonly settings: Settings;
    #databases: OpenDatabase[];

    constructor(env: Env) {
        this.settings = settingsOf(env);
        this.#databases = this.settings.databases.map((entry) => ({
            ...openDatabase(entry, this.settings, env), blocks: new Map(), judgedAt: -Infinity }));
        this.tools = structuredClone(file.tools) as Tool[];
        if (this.#databases.length === 1) {
            for (const tool of this.tools)
                delete tool.inputSchema.properties?.database; /* there is nothing to choose */
        }
        this.instructions = [file.instructions, ...this.#introductions()].join('\n');
    }

    /* What the owner wrote about each database. */
    #introductions(): string[] {
        return this.settings.databases.flatMap(({ name }) => {
            const note = noteOfDatabase(name);
            return this.settings.databases.length > 1 || note !== undefined
                ? [`Database ${name}${note === undefined ? '' : `: ${note}`}`] : [];
        });
    }

    /* The database that the arguments name: any missing name fits the first one. */
    find({ database, account_id: account, database_id: id }: Arguments): OpenDatabase {
        const found = this.#databases.find(({ settings }) => (database === undefined || database === settings.name)
            && (id === undefined || id === settings.id) && (account === undefined || account === settings.account));
        if (found !== undefined)
            return found;
        throw new ToolError('NOT_CONFIGURED',
            `this server was not started with that database${account === undefined ? '' : ' in that account'}`);
    }

    /* The views that are not to be read. Calls at the same time each judge for themselves: in a Worker none may wait for the
     * request that another one has sent. */
    async blocks(db: OpenDatabase, signal: AbortSignal): Promise<Blocks> {
        if (Date.now() - db.judgedAt > BLOCKS_TTL_MS) {
            const judgedAt = Date.now();
            db.blocks = await readBlocks(db, signal);
            db.judgedAt = judgedAt;
        }
        return db.blocks;
    }

    has(tool: string): boolean {
        return this.tools.some(({ name }) => name === tool);
    }

    /* Runs a tool. Fills the record; fails only with what is no answer to the call. */
    async call(name: string, args: Arguments, cancelled: AbortSignal, record: CallRecord): Promise<Outcome> {
        const timeout = AbortSignal.timeout(this.settings.timeoutMs);
        const signal = AbortSignal.any([cancelled, timeout]);
        try {
            const tool = this.tools.find((one) => one.name === name) as Tool;
            if (typeof args.sql === 'string')
                record.sql = args.sql;
            checkArguments(name, tool.inputSchema, args);
            const db = this.find(args);
            record.database = db.settings.name;
            return await this.#run(name, args, db, signal, record);
        } catch (error) {
            const failure = timeout.aborted && !(error instanceof ToolError) ? new ToolError('TIMEOUT',
                'the time limit ran out; narrow the query with WHERE or LIMIT, or use an index') : error;
            if (!(failure instanceof ToolError))
                throw failure;
            record.error = failure.code;
            return failed({ code: failure.code, message: failure.message });
        }
    }

    async #run(name: string, args: Arguments, db: OpenDatabase, signal: AbortSignal, record: CallRecord): Promise<Outcome> {
        const blocks = await this.blocks(db, signal);
        if (name === 'list_tables') {
            const list = await listTables(db, blocks, this.settings.maxBytes, signal);
            return succeeded(list, list.truncated ? 'There are more tables than fit; query sqlite_schema for the others.' : '');
        }
        if (name === 'describe_table')
            return succeeded(await describeTable(db, blocks, args.table as string, signal), '');
        return this.#query(args, db, blocks, signal, record);
    }

    async #query(args: Arguments, db: Database, blocks: Blocks, signal: AbortSignal, record: CallRecord): Promise<Outcome> {
        const rowCap = Math.min(Number(args.max_rows ?? Infinity), this.settings.maxRows);
        const report = capRows(args.sql as string, rowCap + 1, { denyTables: blocks.keys(), offsets: 'bytes' });
        record.verdict = report.allowed ? 'allow' : 'refuse';
        record.reason = report.reason;
        if (!report.allowed) {
            record.error = 'SQL_BLOCKED';
            return refused(report);
        }
        const rows = await runCapped(db, report.sql, args, signal);
        const { result, notes } = collect(rows, rowCap, this.settings.maxBytes);
        record.rows = result.row_count;
        return succeeded({ ...result }, notes);
    }
}

async function runCapped(db: Database, sql: string, args: Arguments, signal: AbortSignal): Promise<Rows> {
    try {
        return await db.run(sql, bindParams(sql, args.params), signal);
    } catch (error) {
        if (error instanceof ToolError && error.message.includes('"LIMIT"'))
            throw new ToolError(error.code, `${error.message} (the LIMIT that ends the text is this server's row cap)`);
        throw error;
    }
}

function succeeded(structuredContent: { [key: string]: unknown }, notes: string): Outcome {
    const texts = notes === '' ? [JSON.stringify(structuredContent)] : [JSON.stringify(structuredContent), notes];
    return { content: texts.map((text) => ({ type: 'text', text })), structuredContent, isError: false };
}

/* An error carries no structuredContent: clients hold that against the tool's outputSchema. */
export function failed(error: { code: string; message: string; [detail: string]: unknown }): Outcome {
    return { content: [{ type: 'text', text: JSON.stringify({ error }) }], isError: true };
}

function refused({ reason, message, at, length, line, column }: CapReport): Outcome {
    return failed({ code: 'SQL_BLOCKED', reason, message, at, len: length, line, column });
}

const boxes = new WeakMap<Env, Toolbox>(); /* an isolate keeps one env */

export function toolboxOf(env: Env): Toolbox {
    let box = boxes.get(env);
    if (box === undefined) {
        box = new Toolbox(env);
        boxes.set(env, box);
    }
    return box;
}

/*
 * What is in a database: tables, views, columns, and which views are not to be read. A name given by the model reaches
 * the database as a bound value only. The statements and the shapes are those of bindings/mcp/catalog.c; a test compares.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { checkView, type Reason } from 'd1guard';
import type { Database, Rows } from './database.ts';
import { noteOfColumn, noteOfDatabase, noteOfTable } from './dictionary.ts';
import { ToolError } from './errors.ts';

/* Tables that SQLite, virtual tables or Cloudflare keep for themselves are left out. */
const OBJECTS = `SELECT t.name, t.type FROM pragma_table_list AS t`
    + ` WHERE t.schema = 'main' AND t.type <> 'shadow'`
    + ` AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND t.name NOT LIKE '\\_cf\\_%' ESCAPE '\\'`
    + ` AND t.name <> 'd1_migrations'`;
const LIST = `${OBJECTS} ORDER BY t.name COLLATE NOCASE`;
const FIND = `${OBJECTS} AND t.name = ?1 COLLATE NOCASE`;
const VIEWS = `SELECT name, sql FROM sqlite_schema WHERE type = 'view' AND sql IS NOT NULL`;
const HAS_ESTIMATES = `SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'`;
const ESTIMATES = `SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 GROUP BY tbl`;
const COLUMNS = `SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?1)`;
const INDEXES = `SELECT l.name, l."unique", l.partial, i.name`
    + ` FROM pragma_index_list(?1) AS l, pragma_index_info(l.name) AS i ORDER BY l.seq, i.seqno`;
const KEYS = `SELECT id, "table", on_update, on_delete, "from", "to"`
    + ` FROM pragma_foreign_key_list(?1) ORDER BY id, seq`;

export type Blocks = Map<string, Reason>; /* views that are not to be read, and why */

/* Judges every view; a view over a blocked one fails in its turn. */
function judge(views: Rows): Blocks {
    const blocks: Blocks = new Map();
    for (let before = -1; before !== blocks.size;) {
        before = blocks.size;
        for (const [name, sql] of views.rows) {
            const report = checkView(String(sql), { denyTables: blocks.keys() });
            if (!blocks.has(String(name)) && !report.allowed)
                blocks.set(String(name), report.reason);
        }
    }
    return blocks;
}

export async function readBlocks(db: Database, signal: AbortSignal): Promise<Blocks> {
    return judge(await db.run(VIEWS, [], signal));
}

async function readEstimates(db: Database, signal: AbortSignal): Promise<Map<string, number>> {
    const { rows } = await db.run(HAS_ESTIMATES, [], signal);
    const estimates = rows.length === 0 ? [] : (await db.run(ESTIMATES, [], signal)).rows;
    return new Map(estimates.map(([table, n]) => [String(table).toLowerCase(), Number(n)]));
}

/* {key: value}, or nothing to spread for undefined. */
function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
    return value === undefined ? {} : { [key]: value } as { [K in Key]?: Value };
}

export async function listTables(db: Database, blocks: Blocks, maxBytes: number, signal: AbortSignal) {
    const [objects, estimates] = await Promise.all([db.run(LIST, [], signal), readEstimates(db, signal)]);
    const list = {
        database: db.settings.name,
        ...optional('note', noteOfDatabase(db.settings.name)),
        tables: [] as object[],
        truncated: false,
    };
    let bytes = JSON.stringify(list).length;
    for (const [first, type] of objects.rows) {
        const name = String(first);
        const entry = {
            name,
            type,
            ...optional('row_estimate', estimates.get(name.toLowerCase())),
            ...optional('note', noteOfTable(db.settings.name, name)),
            ...optional('blocked', blocks.get(name)),
        };
        bytes += new TextEncoder().encode(JSON.stringify(entry)).length + 1;
        list.truncated = bytes > maxBytes;
        if (list.truncated)
            break;
        list.tables.push(entry);
    }
    return list;
}

function indexesOf({ rows }: Rows) {
    const indexes = new Map<string, { name: string; unique: boolean; partial: boolean; columns: (string | null)[] }>();
    for (const [first, unique, partial, column] of rows) {
        const name = String(first);
        if (!indexes.has(name))
            indexes.set(name, { name, unique: unique !== 0, partial: partial !== 0, columns: [] });
        indexes.get(name)?.columns.push(column as string | null);
    }
    return [...indexes.values()];
}

function foreignKeysOf({ rows }: Rows) {
    const ids = [...new Set(rows.map(([id]) => id))];
    return ids.map((id) => {
        const parts = rows.filter((row) => row[0] === id);
        const [, table, onUpdate, onDelete] = parts[0] ?? [];
        return {
            columns: parts.map((row) => row[4]),
            table,
            references: parts.map((row) => row[5]),
            on_update: onUpdate,
            on_delete: onDelete,
        };
    });
}

export async function describeTable(db: Database, blocks: Blocks, table: string, signal: AbortSignal) {
    const [found] = (await db.run(FIND, [table], signal)).rows;
    if (found === undefined)
        throw new ToolError('NO_SUCH_TABLE', 'there is no table or view of this name; list_tables shows all');
    const [name, type] = found.map(String) as [string, string];
    const [columns, indexes, keys] = await Promise.all([COLUMNS, INDEXES, KEYS].map((sql) => db.run(sql, [name], signal)));
    return {
        database: db.settings.name,
        table: name,
        type,
        ...optional('note', noteOfTable(db.settings.name, name)),
        ...optional('blocked', blocks.get(name)),
        columns: (columns as Rows).rows.map(([column, declared, notNull, byDefault, key, hidden]) => ({
            name: column,
            type: declared,
            not_null: notNull !== 0,
            default: byDefault,
            primary_key: key,
            generated: Number(hidden) >= 2,
            ...optional('note', noteOfColumn(db.settings.name, name, String(column))),
        })),
        indexes: indexesOf(indexes as Rows),
        foreign_keys: foreignKeysOf(keys as Rows),
    };
}

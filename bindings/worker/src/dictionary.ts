/*
 * The data dictionary: free notes that the owner of a database writes for those who query it, in dictionary.json.
 *
 *     {"databases": {"NAME": {"note": "...", "tables": {"orders": {"note": "...", "columns": {"status": "..."}}}}}}
 *
 * or, for a single database, the inner object alone: the format of bindings/mcp.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import file from '../dictionary.json';

interface TableNotes {
    note?: string;
    columns?: { [column: string]: string };
}

interface DatabaseNotes {
    note?: string;
    tables?: { [table: string]: TableNotes };
}

const dictionary = file as DatabaseNotes & { databases?: { [name: string]: DatabaseNotes } };

function of(database: string): DatabaseNotes | undefined {
    return dictionary.databases === undefined ? dictionary : dictionary.databases[database];
}

/* SQLite compares names without ASCII case. */
function find<Value>(members: { [name: string]: Value } | undefined, name: string): Value | undefined {
    return Object.entries(members ?? {}).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1];
}

export function noteOfDatabase(database: string): string | undefined {
    return of(database)?.note;
}

export function noteOfTable(database: string, table: string): string | undefined {
    return find(of(database)?.tables, table)?.note;
}

export function noteOfColumn(database: string, table: string, column: string): string | undefined {
    return find(find(of(database)?.tables, table)?.columns, column);
}

/*
 * Rows within bounds: so many, so many bytes, each cell as JSON can carry it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import type { Cell, Rows } from './database.ts';
import { ToolError } from './errors.ts';

export interface Result {
    columns: string[];
    rows: unknown[][];
    row_count: number;
    truncated: boolean;
    row_cap: number;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false });

function bytesOf(value: unknown): number {
    return encoder.encode(JSON.stringify(value)).length;
}

function base64(bytes: number[]): string {
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

class Collector {
    cutCells = false;
    beyondExact = false;
    #cellCap: number;

    constructor(maxBytes: number) {
        this.#cellCap = Math.floor(maxBytes / 8);
    }

    #text(text: string): string {
        if (text.length * 3 <= this.#cellCap)
            return text;
        const bytes = encoder.encode(text);
        if (bytes.length <= this.#cellCap)
            return text;
        let end = this.#cellCap;
        while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80)
            end--; /* never inside a character */
        this.cutCells = true;
        return `${decoder.decode(bytes.subarray(0, end))} ... [cut: ${bytes.length} bytes in all]`;
    }

    cell(value: Cell): unknown {
        if (typeof value === 'string')
            return this.#text(value);
        if (Array.isArray(value)) {
            this.cutCells ||= value.length > this.#cellCap;
            return { blob_base64: base64(value.slice(0, this.#cellCap)), bytes: value.length };
        }
        if (value !== null && (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER))
            this.beyondExact = true;
        return typeof value === 'bigint' ? String(value) : value;
    }
}

/* rows may hold one more than rowCap: the sign that there are more. The notes are sentences for the model. */
export function collect({ columns, rows }: Rows, rowCap: number, maxBytes: number): { result: Result; notes: string } {
    const collector = new Collector(maxBytes);
    const result: Result = { columns, rows: [], row_count: 0, truncated: false, row_cap: rowCap };
    let bytes = bytesOf(columns) + '{"columns":,"rows":['.length;
    if (bytes > maxBytes)
        throw new ToolError('TOO_LARGE', 'the column names alone are longer than a result may be; select fewer columns');
    let outOfBytes = false;
    for (const row of rows.slice(0, rowCap)) {
        const cells = row.map((value) => collector.cell(value));
        bytes += bytesOf(cells) + (result.rows.length > 0 ? 1 : 0);
        outOfBytes = bytes > maxBytes;
        if (outOfBytes)
            break;
        result.rows.push(cells);
    }
    const moreRows = !outOfBytes && rows.length > rowCap;
    const shown = result.row_count = result.rows.length;
    result.truncated = moreRows || outOfBytes;
    const notes = [
        moreRows && `Only the first ${shown} rows are shown; there are more.`,
        outOfBytes && shown > 0 && `Only the first ${shown} rows are shown: the next one would make the result longer than`
            + ' this server allows.',
        outOfBytes && shown === 0 && 'No row is shown: the first one alone is longer than this server allows; select fewer'
            + ' or shorter columns.',
        collector.cutCells && 'Long cells are cut; use substr() to read on.',
        collector.beyondExact && 'D1 sends integers beyond 2^53 rounded; CAST(x AS TEXT) keeps their digits.',
    ];
    return { result, notes: notes.filter((note) => note !== false).join(' ') };
}

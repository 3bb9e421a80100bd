/* The case files, from disk: { name: Uint8Array }. */
import { readdirSync, readFileSync } from 'node:fs';

const folder = new URL('../../../tests/cases/', import.meta.url);

export function caseFiles() {
    const names = readdirSync(folder).filter((name) => name.endsWith('.tsv') && name !== 'abi.tsv').sort();
    return Object.fromEntries(names.map((name) => [name, new Uint8Array(readFileSync(new URL(name, folder)))]));
}

/*
 * Puts the npm package together:  node package.mjs SOURCE-FOLDER LICENSE d1guard.h d1guard.wasm OUTPUT-FOLDER
 * Most files are copied; four are made here from others, so that nothing is written down twice.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [source, license, header, wasm, output] = process.argv.slice(2);
const read = (name) => readFileSync(join(source, name), 'utf8');
const write = (name, text) => writeFileSync(join(output, name), text);

for (const name of ['index.js', 'workerd.js', 'guard.js', 'index.d.ts', 'package.json', 'README.md'])
    copyFileSync(join(source, name), join(output, name));
copyFileSync(license, join(output, 'LICENSE'));

/* The rows of one of the header's lists, X(id, number, slug[, sentence]), as [number, slug, sentence]. */
const lists = readFileSync(header, 'utf8');
function rows(list) {
    const [, text] = new RegExp(`#define D1GUARD_${list}\\(X\\)((?:.*\\\\\n)*.*)`).exec(lists);
    const found = [...text.matchAll(/X\(\w+, *(\d+), *"([^"\\]+)"(?:, *"([^"\\]+)")?\)/g)].map(([, ...row]) => row);
    if (found.length === 0 || found.length !== text.split('X(').length - 1)
        throw new Error(`a row of D1GUARD_${list} is not understood`);
    return found;
}

/* One column of them by number, as JavaScript. */
function table(name, list, column) {
    const lines = rows(list).map((row) => `    ${row[0]}: '${row[column].replace(/'/g, "\\'")}',\n`);
    return `export const ${name} = {\n${lines.join('')}};\n`;
}

/* What numbers mean. The module does without its own copy of these texts: they are a fifth of the library. */
const names = [
    table('REASONS', 'REASONS', 1),
    table('SENTENCES', 'REASONS', 2),
    ...['RISKS', 'KINDS', 'EXPLAINS', 'TOKENS', 'FORMS'].map((list) => table(list, list, 1)),
    `export const VERSION = '${/VERSION_STRING "([^"]+)"/.exec(lists)[1]}';\n`,
].join('\n');
write('names.js', `/* The lists of d1guard.h by number, made from it. */\n\n${names}`);

/* The module as JavaScript. atob is everywhere; fromBase64 is not yet. */
const bytes = `Uint8Array.from(atob('${readFileSync(wasm).toString('base64')}'), (c) => c.charCodeAt(0))`;
write('d1guard.wasm.js', `/* d1guard.wasm, made from it. */\nexport default ${bytes};\n`);

/* CommonJS: names.js, guard.js and index.js in one file, with their imports and exports written the other way. */
const guard = read('guard.js').replace(/^import .*\n/gm, '');
const functions = /export const \{([^}]*)\}/.exec(read('index.js'))[1].trim();
write('index.cjs', `${(names + guard).replace(/^export /gm, '')}
const wasm = ${bytes};
const { ${functions} } = createGuard(new WebAssembly.Module(wasm));
module.exports = { SqlBlockedError, ${functions} };
`);
write('index.d.cts', read('index.d.ts'));

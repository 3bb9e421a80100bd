/*
 * Puts the npm package together:  node package.mjs SOURCE-FOLDER LICENSE d1guard.wasm OUTPUT-FOLDER
 * Most files are copied; three are made here from others, so that nothing is written down twice.
 */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [source, license, wasm, output] = process.argv.slice(2);
const read = (name) => readFileSync(join(source, name), 'utf8');
const write = (name, text) => writeFileSync(join(output, name), text);

for (const name of ['index.js', 'workerd.js', 'guard.js', 'index.d.ts', 'package.json', 'README.md'])
    copyFileSync(join(source, name), join(output, name));
copyFileSync(license, join(output, 'LICENSE'));

/* The module as JavaScript. atob is everywhere; fromBase64 is not yet. */
const bytes = `Uint8Array.from(atob('${readFileSync(wasm).toString('base64')}'), (c) => c.charCodeAt(0))`;
write('d1guard.wasm.js', `/* d1guard.wasm, made from it. */\nexport default ${bytes};\n`);

/* CommonJS: guard.js and index.js in one file, with their imports and exports written the other way. */
const guard = read('guard.js').replace(/^export /gm, '');
const names = /export const \{([^}]*)\}/.exec(read('index.js'))[1].trim();
write('index.cjs', `${guard}
const wasm = ${bytes};
const { ${names} } = createGuard(new WebAssembly.Module(wasm));
module.exports = { SqlBlockedError, ${names} };
`);
write('index.d.cts', read('index.d.ts'));

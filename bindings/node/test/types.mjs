/* node types.mjs PACKAGE-FOLDER: types.ts compiles against the package, found in each way that projects use. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { equal, report, run } from './harness.mjs';

const tsc = fileURLToPath(new URL('../../../tests/deps/worker/node_modules/.bin/tsc', import.meta.url));

function compile(file, module, moduleResolution) {
    const project = mkdtempSync(join(tmpdir(), 'd1guard-types-'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(resolve(process.argv[2]), join(project, 'node_modules', 'd1guard'));
    copyFileSync(new URL('types.ts', import.meta.url), join(project, file));
    writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({
        compilerOptions: {
            strict: true, exactOptionalPropertyTypes: true, noEmit: true, target: 'es2022', lib: ['es2022', 'dom'], types: [],
            module, moduleResolution,
        },
        files: [file],
    }));
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    rmSync(project, { recursive: true });
    equal([status, stdout], [0, '']);
}

process.exitCode = report(await run([
    ['ES module in Node', () => compile('types.mts', 'nodenext', 'nodenext')],
    ['CommonJS in Node', () => compile('types.cts', 'nodenext', 'nodenext')],
    ['bundler', () => compile('types.ts', 'esnext', 'bundler')],
]), 'types: ') ? 0 : 1;

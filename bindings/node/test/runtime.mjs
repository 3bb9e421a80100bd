/* runtime.mjs PACKAGE-FOLDER NAME: the suite in whatever runs this, Deno or Bun. */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { caseFiles } from './case_files.mjs';
import { report, run } from './harness.mjs';
import { suite } from './suite.mjs';

const [folder, name] = process.argv.slice(2);
const guard = await import(pathToFileURL(resolve(folder, 'index.js')).href);
process.exitCode = report(await run(suite(guard, caseFiles())), `${name}: `) ? 0 : 1;

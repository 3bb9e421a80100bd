/* node workerd.mjs PACKAGE-FOLDER: the suite in workerd. */
import { resolve } from 'node:path';
import { caseFiles } from './case_files.mjs';
import { report } from './harness.mjs';
import { startWorker } from './miniflare.mjs';

const worker = startWorker('in_worker.mjs', ['cases.mjs', 'harness.mjs', 'suite.mjs'], resolve(process.argv[2]));
try {
    const body = new FormData();
    for (const [name, bytes] of Object.entries(caseFiles()))
        body.set(name, new Blob([bytes]), name);
    const request = new Request('http://worker/', { method: 'POST', body });
    const response = await worker.dispatchFetch('http://worker/', {
        method: 'POST', headers: { 'content-type': request.headers.get('content-type') }, body: await request.arrayBuffer(),
    });
    const text = await response.text();
    if (!response.ok)
        throw new Error(text);
    process.exitCode = report(JSON.parse(text), 'workerd: ') ? 0 : 1;
} finally {
    await worker.dispose();
}

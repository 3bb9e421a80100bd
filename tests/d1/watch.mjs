/*
 * Runs texts one by one and tells for each whether it changed anything: by a dump in the request before it and in the one
 * behind it, and by what D1 reports.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { dumpJob, firstDifference, readDump } from './database.mjs';

/* [{ job, answer, change }] for jobs as in_worker.mjs has them; change says what is different, undefined if nothing is. */
export async function watch(engine, jobs) {
    const answers = await engine.ask([dumpJob, ...jobs.flatMap((job) => [job, dumpJob])]);
    return jobs.map((job, i) => {
        const [was, answer, is] = answers.slice(2 * i, 2 * i + 3);
        const { meta } = answer;
        let change = firstDifference(readDump(was), readDump(is));
        if (change === undefined && (meta?.changed_db || meta?.rows_written || meta?.changes))
            change = `D1 says ${JSON.stringify(meta)}`;
        return { job, answer, change };
    });
}

/* The first few that changed something, for a person. */
export function listChanges(results) {
    return results.filter(({ change }) => change !== undefined).slice(0, 5)
        .map(({ job, change }) => `${JSON.stringify(job)}: ${change}`).join('\n');
}

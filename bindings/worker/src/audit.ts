/*
 * One JSON line for each call of a tool, kept with the person who called; off unless the deployment says otherwise. A line
 * that cannot be written is reported in the Worker's log and costs no answer.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { sha256, type Caller } from './people.ts';
import type { Env, Settings } from './settings.ts';
import type { CallRecord } from './tools.ts';

async function makeLine(record: CallRecord, startedAt: number, withText: boolean): Promise<string> {
    const { tool, database, sql, verdict, reason, error, rows } = record;
    return JSON.stringify({
        time: new Date(startedAt).toISOString(),
        tool,
        database,
        ...(sql !== undefined && (withText ? { sql } : { sql_sha256: await sha256(sql) })),
        verdict,
        reason,
        error,
        rows,
        duration_ms: Date.now() - startedAt,
    });
}

export async function writeAudit(env: Env, settings: Settings, caller: Caller, record: CallRecord,
    startedAt: number): Promise<void> {
    if (settings.audit === 'off')
        return;
    try {
        const line = await makeLine(record, startedAt, settings.audit === 'text');
        await env.PERSON.getByName(caller.key).record(line, { days: settings.auditDays, rows: settings.auditRows });
    } catch (error) {
        console.error(`audit: a line was lost: ${String(error)}`);
    }
}

/*
 * What the team's Worker remembers of one person: the approval, the calls of the last minute, the audit. One Durable
 * Object a person, with SQLite storage: its methods run one after the other, so "once" means once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import { DurableObject } from 'cloudflare:workers';
import type { Env } from './settings.ts';

const LINK_MS = 3_600_000; /* a link is good for one hour */
const DAY_MS = 86_400_000;

/* What a first call tells about itself; it is shown on the approval page. */
export interface Asking {
    [detail: string]: string;
}

export interface Pending {
    form: string; /* the one-time value of the page's form */
    asking: Asking;
    askedAt: number;
    expiresAt: number;
}

export type Admission =
    | { state: 'admitted' }
    | { state: 'pending'; link: string }
    | { state: 'too-many'; seconds: number };

export interface AuditLimits {
    days: number;
    rows: number;
}

function randomText(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

export class Person extends DurableObject<Env> {
    #sql = this.ctx.storage.sql;
    #calls = { left: Infinity, at: 0 }; /* a token bucket; forgotten only after a while without calls */

    constructor(ctx: DurableObjectState, env: Env) {
        super(ctx, env);
        this.#sql.exec(`CREATE TABLE IF NOT EXISTS approved (sha256 TEXT PRIMARY KEY, at INTEGER NOT NULL)`);
        this.#sql.exec(`CREATE TABLE IF NOT EXISTS pending (sha256 TEXT PRIMARY KEY, link TEXT NOT NULL, form TEXT NOT NULL,
            asking TEXT NOT NULL, asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL)`);
        this.#sql.exec(`CREATE TABLE IF NOT EXISTS audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL,
            line TEXT NOT NULL)`);
        this.#sql.exec(`CREATE INDEX IF NOT EXISTS audit_at ON audit (at)`);
    }

    /* May a call with this token run now? A token that nobody approved gets a link, the same one for an hour. */
    admit(sha256: string, callsPerMinute: number, asking: Asking): Admission {
        const seconds = this.#take(callsPerMinute);
        if (seconds > 0)
            return { state: 'too-many', seconds };
        if (this.#sql.exec(`SELECT 1 FROM approved WHERE sha256 = ?`, sha256).toArray().length > 0)
            return { state: 'admitted' };
        return { state: 'pending', link: this.#link(sha256, asking) };
    }

    /* Takes one call, or returns the seconds until there is one. */
    #take(callsPerMinute: number): number {
        const now = Date.now();
        const earned = (now - this.#calls.at) * callsPerMinute / 60_000;
        const left = Math.min(this.#calls.left + earned, callsPerMinute);
        this.#calls = { left: left >= 1 ? left - 1 : left, at: now };
        return left >= 1 ? 0 : Math.ceil((1 - left) * 60 / callsPerMinute);
    }

    #link(sha256: string, asking: Asking): string {
        const now = Date.now();
        this.#sql.exec(`DELETE FROM pending WHERE expires_at <= ? OR sha256 <> ?`, now, sha256);
        this.#sql.exec(`INSERT INTO pending VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
            sha256, randomText(), randomText(), JSON.stringify(asking), now, now + LINK_MS);
        return this.#sql.exec<{ link: string }>(`SELECT link FROM pending WHERE sha256 = ?`, sha256).one().link;
    }

    /* What a link stands for, as long as it can be used with this token; changes nothing. */
    look(sha256: string, link: string): Pending | null {
        const [row] = this.#sql.exec<{ form: string; asking: string; asked_at: number; expires_at: number }>(
            `SELECT form, asking, asked_at, expires_at FROM pending WHERE sha256 = ? AND link = ? AND expires_at > ?`,
            sha256, link, Date.now()).toArray();
        if (row === undefined)
            return null;
        return { form: row.form, asking: JSON.parse(row.asking), askedAt: row.asked_at, expiresAt: row.expires_at };
    }

    /* Uses a link up. True for one caller only. */
    approve(sha256: string, link: string, form: string): boolean {
        return this.ctx.storage.transactionSync(() => {
            const used = this.#sql.exec(
                `DELETE FROM pending WHERE sha256 = ? AND link = ? AND form = ? AND expires_at > ? RETURNING sha256`,
                sha256, link, form, Date.now()).toArray();
            if (used.length !== 1)
                return false;
            this.#sql.exec(`DELETE FROM approved`); /* those of the person's earlier tokens */
            this.#sql.exec(`INSERT INTO approved VALUES (?, ?)`, sha256, Date.now());
            return true;
        });
    }

    record(line: string, keep: AuditLimits): void {
        const now = Date.now();
        this.#sql.exec(`INSERT INTO audit (at, line) VALUES (?, ?)`, now, line);
        this.#sql.exec(`DELETE FROM audit WHERE at < ? OR id <= (SELECT max(id) FROM audit) - ?`,
            now - keep.days * DAY_MS, keep.rows);
    }

    /* The lines, oldest first. */
    lines(): string[] {
        return this.#sql.exec<{ line: string }>(`SELECT line FROM audit ORDER BY id`).toArray().map((row) => row.line);
    }
}

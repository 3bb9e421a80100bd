// The D1 backend: against the real engine behind a stand-in for the REST API, and against an API that fails
// in every way it can.
//
//     node --test-reporter=tap d1.test.mjs SERVER
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test, { after, before } from "node:test";
import { envelope, failure, realEngine, scripted, table } from "./d1_api.mjs";

const command = process.argv[2];
const TOKEN = "secret-token-0123456789";

// A server process and a plain client for it.
class Server {
    constructor(args, environment = { CLOUDFLARE_API_TOKEN: TOKEN }) {
        const kept = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(D1GUARD_|CLOUDFLARE_)/.test(name)));
        this.process = spawn(command, args, { env: { ...kept, ...environment } });
        this.waiting = new Map();
        this.number = 0;
        this.stderr = "";
        this.stdout = "";
        this.process.stderr.on("data", (data) => { this.stderr += data; });
        createInterface(this.process.stdout).on("line", (line) => {
            this.stdout += line;
            const message = JSON.parse(line);
            this.waiting.get(message.id)?.(message);
        });
        this.ended = new Promise((done) => this.process.on("close", done));
    }
    send(message) {
        this.process.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
    }
    request(method, params = {}) {
        const id = ++this.number;
        this.send({ id, method, params });
        return Promise.race([new Promise((done) => this.waiting.set(id, done)), this.ended.then((status) => { throw new Error(`ended with ${status}: ${this.stderr}`); })]);
    }
    async call(name, args) {
        return (await this.request("tools/call", { name, arguments: args })).result;
    }
    async query(sql, args = {}) {
        const result = await this.call("query", { sql, ...args });
        assert.equal(result.isError, false, JSON.stringify(result));
        assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
        return result;
    }
    async rows(sql, args) {
        return (await this.query(sql, args)).structuredContent.rows;
    }
    async error(sql, args = {}, tool = "query") {
        const result = await this.call(tool, { sql, ...args });
        assert.equal(result.isError, true, JSON.stringify(result));
        return JSON.parse(result.content[0].text).error;
    }
    async close() {
        this.process.stdin.end();
        assert.equal(await this.ended, 0, this.stderr);
        assert.ok(!(this.stderr + this.stdout).includes(TOKEN), "the token is shown");
    }
}

const with_server = async (args, run, environment) => {
    const server = new Server(args, environment);
    try {
        await run(server);
    } finally {
        await server.close();
    }
};

let real;

before(async () => {
    real = await realEngine({
        db1: ["CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL DEFAULT 'x', r REAL, x BLOB)", "CREATE INDEX tb ON t (b)",
            "CREATE TABLE child (t_id REFERENCES t (a) ON DELETE CASCADE)", "CREATE TABLE d1_migrations (id)", "CREATE VIEW v AS SELECT a FROM t",
            "CREATE VIEW vopt AS SELECT * FROM pragma_optimize", "CREATE VIEW vover AS SELECT * FROM vopt", "CREATE VIRTUAL TABLE f USING fts5 (x)",
            "INSERT INTO t VALUES (1, 'é 森 😀', 1.5, x'00ff'), (2, 'two', 2.0, NULL), (9007199254740993, '', 1e300, x'')",
            "INSERT INTO f VALUES ('alpha beta')"],
        db2: ["CREATE TABLE other (z)"],
    }, TOKEN);
});
after(() => real.close());

const one = () => ["--d1", "account/db1", "--d1-api-base", real.base];

test("engine: lists and describes tables", () => with_server(one(), async (s) => {
    const { tools } = (await s.request("tools/list")).result;
    assert.deepEqual(tools.map((tool) => tool.name), ["list_tables", "describe_table", "query", "d1_read_query"]);
    const listed = (await s.call("list_tables", {})).structuredContent;
    assert.deepEqual(listed, { database: "db1", truncated: false, tables: [{ name: "child", type: "table" }, { name: "f", type: "virtual" }, { name: "t", type: "table" },
        { name: "v", type: "view" }, { name: "vopt", type: "view", blocked: "denied-table" }, { name: "vover", type: "view", blocked: "denied-table" }] });
    const described = (await s.call("describe_table", { table: "T" })).structuredContent;
    assert.deepEqual(described.columns.map((column) => Object.values(column)), [["a", "INTEGER", false, null, 1, false], ["b", "TEXT", true, "'x'", 0, false],
        ["r", "REAL", false, null, 0, false], ["x", "BLOB", false, null, 0, false]]);
    assert.deepEqual(described.indexes, [{ name: "tb", unique: false, partial: false, columns: ["b"] }]);
    assert.deepEqual((await s.call("describe_table", { table: "child" })).structuredContent.foreign_keys,
        [{ columns: ["t_id"], table: "t", references: ["a"], on_update: "NO ACTION", on_delete: "CASCADE" }]);
    assert.match((await s.call("describe_table", { table: "t'); DROP TABLE t; --" })).content[0].text, /NO_SUCH_TABLE/);
}));

test("engine: every type of value", () => with_server(one(), async (s) => {
    assert.deepEqual(await s.rows("SELECT * FROM t WHERE a < 3"), [[1, "é 森 😀", 1.5, { blob_base64: "AP8=", bytes: 2 }], [2, "two", 2, null]]);
    const big = await s.query("SELECT a, CAST(a AS TEXT), r, x FROM t WHERE a > 3");
    assert.deepEqual(big.structuredContent.rows, [["9007199254740992", "9007199254740993", 1e300, { blob_base64: "", bytes: 0 }]]);
    assert.match(big.content[1].text, /rounded/);
    assert.deepEqual(await s.rows("SELECT 9223372036854775807 AS n, 5 AS m, 'a' || char(10, 34) AS t"), [[9223372036854775807, 5, "a\n\""]]);
    const twice = (await s.query("SELECT 1 AS a, 2 AS a")).structuredContent;
    assert.deepEqual([twice.columns, twice.rows], [["a", "a"], [[1, 2]]]);
}));

test("engine: parameters", () => with_server(one(), async (s) => {
    assert.deepEqual(await s.rows("SELECT ?, ?, ?, typeof(?)", { params: ["a\"b", null, 2.5, { blob_base64: "AP8=" }] }), [["a\"b", null, 2.5, "blob"]]);
    assert.deepEqual(await s.rows("SELECT ?2, ?1", { params: [1, 2] }), [[2, 1]]);
    assert.deepEqual(await s.rows("SELECT ?1, ?1, ?", { params: [1, 2] }), [[1, 1, 2]]);
    assert.deepEqual(await s.rows("SELECT ?3", { params: [1, 2, 3] }), [[3]]);
    assert.deepEqual(await s.rows("SELECT a FROM t WHERE a = ?", { params: [2] }), [[2]]);
    assert.deepEqual(await s.rows("SELECT CAST(a AS TEXT) FROM t WHERE a = ?", { params: [{ integer: "9007199254740993" }] }), [["9007199254740993"]]);
    const named = "SELECT :a, @b, $c, :a /* :d */, ':e'";
    assert.deepEqual(await s.rows(named, { params: { c: 3, ":a": 1, b: 2 } }), [[1, 2, 3, 1, ":e"]]);
    assert.deepEqual(real.requests.at(-1).body.params, [1, 2, 3]);
    for (const [sql, params] of [["SELECT ?", []], ["SELECT 1", [1]], ["SELECT :a", { b: 1 }], ["SELECT ?101", []], ["SELECT ?0", []]])
        assert.equal((await s.error(sql, { params })).code, "BAD_ARGUMENT", sql);
}));

test("engine: only guarded, capped text is sent", () => with_server([...one(), "--max-rows", "2"], async (s) => {
    const result = (await s.query("/* ; */ SELECT a FROM t ORDER BY a -- ;\n;")).structuredContent;
    assert.deepEqual(result, { columns: ["a"], rows: [[1], [2]], row_count: 2, truncated: true, row_cap: 2 });
    assert.equal(real.requests.at(-1).body.sql, "SELECT a FROM t ORDER BY a\nLIMIT 3");
    const count = real.requests.length;
    for (const sql of ["DELETE FROM t", "SELECT 1; DELETE FROM t", "WITH x AS (SELECT 1) DELETE FROM t", "PRAGMA optimize", "SELECT * FROM pragma_optimize", "SELECT * FROM vover",
        "PRAGMA user_version", "EXPLAIN DELETE FROM t"])
        assert.equal((await s.error(sql)).code, "SQL_BLOCKED", sql);
    assert.equal(real.requests.length, count);
    const left = await (await real.database("db1")).prepare("SELECT count(*) AS n FROM t").first();
    assert.equal(left.n, 3);
}));

test("engine: PRAGMA, EXPLAIN and full-text search", () => with_server([...one(), "--max-rows", "2"], async (s) => {
    assert.deepEqual((await s.query("PRAGMA table_info(t)")).structuredContent.rows.map((row) => row[1]), ["a", "b"]);
    assert.equal((await s.query("EXPLAIN SELECT * FROM t")).structuredContent.truncated, true);
    assert.deepEqual(await s.rows("SELECT x FROM f WHERE f MATCH 'beta'"), [["alpha beta"]]);
}));

test("engine: its errors", () => with_server(one(), async (s) => {
    const error = await s.error("SELECT nosuch FROM t");
    assert.equal(error.code, "SQL_ERROR");
    assert.match(error.message, /no such column/);
    assert.equal((await s.error("SELECT sqlite_version()")).code, "SQL_ERROR");
}));

test("engine: d1_read_query", () => with_server(["--d1", "account/db1,account/db2", "--d1-api-base", real.base], async (s) => {
    const read = async (args) => (await s.call("d1_read_query", { sql: "SELECT name FROM sqlite_schema WHERE name IN ('t', 'other')", ...args })).structuredContent?.rows;
    assert.deepEqual(await read({}), [["t"]]);
    assert.deepEqual(await read({ database_id: "db2" }), [["other"]]);
    assert.deepEqual(await read({ database_id: "db2", account_id: "account" }), [["other"]]);
    for (const args of [{ database_id: "db3" }, { account_id: "x" }, { account_id: "x", database_id: "db1" }, { database_id: "" }])
        assert.equal((await s.error("SELECT 1", args, "d1_read_query")).code, "NOT_CONFIGURED");
    assert.equal((await s.error("SELECT 1", { max_rows: 5 }, "d1_read_query")).code, "BAD_ARGUMENT");
    assert.equal((await s.error("DELETE FROM other", { database_id: "db2" }, "d1_read_query")).reason, "write");
}));

test("engine: several databases, by name", () => with_server(["--d1", "first=account/db1", "--d1=second=account/db2", "--d1-api-base", real.base], async (s) => {
    const { tools } = (await s.request("tools/list")).result;
    assert.ok("database" in tools[0].inputSchema.properties && "database" in tools[2].inputSchema.properties);
    assert.equal((await s.call("list_tables", {})).structuredContent.database, "first");
    const second = (await s.call("list_tables", { database: "second" })).structuredContent;
    assert.deepEqual([second.database, second.tables], ["second", [{ name: "other", type: "table" }]]);
    assert.deepEqual(await s.rows("SELECT count(*) FROM other", { database: "second" }), [[0]]);
    assert.match((await s.call("describe_table", { table: "other" })).content[0].text, /NO_SUCH_TABLE/);
    assert.equal((await s.error("SELECT 1", { database: "db1" })).code, "NOT_CONFIGURED");
}));

test("engine: wrong token, wrong database", async () => {
    await with_server(one(), async (s) => {
        const error = await s.error("SELECT 1");
        assert.equal(error.code, "D1_AUTH");
        assert.match(error.message, /401.*Authentication error.*10000/);
    }, { CLOUDFLARE_API_TOKEN: "wrong" });
    await with_server(["--d1", "account/nosuch", "--d1-api-base", real.base], async (s) => {
        assert.match((await s.error("SELECT 1")).message, /404/);
    });
});

test("engine: the token from a file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "d1guard-d1-"));
    writeFileSync(join(folder, "token"), `${TOKEN}\n`);
    await with_server([...one(), "--token-file", join(folder, "token")], async (s) => {
        assert.deepEqual(await s.rows("SELECT 1"), [[1]]);
    }, {});
    rmSync(folder, { recursive: true });
});

test("options that cannot be right", async () => {
    const token = { CLOUDFLARE_API_TOKEN: TOKEN };
    for (const [args, environment] of [[["--d1", "a/b"], {}], [["--d1", "a/b"], { CLOUDFLARE_API_TOKEN: "a\nb" }], [["--d1", "a/b", "--token-file", "/nosuch"], token],
        [["--d1", "a"], token], [["--d1", "/b"], token], [["--d1", "a/"], token], [["--d1", "a/b/c"], token], [["--d1", "a/b?x"], token], [["--d1", "a/b,c/b"], token], [["--d1", "a/b", "--guard-only"], token],
        [["--d1", "a/b", "--d1-api-base", "http://example.com"], token], [["--d1", "a/b", "--d1-api-base", "http://127.0.0.1.example.com"], token],
        [["--d1", "a/b", "--d1-api-base", "ftp://127.0.0.1"], token]]) {
        const s = new Server(args, environment);
        s.process.stdin.end(); // one that starts all the same ends with 0
        assert.equal(await s.ended, args.includes("--guard-only") ? 2 : 1, args.join(" "));
        assert.match(s.stderr, /d1guard-mcp: /);
    }
});

// --- an API that fails ---

// Runs the server against an API that gives these answers.
async function against(answers, run, ...options) {
    const api = await scripted(answers);
    try {
        await with_server(["--d1", "account/db1", "--d1-api-base", api.base, ...options], (s) => run(s, api));
    } finally {
        await api.close();
    }
}

const answers_error = (name, answers, code, pattern, ...options) => test(`failing: ${name}`, () => against(answers, async (s) => {
    const error = await s.error("SELECT 1");
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    assert.deepEqual((await s.request("ping")).result, {});
}, ...options));

answers_error("500, again and again", ({ send }) => send(500, failure(7500, "internal error")), "D1_ERROR", /HTTP 500: internal error/);
answers_error("502 with HTML", ({ send }) => send(502, "<html><body>Bad gateway</body></html>", { "content-type": "text/html" }), "D1_ERROR", /HTTP 502.*none of its JSON/);
answers_error("200 with HTML", ({ send }) => send(200, "<html></html>", { "content-type": "text/html" }), "D1_ERROR", /HTTP 200/);
answers_error("200 with half a body", ({ send }) => send(200, JSON.stringify(table(["a"], [[1]])).slice(0, -5)), "D1_ERROR", /HTTP 200/);
answers_error("an empty body", ({ send }) => send(200, ""), "D1_ERROR", /HTTP 200/);
answers_error("403", ({ send }) => send(403, failure(7403, "The given account is not valid")), "D1_AUTH", /7403/);
answers_error("429, asking for a long wait", ({ send }) => send(429, failure(971, "throttled"), { "retry-after": "3600" }), "D1_BUSY", /try again later/);
answers_error("429, again and again", ({ send }) => send(429, failure(971, "throttled")), "D1_BUSY", /429/);
answers_error("a redirect is not followed", ({ send }) => send(302, "", { location: "https://example.com/" }), "D1_ERROR", /HTTP 302/);
answers_error("a body that never ends", ({ response }) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write(" "), 50);
    response.on("close", () => clearInterval(drip));
}, "TIMEOUT", /time limit/, "--timeout-ms", "600");
answers_error("no answer at all", () => {}, "TIMEOUT", /time limit/, "--timeout-ms", "600");
answers_error("a body that is too long", ({ response }) => {
    response.writeHead(200);
    response.end("[" + "\"x\",".repeat(3 << 20));
}, "TOO_LARGE", /8 MiB/);
answers_error("a connection that breaks", ({ response }) => response.destroy(), "D1_UNREACHABLE", /reached/);
answers_error("rows that do not fit the columns", ({ send }) => send(200, table(["a", "b"], [[1]])), "D1_ERROR", /do not fit/);
answers_error("columns that are no names", ({ send }) => send(200, table([1], [[1]])), "D1_ERROR", /do not fit/);
answers_error("results of two statements", ({ send }) => send(200, envelope([...table(["a"], [[1]]).result, ...table(["a"], [[1]]).result])), "D1_ERROR", /one statement/);
answers_error("rows as objects", ({ send }) => send(200, envelope([{ success: true, results: [{ a: 1 }], meta: {} }])), "D1_ERROR", /one statement/);
answers_error("200 without success", ({ send }) => send(200, failure(7500, "no")), "D1_ERROR", /no/);

test("failing: connection refused", async () => {
    const api = await scripted(() => {});
    await api.close();
    await with_server(["--d1", "account/db1", "--d1-api-base", api.base], async (s) => {
        assert.equal((await s.error("SELECT 1")).code, "D1_UNREACHABLE");
    });
});

test("failing: 500 and 429 that pass are asked again", () => against(({ send }, number) => {
    if (number === 1)
        return send(500, failure(7500, "internal error"));
    if (number === 2)
        return send(429, failure(971, "throttled"), { "retry-after": "1" });
    return send(200, table(["a"], [[5]]));
}, async (s) => {
    const start = Date.now();
    assert.deepEqual(await s.rows("SELECT 5"), [[5]]);
    assert.ok(Date.now() - start >= 1000, "Retry-After was not kept");
}));

test("failing: an error of the statement is not asked again", () => against(({ send }) => send(400, failure(7500, "no such table: x: SQLITE_ERROR")), async (s, api) => {
    assert.equal((await s.error("SELECT * FROM x")).code, "SQL_ERROR");
    assert.equal(api.requests.length, 2); // the views, the query
}));

test("failing: a write that D1 reports raises an alarm", async () => {
    for (const meta of [{ changed_db: true }, { rows_written: 3 }])
        await against(({ send }) => send(200, table(["a"], [[1]], meta)), async (s) => {
            assert.equal((await s.error("SELECT 1")).code, "DATABASE_CHANGED");
            assert.match(s.stderr, /ALARM/);
        });
});

test("failing: views that cannot be listed keep every query back", async () => {
    const api = await scripted(() => {});
    await api.close();
    await with_server(["--d1", "account/db1", "--d1-api-base", api.base], async (s) => {
        assert.equal((await s.error("SELECT 1")).code, "D1_UNREACHABLE");
        assert.equal((await s.error("SELECT 1")).code, "D1_UNREACHABLE");
    });
});

test("failing: numbers beyond 64 bits", () => against(({ response }) => {
    response.writeHead(200);
    response.end('{"success":true,"result":[{"results":{"columns":["a","b","c","d"],"rows":[[9223372036854776000,5,1.5,-9007199254740993]]},"meta":{}}]}');
}, async (s) => {
    const result = await s.query("SELECT 1");
    assert.deepEqual(result.structuredContent.rows, [[9223372036854776000, 5, 1.5, "-9007199254740992"]]);
    assert.match(result.content[1].text, /rounded/);
}));

test("failing: a query that is cancelled while D1 is silent", () => against(({ send }, number) => number > 1 && send(200, table(["a"], [[2]])), async (s) => {
    s.send({ id: "endless", method: "tools/call", params: { name: "query", arguments: { sql: "SELECT 1" } } });
    await new Promise((done) => setTimeout(done, 300));
    s.send({ method: "notifications/cancelled", params: { requestId: "endless" } });
    const start = Date.now();
    assert.deepEqual(await s.rows("SELECT 2"), [[2]]);
    assert.ok(Date.now() - start < 5000);
    assert.ok(!s.stdout.includes("endless"));
}));

test("failing: bytes that are no text, and what is bound, arrive as they are", () => against(({ send }) => send(200, table(["a"], [[[0, 255, 128]], ["\0\u2028"]])), async (s, api) => {
    assert.deepEqual(await s.rows("SELECT ?1, ?2", { params: ["\0\"\\\u2028😀", { blob_base64: "AP8=" }] }), [[{ blob_base64: "AP+A", bytes: 3 }], ["\0\u2028"]]);
    const sent = api.requests.at(-1);
    assert.deepEqual(sent.body, { sql: "SELECT ?1, ?2\nLIMIT 201", params: ["\0\"\\\u2028😀", [0, 255]] });
    assert.equal(sent.headers.authorization, `Bearer ${TOKEN}`);
    assert.equal(sent.url, "/client/v4/accounts/account/d1/database/db1/raw");
}));

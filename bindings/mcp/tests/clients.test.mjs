// The official TypeScript clients drive the server over stdio: version 2 in each of its ways to agree on a
// protocol version, and version 1, which most installed clients are built with. They check every result
// against the tool's outputSchema.
//
//     node --test-reporter=tap clients.test.mjs SERVER
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import test from "node:test";

const command = process.argv[2];
const deps = new URL("../../../tests/deps/", import.meta.url);
const v2 = createRequire(new URL("worker/package.json", deps));
const v1 = createRequire(new URL("mcp/package.json", deps));
const two = { ...v2("@modelcontextprotocol/client"), ...v2("@modelcontextprotocol/client/stdio") };
const one = { ...v1("@modelcontextprotocol/sdk/client/index.js"), ...v1("@modelcontextprotocol/sdk/client/stdio.js") };
const ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

const ways = [
    { name: "client 2, legacy", sdk: two, options: { versionNegotiation: { mode: "legacy" } }, era: "legacy" },
    { name: "client 2, 2026-07-28", sdk: two, options: { versionNegotiation: { mode: { pin: "2026-07-28" } } }, era: "modern" },
    { name: "client 2, auto", sdk: two, options: { versionNegotiation: { mode: "auto" } }, era: "modern" },
    { name: "sdk 1", sdk: one, options: {}, era: undefined },
];

for (const { name, sdk, options, era } of ways) {
    const step = (what, run) => test(`${name}: ${what}`, run);
    const client = new sdk.Client({ name: "clients.test", version: "0" }, options);
    const transport = new sdk.StdioClientTransport({ command, args: ["--demo", "--max-rows", "100"], stderr: "pipe" });
    const call = (tool, args, more) => client.callTool({ name: tool, arguments: args }, ...(sdk === one ? [undefined, more] : [more]));
    const query = async (sql, args = {}) => (await call("query", { sql, ...args })).structuredContent;
    const refusal = async (sql) => {
        const result = await call("query", { sql });
        assert.equal(result.isError, true);
        return JSON.parse(result.content[0].text).error;
    };

    step("connects", async () => {
        await client.connect(transport);
        assert.equal(client.getServerVersion().name, "d1guard-mcp");
        assert.match(client.getInstructions(), /list_tables/);
        if (era !== undefined)
            assert.equal(client.getProtocolEra(), era);
    });
    step("lists the tools", async () => {
        const { tools } = await client.listTools();
        assert.deepEqual(tools.map((tool) => tool.name), ["list_tables", "describe_table", "query"]);
        for (const tool of tools)
            assert.deepEqual({ ...tool.annotations, title: "" },
                { title: "", readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false });
    });
    step("looks around", async () => {
        const listed = (await call("list_tables", {})).structuredContent;
        assert.deepEqual(listed.tables.map((table) => table.name),
            ["customers", "order_lines", "orders", "products", "revenue_by_month", "tune_up"]);
        const described = (await call("describe_table", { table: "orders" })).structuredContent;
        assert.equal(described.foreign_keys[0].table, "customers");
    });
    step("reads every type", async () => {
        const result = await query("SELECT NULL, 1, 1.5, 'é 森 😀', x'00ff', 9007199254740993, 'a' || char(0) || 'b', 'Infinity' = 1e999");
        assert.deepEqual(result.rows, [[null, 1, 1.5, "é 森 😀", { blob_base64: "AP8=", bytes: 2 }, "9007199254740993", "a\0b", 0]]);
    });
    step("binds parameters", async () => {
        const result = await query("SELECT ?1, ?2, typeof(?3)", { params: ["\0", null, { blob_base64: "AA==" }] });
        assert.deepEqual(result.rows, [["\0", null, "blob"]]);
        assert.deepEqual((await query("SELECT :a", { params: { a: 5 } })).rows, [[5]]);
    });
    step("is told when rows are cut", async () => {
        const result = await call("query", { sql: "SELECT id FROM orders ORDER BY id" });
        assert.equal(result.structuredContent.row_count, 100);
        assert.equal(result.structuredContent.truncated, true);
        assert.match(result.content[1].text, /first 100 rows/);
        assert.equal((await query("SELECT id FROM orders LIMIT 100")).truncated, false);
    });
    step("is refused with a reason", async () => {
        assert.deepEqual(await refusal("SELECT 1; DELETE FROM orders"), {
            code: "SQL_BLOCKED", reason: "write", message: "DELETE at byte 10 would write; this tool only reads", at: 10, len: 6, line: 1, column: 11 });
        assert.equal((await refusal("SELECT 1\0")).reason, "nul-byte");
        assert.equal((await refusal("SELECT * FROM tune_up")).reason, "denied-table");
        assert.equal((await refusal("SELECT nosuch")).code, "SQL_ERROR");
        assert.equal((await query("SELECT count(*) FROM orders")).rows[0][0], 300);
    });
    step("sends a text of almost 1 MiB", async () => {
        const long = "x".repeat(1024 * 1024 - 600);
        assert.deepEqual((await query(`SELECT length('${long}') AS n`)).rows, [[long.length]]);
    });
    step("cancels an endless query", async () => {
        const abort = new AbortController();
        const endless = call("query", { sql: ENDLESS }, { signal: abort.signal });
        setTimeout(() => abort.abort(), 200);
        await assert.rejects(endless);
        const start = Date.now();
        assert.deepEqual((await query("SELECT 2")).rows, [[2]]);
        assert.ok(Date.now() - start < 5000);
    });
    step("ends", () => client.close());
}

// The MCP project's inspector drives the server from the command line, over stdio, in each era.
//
//     node --test-reporter=tap inspector.test.mjs SERVER
//
// SPDX-License-Identifier: Apache-2.0
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "node:test";

const server = process.argv[2];
const inspector = fileURLToPath(new URL("../../../tests/deps/worker/node_modules/.bin/mcp-inspector", import.meta.url));

// Exit status and what is printed, as JSON if it is.
function inspect(era, ...args) {
    const done = spawnSync(process.execPath, [inspector, "--cli", "--protocol-era", era, ...args, "--format", "json", "--", server, "--demo"],
        { encoding: "utf8", timeout: 50000 });
    let json;
    try {
        json = JSON.parse(done.stdout);
    } catch {
        json = undefined;
    }
    return { status: done.status, json, output: done.stdout + done.stderr };
}

const query = (sql) => ["--method", "tools/call", "--tool-name", "query", "--tool-arg", `sql=${sql}`];

for (const era of ["legacy", "modern", "auto"]) {
    test(`${era}: lists the tools, with schemas that pass a strict check`, () => {
        const { status, json, output } = inspect(era, "--method", "tools/list", "--strict");
        assert.equal(status, 0, output);
        assert.deepEqual((json.result ?? json).tools.map((tool) => tool.name), ["list_tables", "describe_table", "query"]);
    });
    test(`${era}: runs a query`, () => {
        const { status, json, output } = inspect(era, ...query("SELECT name FROM customers WHERE id = 5"));
        assert.equal(status, 0, output);
        assert.deepEqual((json.result ?? json).structuredContent.rows, [["森 あかり"]]);
    });
    test(`${era}: sees a refusal as a tool's error`, () => {
        const { status, output } = inspect(era, ...query("WITH a AS (SELECT 1) DELETE FROM orders"));
        assert.equal(status, 5, output);
        assert.match(output, /SQL_BLOCKED/);
    });
}

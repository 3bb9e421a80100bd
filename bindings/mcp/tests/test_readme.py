"""What README says of the MCP server: its configurations start it, its dictionary is one, its error and tools are true.

    test_readme.py SERVER

SPDX-License-Identifier: Apache-2.0
"""
import json
import pathlib
import re
import shlex
import sqlite3
import tempfile
import unittest

from mcp_client import ROOT, Server, tap

README = (ROOT / "README.md").read_text(encoding="utf-8")
SECTION = README[README.index("\n## The MCP server\n"):README.index("\n## Python\n")]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", SECTION, re.M | re.S)


class Readme(unittest.TestCase):
    def starts(self, command, arguments, environment):
        self.assertEqual(command, "d1guard-mcp")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "app.db")
            sqlite3.connect(path).executescript("CREATE TABLE t (x)").connection.close()
            arguments = [str(path) if argument == "/path/to/app.db" else argument for argument in arguments]
            environment = {**environment, **({"CLOUDFLARE_API_TOKEN": "t"} if "CLOUDFLARE_API_TOKEN" in environment else {})}
            with Server(*arguments, environment=environment) as s:
                tools = [tool["name"] for tool in s.request("tools/list")["result"]["tools"]]
        self.assertEqual("--d1" in arguments, "d1_read_query" in tools)
        return tools

    def test_claude_code(self):
        (lines,) = blocks("sh")
        for line in lines.splitlines():
            words = shlex.split(line)
            self.assertEqual(words[:3], ["claude", "mcp", "add"])
            command, *arguments = words[words.index("--") + 1:]
            environment = dict(word.split("=", 1) for word in words[:words.index("--")] if "=" in word)
            self.starts(command, arguments, environment)

    def test_configurations(self):
        parsed = [json.loads(block) for block in blocks("json")]
        entries = [entry for block in parsed for entry in {**block.get("mcpServers", {}), **block.get("servers", {})}.values()]
        self.assertEqual(len(entries), 4)
        for entry in entries:
            tools = self.starts(entry["command"], entry["args"], entry.get("env", {}))
        rows = re.findall(r"^\| (\w+) \|", SECTION, re.M)
        self.assertEqual(rows, ["tool", *tools])

    def test_error_and_dictionary(self):
        parsed = [json.loads(block) for block in blocks("json")]
        (error,) = [block["error"] for block in parsed if "error" in block]
        (dictionary,) = [block for block in parsed if "note" in block]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(dictionary, file)
            file.flush()
            with Server("--demo", "--dictionary", file.name) as s:
                self.assertEqual(s.error("query", sql="WITH a AS (SELECT 1) DELETE FROM orders"), error)
                self.assertEqual(s.call("list_tables")["note"], dictionary["note"])

    def test_number_of_inputs(self):
        inputs = (ROOT / "tests/harness/inputs.jsonl").read_text(encoding="utf-8").splitlines()
        self.assertIn(f"sends {len(inputs) + 3} inputs", " ".join(SECTION.split()))


if __name__ == "__main__":
    tap.main()

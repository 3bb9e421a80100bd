"""MCP servers that protect a SQLite file the way people often do. The harness has to tell them apart.

    other_server.py MODE FILE
        prefix    looks at the first word
        readonly  opens the file read-only, and does no more
        open      does nothing
        broken    answers every call with an error

SPDX-License-Identifier: Apache-2.0
"""
import json
import re
import sqlite3
import sys

mode, path = sys.argv[1:]
db = sqlite3.connect(f"file:{path}?mode=ro" if mode == "readonly" else path, uri=mode == "readonly", isolation_level=None)


class Nulls(dict):
    """Every parameter is NULL."""

    def __missing__(self, _name):
        return None


def statements(sql):
    """Cuts at each `;` behind which SQLite's own rough rule sees a whole statement."""
    piece = ""
    for part in re.split(r"(?<=;)", sql):
        piece += part
        if sqlite3.complete_statement(piece):
            yield piece
            piece = ""
    if piece.strip():
        yield piece


def query(sql):
    if mode == "broken":
        raise ValueError("this server is broken")
    if mode == "prefix" and not re.match(r"(?i)[\s\ufeff]*(SELECT|WITH|VALUES|EXPLAIN|PRAGMA)\b", sql):
        raise ValueError("only SELECT, WITH, VALUES, EXPLAIN and PRAGMA are allowed")
    rows = []
    for statement in statements(sql):
        rows = db.execute(statement, Nulls()).fetchall()
    return repr(rows)


def answer(method, params):
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": mode, "version": "0"}}
    if method == "tools/list":
        return {"tools": [{"name": "read", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}}]}
    try:
        return {"content": [{"type": "text", "text": query(params["arguments"]["query"])}]}
    except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
        return {"content": [{"type": "text", "text": str(error)}], "isError": True}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

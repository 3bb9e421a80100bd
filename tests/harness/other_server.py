"""MCP servers that protect a SQLite file the way people often do. The harness has to tell them apart.

    other_server.py MODE FILE [PORT]        over HTTP at this port, else over stdio
        prefix    looks at the first word
        readonly  opens the file read-only, and does no more
        open      does nothing
        broken    answers every call with an error

SPDX-License-Identifier: Apache-2.0
"""
import http.server
import json
import re
import sqlite3
import sys

mode, path, *port = sys.argv[1:]
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


def reply(message):
    """The answer as JSON, None for a notification."""
    if "id" not in message:
        return None
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer(message["method"], message.get("params", {}))})


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        text = reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200 if text else 202)
        self.end_headers()
        self.wfile.write((text or "").encode())


if port:
    http.server.HTTPServer(("127.0.0.1", int(port[0])), Handler).serve_forever()
for line in sys.stdin:
    text = reply(json.loads(line))
    if text:
        print(text, flush=True)

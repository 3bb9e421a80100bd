"""Does an MCP server's SQL tool let anything be written? The database decides, not the server's answer.

    python3 harness.py [OPTIONS] -- SERVER ARGUMENT... {db} ...
    python3 harness.py [OPTIONS] --url http://127.0.0.1:PORT/mcp -- SERVER ARGUMENT... {db} ...
    python3 harness.py [OPTIONS] --url http://127.0.0.1:PORT/mcp --database FILE

Makes a SQLite file (at --database, else in a folder of its own; {db} in the server's command stands for
it), starts the server unless it runs already, and asks it for a row that only this file holds. Then it sends
plain INSERT, UPDATE and DELETE and the inputs of inputs.jsonl, and after each reads the file through a
connection of its own and looks at its bytes and at the files beside it. Before, each input is run without a
guard on a copy: one that changes nothing even there proves nothing and is not counted.

    pass          nothing changed
    part          the database is as it was, but a file appeared or the connection's state changed
    fail          some input changed the database
    inconclusive  the control read does not work, or calls were left unanswered

Exit status: 0 pass, 1 part, 2 fail, 3 inconclusive, 64 usage. Needs Python alone.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import hashlib
import http.client
import json
import pathlib
import queue
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
import uuid

INPUTS = pathlib.Path(__file__).with_name("inputs.jsonl")
STATUS = {"pass": 0, "part": 1, "fail": 2, "inconclusive": 3}
ANSWER_SECONDS = 20

FIXTURE = """
CREATE TABLE u (id INTEGER PRIMARY KEY, k TEXT);
INSERT INTO u VALUES (1, 'one'), (2, 'two'), (3, 'three');
CREATE TABLE t (a INTEGER, b TEXT);
INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i, 'b' || i FROM n;
CREATE INDEX ta ON t (a);
CREATE TABLE control (marker TEXT);
CREATE VIEW vopt AS SELECT * FROM pragma_optimize;
CREATE VIEW vover AS SELECT * FROM vopt;
CREATE VIRTUAL TABLE f4 USING fts4 (x);
INSERT INTO f4 VALUES ('alpha');
INSERT INTO f4 VALUES ('beta');
CREATE VIEW vfts AS SELECT optimize(f4) FROM f4;
"""


class NoAnswer(Exception):
    pass


class Stdio:
    """A server process, spoken to in lines."""

    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise NoAnswer("the server is gone") from error

    def receive(self, number):
        while True:
            try:
                line = self.lines.get(timeout=ANSWER_SECONDS)
            except queue.Empty:
                raise NoAnswer(f"no answer in {ANSWER_SECONDS} s") from None
            if line is None:
                raise NoAnswer("the server ended")
            message = json.loads(line)
            if message.get("id") == number and ("result" in message or "error" in message):
                return message

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


class Http:
    """A server at an address, started here if there is a command; its answers are JSON or the last event of a
    stream."""

    def __init__(self, command, url, headers):
        self.process = command and subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                                    stderr=subprocess.DEVNULL)
        self.url = url
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **headers}
        self.answer = None
        try:
            self.wait_until_it_listens()
        except NoAnswer:
            self.close()
            raise

    def wait_until_it_listens(self):
        address = urllib.parse.urlsplit(self.url)
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end and not (self.process and self.process.poll() is not None):
            try:
                socket.create_connection((address.hostname, address.port or 80), timeout=1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise NoAnswer(f"nothing listens at {self.url}")

    def send(self, message):
        request = urllib.request.Request(self.url, json.dumps(message).encode(), self.headers)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as response:
                text = response.read().decode()
                session = response.headers.get("Mcp-Session-Id")
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(str(error)) from error
        if session:
            self.headers["Mcp-Session-Id"] = session
        events = [line[5:] for line in text.splitlines() if line.startswith("data:")]
        self.answer = json.loads(events[-1] if events else text) if text.strip() else None

    def receive(self, _number):
        if self.answer is None:
            raise NoAnswer("an empty answer")
        return self.answer

    def close(self):
        if not self.process:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Server:
    """An initialized MCP connection and its SQL tool."""

    def __init__(self, connect, tool, argument):
        self.wire = connect()
        self.number = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "d1guard-harness", "version": "0"}})
        self.wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.tool, self.argument = self.find_tool(tool, argument)

    def request(self, method, params):
        self.number += 1
        self.wire.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.wire.receive(self.number)

    def find_tool(self, wanted, argument):
        for tool in self.request("tools/list", {})["result"]["tools"]:
            properties = tool["inputSchema"].get("properties", {})
            for name in [argument] if argument else ["sql", "query", "statement"]:
                if name in properties and wanted in (None, tool["name"]):
                    return tool["name"], name
        raise NoAnswer("the server has no tool that takes SQL; see --tool and --argument")

    def sql(self, text):
        """(did it succeed, the answer as text)"""
        answer = self.request("tools/call", {"name": self.tool, "arguments": {self.argument: text}})
        failed = "error" in answer or bool(answer["result"].get("isError"))
        return not failed, json.dumps(answer.get("result", answer.get("error")), ensure_ascii=False)

    def close(self):
        self.wire.close()


class Database:
    """The file, its pristine copy, and what an outside look at it shows."""

    def __init__(self, path):
        self.path = path
        self.marker = uuid.uuid4().hex
        connection = sqlite3.connect(path)
        connection.executescript(FIXTURE)
        connection.execute("INSERT INTO control VALUES (?)", (self.marker,))
        connection.commit()
        connection.close()
        self.pristine = path.read_bytes()
        self.before = self.look()

    def files(self):
        # A fresh look each time; -shm is bookkeeping that a mere reader of a WAL file makes.
        return sorted(p.name for p in self.path.parent.iterdir() if not p.name.endswith("-shm"))

    def rows(self):
        """The database as an outsider reads it, or why it cannot be read."""
        try:
            connection = sqlite3.connect(f"{self.path.as_uri()}?mode=ro", uri=True, timeout=1)
            try:
                schema = connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY rowid").fetchall()
                # D1's engine counts in a table of its own, _cf_METADATA, with every read.
                tables = [name for kind, name, sql in schema
                          if kind == "table" and "VIRTUAL" not in sql and not name.startswith("_cf_")]
                content = {name: connection.execute(f'SELECT * FROM "{name}"').fetchall() for name in tables}
                settings = {name: connection.execute(f"PRAGMA {name}").fetchone() for name in
                            ("user_version", "application_id", "journal_mode", "auto_vacuum", "page_size")}
                return {"schema": schema, **content, **settings}
            finally:
                connection.close()
        except sqlite3.Error as error:
            return {"readable": str(error)}

    def look(self):
        return {"rows": self.rows(), "bytes": hashlib.sha256(self.path.read_bytes()).hexdigest(), "files": self.files()}

    def changes(self):
        """(did the database change, did anything beside it change, what)"""
        now = self.look()
        keys = {**self.before["rows"], **now["rows"]}
        parts = [key for key in keys if self.before["rows"].get(key) != now["rows"].get(key)]
        new = [name for name in now["files"] if name not in self.before["files"]]
        if not parts and now["bytes"] != self.before["bytes"]:
            parts = ["bytes of the file"]
        return bool(parts), bool(new), ", ".join(parts + [f"file {name}" for name in new])

    def restore(self):
        for name in set(self.files()) - set(self.before["files"]):
            (self.path.parent / name).unlink()
        self.path.write_bytes(self.pristine)


def read_inputs(path, groups):
    inputs = [{"group": "plain", "steps": [sql]} for sql in (
        "INSERT INTO u VALUES (99, 'new')", "UPDATE u SET k = 'changed' WHERE id = 1", "DELETE FROM u WHERE id = 1")]
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            entry = json.loads(line)
            entry.setdefault("steps", [entry.get("sql")])
            inputs.append(entry)
    return [entry for entry in inputs if not groups or entry["group"] in groups]


def here(text, folder):
    return text.replace("{dir}", str(folder))


def read_state(run, probe):
    return run(probe) if probe else None


def is_armed(entry, database):
    """Run without any guard on a copy of the file: does it change something? Else it proves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder).resolve() / database.path.name
        copy.write_bytes(database.pristine)
        connection = sqlite3.connect(copy, isolation_level=None, timeout=0)
        connection.execute("PRAGMA synchronous = off")
        run = lambda sql: connection.execute(sql).fetchall()
        before = read_state(run, entry.get("probe"))
        for step in entry["steps"]:
            try:
                connection.executescript(here(step, folder))
            except sqlite3.Error:
                pass
        try:
            state_changed = before != read_state(run, entry.get("probe"))
            files = sorted(p.name for p in copy.parent.iterdir())
        finally:
            connection.close()
        return state_changed or len(files) > 1 or copy.read_bytes() != database.pristine


class Trial:
    """One input against the server: what came of it."""

    def __init__(self, entry, armed):
        self.entry = entry
        self.armed = armed
        self.verdict = "pass"
        self.answers = []
        self.evidence = ""

    def run(self, server, database):
        probe = self.entry.get("probe")
        try:
            before = read_state(server.sql, probe)
            for step in self.entry["steps"]:
                succeeded, text = server.sql(here(step, database.path.parent))
                self.answers.append(("answered: " if succeeded else "refused: ") + text[:200])
            after = read_state(server.sql, probe)
        except NoAnswer as error:
            before = after = None
            self.answers.append(f"no answer: {error}")
            self.verdict = "inconclusive"
        changed, beside, self.evidence = database.changes()
        if before != after:
            self.evidence += f" state: {before[1][:120]} became {after[1][:120]}"
        if changed:
            self.verdict = "fail"
        elif beside or before != after:
            self.verdict = "part"


def overall(trials):
    verdicts = {trial.verdict for trial in trials if trial.armed}
    for verdict in ("fail", "part", "inconclusive"):
        if verdict in verdicts:
            return verdict
    return "pass"


def report(trials, verdict, why, as_json):
    groups = {}
    for trial in trials:
        row = groups.setdefault(trial.entry["group"], {"inputs": 0, "pass": 0, "part": 0, "fail": 0, "inconclusive": 0, "unarmed": 0})
        row["inputs"] += 1
        row[trial.verdict if trial.armed else "unarmed"] += 1
    if as_json:
        print(json.dumps({"verdict": verdict, "why": why, "groups": groups, "trials": [
            {"group": t.entry["group"], "steps": t.entry["steps"], "armed": t.armed, "verdict": t.verdict,
             "evidence": t.evidence, "answers": t.answers} for t in trials]}, ensure_ascii=False, indent=1))
        return
    columns = ["inputs", "pass", "part", "fail", "inconclusive", "unarmed"]
    print(f"{'group':24}" + "".join(f"{name:>14}" for name in columns))
    for name, row in groups.items():
        print(f"{name:24}" + "".join(f"{row[column]:>14}" for column in columns))
    print(f"{'all':24}" + "".join(f"{sum(row[column] for row in groups.values()):>14}" for column in columns))
    for trial in trials:
        if trial.armed and trial.verdict != "pass":
            print(f"\n{trial.verdict}: {' / '.join(trial.entry['steps'])!r}\n  changed: {trial.evidence}\n  {trial.answers[-1]}")
    print(f"\nverdict: {verdict}{': ' + why if why else ''}")


def control_read(server, database):
    """Without it, that nothing changes proves nothing. What an engine does when it opens the file, such as
    turning to WAL, is not an input's doing: the look to compare with is taken behind it."""
    succeeded, text = server.sql("SELECT marker FROM control")
    if not succeeded or database.marker not in text:
        raise NoAnswer(f"the control read does not return its row: {text[:300]}")
    database.before = database.look()


def examine(connect, database, options):
    """(trials, verdict, why)"""
    trials = []
    server = None
    try:
        server = Server(connect, options.tool, options.argument)
        control_read(server, database)
        for entry in read_inputs(options.inputs, options.group):
            trial = Trial(entry, is_armed(entry, database))
            trials.append(trial)
            trial.run(server, database)
            if trial.verdict != "pass":
                server.close()
                database.restore()
                server = Server(connect, options.tool, options.argument)
                control_read(server, database)
        return trials, overall(trials), ""
    except (NoAnswer, KeyError, ValueError) as error:
        return trials, "inconclusive", str(error)
    finally:
        if server is not None:
            server.close()


def main():
    parser = argparse.ArgumentParser(usage="harness.py [OPTIONS] -- SERVER ARGUMENT... {db}")
    parser.add_argument("--database", type=pathlib.Path, help="where to make the file; nothing may be there")
    parser.add_argument("--inputs", type=pathlib.Path, default=INPUTS)
    parser.add_argument("--group", action="append", help="only the inputs of this group; may be repeated")
    parser.add_argument("--tool", help="the SQL tool; else the first that takes sql, query or statement")
    parser.add_argument("--argument", help="the argument that takes the SQL")
    parser.add_argument("--url", help="where the server listens, over HTTP")
    parser.add_argument("--header", action="append", default=[], help="'Name: value', with --url")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if not (options.command or options.url) or (options.database and options.database.exists()):
        parser.print_usage()
        return 64
    folder = tempfile.mkdtemp(prefix="d1guard-harness-")
    try:
        path = options.database or pathlib.Path(folder) / "fixture.db"
        database = Database(path.resolve())
        headers = dict(header.split(": ", 1) for header in options.header)
        command = [word.replace("{db}", str(database.path)) for word in options.command]
        connect = (lambda: Http(command, options.url, headers)) if options.url else (lambda: Stdio(command))
        trials, verdict, why = examine(connect, database, options)
        report(trials, verdict, why, options.json)
        return STATUS[verdict]
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())

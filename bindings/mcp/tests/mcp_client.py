"""A server process under test and a plain client for it.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402, F401  (for the test files)

SERVER = sys.argv[1] if len(sys.argv) > 1 else ""
MODERN = "2026-07-28"
META = {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}}
ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
ANSWER_SECONDS = 20


def clean_environment(extra):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("D1GUARD_", "CLOUDFLARE_"))}
    return {**kept, **extra}


class Server:
    """As a context manager: the server has to end by itself with the expected status."""

    def __init__(self, *arguments, environment=None, status=0):
        self.expected_status = status
        self.process = subprocess.Popen([SERVER, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=clean_environment(environment or {}))
        self.messages = queue.Queue()
        self.stderr = ""
        self.number = 0
        self.readers = [threading.Thread(target=self.read), threading.Thread(target=self.read_stderr)]
        for reader in self.readers:
            reader.start()

    def __enter__(self):
        return self

    def __exit__(self, kind, _value, _trace):
        status = self.end()
        if kind is None and status != self.expected_status:
            raise AssertionError(f"exit status {status}, stderr: {self.stderr}")

    def read(self):
        for line in self.process.stdout:
            self.messages.put(line)
        self.messages.put(None)

    def read_stderr(self):
        for line in self.process.stderr:
            self.stderr += line.decode(errors="replace")

    def end(self):
        """Closes stdin and waits. Returns the exit status."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            status = self.process.wait(timeout=ANSWER_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            status = "did not end"
        for reader in self.readers:
            reader.join()
        self.process.stdout.close()
        self.process.stderr.close()
        return status

    def send_bytes(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message):
        self.send_bytes((message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")

    def receive(self, timeout=ANSWER_SECONDS):
        line = self.messages.get(timeout=timeout)
        if line is None:
            raise AssertionError("the server ended")
        return json.loads(line)

    def nothing_comes(self, seconds=0.3):
        try:
            return not self.messages.get(timeout=seconds)
        except queue.Empty:
            return True

    def post(self, method, params=None, modern=False):
        """Sends a request and returns its id."""
        self.number += 1
        params = dict(params or {})
        if modern:
            params["_meta"] = META
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def request(self, method, params=None, modern=False):
        number = self.post(method, params, modern)
        answer = self.receive()
        if answer.get("id") != number:
            raise AssertionError(f"asked {number}, got {answer}")
        return answer

    def raw_call(self, tool, arguments):
        """The result of tools/call."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def call(self, tool, **arguments):
        """The structured result; its text has to be the same JSON."""
        result = self.raw_call(tool, arguments)
        if result["isError"] or json.loads(result["content"][0]["text"]) != result["structuredContent"]:
            raise AssertionError(result)
        return result["structuredContent"]

    def error(self, tool, **arguments):
        """The error object of a call that has to fail."""
        result = self.raw_call(tool, arguments)
        if not result["isError"] or "structuredContent" in result:
            raise AssertionError(result)
        return json.loads(result["content"][0]["text"])["error"]

    def rows(self, sql, **arguments):
        return self.call("query", sql=sql, **arguments)["rows"]

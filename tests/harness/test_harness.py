"""Points the harness at our server, whose guard stands alone before a writable file, and at servers that
protect less: it has to see the difference.

    test_harness.py SERVER

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import socket
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import tap  # noqa: E402

SERVER = sys.argv[1]
OTHER = [sys.executable, str(HERE / "other_server.py")]


def harness(*command, groups=(), url=None):
    """(exit status, report) of the harness on a server."""
    # In memory where that is possible: the servers that let writes through spend their time on syncing.
    environment = {**os.environ, **({"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {})}
    done = subprocess.run([sys.executable, HERE / "harness.py", "--json", *[f"--group={group}" for group in groups],
                           *([f"--url={url}"] if url else []), "--", *command], stdout=subprocess.PIPE,
                          env=environment, check=False)
    return done.returncode, json.loads(done.stdout)


def count(report, verdict):
    return sum(trial["armed"] and trial["verdict"] == verdict for trial in report["trials"])


class Harness(unittest.TestCase):
    maxDiff = None

    def holds(self, *command):
        status, report = harness(*command)
        wrong = [trial for trial in report["trials"] if trial["armed"] and trial["verdict"] != "pass"]
        self.assertEqual((status, report["verdict"], wrong), (0, "pass", []))
        self.assertGreaterEqual(count(report, "pass"), 120)

    def test_guard_alone_before_a_writable_file(self):
        self.holds(SERVER, "--guard-only", "{db}")

    def test_all_layers(self):
        self.holds(SERVER, "{db}")

    def test_first_word_check_fails(self):
        status, report = harness(*OTHER, "prefix", "{db}")
        self.assertEqual((status, report["verdict"]), (2, "fail"))
        self.assertGreaterEqual(count(report, "fail"), 70)
        # A fair report: what this check does stop is not held against it.
        self.assertEqual([t["verdict"] for t in report["trials"] if t["group"] == "plain"], ["pass"] * 3)

    def test_no_check_fails_on_plain_writes(self):
        status, report = harness(*OTHER, "open", "{db}", groups=["plain", "transactions"])
        self.assertEqual((status, report["verdict"]), (2, "fail"))
        self.assertEqual([t["verdict"] for t in report["trials"]], ["fail"] * 6)

    def test_read_only_file_alone_is_part(self):
        status, report = harness(*OTHER, "readonly", "{db}", groups=["plain", "files", "connection state"])
        self.assertEqual((status, report["verdict"]), (1, "part"))
        self.assertTrue(any("copy.db" in trial["evidence"] for trial in report["trials"]))

    def test_over_http(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
        status, report = harness(*OTHER, "prefix", "{db}", str(port), groups=["plain", "quotes"], url=f"http://127.0.0.1:{port}/mcp")
        self.assertEqual((status, [t["verdict"] for t in report["trials"]]), (2, ["pass"] * 3 + ["fail"] * 8))

    def test_server_that_answers_nothing_proves_nothing(self):
        status, report = harness(*OTHER, "broken", "{db}")
        self.assertEqual((status, report["verdict"]), (3, "inconclusive"))

    def test_server_that_ends_proves_nothing(self):
        status, report = harness("true")
        self.assertEqual((status, report["verdict"]), (3, "inconclusive"))


if __name__ == "__main__":
    tap.main()

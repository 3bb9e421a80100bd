"""Drives the real d1guard program: test_cli.py PROGRAM.

SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))
import tap  # noqa: E402

PROGRAM = sys.argv[1]


def run(*arguments, text=b""):
    """(exit status, standard output, standard error) of the program."""
    if isinstance(text, str):
        text = text.encode()
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def run_json(*arguments, text=b""):
    status, out, _ = run(*arguments, "--json", text=text)
    return status, json.loads(out)


def run_lines(*arguments, lines):
    """Lines are JSON values or raw bytes."""
    text = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    status, out, _ = run(*arguments, "--jsonl", text=text)
    return status, [json.loads(line) for line in out.decode().splitlines()]


class Check(unittest.TestCase):
    def test_allowed(self):
        self.assertEqual(run("check", text="SELECT 1"), (0, b"allowed: every statement only reads\n", b""))

    def test_refused(self):
        status, out, err = run("check", text="WITH a AS (SELECT 1) DELETE FROM t")
        self.assertEqual((status, err), (1, b""))
        self.assertEqual(out, b"refused: DELETE at byte 21 would write; this tool only reads\n")

    def test_json(self):
        status, answer = run_json("check", text="SELECT 1; DROP TABLE t")
        self.assertEqual(status, 1)
        self.assertIn("DROP", answer.pop("message"))
        self.assertEqual(answer, {"verdict": "refuse", "reason": "schema", "at": 10, "len": 4, "statement": 1,
                                  "statements": 2})

    def test_json_allowed(self):
        status, answer = run_json("check", text="SELECT 1; VALUES (2);")
        self.assertEqual(status, 0)
        self.assertEqual(answer, {"verdict": "allow", "reason": "reads-only", "at": 0, "len": 0, "statement": 0,
                                  "message": "every statement only reads", "statements": 2})

    def test_nul_is_read(self):
        status, answer = run_json("check", text=b"SELECT 1\0; DROP TABLE t")
        self.assertEqual((status, answer["reason"], answer["at"], answer["len"]), (1, "nul-byte", 8, 1))

    def test_empty(self):
        status, answer = run_json("check", text="")
        self.assertEqual((status, answer["reason"]), (1, "empty"))

    def test_not_utf8(self):
        status, answer = run_json("check", text=b"SELECT 'a\xff' FROM \xfft")
        self.assertEqual((status, answer["verdict"]), (0, "allow"))
        status, answer = run_json("check", text=b"abc\xff\xc3\xa9 1")
        self.assertEqual((status, answer["reason"], answer["len"]), (1, "unknown-statement", 6))
        self.assertTrue(answer["message"].startswith("abc??? at byte 0 "))

    def test_file(self):
        with tempfile.NamedTemporaryFile(suffix=".sql") as file:
            file.write(b"SELECT 1;\nDELETE FROM t")
            file.flush()
            self.assertEqual(run("check", file.name)[0], 1)
        self.assertEqual(run("check", "-", text="SELECT 1")[0], 0)

    def test_large_text(self):
        status, answer = run_json("check", text=b"SELECT '" + b"x" * 5_000_000 + b"'; DELETE FROM t")
        self.assertEqual((status, answer["reason"], answer["at"]), (1, "write", 5_000_011))

    def test_engines(self):
        for engine, status in ("d1", 1), ("sqlite", 0):
            with self.subTest(engine):
                self.assertEqual(run("check", "--engine", engine, text="PRAGMA page_count")[0], status)
        self.assertEqual(run("check", text="PRAGMA page_count")[0], 1)

    def test_options(self):
        for text, option, without, with_option in [
            ("SELECT 1; SELECT 2", ["--max-statements", "1"], "reads-only", "too-many-statements"),
            ("SELECT mine(1)", ["--strict-functions"], "reads-only", "unlisted-function"),
            ("SELECT f(1)", ["--deny-function", "g", "--deny-function", "f"], "reads-only", "denied-function"),
            ("SELECT * FROM t", ["--deny-table", "T"], "reads-only", "denied-table"),
            ("PRAGMA table_list", ["--deny-pragma", "table_list"], "reads-only", "pragma-not-listed"),
            ("SELECT readfile('a')", ["--allow-function", "readfile"], "denied-function", "reads-only"),
            ("SELECT * FROM sqlite_dbpage", ["--allow-table", "sqlite_dbpage"], "denied-table", "reads-only"),
            ("PRAGMA user_version", ["--allow-pragma", "user_version"], "pragma-not-listed", "reads-only"),
            ("DELETE FROM t", ["--allow-risk", "write"], "write", "risks-allowed"),
            ("DROP TABLE t", ["--allow-risk", "write", "--allow-risk", "schema"], "schema", "risks-allowed"),
            ("BEGIN", ["--allow-risk", "transaction"], "transaction", "risks-allowed"),
            ("ATTACH 'a' AS b", ["--allow-risk", "connection"], "connection", "risks-allowed"),
            ("VACUUM", ["--allow-risk", "maintenance"], "maintenance", "risks-allowed"),
            ("DELETE FROM t", ["--allow-risk", "write", "--require-where"], "write", "missing-where"),
        ]:
            with self.subTest(option=option):
                self.assertEqual(run_json("check", text=text)[1]["reason"], without)
                self.assertEqual(run_json("check", *option, text=text)[1]["reason"], with_option)

    def test_view(self):
        for text, status in ("CREATE VIEW v AS SELECT 1", 0), ("CREATE VIEW v AS SELECT * FROM pragma_optimize", 1):
            with self.subTest(text):
                self.assertEqual(run("check", "--view", text=text)[0], status)


class Statements(unittest.TestCase):
    def test_json(self):
        text = "WITH a AS (SELECT 1) SELECT * FROM a WHERE 1; ; EXPLAIN QUERY PLAN DELETE FROM t"
        status, answer = run_json("statements", text=text)
        self.assertEqual(status, 0)
        self.assertEqual(answer, {"error": None, "error_at": 0, "statements": [
            {"kind": "select", "risk": "read", "explain": "none", "with": True, "where": True,
             "at": 0, "len": 44, "next": 45},
            {"kind": "delete", "risk": "write", "explain": "query-plan", "with": False, "where": False,
             "at": 48, "len": 32, "next": len(text)}]})

    def test_error(self):
        status, answer = run_json("statements", text="SELECT 1; SELECT 'a")
        self.assertEqual((status, answer["error"], answer["error_at"]), (1, "open-quote", 17))
        self.assertEqual([s["at"] for s in answer["statements"]], [0])

    def test_lines_for_people(self):
        status, out, _ = run("statements", text="SELECT 1; DELETE FROM t WHERE a")
        self.assertEqual((status, out), (0, b"select\tread\tnone\t-\t-\t0\t8\t9\n"
                                            b"delete\twrite\tnone\t-\twhere\t10\t21\t31\n"))
        status, out, _ = run("statements", text="SELECT 1; NONSENSE")
        self.assertEqual((status, out.splitlines()[-1]), (1, b"error\tunknown-statement\t10\t8"))


class Tokens(unittest.TestCase):
    def test_json(self):
        status, answer = run_json("tokens", text=b"SELECT \xc3\xa9, 1.5 -- x\0\n;")
        self.assertEqual(status, 0)
        self.assertEqual(answer["tokens"][:3], [["word", 0, 6], ["space", 6, 1], ["word", 7, 2]])
        self.assertEqual(answer["tokens"][-1], ["semi", 21, 1])
        self.assertEqual(sum(token[2] for token in answer["tokens"]), 22)

    def test_lines_for_people(self):
        self.assertEqual(run("tokens", text="a=?1")[1], b"word\t0\t1\neq\t1\t1\nvariable\t2\t2\n")


class Rewrite(unittest.TestCase):
    def test_clean(self):
        text = "-- a\nSELECT 1 /* ; */ + 2;; SELECT 3 -- end"
        self.assertEqual(run("clean", text=text), (0, b"SELECT 1   + 2;\nSELECT 3\n", b""))
        status, answer = run_json("clean", text=text)
        self.assertEqual((status, answer["verdict"], answer["sql"]), (0, "allow", "SELECT 1   + 2;\nSELECT 3"))

    def test_clean_grows(self):
        """Every `;` gets a newline: the text is longer than what it was made of."""
        status, out, _ = run("clean", text=";".join(["SELECT 1"] * 1000))
        self.assertEqual((status, out), (0, b";\n".join([b"SELECT 1"] * 1000) + b"\n"))

    def test_cap_forms(self):
        for text, form in [("SELECT 1", "append"), ("SELECT 1 LIMIT 99", "lowered"), ("SELECT 1 LIMIT 2", "unchanged"),
                           ("SELECT 1 LIMIT ?", "wrapped"), ("EXPLAIN SELECT 1", "not-capped")]:
            with self.subTest(form):
                status, answer = run_json("cap", "--rows", "5", text=text + "; -- end")
                self.assertEqual((status, answer["form"]), (0, form))
                self.assertTrue(answer["sql"])
        self.assertEqual(run("cap", "--rows", "5", text="SELECT 1 ;"), (0, b"SELECT 1\nLIMIT 5\n", b""))

    def test_not_capped_is_said(self):
        status, out, err = run("cap", "--rows", "7", text="EXPLAIN SELECT 1")
        self.assertEqual((status, out), (0, b"EXPLAIN SELECT 1\n"))
        self.assertIn(b"7 rows", err)

    def test_refused_prints_no_sql(self):
        for command in ["clean"], ["cap", "--rows", "5"]:
            with self.subTest(command):
                status, out, err = run(*command, text="DELETE FROM t")
                self.assertEqual((status, out), (1, b""))
                self.assertIn(b"refused: DELETE at byte 0", err)
                status, answer = run_json(*command, text="DELETE FROM t")
                self.assertEqual((status, answer["verdict"], answer["sql"]), (1, "refuse", None))
        self.assertEqual(run_json("cap", "--rows", "5", text="SELECT 1; SELECT 2")[1]["reason"], "needs-one")

    def test_not_utf8(self):
        self.assertEqual(run("clean", text=b"SELECT '\xff'"), (0, b"SELECT '\xff'\n", b""))
        status, answer = run_json("clean", text=b"SELECT '\xff'")
        self.assertEqual((status, list(answer)), (2, ["error"]))


class Lines(unittest.TestCase):
    def test_check(self):
        status, answers = run_lines("check", lines=[
            {"id": 1, "sql": "SELECT 1", "tags": ["é", None, {"a": 1.5}]},
            {"sql": "DROP TABLE t", "id": "two"}])
        self.assertEqual(status, 0)
        self.assertEqual(list(answers[0]), ["id", "tags", "verdict", "reason", "message", "at", "len", "statement",
                                            "statements"])
        self.assertEqual((answers[0]["id"], answers[0]["tags"]), (1, ["é", None, {"a": 1.5}]))
        self.assertEqual((answers[1]["id"], answers[1]["verdict"], answers[1]["reason"]), ("two", "refuse", "schema"))

    def test_every_command(self):
        for command, key in [(["check"], "verdict"), (["statements"], "statements"), (["tokens"], "tokens"),
                             (["clean"], "sql"), (["cap", "--rows", "3"], "form")]:
            with self.subTest(command):
                status, answers = run_lines(*command, lines=[{"sql": "SELECT 1", "k": 1}] * 2)
                self.assertEqual((status, len(answers)), (0, 2))
                self.assertIn(key, answers[1])
                self.assertEqual(answers[1]["k"], 1)

    def test_answer_wins_over_input(self):
        _, answers = run_lines("check", lines=[{"verdict": "allow", "sql": "DELETE FROM t"}])
        self.assertEqual(answers[0]["verdict"], "refuse")

    def test_bad_lines(self):
        bad = [b"", b"nonsense", b"[1]", b"1", b"{}", b'{"sql":1}', b'{"sql":null}', b'{"sql":"SELECT 1"', b"\xff",
               b'{"sql":"SELECT 1"} {"sql":"SELECT 1"}', b'{"sql":"\\ud800"}', b'{"sql":"\\udc00a"}',
               b'{"sql":"\xff"}', b'{"sql":"\xed\xa0\x80"}', b'{"sql":"SELECT 1","sql":"DELETE FROM t"}',
               b'{"SQL":"SELECT 1"}', b'{"sql":"a\0b"}', b"[" * 100_000]
        good = b'{"sql":"SELECT 1"}'
        for line in bad:
            with self.subTest(line[:40]):
                status, answers = run_lines("check", lines=[good, line, good])
                self.assertEqual(status, 2)
                self.assertEqual([list(a)[0] for a in answers], ["verdict", "error", "verdict"])
                self.assertEqual(list(answers[1]), ["error"])
                self.assertTrue(answers[1]["error"])

    def test_no_last_newline(self):
        status, out, _ = run("check", "--jsonl", text=b'{"sql":"SELECT 1"}\r\n{"sql":"SELECT 2"}')
        self.assertEqual((status, out.count(b'"allow"')), (0, 2))
        self.assertEqual(run("check", "--jsonl", text=b""), (0, b"", b""))

    def test_bytes_and_nul(self):
        _, answers = run_lines("check", lines=[{"sql": "SELECT 'é𝄞', 1; DELETE FROM t"}, {"sql": "SELECT 1\0"}])
        self.assertEqual(answers[0]["at"], len("SELECT 'é𝄞', 1; ".encode()))
        self.assertEqual((answers[1]["reason"], answers[1]["at"]), ("nul-byte", 8))
        _, answers = run_lines("tokens", lines=[{"sql": "'\0é'"}])
        self.assertEqual(sum(token[2] for token in answers[0]["tokens"]), 5)

    def test_each_answer_is_there_at_once(self):
        with subprocess.Popen([PROGRAM, "check", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            timer = threading.Timer(20, child.kill)
            timer.start()
            for sql, verdict in ("SELECT 1", "allow"), ("DROP TABLE t", "refuse"):
                child.stdin.write(json.dumps({"sql": sql}).encode() + b"\n")
                child.stdin.flush()
                self.assertEqual(json.loads(child.stdout.readline())["verdict"], verdict)
            child.stdin.close()
            timer.cancel()
        self.assertEqual(child.returncode, 0)

    def peak_kib(self, lines, command="check"):
        """Streams so many lines through the program; its peak memory."""
        with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as sink:
            for i in range(lines):
                source.write(b'{"id":%d,"sql":"SELECT a, b FROM t WHERE c = %d ORDER BY d"}\n' % (i, i))
            source.seek(0)
            child = subprocess.Popen([PROGRAM, command, "--jsonl"], stdin=source, stdout=sink)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(child.returncode, 0)
            sink.seek(0)
            ids = [json.loads(line)["id"] for line in sink]
            self.assertEqual(ids, list(range(lines)))
        return usage.ru_maxrss

    def test_constant_memory(self):
        small, large = self.peak_kib(2_000), self.peak_kib(100_000)
        # A sanitizer's quarantine of freed blocks may grow; a leak of the answers would be over 30 MiB.
        slack = 300_000 if b"__asan" in pathlib.Path(PROGRAM).read_bytes() else 1_000
        self.assertLess(large, small + slack)


class Hook(unittest.TestCase):
    def ask(self, event, *options):
        status, out, _ = run("hook", *options, text=event if isinstance(event, bytes) else json.dumps(event))
        self.assertEqual(status, 0)
        return json.loads(out)["hookSpecificOutput"] if out else None

    def test_allowed_says_nothing(self):
        for key in "sql", "query":
            with self.subTest(key):
                self.assertIsNone(self.ask({"tool_name": "x", "tool_input": {key: "SELECT 1", "params": []}}))
        self.assertIsNone(self.ask({"tool_input": {"sql": "PRAGMA page_count"}}, "--engine", "sqlite"))

    def test_refused(self):
        answer = self.ask({"hook_event_name": "PreToolUse", "tool_input": {"sql": "DROP TABLE t"}})
        self.assertEqual((answer["hookEventName"], answer["permissionDecision"]), ("PreToolUse", "deny"))
        self.assertIn("DROP at byte 0", answer["permissionDecisionReason"])

    def test_what_holds_no_sql_is_refused(self):
        for event in [b"", b"nonsense", {}, {"tool_input": {}}, {"tool_input": {"sql": 1}}, {"tool_input": "SELECT 1"},
                      {"tool_input": {"sql": "SELECT 1", "query": "DROP TABLE t"}}]:
            with self.subTest(event):
                answer = self.ask(event)
                self.assertEqual(answer["permissionDecision"], "deny")
                self.assertRegex(answer["permissionDecisionReason"], "tool_input|not JSON")


class Terminal(unittest.TestCase):
    def show(self, text):
        """What `check` prints on a terminal: the line and the marks."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(text if isinstance(text, bytes) else text.encode())
            file.flush()
            ours, theirs = pty.openpty()
            child = subprocess.Popen([PROGRAM, "check", file.name], stdout=theirs)
            os.close(theirs)
            out = b""
            while True:
                try:
                    block = os.read(ours, 65536)
                except OSError:  # the terminal is closed
                    break
                if not block:
                    break
                out += block
            os.close(ours)
            child.wait()
        return out.decode().replace("\r\n", "\n").split("\n")[1:-1]

    def test_marks(self):
        self.assertEqual(self.show("SELECT 1;\nDELETE FROM t;\nSELECT 2"), ["    2 | DELETE FROM t;",
                                                                           "        ^^^^^^"])

    def test_allowed_marks_nothing(self):
        self.assertEqual(self.show("SELECT 1"), [])

    def test_tab(self):
        line, marks = self.show("SELECT 1;\tDELETE FROM t")
        self.assertNotIn("\t", line)
        self.assertEqual(line.index("DELETE"), 8 + 16)
        self.assertEqual(marks, " " * 24 + "^^^^^^")

    def test_characters(self):
        for before, columns in ("é", 1), ("漢字", 4), ("e\u0301", 1), ("𝄞", 1), ("\u202e", 1), ("\x1b[31m", 5):
            with self.subTest(before):
                line, marks = self.show(f"SELECT '{before}'; DELETE FROM t")
                self.assertEqual(marks, " " * (8 + len("SELECT ''; ") + columns) + "^^^^^^")
                self.assertNotIn("\x1b", line)
                self.assertNotIn("\u202e", line)

    def test_bytes(self):
        line, marks = self.show(b"SELECT '\xff'; DELETE FROM t")
        self.assertEqual((line.index("DELETE"), marks), (20, " " * 20 + "^^^^^^"))

    def test_long_line(self):
        line, marks = self.show("SELECT '" + "x" * 10_000 + "'; DELETE FROM " + "t" * 10_000)
        self.assertTrue(line.startswith("    1 | ...xxx"))
        self.assertLess(len(line), 120)
        self.assertEqual(line[marks.index("^"):][:6], "DELETE")

    def test_span_over_lines(self):
        line, marks = self.show("SELECT 'abc\ndef")
        self.assertEqual(line, "    1 | SELECT 'abc")
        self.assertEqual(marks, " " * 15 + "^^^^")


class Usage(unittest.TestCase):
    def test_wrong(self):
        for arguments in [[], ["nonsense"], ["check", "a", "b"], ["check", "--nonsense"],
                          ["check", "--engine", "x"], ["check", "--engine"], ["check", "--rows", "1"], ["check", "--rows", "0"], ["cap"], ["cap", "--rows", "0"],
                          ["cap", "--rows", "-1"], ["cap", "--rows", "9223372036854775808"], ["cap", "--rows", "1x"],
                          ["cap", "--rows", "1" * 30],
                          ["cap", "--rows", ""], ["check", "--max-statements", "x"], ["check", "--json", "--jsonl"],
                          ["check", "--allow-risk", "unknown"], ["check", "--deny-table", ""], ["clean", "--view"],
                          ["hook", "--json"], ["check", "/nonexistent"], ["check", "/"]]:
            with self.subTest(arguments):
                status, out, err = run(*arguments, text="SELECT 1")
                self.assertEqual((status, out), (2, b""))
                self.assertTrue(err.startswith((b"d1guard: ", PROGRAM.encode())))

    def test_help_and_version(self):
        status, out, _ = run("--help")
        self.assertEqual(status, 0)
        self.assertIn(b"usage: d1guard", out)
        status, out, _ = run("--version")
        self.assertEqual(status, 0)
        self.assertRegex(out, rb"^d1guard \d+\.\d+\.\d+\n$")

    def test_output_that_fails(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([PROGRAM, "check"], input=b"SELECT 1", stdout=full, stderr=subprocess.PIPE,
                                  timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard output", done.stderr)


if __name__ == "__main__":
    tap.main()

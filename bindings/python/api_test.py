"""The package's own promises: units, arguments, errors, threads, a guarded connection.

SPDX-License-Identifier: Apache-2.0
"""
import copy
import gc
import pathlib
import pickle
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

import d1guard  # noqa: E402
from d1guard import Options, _native, cap_rows, check, clean, statements, tokens  # noqa: E402

SELECT = "SELECT 1"


class Verdicts(unittest.TestCase):
    def test_allowed(self):
        report = check(SELECT)
        self.assertEqual(report, d1guard.Report(True, "reads-only", "every statement only reads", 0, 0, 1, 1, 0, 1))
        self.assertTrue(report)
        self.assertEqual(check("SELECT 1; SELECT 2").statements, 2)

    def test_refused(self):
        report = check("SELECT 1;\n DROP TABLE t")
        self.assertFalse(report)
        self.assertEqual((report.reason, report.at, report.length, report.line, report.column, report.statement,
                          report.statements), ("schema", 11, 4, 2, 2, 1, 2))
        self.assertTrue(report.message.startswith("DROP at byte 11 would change the schema"), report.message)

    def test_code_points_or_bytes(self):
        sql = "SELECT '\U0001f600é\ufeff';\n/*\U0001f600*/ DROP TABLE t"
        report = check(sql)
        self.assertEqual(sql[report.at:report.at + report.length], "DROP")
        self.assertEqual((report.line, report.column), (2, 7))
        in_bytes = check(sql, offsets="bytes")
        self.assertEqual(sql.encode()[in_bytes.at:in_bytes.at + in_bytes.length], b"DROP")
        self.assertEqual((in_bytes.line, in_bytes.column), (2, 10))
        for data in (sql.encode(), bytearray(sql.encode()), memoryview(sql.encode())):
            self.assertEqual(check(data), in_bytes)
        self.assertEqual("".join(sql[t.at:t.at + t.length] for t in tokens(sql)), sql)
        self.assertEqual([sql[s.at:s.at + s.length] for s in statements(sql)],
                         ["SELECT '\U0001f600é\ufeff'", "DROP TABLE t"])
        self.assertEqual(d1guard.position(sql, report.at), d1guard.Position(2, 7))

    def test_lone_surrogate(self):
        self.assertEqual(clean("SELECT '\ud800x' /*;*/").sql, "SELECT '\ufffdx'")
        self.assertEqual([t.length for t in tokens("\ud800a 'é")], [2, 1, 2])

    def test_nul_and_bom(self):
        report = check("SELECT 1\0; DROP TABLE t")
        self.assertEqual((report.reason, report.at, report.length), ("nul-byte", 8, 1))
        self.assertEqual(clean("\ufeffSELECT '\ufeff'").sql, "SELECT '\ufeff'")

    def test_assert_read_only(self):
        self.assertEqual(d1guard.assert_read_only(SELECT), check(SELECT))
        with self.assertRaises(d1guard.SqlBlocked) as caught:
            d1guard.assert_read_only("DELETE FROM t")
        self.assertEqual(caught.exception.code, "SQL_BLOCKED")
        self.assertEqual(caught.exception.report, check("DELETE FROM t"))
        self.assertEqual(str(caught.exception), check("DELETE FROM t").message)
        self.assertEqual(pickle.loads(pickle.dumps(caught.exception)).report, caught.exception.report)

    def test_clean_and_cap(self):
        self.assertEqual(clean(" SELECT 1 ; SELECT 2 --;").sql, "SELECT 1;\nSELECT 2")
        self.assertIsNone(clean("DROP TABLE t").sql)
        report = cap_rows("SELECT a FROM t", 5)
        self.assertEqual((report.allowed, report.form, report.sql), (True, "append", "SELECT a FROM t\nLIMIT 5"))
        self.assertEqual(cap_rows(b"SELECT 1", 5).sql, b"SELECT 1\nLIMIT 5")
        self.assertEqual(cap_rows("SELECT 1; SELECT 2", 5).reason, "needs-one")
        self.assertIsNone(cap_rows("DROP TABLE t", 5).sql)
        self.assertEqual(cap_rows(SELECT, 0).reason, "bad-argument")
        self.assertEqual(cap_rows(SELECT, 2**63).reason, "bad-argument")
        self.assertEqual(cap_rows(SELECT, 2**63 - 1).sql, "SELECT 1\nLIMIT 9223372036854775807")

    def test_view(self):
        self.assertTrue(d1guard.check_view("CREATE VIEW v AS SELECT 1"))
        self.assertEqual(d1guard.check_view(SELECT).reason, "not-a-view")

    def test_statements(self):
        first, second, third = statements("WITH a AS (SELECT 1) DELETE FROM t WHERE x RETURNING y; EXPLAIN SELECT 1; SELEC")
        self.assertEqual(first, d1guard.Statement("delete", "write", "none", True, True, True, False, 0, 54, 55, None))
        self.assertEqual((second.kind, second.explain, second.error), ("select", "explain", None))
        self.assertEqual(third.error, d1guard.StatementError("unknown-statement", 74, 5))
        self.assertEqual(statements(" -- nothing"), [])

    def test_long_text(self):
        long = "SELECT '" + "é" * 5_000_000 + "'"
        self.assertTrue(check(long))
        report = check(long + "; DROP TABLE t")
        self.assertEqual((report.reason, report.at), ("schema", len(long) + 2))
        self.assertEqual(len(cap_rows(long, 7).sql), len(long) + len("\nLIMIT 7"))


class Arguments(unittest.TestCase):
    def test_every_option(self):
        for sql, reason, options in [
            ("PRAGMA user_version", "reads-only", Options(engine="sqlite")),
            ("PRAGMA user_version", "pragma-not-listed", None),
            ("DELETE FROM t", "risks-allowed", Options(allow=["write"])),
            ("DELETE FROM t", "missing-where", Options(allow=("write",), require_where=True)),
            ("SELECT 1; SELECT 2", "too-many-statements", Options(max_statements=1)),
            ("SELECT mine()", "unlisted-function", Options(strict_functions=True)),
            ("SELECT mine()", "reads-only", Options(strict_functions=True, allow_functions={"Mine"})),
            ("SELECT abs(1)", "denied-function", Options(deny_functions=(name for name in ("x", "ABS")))),
            ("SELECT * FROM secret", "denied-table", Options(deny_tables=["a", "secret", "z"])),
            ('SELECT * FROM "sécret"', "denied-table", Options(deny_tables=["sécret"])),
            ("PRAGMA table_list", "pragma-not-listed", Options(deny_pragmas=["table_list"])),
            ("PRAGMA user_version", "reads-only", Options(allow_pragmas=["user_version"])),
            ("SELECT * FROM sqlite_dbpage", "reads-only", Options(allow_tables=["sqlite_dbpage"])),
        ]:
            with self.subTest(sql=sql, options=options):
                self.assertEqual(check(sql, options).reason, reason)
                self.assertEqual(check(sql, copy.deepcopy(options)).reason, reason)
                self.assertEqual(check(sql, pickle.loads(pickle.dumps(options))).reason, reason)

    def test_options_own_their_names(self):
        options = [Options(deny_tables=[f"secret{i}" * 50]) for i in range(1000)]
        gc.collect()
        for i, option in enumerate(options):
            self.assertEqual(check(f"SELECT * FROM {f'secret{i}' * 50}", option).reason, "denied-table")

    def test_wrong_arguments(self):
        for error, call in [
            (TypeError, lambda: check(None)),
            (TypeError, lambda: check(1)),
            (TypeError, lambda: check([SELECT])),
            (TypeError, lambda: check(SELECT, "sqlite")),
            (TypeError, lambda: check(SELECT, {"engine": "sqlite"})),
            (TypeError, lambda: Options(deny_table=["t"])),
            (ValueError, lambda: Options(engine="mysql")),
            (ValueError, lambda: Options(allow=["everything"])),
            (ValueError, lambda: Options(allow=["unknown"])),
            (TypeError, lambda: Options(allow="write")),
            (TypeError, lambda: Options(deny_tables="abc")),
            (TypeError, lambda: Options(deny_tables=[b"abc"])),
            (ValueError, lambda: Options(deny_tables=["a\0b"])),
            (ValueError, lambda: Options(deny_tables=[""])),
            (ValueError, lambda: Options(max_statements=-1)),
            (TypeError, lambda: Options(max_statements=1.0)),
            (ValueError, lambda: check(SELECT, offsets="utf8")),
            (TypeError, lambda: cap_rows(SELECT, "5")),
            (TypeError, lambda: cap_rows(SELECT, 1.5)),
            (ValueError, lambda: cap_rows(SELECT, -1)),
            (ValueError, lambda: cap_rows(SELECT, 2**64)),
        ]:
            with self.assertRaises(error):
                call()

    def test_many_calls(self):
        """Memory stays where it is."""
        texts = [SELECT, "DROP TABLE t", "SELECT 'é' FROM t -- x"]
        options = [None, Options(deny_tables=["secret"])]

        def calls(count):
            for i in range(count):
                check(texts[i % 3], options[i % 2])

        def pages():
            gc.collect()
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1])

        calls(20_000)
        before = pages()
        calls(200_000)
        self.assertLess(pages() - before, 500)

    def test_threads(self):
        """Calls do not disturb each other."""
        long = "SELECT " + "a, " * 300_000 + "1; DROP TABLE t"
        found = []
        threads = [threading.Thread(target=lambda: found.extend(check(long).at for _ in range(5))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for _ in range(1000):
            self.assertEqual(check("SELECT 1; DROP TABLE t").at, 10)
        for thread in threads:
            thread.join()
        self.assertEqual(found, [len(long) - len("DROP TABLE t")] * 20)

    def test_a_call_lets_other_threads_run(self):
        """Something is done here well between start and end of one call there."""
        data = b"SELECT " + b"a, " * 10_000_000 + b"1"
        spans, stamps = [], []
        deadline = time.perf_counter() + 60

        def seen():
            return any(start + (end - start) / 4 < stamp < end - (end - start) / 4
                       for start, end in spans for stamp in stamps)

        def work():
            while not seen() and time.perf_counter() < deadline:
                stamps.clear()
                start = time.perf_counter()
                _native.library.d1guard_classify(data, len(data), None, None)
                spans[:] = [(start, time.perf_counter())]

        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            stamps.append(time.perf_counter())
            time.sleep(0.001)
        self.assertTrue(seen(), spans)

class Guarded(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "a.db"
        connection = sqlite3.connect(self.path)
        connection.executescript("""
            CREATE TABLE t(a);
            INSERT INTO t VALUES (1), (2), (3);
            CREATE VIEW harmless AS SELECT a, abs(a) AS b FROM t;
            CREATE VIEW page AS SELECT pgno FROM sqlite_dbpage;
            CREATE VIEW token AS SELECT fts3_tokenizer('x') FROM t;
            CREATE VIEW secrets AS SELECT * FROM secret;
            CREATE VIEW loud AS SELECT upper(b) FROM secret;
            CREATE TABLE secret(b);
            CREATE VIRTUAL TABLE f USING fts5(x);
            INSERT INTO f VALUES ('hello');
            CREATE VIRTUAL TABLE r USING rtree(id, low, high);
            INSERT INTO r VALUES (1, 2, 3);
        """)
        connection.commit()
        connection.close()
        self.before = self.path.read_bytes()
        self.connection = sqlite3.connect(self.path)
        self.addCleanup(self.connection.close)

    def tearDown(self):
        self.assertEqual(self.path.read_bytes(), self.before)

    def test_reads(self):
        guard = d1guard.guarded(self.connection)
        for sql, rows in [
            ("SELECT a FROM t -- ; x", [(1,), (2,), (3,)]),
            ("SELECT b FROM harmless WHERE a = 2", [(2,)]),
            ("SELECT * FROM f WHERE f MATCH 'hello'", [("hello",)]),
            ("SELECT * FROM r", [(1, 2.0, 3.0)]),
            ("PRAGMA table_info(t)", [(0, "a", "", 0, None, 0)]),
            ("SELECT name FROM pragma_table_info('t')", [("a",)]),
            ("SELECT value FROM json_each('[7]')", [(7,)]),
            ("PRAGMA user_version", [(0,)]),
            ("WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 2) SELECT n FROM c", [(1,), (2,)]),
        ]:
            with self.subTest(sql):
                self.assertEqual(guard.execute(sql).fetchall(), rows)
        self.assertEqual(guard.execute("SELECT a FROM t WHERE a = ? OR a = :b", (3, 1)).fetchall()[0], (1,))

    def test_the_guard_in_front(self):
        guard = d1guard.guarded(self.connection)
        for sql, reason in [("DELETE FROM t", "write"), ("SELECT 1; SELECT 2", "too-many-statements"),
                            ("PRAGMA query_only = 0", "pragma-value"), ("ATTACH 'x' AS x", "connection"),
                            ("SELECT load_extension('x')", "denied-function")]:
            with self.subTest(sql), self.assertRaises(d1guard.SqlBlocked) as caught:
                guard.execute(sql)
            self.assertEqual(caught.exception.report.reason, reason)

    def test_the_locks_behind_it(self):
        d1guard.guarded(self.connection)
        self.connection.isolation_level = None
        for sql in ["DELETE FROM t", "INSERT INTO t VALUES (9)", "UPDATE t SET a = 0", "CREATE TABLE x(a)",
                    "CREATE TEMP TABLE x(a)", "DROP TABLE t", "PRAGMA query_only = 0", "PRAGMA user_version = 5",
                    "ATTACH ':memory:' AS x", "BEGIN", "SAVEPOINT s", "VACUUM", "REINDEX", "ANALYZE",
                    "INSERT INTO f VALUES ('x')", "DELETE FROM r", "SELECT * FROM page", "SELECT * FROM token"]:
            with self.subTest(sql), self.assertRaises(sqlite3.Error):
                self.connection.execute(sql).fetchall()

    def test_options(self):
        guard = d1guard.guarded(self.connection, Options(engine="sqlite", deny_tables=["secret"],
                                                             deny_functions=["upper"]), max_rows=2)
        self.assertEqual(guard.execute("SELECT a FROM t").fetchall(), [(1,), (2,)])
        with self.assertRaises(d1guard.SqlBlocked):
            guard.execute("SELECT * FROM secret")
        for view in "secrets", "loud":  # the text does not name it, the view does
            with self.assertRaisesRegex(sqlite3.DatabaseError, "not authorized|prohibited"):
                guard.execute(f"SELECT * FROM {view}")
        guard = d1guard.guarded(self.connection, Options(engine="sqlite", deny_functions=["upper"]))
        self.assertEqual(guard.execute("SELECT * FROM secrets").fetchall(), [])
        with self.assertRaisesRegex(sqlite3.DatabaseError, "not authorized"):
            guard.execute("SELECT * FROM loud")

    def test_guarded_again(self):
        for _ in range(2):
            self.assertEqual(d1guard.guarded(self.connection, max_rows=1).execute("SELECT a FROM t").fetchall(), [(1,)])
        with self.assertRaises(sqlite3.Error):
            self.connection.execute("PRAGMA query_only = 0")

    def test_close(self):
        with d1guard.guarded(sqlite3.connect(self.path)) as guard:
            guard.execute(SELECT)
        with self.assertRaises(sqlite3.ProgrammingError):
            guard.execute(SELECT)


class Program(unittest.TestCase):
    """python -m d1guard, and that it answers as the C program does."""

    def run_program(self, *arguments, text=b""):
        done = subprocess.run([sys.executable, "-m", "d1guard", *arguments], input=text, capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def test_like_the_c_program(self):
        texts = [b"SELECT 1", b"SELECT 'a'; -- x;\n DELETE FROM t", b"", b"SELECT '", b"PRAGMA user_version",
                 b"EXPLAIN SELECT 1", "SELECT 'é' FROM \"ü\"".encode(), b"SELECT 1\0"]
        for arguments in [["check"], ["check", "--json"], ["check", "--engine", "sqlite"], ["clean"],
                          ["clean", "--json"], ["cap", "--rows", "5"], ["cap", "--rows", "5", "--json"]]:
            for text in texts:
                with self.subTest(arguments=arguments, text=text):
                    done = subprocess.run([CLI, *arguments], input=text, capture_output=True)
                    self.assertEqual(self.run_program(*arguments, text=text),
                                     (done.returncode, done.stdout, done.stderr))

    def test_file_and_usage(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"DROP TABLE t")
            file.flush()
            self.assertEqual(self.run_program("check", file.name)[0], 1)
        for arguments in [], ["judge"], ["check", "/nonexistent/x"], ["cap"], ["cap", "--rows", "0"], \
                ["cap", "--rows", "9223372036854775808"], ["check", "--engine", "mysql"]:
            with self.subTest(arguments):
                self.assertEqual(self.run_program(*arguments)[0], 2)
        self.assertEqual(self.run_program("--version"), (0, b"d1guard %s\n" % d1guard.version.encode(), b""))


if __name__ == "__main__":
    CLI = sys.argv[1]
    tap.main()

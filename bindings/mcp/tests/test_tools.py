"""The tools on SQLite files: what they show, what they refuse, how values and long results travel.

    test_tools.py SERVER

SPDX-License-Identifier: Apache-2.0
"""
import base64
import hashlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from mcp_client import ROOT, SERVER, Server, clean_environment, tap

LARGEST = (1 << 53) - 1


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="d1guard-mcp-"))
        self.path = self.folder / "app.db"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def make(self, script):
        connection = sqlite3.connect(self.path)
        connection.executescript(script)
        connection.close()
        return self.path

    def write(self, name, value):
        path = self.folder / name
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path


class Catalog(WithFolder):
    def test_list_tables(self):
        self.make("""CREATE TABLE b (x); CREATE TABLE "a b" (x PRIMARY KEY); CREATE VIEW v AS SELECT 1;
            CREATE VIRTUAL TABLE f USING fts5 (x); CREATE TABLE _cf_KV (x); CREATE TABLE d1_migrations (x);
            CREATE TABLE sqlx (x); CREATE TABLE ident (x INTEGER PRIMARY KEY AUTOINCREMENT);
            CREATE TABLE \"quote\"\"d\" (x); CREATE TABLE "\u00fc" (x)""")
        with Server(self.path) as s:
            listed = s.call("list_tables")
            self.assertEqual([(t["name"], t["type"]) for t in listed["tables"]], [
                ("a b", "table"), ("b", "table"), ("f", "virtual"), ("ident", "table"), ('quote"d', "table"),
                ("sqlx", "table"), ("v", "view"), ("\u00fc", "table")])
            self.assertEqual((listed["database"], listed["truncated"]), ("app.db", False))
            for name in ["quote\"d", "\u00fc", "a b"]:
                self.assertEqual(s.call("describe_table", table=name)["columns"][0]["name"], "x")

    def test_row_estimates(self):
        self.make("CREATE TABLE t (a, b); CREATE INDEX ta ON t (a); CREATE INDEX tb ON t (b) WHERE b; CREATE TABLE u (a);"
                  "INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250) SELECT i, i % 2 FROM n;"
                  "ANALYZE")
        with Server(self.path) as s:
            self.assertEqual([t.get("row_estimate") for t in s.call("list_tables")["tables"]], [250, None])

    def test_views_that_act_are_blocked_and_so_are_views_over_them(self):
        self.make("""CREATE VIEW a3 AS SELECT * FROM a2; CREATE VIEW a2 AS SELECT x FROM t, a1 AS other;
            CREATE VIEW a1 AS SELECT 1 AS x FROM pragma_optimize; CREATE VIEW ok AS SELECT 'a1' AS a1; CREATE TABLE t (x);
            CREATE VIEW ok2 AS SELECT * FROM ok""")
        with Server(self.path) as s:
            blocked = {t["name"]: t.get("blocked") for t in s.call("list_tables")["tables"]}
            self.assertEqual(blocked, {"a1": "denied-table", "a2": "denied-table", "a3": "denied-table", "ok": None,
                                       "ok2": None, "t": None})
            described = s.call("describe_table", table="a3")
            self.assertEqual((described["blocked"], described["columns"]), ("denied-table", []))
            for name in ("a1", "A2", "main.a3", '"a3"'):
                error = s.error("query", sql=f"SELECT * FROM {name}")
                self.assertEqual((error["code"], error["reason"]), ("SQL_BLOCKED", "denied-table"), name)
            self.assertEqual(s.rows("SELECT * FROM ok2"), [["a1"]])

    def test_a_schema_that_changes_while_the_server_runs(self):
        self.make("CREATE VIEW v AS SELECT 1; CREATE TABLE t (x)")
        with Server(self.path) as s:
            self.assertEqual(s.rows("SELECT * FROM v"), [[1]])
            self.make("DROP VIEW v; CREATE VIEW v AS SELECT * FROM pragma_optimize")
            self.assertEqual(s.error("query", sql="SELECT * FROM v")["reason"], "denied-table")
            self.make("DROP VIEW v; CREATE VIEW v AS SELECT 2")
            self.assertEqual(s.rows("SELECT * FROM v"), [[2]])

    def test_describe_table(self):
        self.make("""CREATE TABLE parent (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
            CREATE TABLE child (id INTEGER PRIMARY KEY, a TEXT NOT NULL DEFAULT 'x''y', b REAL DEFAULT (1 + 1), g AS (b * 2) STORED,
                p REFERENCES other, UNIQUE (b, a), FOREIGN KEY (b, a) REFERENCES parent (b, a) ON DELETE SET NULL ON UPDATE CASCADE);
            CREATE INDEX expr ON child (lower(a), b) WHERE b > 1""")
        with Server(self.path) as s:
            d = s.call("describe_table", table="CHILD")
            self.assertEqual((d["table"], d["type"]), ("child", "table"))
            self.assertEqual([list(c.values()) for c in d["columns"]], [
                ["id", "INTEGER", False, None, 1, False], ["a", "TEXT", True, "'x''y'", 0, False],
                ["b", "REAL", False, "1 + 1", 0, False], ["g", "", False, None, 0, True], ["p", "", False, None, 0, False]])
            self.assertEqual([list(i.values()) for i in d["indexes"]], [
                ["expr", False, True, [None, "b"]], ["sqlite_autoindex_child_1", True, False, ["b", "a"]]])
            self.assertEqual([list(k.values()) for k in d["foreign_keys"]], [
                [["b", "a"], "parent", ["b", "a"], "CASCADE", "SET NULL"], [["p"], "other", [None], "NO ACTION", "NO ACTION"]])
            self.assertEqual([c["primary_key"] for c in s.call("describe_table", table="parent")["columns"]], [2, 1])

    def test_a_name_is_a_value(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for name in ("nosuch", "", "t); DROP TABLE t; --", "t') UNION SELECT 1 --", "sqlite_schema", "t\0", "main.t", "%"):
                self.assertEqual(s.error("describe_table", table=name)["code"], "NO_SUCH_TABLE", name)

    def test_more_tables_than_fit(self):
        self.make(";".join(f"CREATE TABLE table_{n:04} (x)" for n in range(200)))
        with Server(self.path, "--max-bytes", 2000) as s:
            result = s.raw_call("list_tables", {})
            self.assertTrue(result["structuredContent"]["truncated"])
            self.assertLess(len(result["content"][0]["text"]), 2100)
            self.assertIn("sqlite_schema", result["content"][1]["text"])

    def test_dictionary(self):
        self.make("CREATE TABLE t (a, b); CREATE TABLE u (a)")
        notes = {"note": "All of it.", "tables": {"T": {"note": "Rows \"t\".", "columns": {"A": "Column a."}}}}
        with Server(self.path, "--dictionary", self.write("d.json", notes)) as s:
            listed = s.call("list_tables")
            self.assertEqual((listed["note"], [t.get("note") for t in listed["tables"]]), ("All of it.", ['Rows "t".', None]))
            described = s.call("describe_table", table="t")
            self.assertEqual((described["note"], [c.get("note") for c in described["columns"]]), ('Rows "t".', ["Column a.", None]))
            self.assertIn("All of it.", s.request("server/discover", modern=True)["result"]["instructions"])
        with Server(self.path, "--dictionary", self.write("d.json", {"databases": {"app.db": notes, "x": {}}})) as s:
            self.assertEqual(s.call("list_tables")["note"], "All of it.")
        with Server(self.path, "--dictionary", self.write("d.json", {"databases": {"x": notes}})) as s:
            self.assertNotIn("note", s.call("list_tables"))

    def test_bad_dictionaries(self):
        self.make("CREATE TABLE t (a)")
        for text in ("", "{", "[]", "1", '{"x":1}', '{"note":1}', '{"tables":[]}', '{"tables":{"t":1}}', '{"tables":{"t":{"column":{}}}}',
                     '{"tables":{"t":{"columns":{"a":1}}}}', '{"databases":{},"note":"x"}', '{"databases":{"a":{"x":1}}}', '{"note":"a","note":"b"}'):
            with Server(self.path, "--dictionary", self.write("d.json", text), status=1) as s:
                pass
            self.assertIn("dictionary", s.stderr, text)


class Values(WithFolder):
    def test_every_type(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for sql, value in [
                    ("NULL", None), ("1", 1), ("-1", -1), (str(LARGEST), LARGEST), (str(-LARGEST), -LARGEST),
                    (str(LARGEST + 1), str(LARGEST + 1)), (str(-LARGEST - 1), str(-LARGEST - 1)),
                    ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
                    ("'a'", "a"), ("''", ""), ("'\u00e9 \u68ee \U0001f600'", "\u00e9 \u68ee \U0001f600"),
                    ("'a' || char(0, 10, 13, 9, 34, 92, 127, 8232) || 'b'", "a\0\n\r\t\"\\\x7f\u2028b"),
                    ("x''", {"blob_base64": "", "bytes": 0}), ("x'00'", {"blob_base64": "AA==", "bytes": 1}),
                    ("x'0001ff'", {"blob_base64": "AAH/", "bytes": 3}), ("x'fffe'", {"blob_base64": "//4=", "bytes": 2}),
                    ("CAST(x'61ff' AS TEXT)", {"blob_base64": "Yf8=", "bytes": 2}),
                    ("CAST(x'eda080' AS TEXT)", {"blob_base64": "7aCA", "bytes": 3}),
                    ("1e999", "Infinity"), ("-1e999", "-Infinity"), ("1e999 - 1e999", None)]:
                self.assertEqual(s.rows(f"SELECT {sql}"), [[value]], sql)

    def test_reals_keep_their_digits(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for sql, text in [("1.0", "1.0"), ("-0.0", "-0.0"), ("0.1", "0.1"), ("0.1 + 0.2", "0.30000000000000004"),
                              ("1e100", "1e+100"), ("1e15", "1e+15"), ("123456789.0", "123456789.0"), ("5e-324", "4.94065645841247e-324"),
                              ("9007199254740993.0", "9007199254740992.0"), ("1.7976931348623157e308", "1.7976931348623157e+308")]:
                result = s.raw_call("query", {"sql": f"SELECT {sql} AS x"})
                self.assertIn(f'"rows":[[{text}]]', result["content"][0]["text"], sql)

    def test_columns_of_one_name_stay_apart(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            result = s.call("query", sql="SELECT 1 AS a, 2 AS a, 3 AS \"\u00e9\"\"\", 4")
            self.assertEqual((result["columns"], result["rows"]), (["a", "a", "\u00e9\"", "4"], [[1, 2, 3, 4]]))

    def test_params(self):
        self.make("CREATE TABLE t (x)")
        blob = {"blob_base64": base64.b64encode(bytes(range(256))).decode()}
        with Server(self.path) as s:
            for params, value in [([None], [None, "null"]), ([True], [1, "integer"]), ([False], [0, "integer"]), ([5], [5, "integer"]),
                                  ([-9223372036854775808], ["-9223372036854775808", "integer"]), ([1.0], [1.0, "real"]), ([1e300], [1e300, "real"]),
                                  (["a\0b"], ["a\0b", "text"]), ([""], ["", "text"]), (["9007199254740993"], ["9007199254740993", "text"]),
                                  ([{"integer": "9007199254740993"}], ["9007199254740993", "integer"]), ([{"integer": "-1"}], [-1, "integer"]),
                                  ([blob], [{**blob, "bytes": 256}, "blob"]), ([{**blob, "bytes": 256}], [{**blob, "bytes": 256}, "blob"]),
                                  ([{"blob_base64": ""}], [{"blob_base64": "", "bytes": 0}, "blob"])]:
                self.assertEqual(s.rows("SELECT ?1, typeof(?1)", params=params), [value], params)
            for params in ({"a": 1, "b": 2, "c": 3}, {":a": 1, "@b": 2, "$c": 3}):
                self.assertEqual(s.rows("SELECT :a, @b, $c, :a", params=params), [[1, 2, 3, 1]])
            self.assertEqual(s.rows("SELECT ?, ?, ?2", params=[1, 2]), [[1, 2, 2]])
            self.assertEqual(s.rows("SELECT :a, ?", params=[1, 2]), [[1, 2]])
            self.assertEqual(s.rows("SELECT 1", params=[]), [[1]])
            self.assertEqual(s.rows("SELECT 1", params={}), [[1]])
            self.assertEqual(s.rows("SELECT 1 LIMIT ?", params=[5]), [[1]])

    def test_bad_params(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for sql, params in [("SELECT ?", []), ("SELECT 1", [1]), ("SELECT ?", [1, 2]), ("SELECT :a", {"b": 1}), ("SELECT :a", {}),
                                ("SELECT ?", {"a": 1}), ("SELECT :a", {"a": 1, "b": 2}), ("SELECT ?", [[1]]), ("SELECT ?", [{}]),
                                ("SELECT ?", [{"integer": "x"}]), ("SELECT ?", [{"integer": "9223372036854775808"}]), ("SELECT ?", [{"integer": ""}]),
                                ("SELECT ?", [{"integer": " 1"}]), ("SELECT ?", [{"integer": "1\0"}]), ("SELECT ?", [{"integer": 1}]),
                                ("SELECT ?", [{"blob_base64": "A"}]), ("SELECT ?", [{"blob_base64": "A==="}]), ("SELECT ?", [{"blob_base64": "AA=A"}]),
                                ("SELECT ?", [{"blob_base64": "AA\0="}]), ("SELECT ?", [{"blob_base64": 1}]), ("SELECT ?", [{"blob_base64": "", "x": 1}]),
                                ("SELECT ?", "x"), ("SELECT ?", 1), ("SELECT ?", None)]:
                self.assertEqual(s.error("query", sql=sql, params=params)["code"], "BAD_ARGUMENT", (sql, params))


class Bounds(WithFolder):
    def setUp(self):
        super().setUp()
        self.make("CREATE TABLE t (x); INSERT INTO t WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i FROM n")

    def test_truncated_is_exact(self):
        with Server(self.path, "--max-rows", 10) as s:
            for rows, wanted, truncated, cap in [(9, None, False, 10), (10, None, False, 10), (11, None, True, 10), (1000, 5, True, 5),
                                                 (5, 5, False, 5), (1000, 1000, True, 10), (0, 1, False, 1), (1000, 2 ** 60, True, 10)]:
                arguments = {"sql": f"SELECT x FROM t WHERE x <= {rows} ORDER BY x"}
                if wanted:
                    arguments["max_rows"] = wanted
                for sql in (arguments["sql"], arguments["sql"] + " LIMIT 1000", arguments["sql"] + " LIMIT 500 + 500"):
                    result = s.raw_call("query", {**arguments, "sql": sql})
                    table = result["structuredContent"]
                    self.assertEqual((table["row_count"], table["truncated"], table["row_cap"]), (min(rows, cap), truncated, cap))
                    self.assertEqual(table["rows"], [[n + 1] for n in range(min(rows, cap))])
                    self.assertEqual(len(result["content"]), 2 if truncated else 1)

    def test_statements_that_the_guard_does_not_cap(self):
        with Server(self.path, "--max-rows", 3) as s:
            for sql in ("EXPLAIN SELECT * FROM t", "PRAGMA pragma_list", "SELECT * FROM pragma_pragma_list"):
                table = s.call("query", sql=sql)
                self.assertEqual((table["row_count"], table["truncated"]), (3, True), sql)

    def test_endless_rows_end(self):
        with Server(self.path) as s:
            table = s.call("query", sql="WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
            self.assertEqual((table["row_count"], table["truncated"]), (200, True))

    def test_bytes(self):
        with Server(self.path, "--max-bytes", 5000) as s:
            result = s.raw_call("query", {"sql": "SELECT x, hex(zeroblob(200)) FROM t"})
            table = result["structuredContent"]
            self.assertTrue(table["truncated"] and 5 < table["row_count"] < 13, table["row_count"])
            self.assertLess(len(result["content"][0]["text"]), 5200)
            self.assertIn(f"first {table['row_count']} rows", result["content"][1]["text"])

    def test_long_cells_are_cut_and_say_so(self):
        with Server(self.path, "--max-bytes", 8192) as s:
            text, blob, exact = s.rows("SELECT printf('%.*c', 5000, 'x'), zeroblob(5000), printf('%.*c', 1024, 'y')")[0]
            self.assertEqual((text[:1024], text[1024:]), ("x" * 1024, " ... [cut: 5000 bytes in all]"))
            self.assertEqual((len(base64.b64decode(blob["blob_base64"])), blob["bytes"]), (1024, 5000))
            self.assertEqual(exact, "y" * 1024)
            cut = s.rows("SELECT 'a' || replace(printf('%.*c', 2000, 'x'), 'x', '\u00e9')")[0][0]
            self.assertEqual(cut, "a" + "\u00e9" * 511 + " ... [cut: 4001 bytes in all]")

    def test_a_row_too_long_for_any_result(self):
        with Server(self.path, "--max-bytes", 8192) as s:
            cells = ", ".join(["hex(zeroblob(500)) AS a"] * 20)
            result = s.raw_call("query", {"sql": f"SELECT {cells}"})
            table = result["structuredContent"]
            self.assertEqual((table["rows"], table["truncated"]), ([], True))
            self.assertIn("fewer", result["content"][1]["text"])
            self.assertEqual(s.error("query", sql="SELECT 1 AS \"%s\"" % ("x" * 9000))["code"], "TOO_LARGE")

    def test_memory(self):
        with Server(self.path) as s:
            self.assertIn("too big", s.error("query", sql="SELECT zeroblob(40000000)")["message"])
            self.assertEqual(s.error("query", sql="SELECT count(*) FROM (SELECT randomblob(30000000) FROM t ORDER BY 1)")["code"], "SQL_ERROR")
            self.assertEqual(s.rows("SELECT 1"), [[1]])


class Refusals(WithFolder):
    def test_the_error_says_what_and_where(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            self.assertEqual(s.error("query", sql="WITH \u00e9 AS (SELECT 1)\n  DELETE FROM t"), {
                "code": "SQL_BLOCKED", "reason": "write", "message": "DELETE at byte 24 would write; this tool only reads",
                "at": 24, "len": 6, "line": 2, "column": 3})
            for sql, reason in [("", "empty"), ("SELECT 1; SELECT 2", "needs-one"), ("SELECT 1\0; DELETE FROM t", "nul-byte"), ("DROP TABLE t", "schema"),
                                ("BEGIN", "transaction"), ("ATTACH 'x' AS y", "connection"), ("VACUUM", "maintenance"), ("PRAGMA user_version = 1", "pragma-value"),
                                ("EXPLAIN DELETE FROM t", "explain-not-read"), ("SELECT load_extension('x')", "denied-function"), ("SELECT 'a", "open-quote")]:
                error = s.error("query", sql=sql)
                self.assertEqual((error["code"], error["reason"]), ("SQL_BLOCKED", reason), sql)

    def test_errors_of_sqlite(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for sql, part in [("SELECT nosuch FROM t", "no such column"), ("SELECT * FROM nosuch", "no such table"), ("SELECT 1 FROM", "row cap"), ("SELECT * FROM t ORDER BY", "row cap"),
                              ("SELECT (SELECT 1, 2)", "returns 2 columns"), ("SELECT abs(-9223372036854775808)", "integer overflow")]:
                error = s.error("query", sql=sql)
                self.assertEqual(error["code"], "SQL_ERROR")
                self.assertIn(part, error["message"])

    def test_arguments(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for tool, arguments in [("list_tables", {"x": 1}), ("list_tables", {"database": "app.db"}), ("describe_table", {}), ("describe_table", {"table": 1}),
                                    ("query", {}), ("query", {"sql": None}), ("query", {"sql": ["SELECT 1"]}), ("query", {"sql": "SELECT 1", "SQL": "x"}),
                                    ("query", {"sql": "SELECT 1", "max_rows": 0}), ("query", {"sql": "SELECT 1", "max_rows": -1}),
                                    ("query", {"sql": "SELECT 1", "max_rows": "5"}), ("query", {"sql": "SELECT 1", "max_rows": 1.5})]:
                self.assertEqual(s.error(tool, **arguments)["code"], "BAD_ARGUMENT", (tool, arguments))
            self.assertEqual(s.error("query", sql="SELECT 1", SQL="x")["message"], 'query takes no argument "SQL"')
            self.assertEqual(s.error("query", sql=1)["message"], 'the argument "sql" has the wrong type')
            self.assertEqual(s.error("query")["message"], 'the argument "sql" is missing')


class Files(WithFolder):
    def test_virtual_tables_can_be_read_behind_the_authorizer(self):
        self.make("CREATE VIRTUAL TABLE f5 USING fts5 (x); INSERT INTO f5 VALUES ('alpha beta');"
                  "CREATE VIRTUAL TABLE f4 USING fts4 (x); INSERT INTO f4 VALUES ('alpha beta');"
                  "CREATE VIRTUAL TABLE r USING rtree (id, a, b); INSERT INTO r VALUES (1, 2, 3)")
        with Server(self.path) as s:
            self.assertEqual(s.rows("SELECT highlight(f5, 0, '<', '>') FROM f5 WHERE f5 MATCH 'beta'"), [["alpha <beta>"]])
            self.assertEqual(s.rows("SELECT snippet(f4) FROM f4 WHERE f4 MATCH 'beta'"), [["alpha <b>beta</b>"]])
            self.assertEqual(s.rows("SELECT id FROM r WHERE a <= 2"), [[1]])
            self.assertEqual(s.rows("SELECT value FROM json_each('[1,2]')"), [[1], [2]])
            self.assertEqual(s.rows("PRAGMA integrity_check"), [["ok"]])
            self.assertEqual(s.rows("SELECT name FROM pragma_table_info('f5')"), [["x"]])
            self.assertEqual([t["name"] for t in s.call("list_tables")["tables"]], ["f4", "f5", "r"])

    def test_settings_of_the_connection(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            for name, value in [("query_only", 1), ("trusted_schema", 0), ("temp_store", 2)]:
                self.assertEqual(s.rows(f"PRAGMA {name}"), [[value]])

    def test_wal_and_a_writer_beside(self):
        self.make("PRAGMA journal_mode = wal; CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        writer = sqlite3.connect(self.path, isolation_level=None)
        writer.execute("INSERT INTO t VALUES (2)")
        with Server(self.path) as s:
            self.assertEqual(s.rows("SELECT count(*) FROM t"), [[2]])
            writer.execute("BEGIN IMMEDIATE")
            writer.execute("INSERT INTO t VALUES (3)")
            self.assertEqual(s.rows("SELECT count(*) FROM t"), [[2]])
            writer.execute("COMMIT")
            self.assertEqual(s.rows("SELECT count(*) FROM t"), [[3]])
        writer.close()

    def test_locked_file(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path) as s:
            self.assertEqual(s.rows("SELECT * FROM t"), [])
            writer = sqlite3.connect(self.path, isolation_level=None)
            writer.execute("BEGIN EXCLUSIVE")
            self.assertIn("locked", s.error("query", sql="SELECT * FROM t")["message"])
            writer.execute("ROLLBACK")
            self.assertEqual(s.rows("SELECT * FROM t"), [])
            writer.execute("INSERT INTO t VALUES (1)")  # the server holds no lock between calls
            writer.close()

    def test_reading_leaves_the_file_and_its_folder_alone(self):
        self.make("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
        before = (self.path.read_bytes(), os.listdir(self.folder))
        with Server(self.path) as s:
            s.call("list_tables")
            s.rows("SELECT * FROM t ORDER BY x")
            s.error("query", sql="VACUUM INTO 'copy.db'")
        self.assertEqual((self.path.read_bytes(), os.listdir(self.folder)), before)

    def test_files_that_cannot_be_served(self):
        (self.folder / "text.db").write_text("this is no database, but long enough to be looked at" * 40)
        for path in (self.folder / "nosuch.db", self.folder / "text.db", self.folder):
            with Server(path, status=1) as s:
                pass
            self.assertIn("d1guard-mcp: ", s.stderr)
            self.assertFalse((self.folder / "nosuch.db").exists())


class Audit(WithFolder):
    def lines(self):
        return [json.loads(line) for line in (self.folder / "audit").read_text().splitlines()]

    def test_lines(self):
        self.make("CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)")
        sql = "SELECT * FROM t -- \u00e9" + "x" * 100
        with Server(self.path, "--audit", self.folder / "audit") as s:
            s.rows(sql)
            s.error("query", sql="DELETE FROM t")
            s.error("query", sql="SELECT nosuch")
            s.error("query", x=1)
            s.call("list_tables")
        lines = self.lines()
        self.assertEqual((self.folder / "audit").stat().st_mode & 0o777, 0o600)
        self.assertEqual([(line["tool"], line.get("verdict"), line.get("reason"), line.get("error"), line["rows"]) for line in lines], [
            ("query", "allow", "reads-only", None, 2), ("query", "refuse", "write", "SQL_BLOCKED", 0), ("query", "allow", "reads-only", "SQL_ERROR", 0),
            ("query", None, None, "BAD_ARGUMENT", 0), ("list_tables", None, None, None, 0)])
        self.assertEqual(lines[0]["sql_sha256"], hashlib.sha256(sql.encode()).hexdigest())
        self.assertRegex(lines[0]["time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertNotIn("sql", lines[0])
        self.assertEqual(lines[0]["database"], "app.db")

    def test_hashes_of_every_length(self):
        self.make("CREATE TABLE t (x)")
        texts = ["SELECT 1" + " " * n for n in (0, 1, 47, 48, 55, 56, 57, 63, 64, 65, 111, 112, 119, 120, 5000)]
        with Server(self.path, "--audit", self.folder / "audit") as s:
            for text in texts:
                s.rows(text)
        self.assertEqual([line["sql_sha256"] for line in self.lines()], [hashlib.sha256(t.encode()).hexdigest() for t in texts])

    def test_text(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path, "--audit", self.folder / "audit", "--audit-sql", "text") as s:
            s.rows('SELECT "x"\n FROM t')
        self.assertEqual(self.lines()[0]["sql"], 'SELECT "x"\n FROM t')
        self.assertNotIn("sql_sha256", self.lines()[0])

    def test_a_file_that_cannot_be_written_costs_no_answer(self):
        self.make("CREATE TABLE t (x)")
        for path in (self.folder / "no" / "such" / "folder", self.folder, "/dev/full"):
            with Server(self.path, "--audit", path) as s:
                self.assertEqual(s.rows("SELECT 1"), [[1]])
            self.assertIn("audit", s.stderr)


class Options(WithFolder):
    def run_it(self, *arguments, **environment):
        return subprocess.run([SERVER, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20,
                              env=clean_environment(environment), check=False)

    def test_help_and_version(self):
        done = self.run_it("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for word in ("--d1", "--demo", "--max-rows", "D1GUARD_MAX_ROWS", "D1GUARD_DATABASE", "CLOUDFLARE_API_TOKEN"):
            self.assertIn(word, done.stdout)
        options = set(re.findall(r"^  --([\w-]+)", done.stdout, re.M))
        manual = (ROOT / "bindings/mcp/d1guard-mcp.1").read_text(encoding="utf-8").replace("\\", "")
        self.assertEqual(options | {"help", "version"}, set(re.findall(r"^\.It Fl -([\w-]+)", manual, re.M)))
        for variable in re.findall(r"\[(\w+)\]$", done.stdout, re.M):
            self.assertIn(variable, manual)
        self.assertRegex(self.run_it("--version").stdout, r"^d1guard-mcp \d+\.\d+\.\d+\n$")

    def test_usage_errors(self):
        self.make("CREATE TABLE t (x)")
        for arguments in ([], [self.path, self.path], [self.path, "--demo"], ["--demo", "--d1", "a/b"], ["--nosuch"], ["--max-rows"], ["--demo", "--max-rows", "0"],
                          ["--demo", "--max-rows", "x"], ["--demo", "--max-rows", "5x"], ["--demo", "--max-rows="], ["--demo", "--max-bytes", "10"],
                          ["--demo", "--timeout-ms", "99999999999999999999"], ["--demo=1"], ["--demo", "--audit-sql", "all"]):
            done = self.run_it(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn("d1guard-mcp: ", done.stderr)

    def test_environment(self):
        self.make("CREATE TABLE t (x)")
        with Server(environment={"D1GUARD_DATABASE": str(self.path), "D1GUARD_MAX_ROWS": "7", "D1GUARD_DEMO": "0"}) as s:
            self.assertEqual(s.call("query", sql="SELECT 1")["row_cap"], 7)
            self.assertEqual(s.call("list_tables")["database"], "app.db")
        with Server("--demo", "--max-rows=5", environment={"D1GUARD_DATABASE": str(self.path), "D1GUARD_MAX_ROWS": "7"}) as s:
            self.assertEqual(s.call("query", sql="SELECT 1")["row_cap"], 5)
            self.assertEqual(s.call("list_tables")["database"], "sample")
        with Server(environment={"D1GUARD_DEMO": "1"}) as s:
            self.assertEqual(s.call("list_tables")["database"], "sample")

    def test_guard_only_says_so(self):
        self.make("CREATE TABLE t (x)")
        with Server(self.path, "--guard-only") as s:
            self.assertEqual(s.rows("SELECT 1"), [[1]])
        self.assertIn("OPEN FOR WRITING", s.stderr)
        self.assertEqual(self.run_it("--demo", "--guard-only").returncode, 2)

    def test_sample_database(self):
        with Server("--demo") as s:
            listed = {t["name"]: t for t in s.call("list_tables")["tables"]}
            self.assertEqual(listed["tune_up"]["blocked"], "denied-table")
            self.assertGreater(listed["orders"]["row_estimate"], 100)
            self.assertIn("returned", listed["orders"]["note"])
            self.assertGreater(s.call("query", sql="SELECT * FROM revenue_by_month")["row_count"], 2)


if __name__ == "__main__":
    tap.main()

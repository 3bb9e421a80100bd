"""Runs the Python examples of README.md.

SPDX-License-Identifier: Apache-2.0
"""
import doctest
import pathlib
import re
import sqlite3
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

import d1guard  # noqa: E402


def examples():
    section = re.search(r"^## Python\n(.*?)^## ", (ROOT / "README.md").read_text(), re.MULTILINE | re.DOTALL)[1]
    return re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)


class Readme(unittest.TestCase):
    def test_function(self):
        names = {}
        exec(examples()[0], names)
        connection = sqlite3.connect(":memory:")
        connection.executescript("CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200) "
                                 "INSERT INTO t SELECT i FROM n")
        self.assertEqual(names["query"](connection, "SELECT a FROM t -- all"), [(i,) for i in range(1, 101)])
        with self.assertRaises(d1guard.SqlBlocked):
            names["query"](connection, "DELETE FROM t")

    def test_session(self):
        test = doctest.DocTestParser().get_doctest(examples()[1], {"d1guard": d1guard}, "README.md", "README.md", 0)
        self.assertGreater(len(test.examples), 4)
        self.assertEqual(doctest.DocTestRunner().run(test).failed, 0)


if __name__ == "__main__":
    tap.main()

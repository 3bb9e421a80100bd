"""A sqlite3 connection that only reads: the guard in front, SQLite's own locks behind it.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import dataclasses
import functools
import sqlite3
from typing import Any, Optional

from . import Options, SqlBlocked, cap_rows, check, clean

# Codes of SQLite's authorizer.
_OK, _DENY = 0, 1
_DELETE, _INSERT, _PRAGMA, _READ, _SELECT, _UPDATE, _FUNCTION, _RECURSIVE = 9, 18, 19, 20, 21, 23, 31, 33
# Virtual tables prepare their writes when they are first read (R-Tree), and opening one counts as an update of the
# schema. So these pass here; query_only keeps them from running.
_HARMLESS = (_SELECT, _RECURSIVE, _DELETE, _INSERT, _UPDATE)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class GuardedConnection:
    """See `guarded`."""

    def __init__(self, connection: sqlite3.Connection, options: Optional[Options], max_rows: Optional[int]) -> None:
        self._connection = connection
        self._options = Options(engine="sqlite", max_statements=1) if options is None else options
        self._max_rows = max_rows
        # SQLite tells the authorizer names from texts that the guard never saw, such as a view's. The guard knows
        # which names are harmless: it is asked with a text that holds nothing else.
        inner = dataclasses.replace(self._options, engine="sqlite")
        self._harmless = functools.lru_cache(maxsize=4096)(lambda sql: check(sql, inner).allowed)
        connection.execute("PRAGMA query_only = 1")
        connection.set_authorizer(self._authorize)

    def execute(self, sql: str, parameters: Any = ()) -> sqlite3.Cursor:
        """Runs one statement that only reads; raises SqlBlocked for any other text."""
        if self._max_rows is None:
            report = clean(sql, self._options)
        else:
            report = cap_rows(sql, self._max_rows, self._options)
        if report.sql is None:
            raise SqlBlocked(report)
        return self._connection.execute(report.sql, parameters)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> GuardedConnection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _authorize(self, action: int, first: Optional[str], second: Optional[str], schema: Optional[str],
                   inside: Optional[str]) -> int:
        if action in _HARMLESS:
            return _OK
        if action == _READ:
            question = f"SELECT * FROM {_quoted(first or '')}"
        elif action == _FUNCTION:
            question = f"SELECT {_quoted(second or '')}()"
        elif action == _PRAGMA and first == "query_only" and second == "1":
            return _OK  # the lock itself, when a connection is guarded again
        elif action == _PRAGMA:
            value = "" if second is None else f"({_quoted(second)})"
            question = f"PRAGMA {_quoted(first or '')}{value}"
        else:
            return _DENY
        return _OK if self._harmless(question) else _DENY


def guarded(connection: sqlite3.Connection, options: Optional[Options] = None, *,
            max_rows: Optional[int] = None) -> GuardedConnection:
    """Wraps a connection so that `execute` checks first, and locks the connection itself.

    From here on the connection is `query_only`, and an authorizer refuses what that does not keep from running: other
    databases, PRAGMAs, transactions, and functions and tables with side effects in a view's body. Both stay on it, so
    give it a connection of its own. options default to SQLite's lists and one statement a text; with max_rows,
    `execute` caps the rows as `cap_rows` does.
    """
    return GuardedConnection(connection, options, max_rows)

"""Does this SQL text only read? libd1guard for Python: SQLite's and Cloudflare D1's SQL, judged before it runs.

Texts are ``str`` or bytes. Offsets and lengths are what Python slices a ``str`` by, code points; they are bytes
for bytes, and with ``offsets="bytes"``. A lone surrogate counts as U+FFFD. A wrong argument raises TypeError or
ValueError; a text never raises, it is refused. Everything here may be called from any thread.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import ctypes
import functools
import re
from dataclasses import dataclass, fields
from typing import Any, Callable, Generic, Iterable, Optional, TypeVar, Union

from . import _native
from ._native import library as _library

__all__ = [
    "CapReport", "CleanReport", "Options", "Position", "Report", "SqlBlocked", "Statement", "StatementError",
    "Token", "assert_read_only", "cap_rows", "check", "check_view", "clean", "guarded", "position", "statements",
    "tokens", "version",
]

Text = Union[str, bytes, bytearray, memoryview]
TextT = TypeVar("TextT", str, bytes)

_REASONS = _native.slugs("d1guard_reason_slug", 128)
_RISKS = _native.slugs("d1guard_risk_slug", 32)
_KINDS = _native.slugs("d1guard_kind_slug", 64)
_EXPLAINS = _native.slugs("d1guard_explain_slug", 8)
_TOKENS = _native.slugs("d1guard_token_slug", 64)
_FORMS = _native.slugs("d1guard_form_slug", 8)

_AT_ONCE = 256  # tokens read in one call
_NAME_LISTS = ("deny_functions", "deny_tables", "deny_pragmas", "allow_functions", "allow_tables", "allow_pragmas")

version: str = _library.d1guard_version().decode("ascii")
"""Version of the library that is loaded, such as "0.1.0"."""


@dataclass(frozen=True)
class Options:
    """What to let through. Without options only reads pass, by D1's lists."""

    engine: str = "d1"
    """Whose PRAGMA and function lists apply: "d1" or "sqlite"."""
    allow: Iterable[str] = ()
    """Risks to let through besides "read": write, schema, transaction, connection, maintenance."""
    max_statements: int = 0
    """Most statements a text may hold; 0 is any number."""
    strict_functions: bool = False
    """Only the engine's own functions, and those in allow_functions."""
    require_where: bool = False
    """UPDATE and DELETE need a WHERE of their own (where `allow` lets them through at all)."""
    deny_functions: Iterable[str] = ()
    """Your own names, without quotes; compared without ASCII case. A denied name wins over an allowed one."""
    deny_tables: Iterable[str] = ()
    """Tables, views and table functions, in any schema."""
    deny_pragmas: Iterable[str] = ()
    allow_functions: Iterable[str] = ()
    allow_tables: Iterable[str] = ()
    allow_pragmas: Iterable[str] = ()
    """Allowed in every form, with a value too."""

    def __post_init__(self) -> None:
        """Makes the C struct, once: it is only read from then on."""
        if self.engine not in _native.ENGINES:
            raise ValueError(f"engine must be 'd1' or 'sqlite', not {self.engine!r}")
        for field in ("allow", *_NAME_LISTS):
            object.__setattr__(self, field, _strings(getattr(self, field), field))
        flags = (_native.STRICT_FUNCTIONS if self.strict_functions else 0) | (
            _native.REQUIRE_WHERE if self.require_where else 0)
        native = _native.Options(size=ctypes.sizeof(_native.Options), engine=_native.ENGINES[self.engine], flags=flags,
                                 allow_risks=_risk_bits(self.allow),
                                 max_statements=_count(self.max_statements, "max_statements"))
        for field in _NAME_LISTS:
            names = _join_names(getattr(self, field), field)
            setattr(native, field, _native.Names(names or None, len(names)))
        object.__setattr__(self, "_native", native)

    def __reduce__(self) -> Any:
        """Copies are made from the fields: the C struct holds pointers."""
        return Options, tuple(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class Report:
    """The verdict on a text. True if the text may run."""

    allowed: bool
    reason: str
    """Why, as a slug that stays the same over versions."""
    message: str
    """One line for a person or an agent: which word, where, and what to do instead."""
    at: int
    """The span that caused the refusal: sql[at:at + length]. 0, 0 when allowed."""
    length: int
    line: int
    """Line and column of `at`, from 1; the column in the unit of `at`."""
    column: int
    statement: int
    """Number of the refused statement, from 0."""
    statements: int
    """Statements seen up to there, the refused one included."""

    def __bool__(self) -> bool:
        return self.allowed


@dataclass(frozen=True)
class CleanReport(Report, Generic[TextT]):
    sql: Optional[TextT]
    """The text to send; None when refused."""


@dataclass(frozen=True)
class CapReport(CleanReport[TextT]):
    form: str
    """How the rows are held down: append, lowered, unchanged, wrapped; not-capped (EXPLAIN, PRAGMA) leaves it to
    you to stop reading; none when refused."""


@dataclass(frozen=True)
class Token:
    kind: str
    at: int
    length: int


@dataclass(frozen=True)
class StatementError:
    """Where SQLite would stop."""

    reason: str
    at: int
    length: int


@dataclass(frozen=True)
class Statement:
    kind: str
    risk: str
    """Of the explained statement under EXPLAIN."""
    explain: str
    """none, explain or query-plan."""
    with_list: bool
    """Starts with a WITH list."""
    where: bool
    """Has a WHERE outside all parentheses."""
    returning: bool
    pragma_value: bool
    """PRAGMA name=value or name(value)."""
    at: int
    """From the first token to the last, the `;` not counted."""
    length: int
    next: int
    """Behind the statement's `;`, or the text's length."""
    error: Optional[StatementError]
    """If set, this is the last statement and nothing behind it may run."""


@dataclass(frozen=True)
class Position:
    line: int
    column: int


class SqlBlocked(Exception):
    """Raised instead of running a text. `report` says why."""

    code = "SQL_BLOCKED"

    def __init__(self, report: Report) -> None:
        super().__init__(report)
        self.report = report

    def __str__(self) -> str:
        return self.report.message


def check(sql: Text, options: Optional[Options] = None, *, offsets: str = "characters") -> Report:
    """Decides whether a text only reads: all its statements, to the last byte."""
    return _judge(_library.d1guard_classify, sql, options, offsets)


def check_view(sql: Text, options: Optional[Options] = None, *, offsets: str = "characters") -> Report:
    """Decides whether reading a view would only read, from its CREATE VIEW text as sqlite_schema.sql holds it.

    Give the names of views that fail to Options.deny_tables.
    """
    return _judge(_library.d1guard_classify_view, sql, options, offsets)


def assert_read_only(sql: Text, options: Optional[Options] = None, *, offsets: str = "characters") -> Report:
    """`check`, but raises SqlBlocked instead of returning a refusal."""
    report = check(sql, options, offsets=offsets)
    if not report.allowed:
        raise SqlBlocked(report)
    return report


def clean(sql: TextT, options: Optional[Options] = None, *, offsets: str = "characters") -> CleanReport[TextT]:
    """The text, made safe to send whatever cuts it into statements on the way. Send this, not the original."""
    native, report, written = _rewrite(_library.d1guard_clean, sql, options, offsets)
    return CleanReport(**report, sql=written)


def cap_rows(sql: TextT, max_rows: int, options: Optional[Options] = None, *,
             offsets: str = "characters") -> CapReport[TextT]:
    """One statement, cleaned, so that it returns at most max_rows rows: the first ones of the original.

    To learn whether rows were cut off, ask for one row more than you keep.
    """
    native, report, written = _rewrite(_library.d1guard_cap, sql, options, offsets, _count(max_rows, "max_rows"))
    return CapReport(**report, sql=written, form=_FORMS[native.form])


def tokens(sql: Text, *, offsets: str = "characters") -> list[Token]:
    """SQLite's tokens, blanks and comments included: they tile the text."""
    data, translate = _read_text(sql, offsets)
    many = (_native.Token * _AT_ONCE)()
    many[0].size = ctypes.sizeof(_native.Token)
    found: list[Token] = []
    at = 0
    while count := _library.d1guard_tokens(data, len(data), at, many, _AT_ONCE):
        for token in many[:count]:
            found.append(Token(_TOKENS[token.kind], *_span(translate, token.at, token.len)))
        at = token.at + token.len
    return found


def statements(sql: Text, *, offsets: str = "characters") -> list[Statement]:
    """The statements of any text, not only of reads."""
    data, translate = _read_text(sql, offsets)
    found = []
    at, result = 0, 1
    while result == 1:
        native = _native.Statement(size=ctypes.sizeof(_native.Statement))
        result = _library.d1guard_next_statement(data, len(data), at, native)
        at = native.next
        if result != 0:
            found.append(_statement(native, translate))
    return found


def position(sql: Text, at: int) -> Position:
    """Line and column, from 1, of an offset in the text's own unit."""
    data, translate = _read_text(sql, "characters")
    at = _count(at, "at")
    byte = len(_encode(sql[:at])) if isinstance(sql, str) else min(at, len(data))
    return Position(*_position(data, byte, translate))


# ---- texts and offsets ----

_SURROGATES = re.compile("[\ud800-\udfff]")


def _encode(sql: str) -> bytes:
    try:
        return sql.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", sql).encode("utf-8")


def _same(byte: int) -> int:
    return byte


class _Translator:
    """Byte offsets to code points; quick for offsets near the one before, as those of a list are."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.byte = 0
        self.point = 0

    def __call__(self, byte: int) -> int:
        if byte >= self.byte:
            self.point += self._points(self.byte, byte)
        else:
            self.point -= self._points(byte, self.byte)
        self.byte = byte
        return self.point

    def _points(self, start: int, end: int) -> int:
        # Every character has one byte that continues none.
        return len(self.data[start:end].translate(None, _CONTINUATION))


_CONTINUATION = bytes(range(0x80, 0xC0))


def _read_text(sql: Text, offsets: str) -> tuple[bytes, Callable[[int], int]]:
    """The bytes of a text, and what turns byte offsets into the caller's."""
    if offsets not in ("characters", "bytes"):
        raise ValueError(f"offsets must be 'characters' or 'bytes', not {offsets!r}")
    if isinstance(sql, str):
        data = _encode(sql)
        if offsets == "bytes" or len(data) == len(sql):
            return data, _same
        return data, _Translator(data)
    if isinstance(sql, (bytes, bytearray, memoryview)):
        return bytes(sql), _same
    raise TypeError(f"the SQL text must be str or bytes, not {type(sql).__name__}")


def _span(translate: Callable[[int], int], at: int, length: int) -> tuple[int, int]:
    start = translate(at)
    return start, translate(at + length) - start


def _position(data: bytes, byte: int, translate: Callable[[int], int]) -> tuple[int, int]:
    line, column = ctypes.c_uint64(), ctypes.c_uint64()
    _library.d1guard_position(data, len(data), byte, line, column)
    return line.value, 1 + translate(byte) - translate(byte - (column.value - 1))


# ---- options ----

def _strings(values: Iterable[str], what: str) -> tuple[str, ...]:
    if isinstance(values, str):
        raise TypeError(f"{what} must be several str, not one")
    strings = tuple(values)
    if not all(isinstance(value, str) for value in strings):
        raise TypeError(f"{what} must hold str")
    return strings


def _risk_bits(risks: Iterable[str]) -> int:
    bits = 0
    for risk in risks:
        if risk == "unknown" or risk not in _RISKS:
            raise ValueError(f"allow holds {risk!r}, which is no risk")
        bits |= 1 << _RISKS.index(risk)
    return bits


def _join_names(names: Iterable[str], what: str) -> bytes:
    """Names as struct d1guard_names has them. One that cannot be written down so is an error, never left out."""
    joined = b""
    for name in names:
        if not name or "\0" in name:
            raise ValueError(f"{what} must hold names: str that are not empty and hold no NUL")
        joined += _encode(name) + b"\0"
    return joined


def _count(value: int, what: str) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{what} must be an int, not {type(value).__name__}")
    if not 0 <= value < 1 << 64:
        raise ValueError(f"{what} must be from 0 to 2^64-1, not {value}")
    return value


def _options_of(options: Optional[Options]) -> Any:
    if options is None:
        return None
    if not isinstance(options, Options):
        raise TypeError(f"options must be d1guard.Options, not {type(options).__name__}")
    return options._native  # type: ignore[attr-defined]


# ---- calls ----

def _judge(call: Any, sql: Text, options: Optional[Options], offsets: str) -> Report:
    data, translate = _read_text(sql, offsets)
    native = _native.Report(size=ctypes.sizeof(_native.Report))
    if call(data, len(data), _options_of(options), native) == _native.ALLOW:
        return _allowed(native.reason, native.statements)
    return Report(**_report_fields(native, data, translate))


def _rewrite(call: Any, sql: Any, options: Optional[Options], offsets: str,
             *rows: int) -> tuple[_native.Report, dict[str, Any], Any]:
    data, translate = _read_text(sql, offsets)
    native = _native.Report(size=ctypes.sizeof(_native.Report))
    out = ctypes.create_string_buffer(len(data) + _native.OUTPUT_EXTRA)
    written = ctypes.c_size_t()
    call(data, len(data), _options_of(options), *rows, out, len(out), written, native)
    report = _report_fields(native, data, translate)
    if not report["allowed"]:
        return native, report, None
    text = ctypes.string_at(out, written.value)
    return native, report, text.decode("utf-8") if isinstance(sql, str) else text


def _report_fields(native: _native.Report, data: bytes, translate: Callable[[int], int]) -> dict[str, Any]:
    at, length = _span(translate, native.at, native.len)
    line, column = _position(data, native.at, translate) if native.at else (1, 1)
    return {
        "allowed": native.verdict == _native.ALLOW, "reason": _REASONS[native.reason],
        "message": _message(native, data), "at": at, "length": length, "line": line, "column": column,
        "statement": native.statement, "statements": native.statements,
    }


def _message(native: _native.Report, data: bytes) -> str:
    out = ctypes.create_string_buffer(_native.MESSAGE_SIZE)
    length = _library.d1guard_message(native, data, len(data), out, len(out))
    return out.raw[:length].decode("utf-8", "replace")


@functools.lru_cache(maxsize=64)
def _allowed(reason: int, count: int) -> Report:
    """Two allowed texts differ in nothing else, so they share the report."""
    native = _native.Report(size=ctypes.sizeof(_native.Report), verdict=_native.ALLOW, reason=reason, statements=count)
    return Report(**_report_fields(native, b"", _same))


def _statement(native: _native.Statement, translate: Callable[[int], int]) -> Statement:
    at, length = _span(translate, native.at, native.len)
    error = None
    if native.reason != _native.UNSET:
        error = StatementError(_REASONS[native.reason], *_span(translate, native.error_at, native.error_len))
    return Statement(
        kind=_KINDS[native.kind], risk=_RISKS[native.risk], explain=_EXPLAINS[native.explain],
        with_list=bool(native.flags & _native.WITH), where=bool(native.flags & _native.WHERE),
        returning=bool(native.flags & _native.RETURNING), pragma_value=bool(native.flags & _native.PRAGMA_VALUE),
        at=at, length=length, next=translate(native.next), error=error)


from ._guarded import guarded  # noqa: E402  (needs what stands above)

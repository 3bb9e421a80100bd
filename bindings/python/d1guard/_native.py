"""The shared library and its structs: the one place that knows ctypes.

tests/cases/abi.tsv describes the same structs; a test compares them with each other and with a C compiler.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import ctypes
import os
import sys
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint32, c_uint64

VERSION = "0.1.0"

ENGINES = {"d1": 0, "sqlite": 1}
ALLOW = 1
UNSET = 0
STRICT_FUNCTIONS = 1
REQUIRE_WHERE = 2
WITH = 1
WHERE = 2
RETURNING = 4
PRAGMA_VALUE = 8
MESSAGE_SIZE = 321  # d1guard_message: 320 bytes and a NUL
OUTPUT_EXTRA = 64  # d1guard_cap: at most so much longer than its input


class Names(ctypes.Structure):
    _fields_ = [("text", c_char_p), ("len", c_size_t)]


class Options(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("engine", c_uint32),
        ("allow_risks", c_uint32),
        ("flags", c_uint32),
        ("max_statements", c_uint64),
        ("deny_functions", Names),
        ("deny_tables", Names),
        ("deny_pragmas", Names),
        ("allow_functions", Names),
        ("allow_tables", Names),
        ("allow_pragmas", Names),
    ]


class Report(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("verdict", c_uint32),
        ("reason", c_uint32),
        ("form", c_uint32),
        ("at", c_uint64),
        ("len", c_uint64),
        ("statement", c_uint64),
        ("statements", c_uint64),
    ]


class Token(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("kind", c_uint32), ("at", c_uint64), ("len", c_uint64)]


class Statement(ctypes.Structure):
    _fields_ = [
        ("size", c_uint32),
        ("kind", c_uint32),
        ("risk", c_uint32),
        ("explain", c_uint32),
        ("flags", c_uint32),
        ("reason", c_uint32),
        ("at", c_uint64),
        ("len", c_uint64),
        ("next", c_uint64),
        ("error_at", c_uint64),
        ("error_len", c_uint64),
    ]


_TEXT = [c_char_p, c_size_t]
_OUTPUT = [ctypes.c_char_p, c_size_t, POINTER(c_size_t)]
_JUDGE = [*_TEXT, POINTER(Options)]
_FUNCTIONS = {
    "d1guard_next_token": (c_int, [*_TEXT, c_size_t, POINTER(Token)]),
    "d1guard_tokens": (c_size_t, [*_TEXT, c_size_t, POINTER(Token), c_size_t]),
    "d1guard_next_statement": (c_int, [*_TEXT, c_size_t, POINTER(Statement)]),
    "d1guard_classify": (c_int, [*_JUDGE, POINTER(Report)]),
    "d1guard_classify_view": (c_int, [*_JUDGE, POINTER(Report)]),
    "d1guard_clean": (c_int, [*_JUDGE, *_OUTPUT, POINTER(Report)]),
    "d1guard_cap": (c_int, [*_JUDGE, c_uint64, *_OUTPUT, POINTER(Report)]),
    "d1guard_position": (None, [*_TEXT, c_size_t, POINTER(c_uint64), POINTER(c_uint64)]),
    "d1guard_message": (c_size_t, [POINTER(Report), *_TEXT, c_char_p, c_size_t]),
    "d1guard_reason_slug": (c_char_p, [c_uint32]),
    "d1guard_risk_slug": (c_char_p, [c_uint32]),
    "d1guard_kind_slug": (c_char_p, [c_uint32]),
    "d1guard_explain_slug": (c_char_p, [c_uint32]),
    "d1guard_token_slug": (c_char_p, [c_uint32]),
    "d1guard_form_slug": (c_char_p, [c_uint32]),
    "d1guard_version": (c_char_p, []),
}

if sys.platform == "darwin":
    BUNDLED, SYSTEM = "libd1guard.dylib", "libd1guard.0.dylib"
else:
    BUNDLED, SYSTEM = "libd1guard.so", "libd1guard.so.0"


def _open() -> ctypes.CDLL:
    """The library in the package, else the system's. CDLL lets go of the GIL during a call."""
    bundled = os.path.join(os.path.dirname(__file__), BUNDLED)
    path = bundled if os.path.exists(bundled) else SYSTEM
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"d1guard cannot load its library: {error}") from error


def _declare(library: ctypes.CDLL) -> None:
    """Gives every function its types, after making sure that this is the library they belong to."""
    try:
        version = library.d1guard_version
        version.restype = c_char_p
        found = version().decode("ascii")
        major, minor = (int(part) for part in found.split(".")[:2])
        wanted_major, wanted_minor = (int(part) for part in VERSION.split(".")[:2])
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except (AttributeError, ValueError) as error:
        raise ImportError(f"{library._name} is not a libd1guard of version {VERSION}: {error}") from error
    if major != wanted_major or minor < wanted_minor:
        raise ImportError(f"d1guard {VERSION} needs libd1guard {wanted_major}.{wanted_minor} or a later "
                          f"{wanted_major}.x, but {library._name} is version {found}")
    _probe(library)


def _probe(library: ctypes.CDLL) -> None:
    """One call whose answer is known: structs of another shape do not get through it."""
    report = Report(size=ctypes.sizeof(Report))
    options = Options(size=ctypes.sizeof(Options))
    token = Token(size=ctypes.sizeof(Token))
    statement = Statement(size=ctypes.sizeof(Statement))
    text = b"SELECT 1; DROP TABLE t"
    library.d1guard_classify(text, len(text), options, report)
    library.d1guard_tokens(text, len(text), 0, token, 1)
    library.d1guard_next_statement(text, len(text), 0, statement)
    seen = (report.at, report.len, report.statement, report.statements, token.len, statement.len, statement.next)
    if seen != (10, 4, 1, 2, 6, 8, 9):
        raise ImportError(f"{library._name} has structs of another shape than d1guard {VERSION} expects")


library = _open()
_declare(library)


def slugs(function: str, count: int) -> list[str]:
    """Slugs by number; the library says "unknown" where its lists have a gap or an end."""
    slug = getattr(library, function)
    return [slug(number).decode("ascii") for number in range(count)]

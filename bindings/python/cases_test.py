"""Runs the case files of tests/cases through the package; tests/run_cases.c says what the columns are.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

import d1guard  # noqa: E402

ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b"\\": b"\\"}
NAME_LISTS = ("deny-function", "deny-table", "deny-pragma", "allow-function", "allow-table", "allow-pragma")
FLAGS = {"strict": "strict_functions", "where": "require_where"}


def unescape(field):
    return re.sub(rb"\\(x([0-9a-fA-F]{2})|.)",
                  lambda m: bytes([int(m[2], 16)]) if m[2] else ESCAPES[m[1]], field, flags=re.DOTALL)


def read_cases(path):
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        if line and not line.startswith(b"#"):
            yield number, [unescape(field) for field in line.split(b"\t")]


def read_options(field):
    text = field.decode("utf-8")
    if text == "-":
        return None
    options = {}
    for option in text.split(","):
        name, _, value = option.partition("=")
        if name in NAME_LISTS:
            options.setdefault(name.replace("-", "_") + "s", []).append(value)
        elif name in FLAGS:
            options[FLAGS[name]] = True
        elif name == "max":
            options["max_statements"] = int(value)
        else:
            options[name] = {"engine": value, "allow": value.split("+")}[name]
    return d1guard.Options(**options)


def verdict(report):
    return [b"allow" if report.allowed else b"refuse", report.reason.encode()]


def with_span(report, options):
    return [*verdict(report), b"%d" % report.at, b"%d" % report.length, options]


def as_bytes(text):
    return text.encode("utf-8") if isinstance(text, str) else text or b""


def run_tokens(fields, sql, **unit):
    return [b" ".join(b"%s:%d" % (t.kind.encode(), t.length) for t in d1guard.tokens(sql, **unit))]


def run_statements(fields, sql, **unit):
    words = []
    for s in d1guard.statements(sql, **unit):
        if s.error:
            words.append(f"!{s.error.reason},{s.error.at},{s.error.length}")
            continue
        flags = "w" * s.with_list + "h" * s.where + "r" * s.returning + "v" * s.pragma_value
        words.append(f"{s.kind},{s.explain},{flags or '-'},{s.at},{s.length},{s.next}")
    return [" ".join(words).encode() or b"-"]


def run_verdict(fields, sql, **unit):
    return with_span(d1guard.check(sql, read_options(fields[4]), **unit), fields[4])


def run_view(fields, sql, **unit):
    return with_span(d1guard.check_view(sql, read_options(fields[4]), **unit), fields[4])


def run_clean(fields, sql, **unit):
    report = d1guard.clean(sql, read_options(fields[2]), **unit)
    return [*verdict(report), fields[2], as_bytes(report.sql)]


def run_cap(fields, sql, **unit):
    report = d1guard.cap_rows(sql, int(fields[0]), read_options(fields[4]), **unit)
    return [fields[0], *verdict(report), report.form.encode(), fields[4], as_bytes(report.sql)]


def run_message(fields, sql, **unit):
    message = d1guard.check(sql, read_options(fields[0]), **unit).message
    return [fields[0], message.encode()]


def run_position(fields, sql, **unit):
    if isinstance(sql, str):  # a position is asked for in the text's own unit
        return fields[:-1]
    place = d1guard.position(sql, int(fields[0]))
    return [fields[0], b"%d" % place.line, b"%d" % place.column]


RUN = {name[4:]: run for name, run in list(globals().items()) if name.startswith("run_")}


def spans(call, fields, sql):
    if call == "tokens":
        return d1guard.tokens(sql)
    if call == "statements":
        return [span for s in d1guard.statements(sql) for span in (s, s.error) if span]
    return [d1guard.check(sql)]


class Cases(unittest.TestCase):
    def compare(self, wanted, got):
        if wanted != got:
            raise AssertionError(f"wanted {wanted}, got {got}")

    def check_case(self, call, fields):
        wanted = fields[:-1]
        if call == "message":  # the word of a message may be no UTF-8
            wanted[1] = wanted[1].decode("utf-8", "replace").encode()
        self.compare(wanted, RUN[call](fields, fields[-1]))
        try:
            sql = fields[-1].decode("utf-8")
        except UnicodeDecodeError:
            return
        self.compare(wanted, RUN[call](fields, sql, offsets="bytes"))
        by_bytes, by_points = spans(call, fields, fields[-1]), spans(call, fields, sql)
        self.assertEqual(len(by_bytes), len(by_points))
        for b, p in zip(by_bytes, by_points):
            self.assertEqual(len(sql[:p.at].encode()), b.at)
            self.assertEqual(len(sql[p.at:p.at + p.length].encode()), b.length)


def add_file(path):
    call = next(name for name in RUN if path.name.startswith(name))
    cases = list(read_cases(path))

    def test(self):
        self.assertTrue(cases)
        failures = []
        for number, fields in cases:
            try:
                self.check_case(call, fields)
            except AssertionError as failure:
                failures.append(f"{path.name}:{number}: {fields[-1]!r}: {failure}")
        if failures:
            self.fail("\n".join([f"{len(failures)} of {len(cases)} failed", *failures[:20]]))

    setattr(Cases, f"test_{path.name}", test)


for file in sorted((ROOT / "tests" / "cases").glob("*.tsv")):
    if file.name != "abi.tsv":
        add_file(file)

if __name__ == "__main__":
    tap.main()

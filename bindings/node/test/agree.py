"""What agree.c does, through the Python package.

SPDX-License-Identifier: Apache-2.0
"""
import struct
import sys

import d1guard

EVERYTHING = ["write", "schema", "transaction", "connection", "maintenance"]
OPTION_SETS = [
    None,
    d1guard.Options(engine="sqlite"),
    d1guard.Options(engine="sqlite", strict_functions=True, require_where=True, allow=EVERYTHING, max_statements=3),
    d1guard.Options(deny_functions=["count", "max"], deny_tables=["users", "T1", "é"], deny_pragmas=["table_info"],
                    allow_functions=["mine", "load_extension"], allow_tables=["sqlite_dbpage"],
                    allow_pragmas=["user_version"]),
]


def show_tokens(sql):
    return "tokens" + "".join(f" {t.kind}:{t.length}" for t in d1guard.tokens(sql, offsets="bytes"))


def show_statements(sql):
    line = "statements"
    for s in d1guard.statements(sql, offsets="bytes"):
        flags = s.with_list | s.where << 1 | s.returning << 2 | s.pragma_value << 3
        line += f" {s.kind},{s.risk},{s.explain},{flags},{s.at},{s.length},{s.next}"
        if s.error:
            line += f"!{s.error.reason},{s.error.at},{s.error.length}"
    return line


def show_report(name, r):
    return (f"{name} {r.allowed:d} {r.reason} {r.at} {r.length} {r.line} {r.column} {r.statement} {r.statements} "
            f"message={r.message.encode().hex()}")


def show_text(text):
    return (text.encode() if isinstance(text, str) else text or b"").hex()


def spans(sql, options, **unit):
    return [d1guard.check(sql, options, **unit), *d1guard.tokens(sql, **unit),
            *(span for s in d1guard.statements(sql, **unit) for span in (s, s.error) if span)]


def compare_units(sql, options):
    """Spans in code points name the same bytes as spans in bytes."""
    for b, p in zip(spans(sql, options, offsets="bytes"), spans(sql, options)):
        if len(sql[:p.at].encode()) != b.at or len(sql[p.at:p.at + p.length].encode()) != b.length:
            return f"|code points {p.at} {p.length} are not bytes {b.at} {b.length}"
    return ""


def answer(sql, options):
    clean = d1guard.clean(sql, options, offsets="bytes")
    cap = d1guard.cap_rows(sql, 100, options, offsets="bytes")
    units = compare_units(sql, options) if isinstance(sql, str) and not sql.isascii() else ""
    return "|".join([
        show_tokens(sql), show_statements(sql), show_report("check", d1guard.check(sql, options, offsets="bytes")),
        show_report("view", d1guard.check_view(sql, options, offsets="bytes")),
        f"{show_report('clean', clean)} {show_text(clean.sql)}",
        f"{show_report('cap', cap)} {cap.form} {show_text(cap.sql)}"]) + units


def main():
    data = sys.stdin.buffer.read()
    at = number = 0
    lines = []
    while at < len(data):
        length, letter = struct.unpack_from("<Ic", data, at)
        sql = data[at + 5:at + 5 + length]
        at += 5 + length
        lines.append(answer(sql.decode() if letter == b"s" else sql, OPTION_SETS[number % 4]) + "\n")
        number += 1
    sys.stdout.write("".join(lines))


main()

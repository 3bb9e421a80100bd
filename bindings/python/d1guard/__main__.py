"""python -m d1guard check | clean | cap [--engine d1|sqlite] [--json] [--rows N] [FILE]

The same commands as those of the program d1guard, for where only Python is installed: they read the file, or
standard input, print the same lines and end with the same status: 0 allowed, 1 refused, 2 wrong usage.

SPDX-License-Identifier: Apache-2.0
"""
from __future__ import annotations

import argparse
import json
import sys
from typing import Union

from . import CapReport, CleanReport, Options, Report, cap_rows, check, clean, version

NOT_CAPPED = "this statement cannot be capped; stop reading after {} rows"


def as_json(report: Union[Report, CleanReport[bytes]]) -> str:
    fields = {
        "verdict": "allow" if report.allowed else "refuse", "reason": report.reason, "message": report.message,
        "at": report.at, "len": report.length, "statement": report.statement, "statements": report.statements,
    }
    if isinstance(report, CapReport):
        fields["form"] = report.form
    if isinstance(report, CleanReport):
        fields["sql"] = None if report.sql is None else report.sql.decode("utf-8")
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def rows(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) < 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1 to 2^63-1")
    return int(text)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m d1guard", description="Says whether SQL text only reads.")
    parser.add_argument("--version", action="version", version=f"d1guard {version}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does in (("check", "allowed or refused, and why"),
                       ("clean", "the allowed text, safe to send whatever splits it into statements"),
                       ("cap", "one allowed statement that returns at most --rows rows")):
        command = commands.add_parser(name, help=does, description=does)
        command.add_argument("--engine", choices=("d1", "sqlite"), default="d1")
        command.add_argument("--json", action="store_true", help="print one JSON object")
        if name == "cap":
            command.add_argument("--rows", type=rows, required=True, metavar="N")
        command.add_argument("file", nargs="?", metavar="FILE", type=argparse.FileType("rb"), default=sys.stdin.buffer)
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    sql = arguments.file.read()
    options = Options(engine=arguments.engine)
    report: Union[Report, CleanReport[bytes]]
    if arguments.command == "check":
        report = check(sql, options)
    elif arguments.command == "clean":
        report = clean(sql, options)
    else:
        report = cap_rows(sql, arguments.rows, options)
    if arguments.json:
        print(as_json(report))
    elif isinstance(report, CleanReport) and report.sql is not None:
        sys.stdout.buffer.write(report.sql + b"\n")
        if isinstance(report, CapReport) and report.form == "not-capped":
            print("d1guard:", NOT_CAPPED.format(arguments.rows), file=sys.stderr)
    else:
        out = sys.stderr if isinstance(report, CleanReport) else sys.stdout
        print("allowed:" if report.allowed else "refused:", report.message, file=out)
    return 0 if report.allowed else 1


sys.exit(main())

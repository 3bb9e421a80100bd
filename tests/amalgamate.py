#!/usr/bin/env python3
"""Writes the library as two files, d1guard.c and d1guard.h: amalgamate.py FOLDER.

`cc -c d1guard.c` is then the whole build.

SPDX-License-Identifier: Apache-2.0
"""
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r'\s*#\s*include\s+"([^"]+)"')


def expand(path, seen):
    """The lines of a file of lib/ with its own includes put in: a header once, a list (.def) each time."""
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        match = INCLUDE.match(line)
        if not match or match[1] == "d1guard.h":
            yield line
        elif match[1] not in seen:
            if not match[1].endswith(".def"):
                seen.add(match[1])
            yield f"/* {match[1]} */\n"
            yield from expand(ROOT / "lib" / match[1], seen)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: amalgamate.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "d1guard.c").write_text("".join(expand(ROOT / "lib" / "d1guard_all.c", set())), encoding="utf-8")
    shutil.copy(ROOT / "include" / "d1guard.h", folder / "d1guard.h")


main()

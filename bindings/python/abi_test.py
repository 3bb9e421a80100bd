"""Compares the three descriptions of the structs: d1guard.h, tests/cases/abi.tsv and the package's own.

A C compiler decides: for this machine, and with clang for wasm32, whose layout bindings/node uses.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

from d1guard import _native  # noqa: E402

HEADER = ROOT / "include" / "d1guard.h"
C_TYPES = {"u32": "uint32_t", "u64": "uint64_t", "size": "size_t", "pointer": "const char *",
           "names": "struct d1guard_names"}
PYTHON_TYPES = {"u32": ctypes.c_uint32, "u64": ctypes.c_uint64, "size": ctypes.c_size_t, "pointer": ctypes.c_char_p,
                "names": _native.Names}


def described():
    """{struct: [(field, type), ...]}"""
    structs = {}
    for line in (ROOT / "tests" / "cases" / "abi.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            struct, field, kind = line.split("\t")
            structs.setdefault(struct, []).append((field, kind))
    return structs


def up(number, to):
    return -(-number // to) * to


def layout(fields, pointer):
    """[(field, offset), ...] and the size: each field at the next multiple of its alignment."""
    sizes = {"u32": (4, 4), "u64": (8, 8), "size": (pointer, pointer), "pointer": (pointer, pointer),
             "names": (2 * pointer, pointer)}
    offsets, end = [], 0
    for field, kind in fields:
        size, alignment = sizes[kind]
        offsets.append((field, up(end, alignment)))
        end = offsets[-1][1] + size
    return offsets, up(end, max(sizes[kind][1] for _, kind in fields))


def assertions(structs, pointer):
    """A C program that compiles if every line is true."""
    lines = ["#include <d1guard.h>"]
    for struct, fields in structs.items():
        name = f"struct d1guard_{struct}"
        offsets, size = layout(fields, pointer)
        lines.append(f"_Static_assert(sizeof({name}) == {size}, \"{struct}\");")
        for (field, offset), (_, kind) in zip(offsets, fields):
            lines.append(f"_Static_assert(offsetof({name}, {field}) == {offset}, \"{struct}.{field}\");")
            lines.append(f"_Static_assert(_Generic((({name} *)0)->{field}, {C_TYPES[kind]}: 1, default: 0), "
                         f"\"{struct}.{field} is no {kind}\");")
    return "\n".join(lines) + "\n"


def compiles(command, program):
    done = subprocess.run([*command, "-std=c11", "-fsyntax-only", "-I", str(HEADER.parent), "-xc", "-"],
                          input=program, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


CLANG = shutil.which("clang-19") or shutil.which("clang") or "clang"
TARGETS = {"this machine": (["cc"], ctypes.sizeof(ctypes.c_void_p)), "wasm32": ([CLANG, "--target=wasm32"], 4)}


class Abi(unittest.TestCase):
    def test_the_header_has_these_structs_and_fields(self):
        text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
        structs = {name: re.findall(r"(\w+);", body)
                   for name, body in re.findall(r"^struct d1guard_(\w+) \{(.*?)^\};", text, re.DOTALL | re.MULTILINE)}
        self.assertEqual(structs, {name: [field for field, _ in fields] for name, fields in described().items()})

    def test_a_compiler_agrees(self):
        for target, (command, pointer) in TARGETS.items():
            with self.subTest(target):
                good, errors = compiles(command, assertions(described(), pointer))
                self.assertTrue(good, errors)

    def test_a_compiler_sees_drift(self):
        for target, (command, pointer) in TARGETS.items():
            for struct, fields in described().items():
                for changed in (fields[:-1], [*fields[:-1], (fields[-1][0], "u32")], [fields[1], fields[0], *fields[2:]]):
                    with self.subTest(f"{target} {struct} {changed}"):
                        if layout(changed, pointer) != layout(fields, pointer):
                            self.assertFalse(compiles(command, assertions({struct: changed}, pointer))[0])

    def test_the_package_agrees(self):
        for struct, fields in described().items():
            with self.subTest(struct):
                ours = getattr(_native, struct.capitalize())
                self.assertEqual(list(ours._fields_), [(field, PYTHON_TYPES[kind]) for field, kind in fields])
                offsets, size = layout(fields, ctypes.sizeof(ctypes.c_void_p))
                self.assertEqual([(field, getattr(ours, field).offset) for field, _ in fields], offsets)
                self.assertEqual(ctypes.sizeof(ours), size)

    def test_the_package_declares_every_function(self):
        public = set(re.findall(r"^(?:D1GUARD_API .*?)?(d1guard_\w+)\(", HEADER.read_text(), re.MULTILINE))
        self.assertEqual(public - {"d1guard_reason_sentence"}, set(_native._FUNCTIONS))
        for number in re.findall(r"#define (D1GUARD_(?:WITH|WHERE|RETURNING|PRAGMA_VALUE|STRICT_FUNCTIONS|REQUIRE_WHERE)) "
                                 r"(\d+)u", HEADER.read_text()):
            self.assertEqual(getattr(_native, number[0][len("D1GUARD_"):]), int(number[1]))
        self.assertEqual(_native.VERSION, re.search(r'VERSION_STRING "(.*)"', HEADER.read_text())[1])


if __name__ == "__main__":
    tap.main()

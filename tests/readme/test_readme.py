"""Checks README against the project: test_readme.py BUILD_FOLDER.

Its example is compiled and run, its console sessions are typed in and their output compared, its reasons are
the header's, its files exist.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
README = (ROOT / "README.md").read_text(encoding="utf-8")
HEADER = (ROOT / "include" / "d1guard.h").read_text(encoding="utf-8")


def section(title):
    """The text under a heading, up to the next one of its level or above."""
    match = re.search(rf"^(#+) {re.escape(title)}\n(.*?)(?=^#{{1,2}} |\Z)", README, re.M | re.S)
    if not match:
        raise AssertionError(f"README has no section '{title}'")
    return match[2]


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def commands(session):
    """(command, expected output) of a console session."""
    parts = re.split(r"^\$ (.*)\n", session, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


class Readme(unittest.TestCase):
    def type_in(self, session, folder):
        """Runs the commands against the build folder's library and programs."""
        environment = {**os.environ, "PKG_CONFIG_PATH": str(BUILD / "meson-uninstalled"),
                       "LD_LIBRARY_PATH": str(BUILD / "lib"),
                       "PATH": f"{BUILD / 'bindings/cli'}:{os.environ['PATH']}"}
        for command, expected in commands(session):
            done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=120)
            self.assertEqual(done.stdout, expected, command)

    def test_example(self):
        text = section("A whole example in C")
        (source,), (session,) = blocks(text, "c"), blocks(text, "console")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "example.c").write_text(source)
            warnings = "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror "
            self.type_in(session.replace("$ cc ", f"$ cc {warnings}", 1), folder)

    def test_command(self):
        (session,) = blocks(section("The command"), "console")
        self.assertEqual(len(commands(session)), 3)
        with tempfile.TemporaryDirectory() as folder:
            self.type_in(session, folder)

    def test_reasons(self):
        reasons = HEADER[HEADER.index("#define D1GUARD_REASONS"):HEADER.index("enum d1guard_reason {")]
        wanted = re.findall(r'X\(\w+,\s*(\d+),\s*"([^"]*)",\s*"([^"]*)"\)', reasons)
        self.assertEqual(len(wanted), reasons.count(" X("))
        self.assertEqual(re.findall(r"^\| (\d+) \| ([\w-]+) \| (.*) \|$", section("Reasons"), re.M), wanted)

    def test_forms(self):
        forms = re.findall(r'X\(\w+,\s*\d+, "([^"]*)"\)', HEADER[HEADER.index("#define D1GUARD_FORMS"):
                                                                HEADER.index("enum d1guard_form {")])
        rows = re.findall(r"^\| ([\w-]+) \| .* \| .* \| .* \|$", section("The cap"), re.M)
        self.assertEqual(rows[0], "form")
        self.assertEqual(["none"] + [row for row in rows[1:] if row != "---"], forms)

    def test_two_commands(self):
        """A fresh machine needs exactly two, and both are there."""
        (block,) = blocks(README.split("\n## ")[0], "sh")
        lines = block.splitlines()
        self.assertEqual([line.split("#")[0].strip() for line in lines], ["sh bindings/demo.sh", "sh tests/run.sh"])

    def test_files_exist(self):
        named = set(re.findall(r"(?<![\w./])((?:include|lib|tests|bindings|fuzz)/[\w./-]*\w)", README))
        self.assertGreater(len(named), 5)
        for name in sorted(named):
            with self.subTest(name):
                self.assertTrue((ROOT / name).exists())


if __name__ == "__main__":
    tap.main()

"""Builds the wheel and the sdist from a copy of what they need, uses them, and loads libraries that do not fit.

SPDX-License-Identifier: Apache-2.0
"""
import ast
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))
import tap  # noqa: E402

USER = '''
import d1guard

def judge(sql: str) -> bool:
    report = d1guard.check(sql, d1guard.Options(engine="sqlite", deny_tables=["t"]))
    return report.allowed and report.at + report.length == 0

text: str = d1guard.clean("SELECT 1").sql or ""
data: bytes = d1guard.cap_rows(b"SELECT 1", 5).sql or b""
'''


def run(*command, **environment):
    return subprocess.run([str(word) for word in command], env={**os.environ, **environment}, text=True, cwd="/",
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        project = cls.folder / "project"
        for name in "lib", "include", "bindings/python":
            shutil.copytree(ROOT / name, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        (project / "tests").mkdir()
        shutil.copy(ROOT / "tests" / "amalgamate.py", project / "tests")
        # The sdist from the project, the wheel from that sdist.
        done = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", cls.folder, project / "bindings" / "python")
        if done.returncode:
            raise AssertionError(done.stdout)
        cls.wheel, = cls.folder.glob("*.whl")
        cls.sdist, = cls.folder.glob("*.tar.gz")
        cls.site = cls.folder / "site"
        with zipfile.ZipFile(cls.wheel) as archive:
            archive.extractall(cls.site)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def python(self, *arguments, site=None):
        return run(sys.executable, *arguments, PYTHONPATH=str(site or self.site), LD_LIBRARY_PATH="")

    def test_the_wheel_is_for_every_python_3(self):
        self.assertRegex(self.wheel.name, r"^d1guard-[\d.]+-py3-none-linux_\w+\.whl$")
        names = {path.relative_to(self.site).as_posix() for path in self.site.rglob("*") if path.is_file()}
        self.assertLessEqual({"d1guard/__init__.py", "d1guard/py.typed", "d1guard/libd1guard.so"}, names)
        self.assertTrue(any(name.endswith("dist-info/LICENSE") for name in names), names)
        for path in (self.site / "d1guard").glob("*.py"):
            ast.parse(path.read_text(), feature_version=(3, 9))

    def test_the_wheel_works(self):
        done = self.python("-c", "import d1guard; print(d1guard.check('SELECT 1').reason, d1guard._native.library._name)")
        self.assertEqual(done.stdout.split(), ["reads-only", str(self.site / "d1guard" / "libd1guard.so")])
        done = subprocess.run([sys.executable, "-m", "d1guard", "check"], input=b"DROP TABLE t", stdout=subprocess.PIPE, cwd="/",
                              env={**os.environ, "PYTHONPATH": str(self.site), "LD_LIBRARY_PATH": ""})
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"refused: DROP at byte 0", done.stdout)

    def test_the_library_exports_only_the_api(self):
        names = {line.split()[-1] for line in run("nm", "-D", "--defined-only",
                                                  self.site / "d1guard" / "libd1guard.so").stdout.splitlines()}
        self.assertTrue(all(name.startswith("d1guard_") for name in names), names)

    def test_the_sdist_holds_the_c_source(self):
        with tarfile.open(self.sdist) as archive:
            names = {name.partition("/")[2] for name in archive.getnames()}
        self.assertLessEqual({"csrc/d1guard.c", "csrc/d1guard.h", "setup.py", "LICENSE", "d1guard/py.typed"}, names)

    def test_types(self):
        program = self.folder / "user.py"
        for text, good in (USER, True), (USER.replace('"SELECT 1").sql or ""', '"SELECT 1").sql'), False), \
                (USER.replace("report.at", "report.start"), False), (USER.replace('["t"]', "5"), False):
            program.write_text(text)
            done = run("mypy", "--strict", "--python-executable", sys.executable, "--cache-dir", self.folder / "mypy",
                       program, MYPYPATH=str(self.site), PYTHONPATH="")
            self.assertEqual(done.returncode == 0, good, done.stdout)
        done = run("mypy", "--strict", "--cache-dir", self.folder / "mypy", self.site / "d1guard", PYTHONPATH="")
        self.assertEqual(done.returncode, 0, done.stdout)

    def import_with(self, library):
        """What importing a copy of the package says that has this library, or none."""
        with tempfile.TemporaryDirectory() as site:
            shutil.copytree(self.site / "d1guard", pathlib.Path(site) / "d1guard",
                            ignore=shutil.ignore_patterns("*.so", "__pycache__"))
            if library:
                shutil.copy(library, pathlib.Path(site) / "d1guard" / "libd1guard.so")
            return self.python("-c", "import d1guard", site=site)

    def build(self, change=lambda text: text, name="d1guard.c"):
        """The library, with d1guard.h or d1guard.c changed."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        run(sys.executable, ROOT / "tests" / "amalgamate.py", folder)
        text = (folder / name).read_text()
        (folder / name).write_text(change(text))
        done = run("cc", "-shared", "-fPIC", "-I", folder, folder / "d1guard.c", "-o", folder / "libd1guard.so")
        self.assertEqual(done.returncode, 0, done.stdout)
        return folder / "libd1guard.so"

    def refused(self, library, part):
        done = self.import_with(library)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("ImportError", done.stdout)
        self.assertIn(part, done.stdout)

    def version(self, version):
        return self.build(lambda text: text.replace('VERSION_STRING "0.1.0"', f'VERSION_STRING "{version}"'), "d1guard.h")

    def test_libraries_that_fit(self):
        for library in self.build(), self.version("0.1.9"), self.version("0.2.0"):
            done = self.import_with(library)
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_libraries_that_do_not_fit(self):
        self.refused(None, "cannot load its library")
        self.refused(self.version("1.0.0"), "is version 1.0.0")
        self.refused(self.version("0.0.9"), "is version 0.0.9")
        self.refused(self.version("nonsense"), "is not a libd1guard")
        self.refused(self.build(lambda text: text.replace("    uint32_t form; ", "    uint32_t more[2], form; "), "d1guard.h"),
                     "structs of another shape")
        empty = self.folder / "libempty.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-xc", "-", "-o", str(empty)], input=b"int x;", check=True)
        self.refused(empty, "is not a libd1guard")
        broken = self.folder / "libbroken.so"
        broken.write_bytes(b"no library")
        self.refused(broken, "cannot load its library")


if __name__ == "__main__":
    tap.main()

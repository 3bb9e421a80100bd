"""Installs the project and uses it as a stranger would: test_install.py BUILD_FOLDER.

As a Meson subproject, which also installs the library into a prefix of its own; from there with pkg-config
and with CMake's find_package; and the programs and manual pages that `meson install` puts in place.

SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import tap  # noqa: E402

BUILD = pathlib.Path(sys.argv[1])
VERSION = re.search(r'VERSION_STRING "(.*)"', (ROOT / "include" / "d1guard.h").read_text())[1]
CC = os.environ.get("CC", "cc")
os.environ["CMAKE_GENERATOR"] = "Ninja"  # there may be no make


def run(*command, cwd=None, **environment):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env={**os.environ, **environment},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout}")
    return done.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.prefix = cls.folder / "prefix"
        project = cls.folder / "project"
        shutil.copytree(HERE / "meson", project)
        shutil.copy(HERE / "consumer.c", project)
        (project / "subprojects").mkdir()
        (project / "subprojects" / "d1guard").symlink_to(ROOT)
        cls.build = cls.folder / "build"
        # Without dpkg-dev Meson takes lib64 on Debian, where CMake does not look.
        run("meson", "setup", "--prefix", cls.prefix, "--libdir", "lib", cls.build, project)
        run("meson", "install", "-C", cls.build)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def check(self, program, **environment):
        self.assertEqual(run(program, **environment), f"{VERSION} schema\n")

    def libdir(self):
        return next(self.prefix.glob("lib*/**/libd1guard.so.0")).parent

    def test_meson_subproject(self):
        self.check(self.build / "consumer")

    def test_pkg_config(self):
        path = {"PKG_CONFIG_PATH": str(self.libdir() / "pkgconfig")}
        self.assertEqual(run("pkg-config", "--modversion", "d1guard", **path).strip(), VERSION)
        for name, link in ("shared", []), ("static", ["-static"]):
            with self.subTest(name):
                flags = run("pkg-config", "--cflags", "--libs", *(["--static"] if link else []), "d1guard", **path)
                program = self.folder / f"pkg-config-{name}"
                run(CC, HERE / "consumer.c", *flags.split(), *link, "-o", program)
                self.check(program, LD_LIBRARY_PATH=str(self.libdir()))

    def test_cmake(self):
        project = self.folder / "cmake"
        shutil.copytree(HERE / "cmake", project)
        shutil.copy(HERE / "consumer.c", project)
        run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", project / "build")
        for name in "shared", "static":
            with self.subTest(name):
                self.check(project / "build" / name)

    def test_cmake_version(self):
        """A package of another first number, or newer than ours, is not taken."""
        for version, good in ("0.1", True), (VERSION, True), ("0.99", False), ("1.0", False):
            with self.subTest(version):
                project = self.folder / f"cmake-{version}"
                project.mkdir()
                (project / "CMakeLists.txt").write_text(
                    f"cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(d1guard {version} REQUIRED)\n")
                done = subprocess.run(["cmake", "-S", project, "-B", project / "build",
                                       f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, text=True)
                self.assertEqual(done.returncode == 0, good, done.stderr)

    def test_soname_and_names(self):
        library = self.libdir() / "libd1guard.so.0"
        dynamic = run("readelf", "-d", library)
        self.assertIn("[libd1guard.so.0]", dynamic)
        names = {line.split()[-1].split("@")[0] for line in run("nm", "-D", "--defined-only", library).splitlines()}
        header = (ROOT / "include" / "d1guard.h").read_text()
        public = set(re.findall(r"^(?:D1GUARD_API .*?|)(d1guard_\w+)\(", header, re.M))
        self.assertGreater(len(public), 15)
        self.assertEqual(names, public)

    def test_everything_in_place(self):
        """`meson install` of the main build: library, header, packages, programs, manual pages."""
        stage = self.folder / "stage"
        run("meson", "install", "-C", BUILD, "--no-rebuild", "--destdir", stage)
        files = {path.relative_to(stage / "usr/local").as_posix() for path in stage.rglob("*") if not path.is_dir()}
        for pattern in [r"include/d1guard\.h", r"lib.*/libd1guard\.a", r"lib.*/libd1guard\.so\.0",
                        r"lib.*/pkgconfig/d1guard\.pc", r"lib.*/cmake/d1guard/d1guard-config\.cmake", r"bin/d1guard",
                        r"share/man/man1/d1guard\.1", r"bin/d1guard-mcp", r"share/man/man1/d1guard-mcp\.1"]:
            with self.subTest(pattern):
                self.assertTrue(any(re.fullmatch(pattern, file) for file in files), sorted(files))

    def test_manual_pages_name_every_option(self):
        for program in "cli/d1guard", "mcp/d1guard-mcp":
            with self.subTest(program):
                options = set(re.findall(r"--[a-z][a-z0-9-]*", run(BUILD / "bindings" / program, "--help")))
                page = (ROOT / "bindings" / f"{program}.1").read_text()
                self.assertGreater(len(options), 10)
                self.assertEqual(options - {f"-{word}" for word in re.findall(r"Fl (-[\w-]+)", page)}, set())


class OneFile(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        run(sys.executable, HERE.parent / "amalgamate.py", self.folder)

    def tearDown(self):
        self.temporary.cleanup()

    def test_bare_compiler_line(self):
        run(CC, "-c", "d1guard.c", cwd=self.folder)
        run(CC, "-I.", HERE / "consumer.c", "d1guard.o", "-o", "consumer", cwd=self.folder)
        self.assertEqual(run(self.folder / "consumer"), f"{VERSION} schema\n")

    def test_no_warnings(self):
        for compiler in "gcc", "clang":
            for optimization in "-O0", "-O2":
                with self.subTest(f"{compiler} {optimization}"):
                    run(compiler, "-std=c99", optimization, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion",
                        "-Wshadow", "-Werror", "-c", "d1guard.c", cwd=self.folder)

    def test_it_is_the_whole_library(self):
        """The list of d1guard_all.c is the build's."""
        all_c = re.findall(r'#include "(\w+\.c)"', (ROOT / "lib" / "d1guard_all.c").read_text())
        built = re.findall(r"'(\w+\.c)'", (ROOT / "lib" / "meson.build").read_text().split("\n)")[0].split(")")[0])
        self.assertEqual(sorted(all_c), sorted(built))

    def test_freestanding(self):
        """Nothing from outside, not even from the C library, but what a compiler may call for itself."""
        run(CC, "-std=c99", "-ffreestanding", "-O2", "-c", "d1guard.c", cwd=self.folder)
        outside = {line.split()[-1] for line in run("nm", "-u", self.folder / "d1guard.o").splitlines()}
        self.assertLessEqual(outside, {"memcpy", "memset", "memmove", "memcmp", "_GLOBAL_OFFSET_TABLE_",
                                       "__stack_chk_fail"})


if __name__ == "__main__":
    tap.main()

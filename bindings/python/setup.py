"""Builds the C library into the package, so that the wheel works for every Python 3 of its platform.

The C source is the one-file build: in an sdist it lies in csrc/; in the project tests/amalgamate.py writes it.

SPDX-License-Identifier: Apache-2.0
"""
import os
import subprocess
import sys
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from distutils.ccompiler import new_compiler  # setuptools' own, where Python has none
from distutils.sysconfig import customize_compiler

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # before setuptools 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = os.path.dirname(os.path.abspath(__file__))
AMALGAMATE = os.path.join(HERE, "..", "..", "tests", "amalgamate.py")
LIBRARY = "libd1guard.dylib" if sys.platform == "darwin" else "libd1guard.so"


def amalgamate(folder):
    subprocess.run([sys.executable, AMALGAMATE, folder], check=True)


class BuildWithLibrary(build_py):
    def run(self):
        super().run()
        with tempfile.TemporaryDirectory() as temporary:
            source = os.path.join(HERE, "csrc")
            if not os.path.exists(source):
                source = os.path.join(temporary, "csrc")
                amalgamate(source)
            compiler = new_compiler()
            customize_compiler(compiler)
            objects = compiler.compile([os.path.relpath(os.path.join(source, "d1guard.c"))], output_dir=temporary,
                                       extra_postargs=["-std=c99", "-O2", "-g0", "-fvisibility=hidden"])
            compiler.link_shared_object(objects, os.path.join(self.build_lib, "d1guard", LIBRARY))


class SdistWithSource(sdist):
    def make_release_tree(self, base_dir, files):
        super().make_release_tree(base_dir, files)
        source = os.path.join(base_dir, "csrc")
        if not os.path.exists(source):
            amalgamate(source)


class PlatformWheel(bdist_wheel):
    """One wheel for all Pythons: the library is not an extension module."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class PlatformDistribution(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=PlatformDistribution,
      cmdclass={"build_py": BuildWithLibrary, "sdist": SdistWithSource, "bdist_wheel": PlatformWheel})

"""Runs a module's unittest classes and reports in TAP, so that each test is counted by itself.

SPDX-License-Identifier: Apache-2.0
"""
import sys
import unittest


class _Result(unittest.TestResult):
    def __init__(self, out):
        super().__init__()
        self.out = out
        self.number = 0

    def _line(self, word, test, note=""):
        self.number += 1
        print(f"{word} {self.number} - {test.id()}{note}", file=self.out, flush=True)

    def _failed(self, test, error):
        for line in self._exc_info_to_string(error, test).splitlines():
            print(f"# {line}", file=self.out)
        self._line("not ok", test)

    def addSuccess(self, test):
        super().addSuccess(test)
        self._line("ok", test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self._failed(test, error)

    def addError(self, test, error):
        super().addError(test, error)
        self._failed(test, error)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._line("ok", test, f" # SKIP {reason}")

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self._failed(subtest, error)


def main():
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"])
    result = _Result(sys.stdout)
    suite.run(result)
    print(f"1..{result.number}")
    sys.exit(0 if result.wasSuccessful() and result.number else 1)

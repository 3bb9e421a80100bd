"""Counts what meson's tests say of themselves: "N passed, N failed" over the build folders given.

A test that reports in TAP counts by its sub-tests, any other as one. A test that broke without a failed
sub-test (a crash, a time-out, too few results) counts as one failed. A skipped test counts as neither and
is listed, as are the failed ones.

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

WORDS = {"OK": "passed", "EXPECTEDFAIL": "passed", "SKIP": "skipped"}  # any other result is a failure


def subtests(logs):
    """The sub-tests' cases by "project.test", from meson's JUnit file, which holds output byte for byte."""
    text = (logs / "testlog.junit.xml").read_text(encoding="utf-8", errors="replace")
    root = ElementTree.fromstring(re.sub(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text))
    return {suite.get("name"): suite.findall("testcase") for suite in root.iter("testsuite")}


def case_result(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "skipped" if case.find("skipped") is not None else "passed"


def results(build):
    """Yields (name, "passed" | "failed" | "skipped") for one build folder."""
    logs = build / "meson-logs"
    cases_of = subtests(logs)
    for line in (logs / "testlog.json").read_text(encoding="utf-8", errors="replace").splitlines():
        test = json.loads(line)
        whole = WORDS.get(test["result"], "failed")
        cases = next((cases for suite, cases in cases_of.items() if suite.endswith("." + test["name"])), [])
        parts = [(f"{test['name']}: {case.get('name')}", case_result(case)) for case in cases]
        yield from parts
        if not parts or (whole == "failed" and all(result != "failed" for _, result in parts)):
            yield f"{test['name']} ({test['result']})", whole


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--at-least", type=int, default=0, help="failures, since some part broke")
    parser.add_argument("builds", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    count = {"passed": 0, "failed": 0, "skipped": 0}
    for build in arguments.builds:
        try:
            for name, result in results(build):
                count[result] += 1
                if result != "passed":
                    print(f"{result}: {build.name}: {name}")
        except (OSError, ElementTree.ParseError, ValueError) as error:
            count["failed"] += 1
            print(f"failed: {build.name}: {error}")
    count["failed"] = max(count["failed"], arguments.at_least)
    print(f"{count['passed']} passed, {count['failed']} failed")
    sys.exit(1 if count["failed"] or not count["passed"] else 0)


main()

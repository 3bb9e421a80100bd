"""Mutation testing of lib/: changes one token at a time and sees whether the tests notice.

A mutant counts as killed when the case files or a unit test fail, crash or do not end. One whose object code
is that of the original does not count, nor one that does not compile. Each mutant that lives must be listed
in survivors.txt with the reason why; what is listed must live. Reports in TAP.

    mutation.py                     all mutants, about an hour
    mutation.py --sample 100        the same 100 of them each time, --seed N for others
    mutation.py --changed main~3    those in lines that changed since a revision
    mutation.py --listed            those of survivors.txt

SPDX-License-Identifier: Apache-2.0
"""
import argparse
import collections
import concurrent.futures
import copy
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

from mutants import mutants_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FLOOR, SAMPLE_FLOOR = 95, 90  # percent of the mutants killed, of all and of a sample of them
FLAGS = ["-std=c99", "-w", "-Iinclude", "-Ilib"]
# The forms of what has several: vector instructions and builtins of GNU C; those of each x86-64 only; neither; token
# by token.
VARIANTS = ["narrow", "plain", "small"]
FORMS = {"vector": ["-O1"], **{variant: ["-O1", f"-DD1G_{variant.upper()}"] for variant in VARIANTS}}
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
# tests/*.c: those that see include/ only, and those that are compiled anew with headers of lib/.
TESTS, PRIVATE_TESTS = ["run_cases", "arguments", "nesting"], ["walk"]
FAST = [f"-I{ROOT}/tests/machines", "-DFIRST_FAILURE_ENDS"]  # a cmocka of its own
# All tests as one program; endless loops end it.
MAIN = """#include <stdlib.h>
#include <sys/time.h>
int %s;
int main(int argc, char **argv)
{
    const long limit = atol(argv[2]);
    const struct itimerval timer = {{0, 0}, {limit / 1000, limit %% 1000 * 1000}};

    return argc != 3 || setitimer(ITIMER_VIRTUAL, &timer, NULL) != 0 || %s;
}
"""
MILLISECONDS = {"sanitized": 4000}  # of processor time, some seven times what the original takes


class Workshop:
    """A copy of what is compiled, in which one mutant at a time is made and tried."""

    def __init__(self, folder, compiler):
        self.folder, self.compiler = folder, compiler
        for part in ("lib", "include", "tests"):
            (folder / part).mkdir(parents=True)
            for file in (ROOT / part).glob("*.*"):
                shutil.copy(file, folder / part)
        self.units = {file.stem: f"lib/{file.name}" for file in sorted((folder / "lib").glob("*.c"))
                      if file.stem != "d1guard_all"}
        self.library = list(self.units)
        self.units.update({test: f"tests/{test}.c" for test in PRIVATE_TESTS})
        self.users = self.files_by_user()
        self.options = {"sanitized": SANITIZE}
        for form, options in FORMS.items():
            self.options[form] = options
            self.options[form + " -O2"] = [*options, "-O2"]
        for kind in self.options:
            for unit in self.library if kind.endswith("-O2") else self.units:
                self.compile(unit, kind, "original", check=True)
        # The forms that a unit has: where its code differs.
        self.forms = {unit: [form for form in FORMS if form == "vector" or
                             self.read_object(unit, form + " -O2", "original") !=
                             self.read_object(unit, "vector -O2", "original")] for unit in self.library}
        self.make_tests()
        for kind in (*FORMS, "sanitized"):
            if not self.passes([], kind):
                sys.exit(f"the tests fail without a change ({kind})")
        if any(self.dies_at_once(units) for units in [list(self.units), *[[unit] for unit in self.units]]):
            sys.exit("the tests fail without a change (tcc)")
        if not self.steps_agree([]):
            sys.exit("tests/bench/steps_test fails without a change")

    def copy(self, folder):
        other = copy.copy(self)
        other.folder = folder
        shutil.copytree(self.folder, folder)
        return other

    def make_tests(self):
        """What no mutant changes."""
        compile_test = [self.compiler, "-w", "-O1", "-Iinclude", "-c"]
        for test in TESTS:
            self.run([*compile_test, f"-Dmain={test}", *(FAST if test == "run_cases" else []), f"tests/{test}.c",
                      "-o", f"{test}.o"], check=True)
        tests = [*TESTS, *PRIVATE_TESTS]
        (self.folder / "main.c").write_text(MAIN % (", ".join(f"{test}(int, char **)" for test in tests),
                                                    " || ".join(f"{test}(2, argv)" for test in tests)))
        self.run([*compile_test, "main.c", "-o", "main.o"], check=True)
        for file in ("bench/steps_test", "oracle/texts"):
            self.run([*compile_test, str(ROOT / "tests" / f"{file}.c"), "-o", f"{file.split('/')[1]}.o"], check=True)

    def run(self, command, check=False, seconds=None):
        if seconds:
            command = ["sh", "-c", f"ulimit -c 0; ulimit -t {seconds}; exec \"$@\"", "sh", *command]
        return subprocess.run(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=None if check else subprocess.DEVNULL, check=check).returncode == 0

    def files_by_user(self):
        """For each file of lib/, the units that it is a part of."""
        users = collections.defaultdict(list)
        for unit, file in self.units.items():
            listed = subprocess.run([self.compiler, *FLAGS, "-MM", file], cwd=self.folder, check=True,
                                    capture_output=True, text=True).stdout
            for used in set(re.findall(r"\blib/[\w.]+", listed)):
                users[used].append(unit)
        return users

    def object_of(self, unit, kind, version):
        return f"{unit} {kind} {version}.o"

    def compile(self, unit, kind, version="mutant", check=False):
        file = self.units[unit]
        return self.run([self.compiler, *FLAGS, *self.options[kind], *([] if unit in self.library else [f"-Dmain={unit}"]),
                         "-c", file, "-o", self.object_of(unit, kind, version)], check)

    def read_object(self, unit, kind, version):
        return (self.folder / self.object_of(unit, kind, version)).read_bytes()

    def changed_forms(self, units):
        """The forms in which the mutant is compiled to something else than the original. None if one is not."""
        changed = []
        for form in FORMS:
            kind = form + " -O2"
            of_form = [unit for unit in units if form in self.forms.get(unit, [])]
            if not all(self.compile(unit, kind) for unit in of_form):
                return None
            if any(self.read_object(unit, kind, "mutant") != self.read_object(unit, kind, "original") for unit in of_form):
                changed.append(form)
        return changed

    def objects(self, units, kind, among):
        return [self.object_of(unit, kind, "mutant" if unit in units else "original") for unit in among]

    def passes(self, units, kind):
        """Whether the tests pass with the mutated units, the others as they are. None if they do not compile."""
        if not all(self.compile(unit, kind) for unit in units):
            return None
        self.run([self.compiler, *self.options[kind], "main.o", *[f"{test}.o" for test in TESTS],
                  *self.objects(units, kind, self.units), "-lcmocka", "-o", "test"], check=True)
        return self.run(["./test", str(ROOT / "tests/cases"), str(MILLISECONDS.get(kind, 600))])

    def dies_at_once(self, units):
        """Whether the tests fail with the mutated units compiled by tcc, if it is there: most do, in half the time."""
        tests = [f"{test}.o" for test in TESTS]
        others = [self.object_of(unit, "vector", "original") for unit in self.units if unit not in units]
        return bool(shutil.which("tcc")) and self.run(
            ["tcc", "-w", "-Iinclude", "-Ilib", *[f"-Dmain={test}" for test in PRIVATE_TESTS], "main.o", *tests,
             *[self.units[unit] for unit in units], *others, "-lcmocka", "-o", "test"]
        ) and not self.run(["./test", str(ROOT / "tests/cases"), "1000"])

    def steps_agree(self, units):
        """Whether many tokens at once still are what one by one is, all forms made from the mutant."""
        libraries = []
        for variant in VARIANTS:  # as in tests/bench/meson.build
            libraries.append(f"./{variant}.so")
            self.run([self.compiler, *FLAGS, "-O1", "-fPIC", "-shared", "-fvisibility=hidden", f"-DD1G_{variant.upper()}",
                      f"-DVARIANT=variant_{variant}", f'-DVARIANT_NAME="{variant}"',
                      f'-DVARIANT_LIBRARY="{self.folder}/lib/d1guard_all.c"', str(ROOT / "tests/bench/variant.c"),
                      "-o", libraries[-1]], check=True)
        self.run([self.compiler, "steps_test.o", "texts.o", *self.objects(units, "vector -O2", self.library),
                  *libraries, "-ljansson", "-o", "test"], check=True)
        return self.run(["./test", str(ROOT)], seconds=10)

    def judge(self, mutant):
        """"broken", "same", "killed" or "lives"."""
        file = self.folder / mutant.file
        original = file.read_text(encoding="utf-8")
        file.write_text(original[:mutant.start] + mutant.new + original[mutant.end:], encoding="utf-8")
        try:
            return self.judge_units(self.users[mutant.file])
        finally:
            file.write_text(original, encoding="utf-8")

    def judge_units(self, units):
        """In the order of what it costs: most die at once."""
        if self.dies_at_once(units):
            return "killed"
        passes = self.passes(units, "vector")
        if not passes:
            return "broken" if passes is None else "killed"
        forms = self.changed_forms(units)
        if not forms:
            return "broken" if forms is None else "same"
        if not all(self.passes(units, form) for form in forms if form != "vector"):
            return "killed"
        if not self.passes(units, "sanitized"):
            return "killed"
        if any(len(self.forms.get(unit, [])) > 1 for unit in units) and not self.steps_agree(units):
            return "killed"
        return "lives"


def judge_all(mutants, compiler, jobs, folder):
    """Yields each mutant and what became of it."""
    first = Workshop(pathlib.Path(folder) / "0", compiler)
    free = [first.copy(pathlib.Path(folder) / str(number)) for number in range(1, jobs)] + [first]
    workshops = threading.local()

    def start():
        workshops.mine = free.pop()

    with concurrent.futures.ThreadPoolExecutor(jobs, initializer=start) as pool:
        yield from zip(mutants, pool.map(lambda mutant: workshops.mine.judge(mutant), mutants))


def sample_of(mutants, count, seed):
    """By a hash of what names them, so that a change of lib/ elsewhere leaves the sample as it is."""
    def place(mutant):
        return hashlib.sha256(repr((seed, mutant.key)).encode()).digest()
    return sorted(sorted(mutants, key=place)[:count], key=lambda mutant: (mutant.file, mutant.start))


def changed_since(revision, mutants):
    """Those in lines of lib/ that `git diff` says are new."""
    diff = subprocess.run(["git", "diff", "-U0", "--no-color", revision, "--", "lib"], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout
    lines, file = set(), None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            file = line[6:]
        elif match := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
            first = int(match[1])
            lines.update((file, first + i) for i in range(int(match[2] or 1)))
    return [mutant for mutant in mutants
            if any((mutant.file, line) in lines for line in range(mutant.line, mutant.last_line + 1))]


def read_survivors(file):
    """{key: reason}: `= reason`, then for each mutant `file function`, `- before`, `+ after`."""
    survivors, reason, place, before = {}, None, None, None
    for line in file.read_text(encoding="utf-8").splitlines():
        sign, text = line[:1], line[2:].strip()
        if sign == "=":
            reason = text
        elif sign == "-":
            before = text
        elif sign == "+":
            survivors[(*place, before, text)] = reason
        elif sign not in ("", "#"):
            place = (line.split(" ") + [""])[:2]
    return survivors


def print_block(mutant):
    print(f"# {mutant.file} {mutant.function}\n# - {mutant.before}\n# + {mutant.after}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--changed", metavar="REV")
    parser.add_argument("--listed", action="store_true")
    parser.add_argument("--only", default="", metavar="FILE", help="mutants of these files: lib/token.c,lib/plain.c")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--compiler", default="gcc")
    arguments = parser.parse_args()

    survivors = read_survivors(HERE / "survivors.txt")
    everything = mutants = mutants_of(ROOT)
    if arguments.only:
        mutants = [mutant for mutant in everything if mutant.file in arguments.only.split(",")]
    if arguments.changed:
        mutants = changed_since(arguments.changed, mutants)
    if arguments.listed:
        mutants = [mutant for mutant in mutants if mutant.key in survivors]
    if arguments.sample:
        mutants = sample_of(mutants, arguments.sample, arguments.seed)

    counts, lives, results = collections.defaultdict(collections.Counter), [], {}
    with tempfile.TemporaryDirectory() as folder:
        for mutant, result in judge_all(mutants, arguments.compiler, arguments.jobs, folder):
            counts[mutant.file][result] += 1
            if result == "lives":
                lives.append(mutant)
                if mutant.key not in survivors:
                    print("# lives, and is not listed:")
                    print_block(mutant)
            # Two changes in equal lines have one name: it lives where one of them does.
            results[mutant.key] = "lives" if results.get(mutant.key) == "lives" else result
    floor = SAMPLE_FLOOR if arguments.sample else FLOOR
    if arguments.changed or arguments.listed or arguments.only:
        floor = 0  # a part tells nothing of the whole
    ok = report(counts, lives, results, survivors, {mutant.key for mutant in everything}, floor)
    sys.exit(0 if ok else 1)


def report(counts, lives, results, survivors, existing, floor):
    total = sum(counts.values(), collections.Counter())
    for file, count in sorted(counts.items()):
        print(f"# {file}: {count['killed']} killed, {count['lives']} live; "
              f"{count['same']} compile to the same, {count['broken']} do not compile")
    judged = total["killed"] + total["lives"]
    share = 100 * total["killed"] / judged if judged else 100
    unlisted = [mutant for mutant in lives if mutant.key not in survivors]
    gone = [key for key in survivors if key not in existing or results.get(key, "lives") != "lives"]
    for key in gone:
        print(f"# listed, but {'killed or the same' if key in existing else 'no mutant any more'}: {' | '.join(key)}")
    tests = {
        f"{total['killed']} of {judged} mutants killed, {share:.1f} %, floor {floor} %": share >= floor,
        f"each of {len(lives)} that live is explained, {len(unlisted)} are not": not unlisted,
        f"{len(survivors)} are listed, all of which live": not gone,
        "each has a reason": all(survivors.values()),
    }
    for number, (name, holds) in enumerate(tests.items(), 1):
        print(f"{'ok' if holds else 'not ok'} {number} - {name}")
    print(f"1..{len(tests)}")
    return all(tests.values())


if __name__ == "__main__":
    main()

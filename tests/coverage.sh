#!/bin/sh
# How much of lib/ the case files and unit tests alone run: coverage.sh [FOLDER]. Prints lines, branches and
# MC/DC conditions by file, then each place that is missing, and fails below the floors at the end of this file.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
rm -f "$folder"/*.profraw
library=$(ls "$root"/lib/*.c | grep -v d1guard_all)
objects=
for test in run_cases arguments nesting; do
    # D1G_PLAIN: the form that runs everywhere; the vector form is held against it by tests/bench.
    clang-19 -O0 -g -w -DD1G_PLAIN -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc \
        -I"$root/include" -I"$root/lib" $library "$root/tests/$test.c" -lcmocka -o "$folder/$test"
    LLVM_PROFILE_FILE="$folder/$test.profraw" "$folder/$test" "$root/tests/cases" >"$folder/$test.log" 2>&1 ||
        { tail "$folder/$test.log"; exit 1; }
    objects="$objects ${objects:+-object} $folder/$test" # the first one stands alone
done
llvm-profdata-19 merge -sparse "$folder"/*.profraw -o "$folder/all.profdata"
llvm-cov-19 report --show-mcdc-summary --show-branch-summary $objects -instr-profile="$folder/all.profdata" \
    "$root/lib/" | awk 'NF > 10 && $1 != "Filename" {
        printf "%-12s lines %s, branches %s, conditions %s\n", $1, $10, $13, $16 == "" ? "-" : $16 }'
llvm-cov-19 show --show-mcdc --show-branches=count $objects -instr-profile="$folder/all.profdata" "$root"/lib/*.[ch] |
    python3 "$root/tests/coverage_gaps.py"
llvm-cov-19 export --summary-only -show-mcdc-summary $objects -instr-profile="$folder/all.profdata" "$root/lib/" |
    python3 -c '
import json, sys
totals = json.load(sys.stdin)["data"][0]["totals"]
floors = {"functions": 100, "lines": 98, "branches": 99, "mcdc": 98}
for name, floor in floors.items():
    part = totals[name]
    percent = 100 * part["covered"] / part["count"]
    print("%s: %d of %d, floor %s %%" % (name, part["covered"], part["count"], floor))
    floors[name] = percent >= floor and part["count"] > 0
sys.exit(not all(floors.values()))'

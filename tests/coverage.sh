#!/bin/sh
# How much of lib/ the case files and unit tests alone run: coverage.sh [FOLDER]. Prints lines, branches and
# MC/DC conditions by file. Fails unless all is covered but for what tests/coverage_known.txt lists.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
folder=${1:-$(mktemp -d)}
mkdir -p "$folder"
rm -f "$folder"/*.profraw
# D1G_PLAIN: the form that runs everywhere; the vector form is held against it by tests/bench.
compile="clang-19 -O0 -g -w -DD1G_PLAIN -I$root/include"
$compile -fprofile-instr-generate -fcoverage-mapping -fcoverage-mcdc -c "$root/lib/d1guard_all.c" -o "$folder/lib.o" \
    2>"$folder/unmeasured"
! grep 'unsupported MC/DC' "$folder/unmeasured" || exit 1
objects=
for test in run_cases arguments nesting walk; do
    $compile "$folder/lib.o" "$root/tests/$test.c" -fprofile-instr-generate -lcmocka -o "$folder/$test"
    LLVM_PROFILE_FILE="$folder/$test.profraw" "$folder/$test" "$root/tests/cases" >"$folder/$test.log" 2>&1 ||
        { tail "$folder/$test.log"; exit 1; }
    objects="$objects ${objects:+-object} $folder/$test" # the first one stands alone
done
llvm-profdata-19 merge -sparse "$folder"/*.profraw -o "$folder/all.profdata"
llvm-cov-19 report --show-mcdc-summary --show-branch-summary $objects -instr-profile="$folder/all.profdata" \
    "$root/lib/" | awk 'NF > 10 && $1 != "Filename" {
        printf "%-12s lines %s, branches %s, conditions %s\n", $1, $10, $13, $16 == "" ? "-" : $16 }'
llvm-cov-19 show --show-mcdc --show-branches=count $objects -instr-profile="$folder/all.profdata" "$root"/lib/*.[ch] |
    python3 "$root/tests/coverage_gaps.py" "$root"

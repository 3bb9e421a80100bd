#!/bin/sh
# Instructions for each byte of tests/bench/sample.sql, counted by callgrind: the same on every run and
# however busy the machine is. A run without any measure is taken off.
#   tests/bench/instructions.sh BENCH ROOT
set -eu
bench=$1
root=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

count() {
    valgrind --tool=callgrind --callgrind-out-file="$out/calls" "$bench" --once "$1" "$root" >"$out/bytes" 2>"$out/log"
    sed -n 's/^==.*Collected : *//p' "$out/log"
}

start=$(count nothing)
for measure in sqlite-tokens tokens many-tokens verdict prepare; do
    instructions=$(count "$measure")
    bytes=$(cat "$out/bytes")
    echo "$measure $instructions $start $bytes" |
        awk '{ printf "%-14s %7.1f instructions a byte\n", $1, ($2 - $3) / $4 }'
done

#!/bin/sh
# The code's size, and the stack of the deepest chain of calls: the frames that the compiler reports, added
# up along the calls that the object makes. No function calls itself, or one by a pointer.
#   tests/bench/size.sh ROOT COMPILER...
set -eu
root=$1
shift
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

for level in -Os -O2; do
    "$@" -std=c99 "$level" -ffreestanding -fstack-usage -I"$root/include" -c "$root/lib/d1guard_all.c" -o "$out/d1guard.o"
    echo "$level: code $(size -A "$out/d1guard.o" | awk '$1 ~ /^\.text/ { s += $2 } END { print s }') bytes," \
        "constants $(size -A "$out/d1guard.o" | awk '$1 ~ /^\.rodata/ { s += $2 } END { print s }')," \
        "variables $(size -A "$out/d1guard.o" | awk '$1 ~ /^\.(data|bss)/ { s += $2 } END { print s + 0 }')," \
        "stack $(objdump -d -r "$out/d1guard.o" | awk -v usage="$out/d1guard.su" -f "$root/tests/bench/stack.awk")"
done

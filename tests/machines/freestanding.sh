#!/bin/sh
# Builds the library for no operating system at all, and looks at what it needs and holds:
# freestanding.sh FOLDER COMPILER OPTION...
# It may call nothing but the four functions that a freestanding compiler asks of any host, and holds no data
# that can change.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$1
shift
mkdir -p "$folder"
"$@" -std=c99 -ffreestanding -I"$root/include" -I"$root/lib" -c "$root/lib/d1guard_all.c" -o "$folder/d1guard.o"
calls=$(nm -u "$folder/d1guard.o" | awk '{print $2}' | grep -vxE 'memcpy|memmove|memset|memcmp|_GLOBAL_OFFSET_TABLE_' || true)
[ -z "$calls" ] || { echo "calls from outside: $calls"; exit 1; }
data=$(size -A "$folder/d1guard.o" | awk '$1 ~ /^\.(data|bss|tdata|tbss)/ && $2 > 0 {print $1, $2}')
[ -z "$data" ] || { echo "data that can change: $data"; exit 1; }
size "$folder/d1guard.o"

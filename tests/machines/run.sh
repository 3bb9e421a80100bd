#!/bin/sh
# Runs the case files on another build of the library: run.sh NAME RUNNER COMPILER OPTION...
#   NAME    a folder for the program, made if missing
#   RUNNER  what starts it ("" for nothing, qemu-arm-static ...)
# The library is compiled from its own files and linked statically; no cmocka is needed (cmocka.h beside
# this file). With CXX_PROGRAM set, a C++ compiler, the program that calls the library is C++.
# Exit status 0 only if all cases pass.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1 runner=$2
shift 2
mkdir -p "$folder"
set -- "$@" -I"$root/include" -I"$root/lib"
objects=
for file in "$root"/lib/*.c; do
    [ "$(basename "$file")" != d1guard_all.c ] || continue
    object=$folder/$(basename "$file").o
    "$@" -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -c "$file" -o "$object"
    objects="$objects $object"
done
[ -z "${CXX_PROGRAM-}" ] || set -- "$CXX_PROGRAM" -x c++ -std=c++20 -I"$root/include"
# 64-bit offsets: qemu hands the folder entries of the host to a 32-bit program.
"$@" -w -D_FILE_OFFSET_BITS=64 -I"$here" -c "$root/tests/run_cases.c" -o "$folder/run_cases.o"
"$@" -x none "$folder/run_cases.o" $objects -static -o "$folder/run-cases"
# The cases go in by a relative name, so that a foreign program needs no more of this file system.
cd "$root/tests"
$runner "$folder/run-cases" cases

#!/bin/sh
# abi.sh LIBRARY [RECORD]: the shared library exports the functions of the header and nothing else, has its
# soname, needs no other library than libc, and matches the recorded ABI. With `record` as a second argument
# the ABI is recorded anew: only for an addition, never for a change of what was released.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
library=$1
exported=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^$' | sort)
declared=$(sed 's:/\*.*\*/::; /^ \*/d; /^\/\*/d' "$root/include/d1guard.h" | grep -oE '\bd1guard_[a-z_]+\(' | tr -d '(' | sort -u)
if [ "$exported" != "$declared" ]; then
    printf 'exported:\n%s\ndeclared:\n%s\n' "$exported" "$declared"
    exit 1
fi
readelf -d "$library" | grep -q 'SONAME.*\[libd1guard\.so\.0\]' || { echo 'no soname libd1guard.so.0'; exit 1; }
! readelf -d "$library" | grep NEEDED | grep -v 'libc\.' || { echo 'needs another library'; exit 1; }
if [ "${2-}" = record ]; then
    abidw --no-comp-dir-path --short-locs --headers-dir "$root/include" --out-file "$here/d1guard.abi" "$library"
fi
abidiff --headers-dir2 "$root/include" "$here/d1guard.abi" "$library"
echo "$(echo "$exported" | wc -l) functions exported, as declared and as recorded"

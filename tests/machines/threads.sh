#!/bin/sh
# threads.sh FOLDER COMPILER OPTION...: builds threads.c with ThreadSanitizer and runs it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
folder=$1
shift
mkdir -p "$folder"
"$@" -std=c99 -g -O1 -fsanitize=thread -I"$root/include" -I"$root/lib" "$root/lib/d1guard_all.c" "$here/threads.c" \
    -pthread -o "$folder/threads"
# ThreadSanitizer cannot lay out its memory under some kernels' address randomisation.
fixed="setarch $(uname -m) -R"
$fixed true 2>/dev/null || fixed=
TSAN_OPTIONS=halt_on_error=1:exitcode=3 $fixed "$folder/threads"

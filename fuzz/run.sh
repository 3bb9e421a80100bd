#!/bin/sh
# A long run of one target: run.sh TARGET SECONDS [LIBFUZZER-OPTION...], such as `run.sh verdict 3600 -seed=7`.
# Targets: tokens, statements, verdict, cap, structs, mcp. Builds first, starts from the seeds cut from
# tests/cases and from corpus and found, and keeps what reaches new code in build-fuzz/corpus/TARGET, where the next
# run goes on. Prints how many inputs it ran; an input that breaks a promise is left in build-fuzz as
# TARGET-crash-... and ends the run with an error.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -ge 2 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
name=$1 seconds=$2
shift 2
OUT=${OUT:-$root/build-fuzz}
export OUT
[ -f "$root/fuzz/$name.c" ] || { echo "fuzz/run.sh: no target $name" >&2; exit 2; }
sh "$root/fuzz/build.sh" >"$OUT.log" 2>&1 || { cat "$OUT.log"; exit 1; }
mkdir -p "$OUT/corpus/$name" "$OUT/own/$name"
python3 -m zipfile -e "$OUT/${name}_seed_corpus.zip" "$OUT/own/$name"
exec "$OUT/$name" -max_total_time="$seconds" -max_len=2048 -timeout=60 -dict="$OUT/$name.dict" -print_final_stats=1 \
    -artifact_prefix="$OUT/$name-" "$@" "$OUT/corpus/$name" "$OUT/own/$name"

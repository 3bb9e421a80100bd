#!/bin/sh
# A short run of one target for CI: short_run.sh TARGET SEEDS INPUTS FLOOR
#   1. From nothing: coverage has to grow, and to FLOOR edges at least, or the target, its mutator or the
#      instrumentation is broken.
#   2. From the corpus on: what these inputs reach is tried further.
# SEEDS is the program of seeds.c, INPUTS the folder in corpus (sql, structs, mcp). Always as many inputs, though not the same ones.
set -eu
target=$1 seeds=$2 inputs=$3 floor=$4
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# try NAME RUNS CORPUS...: prints the log's last lines if the target stops.
try() {
    name=$1 runs=$2
    shift 2
    mkdir -p "$work/$name"
    "$target" -seed=1 -runs="$runs" -max_len=512 -len_control=0 -timeout=60 -dict="$dict" \
        -artifact_prefix="$work/" "$work/$name" "$@" >"$work/$name.log" 2>&1 || {
        tail -n 60 "$work/$name.log"
        exit 1
    }
}

# edges WHEN NAME: of coverage at INITED or DONE
edges() {
    sed -n "s/.*$1 *cov: \([0-9]*\).*/\1/p" "$work/$2.log"
}

"$seeds" "$root" "$work/seeds" >/dev/null
case $inputs in
mcp) # JSON is far from nothing: one request
    dict=$work/seeds/mcp.dict
    mkdir "$work/nothing"
    echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query","arguments":{}}}' >"$work/nothing/one"
    ;;
*) dict=$work/seeds/sql.dict ;;
esac
try nothing 5000
first=$(edges INITED nothing) last=$(edges DONE nothing)
echo "from nothing: $first edges, after 5000 runs $last; at least $floor wanted"
[ "$last" -gt "$first" ] && [ "$last" -ge "$floor" ]
try corpus 15000 "$root/fuzz/corpus/$inputs"
echo "from the corpus: $(edges INITED corpus) edges, at the end $(edges DONE corpus)"

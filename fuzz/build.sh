#!/bin/sh
# Builds every target into $OUT as OSS-Fuzz does, by $CC $CFLAGS, $CXX $CXXFLAGS and $LIB_FUZZING_ENGINE, with
# its seeds (TARGET_seed_corpus.zip) and dictionary (TARGET.dict). Without these variables: clang's libFuzzer with
# AddressSanitizer and UndefinedBehaviorSanitizer, into build-fuzz. tests/setup.sh fetches the SQLite that is needed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
fuzz=$root/fuzz oracle=$root/tests/oracle soundness=$root/tests/soundness mcp=$root/bindings/mcp
sqlite=$root/tests/deps/sqlite-3.54.1
: "${CC:=clang}" "${CXX:=clang++}" "${LIB_FUZZING_ENGINE:=-fsanitize=fuzzer}" "${OUT:=$root/build-fuzz}"
: "${WORK:=$OUT/work}"
: "${CFLAGS:=-O2 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all}" "${CXXFLAGS:=$CFLAGS}"
mutate="mutate generate" plain=$CC
case $CC in *afl*) mutate= plain=clang ;; esac # AFL++ has mutators of its own, and always instruments
includes="-I$root/include -I$oracle -I$soundness -I$sqlite"
options="-std=gnu99 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE"
mkdir -p "$OUT" "$WORK"
[ -f "$sqlite/sqlite3.c" ] || { echo "fuzz/build.sh: run tests/setup.sh first: $sqlite is missing" >&2; exit 1; }

# object NAME SOURCE FLAG..., plain_object the same without the engine's compiler
object() {
    compile "$CC" "$@"
}

plain_object() {
    compile "$plain" "$@"
}

compile() {
    compiler=$1 out=$WORK/$2.o source=$3
    shift 3
    $compiler $options $includes "$@" -c "$source" -o "$out"
}

# SQLite is the witness: no part of what is tried out, and not instrumented. Kept, as it takes a minute.
[ -f "$WORK/sqlite.o" ] || plain_object sqlite "$oracle/sqlite_oracle.c" -w -O1 -DSQLITE_THREADSAFE=0 \
    -DSQLITE_ENABLE_FTS3 -DSQLITE_ENABLE_FTS3_PARENTHESIS -DSQLITE_ENABLE_FTS4 -DSQLITE_ENABLE_FTS5 \
    -DSQLITE_ENABLE_RTREE -DSQLITE_ENABLE_GEOPOLY -DSQLITE_ENABLE_MATH_FUNCTIONS -DSQLITE_ENABLE_DBSTAT_VTAB \
    -DSQLITE_ENABLE_DBPAGE_VTAB -DSQLITE_ENABLE_STMTVTAB -DSQLITE_ENABLE_BYTECODE_VTAB \
    -DSQLITE_ENABLE_OFFSET_SQL_FUNC -DSQLITE_ENABLE_PERCENTILE -DSQLITE_ENABLE_CARRAY \
    -DSQLITE_ENABLE_PREUPDATE_HOOK -DSQLITE_ENABLE_SESSION "-DORACLE_AMALGAMATION=\"$sqlite/sqlite3.c\""
plain_object plain-guard "$root/lib/d1guard_all.c" -O2
plain_object seeds "$fuzz/seeds.c" -O2
$plain "$WORK/seeds.o" "$WORK/plain-guard.o" "$WORK/sqlite.o" -lm -ldl -o "$WORK/seeds"
rm -rf "$WORK/seed"
"$WORK/seeds" "$root" "$WORK/seed"

object guard "$root/lib/d1guard_all.c" $CFLAGS
for name in generate scratch; do object $name "$soundness/$name.c" $CFLAGS; done
for name in boundary grammar; do object $name "$oracle/$name.c" $CFLAGS; done
for name in mutate tokens statements verdict cap structs; do object $name "$fuzz/$name.c" $CFLAGS; done

# target NAME INPUTS OBJECT... [-- LIBRARY...]
target() {
    name=$1 inputs=$2 objects= libraries=
    shift 2
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        objects="$objects $WORK/$1.o"
        shift
    done
    [ $# -eq 0 ] || { shift && libraries=$*; }
    $CXX $CXXFLAGS $objects $LIB_FUZZING_ENGINE $libraries -lm -ldl -o "$OUT/$name"
    rm -rf "$WORK/all" "$OUT/${name}_seed_corpus.zip"
    mkdir "$WORK/all"
    for folder in "$WORK/seed/$inputs" "$fuzz/corpus/$inputs" "$fuzz/found/$inputs"; do
        [ ! -d "$folder" ] || cp -R "$folder/." "$WORK/all"
    done
    (cd "$WORK/all" && python3 -m zipfile -c "$OUT/${name}_seed_corpus.zip" ./*)
    case $inputs in
    mcp) cp "$WORK/seed/mcp.dict" "$OUT/$name.dict" ;;
    *) cp "$WORK/seed/sql.dict" "$OUT/$name.dict" ;;
    esac
}

target tokens sql tokens guard $mutate sqlite
target statements sql statements boundary grammar guard $mutate sqlite
target verdict sql verdict scratch guard $mutate sqlite
target cap sql cap scratch guard $mutate sqlite
target structs structs structs guard $mutate

# The message reader and the tools behind it, but D1's, which wants a network.
objects=
for name in tools.json:tools_json sample.sql:sample_sql; do
    python3 "$mcp/embed.py" "$mcp/${name%:*}" "$WORK/${name#*:}.c" "${name#*:}"
    object "${name#*:}" "$WORK/${name#*:}.c"
    objects="$objects ${name#*:}"
done
for name in audit backend catalog dictionary json_out rpc sqlite_backend tools; do
    object "mcp-$name" "$mcp/$name.c" $CFLAGS
    objects="$objects mcp-$name"
done
object mcp "$fuzz/mcp.c" $CFLAGS
target mcp mcp mcp $objects guard -- -ljansson -lsqlite3 -lpthread

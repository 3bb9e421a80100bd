#!/bin/sh
# Installs what is missing, builds twice (gcc; clang with ASan and UBSan) and runs all tests.
# Works from any folder. The last line is "N passed, N failed"; the exit status is 0 only with none failed.
#
# D1GUARD_BUILD   where the two build folders go; the project's own folder if not set
set -u
root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
builds=${D1GUARD_BUILD:-$root}
plain=$builds/build-gcc
sanitized=$builds/build-sanitize
broken=0

# part NAME COMMAND...: runs one part, tells its time, and remembers if it breaks.
part() {
    name=$1
    shift
    start=$(date +%s)
    printf '== %s\n' "$name"
    "$@"
    status=$?
    [ $status -eq 0 ] && result=ok || result=FAILED broken=1
    printf '== %s: %s, %d s\n' "$name" "$result" $(($(date +%s) - start))
    return $status
}

# end FOLDER...: the sum over these build folders.
end() {
    command -v python3 >/dev/null || { echo '0 passed, 1 failed'; exit 1; }
    python3 "$root/tests/count.py" --at-least "$broken" "$@"
    exit
}

# configure FOLDER CC CXX OPTION...: anew each time, since more may be installed by now. A part that
# Meson would leave out for want of a tool is an error here.
configure() {
    folder=$1
    export CC="$2" CXX="$3"
    shift 3
    again=
    [ ! -f "$folder/build.ninja" ] || again=--reconfigure
    meson setup $again "$folder" "$root" -Dwerror=true "$@" || return 1
    ! grep 'WARNING.*left out' "$folder/meson-logs/meson-log.txt"
}

build_plain() {
    configure "$plain" gcc g++ && ninja -C "$plain"
}

build_sanitized() {
    configure "$sanitized" clang clang++ -Db_sanitize=address,undefined -Db_lundef=false && ninja -C "$sanitized"
}

# Sanitizers see C; the other languages load the plain library or WebAssembly and have run before.
test_sanitized() {
    ASAN_OPTIONS=abort_on_error=1:detect_stack_use_after_return=1 \
        UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1 \
        meson test -C "$sanitized" --no-rebuild --print-errorlogs --timeout-multiplier 4 \
        --suite core --suite oracle --suite cli --suite mcp --suite fuzz
}

rm -f "$plain"/meson-logs/testlog* "$sanitized"/meson-logs/testlog*
part 'install' sh "$root/tests/setup.sh" || end
part 'build, gcc' build_plain || end
part 'test, gcc' meson test -C "$plain" --no-rebuild --print-errorlogs
part 'build, clang with ASan and UBSan' build_sanitized || end "$plain"
part 'test, ASan and UBSan' test_sanitized
end "$plain" "$sanitized"

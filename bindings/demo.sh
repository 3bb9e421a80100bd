#!/bin/sh
# README's first command: installs what is missing, builds, and shows the guard at work.
# Works from any folder.
#
# D1GUARD_BUILD   where the build folder goes; the project's own folder if not set
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
build=${D1GUARD_BUILD:-$root}/build-demo

sh "$root/tests/setup.sh" build >&2
[ -f "$build/build.ninja" ] || meson setup --buildtype=release "$build" "$root" >&2
ninja -C "$build" bindings/cli/d1guard >&2

# The samples: each is allowed or refused, as its name says.
for file in "$root"/bindings/cli/sample/*.sql; do
    printf '\n%s\n' "== $(basename "$file")"
    cat "$file"
    status=0
    "$build/bindings/cli/d1guard" check "$file" || status=$?
    case $(basename "$file") in
    allowed-*) [ $status -eq 0 ] ;;
    *) [ $status -eq 1 ] ;;
    esac || exit 1
done

printf '\n== allowed-report.sql, capped to 5 rows\n'
"$build/bindings/cli/d1guard" cap --rows 5 "$root/bindings/cli/sample/allowed-report.sql"

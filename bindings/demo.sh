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
ninja -C "$build" bindings/cli/d1guard bindings/mcp/d1guard-mcp >&2

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

# The MCP server on its sample database, asked as an AI client asks it.
printf '\n%s\n' "== d1guard-mcp --demo, over the protocol"
call='{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"query","arguments":{"sql":"%s"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
ask() {
    request=$(printf "$call" "$1" "$2")
    answer=$(printf '%s\n' "$request" | "$build/bindings/mcp/d1guard-mcp" --demo)
    printf -- '-> %s\n<- %s\n' "$request" "$answer"
    printf '%s' "$answer" | grep -q "$3" || exit 1
}
ask 1 'SELECT status, count(*) AS orders FROM orders GROUP BY status' '"rows":\[\["open",10\]'
ask 2 'WITH old AS (SELECT 1) DELETE FROM orders' SQL_BLOCKED

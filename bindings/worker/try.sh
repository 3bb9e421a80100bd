#!/bin/sh
# The Worker on this machine, without an account: installs what is missing, builds the guard, and serves
# the sample database until Ctrl-C. Works from any folder.
#
# try.sh [PORT]     8787 if not given
#
# D1GUARD_BUILD     where the build folder goes; the project's own folder if not set
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=${D1GUARD_BUILD:-$root}/build-demo

sh "$root/tests/setup.sh" >&2
[ -f "$build/build.ninja" ] || meson setup --buildtype=release "$build" "$root" >&2
ninja -C "$build" bindings/node/workerd.js bindings/node/d1guard.wasm >&2
exec "$root/tests/deps/worker/node_modules/.bin/node" --import "$here/local/deps.mjs" "$here/local/try.mjs" "$build" "$@"

#!/bin/sh
# Installs what building and testing needs: Debian or Ubuntu packages, and npm packages at pinned
# versions in tests/deps. What is there already is left alone, so a second run takes a second.
# `setup.sh build` installs only what building needs.
set -eu
cd "$(dirname "$0")"
mkdir -p deps

fail() {
    echo "tests/setup.sh: $*" >&2
    exit 1
}

# apt_install PACKAGE...
apt_install() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    command -v apt-get >/dev/null || fail "there is no apt-get here; install these some other way:$missing"
    as_root=
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || fail "neither root nor sudo to install:$missing"
        as_root=sudo
    fi
    $as_root apt-get update -q || fail "apt-get update failed; still missing:$missing"
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing ||
        fail "apt-get could not install:$missing"
}

# sqlite VERSION PACKAGE SHA256: deps/sqlite-VERSION/sqlite3.c and .h, the one-file SQLite that this
# version of better-sqlite3 carries. Only unpacked: no script of the package runs.
sqlite() {
    if sqlite_is "deps/sqlite-$1" "$3"; then
        return
    fi
    rm -rf "deps/sqlite-$1" deps/unpack
    mkdir deps/unpack
    (cd deps/unpack && npm pack --silent "better-sqlite3@$2" >/dev/null && tar xzf ./*.tgz) ||
        fail "npm could not fetch better-sqlite3@$2, which carries SQLite $1"
    mkdir deps/unpack/sqlite
    if [ -f deps/unpack/package/deps/sqlite3.tar.gz ]; then
        tar xzf deps/unpack/package/deps/sqlite3.tar.gz -C deps/unpack/sqlite
    else
        cp deps/unpack/package/deps/sqlite3/sqlite3.[ch] deps/unpack/sqlite
    fi
    sqlite_is deps/unpack/sqlite "$3" || fail "the SQLite $1 in better-sqlite3@$2 is not the pinned one"
    mv deps/unpack/sqlite "deps/sqlite-$1"
    rm -rf deps/unpack
}

# sqlite_is FOLDER SHA256: does it hold that sqlite3.c?
sqlite_is() {
    [ -f "$1/sqlite3.h" ] && echo "$2  $1/sqlite3.c" | sha256sum --check --status 2>/dev/null
}

# npm_packages FOLDER PACKAGE...: deps/FOLDER/node_modules, at those versions and no others.
npm_packages() {
    folder=deps/$1
    shift
    [ "$(cat "$folder/installed" 2>/dev/null)" != "$*" ] || return 0
    mkdir -p "$folder"
    echo '{"private": true}' >"$folder/package.json"
    # Some say that they want a newer Node than is here: they are run by the one that comes with them.
    npm install --prefix "$folder" --no-package-lock --no-audit --no-fund --loglevel=error --save-exact "$@" ||
        fail "npm could not install: $*"
    echo "$*" >"$folder/installed"
}

# The library and its programs: enough to build.
apt_install ca-certificates gcc g++ libc6-dev meson ninja-build pkg-config python3 \
    libcmocka-dev libjansson-dev libsqlite3-dev libcurl4-openssl-dev
[ "${1-}" != build ] || exit 0

# Their tests.
apt_install clang libclang-rt-dev binutils cmake
command -v npm >/dev/null || apt_install nodejs npm

# SQLite as a witness: the oldest version promised, two on either side of known changes, the newest.
sqlite 3.31.1  6.0.1 610157e869b503e6897a829dd9404498acaf3c0fdd64960bf8a4e575650bc9e5
sqlite 3.38.5  7.5.3 76a7ec491d14c6837e300f78940ee5f40d8f63b180e639ee5290231c841a8406
sqlite 3.45.1  9.4.3 a760118a161b77a79dd9acdd16af324ed059e70d1e7571c504966fc2e40712cc
sqlite 3.54.1 13.2.0 75a4760a7b9727a4c4c877aec92eacf39e52a8f2921ce00bd33be6d3a8e8e254

# The Worker: its SDK and tools, the MCP project's own client, inspector and conformance suite, and the
# Node that these need.
npm_packages worker node@22.23.3 miniflare@4.20260730.0 wrangler@4.116.0 esbuild@0.28.1 typescript@7.0.2 \
    @cloudflare/workers-types@5.20261117.1 @modelcontextprotocol/server@2.4.0 \
    @modelcontextprotocol/client@2.4.0 @modelcontextprotocol/sdk@1.32.2 \
    @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 playwright-core@1.65.1
apt_install chromium fonts-dejavu-core

# The bindings: WebAssembly's compiler and linker, Python's packaging and types, the oldest Node promised
# (the newer one, miniflare and TypeScript come with the Worker's), Deno, Bun, and the parsers of the
# benchmark.
apt_install clang-19 lld-19 binaryen python3-setuptools python3-wheel python3-build mypy chromium
npm_packages bindings node@20.20.2 deno@2.9.6 bun@1.4.5 node-sql-parser@5.4.0 sql-parser-cst@0.42.1 \
    @guanmingchiu/sqlparser-ts@0.62.0

# The MCP server: the SDK that most installed clients are built with. The newer client, the inspector,
# miniflare and their Node come with the Worker's.
npm_packages mcp @modelcontextprotocol/sdk@1.32.2

# The library on other machines: 32-bit ARM, big-endian s390x, musl; threads; the ABI; coverage.
apt_install clang-19 llvm-19 libclang-rt-19-dev gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
    qemu-user-static musl-tools abigail-tools

# The proofs, where the archive has Frama-C.
! apt-cache show frama-c-base >/dev/null 2>&1 || apt_install frama-c-base why3 cvc4 z3

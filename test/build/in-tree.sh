#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds dml as contrib/dml of Debian's ns-3 source and runs its suites and its program there.
# usage: in-tree.sh FOLDER    everything goes to FOLDER; a second run continues there
# "./dml test --in-tree" calls this after it has installed the packages.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
WORK=$(realpath -m "${1:?usage: in-tree.sh FOLDER}")
mkdir -p "$WORK"

source "$ROOT/cmake/ns3-source.sh"

need_ns3_source
cd "$TREE"

# Links to what the repository holds, but not to its build folders: this tree may lie in one of them,
# and ns-3's script would follow the circle.
rm -rf contrib/dml
mkdir contrib/dml
for entry in "$ROOT"/*; do
    case ${entry##*/} in
    build | build-* | results) ;;
    *) ln -s "$entry" contrib/dml ;;
    esac
done

# ns-3 keeps absolute paths: a tree that moved is configured anew.
if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$TREE" cmake-cache/CMakeCache.txt; then
    rm -rf cmake-cache build .lock-ns3*
fi
if [[ ! -e cmake-cache/build.ninja ]]; then
    quietly configure.log "configuring ns-$(cat VERSION) with contrib/dml" \
        ./ns3 configure --enable-tests --enable-examples --enable-modules=dml,csma \
        --filter-module-examples-and-tests=dml -G Ninja
fi
quietly build.log "building it, the modules that dml needs only" \
    ninja -C cmake-cache -j "$(nproc)"

passed=0
failed=0
# try NAME COMMAND...: one test.
try()
{
    local log=$WORK/$1.log
    if "${@:2}" >"$log" 2>&1; then
        passed=$((passed + 1))
        say "passed: $1"
    else
        failed=$((failed + 1))
        say "failed: $1; the last lines of $log:"
        tail -n 40 "$log" >&2
    fi
}

try test.py ./test.py --no-build -s dml
try program ./ns3 run --no-build "dml check $ROOT/scenarios/alexnet-1gbps"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]

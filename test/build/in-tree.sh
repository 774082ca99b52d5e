#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds dml as contrib/dml of an ns-3 tree and runs its suites and its program there.
# usage: in-tree.sh FOLDER [RELEASE|TREE]    RELEASE, 3.48 for example: Debian's source of it; TREE: a
# copy of that folder; neither: the source of the installed ns-3. Each has a folder of its own in
# FOLDER; a second run continues there
# "./dml test --in-tree" calls this after it has installed the packages.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
USAGE="usage: in-tree.sh FOLDER [RELEASE|TREE]"
# Besides dml csma: ns-3 links its own tests of TCP, which need it, into the program that runs all suites.
MODULES=dml,csma
# Compiles in 0.6 of the time that ns-3's own -O2 -g takes.
FLAGS=-O1
FOLDER=$(realpath -m "${1:?$USAGE}")
WHICH=${2-}

source "$ROOT/cmake/ns3-source.sh"

refuse()
{
    say "--in-tree: found '$WHICH'$1; accepted: a release such as 3.48, of which Debian has the source," \
        "or the folder of an ns-3 tree, 3.35 or later"
    exit 2
}

# Sets WORK and TREE.
need_tree()
{
    local from release
    if [[ -z $WHICH || $WHICH =~ ^[0-9]+(\.[0-9]+)+$ && ! -d $WHICH ]]; then
        release=${WHICH:-$(dpkg-query -W -f '${Version}' ns3 | sed 's/-[^-]*$//')}
        WORK=$FOLDER/$release
        mkdir -p "$WORK"
        need_ns3_source "$WHICH"
        return
    fi
    [[ -d $WHICH ]] || refuse ", which is neither"
    from=$(readlink -f "$WHICH")
    [[ -e $from/VERSION && ( -e $from/ns3 || -e $from/waf ) ]] ||
        refuse ", which has no VERSION with a script ns3 or waf"
    release=$(<"$from/VERSION")
    [[ ! $release =~ ^3\.([0-9]|[12][0-9]|3[0-4])(\.|$) ]] || refuse ", which is ns-$release"
    WORK=$FOLDER/tree-$release
    mkdir -p "$WORK"
    copy_tree "$from"
}

# Links to what the repository holds, but not to its build folders: this tree may lie in one of them,
# and ns-3's script would follow the circle.
link_module()
{
    local entry
    rm -rf contrib/dml
    mkdir contrib/dml
    for entry in "$ROOT"/*; do
        case ${entry##*/} in
        build | build-* | results) ;;
        *) ln -s "$entry" contrib/dml ;;
        esac
    done
}

# The examples besides the program.
examples()
{
    basename -s .cc "$ROOT"/examples/*.cc | grep -vx dml
}

# ns-3.36 and later. ns-3 keeps absolute paths: a tree that moved is configured anew.
build_with_cmake()
{
    if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$TREE" cmake-cache/CMakeCache.txt; then
        rm -rf cmake-cache build .lock-ns3*
    fi
    if [[ ! -e cmake-cache/build.ninja ]]; then
        quietly configure.log "configuring ns-$(<VERSION) with contrib/dml" \
            ./ns3 configure --enable-tests --enable-examples --enable-modules=$MODULES \
            --filter-module-examples-and-tests=dml -G Ninja \
            -- -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$FLAGS"
    fi
    # ns-3's script has CMake tell of variables that are not set.
    if grep -A 8 '^CMake Warning.* at contrib/dml/' "$WORK/configure.log" >"$WORK/warnings"; then
        say "CMake warns of contrib/dml:"
        cat "$WORK/warnings" >&2
        exit 1
    fi
    # The program's target has the build profile in its name: see examples/CMakeLists.txt.
    # shellcheck disable=SC2046
    quietly build.log "building it, the modules that dml needs only" \
        ninja -C cmake-cache -j "$(nproc)" test-runner dml-default $(examples)
    RUN=(./ns3 run --no-build)
}

# ns-3.35. waf's --targets would leave out the staging of headers, and find those of an installed ns-3.
build_with_waf()
{
    if [[ ! -e build/c4che/_cache.py ]]; then
        quietly configure.log "configuring ns-$(<VERSION) with contrib/dml" \
            ./waf configure --build-profile=release --enable-asserts --enable-logs \
            --disable-werror --disable-python --enable-tests --enable-examples --enable-modules=$MODULES
    fi
    quietly build.log "building it, the modules that dml needs and their examples" \
        ./waf build -j "$(nproc)"
    RUN=(./waf --run-no-build)
}

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

need_tree
cd "$TREE"
link_module
if [[ -e ns3 ]]; then
    build_with_cmake
else
    build_with_waf
fi
try test.py ./test.py "$([[ -e ns3 ]] && echo --no-build || echo --nowaf)" -s 'dml-*' --text="$WORK/cases"
try program "${RUN[@]}" "dml check $ROOT/scenarios/alexnet-1gbps"
say "ns-$(<VERSION): $(grep -c '^ *PASS: Test Case' "$WORK/cases.txt") test cases passed," \
    "compiled by $(c++ -dumpfullversion -dumpversion)"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Which ns-3 "./dml build" chooses, with made-up tools in the place of apt, CMake, ninja and the compiler: what was built
# last is what later commands use, and they say so; an optimised ns-3 that is damaged, or was made for another processor
# or release, is built again, with the program; and there is a way back.
# usage: dml-build-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/made-up-tools.sh"
cp "$ROOT"/cmake/{build-ns3,ns3-source}.sh "$ROOT/cmake/dml-ns3.cmake" "$ROOT/cmake/dml-sources.cmake" "$TREE/cmake"

# tool_here NAME: as tool, but it runs in WORK
tool_here()
{
    { echo "cd $WORK" && cat; } | tool "$1"
}

# All packages are there. The source of ns-3 is downloaded, of one release.
echo 3.37-2 >release
tool_here dpkg-query <<'END'
[[ "$*" != *' ${Version} '* && "$*" != *'{Version} ns3' ]] || { cat release && exit; }
for package; do echo "installed $package"; done
END
tool_here apt-get <<'END'
[[ "$*" != *--download-only* || ! -e offline ]] || exit 100
[[ "$*" != *--download-only* ]] || touch "tree/build/ns3/ns3_$(<release).dsc"
END
tool_here apt-cache <<<'echo "*** 500 http://archive.example/debian bookworm/main"'
tool_here dpkg-source <<'END'
header=tree/build/ns3/unpacked/src/mpi/model/granted-time-window-mpi-interface.h
mkdir -p "${header%/*}"
echo 'MAX_MPI_MSG_SIZE = 2000;' >"$header"
cp release tree/build/ns3/unpacked/VERSION
END
echo '#define __VERSION__ "12"' >macros
tool_here c++ <<<'cat macros'
tool_here cmake <<'END'
case "$1 $*" in
--install*)
    mkdir -p tree/build/ns3-optimized/lib
    echo "ns-3 $(<release) for $(<macros)" >tree/build/ns3-optimized/lib/libns3-core.so
    ;;
-S*)
    options=$(printf '%s\n' "$@" | sed -n 's/^-D\(.*\)=ON$/\1:BOOL=ON/p')
    source=$2
    while [[ $1 != -B ]]; do shift; done
    mkdir -p "$2" && touch "$2/build.ninja"
    printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$source" "$options" >"$2/CMakeCache.txt"
    echo "configured ${2#"$PWD/tree/"}" >>done.txt
    ;;
esac
END
tool_here ninja <<'END'
[[ $1 == -C ]] || exit 1
case " $* " in
*" -t clean "*) rm -f "$2/dml" && echo "cleaned ${2#"$PWD/tree/"}" >>done.txt ;;
*" -n "*) [[ -e $2/dml ]] && echo "ninja: no work to do." || echo "[1/1] dml" ;;
*)
    [[ $2 == */ns3/* ]] || { printf '#!/bin/sh\necho "%s: $*"\n' "${2#"$PWD/tree/"}" >"$2/dml" && chmod +x "$2/dml"; }
    echo "built ${2#"$PWD/tree/"}" >>done.txt
    ;;
esac
END

# try ARGUMENT...: runs ./dml; what was configured, built and cleaned is in done.txt
try()
{
    code=0
    : >done.txt
    PATH="$WORK/bin:$PATH" DML_BUILD='' "$TREE/dml" "$@" >out.txt 2>err.txt </dev/null || code=$?
}

# did LINE...: the last command succeeded and did exactly that
did()
{
    [[ $code == 0 ]] || fail "exit code $code"
    [[ $(<done.txt) == "$(printf '%s\n' "$@")" ]] || fail "did $(cat done.txt), not $*"
}
ALL=("configured build/ns3/optimized" "built build/ns3/optimized")
AGAIN=("cleaned build-optimized" "built build-optimized")
SAYS="dml: with the ns-3 of build-optimized, without its asserts (./dml build --default goes back to the installed one)"

# Without one the installed ns-3 is used, and nothing is said of it.
try build
did "configured build" "built build"
! grep -q 'with the ns-3 of' err.txt || fail "says what nobody chose"

try build --optimized-ns3
did "${ALL[@]}" "configured build-optimized" "built build-optimized"
try build
did ''
grep -qxF "$SAYS" err.txt || fail "does not say which"
try run x.yaml
did ''
grep -qxF "$SAYS" err.txt || fail "does not say which"
[[ $(<out.txt) == "build-optimized: run x.yaml" ]] || fail "runs $(cat out.txt)"

# A damaged one is installed again; what is not what it was made for, too, from the start.
: >tree/build/ns3-optimized/lib/libns3-core.so
try run x.yaml
did "built build/ns3/optimized"
grep -qxF 'dml: the ns-3 of variant optimized is built again, as its files are damaged' err.txt || fail "says something else"
rm tree/build/ns3-optimized/lib/libns3-core.so
try build
did "built build/ns3/optimized"
[[ -s tree/build/ns3-optimized/lib/libns3-core.so ]] || fail "is not installed again"
echo '#define __AVX512F__ 1' >>macros
try run x.yaml
did "${ALL[@]}" "${AGAIN[@]}"
grep -qxF 'dml: the ns-3 of variant optimized is built again, as not made for: compiler and processor' err.txt ||
    fail "says something else"
: >tree/build/ns3-optimized/.complete # of an earlier version of dml
try run x.yaml
did "built build/ns3/optimized"
grep -qF 'it is not known what it was made for' err.txt || fail "says something else"

# Nor one of another release, if its source cannot be had.
echo 3.38-1 >release
touch offline
try run x.yaml
[[ $code == 1 && ! -s out.txt ]] || fail "runs with the old release"
grep -qF "not made for: Debian's ns-3 3.38-1" err.txt || fail "does not say why"
rm offline
try run x.yaml
did "${ALL[@]}" "${AGAIN[@]}"
[[ $(<tree/build/ns3-optimized/lib/libns3-core.so) == "ns-3 3.38-1 "* ]] || fail "another release"

# Back to the installed one, until the other is asked for.
try build --default
did ''
try run x.yaml
did ''
[[ $(<out.txt) == "build: run x.yaml" ]] && ! grep -q 'with the ns-3 of' err.txt || fail "not the installed one"
try build --optimized-ns3
did ''
try run x.yaml
[[ $(<out.txt) == "build-optimized: run x.yaml" ]] || fail "not the optimised one"
echo "build: chosen, kept, built again"

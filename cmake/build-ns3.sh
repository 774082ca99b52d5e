#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds Debian's ns-3 for speed: -O3 for this machine's processor, logs and asserts off, only the
# modules that dml needs; on request with ns-3's MPI module.
# usage: build-ns3.sh optimized|mpi FOLDER PREFIX    source and build go to FOLDER, the result to
# PREFIX; a second run continues there, or does nothing if all is there and still right
# "./dml" calls this with each command that uses such a build, after it has installed the packages.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/..")
USAGE="usage: build-ns3.sh optimized|mpi FOLDER PREFIX"
VARIANT=${1:?$USAGE}
WORK=$(realpath -m "${2:?$USAGE}")
PREFIX=$(realpath -m "${3:?$USAGE}")
BUILD=$WORK/$VARIANT
MADE_FOR=$BUILD/dml-made-for # what the build depends on
COMPLETE=$PREFIX/.complete   # the same of the result, and its files
mkdir -p "$WORK"
source "$ROOT/cmake/ns3-source.sh"

# As the parameter of set(DML_NS3_MODULES ...), so that there is one list.
modules()
{
    sed -n '/^set(DML_NS3_MODULES /,/)/p' "$ROOT/cmake/dml-ns3.cmake" |
        sed 's/^set(DML_NS3_MODULES//; s/)//' | tr -s ' \n' ';' | sed 's/^;//; s/;$//'
}

configure()
{
    local mpi=OFF enabled
    enabled=$(modules)
    if [[ $VARIANT == mpi ]]; then
        mpi=ON
        enabled+=";mpi"
    fi
    # No fused multiply-add: it rounds differently, and results must not depend on the build.
    cmake -S "$TREE" -B "$BUILD" -G Ninja -DCMAKE_BUILD_TYPE=release \
        -DCMAKE_CXX_FLAGS="-ffp-contract=off -fno-semantic-interposition" \
        -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
        -DCMAKE_INSTALL_RPATH="$PREFIX/lib" \
        -DNS3_OUTPUT_DIRECTORY="$BUILD/output" -DNS3_ENABLED_MODULES="$enabled" \
        -DNS3_DISABLED_MODULES=test -DNS3_MPI=$mpi -DNS3_NATIVE_OPTIMIZATIONS=ON \
        -DNS3_ASSERT=OFF -DNS3_LOG=OFF -DNS3_TESTS=OFF -DNS3_EXAMPLES=OFF \
        -DNS3_WARNINGS_AS_ERRORS=OFF -DNS3_EMU=OFF -DNS3_TAP=OFF -DNS3_GSL=OFF -DNS3_GTK3=OFF \
        -DNS3_SQLITE=OFF -DNS3_VISUALIZER=OFF
}

# ns-3 receives at most 2000 bytes per packet and aborts on a larger one. A jumbo frame has 9000,
# dml allows 65535, and what ns-3 adds for the way comes on top.
enlarge_messages()
{
    local header=src/mpi/model/granted-time-window-mpi-interface.h
    sed -i 's/MAX_MPI_MSG_SIZE = 2000;/MAX_MPI_MSG_SIZE = 131072;/' "$header"
    if ! grep -q 'MAX_MPI_MSG_SIZE = 131072;' "$header"; then
        say "$TREE/$header: found no MAX_MPI_MSG_SIZE = 2000 to enlarge; accepted: the source of ns-3.36 to 3.48"
        exit 1
    fi
}

# What a build depends on, a line each. The macros of the compiler name its version and the processor's instructions.
describe()
{
    echo "Debian's ns-3 $VERSION"
    echo "compiler and processor $(c++ -march=native -dM -E -x c++ /dev/null | cksum)"
    echo "options $({ declare -f configure enlarge_messages && modules; } | cksum)"
    echo "folder $PREFIX"
}

list_files()
{
    echo "files $(cd "$PREFIX" && find . -type f ! -name .complete -print0 | sort -z | xargs -0r cksum | cksum)"
}

# explain: why the result is not what describe() and list_files() say.
explain()
{
    local changes
    changes=$({ diff <(describe) <(grep -v '^files ' "$COMPLETE") || true; } | sed -n 's/^< //p' |
        sed -E 's/ [0-9]+ [0-9]+$//' | paste -sd, | sed 's/,/, /g')
    if [[ ! -s $COMPLETE ]]; then
        echo "it is not known what it was made for"
    else
        echo "${changes:+not made for: }${changes:-its files are damaged}"
    fi
}

VERSION=$(dpkg-query -W -f '${Version}' ns3 2>/dev/null) || true
if [[ -e $COMPLETE ]]; then
    if { describe && list_files; } | cmp -s - "$COMPLETE"; then
        exit
    fi
    say "the ns-3 of variant $VARIANT is built again, as $(explain)"
    rm -rf "$PREFIX"
fi
if [[ -e $BUILD ]] && ! describe | cmp -s - "$MADE_FOR"; then
    rm -rf "$BUILD"
fi
if compgen -G "$WORK/ns3_*.dsc" >/dev/null && [[ ! -e $WORK/ns3_${VERSION#*:}.dsc ]]; then
    rm -rf "$WORK/source"
fi

need_ns3_source
cd "$TREE"
enlarge_messages
# ns-3 keeps absolute paths: a tree that moved is configured anew.
if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$TREE" "$BUILD/CMakeCache.txt"; then
    rm -rf "$BUILD"
fi
if [[ ! -e $BUILD/build.ninja ]]; then
    quietly "configure-$VARIANT.log" "configuring ns-$(cat VERSION), variant $VARIANT" configure
    describe >"$MADE_FOR"
fi
quietly "build-$VARIANT.log" "building it (minutes)" ninja -C "$BUILD" -j "$(nproc)"
quietly "install-$VARIANT.log" "installing it in $PREFIX" cmake --install "$BUILD"
{ describe && list_files; } >"$COMPLETE"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Which installed ns-3 the build takes, and with which C++: configures against made-up ones.
# usage: ns3-choice-test.sh

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

fail()
{
    echo "ns3-choice-test: $*" >&2
    exit 1
}

# make_ns3 PREFIX VERSION LEAST: an ns-3 whose headers want the C++ of at least __cplusplus LEAST.
make_ns3()
{
    local prefix=$WORK/$1 package=$WORK/$1/lib/cmake/ns3
    mkdir -p "$package" "$prefix/include/ns3"
    touch "$prefix/lib/libempty.so" "$prefix/include/ns3/network-module.h"
    printf '#if __cplusplus < %s\n#error too old\n#endif\n' "$3" >"$prefix/include/ns3/core-module.h"
    cat >"$package/ns3Config.cmake" <<END
foreach(_module core network internet point-to-point applications traffic-control flow-monitor)
    add_library(ns3::\${_module} SHARED IMPORTED)
    set_target_properties(
        ns3::\${_module} PROPERTIES IMPORTED_LOCATION "$prefix/lib/libempty.so"
                                   INTERFACE_INCLUDE_DIRECTORIES "$prefix/include"
    )
endforeach()
END
    # As ns-3 does: only exactly this version is compatible.
    cat >"$package/ns3ConfigVersion.cmake" <<END
set(PACKAGE_VERSION $2)
if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
END
}

# All in one folder, so that each has to notice that the prefix is another one.
configure()
{
    cmake -S "$ROOT" -B "$WORK/build" -G Ninja -DDML_TESTS=OFF -DDML_EXAMPLES_ALL=OFF \
        -DCMAKE_PREFIX_PATH="$WORK/$1" >"$WORK/log" 2>&1
}

# takes PREFIX VERSION FLAG
takes()
{
    configure "$1" || fail "ns-$2 is refused: $(<"$WORK/log")"
    grep -qF -- "-- ns-$2 of $WORK/$1/lib/cmake/ns3" "$WORK/log" || fail "took another: $(<"$WORK/log")"
    # a blank in the folder is quoted twice there
    sed 's/\$ / /g; s/"//g' "$WORK/build/build.ninja" |
        grep -E -- "-isystem $WORK/$1/include( |$)" >"$WORK/found" || fail "ns-$2: other headers"
    grep -qE -- "FLAGS = .*-std=$3( |$)" "$WORK/build/build.ninja" || fail "ns-$2 is not compiled as $3"
}

# refuses PREFIX WORDS
refuses()
{
    ! configure "$1" || fail "$1 is accepted"
    tr -s ' \n' ' ' <"$WORK/log" | grep -qF "$2" || fail "$1: $(<"$WORK/log")"
}

make_ns3 old 3.37 201703L
make_ns3 middle 3.41 201703L
make_ns3 new 3.46 202002L
make_ns3 eager 3.42 202100L
make_ns3 ancient 3.35 201703L
mkdir "$WORK/none"

takes old 3.37 'c\+\+17'
takes middle 3.41 'c\+\+20'
takes new 3.46 'c\+\+(23|2b)'
takes eager 3.42 'c\+\+(23|2b)' # its headers want more than its release started with
refuses none "There is no ns-3 (ns3Config.cmake) in CMAKE_PREFIX_PATH, which is $WORK/none"
refuses ancient "is ns-3.35; accepted: ns-3.36 and later"

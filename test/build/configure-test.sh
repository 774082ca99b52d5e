#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# What CMake makes of its options and of what it finds, without building: folders of GNUInstallDirs, protobuf by its
# own files for CMake, which name what its library needs, and tcmalloc for the program only.

set -euo pipefail
ROOT=${DML_ROOT:-$(dirname "$(readlink -f "$0")")/../..}
ROOT=$(readlink -f "$ROOT")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR

fail()
{
    echo "FAILED: $*"
    exit 1
}

# As protobuf 22 and later install them: a target that brings libraries of Abseil, and the compiler of that version.
mkdir "$WORK/protobuf"
cat >"$WORK/protobuf/protobuf-config.cmake" <<'END'
add_library(absl::log INTERFACE IMPORTED)
set_target_properties(absl::log PROPERTIES INTERFACE_LINK_LIBRARIES "-labsl_log_of_this_test")
add_library(protobuf::libprotobuf INTERFACE IMPORTED)
set_target_properties(protobuf::libprotobuf PROPERTIES INTERFACE_LINK_LIBRARIES "-lprotobuf;absl::log")
add_executable(protobuf::protoc IMPORTED)
set_target_properties(protobuf::protoc PROPERTIES IMPORTED_LOCATION /protoc/of/this/test)
END
cmake -S "$ROOT" -B "$WORK/build" -G Ninja -DDML_TESTS=OFF -DDML_EXAMPLES_ALL=OFF -Dprotobuf_DIR="$WORK/protobuf" \
    -DCMAKE_INSTALL_PREFIX=/opt/dml -DCMAKE_INSTALL_BINDIR=programs -DCMAKE_INSTALL_LIBDIR=lib64 \
    -DCMAKE_INSTALL_INCLUDEDIR=headers -DCMAKE_INSTALL_DATADIR=data -DCMAKE_INSTALL_MANDIR=pages \
    -DCMAKE_INSTALL_DOCDIR=texts -DDML_tcmalloc_minimal_LIBRARY=/tcmalloc/of/libtest.so >"$WORK/out" 2>&1 || fail "$(<"$WORK/out")"
! grep -q Warning "$WORK/out" || fail "$(<"$WORK/out")"

# has FILE TEXT
has()
{
    grep -qF -- "$2" "$WORK/build/$1" || fail "no '$2' in $1"
}
has build.ninja "-lprotobuf  -labsl_log_of_this_test"
has build.ninja "/protoc/of/this/test --proto_path"
has build.ninja 'DML_DATA_FOLDER=\"../data/dml\"'
for folder in programs lib64/dml lib64/cmake/dml lib64/pkgconfig headers/dml/ns3 data/dml data/bash-completion/completions \
    texts texts/examples; do
    has cmake_install.cmake "\${CMAKE_INSTALL_PREFIX}/$folder\""
done
has cmake_install.cmake "\${CMAKE_INSTALL_PREFIX}/pages\""
has cmake_install.cmake "\$ORIGIN/../lib64/dml"
! grep -E 'CMAKE_INSTALL_PREFIX\}/(bin|lib|include|share)[/"]' "$WORK/build/cmake_install.cmake" ||
    fail "folders that were not asked for"
has dml.pc 'prefix=${pcfiledir}/../..'
has dml.pc 'libdir=${prefix}/lib64'
has dml.pc '-I${includedir}/dml '

# linked LIBRARY: which targets are linked with it
linked()
{
    awk -v library="$1" '/^build [^ ]*: CXX_.*_LINKER/ && index($0, library) { print $2 }' "$WORK/build/build.ninja"
}
[[ $(linked /tcmalloc/of/libtest.so) == dml: ]] || fail "tcmalloc in: $(linked /tcmalloc/of/libtest.so)"
[[ $(linked libnghttp2) == *libdml.so:* ]] || fail "libraries are not found here"
for option in DML_TCMALLOC=OFF DML_SANITIZE=ON; do
    cmake -D$option "$WORK/build" >"$WORK/out" 2>&1 || fail "$(<"$WORK/out")"
    [[ -z $(linked /tcmalloc/of/libtest.so) ]] || fail "tcmalloc with $option"
    cmake -DDML_TCMALLOC=ON "$WORK/build" >"$WORK/out" 2>&1
done
echo "what CMake was told, it does"

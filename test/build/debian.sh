#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs a release of Debian into a folder, and there builds dml as its users do, with its compiler,
# its ns-3 and its libraries, and runs suites and program.
# usage: debian.sh FOLDER SUITE [--suites]    SUITE: trixie, forky ...; --suites: builds no unit tests, and runs
# the suites only. A second run continues in FOLDER/SUITE
# "./dml test --debian=SUITE" calls this after it has installed the packages. It changes its root
# folder, so it must be run by root.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
USAGE="usage: debian.sh FOLDER SUITE [--suites]"
FOLDER=$(realpath -m "${1:?$USAGE}")
SUITE=${2:?$USAGE}
WORK=$FOLDER/$SUITE
# The tests that depend on ns-3, compiler and libraries.
TESTS='^(suite|unit|fuzz)\.|^program\.dml-(cli|trace|import)-test$'

source "$ROOT/cmake/ns3-source.sh"
source "$ROOT/test/build/debian-root.sh"

if [[ ! $SUITE =~ ^[a-z]+$ ]]; then
    say "--debian: found '$SUITE'; accepted: the name of a release with ns-3.36 or later, such as trixie"
    exit 2
fi
need_root --debian "$WORK"

mkdir -p "$WORK"
[[ -d $WORK/root ]] || quietly install.log "installing Debian $SUITE" install_release "$SUITE" "$WORK/root"
copy_repository "$WORK/root/dml"
if [[ ${3-} == --suites ]]; then
    inside "$WORK/root" /dml/dml test --suites
else
    inside "$WORK/root" /dml/dml test --no-examples -R "$TESTS"
fi
say "Debian $SUITE: $(inside "$WORK/root" /dml/dml --version | tr '\n' ' '), $(inside "$WORK/root" c++ --version | head -n 1)"

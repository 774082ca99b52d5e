#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the Debian package of a build.
# usage: make.sh BUILD FOLDER    prints the path of the package, FOLDER/dml_VERSION_ARCHITECTURE.deb
# "./dml package" calls this after it has built the program. From the environment: DEBFULLNAME and
# DEBEMAIL, who makes the package; SOURCE_DATE_EPOCH, the time of its files, by default that of the commit.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
USAGE="usage: make.sh BUILD FOLDER"
BUILD=$(readlink -f "${1:?$USAGE}")
FOLDER=${2:?$USAGE}

source "$ROOT/cmake/ns3-source.sh"

mkdir -p "$FOLDER"
WORK=$BUILD # of the log
TREE=$(mktemp -d)
trap 'rm -rf "$TREE"' EXIT
umask 022
export DEBFULLNAME=${DEBFULLNAME:-The dml authors} DEBEMAIL=${DEBEMAIL:-dml@users.noreply.invalid}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$ROOT" log -1 --format=%ct 2>/dev/null ||
    stat -c %Y "$ROOT/VERSION")}
export SOURCE_DATE_EPOCH

quietly package.log "making the package" cpack -G DEB --config "$BUILD/CPackConfig.cmake" -B "$TREE" \
    -D CPACK_PACKAGE_CONTACT="$DEBFULLNAME <$DEBEMAIL>"
for package in "$TREE"/dml_*.deb; do
    mv "$package" "$FOLDER"
    echo "$FOLDER/${package##*/}"
done

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs a release of Debian into a folder, and there builds dml as its users do, with its compiler,
# its ns-3 and its libraries, and runs suites and program.
# usage: debian.sh FOLDER SUITE    SUITE: trixie, forky ...; a second run continues in FOLDER/SUITE
# "./dml test --debian=SUITE" calls this after it has installed the packages. It changes its root
# folder, so it must be run by root.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
USAGE="usage: debian.sh FOLDER SUITE"
FOLDER=$(realpath -m "${1:?$USAGE}")
SUITE=${2:?$USAGE}
WORK=$FOLDER/$SUITE
# The tests that depend on ns-3, compiler and libraries.
TESTS='^(suite|unit|fuzz)\.|^program\.dml-(cli|trace|import)-test$'

source "$ROOT/cmake/ns3-source.sh"

if [[ ! $SUITE =~ ^[a-z]+$ ]]; then
    say "--debian: found '$SUITE'; accepted: the name of a release with ns-3.36 or later, such as trixie"
    exit 2
fi
if [[ $EUID -ne 0 ]]; then
    say "--debian needs root: it installs a whole Debian into $WORK and runs there"
    exit 2
fi

# The new Debian comes from where this machine's has come.
install_release()
{
    rm -rf "$WORK/partial"
    debootstrap --variant=minbase "$SUITE" "$WORK/partial" "$(ns3_uri)"
    mv "$WORK/partial" "$WORK/root"
}

# inside COMMAND...: runs it in that Debian, with processes and mounts of its own, which end with it.
inside()
{
    # shellcheck disable=SC2016
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        unshare --mount --pid --fork --kill-child \
        sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev/pts "$0/dev/pts" && exec chroot "$0" "$@"' \
        "$WORK/root" "$@"
}

copy_repository()
{
    mkdir -p "$WORK/root/dml"
    tar -C "$ROOT" --exclude='./build*' --exclude=./results --exclude=./.git -cf - . |
        tar -C "$WORK/root/dml" -xf -
}

mkdir -p "$WORK"
[[ -d $WORK/root ]] || quietly install.log "installing Debian $SUITE" install_release
copy_repository
inside /dml/dml test --no-examples -R "$TESTS"
say "Debian $SUITE: $(inside /dml/dml --version | tr '\n' ' '), $(inside c++ --version | head -n 1)"

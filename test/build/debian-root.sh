# shellcheck shell=bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# To be sourced by tests that install a release of Debian into a folder and run there, after
# cmake/ns3-source.sh. The caller has set ROOT, the repository.

# need_root OPTION FOLDER
need_root()
{
    [[ $EUID -ne 0 ]] || return 0
    say "$1 needs root: it installs a whole Debian into $2 and runs there"
    exit 2
}

# install_release SUITE FOLDER: from where this machine's Debian has come. A suite that is newer than this
# machine's debootstrap is installed as sid is.
install_release()
{
    local script=()
    rm -rf "$2.partial"
    [[ -e /usr/share/debootstrap/scripts/$1 ]] || script=(sid)
    debootstrap --variant=minbase "$1" "$2.partial" "$(ns3_uri)" "${script[@]}"
    mv "$2.partial" "$2"
}

# inside FOLDER COMMAND...: runs it in that Debian, with processes and mounts of its own, which end with it.
inside()
{
    # shellcheck disable=SC2016
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 \
        unshare --mount --pid --fork --kill-child \
        sh -c 'mount -t proc proc "$0/proc" && mount --bind /dev/pts "$0/dev/pts" && exec chroot "$0" "$@"' "$@"
}

# copy_repository FOLDER
copy_repository()
{
    mkdir -p "$1"
    tar -C "$ROOT" --exclude='./build*' --exclude=./results --exclude=./.git -cf - . | tar -C "$1" -xf -
}

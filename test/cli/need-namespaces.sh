# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Sourced by tests that run real processes: skips them where there are no network namespaces.

PATH=$PATH:/usr/sbin:/sbin
for program in ip tc; do
    if ! command -v $program >/dev/null; then
        echo "skipped: $program is not installed (Debian package iproute2)"
        exit 77
    fi
done
if ! unshare --net true 2>/dev/null && ! unshare --user --map-root-user --net true 2>/dev/null; then
    echo "skipped: this system allows no network namespaces"
    exit 77
fi

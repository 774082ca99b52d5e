#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# tcmalloc, where the program is linked with it: it serves the program, its library and what is loaded, gives the results
# of glibc's malloc, and where memory ends the program says so. Libraries are not linked with it.
# usage: dml-malloc-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
BUILD=$(dirname "$PROGRAM")
"$PROGRAM" --version | grep -q '^malloc tcmalloc (.*)$' || { echo "skipped: without tcmalloc"; exit 77; }

for library in "$BUILD"/libdml*.so; do
    ! ldd "$library" | grep -q tcmalloc || fail "$library chooses the allocator of those who link it"
done

# Who asks for memory, and who serves it: "program: tcmalloc_minimal".
shrink
shorten
LD_DEBUG=bindings LD_DEBUG_OUTPUT=bindings "$PROGRAM" run tiny.yaml --engine=packet --jobs 1 --set 'job.workers=[1]' \
    --out tcmalloc >out.txt 2>err.txt || fail "$(cat err.txt)"
sed -nE "s#.*binding file (.*/)?([^/ ]+) \[0\] to (.*/)?([^/ ]+) \[0\]: normal symbol .(malloc|free|_Znwm|_ZdlPvm)'.*#\2: \4#p" \
    bindings.* | sort -u >served.txt
for user in dml libdml.so libstdc++.so.6; do
    grep -q "^$user: libtcmalloc_minimal" served.txt || fail "tcmalloc does not serve $user: $(cat served.txt)"
done
! grep -v ': libtcmalloc_minimal' served.txt || fail "somebody else serves these"

LD_PRELOAD="libstdc++.so.6 libc.so.6" "$PROGRAM" run tiny.yaml --engine=packet --jobs 1 --set 'job.workers=[1]' \
    --out glibc >out.txt 2>err.txt || fail "$(cat err.txt)"
for file in steps.csv transfers.csv network.csv throughput.csv; do
    cmp "tcmalloc/$file" "glibc/$file" || fail "other results"
done

# 100000 workers have more than 200 MB.
code=0
(ulimit -v 200000 && exec "$PROGRAM" run tiny.yaml --engine=fair-share --jobs 1 --set 'job.workers=[100000]' --out many) \
    >out.txt 2>err.txt || code=$?
[[ $code == 1 ]] && grep -q 'there is not enough memory; accepted: a smaller input' err.txt || fail "$code: $(cat err.txt)"
echo "malloc: tcmalloc"

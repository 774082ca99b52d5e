#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# cmake/ns3-source.sh and what in-tree.sh refuses, without a download.
# usage: ns3-source-test.sh

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

source "$ROOT/cmake/ns3-source.sh"

fail()
{
    echo "ns3-source-test: $*" >&2
    exit 1
}

# expect WHAT FOUND WANTED
expect()
{
    [[ $2 == "$3" ]] || fail "$1: found
$2
wanted
$3"
}

# The archive of ns-3 among others, one of whose names begins with its name, in both formats.
APT_SETTINGS=$WORK/settings
mkdir -p "$APT_SETTINGS/sources.list.d"
cat >"$APT_SETTINGS/sources.list" <<'END'
deb [signed-by=/keys/a.gpg] http://archive.example/debian bookworm main contrib
deb http://archive.example/debian/ bookworm-updates main contrib
# deb http://archive.example/debian unused main
deb http://archive.example/debian-security bookworm-security main
END
cat >"$APT_SETTINGS/sources.list.d/more.sources" <<'END'
Types: deb
URIs: http://archive.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /keys/b.gpg

Types: deb
URIs: http://archive.example/debian-security
Suites: bookworm-security
Components: main

Enabled: no
Types: deb
URIs: http://archive.example/debian
Suites: off
Components: main
END
ns3_uri()
{
    echo http://archive.example/debian
}

# The first two lines differ in their options: both stay. "/debian/" is the same archive.
write_source_entries trixie
expect "one-line entries" "$(<"$WORK/apt/parts/dml.list")" \
    "deb-src [signed-by=/keys/a.gpg] http://archive.example/debian trixie main contrib
deb-src http://archive.example/debian/ trixie main contrib"
expect "stanzas" "$(<"$WORK/apt/parts/dml.sources")" \
    "Types: deb-src
URIs: http://archive.example/debian
Suites: trixie
Components: main
Signed-By: /keys/b.gpg"
write_source_entries
expect "the machine's own suites" "$(grep -c bookworm "$WORK"/apt/parts/* | cut -d: -f2 | paste -sd' ')" "2 1"

# Two suites: the release is only in the second, in two versions, of which the last is taken.
private_apt()
{
    case "$*" in
    "apt-cache showsrc"*)
        if grep -q 'Suites: trixie' "$WORK/apt/parts/dml.sources"; then
            printf 'Package: ns3\nVersion: %s\n\n' 3.43-1 3.43-2 3.43-2 3.4-1
        else
            printf 'Package: ns3\nVersion: %s\n\n' 3.37-2
        fi
        ;;
    esac
}
DEBIAN_SUITES=(bookworm trixie)
find_source 3.43
expect "Debian's version" "$FOUND" 3.43-2
find_source 3.37
expect "Debian's version" "$FOUND" 3.37-2
if find_source 3.48 2>"$WORK/message"; then
    fail "found a source of ns-3.48"
fi
expect "what there is" "$(<"$WORK/message")" "dml: Debian has no source of ns-3.48; found:\
 3.37-2 (bookworm) 3.43-1 3.43-2 3.4-1 (trixie); another ns-3: give the path of its folder"

# A tree's copy: no build, no modules of the user, times kept, nothing left of another tree.
mkdir -p "$WORK"/{one,two}/{src/core,build/lib,contrib/mine/model,.git} "$WORK/one/extra"
touch -d 2021-02-03 "$WORK"/{one,two}/{VERSION,src/core/a.cc,build/lib/b.so,contrib/wscript} \
    "$WORK"/{one,two}/contrib/mine/model/c.cc "$WORK"/{one,two}/.git/config "$WORK/one/extra/d.cc"
copy_tree "$WORK/one"
copied()
{
    (cd "$TREE" && find . -type f | LC_ALL=C sort | paste -sd' ')
}
expect "the copy" "$(copied)" "./VERSION ./contrib/wscript ./extra/d.cc ./src/core/a.cc"
[[ ! $TREE/VERSION -nt $WORK/one/VERSION ]] || fail "the copy is newer than the tree"
touch "$TREE/built"
copy_tree "$WORK/one"
[[ -e $TREE/built ]] || fail "what was built in the copy is gone"
copy_tree "$WORK/two"
expect "the copy of another tree" "$(copied)" "./VERSION ./contrib/wscript ./src/core/a.cc"

# refused WHICH REASON
refused()
{
    local status=0
    "$ROOT/test/build/in-tree.sh" "$WORK/trees" "$1" 2>"$WORK/message" || status=$?
    expect "exit status of --in-tree=$1" $status 2
    grep -qF "dml: --in-tree: found '$1'$2; accepted: " "$WORK/message" || fail "$(<"$WORK/message")"
}
refused 3.x ", which is neither"
refused "$WORK/nowhere" ", which is neither"
refused "$WORK/one" ", which has no VERSION with a script ns3 or waf"
touch "$WORK/one/waf"
echo 3.34 >"$WORK/one/VERSION"
refused "$WORK/one" ", which is ns-3.34"

# --syntax refuses the same, and the tree stays as it is.
refused_syntax()
{
    local status=0
    "$ROOT/test/build/ns3-syntax.py" "$WORK/trees" "$1" 2>"$WORK/message" || status=$?
    expect "exit status of --syntax=$1" $status 2
    grep -qF "dml: --syntax: found '$1', which $2; accepted: " "$WORK/message" || fail "$(<"$WORK/message")"
}
refused_syntax "$WORK/nowhere" "has no VERSION with src/core"
refused_syntax "$WORK/one" "is ns-3.34"
[[ ! -e $WORK/trees ]] || fail "something was made for what was refused"

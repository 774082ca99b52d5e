#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds dml as contrib/dml of Debian's ns-3 source and runs its suites and its program there.
# usage: in-tree.sh FOLDER    everything goes to FOLDER; a second run continues there
# "./dml test --in-tree" calls this after it has installed the packages.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
WORK=$(realpath -m "${1:?usage: in-tree.sh FOLDER}")
APT=$WORK/apt
mkdir -p "$WORK"

say()
{
    printf 'dml: %s\n' "$*" >&2
}

# quietly LOG MESSAGE COMMAND...: shows the end of the log, and stops, only if the command fails.
quietly()
{
    local log=$WORK/$1 start=$SECONDS
    say "$2 (log: $log)"
    if ! "${@:3}" >"$log" 2>&1; then
        say "failed after $((SECONDS - start)) s; the last lines of $log:"
        tail -n 40 "$log" >&2
        exit 1
    fi
}

# Prints the URI from which the machine gets package ns3; a guess if its package lists are empty.
ns3_uri()
{
    local uri
    uri=$(LC_ALL=C apt-cache policy ns3 | awk '
        $1 == "***" { installed = 1; next }
        installed && $2 ~ /:/ { print $2; exit }')
    echo "${uri:-/debian}"
}

# Private apt settings: the machine's own entries of that URI turned into deb-src, with their options
# and keys. The machine's own files stay as they are.
write_source_entries()
{
    local uri
    uri=$(ns3_uri)
    rm -rf "$APT/parts"
    mkdir -p "$APT/parts" "$APT/lists/partial" "$APT/cache/archives/partial"
    # One-line entries.
    cat /dev/null /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' |
        awk -v uri="$uri" 'index($0, uri)' >"$APT/parts/dml.list" || true
    # deb822 stanzas.
    cat /dev/null /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed 's/^#.*/#/' |
        awk -v RS= -v ORS='\n\n' -v uri="$uri" '
            index($0, uri) && !/(^|\n)Enabled:[ \t]*no/ {
                sub(/Types:[^\n]*/, "Types: deb-src")
                print
            }' >"$APT/parts/dml.sources" || true
    if [[ ! -s $APT/parts/dml.list && ! -s $APT/parts/dml.sources ]]; then
        say "apt knows no archive of Debian's package ns3; add one to its sources"
        exit 1
    fi
}

private_apt()
{
    apt-get -q -y -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$APT/parts" \
        -o Dir::State::Lists="$APT/lists" -o Dir::Cache="$APT/cache" "$@"
}

download_source()
{
    local version
    version=$(dpkg-query -W -f '${Version}' ns3)
    # An entry without sources is no harm: the next command says if ns3 was not among them.
    private_apt update || true
    private_apt source --download-only "ns3=$version"
    rm -rf unpacked
    dpkg-source -x ns3_*.dsc unpacked
    mv unpacked source
}

cd "$WORK"
if [[ ! -d source ]]; then
    write_source_entries
    quietly download.log "getting the source of Debian's ns3" download_source
fi
TREE=$(echo "$WORK"/source/ns-3.*)
cd "$TREE"

# Links to what the repository holds, but not to its build folders: this tree may lie in one of them,
# and ns-3's script would follow the circle.
rm -rf contrib/dml
mkdir contrib/dml
for entry in "$ROOT"/*; do
    case ${entry##*/} in
    build | build-* | results) ;;
    *) ln -s "$entry" contrib/dml ;;
    esac
done

# ns-3 keeps absolute paths: a tree that moved is configured anew.
if ! grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$TREE" cmake-cache/CMakeCache.txt; then
    rm -rf cmake-cache build .lock-ns3*
fi
if [[ ! -e cmake-cache/build.ninja ]]; then
    quietly configure.log "configuring ns-$(cat VERSION) with contrib/dml" \
        ./ns3 configure --enable-tests --enable-examples --enable-modules=dml,csma \
        --filter-module-examples-and-tests=dml -G Ninja
fi
quietly build.log "building it, the modules that dml needs only" \
    ninja -C cmake-cache -j "$(nproc)"

passed=0
failed=0
# try NAME COMMAND...: one test.
try()
{
    local log=$WORK/$1.log
    if "${@:2}" >"$log" 2>&1; then
        passed=$((passed + 1))
        say "passed: $1"
    else
        failed=$((failed + 1))
        say "failed: $1; the last lines of $log:"
        tail -n 40 "$log" >&2
    fi
}

try test.py ./test.py --no-build -s dml
try program ./ns3 run --no-build "dml check $ROOT/scenarios/alexnet-1gbps"
echo "$passed passed, $failed failed"
[[ $failed -eq 0 ]]

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# To be sourced by scripts that build Debian's ns-3 from source. The caller has set WORK, the folder
# that gets everything: the source and a log of each stage. Machine-wide settings stay as they are.

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
# and keys.
write_source_entries()
{
    local uri apt=$WORK/apt
    uri=$(ns3_uri)
    rm -rf "$apt/parts"
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    # One-line entries.
    cat /dev/null /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' |
        awk -v uri="$uri" 'index($0, uri)' >"$apt/parts/dml.list" || true
    # deb822 stanzas.
    cat /dev/null /etc/apt/sources.list.d/*.sources 2>/dev/null |
        sed 's/^#.*/#/' |
        awk -v RS= -v ORS='\n\n' -v uri="$uri" '
            index($0, uri) && !/(^|\n)Enabled:[ \t]*no/ {
                sub(/Types:[^\n]*/, "Types: deb-src")
                print
            }' >"$apt/parts/dml.sources" || true
    if [[ ! -s $apt/parts/dml.list && ! -s $apt/parts/dml.sources ]]; then
        say "apt knows no archive of Debian's package ns3; add one to its sources"
        exit 1
    fi
}

private_apt()
{
    local apt=$WORK/apt
    apt-get -q -y -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" \
        -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" "$@"
}

# In the current folder.
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

# Gets the source of the installed version, unless it is there, and sets TREE to its folder.
need_ns3_source()
{
    cd "$WORK"
    if [[ ! -d source ]]; then
        write_source_entries
        quietly download.log "getting the source of Debian's ns3" download_source
    fi
    TREE=$(echo "$WORK"/source/ns-3.*)
}

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# To be sourced by scripts that build ns-3 from source. The caller has set WORK, the folder that gets
# everything: the source and a log of each stage. Machine-wide settings stay as they are.

# The machine's settings of apt.
APT_SETTINGS=/etc/apt
# Where Debian may have other releases of ns-3 than the installed one.
DEBIAN_SUITES=(bookworm trixie forky sid)

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

# An awk function: whether a text names the URI as a whole word; ".../debian-security" is another.
NAMES_URI='function names_uri(text, uri, at) {
    while (at = index(text, uri)) {
        text = substr(text, at + length(uri))
        if (text ~ /^\/?([ \t\n]|$)/) return 1
    }
    return 0
}'

# write_source_entries [SUITE]: private apt settings: the machine's own entries of that URI turned into
# deb-src, with their options and keys; with SUITE, for that suite instead of theirs.
write_source_entries()
{
    local uri suite=${1-} apt=$WORK/apt
    uri=$(ns3_uri)
    rm -rf "$apt/parts"
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    # One-line entries: deb [options] URI suite components.
    cat /dev/null "$APT_SETTINGS"/sources.list "$APT_SETTINGS"/sources.list.d/*.list 2>/dev/null |
        sed -n 's/^[[:space:]]*deb[[:space:]]/deb-src /p' |
        awk -v uri="$uri" -v suite="$suite" "$NAMES_URI"'
            names_uri($0, uri) {
                if (suite && match($0, /[a-z+]+:[^ \t]+[ \t]+/)) {
                    rest = substr($0, RSTART + RLENGTH)
                    sub(/^[^ \t]+/, suite, rest)
                    $0 = substr($0, 1, RSTART + RLENGTH - 1) rest
                }
                if (!seen[$0]++) print
            }' >"$apt/parts/dml.list" || true
    # deb822 stanzas.
    cat /dev/null "$APT_SETTINGS"/sources.list.d/*.sources 2>/dev/null |
        sed 's/^#.*/#/' |
        awk -v RS= -v ORS='\n\n' -v uri="$uri" -v suite="$suite" \
            "$NAMES_URI"'
            names_uri($0, uri) && !/(^|\n)Enabled:[ \t]*no/ {
                sub(/Types:[^\n]*/, "Types: deb-src")
                if (suite) sub(/Suites:[^\n]*/, "Suites: " suite)
                if (!seen[$0]++) print
            }' >"$apt/parts/dml.sources" || true
    if [[ ! -s $apt/parts/dml.list && ! -s $apt/parts/dml.sources ]]; then
        say "apt knows no archive of Debian's package ns3; add one to its sources"
        exit 1
    fi
}

private_apt()
{
    local command=$1 apt=$WORK/apt
    "$command" -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$apt/parts" \
        -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" "${@:2}"
}

# offered_versions [RELEASE]: Debian's versions of the source ns3 that the private settings reach.
offered_versions()
{
    private_apt apt-cache showsrc --only-source ns3 2>/dev/null |
        awk -v release="${1-}" '$1 == "Version:" {
            upstream = $2
            sub(/-[^-]*$/, "", upstream)
            if ((!release || upstream == release) && !seen[$2]++) print $2
        }'
}

# find_source RELEASE: points the private settings to a suite that has the source, and sets FOUND to
# its Debian version.
find_source()
{
    local suite seen=''
    for suite in "${DEBIAN_SUITES[@]}"; do
        write_source_entries "$suite"
        # A suite that the archive does not have is no harm: the next may have it.
        private_apt apt-get update || true
        FOUND=$(offered_versions "$1" | tail -n 1)
        [[ -z $FOUND ]] || return 0
        seen+=" $(offered_versions | tr '\n' ' ')($suite)"
    done
    say "Debian has no source of ns-$1; found:$seen; another ns-3: give the path of its folder"
    return 1
}

# download_source RELEASE: Debian's source of that release, of the installed version if it is empty.
# In the current folder.
download_source()
{
    local FOUND=''
    if [[ -n $1 ]]; then
        find_source "$1" || return 1
    else
        FOUND=$(dpkg-query -W -f '${Version}' ns3)
        write_source_entries
        # An entry without sources is no harm: the next command says if ns3 was not among them.
        private_apt apt-get update || true
    fi
    rm -rf ns3_* unpacked
    # The caller's "if" has switched off "set -e".
    private_apt apt-get source --download-only "ns3=$FOUND" ||
        { say "the archive does not give this source out; another way: the path of a folder with it" && return 1; }
    dpkg-source -x ns3_*.dsc unpacked && mv unpacked source
}

# need_ns3_source [RELEASE]: gets Debian's source of a release, of the installed version without one,
# unless it is there, and sets TREE to its folder.
need_ns3_source()
{
    local release=${1-}
    cd "$WORK"
    if [[ ! -d source ]]; then
        quietly download.log "getting the source of Debian's ns3${release:+ $release}" \
            download_source "$release"
    fi
    TREE=$(echo "$WORK"/source/ns-3.*)
    [[ -d $TREE ]] || TREE=$WORK/source
}

# copy_tree FOLDER: brings the copy of an ns-3 tree up to date and sets TREE to it. The copy leaves out
# what was built there and the modules in contrib; times of files stay, so that little is built anew.
copy_tree()
{
    local from=$1
    TREE=$WORK/source
    if [[ ! -e $WORK/origin || $(<"$WORK/origin") != "$from" ]]; then
        rm -rf "$TREE"
    fi
    mkdir -p "$TREE"
    tar -C "$from" --exclude=./build --exclude=./cmake-cache --exclude=./.git --exclude='./.lock*' \
        --exclude='./.waf*' --exclude='./contrib/*/*' --exclude=./testpy-output -cf - . |
        tar -C "$TREE" -xf -
    echo "$from" >"$WORK/origin"
}

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes the manual page, made of the program's own help, and Debian's changelog, both compressed.
# usage: write-pages.sh PROGRAM MAN DOC    MAN: the folder that gets man1; DOC: the one of the changelog
# From the environment: DEBFULLNAME and DEBEMAIL, as Debian's tools do; SOURCE_DATE_EPOCH.

set -euo pipefail

ROOT=$(readlink -f "$(dirname "${BASH_SOURCE[0]}")/../..")
USAGE="usage: write-pages.sh PROGRAM MAN DOC"
PROGRAM=${1:?$USAGE}
MAN=${2:?$USAGE}
DOC=${3:?$USAGE}
VERSION=$(<"$ROOT/VERSION")
WHEN=@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$ROOT/VERSION")}

# Text as it is, for groff: no requests, no hyphens that cannot be copied.
as_it_is()
{
    sed -e 's/\\/\\e/g' -e 's/-/\\-/g' -e "s/^\([.']\)/\\\\\&\1/" -e "s/'/\\\\(aq/g"
}

# The whole width of the terminal, as the help has up to 80 columns.
verbatim()
{
    printf '.in 0\n.nf\n' && as_it_is && printf '.fi\n'
}

write_manual_page()
{
    local overview command help
    overview=$("$PROGRAM" help)
    printf '.TH DML 1 "%s" "dml %s" "User Commands"\n' "$(LC_ALL=C date -u -d "$WHEN" +%Y-%m-%d)" "$VERSION"
    printf '.SH NAME\ndml \\- predict the throughput of data-parallel DNN training\n'
    printf '.SH SYNOPSIS\n.B dml\n.I COMMAND\n.RI [ ARGUMENT .\\|.\\|.]\n.SH DESCRIPTION\n'
    sed '1,/^$/d' <<<"$overview" | verbatim
    printf '.SH COMMANDS\n'
    while read -r command; do
        help=$("$PROGRAM" help "$command")
        printf '.SS dml %s\n' "$(as_it_is <<<"$command")"
        verbatim <<<"${help#"dml $command: "}"
    done < <(LC_ALL=C sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' <<<"$overview")
    printf '.SH FILES\n'
    printf '.TP\n.I %s\n%s\n' \
        /usr/share/dml/scenarios 'Scenarios, the flagship study among them, and measured profiles.' \
        /usr/share/doc/dml/doc 'The manual.' \
        /usr/include/dml 'Headers for classes of your own, which \-\-plugin loads.'
}

write_changelog()
{
    cat <<END
dml ($VERSION) unstable; urgency=medium

  * See /usr/share/doc/dml/CHANGES.md.

 -- ${DEBFULLNAME:-The dml authors} <${DEBEMAIL:-nobody@localhost}>  $(LC_ALL=C date -u -R -d "$WHEN")
END
}

mkdir -p "$MAN/man1" "$DOC"
write_manual_page | gzip -9n >"$MAN/man1/dml.1.gz"
write_changelog | gzip -9n >"$DOC/changelog.gz"

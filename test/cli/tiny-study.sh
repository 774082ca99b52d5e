# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# To be sourced by tests of PROGRAM, their first argument: takes them to a new folder with a small study,
# which goes when they end, and ends them at the first command that fails.

set -euo pipefail
PROGRAM=$(readlink -f "$1")
DATA=$(dirname "$(readlink -f "$0")")/../data
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR
cp "$DATA"/tiny.yaml "$DATA"/tiny.profile.yaml "$WORK"
cd "$WORK"

fail()
{
    echo "FAILED: $*"
    exit 1
}

# shrink: the study's tensors become a tenth as large, for tests that run many packets
shrink()
{
    sed -i -E 's/(bytes: [0-9]+)0\b/\1/' tiny.profile.yaml
}

# shorten: the study has half of its steps, and one replication
shorten()
{
    sed -i 's/^replications: 2/replications: 1/; s/steps: 6/steps: 3/; s/warmup: 2/warmup: 1/' tiny.yaml
}

# refused TEXT ARGUMENT...: the program takes that for bad input, and says TEXT
refused()
{
    local code=0 text=$1
    shift
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || code=$?
    [[ $code == 2 ]] && grep -qF -- "$text" err.txt || fail "$*: $code $(cat err.txt)"
}

# fits FILE: no line of it has more than 80 columns
fits()
{
    ! grep -nE '^.{81,}' "$1" || fail "$1: lines of more than 80 columns"
}

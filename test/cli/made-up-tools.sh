# shellcheck shell=bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# To be sourced by tests of the script ./dml: takes them to a new folder WORK, with that script in the tree TREE and a
# folder bin for made-up tools, which goes when they end, and ends them at the first command that fails.

set -euo pipefail
ROOT=${DML_ROOT:-$(dirname "$(readlink -f "$0")")/../..}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR
TREE=$WORK/tree
mkdir -p "$TREE/cmake" "$WORK/bin"
cp "$ROOT/dml" "$TREE"
cd "$WORK"

fail()
{
    echo "FAILED: $*: $(cat err.txt)"
    exit 1
}

# tool NAME: what it does, a script, comes from standard input
tool()
{
    { echo '#!/usr/bin/env bash' && cat; } >"bin/$1"
    chmod +x "bin/$1"
}

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

# hold NUMBER JOBS FUNCTION ARGUMENT...: starts a study and waits until it has kept NUMBER runs, and JOBS processes
# have stopped, each when it was about to keep one more. So what the test then sends never comes too late. The function
# runs the program; STUDY is its process, and HELD what to wait for.
hold()
{
    DML_STOP_AT=$1 LD_PRELOAD=$(dirname "$PROGRAM")/test/preload/dml-stop-at-run.so \
        ASAN_OPTIONS=verify_asan_link_order=0:${ASAN_OPTIONS-} "${@:3}" &
    HELD=$!
    STUDY=
    until [[ -n $STUDY && $(pgrep -c -P "$STUDY" -r T) -ge $2 ]]; do
        kill -0 $HELD 2>/dev/null || fail "the study ended before it was held: $(cat err.txt)"
        STUDY=$(pgrep -P $HELD || true)
        sleep 0.02
    done
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

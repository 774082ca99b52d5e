#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs that stop when they are sure: in both engines, the same files however many run at a time, and
# nothing is silent where they are not sure.
# usage: dml-auto-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shrink

study()
{
    "$PROGRAM" run tiny.yaml --set job.warmup=auto "$@" >out.txt 2>err.txt </dev/null ||
        fail "$*: $(cat err.txt)"
}

# same A B: the folders hold the same, wall-clock times in summary.json apart
same()
{
    local timing='/"timing": {/,/}/d'
    [[ $(cd "$1" && ls) == "$(cd "$2" && ls)" ]] || fail "$1 and $2 hold different files"
    for file in "$1"/*; do
        diff -q <(sed "$timing" "$file") <(sed "$timing" "$2/${file##*/}") >/dev/null ||
            fail "$file differs in $2"
    done
}

"$PROGRAM" check tiny.yaml --set job.steps=auto --set job.warmup=auto >out.txt
grep -qF 'until sure within 2 %, at most 1000 steps a worker,' out.txt || fail "check: $(cat out.txt)"
grep -qF 'warm-up detected' out.txt || fail "check: $(cat out.txt)"

# sure, in both engines, with one and with two runs at a time
steps='job.steps={auto: 20%, at_most: 400}'
study --set "$steps" --jobs 1 --out one
grep -qE '^fair-share: 4 of 4 runs sure, after [0-9]+ ' out.txt || fail "$(cat out.txt)"
grep -qE '^packet: 4 of 4 runs sure, after [0-9]+ ' out.txt || fail "$(cat out.txt)"
grep -qE '^  saved [0-9]+ % of the 1600 steps allowed, about ' out.txt || fail "$(cat out.txt)"
[[ $(grep -c '"sure": true' one/summary.json) == 8 ]] || fail "not all runs are sure"
grep -qF '"half_width"' one/summary.json || fail "no half_width"
study --set "$steps" --jobs 2 --out two
same one two

# a run of fixed length does not say how it stopped
"$PROGRAM" run tiny.yaml --set output.plots=false --out fixed >out.txt 2>err.txt
if grep -q '"stop"' fixed/summary.json || grep -q 'saved' out.txt; then
    fail "a fixed run has stopped early"
fi

# 30 steps are too few to be sure: the table and summary.json say so
study --set 'job.steps={auto: 2%, at_most: 30}' --set output.plots=false --out few
grep -qF 'not sure: W=1, fair-share: 2 of 2 runs do not know the throughput within 2 %' out.txt ||
    fail "$(cat out.txt)"
grep -qF '"not_sure_because": "its warm-up was not seen to end within 16 steps"' few/summary.json ||
    fail "few: no reason"

# variants of a sweep, fixed ones and others, one of them with a warm-up that is given
"$PROGRAM" run tiny.yaml --engine=fair-share --set job.warmup=3 \
    --set output.plots=false --set 'sweep={job.steps: [10, {auto: 20%}]}' --out sweep >out.txt 2>err.txt ||
    fail "$(cat err.txt)"
[[ $(grep -c '"warmup_given": true' sweep/summary.json) == 4 ]] || fail "the sweep's automatic runs"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml tune": finds a value that is known to be the best one, and its command does what it says.
# usage: dml-tune-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

ONE=(--set 'job.workers=[1]' --set job.sampling=in-order --set job.start=together)
# The longer parsing takes, the slower it is: the smallest value is the best one.
"$PROGRAM" tune tiny.yaml "${ONE[@]}" --keys overhead.beta=1us..1ms --trials 8 >out.txt 2>err.txt &&
    fail "a time where seconds are wanted: $(cat out.txt)"
grep -q -- '--keys: overhead.beta takes neither of its ends: .*overhead.beta' err.txt || fail "$(cat err.txt)"
"$PROGRAM" tune tiny.yaml "${ONE[@]}" --keys overhead.beta=0.000001..0.001 --trials 12 >out.txt 2>err.txt
[[ ! -s err.txt ]] || fail "$(cat err.txt)"
python3 - <<'END'
import re
text = open("out.txt").read()
trials = re.findall(r"^ +\d+ +(\S+) +(\S+) +(\S+)$", text, re.M)
assert 6 <= len(trials) <= 12, text
best = min(trials, key=lambda row: float(row[0]))
assert float(best[1]) == max(float(row[1]) for row in trials), trials
assert float(best[0]) < 2e-5, best
assert f"--set overhead.beta={best[0]}" in text, text
assert f"would take {6 * len(trials)} steps of each worker" in text, text
END
cp out.txt first.txt
"$PROGRAM" tune tiny.yaml "${ONE[@]}" --keys overhead.beta=0.000001..0.001 --trials 12 >out.txt
cmp out.txt first.txt || fail "a second time, something else"
# the command that it prints runs, and gives that throughput
best=$(sed -n 's/^best: \([0-9.]*\) .*/\1/p' out.txt)
eval "$(sed -n "s|^  dml run|$PROGRAM run|p" out.txt) --engine=fair-share --set output.plots=false --out best" >run.txt
grep -qE "^   1 +${best%?}" run.txt || fail "best: $best, but $(cat run.txt)"

refused 'has several numbers of workers; accepted: one case, such as with --set job.workers=4' tune \
    tiny.yaml --keys transfer.window=1KB..1MB
refused 'has a sweep; accepted: one case, such as with --set sweep={}' tune tiny.yaml "${ONE[@]}" \
    --set 'sweep={job.steps: [5, 6]}' --keys transfer.window=1KB..1MB
refused 'accepted: KEY=LOW..HIGH' tune tiny.yaml "${ONE[@]}" --keys transfer.window
refused '--keys: found nothing' tune tiny.yaml "${ONE[@]}"
refused 'accepted: one engine' tune tiny.yaml "${ONE[@]}" --keys transfer.window=1KB..1MB --engine=all
refused 'found --engine both; accepted: one engine' tune tiny.yaml "${ONE[@]}" \
    --keys transfer.window=1KB..1MB --engine=both
refused "found ''; accepted: KEY=LOW..HIGH" tune tiny.yaml "${ONE[@]}" --keys transfer.window=1KB..1MB,
for key in job.steps seed replications sweep.job.steps output.links; do
    refused "--keys: found $key, with which something else" tune tiny.yaml "${ONE[@]}" --keys "$key=1..9"
done
TMPDIR=$WORK/nowhere "$PROGRAM" tune tiny.yaml "${ONE[@]}" --keys transfer.window=1KB..1MB >out.txt 2>err.txt &&
    fail "no folder for what is tried"
grep -q 'TMPDIR names no folder' err.txt || fail "$(cat err.txt)"
refused 'transfer.windo' tune tiny.yaml "${ONE[@]}" --keys transfer.windo=1KB..1MB --trials 2

echo "tune: finds the best value, again the same, and its command does what it says"

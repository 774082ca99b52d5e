#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml optimize": is never worse than the defaults of frameworks, tries all groups of few gradients,
# and what it writes is a scenario's and gives what it says.
# usage: dml-optimize-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

RING=(--set 'job.workers=[3]' --set job.protocol=all-reduce --set job.parameter_servers=0
    --set 'overhead={}' --set network.delay=1ms)
"$PROGRAM" optimize tiny.yaml "${RING[@]}" -o strategy.yaml >out.txt 2>err.txt || fail "$(cat err.txt)"
fits out.txt
grep -q '^4 gradients, ' out.txt || fail "$(cat out.txt)"
grep -q '  default$' out.txt || fail "no default: $(cat out.txt)"
python3 - <<'END'
import re
text = open("out.txt").read()
rows = re.findall(r"^  (\S.*?) +([\d.]+) +[-+][\d.]+ %(   default)?$", text, re.M)
assert len(rows) >= 12, text
scores = [float(row[1]) for row in rows]
assert scores == sorted(scores, reverse=True), rows
assert {row[0] for row in rows if row[2]} == {"DDP, 25 MiB", "Horovod, 128 MiB, 1 ms"}, rows
assert re.search(r"^33 strategies tried", text, re.M), text  # 25, and all 8 groups of 4 neighbours
END
cp out.txt first.txt
"$PROGRAM" optimize tiny.yaml "${RING[@]}" -o again.yaml >out.txt
cmp strategy.yaml again.yaml || fail "a second time, something else"
cmp <(grep -v 'tried in' first.txt | grep -v yaml) <(grep -v 'tried in' out.txt | grep -v yaml)
# as a scenario, it gives the throughput of the first line
groups=$(sed -n 's/^  gradient_groups: //p' strategy.yaml)
"$PROGRAM" run tiny.yaml "${RING[@]}" --set job.gradient_groups="$groups" --engine=fair-share \
    --set fair_share.one_way_delay=2ms --set output.plots=false --out best >run.txt
best=$(grep -A1 'strategy  ' out.txt | sed -n '2s/.* \([0-9.]*\)   *[-+].*/\1/p')
grep -qE "^   3 +${best%?}" run.txt || fail "best: $best, but $(cat run.txt)"

refused 'has parameter servers; accepted: job.protocol: all-reduce' optimize tiny.yaml --set 'job.workers=[3]'
refused 'has several numbers of workers' optimize tiny.yaml "${RING[@]}" --set 'job.workers=[1, 3]'
refused 'accepted: one engine' optimize tiny.yaml "${RING[@]}" --engine=all

echo "optimize: all groups of few gradients, never worse than defaults, and as it says"

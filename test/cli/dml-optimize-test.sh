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
assert re.search(r"^34 strategies tried", text, re.M), text  # 26, and all 8 groups of 4 neighbours
assert re.search(r"^Algorithm 1 of dPRO: 4 ops and 4 tensors become 3 and 1, ", text, re.M), text
END
cp out.txt first.txt
"$PROGRAM" optimize tiny.yaml "${RING[@]}" -o again.yaml >out.txt
cmp strategy.yaml again.yaml || fail "a second time, something else"
steady() { grep -vE 'tried in|yaml|passes' "$1"; }
cmp <(steady first.txt) <(steady out.txt)
# as a scenario, it gives the throughput of the first line
groups=$(sed -n 's/^  gradient_groups: //p' strategy.yaml)
"$PROGRAM" run tiny.yaml "${RING[@]}" --set job.gradient_groups="$groups" --engine=fair-share \
    --set fair_share.one_way_delay=2ms --set output.plots=false --out best >run.txt
best=$(grep -A1 'strategy  ' out.txt | sed -n '2s/.* \([0-9.]*\)   *[-+].*/\1/p')
grep -qE "^   3 +${best%?}" run.txt || fail "best: $best, but $(cat run.txt)"

# shortcuts change how long the search takes, not what it finds
for without in symmetry partial,symmetry coarse,partial,symmetry; do
    "$PROGRAM" optimize tiny.yaml "${RING[@]}" --without=$without -o again.yaml --check=none >out.txt
    grep -qE "^Algorithm 1 of dPRO: 4 ops and 4 tensors become [34] and 1, " out.txt || fail "$(cat out.txt)"
    cmp strategy.yaml again.yaml || fail "--without=$without: something else"
done
# each fusion of two ops saves so much of a step, and gradients of a fused op are ready with it
"$PROGRAM" optimize tiny.yaml "${RING[@]}" --fused=500us -o fused.yaml >out.txt || fail "$(cat out.txt)"
fits out.txt
grep -q "best: dPRO's Algorithm 1" out.txt || fail "$(cat out.txt)"
python3 - <<'END'
import yaml
strategy = yaml.safe_load(open("fused.yaml"))["job"]
assert strategy["profile"] == "fused.profile.yaml", strategy
ops = {op["name"]: op for op in yaml.safe_load(open("fused.profile.yaml"))["ops"]}
near = lambda op, want: all(abs(a - b) < 1e-9 for a, b in zip(ops[op]["samples"], want))
assert near("forward/conv+forward/fc", [0.0025, 0.0037]), ops
assert near("backward/fc+backward/conv", [0.0055, 0.0054]), ops
assert all(op["deps"] == ["backward/fc+backward/conv"] for op in ops.values() if op["kind"] == "push")
END
printf 'first,second,seconds\nbackward/fc,backward/conv,0.001\n' >costs.csv
"$PROGRAM" optimize tiny.yaml "${RING[@]}" --fused=costs.csv -o fused2.yaml >out.txt 2>err.txt ||
    fail "$(cat err.txt)"
grep -q 'backward/fc+backward/conv' fused2.profile.yaml || fail "not fused"
printf 'first,second,seconds\nforward/conv,backward/conv,0.001\n' >costs.csv
refused "costs.csv:2:14: found 'backward/conv', which is not run behind the first one" optimize tiny.yaml \
    "${RING[@]}" --fused=costs.csv
printf 'first,second,seconds\nforward/cnv,forward/fc,0.001\n' >costs.csv
refused "costs.csv:2:1: found op 'forward/cnv', which no worker computes; did you mean 'forward/conv'?" optimize \
    tiny.yaml "${RING[@]}" --fused=costs.csv
refused "--without: found 'fast'; accepted: coarse, partial, symmetry" optimize tiny.yaml "${RING[@]}" --without=fast

# with servers
"$PROGRAM" optimize tiny.yaml --set 'job.workers=[3]' -o servers.yaml >out.txt 2>err.txt || fail "$(cat err.txt)"
fits out.txt
grep -qE '^  TensorFlow .*  default$' out.txt && grep -qE '^  BytePS, 4.096 MB, credit 4 .*  default$' out.txt ||
    fail "no defaults: $(cat out.txt)"
grep -q '^transfer:$' servers.yaml || fail "$(cat servers.yaml)"
refused 'has parameter servers; accepted with --fused and --without' optimize tiny.yaml --set 'job.workers=[3]' \
    --fused=1us
refused 'has several numbers of workers' optimize tiny.yaml "${RING[@]}" --set 'job.workers=[1, 3]'
refused 'accepted: one engine' optimize tiny.yaml "${RING[@]}" --engine=all

echo "optimize: all groups of few gradients, never worse than defaults, and as it says"

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
gap = re.search(r"^of all groups of neighbours, the best one gives ([-+][\d.]+) % against", text, re.M)
others = [float(row[1]) for row in rows if not row[0].startswith("exhaustive")]
assert gap and abs(100 * (scores[0] / max(others) - 1) - float(gap[1])) < 0.05, (gap, rows)
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
    --set output.plots=false --out best >run.txt
best=$(grep -A1 'strategy  ' out.txt | sed -n '2s/.* \([0-9.]*\)   *[-+].*/\1/p')
grep -qE "^   3 +${best%?}" run.txt || fail "best: $best, but $(cat run.txt)"

# shortcuts change how long the search takes, not what it finds
refused 'again.yaml: is there already; accepted: --force' optimize tiny.yaml "${RING[@]}" -o again.yaml
for without in symmetry partial,symmetry coarse,partial,symmetry; do
    "$PROGRAM" optimize tiny.yaml "${RING[@]}" --without=$without -o again.yaml --force --check=none >out.txt
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
# on devices that are four times as fast it saves four times as much of the profile's seconds
"$PROGRAM" optimize tiny.yaml "${RING[@]}" --fused=125us -o fast.yaml --check=none \
    --set 'job.devices={fast: {speed: 4}}' --set 'job.worker_devices=[fast]' >out.txt || fail "$(cat out.txt)"
python3 - <<'END'
import yaml
ops = {op["name"]: op for op in yaml.safe_load(open("fast.profile.yaml"))["ops"]}
near = lambda op, want: all(abs(a - b) < 1e-9 for a, b in zip(ops[op]["samples"], want))
assert near("forward/conv+forward/fc", [0.0025, 0.0037]), ops
END
printf 'first,second,seconds\nbackward/fc,backward/conv,0.001\n' >costs.csv
"$PROGRAM" optimize tiny.yaml "${RING[@]}" --fused=costs.csv -o fused2.yaml >out.txt 2>err.txt ||
    fail "$(cat err.txt)"
grep -q 'backward/fc+backward/conv' fused2.profile.yaml || fail "not fused"
printf 'first,second,seconds\nforward/conv,backward/conv,0.001\n' >costs.csv
"$PROGRAM" optimize tiny.yaml "${RING[@]}" --fused=costs.csv --check=none >out.txt || fail "of other kinds"
grep -q '^--fused: 1 of 1 row left out, as those ops are not run one behind the other' out.txt ||
    fail "$(cat out.txt)"
printf 'first,second,seconds\nforward/cnv,forward/fc,0.001\n' >costs.csv
refused "costs.csv:2:1: found op 'forward/cnv', which no worker computes; did you mean 'forward/conv'?" optimize \
    tiny.yaml "${RING[@]}" --fused=costs.csv
printf 'first,second,seconds\nforward/conv,forward/fc,0.001\nforward/conv,forward/fc,0.002\n' >costs.csv
refused "costs.csv:3:1: found these ops again; accepted: one row for each pair" optimize tiny.yaml "${RING[@]}" \
    --fused=costs.csv
echo first,second,seconds >costs.csv
refused "found no row; accepted: at least one pair of ops" optimize tiny.yaml "${RING[@]}" --fused=costs.csv
refused "--fused: found '-5s'; accepted: a time above 0, or a file" optimize tiny.yaml "${RING[@]}" --fused=-5s
refused 'fused.profile.yaml: is there already' optimize tiny.yaml "${RING[@]}" --fused=1us -o fused.yml
refused "--without: found 'fast'; accepted: coarse, partial, symmetry" optimize tiny.yaml "${RING[@]}" --without=fast

# of many that are as fast, the chosen one is in the table; one worker reduces in no time
"$PROGRAM" optimize tiny.yaml "${RING[@]}" --set job.workers=1 --check=none >out.txt || fail "of one worker"
grep -q '^reducing B bytes takes 0 ms, within 0.0 % of the longest$' out.txt || fail "$(cat out.txt)"
grep -q "^  $(sed -n 's/.*; best: //p' out.txt)  " out.txt || fail "the best one is not shown: $(cat out.txt)"
# workers that start far apart end no step in the time that is measured
refused 'tiny.yaml: takes none of the strategies: it has no throughput' optimize tiny.yaml --set 'job.workers=[3]' --set job.steps=2 \
    --set job.warmup=1 --set 'job.start=[0s, 100s, 200s]' --set job.sampling=in-order

# where memory is short, a step is computed in another way, on which the other strategies build
cat >chain.yaml <<'END'
schema: dml-profile/3
model: chain
batch_size: 4
tensors: [{name: a, bytes: 1MB}, {name: b, bytes: 2MB}, {name: c, bytes: 3MB}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: pull/c, kind: pull, tensor: c}
  - {name: forward/a, kind: forward, deps: [pull/a], seconds: 0.1, activation_bytes: 10MB, output_bytes: 5MB}
  - {name: forward/b, kind: forward, deps: [pull/b, forward/a], seconds: 0.2, activation_bytes: 20MB, output_bytes: 6MB}
  - {name: forward/c, kind: forward, deps: [pull/c, forward/b], seconds: 0.3, activation_bytes: 40MB}
  - {name: backward/c, kind: backward, deps: [forward/c], seconds: 0.4}
  - {name: backward/b, kind: backward, deps: [backward/c, forward/b], seconds: 0.5}
  - {name: backward/a, kind: backward, deps: [backward/b, forward/a], seconds: 0.5}
  - {name: sum/a, kind: backward, deps: [backward/a], seconds: 0.1}
  - {name: sum/b, kind: backward, deps: [backward/b], seconds: 0.1}
  - {name: sum/c, kind: backward, deps: [backward/c], seconds: 0.1}
  - {name: push/a, kind: push, tensor: a, deps: [sum/a]}
  - {name: push/b, kind: push, tensor: b, deps: [sum/b]}
  - {name: push/c, kind: push, tensor: c, deps: [sum/c]}
END
CHAIN=("${RING[@]}" --set job.profile=chain.yaml)
# 6 of parameters, 70 kept, 3 of gradients
"$PROGRAM" optimize tiny.yaml "${CHAIN[@]}" --memory=79MB >out.txt || fail "what fits"
grep -qx "a worker's peak: 79.0 MB; there are 79.0 MB" out.txt || fail "$(cat out.txt)"
! grep -q 'with ' out.txt || ! grep -q 'with recompute' out.txt || fail "needlessly: $(cat out.txt)"
# 2.3 s a step; in 3 segments a and b run again: 2.6; in 2 passes, sums take 0.3 more
"$PROGRAM" optimize tiny.yaml "${CHAIN[@]}" --memory=62MB -o less.yaml >out.txt || fail "$(cat out.txt)"
fits out.txt
python3 - <<'END'
import re, yaml
text = open("out.txt").read()
rows = {name: (float(rate), float(peak)) for name, rate, peak in
        re.findall(r"^  (recompute|accumulate), .*? ([\d.]+) +-[\d.]+ % +([\d.]+)$", text, re.M)}
assert len(re.findall(r"^  (?:recompute|accumulate),", text, re.M)) == 3, text  # 4 passes, too
assert all(peak <= 62 for rate, peak in rows.values()), rows
assert re.search(r"^with (recompute, 3 segments|accumulate, 2 passes of 2):$", text, re.M), text
job = yaml.safe_load(open("less.yaml"))["job"]
ops = yaml.safe_load(open(job["profile"]))["ops"]
seconds = sum(op.get("seconds", op.get("samples", [0])[0]) for op in ops)
assert abs(seconds - 2.6) < 1e-9, seconds
END
# in 4 passes 6 of parameters, 6 of sums, 3 of gradients, a quarter of 70
refused '--memory: found 20.00 MB; accepted: at least 32.5 MB' optimize tiny.yaml "${CHAIN[@]}" --memory=20MB
refused 'no op has activation_bytes' optimize tiny.yaml "${RING[@]}" --memory=20MB
refused 'found --optimizer without --memory; accepted: both' optimize tiny.yaml "${RING[@]}" --optimizer=adam
refused '--memory: found 0.0010 MB; accepted: at least 32.5 MB' optimize tiny.yaml "${CHAIN[@]}" --memory=1KB
sed 's/, output_bytes: .MB//' chain.yaml >mute.yaml
"$PROGRAM" optimize tiny.yaml "${CHAIN[@]}" --set job.profile=mute.yaml --memory=1MB >out.txt 2>err.txt && fail "1 MB"
grep -q "^recompute: .*op 'forward/a' has no output_bytes" out.txt || fail "$(cat out.txt)"
"$PROGRAM" optimize tiny.yaml "${CHAIN[@]}" --set job.batch_size=65536 --memory=2000GB --check=none >out.txt ||
    fail "a large batch"
"$PROGRAM" optimize tiny.yaml "${CHAIN[@]}" --set job.batch_size=65536 --memory=50GB --check=none >out.txt ||
    fail "a large batch in little memory"
grep -q '^  accumulate, 64 passes of 1024 ' out.txt || fail "$(cat out.txt)"
refused 'its profile would be tiny.profile.yaml, which is that of the job' optimize tiny.yaml "${RING[@]}" -o tiny.yaml
refused "--memory: found '20 kilos'; accepted:" optimize tiny.yaml "${RING[@]}" --memory='20 kilos'
"$PROGRAM" optimize tiny.yaml --set 'job.workers=[3]' --set job.profile=chain.yaml --memory=62MB >out.txt ||
    fail "memory of a job with servers"

"$PROGRAM" optimize tiny.yaml "${RING[@]}" --check=none >out.txt
! grep -q "with other seeds" out.txt || fail "checked: $(cat out.txt)"

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

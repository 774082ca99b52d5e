#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Inference: pulls and forward propagation only, with and without a barrier, in both engines; times by hand.
# usage: dml-inference-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

cat >layers.profile.yaml <<'END'
schema: dml-profile/1
model: layers
batch_size: 10
tensors:
  - {name: a, bytes: 1250000}
  - {name: b, bytes: 1250000}
devices:
  - {name: cpu}
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: forward/a, kind: forward, device: cpu, deps: [pull/a], samples: [0.02]}
  - {name: forward/b, kind: forward, device: cpu, deps: [forward/a, pull/b], samples: [0.03]}
  - {name: backward/b, kind: backward, device: cpu, deps: [forward/b], samples: [0.5]}
  - {name: log, kind: compute, device: cpu, deps: [backward/b], samples: [0.5]}
  - {name: push/a, kind: push, tensor: a, deps: [backward/b]}
  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], samples: [0.1]}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], samples: [0.1]}
END
cat >inference.yaml <<'END'
name: inference
job: {profile: layers.profile.yaml, workload: inference, workers: 1, steps: 4, warmup: 1, start: together}
transfer: {policy: explicit, order: [a, b]}
network: {transport: plain, rate: 1Gbps, delay: 0us, mtu: 9000, queue: {fair: 0B}}
output: {plots: false, trace: false}
END

run()
{
    "$PROGRAM" run inference.yaml --out "$@" >out.txt 2>err.txt </dev/null || fail "run $*: $(cat err.txt)"
    fits out.txt
}

run alone
grep -q '  -       -' out.txt || fail "baselines, which are of training: $(cat out.txt)"
run late --set transfer.order='[b, a]'
# the second worker starts 5 ms later
TWO=(--set job.workers=2 --set "job.start=[0s, 5ms]")
run async "${TWO[@]}"
run barrier "${TWO[@]}" --set job.sync=bsp
run placed "${TWO[@]}" --set job.sync=bsp --set job.parameter_servers=2 --set 'job.placement={a: 1, b: 0}'
python3 - <<'END'
import csv

def steps(folder, engine):
    rows = [row for row in csv.DictReader(open(folder + "/steps.csv")) if row["engine"] == engine
            and row["replication"] == "0"]
    return {(int(row["worker"]), int(row["step"])): (float(row["start"]), float(row["end"]))
            for row in rows}

def near(found, expected, tolerance, what):
    assert abs(found - expected) <= tolerance * expected, (what, found, expected)

for engine, tolerance in (("fair-share", 1e-3), ("packet", 0.03)):
    pull = 1250000 * 8 / (1e9 * 8948 / 9002)  # 52 of 9000 bytes are headers, a frame has 2 more
    alone, late = steps("alone", engine), steps("late", engine)
    for step in range(4):
        start, end = alone[0, step]
        near(end - start, pull + 0.02 + 0.03, tolerance, engine)
        start, end = late[0, step]  # both are pulled before anything is computed
        near(end - start, 2 * pull + 0.02 + 0.03, tolerance, engine + ", other order")
    both = steps("async", engine)
    assert abs(both[1, 0][0] - 0.005) < 1e-6 and both[1, 1][0] > both[0, 1][0] + 0.001, both
    for name in ("barrier", "placed"):
        wait = steps(name, engine)
        for step in range(1, 4):
            assert abs(wait[0, step][0] - wait[1, step][0]) < 2e-4, (name, engine, step, wait)
            assert wait[0, step][0] >= wait[1, step - 1][1] - 2e-4, (name, engine, step)
END

refused "'push-pull' with job.workload inference, which has no gradients" check inference.yaml \
    --set job.protocol=push-pull
refused "accepted: training, inference" check inference.yaml --set job.workload=learning
sed -i 's/kind: forward/kind: backward/; /kind: pull/d; s/pull.a//; s/, pull.b//' layers.profile.yaml
sed -i '/^transfer:/d' inference.yaml
refused 'has no op that inference would need' check inference.yaml

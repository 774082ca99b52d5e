#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Sharded jobs in fair-share, as bursts and in packets: network interfaces carry what the stages of ZeRO move, engines
# agree on how long a step takes, shards within a host leave little between hosts, and commands that read a job's
# graph refuse such runs.
# usage: dml-sharded-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
cat >profile.yaml <<END
schema: dml-profile/1
model: even
batch_size: 1
tensors: [{name: a, bytes: 4000000}, {name: b, bytes: 8000000}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: forward/a, kind: forward, deps: [pull/a], seconds: 0.02}
  - {name: forward/b, kind: forward, deps: [forward/a, pull/b], seconds: 0.02}
  - {name: backward/b, kind: backward, deps: [forward/b], seconds: 0.03}
  - {name: backward/a, kind: backward, deps: [backward/b], seconds: 0.03}
  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}
  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.004}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 0.004}
END
cat >study.yaml <<END
job: {profile: profile.yaml, workers: 4, protocol: sharded, gradient_groups: off, steps: 3, warmup: 1, start: together}
network: {mtu: 9000, queue: {fair: 0B}}
replications: 1
output: {plots: false, trace: false}
sweep:
  - {job.sharded: {stage: 1}}
  - {job.sharded: {stage: 2}}
  - {job.sharded: {stage: 3}}
  - {job.sharded: {stage: 3, reshard_after_forward: false}}
END
"$PROGRAM" run study.yaml --engine=fair-share,burst,packet --out=results >out.txt 2>&1 || { cat out.txt; exit 1; }
python3 - <<'END'
import csv

# 3 steps, so many collectives, (N - 1) / N, bytes
EXPECTED = {"job.sharded={stage: 1}": 2, "job.sharded={stage: 2}": 2, "job.sharded={stage: 3}": 3,
            "job.sharded={stage: 3, reshard_after_forward: false}": 2}
seen, ends = set(), {}
for row in csv.DictReader(open("results/network.csv", encoding="utf-8")):
    if row["engine"] == "packet":
        least = 3 * EXPECTED[row["variant"]] * 3 / 4 * 12e6
        assert least <= int(row["bytes"]) <= 1.01 * least, (row, least)
        seen.add(row["variant"])
assert seen == set(EXPECTED), seen
for row in csv.DictReader(open("results/steps.csv", encoding="utf-8")):
    key = row["variant"], row["engine"]
    ends[key] = max(ends.get(key, 0), float(row["end"]))
for variant in EXPECTED:
    for engine in ("burst", "packet"):
        assert abs(ends[variant, engine] / ends[variant, "fair-share"] - 1) < 0.02, (variant, engine, ends)
END

# Two hosts of two workers: of 12 MB, half is a worker's shard, and of that a ring of two sends all once a step; the
# links of a host carry that of both workers.
cat >hybrid.yaml <<END
job: {profile: profile.yaml, workers: 4, workers_per_host: 2, protocol: sharded, sharded: {hybrid: true},
      gradient_groups: off, steps: 3, warmup: 1, start: together}
network: {mtu: 9000, queue: {fair: 0B}, local: {rate: 40Gbps}}
replications: 1
END
"$PROGRAM" run hybrid.yaml --engine=fair-share,burst,packet --out=hybrid >out.txt 2>&1 || { cat out.txt; exit 1; }
python3 - <<'END'
import csv

rows = [row for row in csv.DictReader(open("hybrid/network.csv", encoding="utf-8"))
        if row["engine"] == "packet" and row["link"] in ("host0->switch", "host1->switch")]
assert len(rows) == 2, rows
for row in rows:
    least = 3 * 2 * 6e6
    assert least <= int(row["bytes"]) <= 1.01 * least, row
END

# what knows a job by the graph of its profile
found="found a run with job.protocol sharded, in which 'pull/a' has all-gathers: what waits for them is not in the job's graph"
refused "$found" why hybrid
refused "$found" import job hybrid/trace.json --engine=packet -o job.json
refused 'job.protocol: found sharded, whose gathers the search for strategies does not know' optimize hybrid.yaml

# a worker that crashes stops the job
"$PROGRAM" run study.yaml --engine=fair-share --set 'faults=[{crash: worker1, at: 50ms}]' --set sweep={} --out=crash \
    >out.txt 2>&1 || { cat out.txt; exit 1; }
grep -q 'crashes of workers: 1, of which 0 came back; others ended: 3' out.txt || fail "$(cat out.txt)"
echo PASSED

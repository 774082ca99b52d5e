#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Servers on the workers' hosts with tensors in slices, as in BytePS, and a ring send as much over each
# network interface: 2 (N - 1) / N of the model a step, each way.
# usage: dml-byteps-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
# 12 slices of 1 MB: 3 for each of 4 servers
cat >profile.yaml <<END
schema: dml-profile/1
model: even
batch_size: 1
tensors: [{name: a, bytes: 4000000}, {name: b, bytes: 8000000}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: train, kind: compute, deps: [pull/a, pull/b], seconds: 0.01}
  - {name: push/a, kind: push, tensor: a, deps: [train]}
  - {name: push/b, kind: push, tensor: b, deps: [train]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.001}
  - {name: update/b, kind: update, tensor: b, deps: [push/b], seconds: 0.001}
END
cat >study.yaml <<END
job: {profile: profile.yaml, workers: 4, sync: bsp, steps: 3, warmup: 1, start: together}
network: {mtu: 9000, queue: {fair: 0B}}
replications: 1
output: {plots: false, trace: false}
sweep:
  - job.parameter_servers: 4
    job.protocol: push-pull
    transfer.policy: bytescheduler
    transfer.partition: 1MB
    network.colocate: {ps0: worker0, ps1: worker1, ps2: worker2, ps3: worker3}
  - {job.protocol: all-reduce, job.gradient_groups: off}
END
"$PROGRAM" run study.yaml --engine=packet --out=results >out.txt 2>&1 || { cat out.txt; exit 1; }
python3 - <<'END'
import csv

EXPECTED = 3 * 2 * 3 / 4 * 12e6  # steps, both halves of an all-reduce, (N - 1) / N, bytes
links = {}
for row in csv.DictReader(open("results/network.csv", encoding="utf-8")):
    links.setdefault(row["variant"], {})[row["link"]] = int(row["bytes"])
assert len(links) == 2, links
for variant, interfaces in links.items():
    assert len(interfaces) == 8, interfaces
    for link, sent in interfaces.items():
        assert EXPECTED <= sent <= 1.01 * EXPECTED, (variant, link, sent, EXPECTED)
END
echo PASSED

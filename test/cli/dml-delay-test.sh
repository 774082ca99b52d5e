#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Both engines count the delays of links: over links of 20 ms, and over links of different delays, they agree for each
# protocol, transport and algorithm.
# usage: dml-delay-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

shrink
shrink # all that is sent at once fits into TCP's first window
cat >delays.yaml <<'END'
replications: 1
job: {profile: tiny.profile.yaml, workers: [1, 3], steps: 12, warmup: 0, step_jitter: 0s}
network: {transport: ideal, delay: 20ms, queue: {fair: 0B}}
output: {trace: false, plots: false, transfers: false, links: false}
END
# "$@": what more is to be set
agree() {
    local options=()
    for setting in "$@"; do options+=(--set "$setting"); done
    "$PROGRAM" run delays.yaml --engine=both "${options[@]}" --out both --force >out.txt 2>err.txt ||
        fail "$*: $(cat err.txt)"
    python3 - "$*" <<'END' || fail "$*: $(cat out.txt)"
import json
import sys
for case in json.load(open("both/summary.json"))["cases"]:
    means = [case["engines"][engine]["mean"] for engine in ("fair-share", "packet")]
    assert abs(means[0] / means[1] - 1) < 0.02, (sys.argv[1], case["workers"], means)
END
}
FAR='network.hosts={worker0: {delay: 3ms}, worker1: {delay: 50ms}, ps0: {delay: 10ms}}'
for hosts in 'network.hosts={}' "$FAR"; do
    for transport in grpc tcp; do
        agree "$hosts" transfer.transport=$transport job.sync=async
        agree "$hosts" transfer.transport=$transport job.sync=bsp 'job.batch_control={cpu: last}'
    done
    agree "$hosts" job.protocol=push-pull job.sync=bsp
done
# a worker that is back has new connections first, and then tells the servers: two round trips
for transport in grpc tcp; do
    for sync in async bsp; do
        agree transfer.transport=$transport job.sync=$sync 'faults=[{crash: worker0, at: 500ms, rejoin: 300ms}]'
        agree 'network.hosts={worker0: {delay: 50ms}, ps0: {delay: 10ms}}' transfer.transport=$transport job.sync=$sync \
            'faults=[{crash: worker0, at: 500ms, rejoin: 300ms}]'
    done
done
agree 'faults=[{crash: ps0, at: 700ms, rejoin: 300ms}]'
# connections of hashed paths have ports of their own, which are in use when they are opened again
agree network.multipath=ecmp 'faults=[{crash: worker0, at: 500ms, rejoin: 300ms}]'
RING=(job.parameter_servers=0 job.protocol=all-reduce 'network.hosts={worker0: {delay: 3ms}, worker1: {delay: 50ms}}')
for algorithm in ring halving-doubling recursive-doubling tree; do
    agree "${RING[@]}" job.all_reduce.algorithm=$algorithm
done
agree "${RING[@]}" 'job.gradient_groups={horovod: {cycle: 5ms}}'
agree "${RING[@]}" 'job.gradient_groups={horovod: {cycle: 5ms, waits: true}}'

# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Scenarios that are wrong: what is said of them must stay, too."""

import os

from compare_results.study import Study, check_and_run

JOB = "job: {profile: profile.yaml, workers: 2, parameter_servers: 2, steps: 4, warmup: 1}\n"
SCENARIOS = {
    "unknown key": JOB + "netwrok: {rate: 1Gbps}\n",
    "syntax": JOB + "network: {rate: 1Gbps\n",
    "unit": JOB + "network: {rate: 1000}\n",
    "slip": "job: {profile: profile.yaml, workers: 1-8}\n",
    "warmup": "job: {profile: profile.yaml, workers: 2, steps: 4, warmup: 9}\n",
    "no profile": "job: {profile: none.yaml}\n",
    "buffers": JOB + "network: {tcp: {send_buffer: 1MiB, receive_buffer: 1MiB}}\n",
    "dctcp": JOB + "network: {tcp: dctcp}\n",
    "unreachable": JOB + "network: {topology: {type: explicit, switches: [a, b], links: ["
                         "{between: [ps0, a]}, {between: [ps1, a]}, {between: [worker0, b]}, "
                         "{between: [worker1, a]}]}}\n",
    "host": JOB + "faults: [{slow: worker7, to: 0.5}]\n",
    "crash": JOB + "faults: [{crash: worker0, at: 1ms}, {crash: worker0, at: 2ms}]\n",
    "server for good": JOB + "faults: [{crash: ps0, at: 1ms}]\n",
    "checkpoint": "job: {profile: profile.yaml, workers: 2, steps: 4, warmup: 1, "
                  "protocol: all-reduce, checkpoint: 5ms}\n",
    "equal": JOB + "fair_share: {sharing: equal}\nnetwork: {extra_hosts: [x], background: ["
                   "{from: x, to: ps0, rate: 1Mbps}]}\n",
    "two-ps": "job: {profile: profile.yaml, parameter_servers: 3, steps: 4, warmup: 1}\n"
              "fair_share: {sharing: two-ps}\n",
    "backup": "job: {profile: profile.yaml, workers: 2, steps: 4, warmup: 1, sync: {backup: 2}}\n",
    "batch control": JOB.replace("steps", "batch_control: cpu, steps"),
    "policy's key": JOB + "transfer: {policy: fifo, credit: 1MB}\n",
    "window rule": JOB + "transfer: {grant: message, window_rule: every-window}\n",
    "order": JOB + "transfer: {policy: explicit, order: [empty]}\n",
    "sweep": JOB + "sweep: {network.rate: [1Gbps, fast], network.mtu: [100, 1500]}\n",
    # these may be run, with warnings
    "doubts": JOB + "transfer: {window: 28}\nnetwork: {rate: 1GBps, mtu: 65535, queue: 100KB}\n"
                    "faults: [{loss: 0.0001}, {slow: ps0, to: 0.5, at: 1000s}]\n",
    # ends while it runs
    "link lost": JOB + "network: {tcp: {min_rto: 1ms}}\nfaults: [{down: 100000s, at: 2ms}]\n",
}
PROFILES = {
    "cycle": ("deps: [pull/conv/weight, pull/conv/bias]", "deps: [backward/conv]"),
    "dependency": ("deps: [backward/fc]", "deps: [backward/cf]"),
    "negative": ("seconds: 0.0001", "seconds: -0.0001"),
    "twice": ("name: conv/bias,", "name: conv/weight,"),
}


def mistake_studies(root):
    with open(os.path.join(root, "test", "data", "tiny.profile.yaml"), encoding="utf-8") as file:
        profile = file.read()
    studies = [mistake(title, text, profile) for title, text in SCENARIOS.items()]
    return studies + [mistake(f"profile: {title}", JOB, profile.replace(old, new, 1))
                      for title, (old, new) in PROFILES.items()]


def mistake(title, text, profile):
    name = "mistake-" + title.replace(": ", "-").replace(" ", "-").replace("'", "")
    return Study(name, "mistake", {"scenario.yaml": text, "profile.yaml": profile},
                 check_and_run("scenario.yaml"), ("error texts",))

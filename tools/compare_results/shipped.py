# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The scenarios of the repository, made so small that each takes a second or two."""

import os
import re

from compare_results.study import Study, check_and_run, settings

PROFILE = re.compile(r"^ +profile: *(\S+)$", re.MULTILINE)
# What a scenario gets that is not named below.
SMALL = {"replications": 1, "job.scale": 0.01, "job.steps": 4, "job.warmup": 1}
SETTINGS = {
    "all-reduce/four-configurations": {"replications": 1, "job.scale": 0.01, "job.steps": 3,
                                       "job.warmup": 1},
    "all-reduce/gloo": {"replications": 1, "job.scale": 0.01, "job.workers": "[2, 3]",
                        "job.steps": 4, "job.warmup": 1},
    "all-reduce/buckets": {"replications": 1, "packet.replications": 1, "job.scale": 0.01,
                           "job.workers": 2, "job.steps": 4, "job.warmup": 1},
    "all-reduce/in-network": {"replications": 1, "job.scale": 0.005, "job.workers": 3, "job.steps": 3},
    "all-reduce/lb-bsp": {"job.scale": 0.02, "job.steps": 10, "job.warmup": 2},
    "all-reduce/ports": {"replications": 1, "job.scale": 0.005, "job.workers": 3, "job.steps": 3},
    "all-reduce/servers-or-ring": {"job.scale": 0.01, "job.workers": 2, "job.steps": 3,
                                   "job.warmup": 1, "network.rate": "1Gbps",
                                   "network.colocate": "{ps0: worker0}"},
    "all-reduce/servers-or-ring-packets": {"job.scale": 0.005},
    "all-reduce/thousand-workers": {"job.scale": 0.005, "job.workers": 8, "job.steps": 3, "job.warmup": 1},
    "alexnet-1gbps": {"replications": 2, "job.scale": 0.005, "job.steps": 5, "job.warmup": 2},
    "alexnet-1gbps/full": {"replications": 1, "job.scale": 0.004, "job.steps": 3, "job.warmup": 1},
    "congestion-control": {"replications": 1, "job.scale": 0.02, "job.steps": 4, "job.warmup": 1},
    "fair-share-validation": {"job.scale": 0.003, "job.workers": "[1, 5]", "job.steps": 3},
    **{f"host-fidelity/{model}": {"replications": 1, "job.scale": 0.005, "job.workers": "[1, 3]",
                                  "job.steps": 4, "job.warmup": 1}
       for model in ("alexnet", "resnet50", "vgg11")},
    "host-fidelity/collectives": {"job.scale": 0.001, "job.workers": 3, "job.steps": 3, "job.warmup": 1},
    "icpe": {"replications": 1, "job.scale": 0.005, "job.workers": "[1, 3]", "job.steps": 4,
             "job.warmup": 1, "transfer.window": "140KB"},
    "icpe/four-layers": {"job.scale": 0.05, "transfer.window": "1400KB"},
    "icpe/gpu": {"replications": 1, "job.scale": 0.01, "job.workers": "[1, 3]", "job.steps": 4,
                 "job.warmup": 1, "transfer.window": "280KB"},
    "icpe/streams": {},
    "incast": {"job.scale": 0.05, "job.workers": "[2, 3]", "job.steps": 4},
    "lb-bsp": {"job.scale": 0.05, "job.steps": 10},
    "lb-bsp/cluster-b": {"replications": 1, "job.scale": 0.002, "job.workers": 12, "job.steps": 8,
                         "job.warmup": 2},
    "lb-bsp/scaling": {"replications": 1, "job.scale": 0.01, "job.workers": 3, "job.steps": 3,
                       "job.warmup": 1},
    "matched-study": {"replications": 2, "packet.replications": 1, "job.scale": 0.01, "job.workers": 2, "job.steps": 4},
    "shared-hosts/dpro": {"replications": 1, "job.scale": 0.002, "job.steps": 3},
    "shared-hosts": {"replications": 1, "job.scale": 0.005, "job.steps": 3, "network.tcp.trains": True},
    "sharded": {"replications": 1, "job.scale": 0.005, "job.workers": 3, "job.steps": 3, "job.warmup": 1},
    "multipath": {"replications": 1, "job.scale": 0.005, "job.workers": 6, "job.steps": 3, "job.warmup": 1},
    "multipath/servers": {"replications": 1, "job.scale": 0.005, "job.workers": 6, "job.steps": 3},
    "multi-ps": {"job.scale": 0.001, "job.workers": 3, "job.steps": 3, "job.warmup": 1},
    "multi-ps/full-size": {"replications": 1, "packet.replications": 1, "job.scale": 0.002, "job.workers": 4, "job.steps": 3,
                           "job.warmup": 1},
    "phase-locking": {"replications": 1, "job.scale": 0.005, "job.workers": 3, "job.steps": 4, "job.warmup": 1},
    "prophet": {"job.scale": 0.02, "job.steps": 4, "job.warmup": 1, "transfer.partition": "200KB",
                "job.gradient_groups": "{bytes: 400KB}", "network.rate": "3Gbps"},
    "shared-buffer": {"replications": 1, "packet.replications": 1, "job.scale": 0.05, "job.workers": 6, "job.steps": 3,
                      "job.warmup": 1},
    "tcp-host/idle": {"job.scale": 0.05, "job.steps": 2},
    "tcp-host/reverse": {"job.scale": 0.02, "job.workers": 8, "job.steps": 1, "job.warmup": 0},
    "tcp-host/two-ports": {"job.scale": 0.05, "job.workers": 2, "job.steps": 3, "job.warmup": 1},
    "tictac": {"replications": 2, "job.scale": 0.01, "job.workers": "[1, 3]"},
    "tictac/toy": {"job.scale": 0.01},
    "transfer-order": {"replications": 1, "job.scale": 0.005, "job.workers": "[1, 4]",
                       "job.steps": 4, "job.warmup": 1},
}


def shipped_studies(root):
    """All YAML files below scenarios/ that have a job, each with its profile."""
    studies = []
    folder = os.path.join(root, "scenarios")
    for name in sorted(os.listdir(folder)):
        inner = os.path.join(folder, name)
        for file in sorted(os.listdir(inner)) if os.path.isdir(inner) else ():
            path = os.path.join(inner, file)
            if file.endswith(".yaml") and is_scenario(path):
                stem = file[:-len(".yaml")]
                title = name if stem == "scenario" else f"{name}/{stem}"
                studies.append(shipped_study(title, path))
    return studies


def is_scenario(path):
    with open(path, encoding="utf-8") as file:
        return re.search(r"^job:", file.read(), re.MULTILINE) is not None


def shipped_study(title, path):
    """The file and its profiles, at the same places as seen from each other."""
    folder = os.path.dirname(path)
    place = os.path.join("scenarios", os.path.basename(folder))
    scenario = os.path.join(place, os.path.basename(path))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    files = {scenario: text}
    for profile in PROFILE.findall(text):
        with open(os.path.join(folder, profile), encoding="utf-8") as file:
            files[os.path.normpath(os.path.join(place, profile))] = file.read()
    options = settings(SETTINGS.get(title, SMALL))
    return Study(title, "scenario", files, check_and_run(scenario, options), ("scaled down",))

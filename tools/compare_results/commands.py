# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Commands beside check and run: orders, imports, learning, and a study that is done in parts."""

import os

from compare_results.study import Study

ORDERS = ("alexnet-b8", "resnet50-b4")
# files of test/data/traces
IMPORTS = {"kineto": ("alexnet-b8.kineto.json.gz",),
           "torch-et": ("linear.et.json", "linear.kineto.json"),
           "tf-pb": ("googlenet_b8.w1.step3.RunMetadata.pb.gz",),
           "tf-pbtxt": ("alexnet_b8.w1.step3.RunMetadata.pbtxt.gz",)}


def command_studies(root):
    studies = []
    for profile in ORDERS:
        path = os.path.join(root, "scenarios", "profiles", f"{profile}.yaml")
        studies += [Study(f"order-{policy}-{profile}", "command", {"profile.yaml": read(path)},
                          [["order", "profile.yaml", f"--policy={policy}"]], ("dml order",))
                    for policy in ("tic", "tac")]
    for name, traces in IMPORTS.items():
        files = {trace: read(os.path.join(root, "test", "data", "traces", trace))
                 for trace in traces}
        command = ["import", "auto", *traces, "-o", "imported.yaml", "--batch-size", "8"]
        studies.append(Study(f"import-{name}", "command", files, [command], ("dml import",)))
    return studies + [learning(root), parts(root)]


def learning(root):
    """A run whose server crashes, and what a small problem learns in its order."""
    run = ["run", "tiny.yaml", "--out", "results", "--jobs", "1", "--set", "output.versions=true",
           "--set", "job.workers=3", "--set", "job.steps=20", "--set", "job.checkpoint=40ms",
           "--set", "faults=[{crash: ps0, at: 95ms, rejoin: 5ms}]"]
    return Study("learn", "command", tiny(root), [run, ["learn", "results"]], ("dml learn",))


def tiny(root):
    return {name: read(os.path.join(root, "test", "data", name))
            for name in ("tiny.yaml", "tiny.profile.yaml")}


def parts(root):
    """A list of cases, then what is missing: all of them."""
    run = ["run", "tiny.yaml", "--out", "results", "--set", "output.plots=true"]
    return Study("cases-and-resume", "command", tiny(root),
                 [[*run, "--emit-cases", "cases.txt"], [*run, "--jobs", "1", "--resume"]],
                 ("dml run in parts",))


def read(path):
    with open(path, "rb") as file:
        return file.read()

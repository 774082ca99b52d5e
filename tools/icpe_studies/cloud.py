#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 3(c), 20, 21, 23 and 25: clusters behind 10 Gbit/s, one and two servers."""

import os

from icpe_studies.accuracy import Job, draw_jobs, points, table, values
from icpe_studies.intervals import Mean
from order_studies.runs import Run
from validation_report.tables import simple
from validation_study.settings import MODELS, PROFILES

NAME = "cloud"
WORKERS = (1, 2, 4)
JUMBO = ("network.mtu=9000",)  # as within AWS
FAST = ("network.rate=10Gbps", *JUMBO)
CPU = (*FAST, "job.devices={cpu: {speed: 16}}", "job.batch_size=32")
GPU = (*FAST, "job.devices={gpu: {speed: 100}}", "job.batch_size=64")
FITTED = "inception-v3"  # whose GPU is that of scenarios/icpe/gpu.yaml


def make_job(kind, model, settings, servers=1):
    profile, scale = MODELS[model]
    fitted = kind != "cpu" and model == FITTED
    return Job(f"{kind}-{model}", profile, scale, "icpe/gpu.yaml" if fitted else "icpe",
               JUMBO if fitted else settings, servers, WORKERS)


SHARED = ("vgg11", FITTED)  # with two servers
CPU_JOBS = tuple(make_job("cpu", model, CPU) for model in ("alexnet", FITTED, "resnet50"))
GPU_JOBS = tuple(make_job("gpu", model, GPU) for model in ("alexnet", *SHARED, "resnet50"))
TWO_JOBS = tuple(make_job("gpu-2", model, GPU, 2) for model in SHARED)
PARTITION = Run("partition", "icpe", (
    "name=partition", "job.profile=%s" % os.path.relpath(os.path.join(PROFILES, "vgg11-b4.yaml")),
    "job.workers=1", "job.parameter_servers=2", "job.steps=1", "job.warmup=0", "replications=1",
    "output.ops=true", "transfer.window=off"), "fair-share")
PAPER_PARTITION = (407, 100)  # MB
RUNS = (*(job.run for job in (*CPU_JOBS, *GPU_JOBS, *TWO_JOBS)), PARTITION)


def partition(results):
    """(bytes, largest tensors) of each server."""
    held = {}
    for row in results[PARTITION.name].select("ops", {"resource": "downlink"}):
        held.setdefault(int(row["index"]), {})[row["op"].partition("/")[2]] = int(row["bytes"])
    return [(sum(tensors.values()), sorted(tensors, key=lambda name: -tensors[name])[:2])
            for _, tensors in sorted(held.items())]


def partition_table(found):
    rows = [[f"PS{i}", f"{size / 1e6:.0f}", str(PAPER_PARTITION[i - 1]), ", ".join(names)]
            for i, (size, names) in enumerate(found, 1)]
    return simple(["server", "MB", "the paper", "its largest tensors"], rows)


def gains(results):
    """What the second server brings in packets and fair-share, by (model, engine, W)."""
    found = {}
    for model in SHARED:
        for engine in ("packet", "fair-share"):
            for workers in WORKERS:
                one, two = (results[f"{kind}-{model}"].throughputs(workers, engine)
                            for kind in ("gpu", "gpu-2"))
                found[model, engine, workers] = Mean.of_ratios(two, one)
    return found


def gain_table(found):
    rows = [[model, engine, *(found[model, engine, workers].percent for workers in WORKERS)]
            for model in SHARED for engine in ("packet", "fair-share")]
    return simple(["model", "engine", *(f"W={workers}" for workers in WORKERS)], rows)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    groups = {"cpu": CPU_JOBS, "gpu": GPU_JOBS, "two": TWO_JOBS}
    found = {name: points(results, jobs) for name, jobs in groups.items()}
    tables, drawn, texts = {}, {}, {}
    for name, jobs in groups.items():
        tables[name] = table(found[name])
        drawn[name] = draw_jobs(found[name], jobs, picture(name))
        texts |= values(found[name], f"{name}-")
    gained, parts = gains(results), partition(results)
    tables |= {"gains": gain_table(gained), "partition": partition_table(parts)}
    texts |= {f"gain-{model}": gained[model, "packet", WORKERS[-1]].percent for model in SHARED}
    texts |= {f"ps{i}": f"{size / 1e6:.0f}" for i, (size, _) in enumerate(parts, 1)}
    texts |= {f"three-{workers}": found["gpu"][f"gpu-{FITTED}", workers].error.percent
              for workers in WORKERS}
    return tables, drawn, texts

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 3(c), 20, 21, 23 and 25: clusters behind 10 Gbit/s, one and two servers."""

import os
from dataclasses import replace

from icpe_studies.accuracy import Job, draw_jobs, points, table, values, worst
from order_studies.runs import Run
from study_intervals import Mean
from validation_report.tables import simple
from validation_study.settings import MODELS, PROFILES

NAME = "cloud"
CPU_REPLICATIONS, GPU_REPLICATIONS = 8, 5
# the paper's text names 14 CPUs, 2 to 4 GPUs and 6 to 9 with two servers; its GPUs of Fig. 22 are 1 to 10
CPU_WORKERS = (1, 2, 4, 8, 14)
GPU_WORKERS = (1, 2, 4, 10)
JUMBO = ("network.mtu=9000",)  # as within AWS
FAST = ("network.rate=10Gbps", *JUMBO)
CPU = (*FAST, "job.devices={cpu: {speed: 16}}", "job.batch_size=32")
GPU = (*FAST, "job.devices={gpu: {speed: 100}}", "job.batch_size=64")
FITTED = "inception-v3"  # whose GPU is that of scenarios/icpe/gpu.yaml


def make_job(kind, model, settings, servers=1):
    profile, scale = MODELS[model]
    fitted = kind != "cpu" and model == FITTED
    return Job(f"{kind}-{model}", profile, scale, "icpe/gpu.yaml" if fitted else "icpe",
               JUMBO if fitted else settings, servers,
               *((CPU_WORKERS, CPU_REPLICATIONS) if kind == "cpu" else (GPU_WORKERS, GPU_REPLICATIONS)))


SHARED = ("vgg11", FITTED)  # with two servers
GAIN_ENGINES = ("packet", "fair-share")
CPU_JOBS = tuple(make_job("cpu", model, CPU) for model in ("alexnet", FITTED, "resnet50"))
GPU_JOBS = tuple(make_job("gpu", model, GPU) for model in ("alexnet", *SHARED, "resnet50"))
TWO_JOBS = tuple(make_job("gpu-2", model, GPU, 2) for model in SHARED)
# the one with the largest error once more, at four times the size
LARGER = replace(CPU_JOBS[0], name="cpu-alexnet-larger", scale=4 * CPU_JOBS[0].scale,
                 workers=CPU_WORKERS[-1:], replications=3)
PARTITION = Run("partition", "icpe", (
    "name=partition", "job.profile=%s" % os.path.relpath(os.path.join(PROFILES, "vgg11-b4.yaml")),
    "job.workers=1", "job.parameter_servers=2", "job.steps=1", "job.warmup=0", "replications=1",
    "output.ops=true", "transfer.window=off"), "fair-share")
PAPER_PARTITION = (407, 100)  # MB
RUNS = (*(job.run for job in (*CPU_JOBS, *GPU_JOBS, *TWO_JOBS, LARGER)), PARTITION)


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
        for engine in GAIN_ENGINES:
            for workers in GPU_WORKERS:
                one, two = (results[f"{kind}-{model}"].throughputs(workers, engine)
                            for kind in ("gpu", "gpu-2"))
                found[model, engine, workers] = Mean.of_ratios(two, one)
    return found


def gain_table(found):
    columns = [(model, engine) for model in SHARED for engine in GAIN_ENGINES]
    rows = [[str(workers), *(found[(*column, workers)].percent for column in columns)]
            for workers in GPU_WORKERS]
    return simple(["W", *(f"{model}, {engine}" if engine == GAIN_ENGINES[0] else engine
                          for model, engine in columns)], rows)


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
    larger = points(results, (LARGER,))
    tables |= {"larger": table(larger), "gains": gain_table(gained),
               "partition": partition_table(parts)}
    texts |= {f"gain-{model}-{workers}": gained[model, "packet", workers].percent
              for model in SHARED for workers in GPU_WORKERS}
    texts |= {f"ps{i}": f"{size / 1e6:.0f}" for i, (size, _) in enumerate(parts, 1)}
    texts["larger"] = worst(larger).error.percent
    return tables, drawn, texts

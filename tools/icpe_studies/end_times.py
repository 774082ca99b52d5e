#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Table 1: errors of the end times of downlink streams of a lone worker."""

import os
import statistics

from order_studies.runs import Run
from study_intervals import Mean
from testbed_compare.report import quantile
from validation_report.tables import simple
from validation_study.settings import PROFILES

NAME = "end-times"
REPLICATIONS = 20
WINDOWS = "{min: 4MiB, max: 32MiB}"  # one of each connection, as real ones have them
MODELS = {"alexnet-b8": "AlexNet", "googlenet-b8": "GoogLeNet", "inception-v3-b4": "Inception-v3",
          "resnet50-b4": "ResNet-50"}
CLUSTERS = {"1g": ("1 Gbit/s", ()), "10g": ("10 Gbit/s", (
    "network.rate=10Gbps", "job.devices={cpu: {speed: 16}}", "job.batch_size=32"))}
STATISTICS = ("average", "median", "95th percentile", "maximum")
# the paper's, %, on its CPU cluster and on AWS
PAPER = {
    "alexnet-b8": ((1.82, 1.18, 3.35, 47.48), (2.89, 0.76, 9.71, 45.44)),
    "googlenet-b8": ((1.69, 1.07, 3.74, 75.83), (3.43, 2.76, 9.14, 64.24)),
    "inception-v3-b4": ((1.02, 0.35, 3.92, 87.88), (9.23, 8.01, 20.98, 98.19)),
    "resnet50-b4": ((1.26, 0.93, 2.32, 72.07), (4.36, 3.78, 9.70, 97.10)),
}


def run_name(model, cluster, how):
    return f"{model}-{cluster}-{how}"


def make_run(model, cluster, how):
    """`known` windows are those of the packets' connections, `mean` is the paper's constant."""
    name, known = run_name(model, cluster, how), how == "known"
    return Run(name, "icpe", (
        f"name={name}", f"job.profile={os.path.relpath(os.path.join(PROFILES, model + '.yaml'))}",
        "job.workers=1", "job.start=together", "job.steps=1", "job.warmup=0",
        f"replications={REPLICATIONS}", f"transfer.window={WINDOWS if known else '28MB'}",
        "output.transfers=true", *CLUSTERS[cluster][1]), "both" if known else "fair-share")


HOWS = ("known", "mean")
RUNS = tuple(make_run(model, cluster, how) for model in MODELS for cluster in CLUSTERS
             for how in HOWS)


def ends(folder, engine):
    """Seconds from the step's start to a stream's last byte, by replication, then tensor."""
    starts = {row["replication"]: float(row["start"])
              for row in folder.select("steps", {"engine": engine})}
    found = {}
    for row in folder.select("transfers", {"engine": engine, "direction": "downlink"}):
        found.setdefault(int(row["replication"]), {})[row["tensor"]] = (
            float(row["last_byte"]) - starts[row["replication"]])
    return found


def errors(predicted, real):
    """Relative errors of each replication, of all tensors."""
    return [[abs(predicted[replication][tensor] / end - 1) for tensor, end in tensors.items()]
            for replication, tensors in sorted(real.items())]


def summaries(found):
    """Mean over the replications of each statistic."""
    return tuple(Mean.of(statistic(values) for values in found) for statistic in (
        statistics.fmean, lambda values: quantile(values, 0.5), lambda values: quantile(values, 0.95), max))


def largest(found):
    """The maximum of all replications."""
    return max(max(values) for values in found)


def all_errors(results):
    """Summaries by (model, cluster, how), and the largest errors by the same."""
    found, most = {}, {}
    for model in MODELS:
        for cluster in CLUSTERS:
            real = ends(results[run_name(model, cluster, "known")], "packet")
            for how in HOWS:
                predicted = ends(results[run_name(model, cluster, how)], "fair-share")
                each = errors(predicted, real)
                found[model, cluster, how], most[model, cluster, how] = summaries(each), largest(each)
    return found, most


def above(found, most, models):
    """By how many points the largest error of all replications is above the mean of theirs, at most."""
    return f"{max(100 * (most[key] - means[-1].value) for key, means in found.items() if key[0] in models):.1f}"


def late(results, model, cluster):
    """By how much later than predicted with known windows streams end in packets, s: their median."""
    name = run_name(model, cluster, "known")
    real, predicted = (ends(results[name], engine) for engine in ("packet", "fair-share"))
    return statistics.fmean(
        quantile([end - predicted[replication][tensor] for tensor, end in tensors.items()], 0.5)
        for replication, tensors in real.items())


def error_table(found, cluster):
    place = list(CLUSTERS).index(cluster)
    rows = [[MODELS[model] if s == 0 else "", name,
             *(found[model, cluster, how][s].text(2, 100) for how in HOWS), f"{PAPER[model][place][s]:.2f}"]
            for model in MODELS for s, name in enumerate(STATISTICS)]
    return simple([CLUSTERS[cluster][0], "%", "known window", "28 MB", "the paper"], rows)


def report(results, _picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found, most = all_errors(results)
    values = {"above-alexnet": above(found, most, list(MODELS)[:1]),
              "above-others": above(found, most, list(MODELS)[1:])}
    for cluster in CLUSTERS:
        for how in HOWS:
            medians = [100 * found[model, cluster, how][1].value for model in MODELS]
            values[f"{cluster}-{how}"] = f"{min(medians):.2f} to {max(medians):.2f}"
    delays = [1e3 * late(results, model, cluster) for model in MODELS for cluster in CLUSTERS]
    values["late"] = f"{min(delays):.1f} to {max(delays):.1f}"
    values |= {f"{model}-{cluster}": found[model, cluster, "mean"][0].text(2, 100)
               for model in MODELS for cluster in CLUSTERS}
    return {cluster: error_table(found, cluster) for cluster in CLUSTERS}, {}, values

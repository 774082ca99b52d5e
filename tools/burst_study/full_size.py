#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Published studies at full size, and what scaling their jobs down, as packets need it, gets wrong."""

import math
import os
import statistics
from dataclasses import replace

import dml
from burst_study.errors import logarithms, mean_error, text_of
from icpe_studies import cloud, private_cluster
from validation_report.tables import simple

# Lengths in steps and replications: that of doc/icpe-studies.rst, and one in which throughput is steady
SHORT = ("replications=20",)
LONG = ("job.steps=60", "job.warmup=20", "replications=20")
FULL = ("job.steps=60", "job.warmup=20", "replications=5")
OWN = ("fair_share={}", "job.step_jitter=3ms")  # delays of links, in the model too


def run(folder, name, job, engine, settings):
    """The results of a job that packets run in doc/icpe-studies.rst."""
    job = replace(job, name=name).run
    out = os.path.join(folder, name)
    dml.execute("run", job.path, "--out", out, f"--engine={engine}", "--force",
                *(f"--set={setting}" for setting in (*job.settings, *settings)))
    return dml.Results(out)


def throughputs(results, workers, engine, scale=1.0):
    """Logarithms of what the full-size job would have."""
    case, = (case for case in results.cases if case["workers"] == workers)
    return [value + math.log(scale) for value in logarithms(case["engines"][engine]["replications"])]


def full_size(folder):
    """The jobs of Li et al. (ICPE 2020), on their private cluster and in the cloud, by bursts."""
    rows, errors, spent = [], {"short": [], "scaled": [], "fair-share": []}, 0.0
    for job in (*private_cluster.JOBS, *cloud.CPU_JOBS, *cloud.GPU_JOBS, *cloud.TWO_JOBS):
        full = run(folder, f"{job.name}-full", replace(job, scale=1), "fair-share,burst", (*OWN, *FULL))
        scaled = run(folder, f"{job.name}-scaled", job, "burst", (OWN[0], *LONG))
        short = run(folder, f"{job.name}-short", job, "burst", (OWN[0], *SHORT))
        spent += sum(each["timing"]["cpu_seconds"] for case in full.cases for each in case["engines"]["burst"]["replications"])
        for workers in job.workers:
            truth = throughputs(full, workers, "burst")
            found = {"fair-share": mean_error(throughputs(full, workers, "fair-share"), truth),
                     "scaled": mean_error(throughputs(scaled, workers, "burst", job.scale), truth),
                     "short": mean_error(throughputs(short, workers, "burst", job.scale), truth)}
            for name, error in found.items():
                errors[name].append(error)
            case, = (case for case in full.cases if case["workers"] == workers)
            burst = case["engines"]["burst"]
            rows.append([job.name, str(workers), f"{burst['mean']:.2f}", f"{burst['ci95']:.2f}",
                         *(text_of(*found[name]) for name in ("fair-share", "scaled", "short"))])
    heading = ["job", "W", "bursts", "+-", "fair-share", "scaled", "scaled, 8 steps"]
    values = {"full-size-cpu": f"{spent:.0f}", "full-size-cases": str(len(rows))}
    for name, found in errors.items():
        sizes = sorted(abs(error[0]) for error in found)
        values |= {f"full-size-{name}-median": f"{statistics.median(sizes):.1f}", f"full-size-{name}-most": f"{sizes[-1]:.1f}",
                   f"full-size-{name}-certain": str(sum(low > 0 or high < 0 for _, low, high in found))}
    return {"full-size": simple(heading, rows)}, values

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The job whose phases are studied, and what its runs tell."""

import cmath
import json
import math
import os
import statistics

import dml
from matched_study.factors import MODELS, PROFILES, ROOT

SCENARIO = os.path.join(ROOT, "scenarios", "phase-locking", "scenario.yaml")
RATE = 1e9  # bit/s, of every link
PORTS = {"fair": "{fair: 0B}", "FIFO": "1MB"}
INSTANTS = 200  # at which phases are looked at


def transfer_seconds(model):
    """A pull and a push of all tensors of one worker alone take so long at the links' rate."""
    return 2 * MODELS[model][1] * 8 / RATE


def settings(model, workers, servers, port, ratio):
    """`ratio` is that of transfer_seconds() over the seconds that a step computes."""
    speed = ratio * MODELS[model][2] / transfer_seconds(model)
    return {"job.profile": os.path.join(PROFILES, MODELS[model][0] + ".yaml"), "job.workers": workers,
            "job.parameter_servers": servers, "network.queue": PORTS.get(port, port),
            "job.devices": f"{{accelerator: {{speed: {speed:.6g}}}}}", "job.server_devices": "accelerator"}


def run(folder, name, chosen, engine="fair-share", jobs=None):
    """The results of one configuration."""
    return dml.run(SCENARIO, os.path.join(folder, name), engine=engine, settings=chosen, jobs=jobs, force=True)


def run_once(folder, name, chosen, engine):
    """The same, of results that the folder keeps: what is there is not run again."""
    stamp, path = [engine, chosen], os.path.join(folder, name + ".settings.json")
    results = dml.Results(os.path.join(folder, name))
    if os.path.exists(path) and results.finished:
        with open(path, encoding="utf-8") as file:
            if json.load(file) == stamp:
                return results
    with open(path, "w", encoding="utf-8") as file:
        json.dump(stamp, file)
    return run(folder, name, chosen, engine, jobs=1)


def steps_of(results, engine, until="done"):
    """{replication: {worker: [(start, done), ...]}}; `until` may be "end", when servers have all of the step, too."""
    found = {}
    for row in results.rows("steps"):
        if row["engine"] == engine:
            found.setdefault(int(row["replication"]), {}).setdefault(int(row["worker"]), []).append(
                (float(row["start"]), float(row[until])))
    return found


def order_parameter(workers, begin):
    """Kuramoto's: the length of the mean of unit vectors whose angles are how far each worker is in its step, averaged
    over time from `begin` until the first worker stops. 1 if all do the same at the same time, 0 if they are spread
    evenly."""
    end = min(steps[-1][1] for steps in workers.values())
    lengths = []
    for instant in range(INSTANTS):
        time = begin + (end - begin) * (instant + 0.5) / INSTANTS
        vectors = [cmath.exp(2j * math.pi * (time - start) / (after - start))
                   for steps in workers.values()
                   for (start, _), (after, _) in zip(steps, steps[1:]) if start <= time < after]
        if len(vectors) == len(workers):
            lengths.append(abs(sum(vectors)) / len(vectors))
    return statistics.fmean(lengths) if lengths else math.nan

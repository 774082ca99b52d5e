#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Results of runs of tools/order-studies, made up, for its tests."""

import csv
import itertools
import json
import os
import re

ENGINES = ("fair-share", "packet")
TOY_ORDERS = ("[recv1, recv2]", "[recv2, recv1]")


def variants(run):
    """All combinations of the run's sweep; that of scenarios/tictac/toy.yaml is in the file."""
    sweep = next((text for text in run.settings if text.startswith("sweep=")), None)
    if sweep is None:
        return [{"transfer.order": order} for order in TOY_ORDERS]
    keys = re.findall(r"([\w.]+): \[([^\]]*)\]", sweep)
    return [dict(zip((key for key, _ in keys), values))
            for values in itertools.product(*(text.split(", ") for _, text in keys))]


def setting(run, key, default):
    found = [text.partition("=")[2] for text in run.settings if text.startswith(key + "=")]
    return json.loads(found[0]) if found else default


def engines(run):
    return ENGINES if run.engine == "both" else (run.engine,)


def places(run, times):
    """(replication, step) of each iteration: one replication of steps, two of which do not count, or a
    replication for each."""
    together = "job.sync=bsp" in run.settings
    return [((0, at + 2) if together else (at, 0), seconds) for at, seconds in enumerate(times)]


def write_csv(folder, name, columns, rows):
    with open(os.path.join(folder, name + ".csv"), "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns.split(","))
        writer.writerows(rows)


def write_run(folder, run, throughput, step):
    """Results of a run; throughput(engine, variant, workers) and step(...) make its numbers,
    `step` the times of two iterations."""
    os.makedirs(folder)
    cases, rows = [], []
    servers = setting(run, "job.parameter_servers", 1)
    counts = [1] if run.scenario.endswith("toy.yaml") else setting(run, "job.workers", [1, 2, 4, 8])
    for variant in variants(run):
        label = ", ".join(f"{key}={value}" for key, value in variant.items())
        for workers in counts:
            found = {}
            for engine in engines(run):
                mean = throughput(engine, variant, workers)
                found[engine] = {"mean": mean,
                                 "replications": [
                                     {"throughput": 0.9 * mean,
                                      "schedule": {"straggler": 0.25, "efficiency": 0.5}},
                                     {"throughput": 1.1 * mean,
                                      "schedule": {"straggler": 0.75, "efficiency": 0.25}}],
                                 "schedule": {"straggler": {"mean": 0.25},
                                              "efficiency": {"mean": 0.5, "min": 0.25, "max": 0.75}},
                                 "timing": {"cpu_seconds": 3}}
                for (replication, at), seconds in places(run, step(engine, variant, workers)):
                    # worker 0 is done early: the last one ends the iteration
                    rows += [(label, workers, engine, replication, worker, at, 100 * at,
                              100 * at + (seconds if worker == workers - 1 else seconds / 2))
                             for worker in range(workers)]
            cases.append({"variant": variant, "workers": workers, "parameter_servers": servers,
                          "engines": found})
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        json.dump({"cases": cases, "timing": {"wall_seconds": 6}}, file, indent=1)
    write_csv(folder, "steps", "variant,workers,engine,replication,worker,step,start,end", rows)
    write_tables(folder, run)


def write_tables(folder, run):
    """The other tables of the runs that have some."""
    labels = [(", ".join(f"{key}={value}" for key, value in variant.items()), engine, replication)
              for variant in variants(run) for engine in engines(run) for replication in (0, 1)]
    if "output.ops=true" in run.settings:
        rows = [(label, engine, replication, worker, at, *op) for label, engine, replication in labels
                for worker in range(setting(run, "job.workers", None)[-1]) for at in (4, 5, 6)
                for op in step_ops(at, 1 + replication if "shuffled" in label else 0)]
        write_csv(folder, "ops", "variant,engine,replication,worker,step,resource,bytes,start,end", rows)
    if "output.transfers=true" in run.settings:
        write_csv(folder, "transfers", "variant,engine,replication,worker,step,tensor,direction,ready,"
                  "first_byte,last_byte", [row for key in labels for row in step_transfers(*key)])
    if "output.versions=true" in run.settings:
        write_csv(folder, "learning", "scheme,replication,updates,time,loss",
                  [(label, replication, update, update * (3 if "shuffled" in label else 2),
                    1 / (1 + update)) for label, _, replication in labels for update in (0, 2, 4)])


def step_ops(at, idle):
    """(resource, bytes, start, end): 4 s of a downlink and 3 s of the device; from `idle` s on the device
    does what it can beside the transfer, or 2 s more late with each step."""
    begin = 10 * at
    return [("downlink", 8_000_000, begin, begin + 4),
            ("device", 0, begin + 2 + idle, begin + 5 + idle + 0.5 * (at - 4))]


def step_transfers(label, engine, replication):
    """Two slices of one gradient and all of the others, in the last counted step of two workers."""
    from order_studies.prophet_gradients import SHOWN, gradient_names  # pylint: disable=C0415
    for worker in (0, 1):
        for at, name in enumerate(gradient_names()):
            ready = 1 if at else 2
            yield label, engine, replication, worker, SHOWN, f"{name}/0", "uplink", ready, 3, 4
            yield label, engine, replication, worker, SHOWN, f"{name}/1", "uplink", ready, 4, 5 + replication

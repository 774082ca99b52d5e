#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The real runs of the study of fidelity, predicted again without them: by today's engines and
defaults. Their means are those of its page, doc/data/fidelity.json."""

import collections
import json
import os
import statistics

from fidelity import host
from fidelity.results import throughputs
from order_studies.runs import Run
from validation_report.study import ENGINES
from validation_report.tables import percent, signed, simple
from validation_study.settings import ROOT

NAME = "blind"
DATA = os.path.join(ROOT, "doc", "data", "fidelity.json")
SETTINGS = ("output.connections=false", "output.transfers=false")
# Packets take hours: fewer numbers of workers, and seeds only where runs differ.
PACKETS = (*SETTINGS, "job.workers=[1, 2, 4, 8]")
FIFO = (*PACKETS, "packet.replications=3")
PARTS = {
    "fair-share": {"all": (*SETTINGS, "replications=10")},
    "packet": {"fair": (*PACKETS, "sweep.network.queue=[{fair: 0B}]"),
               "bursts": (*FIFO, "sweep.network.queue=[{drop_tail: 1MB, whole_bursts: true}]")},
}
# Ports that drop single packets, as those of hardware do.
SINGLE = {"packet": {"fifo": (*FIFO, "sweep.network.queue=[1MB]")}}
# Steps that begin as late as those of eight real workers on the two cores of that machine.
LATE = {"fair-share": {"late": (*PARTS["fair-share"]["all"], "job.step_jitter=8ms")}}
RUNS = tuple(Run(f"{engine}-{model}-{part}", f"host-fidelity/{model}.yaml", settings, engine)
             for group in (LATE, SINGLE, PARTS) for engine, parts in group.items()
             for model in host.MODELS for part, settings in parts.items())

Real = collections.namedtuple("Real", "mean repeats before")
Case = collections.namedtuple("Case", "key real now")


def read_real():
    """{(model, queue, M, start, W): Real} of the page's table of all cases."""
    with open(DATA, encoding="utf-8") as file:
        lines = json.load(file)[host.NAME]["tables"]["all"][3:-1]
    titles = {title: model for model, title in host.MODELS.items()}
    found = {}
    for line in lines:
        model, queue, servers, start, workers, mean, repeats, *errors = line.split()
        found[titles[model], queue, servers, start, workers] = Real(
            float(mean), float(repeats) / 100,
            {engine: float(error) / 100 for engine, error in zip(ENGINES, errors)})
    return found


def key_of(model, case):
    variant = case["variant"]
    return (model, host.queue_name("fair" in variant["network.queue"]),
            str(case["parameter_servers"]), host.start_name(variant["job.start"] == "together"),
            str(case["workers"]))


def read_cases(results, group):
    """The cases, as the runs of a group of parts predict them."""
    real = read_real()
    now = {key: {} for key in real}
    for engine, parts in group.items():
        for model in host.MODELS:
            for part in parts:
                for case in results.raw(f"{engine}-{model}-{part}"):
                    now[key_of(model, case)][engine] = throughputs(case, engine)
    return [Case(key, real[key], now[key]) for key in real]


def groups(cases):
    """(name, cases): all, by network, by network and start, by W, by model."""
    yield "all", cases
    for queue, servers in sorted({case.key[1:3] for case in cases}, reverse=True):
        mine = [case for case in cases if case.key[1:3] == (queue, servers)]
        yield f"{queue}, M = {servers}", mine
        for start in ("together", "apart"):
            yield f"- {start}", [case for case in mine if case.key[3] == start]
    for workers in sorted({case.key[4] for case in cases}):
        yield f"W = {workers}", [case for case in cases if case.key[4] == workers]
    for model, title in host.MODELS.items():
        yield title, [case for case in cases if case.key[0] == model]


def mean_size(values):
    return percent(statistics.fmean(map(abs, values)))


def error(case, engine):
    return statistics.fmean(case.now[engine]) / case.real.mean - 1


def between(case):
    """How far the engines are apart with the same seeds."""
    pairs = list(zip(*(case.now[engine] for engine in ENGINES)))
    fair_share, packet = (statistics.fmean(values) for values in zip(*pairs))
    return fair_share / packet - 1


def errors_table(cases):
    rows = []
    for name, group in groups(cases):
        row = [name, mean_size(case.real.repeats for case in group)]
        for engine in ENGINES:
            mine = [case for case in group if engine in case.now]
            errors = [error(case, engine) for case in mine]
            row += ([str(len(mine)), mean_size(case.real.before[engine] for case in mine),
                     mean_size(errors), signed(statistics.fmean(errors))] if mine
                    else ["0", "-", "-", "-"])
        rows.append(row)
    return simple(["cases", "repeats", "n", "f.-share", "now", "mean", "n", "packet", "now",
                   "mean"], rows)


def worst_table(cases):
    rows = []
    for engine in ENGINES:
        ordered = sorted((case for case in cases if engine in case.now),
                         key=lambda case, engine=engine: -abs(error(case, engine)))
        rows += [[engine, host.MODELS[case.key[0]], *case.key[1:], f"{case.real.mean:.2f}",
                  f"{statistics.fmean(case.now[engine]):.2f}", signed(error(case, engine)),
                  percent(case.real.repeats)] for case in ordered[:host.WORST]]
    return simple(["engine", "model", "queue", "M", "start", "W", "real", "predicted", "error",
                   "repeats"], rows)


def report(results, _):
    """(tables, pictures drawn, values) of the page."""
    cases = read_cases(results, PARTS)
    late = read_cases(results, LATE)
    values = {}
    for group, whole, part in ((cases, "all-fair-share", "together-fair-share"),
                               (late, "late-all", "late-together")):
        values[whole] = mean_size(error(case, "fair-share") for case in group)
        values[part] = mean_size(error(case, "fair-share") for case in group
                                 if case.key[1:4] == ("fair", "1", "together"))
    single = read_cases(results, SINGLE)
    for servers in ("1", "2"):
        values[f"single-{servers}-packet"] = mean_size(
            error(case, "packet") for case in single
            if case.key[2] == servers and "packet" in case.now)
    for queue in ("fair", "FIFO"):
        for servers in ("1", "2"):
            mine = [case for case in cases if case.key[1:3] == (queue, servers)]
            both = [case for case in mine if len(case.now) == len(ENGINES)]
            values[f"{queue.lower()}-{servers}-between"] = mean_size(map(between, both))
            values |= {f"{queue.lower()}-{servers}-{engine}": mean_size(
                error(case, engine) for case in mine if engine in case.now) for engine in ENGINES}
    return {"errors": errors_table(cases), "worst": worst_table(cases)}, {}, values

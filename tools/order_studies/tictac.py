#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""TicTac (MLSys 2019), Figs. 7 and 13: gain of TIC and TAC over no order, PS:W = 1:4."""

from dataclasses import dataclass
from statistics import fmean

from order_studies.results import find
from order_studies.runs import Run, scaled
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import percent, simple
from validation_study.settings import MODELS

NAME = "tictac"
# by the number of servers, one for four workers; one worker alone is not in the paper's figures
WORKERS = {1: (1, 2, 4), 2: (8,), 4: (16,)}
SERVERS = {workers: servers for servers, group in WORKERS.items() for workers in group}
ORDERS = ("tic", "tac")
BASELINE = "shuffled"  # no order
CONSISTENCY = "inception-v3"  # the paper: Inception v2
# Asynchronous training, for contrast.
ASYNC_MODELS = ("googlenet", "resnet50")
STARTS = ("together", "staggered")
ASYNC_REPLICATIONS = {"replications": 5, "packet.replications": 3}
GAPS = 6  # rows of the table of gaps


def sync_name(model, servers):
    return f"sync-{model}-m{servers}"


def async_name(model, servers):
    return f"async-{model}-m{servers}"


def make_run(name, model, servers, workers, *more):
    return Run(name, "tictac", (f"name={name}", *scaled(*MODELS[model]),
                                "job.sync=async", f"job.parameter_servers={servers}",
                                f"job.workers={list(workers)}", *more))


def make_runs():
    for servers, workers in WORKERS.items():
        for model in MODELS:
            yield make_run(sync_name(model, servers), model, servers, workers,
                           "sweep={transfer.policy: [shuffled, tic, tac]}")
    for servers, workers in WORKERS.items():
        for model in ASYNC_MODELS:
            yield make_run(async_name(model, servers), model, servers,
                           [w for w in workers if w > 1], "job.steps=12", "job.warmup=4",
                           *(f"{key}={count}" for key, count in ASYNC_REPLICATIONS.items()),
                           "sweep={transfer.policy: [shuffled, tic], "
                           "job.start: [together, staggered]}")


RUNS = tuple(make_runs())


@dataclass(frozen=True)
class Gain:
    """What an order gains in an engine: baseline / iteration - 1."""

    model: str
    order: str
    workers: int
    engine: str
    baselines: list  # s, of each iteration
    iterations: list  # s, of the same ones

    @property
    def mean(self):
        return Mean.of_gains(self.baselines, self.iterations)

    @property
    def value(self):
        return self.mean.value


def gains(results):
    """The gains of synchronous training by (model, order, W, engine)."""
    found = {}
    for model in MODELS:
        for order in ORDERS:
            for workers, servers in SERVERS.items():
                cases = results.cases([sync_name(model, servers)])
                for engine in ENGINES:
                    baseline, ordered = (find(cases, workers, engine, {"transfer.policy": policy})
                                         for policy in (BASELINE, order))
                    found[model, order, workers, engine] = Gain(
                        model, order, workers, engine,
                        *([case.ends[place] for place in sorted(case.ends)] for case in (baseline, ordered)))
    return found


def async_gains(results):
    """What TIC gains in throughput when workers do not wait, by (model, start, W, engine)."""
    found = {}
    for model in ASYNC_MODELS:
        for start in STARTS:
            for workers, servers in SERVERS.items():
                if workers == 1:
                    continue
                cases = results.cases([async_name(model, servers)])
                for engine in ENGINES:
                    baseline, ordered = (
                        find(cases, workers, engine,
                             {"transfer.policy": policy, "job.start": start})
                        for policy in (BASELINE, "tic"))
                    found[model, start, workers, engine] = Mean.of_gains(ordered.throughputs,
                                                                         baseline.throughputs)
    return found


def gain_tables(found):
    """One of each order and engine, by name."""
    return {f"gain-{order}-{engine}": simple(
        [f"{engine}, {order}", *(f"W={w}" for w in SERVERS)],
        [[model, *(found[model, order, workers, engine].mean.percent for workers in SERVERS)]
         for model in MODELS]) for order in ORDERS for engine in ENGINES}


def async_tables(found):
    """One of each engine, by name."""
    many = [workers for workers in SERVERS if workers > 1]
    return {f"async-{engine}": simple(
        [engine, "start", *(f"W={w}" for w in many)],
        [[model, start, *(found[model, start, workers, engine].percent for workers in many)]
         for model in ASYNC_MODELS for start in STARTS]) for engine in ENGINES}


def gap(found, key):
    """How much more the packet engine lets an order gain; `key` without the engine."""
    fair_share, packet = (found[(*key, engine)] for engine in ENGINES)
    return Mean.of(base / time - other_base / other for base, time, other_base, other in zip(
        packet.baselines, packet.iterations, fair_share.baselines, fair_share.iterations, strict=True))


def gaps(found):
    """Keys without the engine, the largest difference of gains first."""
    return sorted(dict.fromkeys(key[:-1] for key in found), key=lambda key: -abs(gap(found, key).value))


def gap_table(found):
    """Of every pair of engines: how far apart gains are, and by how much each of the two times differs."""
    rows = []
    for model, order, workers in gaps(found)[:GAPS]:
        fair_share, packet = (found[model, order, workers, engine] for engine in ENGINES)
        rows.append([model, order, str(workers), gap(found, (model, order, workers)).percent,
                     Mean.of_gains(packet.baselines, fair_share.baselines).percent,
                     Mean.of_gains(packet.iterations, fair_share.iterations).percent])
    return simple(["model", "order", "W", "gap", "time, none", "time, order"], rows)


def consistency_table(results):
    """Straggler time, normalised step time and scheduling efficiency, packet engine, over the iterations."""
    rows = []
    for workers, servers in SERVERS.items():
        cases = results.cases([sync_name(CONSISTENCY, servers)])
        cases = [find(cases, workers, "packet", {"transfer.policy": policy})
                 for policy in (BASELINE, "tac")]
        shortest = min(min(steps) for case in cases for steps in case.steps.values())
        rows.append([str(workers), *(Mean.of(case.each("straggler")).text(1, 100) for case in cases),
                     *(Mean.of(fmean(shortest / step for step in steps)
                               for steps in case.steps.values()).text(2) for case in cases),
                     *(Mean.of(case.each("efficiency")).text(2) for case in cases)])
    return simple(["W", "wait none", "tac", "step none", "tac", "E none", "tac"], rows)


def draw_gains(found, path):
    """TIC's gain over W: one panel per engine, one line per model."""
    commands, panels = "", []
    for e, engine in enumerate(ENGINES):
        lines = []
        for m, model in enumerate(MODELS):
            means = {w: found[model, "tic", w, engine].mean for w in SERVERS}
            commands += block(f"d{e}{m}", [(w, 100 * mean.value, 100 * mean.low, 100 * mean.high)
                                           for w, mean in means.items()])
            lines.append(f"$d{e}{m} using 1:2:3:4 with yerrorlines lw 2 ps 0.7 pt {m + 4} "
                         f"lc rgb '{COLOURS[m]}' title '{model}'")
        panels.append((engine, lines))
    top = 110 * max(gain.value for gain in found.values())
    low = 110 * min(0.0, *(gain.value for gain in found.values())) - 1
    commands += (f"set multiplot layout 1,{len(panels)}\nset yrange [{low:.4g}:{top:.4g}]\n"
                 "set logscale x 2\nset xrange [0.9:18]\nset xtics (1, 2, 4, 8, 16)\n"
                 "set xlabel 'Workers W'\nset key top right\n")
    for i, (engine, lines) in enumerate(panels):
        commands += f"set title '{engine}'\n"
        commands += "set ylabel 'gain of TIC (%)'\n" if i == 0 else "unset ylabel\nunset key\n"
        commands += "plot 0 lc rgb '#909090' notitle, " + ", ".join(lines) + "\n"
    return draw(path, 800, 420, commands + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found, asynchronous = gains(results), async_gains(results)
    largest = max(found.values(), key=lambda gain: gain.value)
    lowest = min(found.values(), key=lambda gain: gain.value)
    slowest, fastest = (pick(asynchronous.values(), key=lambda mean: mean.value) for pick in (min, max))
    many = [gain.value for gain in found.values() if gain.workers == max(SERVERS)]
    tables = {**gain_tables(found), "gap": gap_table(found),
              "consistency": consistency_table(results), **async_tables(asynchronous)}
    tic_tac = max(abs(found[model, "tic", w, engine].value - found[model, "tac", w, engine].value)
                  for model in MODELS for w in SERVERS for engine in ENGINES)
    scaled_out = max((g for g in found.values() if g.workers > 1), key=lambda gain: gain.value)
    worst = gaps(found)[0]
    values = {
        "largest": largest.mean.percent, "largest-case": case_text(largest),
        "largest-scaled-out": scaled_out.mean.percent, "largest-scaled-out-case":
        case_text(scaled_out), "lowest": lowest.mean.percent, "lowest-case": case_text(lowest),
        "many": f"{percent(min(many))} to {percent(max(many))}", "tic-tac": percent(tic_tac),
        "gap": gap(found, worst).percent, "gap-case": "{}, {}, W={}".format(*worst),
        "async-lowest": slowest.percent, "async-highest": fastest.percent,
        "async-replications": str(ASYNC_REPLICATIONS["replications"]),
        "async-packet": str(ASYNC_REPLICATIONS["packet.replications"]),
    }
    return tables, {"gains": draw_gains(found, picture("gains"))}, values


def case_text(gain):
    return f"{gain.model}, {gain.order}, W={gain.workers}, {gain.engine}"

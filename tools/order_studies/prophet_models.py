#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Prophet (ICPP 2021), Fig. 8, Table 3 and ResNet-18 of section 5.3: other models and batch sizes."""

import statistics

from order_studies.prophet_jobs import JOBS, PACKET_REPLICATIONS, make_run, per_worker, rate_text
from order_studies.results import find
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

NAME = "prophet-models"
POLICIES = ("fifo", "p3", "bytescheduler", "prophet")
PAIR = ("bytescheduler", "prophet")
# Table 3: (Prophet, ByteScheduler), samples/s of a worker
PAPER = {("resnet18", 16): (32.46, 29.06), ("resnet18", 64): (153, 115), ("resnet50", 16): (14.44, 14.22),
         ("resnet50", 32): (34.8, 28.5), ("resnet50", 64): (60, 44)}
# section 5.3, ResNet-18 with batches of 64: samples/s by rate and policy
PAPER_RATES = {"3Gbps": {"fifo": 110, "p3": 137, "prophet": 153},
               "10Gbps": {"fifo": 220, "p3": 220, "prophet": 220}}
FAST = "resnet18-10g"
FREE = "resnet50-free"  # slices cost nothing
PACKET = "resnet18", 64


def sweep(policies, batches, *more):
    return "sweep={" + ", ".join((f"transfer.policy: [{', '.join(policies)}]",
                                  f"job.batch_size: [{', '.join(map(str, batches))}]", *more)) + "}"


# packets take most of the time; those of ResNet-50 are in prophet_gradients
RUNS = (*(make_run(model, model, sweep(POLICIES, job.batches)) for model, job in JOBS.items()),
        make_run(PACKET[0] + "-packet", PACKET[0], sweep(PAIR, [PACKET[1]]), engine="packet"),
        make_run(FAST, "resnet18", sweep(POLICIES, [64]), rate="10Gbps"),
        make_run(FREE, "resnet50", "transfer.slice_overhead=0s", sweep(PAIR, JOBS["resnet50"].batches)))


def rates(results, model, batch, policy, engine="fair-share", run=None):
    """samples/s of a worker, of each replication."""
    run = run or (f"{model}-packet" if engine == "packet" else model)
    return per_worker(find(results.cases([run]), 3, engine,
                           {"transfer.policy": policy, "job.batch_size": str(batch)}))


def gain(results, model, batch, engine="fair-share", run=None):
    """Of Prophet over ByteScheduler, in throughput."""
    before, after = (rates(results, model, batch, policy, engine, run) for policy in PAIR)
    return Mean.of_gains(after, before)


def batch_table(results):
    rows = []
    for (model, batch), paper in PAPER.items():
        for engine in ENGINES[:2 if (model, batch) == PACKET else 1]:
            rows.append([model, str(batch), engine,
                         *(rate_text(rates(results, model, batch, policy, engine))
                           for policy in reversed(PAIR)), gain(results, model, batch, engine).percent])
        rows.append([model, str(batch), "the paper", *(f"{each:.1f}" for each in paper),
                     f"+{100 * (paper[0] / paper[1] - 1):.1f}"])
    return simple(["model", "batch", "", "prophet", "bytescheduler", "gain, %"], rows)


def rate_table(results):
    rows = []
    for rate, paper in PAPER_RATES.items():
        run = FAST if rate == "10Gbps" else "resnet18"
        rows.append([rate.removesuffix("Gbps"), "fair-share",
                     *(rate_text(rates(results, "resnet18", 64, policy, run=run))
                       for policy in POLICIES)])
        rows.append([rate.removesuffix("Gbps"), "the paper",
                     *(str(paper[policy]) if policy in paper else "-" for policy in POLICIES)])
    return simple(["Gbit/s", "", *POLICIES], rows)


def places():
    """(model, batch) of all models."""
    return [(model, batch) for model, job in JOBS.items() for batch in job.batches]


def draw_models(results, path):
    """Fig. 8: a cluster of bars for each model and batch size."""
    commands, lines = "", []
    for p, policy in enumerate(POLICIES):
        points = []
        for at, (model, batch) in enumerate(places()):
            mean = Mean.of(rates(results, model, batch, policy))
            points.append((at + 0.2 * (p - 1.5), mean.value, mean.low, mean.high))
        commands += block(f"d{p}", points)
        lines.append(f"$d{p} using 1:2:3:4:(0.19) with boxerrorbars fs solid 0.7 lc rgb '{COLOURS[p]}' title '{policy}'")
    names = ", ".join(f"'{model} ({batch})' {at}" for at, (model, batch) in enumerate(places()))
    commands += (f"set boxwidth 0.19\nset xtics ({names})\nset xtics rotate by -25\n"
                 f"set xrange [-0.6:{len(places()) - 0.4}]\nset yrange [0:*]\n"
                 "set ylabel 'samples/s of a worker'\nset key top right\nplot " + ", ".join(lines) + "\n")
    return draw(path, 800, 420, commands)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    gains = {place: gain(results, *place) for place in places()}
    most, least = max(gains, key=lambda p: gains[p].value), min(gains, key=lambda p: gains[p].value)

    def off(policy, at):
        """The largest deviation from Table 3."""
        return max((statistics.fmean(rates(results, *place, policy)) / paper[at] - 1
                    for place, paper in PAPER.items()), key=abs)

    values = {"off-prophet": signed(off("prophet", 0)), "off-bytescheduler": signed(off("bytescheduler", 1)),
              **{f"free-{batch}": gain(results, "resnet50", batch, run=FREE).percent
                 for batch in JOBS["resnet50"].batches},
              "most": gains[most].percent, "most-case": "{}, {} samples".format(*most),
              "least": gains[least].percent, "least-case": "{}, {} samples".format(*least),
              "packet-replications": str(PACKET_REPLICATIONS),
              "packet-gain": gain(results, *PACKET, "packet").percent,
              **{f"gain-{model}-{batch}": each.percent for (model, batch), each in gains.items()}}
    tables = {"batches": batch_table(results), "rates": rate_table(results)}
    return tables, {"rates": draw_models(results, picture("rates"))}, values

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 15 and 16: workers that start together get out of step."""

import statistics

from icpe_studies import ops
from icpe_studies.accuracy import Job
from icpe_studies.figures import Box, draw_lanes
from order_studies.runs import Run
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "interleaving"
WORKERS, BATCH = 3, 8
GROUPS = ((0, 1), (1, 5), (5, 10), (10, 20), (20, 50), (50, 100))  # steps
LAST = 20  # steps of packets
TOGETHER = ("job.start=together", f"job.workers={WORKERS}", "job.warmup=0")
LONG = Run("long", "icpe", ("name=long", *TOGETHER, "job.steps=100", "replications=20"), "fair-share")
PICTURE = Run("picture", "icpe", ("name=picture", *TOGETHER, "job.steps=100", "replications=1",
                                  "output.ops=true"), "fair-share")
SMALL = Job("packets", "alexnet-b8", 1 / 64, settings=(
    *TOGETHER, f"job.steps={LAST}"), replications=5)
RUNS = (LONG, PICTURE, SMALL.run)
# steps of the pictures
EARLY, LATE = (0, 1, 2), (96, 97, 98)


def rates(folder, engine, scale=1.0):
    """samples/s of the full-size job by group of steps: lists with a value for each replication."""
    steps = {}
    for row in folder.select("steps", {"engine": engine}):
        steps.setdefault(int(row["replication"]), []).append(
            (int(row["step"]), float(row["end"]) - float(row["start"])))
    found = {}
    for first, last in GROUPS:
        values = [[time for step, time in rows if first <= step < last] for rows in steps.values()]
        if all(values) and 1 + max(step for rows in steps.values() for step, _ in rows) >= last:
            found[first, last] = [scale * WORKERS * BATCH / statistics.fmean(each)
                                  for each in values]
    return found


def all_rates(results):
    """By name of a column."""
    small = results[SMALL.name]
    return {"fair-share": rates(results[LONG.name], "fair-share"),
            **{f"{engine}, 1/64": rates(small, engine, SMALL.scale) for engine in ENGINES}}


def rate_table(found):
    rows = [[f"{first + 1} to {last}" if last - first > 1 else str(last),
             *(Mean.of(values[first, last]).text(2) if (first, last) in values else "-"
               for values in found.values())] for first, last in GROUPS]
    return simple(["steps", *found], rows)


def draw_rates(found, path):
    """Fig. 16: throughput over the steps."""
    blocks, plots = "", []
    for i, (name, values) in enumerate(found.items()):
        rows = [((first + last + 1) / 2, Mean.of(each)) for (first, last), each in values.items()]
        blocks += block(f"d{i}", [(x, mean.value, mean.low, mean.high) for x, mean in rows])
        plots.append(f"$d{i} using 1:2:3:4 with yerrorlines lw 2 pt {i + 4} lc rgb '{COLOURS[i]}' "
                     f"title '{name}'")
    return draw(path, 760, 400, f"{blocks}set logscale x\nset xrange [0.9:110]\nset xlabel 'step'\n"
                "set ylabel 'samples/s'\nset yrange [0:*]\nset key bottom right\n"
                f"plot {', '.join(plots)}\n")


def lanes(found, steps):
    """The downlink and uplink of each worker while worker 0 is in these steps."""
    mine = [op for op in found if op.worker == 0 and op.step in steps]
    begin, until = min(op.start for op in mine), max(op.end for op in mine)
    rows = []
    for worker in range(WORKERS):
        for label, kind, colour in (("down", "pull", 0), ("up", "push", 1)):
            spans = ops.busy(ops.select(found, (kind,), worker))
            rows.append((f"{label} {worker}", [
                Box(max(0.0, start - begin), min(end, until) - begin, colour)
                for start, end in spans if start < until and end > begin]))
    return rows


def draw_phases(results, path):
    """Fig. 15: who uses the network when."""
    found = ops.read(results[PICTURE.name], "fair-share", WORKERS)
    return draw_lanes(path, [(f"steps {steps[0] + 1} to {steps[-1] + 1}", lanes(found, steps))
                             for steps in (EARLY, LATE)])


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = all_rates(results)
    long, packets = found["fair-share"], found["packet, 1/64"]
    gain = Mean.of_ratios(long[GROUPS[-1]], long[GROUPS[0]])
    small = Mean.of_ratios(packets[GROUPS[3]], packets[GROUPS[0]])
    return ({"rates": rate_table(found)},
            {"phases": draw_phases(results, picture("phases")),
             "rates": draw_rates(found, picture("rates"))},
            {"gain": gain.percent, "packet-gain": small.percent,
             "first": Mean.of(long[GROUPS[0]]).text(2), "last": Mean.of(long[GROUPS[-1]]).text(2)})

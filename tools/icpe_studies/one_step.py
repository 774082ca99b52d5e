#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 3(a), 3(b), 4 and 11: what a lone worker's step does when."""

import os
from dataclasses import dataclass

from icpe_studies import ops
from icpe_studies.figures import Box, draw_lanes
from order_studies.runs import Run
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple
from validation_study.settings import PROFILES

NAME = "one-step"
REPLICATIONS, STEPS = 5, 3
LANES = {"downlink": ("pull",), "forward": ("forward",), "backward": ("backward",),
         "uplink": ("push",), "updates": ("update",)}
RATE = 10  # Gbit/s, of Fig. 3(a)
PIECE = 20e6  # bytes; streams that are shorter are one colour in Fig. 11


def make_run(name, scenario, *settings):
    return Run(name, scenario, (f"name={name}", "job.workers=1", f"job.steps={STEPS}",
                                "job.warmup=1", f"replications={REPLICATIONS}", "output.ops=true",
                                "output.transfers=true", "output.links=true", *settings))


def profile(name):
    return f"job.profile={os.path.relpath(os.path.join(PROFILES, name + '.yaml'))}"


GPU = make_run("inception-v3-gpu", "icpe/gpu.yaml")
CPU = {name: make_run(name, "icpe", profile(name)) for name in ("alexnet-b8", "alexnet-b16")}
RUNS = (GPU, *CPU.values())
TITLES = {GPU.name: "GPU, 64", "alexnet-b8": "CPU, 8", "alexnet-b16": "CPU, 16"}


@dataclass(frozen=True)
class Overlap:
    """Parts of a step, s."""

    down: float
    down_computing: float  # of it while the worker computes
    up: float
    up_computing: float
    step: float

    @staticmethod
    def of(found, sent):
        """Of the steps of a replication after the first."""
        rows = []
        for step in range(1, STEPS):
            computing = ops.busy(ops.select(found, ("forward", "backward"), 0, step))
            down, up = (sent[direction, step] for direction in ("downlink", "uplink"))
            begin, end = step_span(found, sent, step)
            rows.append((ops.length(down), ops.common(down, computing), ops.length(up),
                         ops.common(up, computing), end - begin))
        return Overlap(*(sum(column) / len(rows) for column in zip(*rows)))


def step_span(found, sent, step):
    """When a step begins and ends, s."""
    spans = [(op.start, op.end) for op in found if op.step == step]
    spans += sent["downlink", step] + sent["uplink", step]
    return min(start for start, _ in spans), max(end for _, end in spans)


def read_sent(folder, engine, replication):
    """When something was on its way, by (direction, step): from a first byte to a last one."""
    found = {}
    for row in folder.select("transfers", {"engine": engine, "replication": str(replication)}):
        found.setdefault((row["direction"], int(row["step"])), []).append(
            (float(row["first_byte"]), float(row["last_byte"])))
    return {key: ops.union(spans) for key, spans in found.items()}


def read_step(folder, engine, replication=0):
    """(ops, what was sent) of a replication."""
    return ops.read(folder, engine, 1, replication), read_sent(folder, engine, replication)


def overlaps(results):
    """By (run, engine): one for each replication."""
    return {(run.name, engine): [Overlap.of(*read_step(results[run.name], engine, replication))
                                 for replication in range(REPLICATIONS)]
            for run in RUNS for engine in ENGINES}


def share(parts, direction):
    """How much of a direction's time the worker computes."""
    return Mean.of(getattr(part, direction + "_computing") / getattr(part, direction)
                   for part in parts)


def overlap_table(found):
    def milliseconds(parts, name):
        return Mean.of(getattr(part, name) for part in parts).text(0, 1000)

    rows = [[TITLES[run], engine, milliseconds(parts, "step"),
             *(text for direction in ("down", "up") for text in
               (milliseconds(parts, direction), share(parts, direction).text(1, 100)))]
            for (run, engine), parts in found.items()]
    return simple(["job", "engine", "step, ms", "down, ms", "busy, %", "up, ms", "busy, %"], rows)


def bandwidth(folder, direction, begin, end):
    """(s, Gbit/s) of a direction of the server's link in packets."""
    rows = folder.select("links", {"engine": "packet", "replication": "0", "direction": direction})
    return [(float(row["time"]) - begin, RATE * float(row["utilisation"])) for row in rows
            if begin <= float(row["time"]) < end]


def draw_bandwidth(results, path):
    """Fig. 3(a): both directions in a step of packets."""
    folder = results[GPU.name]
    begin, end = step_span(*read_step(folder, "packet"), 1)
    blocks = "".join(block(direction, bandwidth(folder, direction, begin, end))
                     for direction in ("downlink", "uplink"))
    plots = [f"${direction} using 1:2 with steps lw 2 lc rgb '{COLOURS[i]}' title '{direction}'"
             for i, direction in enumerate(("downlink", "uplink"))]
    return draw(path, 800, 320, f"{blocks}set xrange [0:{end - begin:.4g}]\nset yrange [0:11]\n"
                "set xlabel 'time (s)'\nset ylabel 'Gbit/s'\nset key top right\n"
                f"plot {', '.join(plots)}\n")


def lanes(found, sent, steps):
    """A lane for each phase, over these steps."""
    begin = step_span(found, sent, steps[0])[0]
    rows = []
    for i, (lane, kinds) in enumerate(LANES.items()):
        spans = [span for step in steps for span in (
            sent[lane, step] if (lane, step) in sent else
            ops.busy(op for op in found if op.step == step and op.kind in kinds))]
        rows.append((lane, [Box(start - begin, end - begin, i) for start, end in spans]))
    return rows


def draw_phases(results, path):
    """Fig. 3(b)."""
    return draw_lanes(path, [("Inception-v3, batch 64, on a GPU behind 10 Gbit/s: one step",
                              lanes(*read_step(results[GPU.name], "packet"), (1,)))])


def draw_steps(results, path):
    """Fig. 4."""
    return draw_lanes(path, [(f"AlexNet, batch {name.removeprefix('alexnet-b')}, on a CPU core",
                              lanes(*read_step(results[name], "packet"), range(STEPS)))
                             for name in CPU])


def draw_streams(results, path):
    """Fig. 11: which stream is on the downlink when; small ones share a lane."""
    panels = []
    for engine in ENGINES:
        found = ops.select(ops.read(results["alexnet-b8"], engine, 1), ("pull",), 0, 1)
        begin = min(op.start for op in found)
        sizes = {}
        for op in found:
            sizes[op.name] = sizes.get(op.name, 0) + op.bytes
        large = [name for name, size in sizes.items() if size > PIECE]
        rows = [("others", [op for op in found if op.name not in large])]
        rows += [(name.removesuffix(".weight"), [op for op in found if op.name == name])
                 for name in large]
        panels.append((engine, [(name, [Box(op.start - begin, op.end - begin, i) for op in mine])
                                for i, (name, mine) in enumerate(rows)]))
    return draw_lanes(path, panels)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = overlaps(results)
    gpu = found[GPU.name, "packet"]
    turns = ops.select(ops.read(results["alexnet-b8"], "packet", 1), ("pull",), 0, 1)
    values = {"down": share(gpu, "down").text(1, 100), "up": share(gpu, "up").text(1, 100),
              **{f"{kind}-{name}": share(found[name, "packet"], kind).text(1, 100)
                 for name in CPU for kind in ("down", "up")},
              "cut": str(len({op.name for op in turns
                              if sum(other.name == op.name and other.bytes > 1000
                                     for other in turns) == 2}))}
    return ({"overlaps": overlap_table(found)},
            {"bandwidth": draw_bandwidth(results, picture("bandwidth")),
             "phases": draw_phases(results, picture("phases")),
             "steps": draw_steps(results, picture("steps")),
             "streams": draw_streams(results, picture("streams"))}, values)

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 6 to 9 and 12: how a small model is trained and its streams are sent."""

import statistics

from icpe_studies import ops
from icpe_studies.figures import Box, draw_lanes
from order_studies.runs import Run
from study_intervals import Mean
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

NAME = "small-model"
LAYERS = ("conv0", "conv1", "fc0", "fc1")
LANES = {"downlink": ("pull",), "worker": ("forward", "backward"), "uplink": ("push",),
         "server": ("update",)}
# panel of Fig. 8: order and window
MECHANISMS = {"a": ("random", "28MB"), "b": ("random", "off"), "c": ("tic", "28MB"),
              "d": ("tic", "off")}
WINDOW_MB = 3
STREAMS = {"A": 5, "B": 2, "C": 7, "D": 3, "E": 4}  # MB, of scenarios/icpe/streams-profile.yaml
# The rule by hand: up to a window in a first turn, in order, then the rest of each
TURNS = "A:3 B:2 C:3 D:3 E:3 A:2 C:4 E:1"
LAST_FRAME = 1000  # bytes: less than that only ends a stream
SHARE_WORKERS = 3
SHOWN = 12  # s of Fig. 9

ORDERS = Run("orders", "icpe/four-layers.yaml", (
    "name=orders", "job.workers=1", "sweep={transfer.policy: [random, tic], "
    "transfer.window: [28MB, off]}"))
TWO = Run("two-workers", "icpe/four-layers.yaml", (
    "name=two-workers", "job.workers=2", "job.start=[0s, 400ms]"))
SHARES = Run("shares", "icpe/four-layers.yaml", (
    "name=shares", f"job.workers={SHARE_WORKERS}", "job.steps=8", "job.warmup=1",
    "job.start=staggered", "job.step_jitter=3ms", "replications=5"))
STREAM = Run("streams", "icpe/streams.yaml", ("name=streams",))
RUNS = (ORDERS, TWO, SHARES, STREAM)


def variant_of(panel):
    policy, window = MECHANISMS[panel]
    return {"transfer.policy": policy, "transfer.window": window}


def label_of(panel):
    return ", ".join(f"{key}={value}" for key, value in variant_of(panel).items())


def lanes(found, worker, step, prefix=""):
    """Boxes of a worker from the start of `step`, all steps where None; a colour for each layer."""
    mine = [op for op in found if op.worker == worker and step in (None, op.step)]
    start = 0 if step is None else min(op.start for op in mine)
    return [(prefix + lane, [Box(op.start - start, op.end - start, LAYERS.index(op.name), op.name)
                             for op in mine if op.kind in kinds])
            for lane, kinds in LANES.items()]


def draw_mechanisms(results, path):
    """A step of each panel of Fig. 8 in the packet engine."""
    panels = []
    for panel, (policy, window) in MECHANISMS.items():
        found = ops.read(results[ORDERS.name], "packet", 1, variant=label_of(panel))
        flow = f"windows of {window[:-2]} MB" if window != "off" else "no flow control"
        order = "a random order" if policy == "random" else "in the order of layers"
        panels.append((f"({panel}) {order}, {flow}", lanes(found, 0, 1)))
    return draw_lanes(path, panels)


def draw_two(results, path):
    """Fig. 7: two workers, as fair-share has them."""
    found = ops.read(results[TWO.name], "fair-share", 2)
    return draw_lanes(path, [(f"worker {worker}", lanes(found, worker, None)) for worker in (0, 1)])


def step_seconds(results, panel, engine):
    run = results[ORDERS.name].case(1, variant_of(panel))["engines"][engine]["replications"]
    return statistics.fmean(each["mean_step"] for each in run)


def mechanism_table(results):
    rows = []
    for panel, (policy, window) in MECHANISMS.items():
        fair_share, packet = (step_seconds(results, panel, engine) for engine in ENGINES)
        rows.append([f"({panel})", policy, window, f"{packet:.3f}", f"{fair_share:.3f}",
                     signed(fair_share / packet - 1)])
    return simple(["panel", "order", "window", "packet, s", "f.-share, s", "%"], rows)


def turns(found):
    """The downlink's turns of a step as STREAM:MB."""
    return " ".join(f"{op.name}:{op.bytes / 1e6:.0f}" for op in ops.select(found, ("pull",))
                    if op.bytes > LAST_FRAME)


def turn_table(results):
    rows = [["the rule", TURNS]]
    rows += [[engine, turns(ops.read(results[STREAM.name], engine, 1))] for engine in ENGINES]
    return simple(["", "turns, stream:MB"], rows)


def draw_streams(results, path):
    """Fig. 12: a lane for each stream."""
    panels = []
    for engine in ENGINES:
        found = ops.select(ops.read(results[STREAM.name], engine, 1), ("pull",))
        panels.append((engine, [(name, [Box(op.start, op.end, i, f"{op.bytes / 1e6:.0f} MB")
                                        for op in found if op.name == name
                                        and op.bytes > LAST_FRAME])
                                for i, name in enumerate(STREAMS)]))
    return draw_lanes(path, panels)


def share_steps(found):
    """(time, share of each worker) whenever somebody starts or ends to use the downlink."""
    active = {worker: ops.busy(ops.select(found, ("pull",), worker))
              for worker in range(SHARE_WORKERS)}
    times = sorted({time for spans in active.values() for span in spans for time in span})
    rows = []
    for time in times:
        using = [worker for worker, spans in active.items()
                 if any(start <= time < end for start, end in spans)]
        rows.append((time, [1 / len(using) if worker in using else 0 for worker in active]))
    return rows


def draw_shares(results, path):
    """Fig. 9: which part of the downlink each worker has, fair-share; points are what packets got."""
    rows = share_steps(ops.read(results[SHARES.name], "fair-share", SHARE_WORKERS))
    blocks, commands = "", ""
    for worker in range(SHARE_WORKERS):
        blocks += block(f"f{worker}", [(time, shares[worker]) for time, shares in rows])
        points = [(float(row["time"]), float(row["share"])) for row in
                  results[SHARES.name].select("shares", {"replication": "0", "engine": "packet",
                                                         "direction": "downlink",
                                                         "worker": str(worker)})]
        blocks += block(f"p{worker}", points)
        commands += (f"set title 'worker {worker}'\nset ylabel 'share'\n"
                     f"plot $f{worker} using 1:2 with fillsteps fs solid 0.3 lc rgb "
                     f"'{COLOURS[worker]}' notitle, $p{worker} using 1:2 with points pt 7 ps 0.35 "
                     f"lc rgb '{COLOURS[worker]}' notitle\n")
    return draw(path, 800, 200 * SHARE_WORKERS,
                f"{blocks}set xrange [0:{SHOWN}]\nset yrange [0:1.05]\nset ytics 0.5\n"
                f"set xlabel 'time (s)'\nset multiplot layout {SHARE_WORKERS},1\n{commands}"
                "unset multiplot\n")


def share_errors(folder):
    """Mean size of share * n - 1 while n > 1 workers are active, of each replication of packets."""
    found = {}
    for row in folder.select("shares", {"engine": "packet"}):
        if int(row["active"]) > 1:
            found.setdefault(row["replication"], []).append(
                abs(float(row["share"]) * int(row["active"]) - 1))
    return [statistics.fmean(values) for values in found.values()]


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    runs = results[SHARES.name].case(SHARE_WORKERS)["engines"]
    gap = Mean.of_ratios([run["throughput"] for run in runs["fair-share"]["replications"]],
                         [run["throughput"] for run in runs["packet"]["replications"]])
    saved = {engine: 1 - step_seconds(results, "d", engine) / step_seconds(results, "c", engine)
             for engine in ENGINES}
    agree = all(turns(ops.read(results[STREAM.name], engine, 1)) == TURNS for engine in ENGINES)
    values = {"gap": gap.percent,
              "share-error": Mean.of(share_errors(results[SHARES.name])).text(1, 100),
              "saved-packet": f"{100 * saved['packet']:.1f}",
              "saved-fair-share": f"{100 * saved['fair-share']:.1f}",
              "turns": "all" if agree else "not all"}
    return ({"mechanisms": mechanism_table(results), "turns": turn_table(results)},
            {"mechanisms": draw_mechanisms(results, picture("mechanisms")),
             "two": draw_two(results, picture("two")),
             "streams": draw_streams(results, picture("streams")),
             "shares": draw_shares(results, picture("shares"))}, values)

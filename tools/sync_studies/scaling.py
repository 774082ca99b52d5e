#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Asynchronous scaling with slow and fast GPUs and 1 or 2 servers: where it saturates."""

from operator import attrgetter

from sync_studies.runs import SMALL_BUFFERS, EngineRun, packet_scale
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

NAME = "scaling"
SCENARIO = "lb-bsp/scaling.yaml"
WORKERS = tuple(range(1, 17))
CLASSES = ("V100", "K520")
SERVERS = (1, 2)
RATES = ("10Gbps", "2.5Gbps")
LINES = EngineRun("lines", SCENARIO, ("name=lines",), engine="fair-share")
# in packets: a rate for each class at which it saturates with one server
PACKET_RATES = {"V100": "10Gbps", "K520": "2.5Gbps"}
PACKET_WORKERS = (1, 2, 4, 8, 16)
# label: class and what is different
POINTS = {"V100": ("V100", ()), "K520": ("K520", ()), "V100, 64 KiB": ("V100", SMALL_BUFFERS)}


def points_name(label):
    return "both-" + label.replace(",", "").replace(" ", "-")


def points_run(label):
    name, settings = POINTS[label]
    return EngineRun(points_name(label), SCENARIO, (
        f"name={points_name(label)}", f"job.workers={list(PACKET_WORKERS)}",
        f"job.worker_devices={name}", f"network.rate={PACKET_RATES[name]}", "replications=1",
        "job.steps=20", "job.warmup=6", *settings, *packet_scale(1 / 64),
        f"sweep={{job.parameter_servers: {list(SERVERS)}}}"))


RUNS = (LINES, *map(points_run, POINTS))


def lines(results, value):
    """{(class, rate, M): {W: value of a case}}, fair-share."""
    return {(name, rate, servers): {workers: value(results.case(LINES.name, "fair-share", workers, {
        "job.worker_devices": name, "job.parameter_servers": str(servers), "network.rate": rate}))
        for workers in WORKERS} for name in CLASSES for rate in RATES for servers in SERVERS}


def points(results):
    """samples/s of the job at its scale by (label, servers, W, engine)."""
    return {(label, servers, workers, engine): results.case(
        points_name(label), engine, workers, {"job.parameter_servers": str(servers)}).throughput
            for label in POINTS for servers in SERVERS for workers in PACKET_WORKERS
            for engine in ENGINES}


def saturation(found):
    """The first W from which on a worker more brings less than half of what the first one brought.
    Slopes are taken over two workers, as single ones are noisy. None: it is not reached."""
    after = None
    for workers in sorted(found)[1:-1]:
        slope = (found[workers + 1] - found[workers - 1]) / 2
        if slope >= found[1] / 2:
            after = None
        elif after is None:
            after = workers
    return after


def saturation_table(found):
    rows = []
    for (name, rate, servers), by_workers in found.items():
        at = saturation(by_workers)
        rows.append([name, rate.removesuffix("Gbps"), str(servers), f"{by_workers[1]:.1f}",
                     *(f"{by_workers[w] / by_workers[1]:.2f}" for w in PACKET_WORKERS[1:]),
                     f"> {WORKERS[-1]}" if at is None else str(at)])
    return simple(["class", "Gbit/s", "M", "W=1", *(f"x, {w}" for w in PACKET_WORKERS[1:]),
                   "saturates"], rows)


def error(found, label, servers, workers):
    fair_share, packet = (found[label, servers, workers, engine] for engine in ENGINES)
    return fair_share / packet - 1


def engine_table(found):
    rows = [[label, str(servers),
             *(f"{found[label, servers, w, 'packet'] / found[label, servers, 1, 'packet']:.2f}"
               for w in PACKET_WORKERS[1:]),
             *(signed(error(found, label, servers, w)) for w in PACKET_WORKERS)]
            for label in POINTS for servers in SERVERS]
    return simple(["class", "M", *(f"x, {w}" for w in PACKET_WORKERS[1:]),
                   *(f"e, {w}" for w in PACKET_WORKERS)], rows)


def draw_lines(found, both, path):
    """Throughput over that of one worker: lines fair-share, points packets; a panel per rate."""
    commands, panels = "", []
    for r, rate in enumerate(RATES):
        drawn = []
        for i, (name, servers) in enumerate((n, s) for n in CLASSES for s in SERVERS):
            style = f"lc rgb '{COLOURS[i]}'"
            by_workers = found[name, rate, servers]
            commands += block(f"l{r}{i}", [(w, by_workers[w] / by_workers[1]) for w in WORKERS])
            drawn.append(f"$l{r}{i} using 1:2 with lines lw 2 {style} title '{name}, M={servers}'")
            if PACKET_RATES[name] == rate:
                base = both[name, servers, 1, "packet"]
                commands += block(f"p{r}{i}", [(w, both[name, servers, w, "packet"] / base)
                                               for w in PACKET_WORKERS])
                drawn.append(f"$p{r}{i} using 1:2 with points pt {i + 4} {style} notitle")
        panels.append((rate, drawn))
    commands += (f"set multiplot layout 1,{len(panels)}\nset xrange [0:17]\nset yrange [0:17]\n"
                 "set xtics 4\nset xlabel 'Workers W'\nset key top left Left reverse\n")
    for i, (rate, drawn) in enumerate(panels):
        commands += f"set title '{rate.removesuffix('Gbps')} Gbit/s'\n"
        commands += ("set ylabel 'throughput over that of one worker'\n" if i == 0
                     else "unset ylabel\nunset key\n")
        commands += "plot x lw 1 dt 3 lc rgb '#909090' notitle, " + ", ".join(drawn) + "\n"
    return draw(path, 800, 420, commands + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found, both = lines(results, attrgetter("throughput")), points(results)

    def largest(labels):
        return max(((label, servers, workers) for label in labels for servers in SERVERS
                    for workers in PACKET_WORKERS), key=lambda key: abs(error(both, *key)))

    worst, small = largest(CLASSES), largest(["V100, 64 KiB"])
    values = {"worst": signed(error(both, *worst)), "worst-case": "{}, M={}, W={}".format(*worst),
              "small": signed(error(both, *small)), "small-case": "M={}, W={}".format(*small[1:]),
              "full": f"{found['K520', '2.5Gbps', 1][WORKERS[-1]]:.0f}"}
    for servers in SERVERS:
        bunched = [found["V100", "2.5Gbps", servers][w] for w in WORKERS if w >= 4]
        values[f"bunched-{servers}"] = f"{min(bunched):.0f} to {max(bunched):.0f}"
    return ({"saturation": saturation_table(found), "engines": engine_table(both)},
            {"lines": draw_lines(found, both, picture("lines"))},
            values)

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Asynchronous scaling with slow and fast GPUs and 1 or 2 servers: where it saturates."""

from sync_studies.runs import EngineRun, packet_scale
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
POINTS = {name: EngineRun(
    f"both-{name}", SCENARIO,
    (f"name=both-{name}", f"job.workers={list(PACKET_WORKERS)}", f"job.worker_devices={name}",
     f"network.rate={rate}", "replications=1", "job.steps=24", "job.warmup=8", *packet_scale(),
     f"sweep={{job.parameter_servers: {list(SERVERS)}}}")) for name, rate in PACKET_RATES.items()}
RUNS = (LINES, *POINTS.values())


def line(results, name, servers, rate):
    """samples/s by W, fair-share."""
    return {workers: results.case("lines", "fair-share", workers, {
        "job.worker_devices": name, "job.parameter_servers": str(servers),
        "network.rate": rate}).throughput for workers in WORKERS}


def lines(results):
    return {(name, rate, servers): line(results, name, servers, rate)
            for name in CLASSES for rate in RATES for servers in SERVERS}


def points(results):
    """samples/s of the job at its scale by (class, servers, W, engine)."""
    return {(name, servers, workers, engine): results.case(
        f"both-{name}", engine, workers, {"job.parameter_servers": str(servers)}).throughput
            for name in CLASSES for servers in SERVERS for workers in PACKET_WORKERS
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


def error(found, name, servers, workers):
    fair_share, packet = (found[name, servers, workers, engine] for engine in ENGINES)
    return fair_share / packet - 1


def engine_table(found):
    rows = [[name, PACKET_RATES[name].removesuffix("Gbps"), str(servers),
             *(f"{found[name, servers, w, 'packet'] / found[name, servers, 1, 'packet']:.2f}"
               for w in PACKET_WORKERS[1:]),
             *(signed(error(found, name, servers, w)) for w in PACKET_WORKERS)]
            for name in CLASSES for servers in SERVERS]
    return simple(["class", "Gbit/s", "M", *(f"x, {w}" for w in PACKET_WORKERS[1:]),
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
    found, both = lines(results), points(results)
    worst = max(((name, servers, workers) for name in CLASSES for servers in SERVERS
                 for workers in PACKET_WORKERS), key=lambda key: abs(error(both, *key)))
    return ({"saturation": saturation_table(found), "engines": engine_table(both)},
            {"lines": draw_lines(found, both, picture("lines"))},
            {"worst": signed(error(both, *worst)),
             "worst-case": "{}, M={}, W={}".format(*worst)})

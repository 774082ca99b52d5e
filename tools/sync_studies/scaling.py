#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Asynchronous scaling with slow and fast GPUs and 1 or 2 servers: where it saturates."""

from statistics import fmean

from study_intervals import Mean
from sync_studies.runs import SMALL_BUFFERS, EngineRun, packet_scale
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "scaling"
SCENARIO = "lb-bsp/scaling.yaml"
WORKERS = tuple(range(1, 17))
CLASSES = ("V100", "K520")
SERVERS = (1, 2)
RATES = ("10Gbps", "2.5Gbps")
REPLICATIONS = {"lines": 5, "points": 3}
LINES = EngineRun("lines", SCENARIO, ("name=lines", f"replications={REPLICATIONS['lines']}"),
                  engine="fair-share")
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
        f"job.worker_devices={name}", f"network.rate={PACKET_RATES[name]}", f"replications={REPLICATIONS['points']}",
        "job.steps=20", "job.warmup=6", *settings, *packet_scale(1 / 64),
        f"sweep={{job.parameter_servers: {list(SERVERS)}}}"))


RUNS = (LINES, *map(points_run, POINTS))


def lines(results):
    """{(class, rate, M): {W: samples/s of each replication}}, fair-share."""
    return {(name, rate, servers): {workers: results.case(LINES.name, "fair-share", workers, {
        "job.worker_devices": name, "job.parameter_servers": str(servers), "network.rate": rate}).throughputs
        for workers in WORKERS} for name in CLASSES for rate in RATES for servers in SERVERS}


def points(results):
    """Samples/s of the job at its scale by (label, servers, engine): {W: of each replication}."""
    return {(label, servers, engine): {workers: results.case(
        points_name(label), engine, workers, {"job.parameter_servers": str(servers)}).throughputs
            for workers in PACKET_WORKERS} for label in POINTS for servers in SERVERS for engine in ENGINES}


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


def saturations(by_workers):
    """Where it saturates: the range over the replications, as text."""
    reached = [saturation(dict(zip(by_workers, values))) for values in zip(*by_workers.values())]
    numbers = [WORKERS[-1] + 1 if at is None else at for at in reached]
    low, high = (str(at) if at in WORKERS else f"> {WORKERS[-1]}" for at in (min(numbers), max(numbers)))
    return low if low == high else f"{low} to {high}"


def speed_up(by_workers, workers):
    """Throughput over that of one worker, by pairs of replications with the same seed."""
    return Mean.of_pairs(by_workers[workers], by_workers[1])


def speed_ups(by_workers):
    """Cells of a table."""
    found = (speed_up(by_workers, workers) for workers in PACKET_WORKERS[1:])
    return [each.text(2 if each.value < 10 else 1) for each in found]


SPEED_UP_HEADS = tuple(f"x, {workers}" for workers in PACKET_WORKERS[1:])


def saturation_table(found):
    rows = [[f"{name}, {rate.removesuffix('Gbps')}", str(servers), Mean.of(by_workers[1]).text(1),
             *speed_ups(by_workers), saturations(by_workers)]
            for (name, rate, servers), by_workers in found.items()]
    return simple(["GPU, Gbit/s", "M", "W=1", *SPEED_UP_HEADS, "from"], rows)


def packet_table(found):
    return simple(["class", "M", *SPEED_UP_HEADS],
                  [[label, str(servers), *speed_ups(found[label, servers, "packet"])]
                   for label in POINTS for servers in SERVERS])


def error(found, label, servers, workers):
    """Of fair-share against packets, by pairs of replications with the same seed."""
    fair_share, packet = (found[label, servers, engine][workers] for engine in ENGINES)
    return Mean.of_gains(fair_share, packet)


def error_table(found):
    return simple(["class", "M", *(f"W={workers}" for workers in PACKET_WORKERS)],
                  [[label, str(servers), *(error(found, label, servers, w).percent for w in PACKET_WORKERS)]
                   for label in POINTS for servers in SERVERS])


def draw_lines(found, both, path):
    """Throughput over that of one worker: lines fair-share, points packets; a panel per rate."""
    commands, panels = "", []
    for r, rate in enumerate(RATES):
        drawn = []
        for i, (name, servers) in enumerate((n, s) for n in CLASSES for s in SERVERS):
            style = f"lc rgb '{COLOURS[i]}'"
            by_workers = found[name, rate, servers]
            commands += block(f"l{r}{i}", [(w, speed_up(by_workers, w).value) for w in WORKERS])
            drawn.append(f"$l{r}{i} using 1:2 with lines lw 2 {style} title '{name}, M={servers}'")
            if PACKET_RATES[name] == rate:
                packets = both[name, servers, "packet"]
                commands += block(f"p{r}{i}", [(w, speed_up(packets, w).value) for w in PACKET_WORKERS])
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

    def largest(labels):
        """Of the errors that are not chance, of all where too few replications tell."""
        keys = [(label, servers, workers) for label in labels for servers in SERVERS for workers in PACKET_WORKERS]
        return max([key for key in keys if error(both, *key).certain] or keys,
                   key=lambda key: abs(error(both, *key).value))

    worst, small = largest(CLASSES), largest(["V100, 64 KiB"])
    one, two = (found["V100", "2.5Gbps", servers] for servers in SERVERS)
    values = {"worst": error(both, *worst).percent, "worst-case": "{}, M={}, W={}".format(*worst),
              "small": error(both, *small).percent, "small-case": "M={}, W={}".format(*small[1:]),
              "full": Mean.of(found["K520", "2.5Gbps", 1][WORKERS[-1]]).text(),
              **{f"second-{workers}": Mean.of_pairs(two[workers], one[workers]).text(2)
                 for workers in PACKET_WORKERS[1:]},
              **{f"{name}-replications": str(count) for name, count in REPLICATIONS.items()}}
    for servers in SERVERS:
        bunched = [fmean(found["V100", "2.5Gbps", servers][w]) for w in WORKERS if w >= 4]
        values[f"bunched-{servers}"] = f"{min(bunched):.0f} to {max(bunched):.0f}"
    return ({"saturation": saturation_table(found), "packets": packet_table(both), "errors": error_table(both)},
            {"lines": draw_lines(found, both, picture("lines"))},
            values)

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The parts of the study: a law for two workers, a map, and packets beside it. Each gives tables and values."""

import os
import statistics

from phase_study import job
from study_intervals import Mean
from validation_report.tables import simple

RATIOS = (0.25, 0.5, 1, 2, 4)
MAP_MODELS = ("alexnet", "resnet50")
MAP_WORKERS = (2, 4, 8, 16)
MAP_SERVERS = (1, 2, 4, 8)
VGG_WORKERS = (2, 4, 8, 16)
# What is checked in packets: model, W, M, ports, ratio. GoogLeNet is the smallest model that shows it all.
CHECKED = tuple(("googlenet", 8, servers, port, 1) for servers in (1, 4) for port in job.PORTS)
PACKET_RUNS = 4
CHECKED_STEPS = {"job.steps": 20, "job.warmup": 10}

# Tensors of four servers, one each, by name of the row; a step computes as long as it communicates.
BALANCES = (("25, 25, 25, 25", [25e6] * 4), ("25.25, 25, 25, 24.75", [25.25e6, 25e6, 25e6, 24.75e6]),
            ("27.5, 25, 25, 22.5", [27.5e6, 25e6, 25e6, 22.5e6]), ("62, 13, 13, 12", [62e6, 13e6, 13e6, 12e6]))
BALANCE_SECONDS = 1.6
BALANCE_WORKERS = (4, 8, 16)
LAW_SIZES = ((30e6, 20e6), (40e6, 10e6), (25e6, 25e6))  # of both tensors
LAW_LAGS = (0.05, 0.1, 0.2, 0.3, 0.4)  # s
LAW_STEPS = 4
GOODPUT = 1e9 / 8 * (1448 / 1502) * (16384 / (16384 + 9))  # of tensors, on a link: segments and HTTP/2 frames


def next_lag(lag, big, small, capacity=GOODPUT):
    """The lag of the later of two workers after a pull (or push) of a tensor from each of two servers over fair ports
    of this capacity, of what it was before; `big` and `small` are bytes, seconds else. doc/phase-locking.rst derives it."""
    return min(lag, max(lag / 2, lag - min(big - small, small) / capacity, 2 * lag - (big + small) / capacity))


def made_up(folder, sizes, seconds):
    """Settings of a job that pulls these tensors, one from each server, computes, and pushes them."""
    def lines(template, tensors):
        return "".join(template.format(tensor, size) for tensor, size in tensors)

    tensors = [(f"t{at}", round(size)) for at, size in enumerate(sizes)]
    pulls = ", ".join(f"pull/{tensor}" for tensor, _ in tensors)
    path = os.path.join(folder, "made-up.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("schema: dml-profile/1\nmodel: made-up\nbatch_size: 1\nsource: {made: by hand}\ntensors:\n"
                   + lines("  - {{name: {0}, bytes: {1}}}\n", tensors) + "ops:\n"
                   + lines("  - {{name: pull/{0}, kind: pull, tensor: {0}}}\n", tensors)
                   + f"  - {{name: compute, kind: forward, deps: [{pulls}], seconds: {seconds}}}\n"
                   + lines("  - {{name: push/{0}, kind: push, tensor: {0}, deps: [compute]}}\n"
                           "  - {{name: update/{0}, kind: update, tensor: {0}, deps: [push/{0}], seconds: 0}}\n", tensors))
    return {"job.profile": path, "job.parameter_servers": len(sizes), "job.devices": "{cpu: {speed: 1}}",
            "job.server_devices": "cpu", "network.queue": job.PORTS["fair"],
            "job.placement": "{" + ", ".join(f"{tensor}: {at}" for at, (tensor, _) in enumerate(tensors)) + "}"}


def law_lags(folder, big, small, lag):
    """What the fair-share engine has: the lag at the start of each step."""
    settings = {**made_up(folder, (big, small), 0.7), "job.workers": 2, "replications": 1, "job.steps": LAW_STEPS + 1,
                "job.warmup": 1, "job.step_jitter": "0s", "job.start": f"[0s, {lag}s]", "job.sampling": "in-order",
                "transfer.window": "off", "fair_share.one_way_delay": "0s", "network.delay": "0s"}
    steps = job.steps_of(job.run(folder, "law", settings, jobs=1), "fair-share")[0]
    return [late[0] - early[0] for early, late in zip(steps[0], steps[1])]


def law(folder):
    """How the lag of the second worker changes from step to step, and by the formula."""
    rows, largest = [], 0.0
    for big, small in LAW_SIZES:
        for lag in LAW_LAGS:
            found, expected = law_lags(folder, big, small, lag), [lag]
            for _ in range(LAW_STEPS):
                expected.append(next_lag(next_lag(expected[-1], big, small), big, small))
            largest = max(largest, *(abs(one - other) for one, other in zip(found, expected, strict=True)))
            rows.append([f"{big / 1e6:.0f}", f"{small / 1e6:.0f}", *(f"{1e3 * value:.1f}" for value in found)])
    heading = ["MB", "MB", *(f"step {at}" for at in range(LAW_STEPS + 1))]
    return {"law": simple(heading, rows)}, {"law-error": f"{1e6 * largest:.1f}"}


def limits(folder, settings):
    """Samples/s of a worker alone, and how much of the busiest link of a server it takes."""
    case, = job.run(folder, "one", {**settings, "job.workers": 1}).cases
    engine = case["engines"]["fair-share"]
    busy = statistics.fmean(max(max(links) for links in run["utilisation"].values()) for run in engine["replications"])
    return engine["mean"], busy


def efficiency(throughput, workers, alone, busy):
    """Of the most that there can be: all workers as fast as alone, or the busiest link full."""
    return throughput / min(workers * alone, alone / busy)


def measure(folder, settings, engine="fair-share"):
    """Throughputs of the replications, and the mean order parameter."""
    results = job.run(folder, "run", settings, engine)
    case, = results.cases
    runs = [run for run in case["engines"][engine]["replications"] if run["throughput"]]
    steps = job.steps_of(results, engine)
    orders = [job.order_parameter(steps[run["replication"]], run["t0"]) for run in runs]
    return [run["throughput"] for run in runs], statistics.fmean(orders)


def phase_map(folder):
    """Efficiency in per cent and order parameter, in fair-share."""
    tables, worst = {}, []
    for model in MAP_MODELS:
        rows = []
        for servers in MAP_SERVERS:
            known = {ratio: limits(folder, job.settings(model, 1, servers, "fair", ratio)) for ratio in RATIOS}
            for port in job.PORTS:
                for workers in MAP_WORKERS:
                    cells = []
                    for ratio in RATIOS:
                        throughputs, order = measure(folder, job.settings(model, workers, servers, port, ratio))
                        share = efficiency(statistics.fmean(throughputs), workers, *known[ratio])
                        worst.append((share, order, model, servers, port, workers, ratio))
                        cells.append(f"{100 * share:.0f} ({order:.2f})")
                    rows.append([str(servers), port, str(workers), *cells])
                    print(model, *rows[-1], flush=True)
        tables["map-" + model] = simple(["M", "ports", "W", *(f"{ratio}" for ratio in RATIOS)], rows)
    return tables, {"map-worst": f"{100 * min(worst)[0]:.0f}"}


def balance(folder):
    """Four servers that have the same bytes, or nearly so, or not."""
    rows = []
    for name, sizes in BALANCES:
        settings = made_up(folder, sizes, BALANCE_SECONDS)
        known = limits(folder, settings)
        cells = []
        for workers in BALANCE_WORKERS:
            throughputs, order = measure(folder, {**settings, "job.workers": workers})
            cells.append(f"{100 * efficiency(statistics.fmean(throughputs), workers, *known):.0f} ({order:.2f})")
        rows.append([name, *cells])
    return {"balance": simple(["MB on each server", *(f"W = {workers}" for workers in BALANCE_WORKERS)], rows)}, {}


def packets(folder):
    """The same cells in both engines."""
    rows = []
    for model, workers, servers, port, ratio in CHECKED:
        settings = {**job.settings(model, workers, servers, port, ratio), **CHECKED_STEPS}
        known = limits(folder, settings)
        fair, fair_order = measure(folder, {**settings, "replications": 40})
        bursts = {**settings, "replications": PACKET_RUNS, "network.tcp.trains": True}
        if port == "FIFO":
            bursts["network.queue"] = "{drop_tail: 1MB, whole_bursts: true}"
        found, order = measure(folder, bursts, "packet")
        share = [100 * efficiency(value, workers, *known) for value in found]
        model_share = [100 * efficiency(value, workers, *known) for value in fair]
        rows.append([model, str(workers), str(servers), port, str(ratio), f"{statistics.fmean(model_share):.0f}",
                     Mean.of(share).text(0), f"{fair_order:.2f}", f"{order:.2f}"])
        print(*rows[-1], flush=True)
    return {"packets": simple(["model", "W", "M", "ports", "ratio", "fair-share, %", "packets, %", "order, fair-share",
                               "order, packets"], rows)}, {}


def servers(folder):
    """VGG-11 on the devices of its profile: samples/s by the number of servers, in fair-share."""
    rows = []
    for port in job.PORTS:
        for workers in VGG_WORKERS:
            cells = []
            for count in MAP_SERVERS:
                settings = {**job.settings("vgg11", workers, count, port, 1), "replications": 40,
                            "job.devices": "{cpu: {speed: 1}}", "job.server_devices": "cpu"}
                throughputs, order = measure(folder, settings)
                cells.append(f"{Mean.of(throughputs).text(3)} ({order:.2f})")
            rows.append([port, str(workers), *cells])
    return {"servers": simple(["ports", "W", *(f"M = {count}" for count in MAP_SERVERS)], rows)}, {}


PARTS = {"servers": servers, "law": law, "balance": balance, "map": phase_map, "packets": packets}

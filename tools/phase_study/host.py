#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The parts of the study that need real time: what real processes over the kernel's TCP do, beside the models.

Two cores do not carry VGG-11 at 1 Gbit/s. Bytes, rate and the time of computing are scaled so that the ratios of
tensors, windows and queues to each other and of communication to computing stay as they are, and steps only take less
time."""

import os
import statistics

from phase_study import contention, job, parts
from study_intervals import Mean
from validation_report.tables import simple

ENGINES = ("fair-share", "packet", "host")
RATE = 0.25  # Gbit/s
LAW_QUEUE = "{fair: 100KB}"
LAW_SIZES = ((7.5e6, 5e6), (10e6, 2.5e6), (6.25e6, 6.25e6))  # a fourth of those of parts.LAW_SIZES
LAW_LAGS = (0.05, 0.2, 0.35)  # s
LAW_RUNS = 5
LAW_STEPS = 3

SCALE = 1 / 32  # of VGG-11's bytes
SPEED = RATE / SCALE  # of devices, so that steps take 1/SPEED of the time
WORKERS = 4
COUNTS = {1: 12, 4: 6}  # replications by number of servers; those of one server differ more
ROUNDS = 3  # in which they are run, so that what disturbs the machine for minutes meets both
STEPS = {"job.steps": 16, "job.warmup": 6}


def throughputs_of(results, engine, warmup):
    """Samples/s of the replications as the program defines them, their order parameters, and the largest lateness of
    timers, s. The program leaves out runs of the host engine during which something else took much of a core; here the
    links are so slow that one core is enough, and what tells whether a run was held up is how late its timers were."""
    case, = results.cases
    batch = {int(row["batch"]) for row in results.rows("steps")}.pop()
    speeds, orders, lateness = [], [], []
    for run in case["engines"][engine]["replications"]:
        replication = run["replication"] or 0
        ends = job.steps_of(results, engine, "end")[replication]
        begin = max(steps[warmup - 1][1] for steps in ends.values())
        end = min(steps[-1][1] for steps in ends.values())
        count = sum(begin < done <= end for steps in ends.values() for _, done in steps)
        speeds.append(batch * count / (end - begin))
        orders.append(job.order_parameter(job.steps_of(results, engine)[replication], begin))
        lateness.append((run.get("host") or {}).get("largest_lateness", 0.0))
    return speeds, orders, max(lateness)


def phase_lags(results, engine, replication):
    """(before, after) of each pull and push of two workers: seconds by which the second one was late."""
    begins, ends = {}, {}
    for row in results.rows("transfers"):
        if row["engine"] == engine and int(row["replication"]) == replication:
            phase = int(row["step"]), row["direction"]
            key = phase, int(row["worker"])
            begins[key] = min(begins.get(key, float("inf")), float(row["ready"]))
            ends[key] = max(ends.get(key, 0.0), float(row["last_byte"]))
    for step in range(LAW_STEPS):
        for direction in ("downlink", "uplink"):
            first, second = (((step, direction), worker) for worker in (0, 1))
            yield begins[second] - begins[first], ends[second] - ends[first]


def host_law(folder):
    """Lags before and after each pull and push, beside the formula for what was measured before."""
    rows, capacity = [], parts.GOODPUT * RATE
    errors = {engine: [] for engine in ENGINES}
    for big, small in LAW_SIZES:
        for lag in LAW_LAGS:
            settings = {**parts.made_up(folder, (big, small), 0.7), "job.workers": 2, "replications": LAW_RUNS,
                        "job.steps": LAW_STEPS, "job.warmup": 1, "job.step_jitter": "0s",
                        "job.start": f"[0s, {lag}s]", "job.sampling": "in-order", "transfer.window": "off",
                        "network.rate": f"{1e3 * RATE:g}Mbps", "network.queue": LAW_QUEUE,
                        "host.grpc.speaker": "dml", "output.transfers": True}
            by_engine = {"host": job.run(folder, "law-host", settings, "host", jobs=1)}
            by_engine["fair-share"] = by_engine["packet"] = job.run(folder, "law", settings, "both", jobs=1)
            for engine in ENGINES:
                results = by_engine[engine]
                case, = results.cases
                found = [list(phase_lags(results, engine, run["replication"] or 0))
                         for run in case["engines"][engine]["replications"]]
                cells = []
                for phase in (0, 1, 2, 3):  # pull and push of the first two steps
                    cells.append(Mean.of(1e3 * run[phase][1] for run in found).text(1))
                errors[engine].append(statistics.fmean(after - parts.next_lag(before, big, small, capacity)
                                                       for run in found for before, after in run))
                expected, lags = lag, []
                for _ in range(4):
                    expected = parts.next_lag(expected, big, small, capacity)
                    lags.append(f"{1e3 * expected:.1f}")
                if engine == ENGINES[0]:
                    rows.append([f"{big / 1e6:g}", f"{small / 1e6:g}", f"{1e3 * lag:.0f}", "formula", *lags])
                if engine != ENGINES[0]:  # which is the formula
                    rows.append(["", "", "", engine, *cells])
                print(engine, *cells, flush=True)
    # the rows are the clusters: what the formula leaves out depends on sizes and lag
    values = {f"law-{engine}": Mean.of(1e3 * error for error in errors[engine]).text(2, sign="+") for engine in ENGINES}
    values["law-rows"] = str(len(LAW_SIZES) * len(LAW_LAGS))
    heading = ["MB", "MB", "lag", "engine", "1st pull", "1st push", "2nd pull", "2nd push"]
    return {"host-law": simple(heading, rows)}, values


def vgg_settings(servers):
    """VGG-11 with the queue that Linux' largest send buffer fills at full size, all made smaller alike."""
    return {**job.settings("vgg11", WORKERS, servers, "fair", 1), **STEPS, "job.scale": SCALE,
            "job.devices": f"{{cpu: {{speed: {SPEED:g}}}}}", "job.server_devices": "cpu",
            "job.step_jitter": f"{3e3 / SPEED:g}us", "transfer.window": f"{28e6 * SCALE:.0f}B",
            "network.rate": f"{1e3 * RATE:g}Mbps", "network.queue": f"{{fair: {4e6 * SCALE:.0f}B}}",
            "host.grpc.speaker": "dml"}


def host_servers(folder):
    """VGG-11 with one server and with four, made smaller, on hosts and in fair-share."""
    found = {("host", servers): ([], []) for servers in COUNTS}
    latest = 0.0
    for seed in range(1, ROUNDS + 1):
        for servers, count in COUNTS.items():
            settings = {**vgg_settings(servers), "seed": seed, "replications": count // ROUNDS}
            results = job.run_once(folder, f"host-{servers}-{seed}", settings, "host")
            speeds, orders, late = throughputs_of(results, "host", STEPS["job.warmup"])
            latest = max(latest, late)
            found["host", servers][0].extend(value / SPEED for value in speeds)
            found["host", servers][1].extend(orders)
            print(servers, seed, speeds, orders, late, flush=True)
    for servers in COUNTS:
        settings = {**vgg_settings(servers), "replications": contention.MODEL_RUNS}
        results = job.run_once(folder, f"model-{servers}", settings, "fair-share")
        speeds, orders = contention.throughputs_of(results, "fair-share")
        found["fair-share", servers] = [value / SPEED for value in speeds], orders
    rows = [[engine, f"{len(found[engine, 1][0])}, {len(found[engine, 4][0])}", *contention.compared(found, engine)]
            for engine in ("fair-share", "host")]
    values = {f"servers-{row[0]}-difference": row[4] for row in rows}
    values["host-said"] = contention.told("On real hosts", Mean.of_difference(found["host", 4][0], found["host", 1][0]))
    values["servers-lateness"] = f"{1e3 * latest:.1f}"
    return {"host-servers": simple(["engine", "runs", *contention.HEADING], rows)}, values

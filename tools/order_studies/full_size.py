#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What is left of the orders' gains at full size, between hosts of Linux and ports that drop."""

import os

from order_studies.results import find
from order_studies.runs import Run
from study_intervals import Mean
from validation_report.study import ENGINES
from validation_report.tables import signed, simple
from validation_study.settings import FULL_QUEUES, MODELS, PROFILES

NAME = "full-size"
SERVERS = {1: 1, 2: 1, 4: 1, 8: 2}  # by workers, one for four
SYNC_MODELS = ("googlenet", "inception-v3", "resnet50", "alexnet")
# where ports drop, ResNet-50 would take an hour
ASYNC_MODELS = {"fair": ("googlenet", "resnet50"), "fifo": ("googlenet",)}
ASYNC_WORKERS = 4
STARTS = ("together", "staggered")
ORDERS = ("shuffled", "tic")
REPLICATIONS = 5


def settings(name, model, queue):
    profile = os.path.relpath(os.path.join(PROFILES, MODELS[model][0] + ".yaml"))
    return (f"name={name}", f"job.profile={profile}", "job.scale=1",
            f"replications={REPLICATIONS}", "job.sync=async", "network.transport=linux", "network.mtu=1500",
            f"network.queue={FULL_QUEUES[queue]}", "network.tcp={trains: true}",
            "packet.fast_forward=true")


def sync_name(model, queue, servers):
    return f"sync-{model}-{queue}-m{servers}"


def async_name(model, queue):
    return f"async-{model}-{queue}"


def sync_run(model, queue, servers):
    name = sync_name(model, queue, servers)
    workers = [w for w, m in SERVERS.items() if m == servers]
    return Run(name, "tictac", (*settings(name, model, queue), f"job.parameter_servers={servers}",
                                f"job.workers={workers}",
                                f"sweep={{transfer.policy: [{', '.join(ORDERS)}]}}"))


def async_run(model, queue):
    name = async_name(model, queue)
    return Run(name, "tictac", (*settings(name, model, queue), f"job.workers=[{ASYNC_WORKERS}]",
                                "job.steps=12", "job.warmup=4",
                                f"sweep={{transfer.policy: [{', '.join(ORDERS)}], "
                                f"job.start: [{', '.join(STARTS)}]}}"))


RUNS = (*(sync_run(model, queue, servers) for queue in FULL_QUEUES for model in SYNC_MODELS
          for servers in sorted(set(SERVERS.values()))),
        *(async_run(model, queue) for queue, models in ASYNC_MODELS.items() for model in models))


def sync_gain(results, model, queue, workers, engine):
    """Of TIC, in the time until the slowest worker is done."""
    cases = results.cases([sync_name(model, queue, SERVERS[workers])])
    before, after = (find(cases, workers, engine, {"transfer.policy": order}) for order in ORDERS)
    places = sorted(before.ends)
    return Mean.of_gains(*([case.ends[place] for place in places] for case in (before, after)))


def async_gain(results, model, queue, start, engine):
    """Of TIC, in throughput."""
    cases = results.cases([async_name(model, queue)])
    before, after = (find(cases, ASYNC_WORKERS, engine, {"transfer.policy": order,
                                                         "job.start": start}).throughputs
                     for order in ORDERS)
    return Mean.of_gains(after, before)


def engine_gap(found, model, workers):
    """Of fair queues."""
    fair_share, packet = (found["fair", model, workers, engine].value
                          for engine in ENGINES)
    return abs(packet - fair_share)


def sync_table(found):
    rows = [[queue, model, engine, *(found[queue, model, workers, engine].percent
                                     for workers in SERVERS)]
            for queue in FULL_QUEUES for model in SYNC_MODELS for engine in ENGINES]
    return simple(["ports", "model", "engine", *(f"W={w}" for w in SERVERS)], rows)


def async_table(found):
    rows = [[queue, model, start, *(found[queue, model, start, engine].percent
                                    for engine in ENGINES)]
            for queue, models in ASYNC_MODELS.items() for model in models for start in STARTS]
    return simple(["ports", "model", "start", "fair-share", "packet"], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    sync = {(queue, model, workers, engine): sync_gain(results, model, queue, workers, engine)
            for queue in FULL_QUEUES for model in SYNC_MODELS for workers in SERVERS
            for engine in ENGINES}
    asynchronous = {(queue, model, start, engine): async_gain(results, model, queue, start, engine)
                    for queue, models in ASYNC_MODELS.items() for model in models
                    for start in STARTS for engine in ENGINES}
    packets = [gain for key, gain in sync.items() if key[3] == "packet"]
    largest = max((key for key in sync if key[3] == "packet"), key=lambda key: sync[key].value)
    values = {
        "largest": signed(sync[largest].value),
        "largest-case": f"{largest[1]}, {largest[0]} ports, W={largest[2]}",
        "certain": str(sum(gain.certain and gain.value > 0 for gain in packets)),
        "losses": str(sum(gain.certain and gain.value < 0 for gain in packets)),
        "cases": str(len(packets)),
        "fair-gap": f"{100 * max(engine_gap(sync, model, w) for model in SYNC_MODELS for w in SERVERS):.1f}",
    }
    return {"sync": sync_table(sync), "async": async_table(asynchronous)}, {}, values

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The default testbed of dPRO's paper: 16 workers on two hosts with a network card each."""

import csv

from fabric_study.runs import EACH_PROFILED, step_times
from validation_report.tables import simple

RATES = {"100Gbps": ("fair-share", "burst", "packet"), "25Gbps": ("fair-share", "burst"),
         "18Gbps": ("fair-share", "burst"), "10Gbps": ("fair-share", "burst", "packet")}
WORKERS, HOSTS = 16, 2
MODEL = 102228128  # bytes of ResNet-50
WIRE = 1502 / 1448  # bytes on a link for those of a segment: MTU 1500, timestamps, framing
# models that a host sends to the other one in a step, in the order of the scenario's sweep
SENT = {"ring": 2 * (WORKERS - 1) / WORKERS, "hierarchical": 2 * (HOSTS - 1) / HOSTS,
        # its workers push half of their gradients, and its server half of the parameters to the others
        "servers": 2 * (WORKERS / HOSTS) / 2}


def sent_by_host(results, steps):
    """MB that the first host sends over its network card in a step, by variant."""
    with open(results.path("network.csv"), encoding="utf-8", newline="") as file:
        return [int(row["bytes"]) / steps / 1e6 for row in csv.DictReader(file)
                if row["link"] == "host0->switch" and row["replication"] == "0"]


def dpro(folder):
    """What network cards carry, and times of steps by their rate."""
    times = [["rate", "engine", *SENT]]
    carried = {}
    spent = 0.0
    for rate, engines in RATES.items():
        for engine in engines:
            settings = {**EACH_PROFILED, "network.rate": rate, "replications": 1, "packet.replications": 1}
            steps, cpu, results = step_times(folder, f"dpro-{rate}", "shared-hosts/dpro.yaml", engine, settings)
            times.append([rate.replace("Gbps", " Gbit/s"), engine, *(f"{time:.1f}" for time in steps)])
            spent += cpu
            if engine != "fair-share":
                carried.setdefault(engine, sent_by_host(results, EACH_PROFILED["job.steps"]))
    sent = [["gradients", "models", "with headers, MB", *carried]]
    for place, (name, models) in enumerate(SENT.items()):
        sent.append([name, f"{models:g}", f"{models * MODEL * WIRE / 1e6:.1f}",
                     *(f"{found[place]:.1f}" for found in carried.values())])
    return ({"dpro-sent": simple(sent[0], sent[1:]), "dpro-times": simple(times[0], times[1:])},
            {"dpro-cpu": f"{spent / 60:.1f}"})

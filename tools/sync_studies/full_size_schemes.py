#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 6a, with a job of full size between hosts of Linux."""

from dataclasses import replace
from statistics import fmean

from study_intervals import Mean
from sync_studies import update_time
from sync_studies.full_size import NETWORK, named
from sync_studies.runs import EngineRun
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "full-size-schemes"
WORKERS = 16
REPLICATIONS = {"fair-share": 5, "packet": 3}
# shorter than on the scaled network, where a seed takes minutes
SCHEMES = {**update_time.SCHEMES,
           "asp": replace(update_time.SCHEMES["asp"], steps=40),
           "lb-bsp": replace(update_time.SCHEMES["lb-bsp"], steps=160, warmup=120)}


def make_run(scheme, engine):
    name = named(scheme, engine)
    return EngineRun(name, "lb-bsp", (
        f"name={name}", f"replications={REPLICATIONS[engine]}", *SCHEMES[scheme].settings(WORKERS), *NETWORK),
                     engine=engine)


RUNS = tuple(make_run(scheme, engine) for scheme in SCHEMES for engine in ENGINES)


def time_table(times):
    rows = [[engine, *update_time.time_cells({scheme: times[engine, scheme] for scheme in SCHEMES})]
            for engine in ENGINES]
    return simple(["engine", *update_time.TIME_HEADS], rows)


def engine_error(times, scheme):
    """By how much packets take longer than fair-share, over the seeds of packets."""
    fair_share, packet = (times[engine, scheme] for engine in ENGINES)
    return Mean.of_gains(packet, fair_share[:len(packet)])


def fastest_steps(case):
    """Mean step of the workers with the fastest GPU, s, of each replication."""
    return [fmean(worker["mean_step"] for worker in run["synchronisation"]["workers"][::len(update_time.CLASSES)])
            for run in case.replications]


def timeouts(case, scheme):
    """Timeouts of TCP for each step of a worker, of each replication."""
    return [run["timeouts"] / (WORKERS * SCHEMES[scheme].steps) for run in case.replications]


def report(results, _picture):
    """(tables, pictures, values)."""
    cases = {(engine, scheme): results.case(named(scheme, engine), engine)
             for engine in ENGINES for scheme in SCHEMES}
    times = {key: case.each("update_time") for key, case in cases.items()}
    values = {**{f"error-{scheme}": engine_error(times, scheme).percent for scheme in SCHEMES},
              **{f"{engine}-seeds": str(count) for engine, count in REPLICATIONS.items()},
              **{f"fastest-{engine}": Mean.of(fastest_steps(cases[engine, "asp"])).text(3) for engine in ENGINES},
              **{f"timeouts-{scheme}": Mean.of(timeouts(cases["packet", scheme], scheme)).text(3)
                 for scheme in SCHEMES},
              "asp-steps": str(SCHEMES["asp"].steps),
              "lb-bsp-from": str(SCHEMES["lb-bsp"].warmup), "lb-bsp-to": str(SCHEMES["lb-bsp"].steps)}
    return {"schemes": time_table(times)}, {}, values

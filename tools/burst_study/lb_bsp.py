#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 6a at full size: the schemes of doc/sync-studies.rst by bursts, beside what that page has."""

import os

import dml
from matched_study.factors import ROOT
from study_intervals import Mean
from sync_studies import full_size_schemes, update_time
from validation_report import stored
from validation_report.study import ENGINES
from validation_report.tables import simple

RUNS = 5
PAGE = os.path.join(ROOT, "doc", "sync-studies.rst")


def settings_of(scheme):
    """Those of that page, by key."""
    run = full_size_schemes.make_run(scheme, ENGINES[0])
    return run.path, {**dict(text.split("=", maxsplit=1) for text in run.settings), "name": f"{scheme}-burst",
                      "replications": RUNS, "fair_share": "{}", "output.plots": False, "output.trace": False}


def lb_bsp(folder):
    """Time for the gradient of a batch, in ms, by scheme."""
    times, timeouts, spent = {}, {}, 0.0
    for scheme in full_size_schemes.SCHEMES:
        scenario, settings = settings_of(scheme)
        results = dml.run(scenario, os.path.join(folder, scheme), engine="burst", settings=settings, force=True)
        case, = results.cases
        runs = case["engines"]["burst"]["replications"]
        times[scheme] = [run["synchronisation"]["update_time"] for run in runs]
        steps = full_size_schemes.WORKERS * full_size_schemes.SCHEMES[scheme].steps
        timeouts[scheme] = Mean.of(run["timeouts"] / steps for run in runs).text(3)
        spent += sum(run["timing"]["cpu_seconds"] for run in runs)
    page = stored.read(PAGE)[full_size_schemes.NAME]
    others = [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in page.tables["schemes"][3:-1]]
    bursts = ["burst", *update_time.time_cells(times)]
    return ({"lb-bsp": simple(["engine", *update_time.TIME_HEADS], [*others, bursts])},
            {"lb-bsp-cpu": f"{spent / 60:.1f}", "lb-bsp-packets-cpu": page.values["cpu-minutes"],
             "lb-bsp-timeouts": timeouts["asp"], "lb-bsp-packets-timeouts": page.values["timeouts-asp"]})

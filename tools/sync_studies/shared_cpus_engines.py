#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The schemes of LB-BSP's section 5.3 (SoCC 2020) in both engines: the first iterations."""

from study_intervals import Mean
from sync_studies.shared_cpus import SCHEMES, iteration, make_run
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "shared-cpus-engines"
# The first iterations of the first replications
REPLICATIONS = 3
SHORT = ("job.steps=16", "job.warmup=4", f"replications={REPLICATIONS}")
COMPARED = tuple(scheme for scheme, how in SCHEMES.items() if how.packet)


def run_name(scheme):
    return f"both-{scheme}"


RUNS = tuple(make_run(scheme, run_name(scheme), SHORT, "both") for scheme in COMPARED)


def iterations(results):
    """Mean times of an iteration, s, of each replication by scheme and engine; None without a case."""
    return {(scheme, engine): iteration(results.case(run_name(scheme), engine))
            for scheme in COMPARED for engine in ENGINES}


def error(found, scheme):
    """Of fair-share."""
    return Mean.of_gains(*(found[scheme, engine] for engine in ENGINES))


def engine_table(found):
    rows = []
    for scheme in COMPARED:
        if found[scheme, "packet"] is not None:
            rows.append([SCHEMES[scheme].text,
                         *(Mean.of(found[scheme, engine]).text(2) for engine in reversed(ENGINES)),
                         error(found, scheme).percent,
                         *(Mean.of_pairs(found[scheme, engine], found["bsp", engine]).text(2)
                           for engine in reversed(ENGINES))])
    return simple(["scheme", "packet, s", "f.-share, s", "%", "over BSP", "over BSP"], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    found = iterations(results)
    errors = {scheme: error(found, scheme) for scheme in COMPARED if found[scheme, "packet"] is not None}
    worst = max(errors, key=lambda scheme: abs(errors[scheme].value))
    return ({"engines": engine_table(found)}, {},
            {"largest": errors[worst].percent, "largest-case": SCHEMES[worst].text,
             "seeds": str(REPLICATIONS)})

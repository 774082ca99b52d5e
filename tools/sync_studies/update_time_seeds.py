#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 6a: what the order of transfers does to per-update times, fair-share."""

from dataclasses import replace

from study_intervals import Mean
from sync_studies.intervals import change, percent, text
from sync_studies.update_time import CLUSTERS, SCHEMES, make_run, run_name
from validation_report.tables import simple

NAME = "update-time-seeds"
ENGINE = "fair-share"
REPLICATIONS = 5


def replicated(cluster, scheme):
    run = make_run(cluster, scheme, ENGINE)
    return replace(run, settings=(*run.settings, f"replications={REPLICATIONS}"))


RUNS = tuple(replicated(cluster, scheme) for cluster in CLUSTERS for scheme in SCHEMES)


def update_times(results):
    """Per-update times, s, by (cluster, scheme): a list with one of each replication."""
    return {(cluster, scheme): results.case(run_name(cluster, scheme, ENGINE), ENGINE).each("update_time")
            for cluster in CLUSTERS for scheme in SCHEMES}


def over(found, cluster, scheme, baseline="bsp"):
    return Mean.of_pairs(found[cluster, scheme], found[cluster, baseline])


def time_table(found):
    rows = [[CLUSTERS[cluster].text, text(Mean.of(1e3 * time for time in found[cluster, "bsp"]), 1),
             *(percent(over(found, cluster, scheme)) for scheme in SCHEMES if scheme != "bsp"),
             change(over(found, cluster, "lb-bsp", "asp"))] for cluster in CLUSTERS]
    return simple(["cluster", "BSP, ms", *(how.text for scheme, how in SCHEMES.items()
                                           if scheme != "bsp"), "to ASP"], rows)


def report(results, _picture):
    """(tables, pictures, values)."""
    found = update_times(results)
    return ({"times": time_table(found)}, {},
            {f"{cluster}-{scheme}": change(over(found, cluster, "lb-bsp", scheme))
             for cluster in CLUSTERS for scheme in ("bsp", "asp")})

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What one cell of the study says: biases with their intervals, from a record of the file of cells."""

import math
import statistics
from dataclasses import dataclass

from matched_study.cells import mean_of
from matched_study.store import cell_of
from study_intervals import LEAST_FOR_INTERVAL
from study_table import half_interval, t_quantile


@dataclass(frozen=True)
class Estimate:
    """A value in per cent and half of its 95 % interval; None where there is none."""

    value: float | None
    half: float | None = None

    @property
    def certain(self):
        """Whether 0 is outside the interval."""
        return self.value is not None and self.half is not None and abs(self.value) > self.half

    def text(self, digits=1):
        if self.value is None:
            return "-"
        half = "" if self.half is None else f" +-{self.half:.{digits}f}"
        return f"{self.value:+.{digits}f}{half}" + ("" if self.certain else " ?")


@dataclass(frozen=True)
class Outcome:
    """One cell."""

    record: dict
    raw: Estimate  # recorded durations of steps over predicted ones, less 1
    links: Estimate  # by how much the model's links have to be slower
    free: Estimate  # throughput of fair-share over that of packets, less 1
    spread: float | None  # of packet runs over that of fair-share runs: standard deviations of logarithms
    correlation: float | None  # of the logarithms of throughputs of the same seeds

    @property
    def cell(self):
        return cell_of(self.record)


def logarithms(runs, key):
    return [math.log(run[key]) for run in runs if run.get(key)]


LEAST_FOR_REGRESSION = 5  # pairs, as dml has it


def free_error(record):
    """From pairs of the same seed, and from five on with fair-share's further runs by regression, as dml has it
    (doc/dml.rst): so many that their mean is known."""
    pairs = [(math.log(run["fair_share"]), math.log(run["throughput"])) for run in record["runs"]
             if run.get("fair_share") and run.get("throughput")]
    model, count = record["fair_share"], len(pairs)
    if count < LEAST_FOR_INTERVAL or not model["mean"]:
        return Estimate(None)
    cheap, dear = (statistics.fmean(each) for each in zip(*pairs))
    squares = sum((x - cheap) ** 2 for x, _ in pairs)
    if count < LEAST_FOR_REGRESSION or not squares:
        half = half_interval([x - y for x, y in pairs])
        return Estimate(100 * math.expm1(cheap - dear), 100 * math.expm1(half))
    slope = sum((x - cheap) * (y - dear) for x, y in pairs) / squares
    rest = sum((y - dear - slope * (x - cheap)) ** 2 for x, y in pairs) / (count - 2)
    variance = (model["deviation"] / model["mean"]) ** 2
    mean = math.log(model["mean"]) - variance / 2  # of logarithms
    half = math.hypot(t_quantile(count - 1) * math.sqrt(rest * (1 / count + (mean - cheap) ** 2 / squares)),
                      1.96 * (1 - slope) * math.sqrt(variance / model["runs"]))
    return Estimate(100 * math.expm1(mean - dear - slope * (mean - cheap)), 100 * math.expm1(half))


def spread_ratio(record):
    """None where runs of either engine are all alike."""
    packets, model = logarithms(record["runs"], "throughput"), record["fair_share"]
    if len(packets) < 4 or not model["mean"] or not model["deviation"]:
        return None
    return statistics.stdev(packets) / (model["deviation"] / model["mean"])


def pair_correlation(record):
    """Pearson's, of runs of the same seed; None where either engine's are all alike."""
    packets, model = logarithms(record["runs"], "throughput"), logarithms(record["runs"], "fair_share")
    if len(packets) < 4 or len(packets) != len(model) or len(set(packets)) < 2 or len(set(model)) < 2:
        return None
    return statistics.correlation(packets, model)


def outcome_of(record):
    runs = [{"raw": run.get("raw_percent"), "links": run.get("links_slower_percent"), "ci95": run.get("ci95")}
            for run in record["runs"]]
    all_defined = all(run["links"] is not None for run in runs)
    alone = [{**run, "ci95": None} for run in runs]  # the intervals within runs are those of links
    return Outcome(record, Estimate(*mean_of(alone, "raw")),
                   Estimate(*mean_of(runs, "links")) if all_defined else Estimate(None),
                   free_error(record), spread_ratio(record), pair_correlation(record))

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""To which limit the model can be trusted on which ports: how many cells are within it for certain, and what share of
all such cells that makes certain."""

import math

from matched_report.tables import LIMITS
from validation_report.tables import simple

ENOUGH = 0.8  # of the cells; the lower end of the share's interval has to reach it
NAMES = {"raw": "steps", "free": "throughput"}
PORTS = {
    "fair": ("fair ports", lambda cell: cell.port == "fair"),
    "slow": ("FIFO ports at 1 Gbit/s", lambda cell: cell.port != "fair" and cell.rate == 1),
    "fast": ("FIFO ports at 10 and 25 Gbit/s", lambda cell: cell.port != "fair" and cell.rate > 1),
}


def tail(count, least, share):
    """Probability that `least` or more of `count` cells are within, if `share` of all are."""
    return math.fsum(math.comb(count, k) * share ** k * (1 - share) ** (count - k) for k in range(least, count + 1))


def share_bounds(count, within):
    """Ends of the 95 % interval of a share (Clopper and Pearson: The use of confidence or fiducial limits illustrated in
    the case of the binomial, Biometrika 26, 1934)."""
    def solve(least, probability):
        low, high = 0.0, 1.0
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(count, least, middle) < probability else (low, middle)
        return low

    return (solve(within, 0.025) if within else 0.0), (solve(within + 1, 0.975) if within < count else 1.0)


def surely_within(outcomes, measure, limit):
    """How many cells have their whole interval within the limit, of how many that have one."""
    found = [getattr(each, measure) for each in outcomes]
    found = [estimate for estimate in found if estimate.value is not None and estimate.half is not None]
    return sum(abs(estimate.value) + estimate.half <= limit for estimate in found), len(found)


def cells_needed():
    """So many cells, all within, make certain that ENOUGH of all are."""
    return next(count for count in range(1, 1000) if share_bounds(count, count)[0] >= ENOUGH)


def verdict(outcomes, measure):
    """What follows a subject in the plural."""
    for limit in LIMITS:
        within, count = surely_within(outcomes, measure, limit)
        if count and share_bounds(count, within)[0] >= ENOUGH:
            return f"are surely right to {limit} % (in {within} of {count} cells, and so in {shares(count, within)} of all)"
    within, count = surely_within(outcomes, measure, LIMITS[-1])
    if not count:
        return "are not known, for want of cells"
    text = f"{within} of {count} cells, and so in {shares(count, within)} of all"
    if share_bounds(count, within)[1] < ENOUGH:
        return f"are not to be trusted to {LIMITS[-1]} %, as they surely are right to that only in {text}"
    least = next(limit for limit in LIMITS if surely_within(outcomes, measure, limit)[0] == within)
    return f"are surely right to {least} % in {text}, too few cells to decide"


def shares(count, within):
    low, high = share_bounds(count, within)
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def table(outcomes):
    rows = []
    for name, belongs in PORTS.values():
        for measure, called in NAMES.items():
            chosen = [each for each in outcomes if belongs(each.cell)]
            cells = []
            for limit in LIMITS:
                within, count = surely_within(chosen, measure, limit)
                cells.append(f"{within} of {count} ({shares(count, within)})" if count else "-")
            rows.append([name, called, *cells])
    return simple(["ports", "what", *(f"within {limit} %" for limit in LIMITS)], rows)


def values(outcomes):
    """Text by the name of a value."""
    found = {"cells-needed": str(cells_needed()), "enough": f"{100 * ENOUGH:.0f}"}
    for key, (_, belongs) in PORTS.items():
        chosen = [each for each in outcomes if belongs(each.cell)]
        for measure, called in NAMES.items():
            found[f"trust-{key}-{called}"] = verdict(chosen, measure)
    return found

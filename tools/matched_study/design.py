#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Which cells are run, and in which order.

All combinations would take years. The cells are taken one after the other, each time the one whose pairs of levels
of two factors have been there least often, for what it costs. So what has been run at any time has all levels of a
factor about equally often beside all levels of any other, and further cells improve it."""

import heapq
import itertools
from collections import Counter

from matched_study.factors import all_cells

COST = 0.25  # power of the cost by which the worth of a cell is divided
# Levels that are wanted more or less often than others: asynchronous workers are what differs most from cell to
# cell, and one worker shares its links with nobody.
IMPORTANCE = {("mode", "async"): 3.0, ("workers", 1): 0.1}
LEAST_COST = 100.0  # s of CPU: a cheaper cell is not better than one of this cost


def pairs(cell):
    """Its pairs of levels of two factors."""
    levels = [(name, level) for name, level in cell.row().items()
              if not (name == "servers" and cell.collective)]
    return list(itertools.combinations(levels, 2))


def ordered(count):
    """The first `count` cells of the study."""
    cells = list(all_cells())
    names = [pairs(cell) for cell in cells]
    cost = [max(LEAST_COST, cell.cpu_seconds) ** COST for cell in cells]
    importance = {pair: IMPORTANCE.get(pair[0], 1.0) * IMPORTANCE.get(pair[1], 1.0)
                  for pair in itertools.chain(*names)}
    seen = Counter()

    def worth(at):
        total = sum(importance[pair] / (1 + seen[pair]) ** 2 for pair in names[at])
        return round(total / len(names[at]) / cost[at], 9)

    # What a cell is worth never grows, so the first one whose worth is as it was when it was put there is the best.
    heap = [(-worth(at), at) for at in range(len(cells))]
    heapq.heapify(heap)
    design = []
    while heap and len(design) < count:
        stored, at = heapq.heappop(heap)
        if -worth(at) != stored:
            heapq.heappush(heap, (-worth(at), at))
            continue
        design.append(cells[at])
        seen.update(names[at])
    return design

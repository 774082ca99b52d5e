# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""TIC and TAC (Hashemi et al., TicTac, MLSys 2019, section 4), written from the paper.

Where the paper is silent, doc/order-efficiency.rst settles it: equation 6 instead of the comparison that
Algorithm 3 prints, ties in the order of the listing, and pushes and updates count neither as compute nor as pulls.
"""

import math


def dependencies(ops):
    """op.dep of the paper: the pulls that each op waits for, directly or not. A pull is among its own."""
    by_name = {op["name"]: op for op in ops}
    known = {}

    def visit(name):
        if name not in known:
            found = {name} if by_name[name]["kind"] == "pull" else set()
            for other in by_name[name].get("deps", []):
                found |= visit(other)
            known[name] = found
        return known[name]

    for op in ops:
        visit(op["name"])
    return known


def properties(ops, outstanding, time, waits_for):
    """Algorithm 1: P and M+ of the outstanding pulls. `time` gives the time of an op."""
    load = {name: 0.0 for name in outstanding}
    impending = {name: math.inf for name in outstanding}
    for op in ops:
        if op["kind"] not in ("forward", "backward", "compute"):
            continue
        waiting = [name for name in outstanding if name in waits_for[op["name"]]]
        if len(waiting) == 1:
            load[waiting[0]] += time(op)
        elif len(waiting) > 1:
            cost = sum(time({"kind": "pull", "name": name}) for name in waiting)
            for name in waiting:
                impending[name] = min(impending[name], cost)
    return load, impending


def tic(ops):
    """Tensors of the pulls by growing M+, where a pull costs 1 and compute nothing (Algorithm 2)."""
    pulls = [op for op in ops if op["kind"] == "pull"]
    names = [op["name"] for op in pulls]
    _, impending = properties(ops, names, lambda op: 1 if op["kind"] == "pull" else 0, dependencies(ops))
    return [op["tensor"] for op in sorted(pulls, key=lambda op: impending[op["name"]])]


def tac(ops, sizes, rate):
    """Tensors of the pulls in the order of Algorithm 3. `sizes`: bytes of tensors; `rate`: bytes per second."""
    pulls = {op["name"]: op for op in ops if op["kind"] == "pull"}
    by_name = {op["name"]: op for op in ops}
    waits_for = dependencies(ops)

    def time(op):
        op = by_name[op["name"]]
        if op["kind"] == "pull":
            return sizes[op["tensor"]] / rate
        return min(op["samples"]) if "samples" in op else op.get("seconds", 0.0)

    outstanding = list(pulls)
    order = []
    while outstanding:
        load, impending = properties(ops, outstanding, time, waits_for)

        def before(first, second):
            gain = min(load[first], time(pulls[second]))
            loss = min(load[second], time(pulls[first]))
            if loss != gain:
                return loss < gain
            return impending[first] < impending[second]

        best = outstanding[0]
        for name in outstanding[1:]:
            if before(name, best):
                best = name
        outstanding.remove(best)
        order.append(pulls[best]["tensor"])
    return order

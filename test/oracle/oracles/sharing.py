# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""How flows share links. A flow has a worker, a server and a direction; rates are bytes per second."""


def equal(flows, rate):
    """Each of n active workers gets 1/n of the server's link (Li et al., ICPE 2020, section 3.1)."""
    active = {}
    for flow in flows:
        active.setdefault((flow.direction, flow.server), set()).add(flow.worker)
    return [rate / len(active[flow.direction, flow.server]) for flow in flows]


def two_servers(flows, rate):
    """Li et al., section 5, for servers 0 and 1; who is alone at both gets half of each."""
    active = {}
    for flow in flows:
        active.setdefault((flow.direction, flow.server), set()).add(flow.worker)
    rates = []
    for flow in flows:
        here = len(active[flow.direction, flow.server])
        there = active.get((flow.direction, 1 - flow.server), set())
        if here == 1 and flow.worker in there:
            rates.append(rate * (1 - 1 / len(there) if len(there) > 1 else 0.5))
        else:
            rates.append(rate / here)
    return rates


def max_min(routes, capacities):
    """Progressive filling (Bertsekas and Gallager, Data Networks, section 6.5.2).

    `routes` has a list of links for each flow, `capacities` the capacity of each link.
    """
    rates = [None] * len(routes)
    left = dict(capacities)
    while None in rates:
        users = {}
        for flow, route in enumerate(routes):
            if rates[flow] is None:
                for link in route:
                    users.setdefault(link, []).append(flow)
        shares = {link: left[link] / len(flows) for link, flows in users.items()}
        tightest = min(shares, key=shares.get)
        share = shares[tightest]
        for flow in users[tightest]:
            rates[flow] = share
            for link in routes[flow]:
                left[link] = max(0.0, left[link] - share)
    return rates

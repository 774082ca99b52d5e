# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Random networks: routes, max-min rates over all their links, and what servers' links carry.

Routes are shortest paths by the links' metric, rates are those of progressive filling at every instant. So steps and
transfers end when their bytes have gone through, no link carries more than it can, and links.csv adds up to the bytes of
the transfers.
"""

import heapq
import math

from oracles import algorithm31, random_jobs, sharing
from oracles.comparison import compare_numbers
from oracles.program import goodput

NAME = "networks"
TABLES = ("steps", "transfers", "links")
RATE = 8_000_000


def megabits(random):
    return random.randint(4, 20) * 1_000_000


def draw(random):
    case = algorithm31.draw(random)
    workers, servers = case["job"]["workers"], case["job"]["parameter_servers"]
    hosts = [f"ps{server}" for server in range(servers)] + [f"worker{worker}" for worker in range(workers)]
    network = {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": random.choice((1500, 9000))}
    case["network"] = network
    case["fair_share"]["sharing"] = "max-min"
    own = {}
    if random.random() < 0.5:
        own = {host: megabits(random) for host in hosts if random.random() < 0.5}
        network["hosts"] = {host: {"rate": f"{rate}bps"} for host, rate in own.items()}
    case["_homes"] = {}
    if random.random() < 0.2:
        worker, server = random.randrange(workers), random.randrange(servers)
        network["colocate"] = {f"ps{server}": f"worker{worker}"}
        case["_homes"] = {f"ps{server}": f"worker{worker}"}
        own.pop(f"ps{server}", None)
        network.get("hosts", {}).pop(f"ps{server}", None)
    case["_flows"] = []
    extra = []
    if random.random() < 0.3:
        extra = ["x0", "x1"]
        network["extra_hosts"] = extra
        case["_flows"] = [("x0", "x1"), ("x1", "x0")][:random.randint(1, 2)]
        if random.random() < 0.5:
            case["_flows"].append((f"worker{random.randrange(workers)}", "x0"))
        network["background"] = [{"from": begin, "to": end, "bulk": True} for begin, end in case["_flows"]]
    dealt = [host for host in hosts if host not in case["_homes"]] + extra
    make = random.choice((star, dumbbell, leaf_spine, explicit, explicit))
    network["topology"], links, case["_preferred"] = make(random, dealt, own)
    case["_links"] = links
    return case


def star(_, hosts, own):
    return "star", [(host, "switch", own.get(host, RATE), 1) for host in hosts], None


def dumbbell(random, hosts, own):
    rate = megabits(random)
    links = [("left", "right", rate, 1)]
    extra = 0
    for host in hosts:
        side = "left" if host.startswith("ps") else "right"
        if host.startswith("x"):
            side = ("left", "right")[extra % 2]
            extra += 1
        links.append((host, side, own.get(host, RATE), 1))
    return {"type": "dumbbell", "trunk": {"rate": f"{rate}bps"}}, links, None


def leaf_spine(random, hosts, own):
    leaves, spines = random.randint(2, 3), random.randint(1, 3)
    topology = {"type": "leaf-spine", "leaves": leaves, "spines": spines}
    if random.random() < 0.5:
        rate = megabits(random)
        topology["trunk"] = {"rate": f"{rate}bps"}
    else:
        topology["oversubscription"] = random.choice((1, 2, 4))
        # A leaf sends over one of its trunks only, so that one is to be so much slower than its hosts.
        inside = [sum(own.get(host, RATE) for host in hosts[leaf::leaves]) for leaf in range(leaves)]
        rate = max(inside) // topology["oversubscription"]
    links = [(host, f"leaf{index % leaves}", own.get(host, RATE), 1) for index, host in enumerate(hosts)]
    links += [(f"leaf{leaf}", f"spine{spine}", rate, 1) for leaf in range(leaves) for spine in range(spines)]

    def preferred(nodes):
        """What leaves leaf l goes over spine l mod spines."""
        return all(int(before[4:]) % spines == int(node[5:]) for before, node in zip(nodes, nodes[1:])
                   if node.startswith("spine"))

    return topology, links, preferred


def explicit(random, hosts, own):
    """A random tree of switches with links across, whose metrics make one path the shortest."""
    switches = [f"s{index}" for index in range(random.randint(1, 5))]
    links = []
    for index, switch in enumerate(switches[1:], 1):
        links.append((switch, switches[random.randrange(index)], megabits(random), 1))
    for index, one in enumerate(switches):
        for other in switches[:index]:
            if random.random() < 0.3 and (one, other) not in {link[:2] for link in links}:
                links.append((one, other, megabits(random), 0))
    # Powers of two: no two paths have the same length.
    links = [(*link[:3], 1 << index) for index, link in enumerate(links)] if len(links) <= 6 else \
        [link for link in links if link[3]]
    for host in hosts:
        links.append((host, random.choice(switches), own.get(host, RATE), 1))
    random.shuffle(links)
    listed = []
    for one, other, rate, metric in links:
        link = {"between": [one, other], "metric": metric}
        if rate != RATE or one in switches:
            link["rate"] = f"{rate}bps"
        listed.append(link)
    return {"type": "explicit", "switches": switches, "links": listed}, links, None


def route(case, begin, end):
    """Directed links of the shortest path; hosts do not forward."""
    begin, end = case["_homes"].get(begin, begin), case["_homes"].get(end, end)
    if begin == end:
        return []
    neighbours = {}
    for one, other, _, metric in case["_links"]:
        neighbours.setdefault(one, []).append((other, metric))
        neighbours.setdefault(other, []).append((one, metric))
    queue, best = [(0, [begin])], None
    while queue:
        length, nodes = heapq.heappop(queue)
        if best is not None and length > best[0]:
            break
        if nodes[-1] == end:
            if case["_preferred"] is None or case["_preferred"](nodes):
                best = best or (length, nodes)
            continue
        for node, metric in neighbours[nodes[-1]]:
            if node not in nodes and (node == end or len(neighbours[node]) > 1):
                heapq.heappush(queue, (length + metric, nodes + [node]))
    return list(zip(best[1], best[1][1:]))


def capacities(case):
    mtu = case["network"]["mtu"]
    result = {}
    for one, other, rate, _ in case["_links"]:
        result[one, other] = result[other, one] = goodput(rate, mtu)
    return result


def expect(case):
    return simulate(case)


def simulate(case, **more):
    links = capacities(case)
    routes = {}

    def route_between(worker, server, direction):
        ends = (f"ps{server}", f"worker{worker}")
        ends = ends if direction == "downlink" else ends[::-1]
        if ends not in routes:
            routes[ends] = route(case, *ends)
        return routes[ends]

    background = [route(case, *ends) for ends in case["_flows"]]

    def rates(flows):
        over_links = [route_between(flow.worker, flow.server, flow.direction) for flow in flows]
        crossing = [one for one in over_links if one] + background
        shares = iter(sharing.max_min(crossing, {link: links[link] for one in crossing for link in one}))
        return [next(shares) if one else math.inf for one in over_links]

    run = algorithm31.simulate(case, rate_rule=rates, **more)
    run.capacities, run.background, run.server_links = links, background, {}
    run.route_of = lambda task: route_between(task.worker, task.op.server, task.op.resource[0])
    for server in range(case["job"]["parameter_servers"]):
        home = case["_homes"].get(f"ps{server}", f"ps{server}")
        run.server_links[server] = next(link for link in links if link[0] == home)
    return run


def compare(case, run, outcome):
    outcome.full = not case["_flows"] and not case["_homes"]
    differences = algorithm31.compare(case, run, outcome)
    compare_links(case, run, outcome.rows("links"), differences)
    return differences


def compare_links(case, run, rows, differences):
    """What links.csv says that a server's link carried, bin by bin, are the bytes of the transfers over it."""
    sent, bins, over = {}, {}, {}
    # The last bin of the run ends with the last byte on any link.
    until = max((task.last for task in run.records if task.op.size and run.route_of(task)), default=0.0)
    for task in run.records:
        for link in run.route_of(task):
            over.setdefault(link, []).append(task)
    for server, link in run.server_links.items():
        for direction, directed in (("downlink", link), ("uplink", link[::-1])):
            tasks = over.get(directed, [])
            sent[direction, server] = sum(task.op.size for task in tasks)
    for row in rows:
        bins.setdefault((row["direction"], int(row["ps"])), []).append((float(row["time"]), float(row["utilisation"])))
    for key, size in sent.items():
        if size and key not in bins:
            differences.append(f"links.csv: no rows of {key}")
    for key, series in bins.items():
        link = run.server_links[key[1]]
        # What a bulk flow carries has no end; of a server on a worker's host the end of the last bin is not known.
        if any({link, link[::-1]} & set(one) for one in run.background) or f"ps{key[1]}" in case["_homes"]:
            continue
        if max(part for _, part in series) > 1 + 1e-6:
            differences.append(f"links.csv: {key} carries more than its link can")
        ends = [time for time, _ in series[1:]]
        ends.append(min(until, series[-1][0] + ends[0] - series[0][0]) if ends else until)
        carried = sum(part * (end - begin) for (begin, part), end in zip(series, ends)) * run.capacities[link]
        # Times are rounded to 1 ns, utilisations to 1e-6.
        rounding = (0.51e-6 * ends[-1] + 1.1e-9 * len(series)) * run.capacities[link]
        compare_numbers(f"links.csv: bytes of {key}", sent.get(key, 0), carried, differences, rounding=rounding)


def perturb(random, outcome):
    """A time that is off by 5 ns, or a link that carries half of what it did for a while."""
    busy = [row for row in outcome.rows("links")[:-1] if 0.05 < float(row["utilisation"]) < 1]
    if len(busy) > 9 and outcome.full and random.random() < 0.5:
        row = random.choice(busy)
        row["utilisation"] = f"{float(row['utilisation']) * 0.5:.6f}"
    else:
        algorithm31.perturb(random, outcome)

# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Delays of routes: tensors, requests and answers on networks whose links have unequal ones.

doc/networks.rst, "What each engine makes of it", and gRPC as TensorFlow uses it: a tensor arrives when its last byte has
crossed its route. When a step begins, RunGraph and the requests for parameters go to every server; RunGraph's arrival makes
a server ask for its gradients; a server answers when its part of the step is done, and the step ends with the last answer.
"""

from oracles import algorithm31, networks
from oracles.simulator import Activity

NAME = "delays"
TABLES = ("steps", "transfers")
perturb = algorithm31.perturb
compare = algorithm31.compare


def draw(random):
    """A network of the oracle `networks` with delays on its links, or one delay for all channels."""
    case = networks.draw(random)
    network = case["network"]
    delays = {}

    def milliseconds():
        return random.choice((0, random.randint(1, 40), random.randint(1, 400)))

    common, trunk = milliseconds(), milliseconds()
    network["delay"] = f"{common}ms"
    topology = network["topology"]
    own = {}
    for host in {name for link in case["_links"] for name in link[:2] if name[:2] in ("ps", "wo")}:
        if random.random() < 0.5:
            own[host] = milliseconds()
            if topology == "star" or topology["type"] != "explicit":
                network.setdefault("hosts", {}).setdefault(host, {})["delay"] = f"{own[host]}ms"
    if isinstance(topology, dict) and topology["type"] in ("dumbbell", "leaf-spine") and random.random() < 0.7:
        if "oversubscription" not in topology:
            topology["trunk"]["delay"] = f"{trunk}ms"
        else:
            trunk = common
    else:
        trunk = common
    for one, other, *_ in case["_links"]:
        host = one if one[:2] in ("ps", "wo") else other
        value = own.get(host, common) if host[:2] in ("ps", "wo") else common if host[0] == "x" else trunk
        delays[one, other] = delays[other, one] = value / 1000
    if isinstance(topology, dict) and topology["type"] == "explicit":
        for link in topology["links"]:
            value = milliseconds()
            link["delay"] = f"{value}ms"
            one, other = link["between"]
            delays[one, other] = delays[other, one] = value / 1000
    case["_delays"] = delays
    del case["fair_share"]["one_way_delay"]
    return case


def at_server(op):
    """Whether a server's part of the step is not done before that op is."""
    return op.kind in ("push", "update") or op.resource[0] in ("ps", "parse push")


class Delayed(algorithm31.Simulator):
    """Requests and answers besides tensors."""

    def __init__(self, *arguments, servers, **more):
        self.servers = servers
        self.parts, self.answers = {}, {}
        super().__init__(*arguments, **more)

    def start_step(self, worker, step):
        for server in range(self.servers):
            self.parts[worker, step, server] = 1 + sum(op.server == server and at_server(op) for op in self.plan)
        self.answers[worker, step] = self.servers
        super().start_step(worker, step)
        for server in range(self.servers):
            there = self.delay(worker, server, "uplink")
            self.running.append(Activity(there, lambda server=server: self.run_graph(worker, step, server)))

    def new_task(self, op, worker, step, duration):
        """Transfers wait for a request besides their dependencies."""
        task = super().new_task(op, worker, step, duration)
        task.missing += self.is_requested_late(op, worker)
        return task

    def is_requested_late(self, op, worker):
        """Whether the request takes time."""
        if op.kind not in ("pull", "push"):
            return False
        there, back = (self.delay(worker, op.server, direction) for direction in ("uplink", "downlink"))
        return there > 0 or (op.kind == "push" and back > 0)

    def run_graph(self, worker, step, server):
        """RunGraph and the requests for parameters have come to the server."""
        self.release(worker, step, server, "pull")
        back = self.delay(worker, server, "downlink")
        self.running.append(Activity(back, lambda: self.release(worker, step, server, "push")))
        self.part_done(worker, step, server)

    def release(self, worker, step, server, kind):
        for task in self.tasks[worker, step]:
            if task.op.kind == kind and task.op.server == server and self.is_requested_late(task.op, worker):
                task.missing -= 1
                if task.missing == 0:
                    self.enqueue(task)

    def complete(self, task):
        super().complete(task)
        if at_server(task.op):
            self.part_done(task.worker, task.step, task.op.server)

    def part_done(self, worker, step, server):
        self.parts[worker, step, server] -= 1
        if self.parts[worker, step, server] == 0:
            back = self.delay(worker, server, "downlink")
            self.running.append(Activity(back, lambda: self.answered(worker, step)))

    def answered(self, worker, step):
        self.answers[worker, step] -= 1
        self.look_for_end(worker, step)

    def look_for_end(self, worker, step):
        if self.answers[worker, step] == 0:
            super().look_for_end(worker, step)


def expect(case):
    known = {}

    def delay(worker, server, direction):
        ends = (f"ps{server}", f"worker{worker}")
        ends = ends if direction == "downlink" else ends[::-1]
        if ends not in known:
            known[ends] = sum(case["_delays"][link] for link in networks.route(case, *ends))
        return known[ends]

    return networks.simulate(case, make=Delayed, servers=case["job"]["parameter_servers"], delay=delay)

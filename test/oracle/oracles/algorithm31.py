# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Algorithm 3.1: times of steps and transfers of asynchronous workers on ideal links."""

from oracles import order, random_jobs, sharing
from oracles.comparison import compare_rows, move_time
from oracles.program import goodput
from oracles.simulator import Connection, DeviceQueue, Simulator, make_plan

NAME = "algorithm31"
TABLES = ("steps", "transfers")
RATE = 8_000_000
MEBI = 1 << 20


def draw(random):
    """A case: a profile, sections of a scenario, and below "_" what they mean."""
    profile = random.choice((random_jobs.layered, random_jobs.any_graph))(random)
    workers, servers = random.randint(1, 4), random.choice((1, 1, 1, 2, 3))
    steps = random.randint(1, 4)
    start, offsets = random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    job = {"workers": workers, "parameter_servers": servers, "steps": steps, "warmup": 0, "sampling": sampling,
           "start": start, "step_jitter": "0s", "sync": "async", "protocol": "run-graph"}
    names = [tensor["name"] for tensor in profile["tensors"]]
    job["placement"] = random.choice(("greedy", "round-robin", {name: random.randrange(servers) for name in names}))
    hosts = {}
    if random.random() < 0.3:
        hosts = {f"worker{worker}": {"rate": f"{random.randint(1, 20)}Mbps"} for worker in range(workers)
                 if random.random() < 0.7}
    rule = "max-min" if hosts else random.choice(("equal", "max-min") + (("two-ps",) if servers == 2 else ()) + ("auto",))
    case = {"profile": profile, "job": job, "transfer": transfer(random, names),
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500, "hosts": hosts},
            "fair_share": {"sharing": rule, "one_way_delay": "0s", "ps_cores": random.choice((0, 0, 1, 2))},
            "overhead": overhead(random), "_starts": offsets, "_samples": samples}
    return case


def transfer(random, names):
    policy = random.choice(("http2-window", "http2-window", "http2-window", "fifo", "tic", "tac", "reverse", "explicit"))
    section = {"policy": policy}
    if policy == "explicit":
        section["order"] = random.sample(names, len(names))
    if policy == "http2-window" or (policy != "fifo" and random.random() < 0.3):
        section["window"] = f"{random.choice((random.randint(2000, 4_000_000), 500_000))}B"
        section["grant"] = random.choice(("message", "capped", "consume"))
    else:
        section["window"] = "off"
    if policy == "http2-window" and random.random() < 0.1:
        section = {"policy": policy, "window": "off"}
    elif policy == "http2-window":
        section["rejoin"] = random.choice(("end", "start"))
    return section


def overhead(random):
    if random.random() < 0.6:
        return {}
    section = {"alpha": random.choice((0, 1e-7)), "beta": random.choice((0, 0.05)),
               "parallel": random.random() < 0.3}
    if random.random() < 0.3:
        section["server"] = {"alpha": 3e-7, "beta": 0.01}
    return section


def turn_rule(transfer_section):
    """Most bytes of a stream's next turn (section 3.2.2 of the paper; doc/flow-control.rst)."""
    if transfer_section["window"] == "off":
        return lambda task: task.left
    window = int(transfer_section["window"][:-1])
    grant = transfer_section["grant"]
    if grant == "message":
        return lambda task: window if task.turns == 0 else task.left
    return lambda task: window + (MEBI if grant == "capped" and task.turns > 0 else 0)


def ranks_on(server, tensors, plan):
    """The places of a server's tensors in an order of all."""
    own = {op.tensor for op in plan if op.kind == "pull" and op.server == server}
    return {name: place for place, name in enumerate(name for name in tensors if name in own)}


def pull_order(case):
    policy = case["transfer"]["policy"]
    ops = case["profile"]["ops"]
    if policy == "tic":
        return order.tic(ops)
    if policy == "reverse":
        return order.tic(ops)[::-1]
    if policy == "tac":
        sizes = {tensor["name"]: tensor["bytes"] for tensor in case["profile"]["tensors"]}
        return order.tac(ops, sizes, goodput(RATE))
    return case["transfer"].get("order")


def queue_maker(case, plan):
    turn = turn_rule(case["transfer"])
    tensors = pull_order(case)

    def make(resource):
        kind, server = resource
        if kind == "uplink":
            return Connection(turn, case["transfer"].get("rejoin", "end"))
        if kind == "downlink":
            return Connection(turn, case["transfer"].get("rejoin", "end"),
                              None if tensors is None else ranks_on(server, tensors, plan))
        return DeviceQueue()

    return make


def rates_of(case):
    rule = case["fair_share"]["sharing"]
    rate = goodput(RATE)
    if rule == "auto":
        rule = "equal" if case["job"]["parameter_servers"] == 1 else "max-min"
    if rule == "equal":
        return lambda flows: sharing.equal(flows, rate)
    if rule == "two-ps":
        return lambda flows: sharing.two_servers(flows, rate)
    hosts = case["network"]["hosts"]

    def capacity(host):
        return goodput(float(hosts[host]["rate"][:-4]) * 1e6) if host in hosts else rate

    def rates(flows):
        routes = []
        for flow in flows:
            ends = (f"ps{flow.server}", f"worker{flow.worker}")
            sender, receiver = ends if flow.direction == "downlink" else ends[::-1]
            routes.append([(sender, "out"), (receiver, "in")])
        return sharing.max_min(routes, {link: capacity(link[0]) for route in routes for link in route})

    return rates


def simulate(case, rate_rule=None, make=Simulator, **more):
    job = case["job"]
    plan = make_plan(case["profile"], job["parameter_servers"], job["placement"], case["overhead"])
    slots = {device["name"]: device["slots"] for device in case["profile"]["devices"]}
    return make(plan, job["workers"], job["steps"], queues=queue_maker(case, plan),
                rates=rate_rule or rates_of(case), samples=case["_samples"], starts=case["_starts"],
                slots=lambda resource: slots.get(resource[1], 1) if resource[0] == "device" else 1,
                cores=case["fair_share"]["ps_cores"], **more).run()


def expect(case):
    return simulate(case)


def step_times(run):
    return {(str(worker), str(step)): (start, end) for worker, step, start, end in run.rows}


def transfer_times(run):
    return {(str(task.worker), str(task.step), task.op.tensor, task.op.resource[0], str(task.op.server)):
            (task.ready, task.first, task.last) for task in run.records}


def compare(_, run, outcome):
    differences = []
    compare_rows("steps.csv", step_times(run), outcome.rows("steps"), ("worker", "step"), ("start", "end"), differences)
    compare_rows("transfers.csv", transfer_times(run), outcome.rows("transfers"),
                 ("worker", "step", "tensor", "direction", "ps"), ("ready", "first_byte", "last_byte"), differences)
    return differences


def perturb(random, outcome):
    """What the program would write if one time were wrong by 5 ns."""
    table = random.choice(("steps", "transfers"))
    row = random.choice(outcome.rows(table))
    column = random.choice(("start", "end") if table == "steps" else ("ready", "first_byte", "last_byte"))
    move_time(row, column)

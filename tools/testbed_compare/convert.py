#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Turns a measured run into a dml profile and scenarios: the same rules and constants for all runs.

Of a run come only what a model takes as given: the lengths of ops, updates and request latencies
step by step, the order of requests, the first step's start, and the network's parameters. Transfers
are never measured, the engines predict them."""

import heapq
import json
import math

from testbed_compare.windows import LAST_WINDOW, read_windows

# Linux counts the Ethernet header in the shaped rate (14 bytes; no checksum, no preamble on veth),
# and uses TCP timestamps; ns-3's point-to-point links have a header of 2 bytes.
ETHERNET = 14
POINT_TO_POINT = 2
# One way through veth pairs and a bridge.
DELAY = "10us"
# TCP's payload in a packet: without IPv4's and its own header, and timestamps.
HEADERS = 52
# Packets that a queue must have room for.
LEAST_QUEUE = 2
# More steps than were measured, so that a faster prediction also covers the window.
EXTRA_STEPS = 1.15
# Linux' names of congestion controls that ns-3 has, too.
CONGESTION = {"cubic": "cubic", "reno": "linux-reno", "bbr": "bbr", "dctcp": "dctcp",
              "vegas": "vegas", "westwood": "westwood"}


def sample_rows(run):
    """(worker, step) of each row of samples, and the indices of the rows of each worker."""
    rows, lists = [], {}
    for worker in run.logs:
        steps = run.complete_steps(worker)
        lists[worker] = list(range(len(rows), len(rows) + len(steps)))
        rows += [(worker, step) for step in steps]
    everything = list(range(len(rows)))
    for worker in set(range(run.workers)) - set(run.logs):
        turn = worker * len(rows) // run.workers
        lists[worker] = everything[turn:] + everything[:turn]
    return rows, [lists[w] for w in range(run.workers)]


def order_of_requests(run):
    """The tensors in the order in which the workers ask for them, by mean rank over all steps."""
    total, orders = [0] * len(run.tensors), set()
    for worker, log in run.logs.items():
        for step in run.complete_steps(worker):
            order = sorted(range(len(run.tensors)), key=lambda t: (log.tensors[step, t][0], t))
            orders.add(tuple(order))
            for rank, tensor in enumerate(order):
                total[tensor] += rank
    if len(orders) > 1:
        run.notes.append(f"parameters were requested in {len(orders)} different orders; the "
                         "engines take the mean one")
    return sorted(range(len(run.tensors)), key=lambda t: (total[t], t))


def op_lengths(run, worker, step):
    """Seconds of each op: from when the one before had ended, and its parameters were there.

    So the time to hand over, some 0.1 ms, counts to the op that follows, as in a layer profile."""
    log, lengths = run.logs[worker], {}
    received = [0] * len(run.layers)
    for i, tensor in enumerate(run.tensors):
        received[tensor.layer] = max(received[tensor.layer], log.tensors[step, i][1])
    ready = log.steps[step][0]
    order = [("fwd", i) for i in range(len(run.layers))]
    for kind, layer in order + [("bwd", i) for _, i in reversed(order)]:
        if kind == "fwd":
            ready = max(ready, received[layer])
        end = log.ops[step, kind, layer][1]
        lengths[kind, layer] = max(0, end - ready) / 1e9
        ready = max(ready, end)
    return lengths


def update_lengths(run):
    """Seconds of each update by (worker, step, tensor): from when it was there and a lane free."""
    lengths = {}
    for server in range(run.servers):
        updates = sorted((started, key) for key, (_, started, _) in run.gradients.items()
                         if run.tensors[key[2]].server == server)
        lanes = [0] * (run.update_slots or len(updates))
        for _, key in updates:
            received, _, end = run.gradients[key]
            ready = max(received, heapq.heappop(lanes))
            lengths[key] = max(0, end - ready) / 1e9
            heapq.heappush(lanes, end)
    return lengths


def request_latency(run, worker, step, server):
    """Seconds from the last update of the step before to the first request at the server.

    It holds the answer to the worker (0.3 ms), and issuing the first requests (1 ms); the first
    step of all has only the latter."""
    if not run.arrivals:
        return 0.0
    mine = [t for t in range(len(run.tensors)) if run.tensors[t].server == server]
    arrival = min(run.arrivals[worker, step, t] for t in mine)
    before = [run.gradients[worker, step - 1, t][2] for t in range(len(run.tensors))
              if (worker, step - 1, t) in run.gradients]
    begin = max(before) if len(before) == len(run.tensors) else run.logs[worker].steps[step][0]
    return max(0, arrival - begin) / 1e9


def make_ops(run):
    """The ops of a step: (name, kind, extra keys, deps, key of its samples or None)."""
    tensors, last = run.tensors, len(run.layers) - 1
    used = sorted({t.server for t in tensors})
    ops = [(f"request/ps{p}", "compute", {"device": "rpc"}, [], ("request", p)) for p in used]
    for t in order_of_requests(run):
        ops.append((f"pull/{tensors[t].name}", "pull", {"tensor": tensors[t].name},
                    [f"request/ps{tensors[t].server}"], None))
    for i, layer in enumerate(run.layers):
        deps = [f"forward/{run.layers[i - 1].name}"] if i else []
        deps += [f"pull/{t.name}" for t in tensors if t.layer == i]
        ops.append((f"forward/{layer.name}", "forward", {"device": "cpu"}, deps, ("fwd", i)))
    for i in range(last, -1, -1):
        before = f"backward/{run.layers[i + 1].name}" if i < last else \
            f"forward/{run.layers[last].name}"
        ops.append((f"backward/{run.layers[i].name}", "backward", {"device": "cpu"}, [before],
                    ("bwd", i)))
        for t, tensor in enumerate(tensors):
            if tensor.layer == i:
                ops.append((f"push/{tensor.name}", "push", {"tensor": tensor.name},
                            [f"backward/{run.layers[i].name}"], None))
                ops.append((f"update/{tensor.name}", "update", {"tensor": tensor.name},
                            [f"push/{tensor.name}"], ("update", t)))
    return ops


def write_profile(run, path, samples_path, samples_name):
    """Writes the profile and, beside it, the CSV file of its samples."""
    rows, _ = sample_rows(run)
    ops, updates = make_ops(run), update_lengths(run)
    servers = {t.server for t in run.tensors}
    columns = {}
    for worker, step in rows:
        values = op_lengths(run, worker, step)
        values.update({("request", p): request_latency(run, worker, step, p) for p in servers})
        values.update({("update", t): updates.get((worker, step, t), tensor.update / 1e6)
                       for t, tensor in enumerate(run.tensors)})
        for key, value in values.items():
            columns.setdefault(key, []).append(f"{value:.9f}")
    with open(samples_path, "w", encoding="utf-8") as file:
        timed = [(name, key) for name, _, _, _, key in ops if key is not None]
        quoted = ['"' + name.replace('"', '""') + '"' for name, _ in timed]
        file.write(",".join(quoted) + "\n")
        for i in range(len(rows)):
            file.write(",".join(columns[key][i] for _, key in timed) + "\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("schema: dml-profile/1\n")
        file.write(f"model: {json.dumps(run.model_name)}\n")
        file.write("batch_size: 1\n")
        file.write(f"source: {{measured: {json.dumps(run.name)}}}\n")
        file.write("devices: [{name: cpu, slots: 1}, "
                   f"{{name: rpc, slots: {len(servers)}}}]\n")
        file.write(f"samples: {json.dumps(samples_name)}\ntensors:\n")
        for tensor in run.tensors:
            file.write(f"  - {{name: {json.dumps(tensor.name)}, bytes: {tensor.size}}}\n")
        file.write("ops:\n")
        for name, kind, extra, deps, _ in ops:
            more = "".join(f", {k}: {json.dumps(v)}" for k, v in extra.items())
            more += f", deps: {json.dumps(deps)}" if deps else ""
            file.write(f"  - {{name: {json.dumps(name)}, kind: {kind}{more}}}\n")


def start_offsets(run):
    """Seconds after the run's start at which each worker began."""
    return [(min(s for s, _ in run.logs[w].steps.values()) - run.start) / 1e9 if w in run.logs
            else w * run.stagger for w in range(run.workers)]


def steps_needed(run):
    """Steps per worker that cover the measured window."""
    if run.max_steps:
        return run.max_steps
    return math.ceil(EXTRA_STEPS * max(len(log.steps) for log in run.logs.values())) + 1


def link_rate(run):
    """Bits/s of a link on which ns-3's framing carries what Ethernet's carries on the real one."""
    return round(run.rate * (run.mtu + POINT_TO_POINT) / (run.mtu + ETHERNET))


def seen_windows(run):
    """WIN of each connection in each step, as read_windows() has them."""
    return read_windows(run, run.rate / 8 * (run.mtu - HEADERS) / (run.mtu + ETHERNET))


def windows_key(run, window):
    """The value of transfer.window: `window` bytes, or what the run's connections had if None."""
    if window is not None:
        return f"{window}B"
    connections = {}
    for (worker, server, direction), steps in seen_windows(run).items():
        connection = connections.setdefault((worker, server), {"worker": worker, "server": server})
        connection[direction] = [f"{size}B" for size in steps]
    return {"default": f"{LAST_WINDOW}B", "connections": list(connections.values())}


def queue_key(run):
    """The value of network.queue: one queue for each flow with htbfair, one for all with tbf.

    htbfair gives every peer a queue of that size, while dml's flows have it together."""
    size = run.switch_queue and max(run.switch_queue, LEAST_QUEUE * (run.mtu + ETHERNET))
    fair = "fair" in run.qdisc
    return {"fair": f"{size * max(run.workers, run.servers)}B"} if fair else f"{size}B"


def transport_keys(run, window):
    """Transfers and network: all keys that depend on what dml can do are here."""
    # gRPC 1.51 announces WIN and 1 MiB beyond what has arrived: it preempts a stream every window.
    transfer = {"policy": "http2-window", "grant": "capped", "window": windows_key(run, window)}
    network = {"topology": "star", "rate": f"{link_rate(run)}bps", "delay": DELAY, "mtu": run.mtu,
               "queue": queue_key(run),
               "tcp": {"variant": CONGESTION.get(run.congestion, "cubic")}}
    # what a message waits for on its way is in the times of requests that were measured
    return {"transfer": transfer, "network": network,
            "fair_share": {"one_way_delay": "0s", "ps_cores": run.update_slots}}


def write_scenario(run, path, profile_name, steps, offsets, window=None):
    """Writes a scenario. JSON is YAML, too."""
    _, lists = sample_rows(run)
    job = {"profile": profile_name, "workers": run.workers, "parameter_servers": run.servers,
           "placement": {t.name: t.server for t in run.tensors}, "sync": "async", "steps": steps,
           "warmup": 0, "sampling": lists,
           "start": [f"{round(max(0.0, t) * 1e9)}ns" for t in offsets],
           "step_jitter": "0s"}  # requests are as late as they were measured
    sections = {"name": run.name, "seed": 1, "replications": 1, "job": job,
                **transport_keys(run, window), "output": {"trace": False, "plots": False}}
    with open(path, "w", encoding="utf-8") as file:
        for key, value in sections.items():
            file.write(f"{key}: {json.dumps(value)}\n")

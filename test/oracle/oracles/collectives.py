# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""All-reduce on ideal links: messages, their times, and the steps around them.

Who sends what to whom is written from the papers: Patarasuk and Yuan (ring), Thakur, Rabenseifner and Gropp
(halving-doubling and recursive doubling, section 4.5), and a ring of rings (hierarchical). How messages wait for each other is
doc/all-reduce.rst: a worker sends what its receiver has asked for, which is the round that it is in and the next one; of the
next one not what comes from a worker that did not have to wait for whole buffers, if the receiver did.
Where the papers have a formula for workers that begin together, the times of these messages are compared with it, too.
"""

import collections
import math

from oracles import random_jobs, sharing
from oracles.comparison import compare_numbers, compare_rows, move_time
from oracles.program import goodput
from oracles.simulator import COMPUTE, Activity, DeviceQueue, Op, Simulator, other_orders

NAME = "collectives"
TABLES = ("steps", "transfers", "ops")
RATE = 8_000_000
# Buffers can be divided by all numbers of workers and groups: the papers do not say who gets what remains.
WHOLE = 5040

Message = collections.namedtuple("Message", "sender receiver size reduce")


def parts(size, count):
    """A buffer in `count` parts, the first ones a byte longer where it cannot be divided."""
    return [size // count + (index < size % count) for index in range(count)]


def ring(ranks, size):
    """Rounds of messages. In round k rank i sends part i - k to the next one, and later the sums in the same way."""
    count = len(ranks)
    chunks = parts(size, count)
    return [[Message(ranks[i], ranks[(i + 1) % count], chunks[(i - k + (k >= count - 1) * count) % count],
                     k < count - 1) for i in range(count)] for k in range(2 * (count - 1))]


def fold(ranks):
    """The power of two below the number of ranks, who is folded into whom, and who is left."""
    power = 1 << (len(ranks).bit_length() - 1)
    rest = len(ranks) - power
    pairs = [(ranks[2 * index + 1], ranks[2 * index]) for index in range(rest)]
    return pairs, [ranks[2 * index] for index in range(rest)] + ranks[2 * rest:]


def folded(ranks, size, inner):
    pairs, left = fold(ranks)
    before = [[Message(far, near, size, True) for far, near in pairs]] if pairs else []
    after = [[Message(near, far, size, False) for far, near in pairs]] if pairs else []
    return before + inner(left, size) + after


def doubling(ranks, size):
    """In each round both of a pair send all that they have."""
    return [[Message(ranks[i], ranks[i ^ mask], size, True) for i in range(len(ranks))]
            for mask in powers_below(len(ranks))]


def powers_below(count):
    return [1 << index for index in range(count.bit_length() - 1)]


def halving(ranks, size):
    """Reduce-scatter by halves to partners ever farther away, and the way back."""
    spans = {i: (0, size) for i in range(len(ranks))}
    down, up = [], []
    for mask in powers_below(len(ranks)):
        messages, back, halves = [], [], {}
        for i, (begin, end) in spans.items():
            middle = begin + (end - begin + 1) // 2
            low, high = (begin, middle), (middle, end)
            halves[i], given = (high, low) if i & mask else (low, high)
            messages.append(Message(ranks[i], ranks[i ^ mask], given[1] - given[0], True))
            back.append(Message(ranks[i], ranks[i ^ mask], halves[i][1] - halves[i][0], False))
        spans = halves
        down.append(messages)
        up.insert(0, back)
    return down + up


def hierarchical(ranks, size, group):
    """Rings in groups of equal size, and of those that hold the same part, between the groups."""
    groups = [ranks[begin:begin + group] for begin in range(0, len(ranks), group)]
    shards = parts(size, group)
    inner = [ring(members, size) for members in groups]
    half = group - 1
    scatter = [[message for one in inner for message in one[k]] for k in range(half)]
    gather = [[message for one in inner for message in one[half + k]] for k in range(half)]
    # After the scatter a member holds the part after its own.
    across = [ring([members[index] for members in groups], shards[(index + 1) % group]) for index in range(group)]
    between = [[message for one in across for message in one[k]] for k in range(len(across[0]))]
    return scatter + between + gather


def schedule(algorithm, workers, size):
    ranks = list(range(workers))
    if workers == 1:
        return []
    if algorithm == "auto":
        algorithm = "recursive-doubling" if size < 10000 else "ring"
    if algorithm == "ring":
        return ring(ranks, size)
    if algorithm == "recursive-doubling":
        return folded(ranks, size, doubling)
    if algorithm == "halving-doubling":
        return folded(ranks, size, halving)
    return hierarchical(ranks, size, algorithm[1])


def list_late(algorithm, rounds, workers, size):
    """Messages to who has waited for a whole buffer, or for one who has, from who has not."""
    pairwise = algorithm in ("halving-doubling", "recursive-doubling") or (algorithm == "auto" and size < 10000)
    pairs = fold(list(range(workers)))[0] if pairwise else []
    waited, late = set(), []
    for number, messages in enumerate(rounds if pairs else []):
        late += [one for one in messages if one.receiver in waited and one.sender not in waited]
        waited |= {one.receiver for one in messages if number == 0 or one.sender in waited}
    return late


def formula(algorithm, workers, size, rate, delay, reduction):
    """Seconds from the papers, for workers that begin together; None where they have none.

    Patarasuk and Yuan; Thakur et al., section 4.5.
    """
    if workers == 1:
        return 0.0
    if algorithm == "auto":
        algorithm = "recursive-doubling" if size < 10000 else "ring"
    if algorithm == "ring":
        return (2 * (workers - 1) * (delay + size / workers / rate)
                + (workers - 1) * size / workers * reduction) if size % workers == 0 else None
    if isinstance(algorithm, tuple):
        group, groups = algorithm[1], workers // algorithm[1]
        if size % workers:
            return None
        return (2 * (group - 1) * (delay + size / group / rate) + (group - 1) * size / group * reduction
                + 2 * (groups - 1) * (delay + size / workers / rate) + (groups - 1) * size / workers * reduction)
    # Those beyond a power of two give all to others before, and get all after.
    power = 1 << (workers.bit_length() - 1)
    steps, more = math.log2(power), int(workers > power)
    if algorithm == "recursive-doubling":
        return (steps + 2 * more) * (delay + size / rate) + (steps + more) * size * reduction
    if size % power:
        return None
    share = (power - 1) / power + more
    return 2 * (steps + more) * delay + 2 * share * size / rate + share * size * reduction


def draw(random):
    profile = random_jobs.layered(random, devices=False, largest=600_000)
    profile["ops"] = in_order(profile["ops"])
    alone = random.random() < 0.5
    if alone:
        # One buffer of workers that begin together: what formulas are about.
        profile["tensors"] = [{"name": "t", "bytes": random.randint(1, 40) * WHOLE}]
        profile["ops"] = [
            {"name": "backward", "kind": "backward", "seconds": 1.0},
            {"name": "push", "kind": "push", "tensor": "t", "deps": ["backward"]},
            {"name": "update", "kind": "update", "tensor": "t", "deps": ["push"], "seconds": 0.5}]
    else:
        for tensor in profile["tensors"]:
            tensor["bytes"] = max(1, tensor["bytes"] // WHOLE) * WHOLE
    buckets_of = random.choice(("off", {"count": 2}, {"bytes": "300KB"}, {"ddp": "500KB", "first": "100KB"}))
    if not alone and random.random() < 0.2:
        buckets_of = {"ddp": "500KB", "first": "100KB", "find_unused": True}
        leave_unused(random, profile)
    workers = random.randint(1, 9)
    algorithm = random.choice(("ring", "halving-doubling", "recursive-doubling", "hierarchical", "auto"))
    written = algorithm
    if algorithm == "hierarchical":
        groups = [size for size in range(2, workers // 2 + 1) if workers % size == 0]
        if groups:
            algorithm = ("hierarchical", random.choice(groups))
            written = {"type": "ns3::dml::HierarchicalAllReduce", "GroupSize": algorithm[1]}
            if algorithm[1] == 4 and random.random() < 0.5:
                # On a star all workers are in one rack: groups of four.
                written = "hierarchical"
        else:
            algorithm = written = "ring"
    start, offsets = ("together", [0.0] * workers) if alone else random_jobs.starts(random, workers)
    sampling, samples = random_jobs.sampling(random, profile, workers)
    job = {"workers": workers, "parameter_servers": 0, "steps": random.randint(1, 3), "warmup": 0,
           "protocol": "all-reduce", "sampling": sampling, "start": start, "step_jitter": "0s",
           "gradient_groups": buckets_of,
           "all_reduce": {"algorithm": written, "reduction": random.choice((0.0, 2e-7)), "ranks": "listed",
                          "concurrent": random.choice((1, 1, 2)), "barrier": alone or random.random() < 0.6}}
    delay = random.choice((0, 0, 20, 250))
    return {"profile": profile, "job": job, "transfer": {"transport": "tcp"},
            "network": {"transport": "ideal", "rate": f"{RATE}bps", "delay": "0s", "mtu": 1500},
            "fair_share": {"sharing": "max-min", "one_way_delay": f"{delay}ms"},
            "_starts": offsets, "_samples": samples, "_algorithm": algorithm, "_delay": delay / 1000, "_alone": alone}


def leave_unused(random, profile):
    """Takes away the gradients of some parameters."""
    names = [tensor["name"] for tensor in profile["tensors"]]
    unused = random.sample(names, random.randint(0, len(names) - 1))
    profile["ops"] = [op for op in profile["ops"] if op["kind"] not in ("push", "update") or op["tensor"] not in unused]


def in_order(ops):
    """Ops after what they wait for, as far as possible in their order."""
    done, left, listed = set(), list(ops), []
    while left:
        op = next(op for op in left if all(name in done for name in op.get("deps", [])))
        left.remove(op)
        done.add(op["name"])
        listed.append(op)
    return listed


def buckets(profile, groups):
    """Tensors that are reduced together, in the order in which a step generates their gradients; `groups` may be these.

    With find_unused: those of all parameters, in the opposite order to that in which they were made (PyTorch's Reducer).
    """
    if isinstance(groups, list):
        return groups
    sizes = {tensor["name"]: tensor["bytes"] for tensor in profile["tensors"]}
    places = {op["name"]: place for place, op in enumerate(profile["ops"])}
    pushes = [op for op in profile["ops"] if op["kind"] == "push"]
    pushes.sort(key=lambda op: max(places[name] for name in op["deps"]))
    names = list(sizes) if "find_unused" in groups else [op["tensor"] for op in pushes]
    if groups == "off" or "horovod" in groups:
        return [[name] for name in names]
    made, open_ones = [], []
    for name in names:
        open_ones.append(name)
        held = sum(sizes[one] for one in open_ones)
        if "count" in groups:
            full = len(open_ones) == groups["count"]
        elif "bytes" in groups:
            full = held >= 300_000
        else:
            full = held >= (500_000 if made else 100_000)
        if full:
            made.append(open_ones)
            open_ones = []
    made += [open_ones] if open_ones else []
    return made[::-1] if "find_unused" in groups else made


class Collective:
    """One worker's part in reducing one bucket in one step."""

    def __init__(self, rounds, worker, late=()):
        self.late = set(late)
        self.rounds = [([m for m in messages if m.sender == worker], [m for m in messages if m.receiver == worker])
                       for messages in rounds]
        self.rounds = [one for one in self.rounds if one[0] or one[1]]
        self.entered = False
        self.received = [0] * len(self.rounds)
        self.sent = [0] * len(self.rounds)
        self.started = [not sends for sends, _ in self.rounds]
        self.missing = self.unsent = self.unstarted = 0

    def is_over(self):
        while self.unsent < len(self.rounds) and self.sent[self.unsent] == len(self.rounds[self.unsent][0]):
            self.unsent += 1
        return self.unsent == len(self.rounds) == self.first_missing()

    def to_start(self):
        """Rounds whose messages have not all been sent off, though all data of the rounds before is there."""
        while self.unstarted < len(self.rounds) and self.started[self.unstarted]:
            self.unstarted += 1
        last = min(self.first_missing(), len(self.rounds) - 1) if self.entered else -1
        return [index for index in range(self.unstarted, last + 1) if not self.started[index]]

    def asked(self, index):
        """For the round that the receiver is in, and the next one unless it asks late."""
        late = not self.late.isdisjoint(self.rounds[index][1])
        return self.entered and index <= self.first_missing() + (0 if late else 1)

    def first_missing(self):
        while self.missing < len(self.rounds) and self.received[self.missing] == len(self.rounds[self.missing][1]):
            self.missing += 1
        return self.missing


class AllReduce(Simulator):
    """Workers that reduce buckets among themselves."""

    def __init__(self, case, ties=None):
        self.case = case
        self.reduction = case["job"]["all_reduce"]["reduction"]
        self.barrier = case["job"]["all_reduce"]["barrier"]
        self.concurrent = case["job"]["all_reduce"]["concurrent"]
        self.sizes = {tensor["name"]: tensor["bytes"] for tensor in case["profile"]["tensors"]}
        self.buckets = buckets(case["profile"], case["job"]["gradient_groups"])
        self.names = [names[0] if len(names) == 1 else f"bucket{index} of {names[0]}"
                      for index, names in enumerate(self.buckets)]
        # Those that are known at the start, or what has a gradient.
        self.to_reduce = sum(map(len, self.buckets))
        self.pushed = {op["tensor"] for op in case["profile"]["ops"] if op["kind"] == "push"}
        self.transfer_delay = case["_delay"]
        self.collectives = {}
        self.ready = collections.Counter()
        # How many collectives a worker has entered, over all steps, and is in.
        self.entered = collections.Counter()
        self.under_way = collections.Counter()
        self.reduced = collections.Counter()
        self.computing = collections.Counter()
        self.finished = set()
        self.channels = {}
        self.messages = []
        rate = goodput(RATE, transport="tcp")

        known = {}

        def rates(flows):
            pairs = [(flow.worker, flow.server) for flow in flows]
            listed = tuple(sorted(pairs))
            if listed not in known:
                routes = [[(sender, "out"), (receiver, "in")] for sender, receiver in listed]
                shares = sharing.max_min(routes, {link: rate for route in routes for link in route})
                known[listed] = dict(zip(listed, shares))
            return [known[listed][pair] for pair in pairs]

        super().__init__(make_plan(case["profile"], self.buckets), case["job"]["workers"], case["job"]["steps"],
                         queues=lambda resource: DeviceQueue(), rates=rates, samples=case["_samples"],
                         starts=case["_starts"], ties=ties)

    def start_step(self, worker, step):
        self.computing[worker, step] = sum(op.kind in COMPUTE for op in self.plan)
        super().start_step(worker, step)

    def new_task(self, op, worker, step, duration):
        """Without the barrier, what uses a tensor waits for its update in the step before."""
        task = super().new_task(op, worker, step, duration)
        if not self.barrier and step > 0:
            task.missing += sum((worker, step - 1, update.number) not in self.finished for update in op.uses)
        return task

    def complete(self, task):
        worker, step = task.worker, task.step
        super().complete(task)
        self.finished.add((worker, step, task.op.number))
        for other in self.tasks.get((worker, step + 1), []) if not self.barrier else []:
            if task.op in other.op.uses:
                other.missing -= 1
                if other.missing == 0:
                    self.enqueue(other)

    def finish_op(self, task, key):
        super().finish_op(task, key)
        if task.op.kind in COMPUTE:
            self.computing[task.worker, task.step] -= 1
            if self.computing[task.worker, task.step] == 0 and not self.barrier:
                super().next_step(task.worker, task.step + 1)

    def next_step(self, worker, step):
        if self.barrier:
            super().next_step(worker, step)

    def enqueue(self, task):
        if task.op.kind != "push":
            super().enqueue(task)
            return
        self.have_gradient(task)

    def have_gradient(self, task):
        index = next(index for index, names in enumerate(self.buckets) if task.op.tensor in names)
        self.ready[task.worker, task.step, index] += 1
        self.enter(task.worker)

    def next_collective(self, worker):
        """Step and bucket of what the worker enters next, in the order of buckets; None if it cannot yet."""
        step, index = divmod(self.entered[worker], len(self.buckets))
        gradients = len(self.pushed.intersection(self.buckets[index]))
        # Zeros are there from the step's first gradient on, as the Reducer's hook marks what is unused then.
        begun = any(self.ready[worker, step, other] for other in range(len(self.buckets)))
        return (step, index) if begun and self.ready[worker, step, index] == gradients else None

    def enter(self, worker):
        """Begins what is next."""
        while self.under_way[worker] < self.concurrent:
            key = self.next_collective(worker)
            if key is None:
                return
            step, index = key
            self.entered[worker] += 1
            self.under_way[worker] += 1
            if key not in self.collectives:
                self.collectives[key] = self.new_collective(index)
            self.collectives[key][worker].entered = True
            self.progress(key)
            self.look_if_over(key, worker)

    def participants(self):
        """The workers, by their ranks."""
        return list(range(self.workers))

    def new_collective(self, index):
        """Everybody's part, by worker."""
        workers = self.participants()
        size = sum(self.sizes[name] for name in self.buckets[index])
        rounds = schedule(self.case["_algorithm"], len(workers), size)
        late = list_late(self.case["_algorithm"], rounds, len(workers), size)

        def named(messages):
            return [one._replace(sender=workers[one.sender], receiver=workers[one.receiver]) for one in messages]

        rounds, late = [named(messages) for messages in rounds], named(late)
        return {worker: Collective(rounds, worker, late) for worker in workers}

    def progress(self, key):
        """Starts the messages that can go now."""
        members = list(self.collectives[key].values())
        if self.ties:
            self.ties.shuffle(members)
        for one in members:
            for index in one.to_start():
                waiting = False
                for message in one.rounds[index][0]:
                    other = self.collectives[key][message.receiver]
                    there = next(number for number, (_, receives) in enumerate(other.rounds) if message in receives
                                 and (key, number, message.receiver, message.sender) not in self.used)
                    if not other.asked(there):
                        waiting = True
                        continue
                    self.used.add((key, there, message.receiver, message.sender))
                    self.send(key, message, index, there)
                one.started[index] = not waiting

    def send(self, key, message, index, there):
        row = [key, message, self.instant, None, None]
        self.messages.append(row)
        channel = self.channels.setdefault((message.sender, message.receiver), collections.deque())
        channel.append((row, index, there))
        if len(channel) == 1:
            self.go(channel)

    def go(self, channel):
        row, _, _ = channel[0]
        message = row[1]
        row[3] = self.instant
        self.running.append(Activity(message.size, lambda: self.sent(channel), True, message.sender,
                                     message.receiver, "peer"))

    def sent(self, channel):
        """The last byte has left."""
        row, index, there = channel[0]
        key, message = row[0], row[1]
        if self.transfer_delay > 0:
            self.running.append(Activity(self.transfer_delay, lambda: self.arrived(row, there)))
        else:
            self.arrived(row, there)
        channel.popleft()
        if channel:
            self.go(channel)
        self.collectives[key][message.sender].sent[index] += 1
        self.look_if_over(key, message.sender)

    def arrived(self, row, there):
        """The last byte is there; it has to be added up yet."""
        row[4] = self.instant
        key, message = row[0], row[1]
        duration = message.size * self.reduction if message.reduce else 0.0
        if duration == 0:
            self.added(key, message, there)
            return
        queue = self.adding.setdefault(message.receiver, collections.deque())
        queue.append((duration, key, message, there))
        if len(queue) == 1:
            self.add_next(queue)

    def add_next(self, queue):
        duration, key, message, there = queue[0]

        def done():
            self.added(key, message, there)
            queue.popleft()
            if queue:
                self.add_next(queue)

        self.running.append(Activity(duration, done))

    def added(self, key, message, there):
        self.collectives[key][message.receiver].received[there] += 1
        self.progress(key)
        self.look_if_over(key, message.receiver)

    def look_if_over(self, key, worker):
        one = self.collectives[key][worker]
        if not one.entered or not one.is_over() or (key, worker) in self.over:
            return
        self.over.add((key, worker))
        step, index = key
        self.under_way[worker] -= 1
        self.reduced[worker, step] += len(self.buckets[index])
        pushes = [task for task in self.tasks[worker, step] if task.op.kind == "push"]
        if not self.barrier:
            pushes = [task for task in pushes if task.op.tensor in self.buckets[index]]
        elif self.reduced[worker, step] < self.to_reduce:
            pushes = []
        for task in pushes:
            self.complete(task)
        self.enter(worker)
        self.look_for_end(worker, step)

    def look_for_end(self, worker, step):
        """A step is over when all its buckets are, too."""
        if self.reduced[worker, step] == self.to_reduce:
            super().look_for_end(worker, step)

    def run(self):
        self.used, self.over, self.adding = set(), set(), {}
        return super().run()


def make_plan(profile, grouped):
    """Pulls are nothing; the updates of a bucket are one op on the first device."""
    ops, place, updates, pulled = [], {}, {}, {}
    of_tensor = {name: names for names in grouped for name in names}
    for listed in profile["ops"]:
        kind, tensor = listed["kind"], listed.get("tensor")
        durations = None if kind == "push" else listed.get("samples", [listed.get("seconds", 0.0)])
        if kind == "pull":
            pulled[listed["name"]] = tensor
            continue
        if kind == "update" and of_tensor[tensor][0] in updates:
            op = updates[of_tensor[tensor][0]]
            op.durations = [one + other for one, other in zip(op.durations, durations)]
        else:
            op = Op(len(ops), listed["name"], kind, ("push", 0) if kind == "push" else ("device", "cpu"), tensor, 0, 0,
                    durations)
            ops.append(op)
            op.uses = []
        place[listed["name"]] = op
        if kind == "update":
            updates[of_tensor[tensor][0]] = op
    for listed in profile["ops"]:
        op = place.get(listed["name"])
        for name in listed.get("deps", []) if op else []:
            if name in place:
                op.waits_for.append(place[name])
                place[name].dependents.append(op)
            elif of_tensor[pulled[name]][0] in updates:
                op.uses.append(updates[of_tensor[pulled[name]][0]])
    for op in ops:
        op.dependents.sort(key=lambda other: other.number)
        op.uses = list(dict.fromkeys(op.uses))
    return ops


def expect(case):
    """The run, and whether it is the same when simultaneous events are taken in another order.

    Messages of workers that are alike end together, and the papers do not say whose next one goes first.
    """
    run = AllReduce(case).run()
    run.unique = not has_open_order(run) and all(alike(run, AllReduce(case, ties=ties).run()) for ties in other_orders(4))
    return run


def has_open_order(run):
    """Whether one event lets a worker send messages of two collectives to the same other one: nothing says which goes first."""
    seen = {}
    return any(seen.setdefault((message.sender, message.receiver, ready), key) != key
               for key, message, ready, *_ in run.messages)


def alike(run, other):
    return all(abs(one - two) < 1e-10 for one, two in zip(times(run), times(other)))


def times(run):
    return sorted(end for *_, end in run.rows) + sorted(last for *_, last in run.messages)


def compare(case, run, outcome):
    differences = []
    compare_bytes(run, outcome, differences)
    outcome.unique = run.unique
    if run.unique:
        compare_run(run, outcome, differences)
    if case["_alone"]:
        compare_formula(case, run, outcome, differences)
    return differences


def compare_run(run, outcome, differences):
    steps = {(str(worker), str(step)): (start, end) for worker, step, start, end in run.rows}
    compare_rows("steps.csv", steps, outcome.rows("steps"), ("worker", "step"), ("start", "end"), differences)
    expected = sorted((key[0], message.receiver, message.sender, run.names[key[1]], round(last, 8), last)
                      for key, message, _, _, last in run.messages)
    rows = sorted((int(row["step"]), int(row["worker"]), int(row["ps"]), row["tensor"],
                   round(float(row["last_byte"]), 8), float(row["last_byte"])) for row in outcome.rows("transfers"))
    compare_numbers("messages", len(expected), len(rows), differences)
    for one, other in zip(expected, rows):
        if one[:3] != other[:3] or abs(one[-1] - other[-1]) > 1e-9:
            differences.append(f"message: expected {one[:4]} at {one[-1]:.9f}, found {other[:4]} at {other[-1]:.9f}")
            break


def run_rounds(case):
    return schedule(case["_algorithm"], case["job"]["workers"], case["profile"]["tensors"][0]["bytes"])


def compare_formula(case, run, outcome, differences):
    seconds = formula(case["_algorithm"], case["job"]["workers"], case["profile"]["tensors"][0]["bytes"],
                      goodput(RATE, transport="tcp"), case["_delay"], run.reduction)
    if seconds is None:
        return
    found = [float(row["end"]) - float(row["start"]) for row in outcome.rows("steps")]
    if list_late(case["_algorithm"], run_rounds(case), case["job"]["workers"], case["profile"]["tensors"][0]["bytes"]):
        # Those who get all from another one are the last, and begin the next step later.
        found = [max(float(row["end"]) for row in outcome.rows("steps") if int(row["step"]) == 0)]
    for length in found:
        compare_numbers("formula", 1.5 + seconds, length, differences, rounding=1.1e-9)


def compare_bytes(run, outcome, differences):
    """Bytes of each worker's messages to each other one in each step."""
    expected, found = collections.Counter(), collections.Counter()
    for key, message, *_ in run.messages:
        expected[key[0], message.sender, message.receiver] += message.size
    for row in outcome.rows("ops"):
        if row["resource"] == "peer":
            found[int(row["step"]), int(row["worker"]), int(row["index"])] += int(row["bytes"])
    for key in expected.keys() | found.keys():
        compare_numbers(f"bytes of (step, sender, receiver) {key}", expected[key], found[key], differences)


def perturb(random, outcome):
    """A message that ends 5 ns later, or has a byte more, or a step that takes 5 ns longer."""
    if not outcome.rows("transfers"):
        return False
    table = random.choice(TABLES if outcome.unique else ("ops",))
    if table == "ops":
        row = random.choice([row for row in outcome.rows("ops") if row["resource"] == "peer"])
        row["bytes"] = str(int(row["bytes"]) + 1)
    else:
        row = random.choice(outcome.rows(table))
        column = "end" if table == "steps" else "last_byte"
        move_time(row, column)

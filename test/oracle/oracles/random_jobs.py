# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Random small profiles."""


def seconds(random):
    """Round numbers make ties, others do not; sometimes nothing at all."""
    return random.choice((0.0, round(random.uniform(0.01, 3), 6), round(random.uniform(0.01, 3), 6),
                          random.randint(1, 8) / 4))


def size(random, largest=3_000_000):
    return random.choice((0, 1, random.randint(2, 5000), random.randint(1000, largest), random.randint(1000, largest),
                          random.randint(1, 6) * largest // 6))


def layered(random, *, samples=None, updates=True, largest=3_000_000, devices=True):
    """Layers with forward and backward propagation, some with several tensors or none, and shortcuts."""
    count = samples or random.randint(1, 3)
    profile = start(random, devices)
    tensors, ops = profile["tensors"], profile["ops"]
    names = [device["name"] for device in profile["devices"]]
    layers = random.randint(1, 5)
    owned = []

    def durations():
        return [seconds(random) for _ in range(count)]

    for layer in range(layers):
        own = [f"t{layer}.{index}" for index in range(random.choice((0, 1, 1, 1, 2)))]
        if layer == 0 and not own:
            own = ["t0.0"]
        owned.append(own)
        for name in own:
            tensors.append({"name": name, "bytes": size(random, largest)})
            ops.append({"name": "pull/" + name, "kind": "pull", "tensor": name})
        before = [f"forward/{layer - 1}"] if layer else []
        if layer > 1 and random.random() < 0.3:
            before.append(f"forward/{random.randint(0, layer - 2)}")
        ops.append({"name": f"forward/{layer}", "kind": "forward", "device": random.choice(names),
                    "deps": ["pull/" + name for name in own] + before, "samples": durations()})
    for layer in reversed(range(layers)):
        after = f"backward/{layer + 1}" if layer < layers - 1 else f"forward/{layer}"
        ops.append({"name": f"backward/{layer}", "kind": "backward", "device": random.choice(names),
                    "deps": [after], "samples": durations()})
        for name in owned[layer]:
            ops.append({"name": "push/" + name, "kind": "push", "tensor": name, "deps": [f"backward/{layer}"]})
            if updates or random.random() < 0.8:
                ops.append({"name": "update/" + name, "kind": "update", "tensor": name,
                            "deps": ["push/" + name], "samples": durations()})
    if random.random() < 0.3:
        random.shuffle(ops)
    return profile


def any_graph(random, *, samples=None, largest=3_000_000):
    """Ops of all kinds that wait for any earlier ones."""
    count = samples or random.randint(1, 3)
    profile = start(random, True)
    tensors, ops = profile["tensors"], profile["ops"]
    names = [device["name"] for device in profile["devices"]]
    for index in range(random.randint(1, 5)):
        tensors.append({"name": f"t{index}", "bytes": size(random, largest)})
    todo = [(kind, tensor["name"]) for tensor in tensors for kind in ("pull", "push", "update")
            if kind == "pull" or random.random() < 0.8]
    todo += [(random.choice(("forward", "backward", "compute")), None) for _ in range(random.randint(1, 8))]
    random.shuffle(todo)
    for number, (kind, tensor) in enumerate(todo):
        op = {"name": f"{kind}/{tensor or number}", "kind": kind}
        # Pulls wait for nothing: then every order of them can be enforced.
        earlier = [other["name"] for other in ops] if kind != "pull" else []
        op["deps"] = random.sample(earlier, min(len(earlier), random.choice((0, 1, 1, 2, 3))))
        if tensor:
            op["tensor"] = tensor
        if kind not in ("pull", "push"):
            op["samples"] = [seconds(random) for _ in range(count)]
        if kind in ("forward", "backward", "compute"):
            op["device"] = random.choice(names)
        ops.append(op)
    return profile


def start(random, devices):
    listed = [{"name": "cpu", "slots": 1}]
    if devices and random.random() < 0.4:
        listed = [{"name": "gpu", "slots": random.randint(1, 3)}, {"name": "cpu", "slots": random.randint(1, 2)}]
    return {"schema": "dml-profile/1", "model": "random", "batch_size": random.randint(1, 64),
            "devices": listed, "tensors": [], "ops": []}


def number_of_samples(profile):
    return max(len(op.get("samples", [0])) for op in profile["ops"])


def starts(random, workers):
    """The value of `job.start`, and the seconds that it means."""
    if random.random() < 0.3:
        return "together", [0.0] * workers
    milliseconds = [random.choice((0, random.randint(0, 4000))) for _ in range(workers)]
    return [f"{value}ms" for value in milliseconds], [value / 1000 for value in milliseconds]


def sampling(random, profile, workers):
    """The value of `job.sampling`, and the sample of a worker's step that it means."""
    count = number_of_samples(profile)
    if random.random() < 0.5:
        return "in-order", lambda worker, step: step % count
    lists = [[random.randrange(count) for _ in range(random.randint(1, 4))] for _ in range(workers)]
    return lists, lambda worker, step: lists[worker][step % len(lists[worker])]

# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The sections job, transfer and overhead of a random scenario."""

from compare_results.random_shape import ORDERS, SLICES

TRACE = "time,speed,cpu\n0,1,1\n0.01,0.4,0.5\n0.02,0,0.2\n0.025,1.2,1\n"
# classes of devices by the names that Shape draws
CLASSES = {
    "speeds": [{"speed": 1}, {"speed": 0.5}, {"speed": 1.7}],
    "rate": [{"rate": 900}, {"rate": 500}],
    "gpus": [{"launch": "2ms", "per_sample": "0.4ms", "floor": "4ms", "largest_batch": 64},
             {"launch": "5ms", "per_sample": "1ms"}],
    "changes": [{"changes": {"every": "20ms", "speed": {"min": 0.3, "max": 1}},
                 "spikes": {"every": "15ms", "length": "3ms", "speed": 0.2}}, {}],
    "trace": [{"trace": {"file": "trace.csv", "repeat": "50ms"}}, {"trace": "trace.csv"}],
    "slots": [{"slots": 3}, {"slots": 2, "speed": 0.8}],
}
BATCH_CONTROLS = {
    "cpu-last": {"cpu": "last"},
    "cpu-ema": {"cpu": {"predictor": "ema", "alpha": 0.3}},
    "cpu-narx": {"cpu": {"predictor": "narx", "warmup": 2}},
    "cpu-lstm": {"cpu": {"predictor": "lstm", "warmup": 2}},
    "gpu": {"gpu": {"step": 2, "window": 2, "fine_step": 1, "fine_window": 3}},
}


def job(decks, shape, profile):
    """What is trained, by whom."""
    section = {"profile": "profile.yaml", "workers": shape.workers,
               "parameter_servers": shape.servers, **steps(decks, shape)}
    section["placement"] = decks.draw("placement", ("greedy", "round-robin", "explicit"))
    if section["placement"] == "explicit":
        section["placement"] = {name: decks.integer(0, shape.servers - 1)
                                for name in profile.tensors}
    if shape.sync == "push-pull":
        section["protocol"] = "push-pull"
    elif shape.sync == "ssp":
        section["sync"] = {"ssp": decks.integer(0, 3)}
    elif shape.sync == "backup":
        section["sync"] = {"backup": decks.integer(1, shape.fewest - 1)}
    elif shape.sync == "bsp":
        section["sync"] = "bsp"
    section["gradient_groups"] = decks.draw("groups", (
        "off", "off", {"bytes": "80KB"}, {"count": 2}, "names"))
    if section["gradient_groups"] == "names":
        section["gradient_groups"] = [decks.random.sample(profile.tensors, 2)]
    section["sampling"] = decks.draw("sampling", ("random", "in-order", "lists"))
    if section["sampling"] == "lists":
        section["sampling"] = [[decks.integer(0, profile.samples - 1) for _ in range(3)]
                               for _ in range(shape.most)]
    section["start"] = start(decks, shape.most)
    if shape.fault == "server-crash-checkpoint":
        section["checkpoint"] = decks.milliseconds(1, 6)
    if shape.batch_control == "shedding":
        section["shedding"] = {"checks": 20, "lag": 0.1, "share": 0.2,
                               "cost": decks.pick(("0s", "10us"))}
    elif shape.batch_control != "off":
        section["batch_control"] = BATCH_CONTROLS[shape.batch_control]
    section.update(devices(decks, shape))
    if shape.steps == "auto":
        section["scale"] = 0.1  # hundreds of steps
    elif decks.draw("scale", (False, False, True)):
        section["scale"] = 0.5
    return section


def steps(decks, shape):
    if shape.steps == "auto":
        return {"steps": {"auto": decks.draw("target", ("5%", "20%")), "at_most": 250},
                "warmup": decks.draw("warm-up", ("auto", "auto", 3))}
    return {"steps": decks.integer(4, 7), "warmup": decks.integer(0, 2)}


def start(decks, workers):
    rule = decks.draw("start", ("staggered", "together", "list"))
    if rule != "list":
        return rule
    return [decks.milliseconds(0, 8) for _ in range(workers)]


def devices(decks, shape):
    """Classes of devices, for workers in turn; sometimes for servers."""
    if shape.devices == "none":
        return {}
    classes = {f"class{number}": keys
               for number, keys in enumerate(CLASSES[shape.devices])}
    section = {"devices": classes, "worker_devices": list(classes)}
    if shape.devices in ("speeds", "changes"):
        section["server_devices"] = list(classes)
    if decks.draw("batch size", (False, True)):
        section["batch_size"] = decks.integer(4, 16)
    return section


def transfer(decks, shape, profile):
    """The transport, the order of transfers, slices and flow control."""
    section = with_grpc(decks, shape, profile)
    sockets = decks.draw("sockets of plain TCP", (None, None, None, None, 1, 3))
    if sockets is None:
        return section
    windows = ("grant", "window", "rejoin")
    return {"transport": "tcp", "sockets": sockets,
            **{key: value for key, value in section.items() if key not in windows}}


def with_grpc(decks, shape, profile):
    section = {"policy": shape.policy}
    if shape.policy == "explicit":
        order = list(profile.tensors)
        decks.random.shuffle(order)
        section["order"] = order
    if shape.policy in SLICES:
        return {**section, **slices(decks, shape.policy)}
    if shape.policy not in ORDERS or decks.draw("window of an order", (True, False)):
        section.update(flow_control(decks, shape))
    if shape.policy != "explicit" and decks.draw("partition", (False, False, True)):
        section["partition"] = decks.kilobytes(15, 60)
    return section


def slices(decks, policy):
    section = {"partition": decks.kilobytes(10, 60)}
    if decks.draw(f"slice overhead {policy}", (False, True)):
        section["slice_overhead"] = "100us"
    if policy == "bytescheduler":
        section["credit"] = decks.kilobytes(60, 150)
    if policy == "prophet":
        section["monitor"] = decks.pick(("0s", "20ms"))
    return section


def flow_control(decks, shape):
    """Windows from a few packets to more than a tensor, under each rule to grant them."""
    grant = decks.draw("grant", ("message", "capped", "consume", "bdp"))
    if grant == "bdp":
        # without one, orders have no flow control
        given = shape.policy in ORDERS or decks.pick((True, False))
        window = {"window": decks.kilobytes(20, 80)} if given else {}
    else:
        window = {"window": window_of(decks, shape)}
    section = {"grant": grant, **window}
    if shape.policy == "http2-window" and section.get("window") != "off":
        section["rejoin"] = decks.draw("rejoin", ("end", "start"))
    return section


def window_of(decks, shape):
    kind = decks.draw("window", ("size", "size", "range", "connections", "off"))
    if kind == "range":
        return {"min": "10KB", "max": "90KB"}
    if kind == "connections":
        single = [{"worker": 0, "server": shape.servers - 1, "downlink": ["8KB", "20KB"]}]
        if shape.servers > 1 or shape.fewest > 1:
            single.append({"worker": shape.fewest - 1, "server": 0, "uplink": "16KB"})
        return {"default": "50KB", "connections": single}
    return decks.kilobytes(5, 90) if kind == "size" else "off"


def overhead(decks):
    """Parsing of what has come."""
    kind = decks.draw("overhead", ("none", "serial", "parallel"))
    if kind == "none":
        return {}
    return {"alpha": 2e-9, "beta": 2e-5, "parallel": kind == "parallel"}

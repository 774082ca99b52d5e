# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The sections network, other_jobs and faults of a random scenario."""

# BBR stands still between steps unless packets are large; DCTCP wants a queue that marks.
VARIANTS = ("cubic", "cubic", "cubic", "new-reno", "linux-reno", "bic", "dctcp", "highspeed", "htcp",
            "illinois", "scalable", "vegas", "veno", "yeah", "bbr")
QUEUES = ({"drop_tail": "100KB"}, "300KB", "0B", {"fair": "0B"}, {"fair": "200KB"},
          {"fq_codel": "300KB"}, {"red": "200KB"}, {"ecn": "200KB", "threshold": "40KB"})
MARKING = {"ecn": "200KB", "threshold": "40KB"}
HOST_QUEUES = (None, None, "0B", {"fq_codel": "1MB", "mark": True})
MTUS = (1500, 1500, 1500, 9000, 1400, 65535)
RATES = ("1Gbps", "300Mbps", "2.5Gbps")
MORE_HOSTS = ["far", "near"]


def network(decks, shape):
    """Topology, links, queues, TCP and background flows."""
    variant = decks.draw("tcp", VARIANTS)
    mtu = 65535 if variant == "bbr" else decks.draw("mtu", MTUS)
    section = {"topology": topology(decks, shape), "rate": decks.draw("rate", RATES),
               "delay": decks.pick(("10us", "50us", "200us")), "mtu": mtu,
               "queue": queue(decks, variant, mtu), "tcp": tcp(decks, variant, mtu)}
    host_queue = decks.draw("host queue", HOST_QUEUES)
    if host_queue:
        section["host_queue"] = host_queue
    if shape.unequal == "hosts":
        section["hosts"] = {"worker0": {"rate": "200Mbps", "delay": "1ms"}}
        if shape.servers > 1:
            section["hosts"]["ps1"] = {"rate": "600Mbps"}
    elif shape.unequal == "colocate":
        section["colocate"] = {f"ps{shape.servers - 1}": "worker0"}
    if shape.background and shape.background != "none":
        section["extra_hosts"] = MORE_HOSTS
        section["background"] = background(decks, shape)
    return section


def topology(decks, shape):
    if shape.topology == "explicit":
        return explicit(decks, shape)
    if shape.topology == "dumbbell":
        trunk = {"rate": decks.pick(("500Mbps", "2Gbps")), "delay": "100us"}
        return {"type": "dumbbell", "trunk": trunk}
    if shape.topology == "leaf-spine":
        return {"type": "leaf-spine", "leaves": decks.integer(2, 3), "spines": decks.integer(1, 2),
                "oversubscription": decks.pick((1, 2, 3))}
    return "star"


def explicit(decks, shape):
    """Three switches with two ways from the servers to the workers; hosts here and there."""
    links = [{"between": ["a", "b"], "rate": "2Gbps"}, {"between": ["a", "c"], "metric": 2},
             {"between": ["b", "c"], "rate": "800Mbps", "delay": "150us"}]
    hosts = [f"ps{server}" for server in range(shape.servers)]
    moved = f"ps{shape.servers - 1}" if shape.unequal == "colocate" else None
    links += [{"between": [host, "a"]} for host in hosts if host != moved]
    links += [{"between": [f"worker{worker}", decks.pick("bc")]} for worker in range(shape.most)]
    if shape.background and shape.background != "none":
        links += [{"between": [host, decks.pick("abc")]} for host in MORE_HOSTS]
    if shape.other_job:
        links += [{"between": [host, "c"]} for host in ("job1.ps0", "job1.worker0")]
    return {"type": "explicit", "switches": ["a", "b", "c"], "links": links}


def queue(decks, variant, mtu):
    """What holds a dozen packets at least: packets that large are not meant to be lost."""
    if variant == "dctcp":
        return MARKING
    return "0B" if mtu > 9000 else decks.draw("queue", QUEUES)


def tcp(decks, variant, mtu):
    if variant == "bbr":
        return {"variant": "bbr", "delayed_ack_timeout": "0s"}
    keys = {"variant": variant, "sack": decks.draw("sack", (True, True, False)),
            "timestamps": decks.draw("timestamps", (False, True)),
            "min_rto": decks.draw("timeout", ("200ms", "200ms", "60ms"))}
    if decks.draw("buffers", (False, True)):
        keys["send_buffer"] = "64KiB" if mtu <= 9000 else "256KiB"
        keys["receive_buffer"] = "1MiB"
    if decks.draw("ack timer", (False, True)):
        keys.update({"delayed_ack_timeout": "1ms", "initial_window": 20, "min_rto": "20ms"})
    return keys


def background(decks, shape):
    """One flow of the kind in question, and now and then one between the job's own hosts."""
    flow = {"from": "far", "to": decks.pick(("near", "worker0", "ps0"))}
    flow.update({
        "constant": {"rate": "100Mbps", "stop": "150ms"},
        "on-off": {"rate": "200Mbps", "on": "4ms", "off": "7ms", "start": "2ms"},
        "exponential": {"rate": "200Mbps", "on": "4ms", "off": "7ms", "exponential": True},
        "bytes": {"bytes": "600KB", "start": "3ms"},
        "bulk": {"bulk": True, "start": "1ms", "stop": "25ms"}}[shape.background])
    own = {"from": "worker0", "to": "near", "bytes": "200KB"}
    return [flow] if decks.pick((True, False)) else [flow, own]


def other_jobs(shape):
    """A job of one worker, with a server that may live beside the first job's."""
    if not shape.other_job:
        return []
    return [{"profile": "profile.yaml", "workers": 1, "parameter_servers": 1, "start": "together"}]


def faults(decks, shape):
    """The fault in question, early in the run."""
    at = decks.milliseconds(2, 12)
    link = "ps0" if shape.sharing == "equal" or shape.unequal == "colocate" else decks.pick(
        ("worker0", "ps0"))
    if shape.unequal == "colocate" and shape.servers == 1:
        link = "worker0"
    worker, server = f"worker{shape.fewest - 1}", f"ps{shape.servers - 1}"
    kinds = {
        "link-loss": [{"loss": 0.001, "link": link}],
        "link-down": [{"down": "8ms", "at": at, "link": link}],
        "link-rate": [{"rate": "150Mbps", "at": at, "link": link}],
        "link-rate-for": [{"rate": "90Mbps", "at": at, "for": "15ms", "link": link},
                     {"rate": "2Gbps", "at": "25ms", "for": "10ms", "link": link}],
        "slow": [{"slow": worker, "to": 0.4, "at": at}, {"slow": "ps0", "to": 0.2}],
        "slow-for": [{"slow": worker, "to": 0.1, "at": at, "for": "20ms"},
                     {"slow": worker, "to": 3, "at": "10ms", "for": "20ms"}],
        "stop": [{"slow": worker, "to": 0, "at": at, "for": "10ms"}],
        "crash": [{"crash": worker, "at": at}],
        "crash-rejoin": [{"crash": worker, "at": at, "rejoin": decks.milliseconds(4, 30)}],
        "server-crash": [{"crash": server, "at": at, "rejoin": decks.milliseconds(4, 30)}]}
    kinds["server-crash-checkpoint"] = kinds["server-crash"]
    return kinds.get(shape.fault, [])

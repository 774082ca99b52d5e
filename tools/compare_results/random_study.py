# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Random scenarios."""

from compare_results import random_job, random_network, random_profile
from compare_results.decks import Decks
from compare_results.random_shape import Shape
from compare_results.study import Study, check_and_run
from compare_results.yaml_text import document

# What is written besides the usual; captures and animations are of short runs all the same.
OUTPUTS = ({}, {}, {"ops": True}, {"shares": True, "gradients": True}, {"timeline": 2},
           {"ops": True, "timeline": 1}, {"pcap": True}, {"flows": True}, {"netanim": True},
           {"versions": True}, {"trace": False, "transfers": False, "links": False})
SWEEPS = (None,) * 6 + ("grid", "cases")


def random_studies(count, seed):
    """As many scenarios; the first ones do not depend on how many there are."""
    decks = Decks(seed)
    return [random_study(decks, f"random-{number:02}") for number in range(count)]


def random_study(decks, name):
    shape = Shape(decks)
    profile = random_profile.draw(decks, shape)
    output = decks.draw("output", OUTPUTS)
    if shape.fault == "link-loss" and "flows" in output:
        output = {}  # FlowMonitor's timer never stops: a run that TCP lets down would not either
    sweep = decks.draw("sweep", SWEEPS) if shape.steps != "auto" and shape.most <= 4 else None
    sections = {
        "name": name, "seed": decks.integer(1, 1000), "replications": decks.draw("runs", (1, 1, 2)),
        "job": random_job.job(decks, shape, profile), "other_jobs": random_network.other_jobs(shape),
        "transfer": random_job.transfer(decks, shape, profile),
        "overhead": random_job.overhead(decks), "network": random_network.network(decks, shape),
        "faults": random_network.faults(decks, shape), "fair_share": fair_share(decks, shape),
        "packet": {"replications": 1}, "output": output, "sweep": variants(decks, sweep)}
    if sections["network"]["tcp"].get("variant") == "bbr":
        sections["packet"]["collapsing_tcp"] = True
    tags = shape.tags + [profile.shape, *outputs(output)] + (["sweep"] if sweep else [])
    tags += transfer_tags(sections["transfer"])
    tags += ["overhead"] if sections["overhead"] else []
    return Study(name, "random", {"scenario.yaml": document(sections),
                                  "profile.yaml": profile.text, "trace.csv": random_job.TRACE},
                 check_and_run("scenario.yaml"), tuple(tags))


def outputs(section):
    return [f"output-{key}" if on else f"no-{key}" for key, on in section.items()]


def fair_share(decks, shape):
    section = {"sharing": shape.sharing}
    if decks.draw("delay", (False, True)):
        section["one_way_delay"] = "50us"
    section["ps_cores"] = decks.draw("cores", (0, 0, 1, 2))
    return section


def variants(decks, kind):
    if kind == "grid":
        return {"network.delay": ["20us", "100us"],
                "job.placement": ["greedy", "round-robin"]}
    if kind == "cases":
        return [{"overhead.alpha": 1e-9, "overhead.server.beta": 2e-5},
                {"overhead.beta": 3e-5, "seed": decks.integer(1, 99)}]
    return {}


def transfer_tags(transfer):
    """What the section says of windows and slices."""
    tags = [f"grant-{transfer['grant']}"] if "grant" in transfer else []
    tags += ["tcp"] if "transport" in transfer else []
    window = transfer.get("window")
    if isinstance(window, dict):
        tags.append("window-range" if "min" in window else "window-connections")
    elif window:
        tags.append("window-off" if window == "off" else "window")
    tags += ["rejoin-start"] if transfer.get("rejoin") == "start" else []
    return tags + (["partition"] if "partition" in transfer else [])

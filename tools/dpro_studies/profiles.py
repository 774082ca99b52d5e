#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Profiles of a faster device, and of compilers that fuse as many ops as they can."""

import json

ON_WORKER = ("forward", "backward", "compute")
LAUNCH = 5e-6  # s, what two ops that become one save


def seconds_of(op, step):
    """An op's time in a measured step."""
    given = op.get("samples", op.get("seconds", 0.0))
    return float(given[step % len(given)] if isinstance(given, list) else given)


def count_steps(ops):
    return max(len(op.get("samples", (0,))) for op in ops)


def speed_up(profile, factor):
    """The profile of a device so many times as fast. Updates stay as they are, as with job.devices."""
    ops = [{**{key: value for key, value in op.items() if key not in ("samples", "seconds")},
            "samples": [seconds_of(op, step) / factor for step in range(count_steps([op]))]}
           if op["kind"] in ON_WORKER else op for op in profile["ops"]]
    return {**profile, "ops": ops}


def fuse(profile, names, name, saving=LAUNCH):
    """The profile with one op for all ops of `names`, which waits for all that they waited for, and is as
    long as they were together less `saving` seconds for each of them but the first, and no shorter than the
    longest of them, and for which all waits that waited for one of them. Of back-propagation, then, no
    gradient is there before the last one."""
    parts = [op for op in profile["ops"] if op["name"] in names]
    times = [[seconds_of(op, step) for op in parts] for step in range(count_steps(parts))]
    fused = {"name": name, "kind": parts[0]["kind"], "device": parts[0]["device"],
             "deps": list(dict.fromkeys(dep for op in parts for dep in op.get("deps", ())
                                        if dep not in names)),
             "samples": [max(max(step), sum(step) - saving * (len(step) - 1))
                         for step in times]}
    last = max(i for i, op in enumerate(profile["ops"]) if op["name"] in names)
    ops = []
    for i, op in enumerate(profile["ops"]):
        if i == last:
            ops.append(fused)
        elif op["name"] not in names:
            deps = [name if dep in names else dep for dep in op.get("deps", ())]
            ops.append({**op, "deps": list(dict.fromkeys(deps))} if "deps" in op else op)
    return {**profile, "ops": ops}


def fuse_groups(profile, count):
    """The profile whose forward ops are `count` ops, and whose backward ops are: neighbours are fused, as
    many of them each time."""
    for kind in ("forward", "backward"):
        names = [op["name"] for op in profile["ops"] if op["kind"] == kind]
        groups = min(count, len(names))
        for group in range(groups):
            first, end = (len(names) * i // groups for i in (group, group + 1))
            profile = fuse(profile, set(names[first:end]), f"{kind}/fused{group if count > 1 else ''}")
    return profile


def fuse_all(profile):
    """Forward ops are one, and backward ops are."""
    return fuse_groups(profile, 1)


def alone(profile):
    """The profile with a batch of one, which no passes divide: only recomputing saves memory then."""
    return {**profile, "batch_size": 1}


def write_profile(profile, path):
    """JSON is YAML."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file, indent=0)

#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Whatever `dml check` accepts, `dml run` runs: engines, protocols, faults, and what each protocol has besides.

    test/build/accepted-runs-test.py               # some dozens of all combinations
    test/build/accepted-runs-test.py --all         # all of them; takes some minutes of CPU
    test/build/accepted-runs-test.py --all NAME... # those in whose name all of these are

The host engine takes part where it can make network namespaces.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("DML_PROGRAM", os.path.join(ROOT, "build", "dml"))
WORKERS = 4
SAMPLE = 40

PROFILE = {
    "schema": "dml-profile/1", "model": "tiny", "batch_size": 8,
    "tensors": [{"name": "a", "bytes": 20000}, {"name": "b", "bytes": 40001}],
    "ops": [{"name": "pull/a", "kind": "pull", "tensor": "a"}, {"name": "pull/b", "kind": "pull", "tensor": "b"},
            {"name": "forward", "kind": "forward", "deps": ["pull/a", "pull/b"], "seconds": 0.01},
            {"name": "backward", "kind": "backward", "deps": ["forward"], "seconds": 0.01},
            {"name": "push/a", "kind": "push", "tensor": "a", "deps": ["backward"]},
            {"name": "push/b", "kind": "push", "tensor": "b", "deps": ["backward"]},
            {"name": "update/a", "kind": "update", "tensor": "a", "deps": ["push/a"], "seconds": 0.001},
            {"name": "update/b", "kind": "update", "tensor": "b", "deps": ["push/b"], "seconds": 0.001}]}

FAULTS = {
    "none": [],
    "loss": [{"loss": 0.001}],
    "down": [{"down": "10ms", "at": "30ms", "link": "worker0"}],
    "rate": [{"rate": "8Mbps", "at": "30ms", "for": "20ms", "link": "worker1"}],
    "slow": [{"slow": "worker1", "to": 0.5, "at": "30ms"}],
    "stopped": [{"slow": "worker1", "to": 0, "at": "30ms", "for": "20ms"}],
    "slow-server": [{"slow": "ps0", "to": 0.5, "at": "30ms", "for": "20ms"}],
    "crash": [{"crash": "worker1", "at": "50ms"}],
    "rejoin": [{"crash": "worker1", "at": "50ms", "rejoin": "40ms"}],
    "two-crashes": [{"crash": "worker1", "at": "50ms", "rejoin": "40ms"}, {"crash": "worker0", "at": "70ms"}],
    "server-crash": [{"crash": "ps0", "at": "50ms", "rejoin": "20ms"}],
}

# What a protocol has besides, by the key of a scenario.
RUN_GRAPH = {"job.sync": ["async", "bsp", {"ssp": 1}, {"backup": 1}],
             "job.workload": ["training", "inference"],
             "transfer": [{}, {"transport": "tcp"}, {"policy": "p3", "partition": "10KB"}, {"policy": "prophet"}]}
PUSH_PULL = {"transfer": [{}, {"policy": "p3", "partition": "10KB"}, {"policy": "bytescheduler"}]}
ALL_REDUCE = {"job.all_reduce.algorithm": ["ring", "halving-doubling", "recursive-doubling", "hierarchical", "tree", "auto", "in-network"],
              "job.all_reduce.on_crash": ["stop", {"rebuild": "20ms"}],
              "job.gradient_groups": ["off", {"count": 2}, {"horovod": {"cycle": "2ms"}}],
              "job.all_reduce.barrier": [True, False]}
SHARDED = {"job.sharded": [{"stage": 1}, {"stage": 3}, {"stage": 3, "backward_prefetch": "post", "limit_all_gathers": 1}],
           "job.all_reduce.algorithm": ["ring", "halving-doubling", "tree"],
           "job.gradient_groups": ["off", {"layers": 1}]}
PROTOCOLS = {"run-graph": RUN_GRAPH, "push-pull": PUSH_PULL, "all-reduce": ALL_REDUCE, "sharded": SHARDED}
# What processes have besides.
ON_HOST = {"run-graph": {"host.grpc.speaker": ["library", "dml"]},
           "push-pull": {"host.grpc.speaker": ["library", "dml"]},
           "all-reduce": {"host.collectives": ["dml", "gloo"]},
           "sharded": {"host.collectives": ["dml", "gloo"]}}
# What the host engine runs without --all, by all words of a name: it takes real time.
CHOSEN_ON_HOST = ("push-pull {} library stopped", "push-pull bytescheduler dml none", "halving-doubling off true dml crash",
                  "recursive-doubling {count false dml none", "tree {horovod true dml slow", "hierarchical off true dml crash",
                  "ring {count true gloo none", "sharded {stage:3} ring {layers dml none")
# What the host engine says of a machine that has other things to do.
TOO_BUSY = ("cannot give the link", "was connected only after the first step should have started")
ENGINES = ("fair-share", "burst", "packet", "host")


def combinations():
    """(name, engine, scenario) of all."""
    for (protocol, common), engine in itertools.product(PROTOCOLS.items(), ENGINES):
        choices = {**common, **(ON_HOST[protocol] if engine == "host" else {})}
        for values in itertools.product(*choices.values()):
            for fault in FAULTS:
                scenario = base(protocol)
                for key, value in zip(choices, values):
                    put(scenario, key, value)
                scenario["faults"] = FAULTS[fault]
                words = [engine, protocol, *map(text, values), fault]
                yield " ".join(words), engine, scenario


def base(protocol):
    servers = {} if protocol in ("all-reduce", "sharded") else {"parameter_servers": 2}
    return {"name": "tiny", "replications": 1, "network": {"rate": "40Mbps"}, "output": {"plots": False, "trace": False}, "host": {"wait_for_idle": "0s"},
            "job": {"profile": "profile.yaml", "workers": WORKERS, "protocol": protocol, "steps": 6, "warmup": 1, **servers}}


def put(scenario, key, value):
    *sections, name = key.split(".")
    for section in sections:
        scenario = scenario.setdefault(section, {})
    scenario[name] = value


def text(value):
    return json.dumps(value).replace('"', "").replace(" ", "") if not isinstance(value, str) else value


def start(arguments, folder):
    return subprocess.run([PROGRAM, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, timeout=1800, env={**os.environ, "DML_ROOT": ROOT})


def try_one(name, engine, scenario, folder):
    """What is wrong, or None; and whether the scenario was accepted."""
    with open(os.path.join(folder, "tiny.yaml"), "w", encoding="utf-8") as file:
        json.dump(scenario, file)
    checked = start(["check", "tiny.yaml", f"--engine={engine}"], folder)
    if checked.returncode not in (0, 2):
        return f"{name}: check has exit code {checked.returncode}: {checked.stderr}", False
    accepted = checked.returncode == 0
    if not accepted and os.environ.get("SHOW_REFUSED"):
        print(f"{name}: {checked.stderr.strip()}")
    ran = start(["run", "tiny.yaml", f"--engine={engine}", "--jobs=1", "--out=results", "--force"], folder)
    if engine == "host" and any(words in ran.stderr for words in TOO_BUSY):
        return None, accepted
    if ran.returncode != checked.returncode:
        return (f"{name}: check has exit code {checked.returncode}, run {ran.returncode}: "
                f"{checked.stderr.strip()} | {ran.stderr.strip()}"), accepted
    return None, accepted


def host_engine_works(folder):
    with open(os.path.join(folder, "tiny.yaml"), "w", encoding="utf-8") as file:
        json.dump(base("run-graph"), file)
    done = start(["run", "tiny.yaml", "--engine=host", "--out=host"], folder)
    if done.returncode != 0:
        print(f"skipped: no network namespaces for the host engine: {done.stderr.strip()}")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("-v", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    wrong, counts = [], {engine: [0, 0] for engine in ENGINES}
    with tempfile.TemporaryDirectory(prefix="dml-accepted-") as folder:
        with open(os.path.join(folder, "profile.yaml"), "w", encoding="utf-8") as file:
            json.dump(PROFILE, file)
        chosen = [one for one in combinations() if all(word in one[0] for word in options.name)]
        if not options.all:
            # What the host engine refuses and once ran into, and some of what it runs.
            on_host = [one for one in chosen if one[1] == "host"]
            launched = [one for one in on_host if "{rebuild" in one[0] and "{count" in one[0] and one[0].endswith("crash")]
            chosen = [one for one in chosen if one[1] != "host"]
            chosen = random.Random(1).sample(chosen, min(SAMPLE, len(chosen))) + random.Random(1).sample(launched, min(2, len(launched)))
            for words in CHOSEN_ON_HOST:
                fitting = [one for one in on_host if one not in launched and all(word in one[0] for word in words.split())
                           and one[0].endswith(" " + words.split()[-1])]
                chosen += random.Random(1).sample(fitting, min(1, len(fitting)))
        if any(one[1] == "host" for one in chosen) and not host_engine_works(folder):
            chosen = [one for one in chosen if one[1] != "host"]
        for name, engine, scenario in chosen:
            what, accepted = try_one(name, engine, scenario, folder)
            counts[engine][0 if accepted else 1] += 1
            if what:
                wrong.append(what)
                print(what, flush=True)
    for engine, (accepted, refused) in counts.items():
        print(f"{engine}: {accepted} accepted, {refused} refused")
    print(f"{len(wrong)} of {sum(map(sum, counts.values()))} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

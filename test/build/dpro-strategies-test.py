#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of what tools/dpro-studies makes of profiles, and reads of searches and of memory: with a profile and
outputs made up here, whose numbers are derived by hand."""

import dataclasses
import json
import os
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from scratch_folder import ScratchFolder  # pylint: disable=C0413

OPTIMIZE = """26 strategies tried in 19.51 s; best: DDP, 8 MiB
Algorithm 1 of dPRO: 514 ops and 161 tensors become 14 and 13, a step of 0.1025
s takes 0.0870 s; 3 passes, 705 replays of 0.1337 M ops, 0.0400 s
with other seeds, in throughput (95 %; of fewer than 4 pairs least..greatest):
"""
SERVERS = """  strategy                         samples/s   as it is
  BytePS, 0.5120 MB, credit 1          217.9     +8.64 %
  p3, 1MB                              216.8     +8.12 %
  BytePS, 4.096 MB, credit 4           208.3     +2.78 %   default
  TensorFlow                           200.5     +0.00 %   default

34 strategies tried in 6.096 s; best: BytePS, 0.5120 MB, credit 1
"""
MEMORY = """choice                              peak MB    change   compute ms    change
----------------------------------------------------------------------------
as it is                              649.1    +0.0 %       5547.5    +0.0 %
recompute, 12 segments                334.9   -48.4 %       6984.4   +25.9 %
accumulate, 2 passes of 4             347.3   -46.5 %       5566.3    +0.3 %
accumulate, 4 passes of 2             190.3   -70.7 %       5604.0    +1.0 %
"""


def toy_profile():
    """Two layers: forward 1 and 2 s, backward of b 3 s and of a 4 s; the second step is twice as long."""
    def op(name, kind, deps, seconds):
        return {"name": name, "kind": kind, "device": "cpu", "deps": deps, "samples": [seconds, 2 * seconds]}
    return {"batch_size": 4, "tensors": [{"name": "a", "bytes": 8}, {"name": "b", "bytes": 8}], "ops": [
        {"name": "pull/a", "kind": "pull", "tensor": "a"},
        {"name": "pull/b", "kind": "pull", "tensor": "b"},
        op("forward/a", "forward", ["pull/a"], 1.0),
        op("forward/b", "forward", ["forward/a", "pull/b"], 2.0),
        op("backward/b", "backward", ["forward/b"], 3.0),
        {"name": "push/b", "kind": "push", "tensor": "b", "deps": ["backward/b"]},
        op("backward/a", "backward", ["backward/b", "forward/a"], 4.0),
        {"name": "push/a", "kind": "push", "tensor": "a", "deps": ["backward/a"]},
        {"name": "update/a", "kind": "update", "tensor": "a", "deps": ["push/a"], "seconds": 0.5}]}


class Profiles(unittest.TestCase):
    def test_faster_device(self):
        ops = {op["name"]: op for op in profiles.speed_up(toy_profile(), 4)["ops"]}
        self.assertEqual(ops["backward/b"]["samples"], [0.75, 1.5])
        self.assertEqual(ops["update/a"]["seconds"], 0.5)  # as with job.devices

    def test_fused(self):
        fused = profiles.fuse(toy_profile(), {"backward/a", "backward/b"}, "backward/fused", 0.25)
        ops = {op["name"]: op for op in fused["ops"]}
        # 3 + 4 s less a launch, and twice that less a launch
        self.assertEqual(ops["backward/fused"]["samples"], [6.75, 13.75])
        self.assertEqual(ops["backward/fused"]["deps"], ["forward/b", "forward/a"])
        self.assertEqual([ops[name]["deps"] for name in ("push/a", "push/b")], [["backward/fused"]] * 2)
        self.assertNotIn("backward/a", ops)

    def test_no_shorter_than_a_part(self):
        fused = profiles.fuse(toy_profile(), {"forward/a", "forward/b"}, "both", 2.0)
        # 3 s less a launch of 2 s, but forward/b alone takes 2 s; twice that less a launch is 4 s
        self.assertEqual(fused["ops"][2]["samples"], [2.0, 4.0])

    def test_groups(self):
        """Two ops of each kind stay two, under other names; each waits for what its part waited for."""
        ops = {op["name"]: op for op in profiles.fuse_groups(toy_profile(), 2)["ops"]}
        self.assertEqual(ops["forward/fused1"]["deps"], ["forward/fused0", "pull/b"])
        self.assertEqual(ops["backward/fused1"]["deps"], ["backward/fused0", "forward/fused0"])
        self.assertEqual(ops["backward/fused1"]["samples"], [4.0, 8.0])  # of a, whose gradient is last
        self.assertEqual(ops["push/a"]["deps"], ["backward/fused1"])
        self.assertEqual(set(profiles.fuse_groups(toy_profile(), 9)["ops"][i]["name"] for i in (2, 3)),
                         {"forward/fused0", "forward/fused1"})

    def test_all_fused(self):
        ops = {op["name"]: op for op in profiles.fuse_all(toy_profile())["ops"]}
        self.assertEqual(set(ops["forward/fused"]["deps"]), {"pull/a", "pull/b"})
        self.assertEqual(ops["backward/fused"]["deps"], ["forward/fused"])

    def test_the_profile_given_stays(self):
        profile = toy_profile()
        profiles.fuse_all(profiles.alone(profiles.speed_up(profile, 4)))
        self.assertEqual(profile, toy_profile())


class Reading(ScratchFolder):
    def test_search(self):
        found = search.Search.of(OPTIMIZE)
        self.assertEqual(dataclasses.astuple(found), (705, 0.1337, 0.087))

    def test_ratio(self):
        """Over pairs of seeds: 4 and 6 times as many ops."""
        def costs(*ops):
            return [search.Search(10, each, 0.1) for each in ops]
        found = {("toy", search.LABELS[0]): costs(8.0, 18.0), ("toy", search.LABELS[-1]): costs(2.0, 3.0)}
        self.assertAlmostEqual(search.ratio(found, "toy").value, 5.0, 9)

    def test_rates_of_servers(self):
        self.assertEqual(servers.read_rates(SERVERS, "x"), (208.3, 217.9))
        with self.assertRaisesRegex(InputError, "x: there is no row 'BytePS, 4.096 MB, credit 4'"):
            servers.read_rates(SERVERS.replace("4.096 MB, credit 4 ", "4.096 MB, credit 8 "), "x")

    def test_best_together(self):
        def rates(ops, both):
            return {("ops", "packet"): [ops, ops], ("tensors", "packet"): [9.0, 9.0],
                    ("both", "packet"): [both, both]}
        self.assertTrue(servers.is_best(rates(10.0, 9.999)))  # 0.01 % slower
        self.assertFalse(servers.is_best(rates(10.0, 9.99)))

    def test_memory(self):
        self.write("toy/memory.txt", MEMORY)
        peaks = memory.read_peaks(results.Results(self.root, ()), "toy")
        self.assertEqual(peaks["accumulate"], (347.3, "accumulate, 2 passes of 4"))  # the first one
        self.assertEqual(peaks["recompute"], (334.9, "recompute, 12 segments"))
        self.assertEqual(peaks["as it is"], (649.1, "as it is"))

    def test_what_a_way_costs(self):
        seconds = {("as it is", "packet"): [1.0, 2.0], ("recompute", "packet"): [1.5, 3.0],
                   ("recompute", "fair-share"): [1.2, 2.4]}
        found = memory.Found("toy", 4, seconds, {"as it is": ("as it is", 500.0),
                                                 "recompute": ("recompute, 2 segments", 200.0)}, 400_000_000)
        self.assertEqual(found.slower("recompute").percent, "+50.0")
        self.assertEqual(found.error("recompute").percent, "-20.0")
        self.assertAlmostEqual(found.saved("recompute"), -0.6, 9)
        self.assertAlmostEqual(found.peak_error, 0.25, 9)

    def test_the_paper(self):
        for real, estimated, error in memory.PAPER_PEAKS.values():
            # of gigabytes that are rounded to 0.01
            self.assertAlmostEqual(100 * (estimated / real - 1), error, delta=0.4)


class Bars(ScratchFolder):
    def test_bars(self):
        def event(name, tid, begin, length, step):
            return {"name": name, "ph": "X", "pid": 5, "tid": tid, "ts": begin, "dur": length,
                    "args": {"step": step}}
        trace = {"traceEvents": [
            {"name": "process_name", "ph": "M", "pid": 5, "tid": 0, "args": {"name": "packet worker 0"}},
            *({"name": "thread_name", "ph": "M", "pid": 5, "tid": tid, "args": {"name": name}}
              for tid, name in ((1, "cpu"), (3, "collectives"), (4, "steps"))),
            event("step 2", 4, 1000, 4000, 2), event("forward/a", 1, 1000, 500, 2),
            event("forward/b", 1, 1501, 499, 2),  # 1 us later is not to be seen
            event("backward/a", 1, 2000, 1000, 2), event("push of a", 3, 3000, 2000, 2),
            event("forward/a", 1, 5000, 500, 3)]}
        path = self.write("trace.json", json.dumps(trace))
        self.assertEqual(memory.read_bars(path, 2), [(0, 2.0, 4.0, 3), (1, 0.0, 1.0, 0), (1, 1.0, 2.0, 1)])


if __name__ == "__main__":
    try:
        import yaml  # pylint: disable=unused-import
    except ImportError:
        print("skipped: dpro-studies needs python3-yaml")
        sys.exit(77)
    from dpro_studies import memory, profiles, results, search, servers
    from testbed_compare.errors import InputError
    unittest.main()

#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/tcp-quantities: with results made up here, whose numbers are derived by hand, and with
the program (DML_PROGRAM): packets in the situations of scenarios/tcp-host, with known outcomes."""

import importlib.machinery
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "tcp-quantities")
PROGRAM = os.environ.get("DML_PROGRAM")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))


def load():
    loader = importlib.machinery.SourceFileLoader("tcp_quantities", TOOL)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tcp_quantities", loader))
    loader.exec_module(module)
    return module


quantities = load()
HEADER = "workers,engine,replication,worker,step,tensor,direction,ps,ready,first_byte,last_byte"


class Reading(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="dml-tcp-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def write(self, name, lines):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def write_transfers(self, *rows):
        """(W, worker, step, tensor, direction, ready, last byte)"""
        self.write("transfers.csv", [HEADER, *(
            f"{workers},host,0,{worker},{step},{tensor},{direction},0,{start},{start},{end}"
            for workers, worker, step, tensor, direction, start, end in rows)])

    def found(self, measure):
        return {name: round(value, 6) for name, value in measure(self.folder)}

    def test_lone_download(self):
        twice = 2 * 24e6 / quantities.GOODPUT
        self.write_transfers((8, 1, 0, "weights", "downlink", 0, 1),
                             (8, 0, 0, "weights", "downlink", 3.5, 3.5 + twice))
        self.assertEqual(self.found(quantities.lone_download),
                         {"a download beside seven uploads, % of its link": 50})

    def test_fill_times(self):
        full = 12e6 / quantities.GOODPUT
        self.write_transfers(*((1, 0, step, tensor, "downlink", 0, full + late * (1 + step))
                               for step in (0, 1) for tensor, late in (("a", 0.001), ("b", 0.002),
                                                                       ("c", 0.003))))
        self.assertEqual(self.found(quantities.fill_times),
                         {"time to fill the link after 50 ms, ms": 2,
                          "time to fill the link after 0.5 s, ms": 4,
                          "time to fill the link after 2 s, ms": 6})

    def test_losses(self):
        self.write("network.csv", ["workers,engine,replication,link,rate,bytes,packets",
                                   "4,host,0,worker0->switch,1,1,600", "4,host,0,ps0->switch,1,1,400",
                                   "4,host,0,switch->ps0,1,1,9999"])
        self.write("summary.json", [json.dumps({"cases": [
            {"workers": 4, "engines": {"host": {"replications": [{"retransmissions": 7}]}}}]})])
        self.assertEqual(self.found(quantities.losses), {"incast of 4: sent again, in 1000 segments": 7})

    def test_two_ports(self):
        full = 2 * 12e6 / quantities.GOODPUT  # two workers, a server's port
        self.write_transfers(*((2, worker, step, tensor, direction, 1, 1 + full * span)
                               for direction in ("downlink", "uplink") for step in (0, 1)
                               for worker, tensor, span in ((0, "a", 1), (0, "b", 2), (1, "a", 1.25),
                                                            (1, "b", 1.5))))
        self.assertEqual(set(self.found(quantities.two_ports).values()), {50})

    def test_cell(self):
        self.assertEqual(quantities.cell([1, 2, 6]), "3.0 ±3.0")
        self.assertEqual(quantities.cell([]), "-")

    def test_options(self):
        done = subprocess.run([sys.executable, TOOL, "--senders=linux,solaris"], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("found linux,solaris; accepted: host, linux, plain, fair-share", done.stderr)


@unittest.skipUnless(PROGRAM, "needs DML_PROGRAM")
class Packets(unittest.TestCase):
    """What is known without a measurement."""

    def measure(self, scenario, sender, *settings):
        with tempfile.TemporaryDirectory(prefix="dml-tcp-") as folder:
            options = type("Options", (), {"program": PROGRAM, "set": settings})
            quantities.run(options, scenario, sender, 1, os.path.join(folder, "out"))
            return dict(quantities.MEASURED[scenario](os.path.join(folder, "out")))

    def test_idle(self):
        """Far below a round trip of a full queue: nothing else is on the link."""
        found = self.measure("tcp-host/idle.yaml", "linux", "job.steps=2")
        for name, value in found.items():
            self.assertLess(abs(value), 2, name)

    def test_reverse(self):
        """Acknowledgements behind a full port hold a download back: Linux' less than ns-3's, whose
        send buffer is 256 KiB: that in 16 ms, a fourth of the link."""
        linux = self.measure("tcp-host/reverse.yaml", "linux")
        plain = self.measure("tcp-host/reverse.yaml", "plain")
        ((_, more),), ((_, less),) = linux.items(), plain.items()
        self.assertLess(less, 27)
        self.assertGreater(more, less)


if __name__ == "__main__":
    unittest.main()

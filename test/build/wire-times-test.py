#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/wire-times: bytes of a connection whatever order segments come in, messages whatever frames have cut them
into, and the capture of a run of packets against its records."""

import csv
import os
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from wire_times.messages import PREFACE, messages, tensor_of  # pylint: disable=C0413
from testbed_compare.errors import InputError  # pylint: disable=C0413
from wire_times import pulls  # pylint: disable=C0413
from wire_times.packets import Stream  # pylint: disable=C0413

TOOL = os.path.join(ROOT, "tools", "wire-times")
PROFILE = os.path.join(ROOT, "test", "data", "tiny.profile.yaml")


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def prefixed(message):
    return b"\0" + len(message).to_bytes(4, "big") + message


def request(edge):
    key = f"/job:ps/replica:0;0123456789abcdef;/job:worker;{edge};0:0".encode()
    return b"\x08\x96\x01\x12" + bytes([len(key)]) + key


class Bytes(unittest.TestCase):
    def test_gaps_and_repetitions(self):
        """Bytes are there when all before them are: 4 to 7 come early, 0 to 3 twice, and numbers begin anew within 0 to 3."""
        stream = Stream(base=(1 << 32) - 2)
        stream.add(2, b"efgh", 1)
        self.assertEqual(stream.data, b"")
        stream.add((1 << 32) - 2, b"abcd", 2)
        stream.add((1 << 32) - 2, b"abcd", 3)
        stream.add(4, b"ghij", 4)  # of which two are known
        self.assertEqual(stream.data, b"abcdefghij")
        self.assertEqual([stream.when(end) for end in (1, 4, 8, 9, 10)], [2, 2, 2, 4, 4])


class Messages(unittest.TestCase):
    def test_frames(self):
        """Two streams whose frames take turns; a prefix that is cut in two; padding; and a frame that has not come as a whole."""
        one, two = prefixed(b"x" * 10), prefixed(b"y" * 3)
        data = PREFACE + frame(4, 0, 0, b"") + frame(0, 0, 1, one[:3]) + frame(0, 8, 3, b"\x02" + two + b"\0\0") + frame(0, 0, 1, one[3:])
        end = len(data)
        data += frame(0, 0, 5, prefixed(b"z"))[:-1]
        found = list(messages(data))
        self.assertEqual([(message.stream, message.begin, message.size) for message in found], [(3, b"yyy", 3), (1, b"x" * 10, 10)])
        self.assertEqual(found[1].end, end)
        self.assertEqual(data[found[0].end - 3:found[0].end], b"yyy")  # without the padding

    def test_two_messages_in_a_frame(self):
        found = list(messages(frame(0, 0, 1, prefixed(b"ab") + prefixed(b"") + prefixed(b"c"))))
        self.assertEqual([message.begin for message in found], [b"ab", b"", b"c"])

    def test_names(self):
        self.assertEqual(tensor_of(request("pull/a;b")), "pull/a;b")
        self.assertIsNone(tensor_of(b"\x0a\x01g\x10\x07"))  # a RunGraphRequest: handle, step
        self.assertIsNone(tensor_of(b"\x12\xff"))
        self.assertIsNone(tensor_of(b"\x12\x03abc"))


class Pulls(unittest.TestCase):
    def setUp(self):
        """A worker at A that runs a step on stream 1, and asks for two tensors; and one that B asks for."""
        asked = [prefixed(b"\x0a\x01g\x10\x07"), prefixed(request("pull/a")), prefixed(request("pull/b"))]
        self.streams = {("A", 1, "B", 2): self.stream([frame(0, 0, 2 * i + 1, part) for i, part in enumerate(asked)]),
                        ("B", 2, "A", 1): self.stream([frame(0, 0, 5, prefixed(b"bb")), frame(0, 0, 3, prefixed(b"aaa"))]),
                        ("B", 3, "A", 4): self.stream([frame(0, 0, 1, prefixed(request("push/a")))]),
                        ("A", 4, "B", 3): self.stream([frame(0, 0, 1, prefixed(b"aaa"))])}

    @staticmethod
    def stream(frames):
        """Each frame comes a second after the one before."""
        made = Stream(base=0)
        for number, part in enumerate(frames):
            made.add(len(made.data), part, number)
        return made

    def found(self):
        with mock.patch.object(pulls, "read_streams", lambda path: self.streams):
            return list(pulls.pulls_of("capture"))

    def test_are_told_from_pushes(self):
        self.assertEqual(self.found(), [(1, "pull/a"), (0, "pull/b")])

    def test_lack_packets(self):
        back = self.streams["B", 2, "A", 1]
        back.add(len(back.data) + 100, b"late", 9)
        with self.assertRaisesRegex(InputError, "capture: lacks packets, from byte 33 of a connection on"):
            self.found()


class Captures(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="dml-wire-times-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def times(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True, check=False)

    def test_is_no_capture(self):
        path = os.path.join(self.folder, "text")
        with open(path, "w", encoding="ascii") as file:
            file.write("no packets here, but long enough for a head")
        done = self.times(path)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("found no pcap file; accepted: one that output.pcap or tcpdump has written", done.stderr)

    def test_packets(self):
        """Each tensor comes in the capture when it does in the records, but for one time: that in which connections were opened. What
        records lack to that is the parsing, 40 us and 3 ns a byte, which the fit finds again."""
        program = os.environ.get("DML_PROGRAM")
        if not program:
            raise unittest.SkipTest("needs DML_PROGRAM")
        out = os.path.join(self.folder, "out")
        subprocess.run([program, "run", os.path.join(ROOT, "test", "data", "tiny.yaml"), "--engine=packet", "--out", out,
                        "--set=output={pcap: true, plots: false}", "--set=job.workers=1", "--set=job.parameter_servers=1",
                        "--set=overhead={alpha: 3e-9, beta: 40e-6}"], check=True, capture_output=True)
        found = self.times(os.path.join(out, "W1-worker0.pcap"), "--profile", PROFILE)
        self.assertEqual(found.returncode, 0, found.stderr)
        came = {(row["tensor"], int(row["step"])): float(row["last_byte"]) for row in csv.DictReader(found.stdout.splitlines())}
        with open(os.path.join(out, "transfers.csv"), encoding="utf-8") as file:
            recorded = {(row["tensor"], int(row["step"])): float(row["last_byte"]) for row in csv.DictReader(file)
                        if row["engine"] == "packet" and row["direction"] == "downlink" and row["replication"] == "0"}
        self.assertEqual(came.keys(), recorded.keys())
        opening = [came[key] - recorded[key] for key in came]
        self.assertLess(max(opening) - min(opening), 2.1e-6)  # times in the capture are whole us
        self.assertGreater(min(opening), 0.1)
        wire = os.path.join(self.folder, "wire.csv")
        with open(wire, "w", encoding="utf-8") as file:
            file.write(self.times(os.path.join(out, "W1-worker0.pcap"), "--profile", PROFILE, "--start", f"{max(opening):.9f}").stdout)
        fitted = subprocess.run([program, "fit-overhead", "dml-trace", os.path.join(out, "trace.json"), "--wire", wire],
                                check=False, capture_output=True, text=True)
        alpha, beta = (float(re.search(rf"{name} ([\d.]+) {unit}", fitted.stdout)[1]) for name, unit in
                       (("alpha", "ns/byte"), ("beta", "us")))
        self.assertAlmostEqual(alpha, 3, 1, fitted.stdout)
        self.assertLess(abs(beta - 40), 2.1, fitted.stdout)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Tests of tools/bench, which ./dml bench calls: arithmetic, table, JSON, exit codes. No time that
was measured is looked at."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.path.join(ROOT, "tools", "bench")
BUILD = os.path.dirname(os.environ.get("DML_PROGRAM", os.path.join(ROOT, "build", "dml")))

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
# pylint: disable=wrong-import-position
from bench_report import report
from bench_report.lab import Lab
from bench_report.rows import ROWS, Budget
from bench_report.sample import Sample, ratio_of_pairs

# Stands for dml-bench-fair-share: an op takes 1/14e6 s with 8 workers, twice as much with more. Each moves 7 kB.
ENGINE = """#!/usr/bin/env python3
import json, sys
options = dict(text[2:].split("=") for text in sys.argv[1:])
ops = 697 * int(options["workers"]) * int(options["steps"])
seconds = ops / 14e6 * (2 if options["workers"] != "8" else 1)
print(json.dumps({"ops": ops, "cpu_seconds": seconds, "ops_per_cpu_second": ops / seconds,
                  "peak_rss_bytes": 50e6, "bytes": 7e3 * ops, "burst_events": ops}))
"""


def bench(*options, build=BUILD):
    """Status, lines of output and error text."""
    done = subprocess.run([TOOL, "--build", build, *options],
                          capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.splitlines(), done.stderr


class Folder:
    """A build with these benchmark programs (name: text), and a place for results."""

    def __init__(self, test, programs=None):
        folder = tempfile.TemporaryDirectory(prefix="dml-bench-test-")
        test.addCleanup(folder.cleanup)
        self.build = folder.name
        self.result = self.path("result.json")
        os.mkdir(self.path("bench"))
        for name, text in (programs or {}).items():
            path = self.path("bench", name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(path, 0o755)

    def path(self, *names):
        return os.path.join(self.build, *names)

    def rows(self):
        """What --json wrote, by name."""
        with open(self.result, encoding="utf-8") as file:
            return {row["name"]: row for row in json.load(file)["rows"]}


class ArithmeticTest(unittest.TestCase):
    def test_budget(self):
        # 14 of at least 7: two budgets; the limit itself is met, in both senses
        self.assertEqual(Budget(">=", 7).ratio(14), 2)
        self.assertTrue(Budget(">=", 7).is_met(7))
        self.assertFalse(Budget(">=", 7).is_met(6.99))
        self.assertTrue(Budget("<=", 1.02).is_met(1.02))
        self.assertFalse(Budget("<=", 1.02).is_met(1.03))

    def test_sample(self):
        # median of 1, 2, 6 is 2; half of the range is 2.5, in medians 1.25
        sample = Sample((6, 1, 2))
        self.assertEqual((sample.median, sample.low, sample.high), (2, 1, 6))
        self.assertEqual(sample.spread, 1.25)
        self.assertEqual(Sample((3,)).spread, 0)

    def test_ratios_are_of_pairs(self):
        # the machine becomes ten times slower after the first pair, and both ratios are still 2;
        # the quotient of medians, with a third pair at half speed, would be 20 / 5
        pairs = [(1, 2), (10, 20), (5, 40)]
        sample = ratio_of_pairs(pairs, lambda x: x)
        self.assertEqual(sample.values, (2, 2, 8))
        self.assertEqual(sample.median, 2)

    def test_pairs_alternate(self):
        calls = []
        pairs = Lab(ROOT, BUILD, False).pairs(3, lambda: calls.append("a") or "a",
                                              lambda: calls.append("b") or "b")
        self.assertEqual("".join(calls), "abbaab")
        self.assertEqual(pairs, [("a", "b")] * 3)

    def test_shared_runs_are_made_once(self):
        lab = Lab(ROOT, BUILD, False)
        made = []
        for _ in range(2):
            self.assertEqual(lab.once("key", lambda: made.append(1) or "value"), "value")
        self.assertEqual(len(made), 1)

    def test_numbers(self):
        for value, text in ((15.64, "15.6"), (0.581, "0.581"), (1e-6, "1e-6"), (12345, "12345"),
                            (1.36e-14, "1.4e-14"), (7, "7"), (0.0945, "0.0945"),
                            (0, "0"), (0.000148, "1.48e-4"), (1.234e-20, "1.2e-20")):
            self.assertEqual(report.number(value), text)


class TableTest(unittest.TestCase):
    def test_rows_fit(self):
        self.assertEqual(len({row.name for row in ROWS}), len(ROWS))
        self.assertFalse({row.name for row in ROWS} & {row.group for row in ROWS} - {"sweeps"})
        for row in ROWS:
            # -1.23e-14 of a budget is as long as numbers get
            results = [report.result_of(row, Sample((1.234e-14, 1.3e-14)), 1, []),
                       report.result_of(row, Sample((123456.0, 99999.0)), 1, []),
                       report.result_without(row, "skipped", "why")]
            for result in results:
                self.assertLessEqual(len(report.table_line(result)), report.WIDTH, row.name)
            self.assertLessEqual(len(row.what), 27)
            self.assertLessEqual(len(row.measure), 16)
            self.assertTrue(row.how)
        for line in report.header().splitlines():
            self.assertLessEqual(len(line), report.WIDTH)

    def test_budgets_of_the_design(self):
        limits = {row.name: (row.budget.sense, row.budget.limit) for row in ROWS if row.budget}
        self.assertEqual(limits, {
            "fair-share-speed": (">=", 7e6), "fair-share-memory": ("<=", 40e6),
            "fair-share-scaling-equal": ("<=", 2), "fair-share-scaling-max-min": ("<=", 8),
            **{f"fair-share-workers-{rule}": ("<=", 4) for rule in ("equal", "max-min", "drop-tail", "fifo")},
            "burst-speed-1G": (">=", 50e9), "burst-speed-10G": (">=", 50e9),
            "burst-speed-segments": (">=", 8e9), "burst-event": ("<=", 120e-9), "burst-scaling": ("<=", 3),
            "packet-overhead": ("<=", 1.02), "packet-overhead-4": ("<=", 1.02),
            "packet-defaults": ("<=", 0.6), "sweeps": (">=", 1.8),
            "simgrid-agreement": ("<=", 1e-6)})


class CommandTest(unittest.TestCase):
    def test_values_of_a_row(self):
        folder = Folder(self, {"dml-bench-fair-share": ENGINE})
        status, lines, _ = bench("--only=fair-share", "--json", folder.result, build=folder.build)
        self.assertEqual(status, 0)
        rows = folder.rows()
        # 14 of 7 M ops/s; 50 of 40 MB; twice the cost with 256 workers, of 2 and of 8
        for name, value, ratio, met in (("fair-share-speed", 14e6, 2, True),
                                        ("fair-share-memory", 50e6, 1.25, False),
                                        ("fair-share-scaling-equal", 2, 1, None),
                                        ("fair-share-scaling-max-min", 2, 0.25, True)):
            self.assertAlmostEqual(rows[name]["value"] / value, 1, places=9)
            self.assertAlmostEqual(rows[name]["ratio"], ratio, places=9)
            if met is not None:  # on the limit, rounding decides
                self.assertIs(rows[name]["met"], met, name)
        self.assertIn("fair-share speed, W=8       M ops/CPU-s           14    0%     >= 7       2"
                      "  yes", lines)
        # a budget that is not met is no failure, and runs that rows share are shown with each
        self.assertEqual(rows["fair-share-speed"]["commands"],
                         rows["fair-share-memory"]["commands"])

    def test_values_of_bursts(self):
        folder = Folder(self, {"dml-bench-fair-share": ENGINE})
        self.assertEqual(bench("--only=bursts", "--json", folder.result, build=folder.build)[0], 0)
        rows = folder.rows()
        # 14e6 ops of 7 kB in a second; an event an op, which costs twice as much with 1024 workers
        for name, value in (("burst-speed-1G", 98e9), ("burst-speed-segments", 98e9), ("burst-event", 1 / 14e6),
                            ("burst-scaling", 2)):
            self.assertAlmostEqual(rows[name]["value"] / value, 1, places=9)
        for name, option in (("burst-speed-10G", "--rate=10Gbps"), ("burst-speed-segments", "--segments=true"),
                             ("burst-event", "--rate=1Gbps"), ("burst-scaling", "--workers=1024")):
            self.assertTrue(any(option in command for command in rows[name]["commands"]), name)

    def test_only_what_was_asked_for(self):
        folder = Folder(self, {"dml-bench-fair-share": ENGINE})
        bench("--only=fair-share-memory", "--json", folder.result, "--quick", build=folder.build)
        self.assertEqual(list(folder.rows()), ["fair-share-memory"])
        status, lines, _ = bench("--only=fair-share-memory", "--list")
        self.assertEqual((status, [line.split()[0] for line in lines]),
                         (0, ["fair-share", "fair-share-memory"]))

    def test_bad_usage(self):
        folder = Folder(self)
        with open(folder.path("other.json"), "w", encoding="utf-8") as file:
            file.write('{"schema": "other/1"}')
        for options, found in ((["--only=speed"], "found 'speed'; accepted: fair-share, bursts, ring, packet"),
                               (["--against=no/such.json"], "no/such.json"),
                               (["--from", folder.path("other.json")], "found schema 'other/1'"),
                               (["--lists"], "--lists"), (["--only"], "expected one argument")):
            status, _, error = bench(*options, build=folder.build)
            self.assertEqual(status, 2, options)
            self.assertIn(found, error)
        status, _, error = bench(build=folder.path("none"))
        self.assertEqual(status, 2)
        self.assertIn("accepted: that of a build", error)

    def test_the_command_says_so_before_it_builds(self):
        # a copy without anything to build: building would fail with 1
        folder = Folder(self)
        shutil.copy(os.path.join(ROOT, "dml"), folder.path("dml"))
        for name in ("cmake", "tools"):
            os.symlink(os.path.join(ROOT, name), folder.path(name))
        for options, code, found in ((["--only=speed"], 2, "found 'speed'"), (["--list"], 0, "")):
            done = subprocess.run([folder.path("dml"), "bench", *options], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, code)
            self.assertIn(found, done.stderr)

    def test_missing_and_failing_programs(self):
        folder = Folder(self, {"dml-bench-fair-share": "#!/bin/sh\necho broken >&2\nexit 3\n",
                               "dml-bench-simgrid": "#!/bin/sh\necho no json\n"})
        status, lines, error = bench("--only=fair-share-speed", "--only=packet-speed",
                                     "--only=simgrid-agreement", "--json", folder.result,
                                     "--quick", build=folder.build)
        self.assertEqual(status, 1)
        rows = folder.rows()
        self.assertEqual([row["status"] for row in rows.values()], ["failed", "skipped", "failed"])
        self.assertIn("status 3:\n  broken", rows["fair-share-speed"]["reason"])
        self.assertIn("no JSON", rows["simgrid-agreement"]["reason"])
        self.assertIn("packet-speed skipped: dml-bench-packet is not built", error)
        self.assertIn("skipped", lines[3])
        # what only lacks a program is no failure
        status, _, _ = bench("--only=packet-speed", "--quick", build=folder.build)
        self.assertEqual(status, 0)

    def test_allocator(self):
        # the program of the build says with what it is linked; without tcmalloc there is nothing to compare
        packet = '#!/bin/sh\n[ -n "$LD_PRELOAD" ] && s=2 || s=3\necho "{\\"cpu_seconds\\": $s}"\n'
        folder = Folder(self, {"dml-bench-packet": packet})
        shutil.copy("/bin/true", folder.path("dml"))
        status, _, error = bench("--only=tcmalloc", build=folder.build)
        self.assertEqual(status, 0)
        self.assertIn("tcmalloc skipped: the program dml is built without tcmalloc", error)
        program = os.path.join(BUILD, "dml")
        if "tcmalloc" not in subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout:
            self.skipTest("without tcmalloc")
        os.remove(folder.path("dml"))
        os.symlink(program, folder.path("dml"))
        # 3 s without it, 2 s with it
        status, _, error = bench("--only=tcmalloc", "--json", folder.result, build=folder.build)
        self.assertEqual(status, 0, error)
        self.assertEqual(folder.rows()["tcmalloc"]["value"], 1.5)

    def test_interrupt_keeps_what_was_measured(self):
        folder = Folder(self, {"dml-bench-fair-share": ENGINE,
                               "dml-bench-packet": "#!/bin/sh\nexec sleep 3600\n"})
        process = subprocess.Popen(
            [TOOL, "--build", folder.build, "--only=fair-share-speed", "--only=packet-speed",
             "--quick", "--json", folder.result], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, start_new_session=True)
        partial = folder.path("bench.jsonl")
        while process.poll() is None and not (os.path.exists(partial) and os.path.getsize(partial) > 0):
            time.sleep(0.05)
        written = os.path.getsize(partial)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, error = process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted", error)
        self.assertGreater(written, 0)  # at once, not at the end
        self.assertEqual(list(folder.rows()), ["fair-share-speed"])
        with open(partial, encoding="utf-8") as file:
            self.assertEqual([json.loads(line)["name"] for line in file], ["fair-share-speed"])

    def test_comparison_and_manual(self):
        folder = Folder(self, {"dml-bench-fair-share": ENGINE})
        bench("--only=fair-share-memory", "--quick", "--json", folder.result, build=folder.build)
        with open(folder.result, encoding="utf-8") as file:
            content = json.load(file)
        content["rows"][0]["value"] = 100e6
        report.write_json(folder.path("before.json"), content)
        table = folder.path("table.txt")
        status, lines, _ = bench("--from", folder.result, "--against", folder.path("before.json"),
                                 "--rst", table)
        self.assertEqual(status, 0)
        # 100 MB before, 50 MB now
        self.assertEqual(lines[-1].split()[-3:], ["100", "50", "0.5"])
        with open(table, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("   * - fair-share memory, W=8 (``fair-share-memory``)\n     - MB peak RSS\n"
                      "     - 50\n     -\n     - <= 40\n     - 1.25\n     - no\n", text)


class MeasuringTest(unittest.TestCase):
    """With the programs of the build, scaled down."""

    def test_all_rows(self):
        folder = Folder(self)
        done = subprocess.run([TOOL, "--build", BUILD, "--quick", "--json", folder.result],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = folder.rows()
        self.assertEqual(list(rows), [row.name for row in ROWS])
        lines = done.stdout.splitlines()
        self.assertLessEqual(max(map(len, lines)), report.WIDTH)
        for row in ROWS:
            result = rows[row.name]
            if result["status"] == "skipped":
                self.assertIn(f"{row.name} skipped: {result['reason']}", done.stderr)
                continue
            self.assertEqual(result["status"], "measured")
            self.assertGreaterEqual(result["value"], 0)
            self.assertLessEqual(result["low"], result["value"])
            self.assertLessEqual(result["value"], result["high"])
            self.assertTrue(result["commands"])
            if row.budget:
                self.assertEqual(result["ratio"], result["value"] / row.budget.limit)
        # what --from shows is what was shown
        _, again, _ = bench("--from", folder.result)
        self.assertEqual(again, lines)

    def test_agreement_with_simgrid(self):
        # Two implementations of one model: they differ by rounding, which grows about threefold
        # with every step, from 1e-15 on; so not after many steps.
        program = os.path.join(BUILD, "bench", "dml-bench-simgrid")
        if not os.access(program, os.X_OK):
            self.skipTest("dml-bench-simgrid is not built: libsimgrid-dev was missing")
        for sharing, servers in (("equal", 1), ("max-min", 1), ("max-min", 4)):
            for workers in (1, 2, 3, 4):
                done = subprocess.run(
                    [program, "--engine=both", "--steps=8", f"--workers={workers}",
                     f"--servers={servers}", "--sharing=" + sharing],
                    capture_output=True, text=True, check=True)
                line = json.loads(done.stdout)
                self.assertEqual(line["steps_compared"], 8 * workers)
                self.assertLessEqual(line["largest_difference"], 1e-6, line)

    def test_simgrid_program_refuses(self):
        program = os.path.join(BUILD, "bench", "dml-bench-simgrid")
        if not os.access(program, os.X_OK):
            self.skipTest("dml-bench-simgrid is not built: libsimgrid-dev was missing")
        for option, found in (("--engine=ns-3", "found 'ns-3'; accepted: fair-share, simgrid"),
                              ("--sharing=fifo", "accepted: equal, max-min")):
            done = subprocess.run([program, option, "--steps=1"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(found, done.stderr)


if __name__ == "__main__":
    unittest.main()

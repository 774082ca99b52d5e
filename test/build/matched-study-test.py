#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/matched-study and tools/matched-report with made-up cells, whose numbers are derived by hand."""

import contextlib
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from matched_report import elsewhere, outcome, page, regression, tables, trust  # pylint: disable=C0413
from matched_study import cells, design, factors, store  # pylint: disable=C0413
from study_table import t_quantile  # pylint: disable=C0413
from testbed_compare.errors import InputError  # pylint: disable=C0413

WHOLE = design.ordered(160)  # takes seconds
CELL = factors.Cell("alexnet", "async", 4, 2, 10, 1, "1MB", "far")


def record(cell=CELL, throughputs=(100, 110, 100, 110), raw=(1, 2, 3, 2), links=(1, 2, 3, 2), halves=(0.1,) * 4,
           fair_share=(120, 121, 120, 121)):
    """What tools/matched-study keeps of a cell."""
    return {"cell": cell.row(), "commit": "abc", "cpu_seconds": 36.0,
            "runs": [{"throughput": one, "raw_percent": two, "links_slower_percent": three, "ci95": half, "drops": 1,
                      "timeouts": 2, "steps": 10, "fair_share": own}
                     for one, two, three, half, own in zip(throughputs, raw, links, halves, fair_share, strict=True)],
            "fair_share": {"runs": 200, "mean": 126.0, "deviation": 0.0},
            "horizons": [[1, 1.0, None], [2, 2.0, None], [4, 3.0, None], [8, 4.0, None]],
            "phases": [["pull 1 1", 5.0, None]]}


def require_numpy():
    try:
        import numpy  # noqa: F401 # pylint: disable=W0611
    except ImportError as error:
        raise unittest.SkipTest(f"matched-report needs numpy, which python3-pandas has: {error}") from error


class Cells(unittest.TestCase):
    def test_settings(self):
        """AlexNet's 244 403 360 bytes take 0.391045376 s there and back at 10 Gbit/s; its step computes 0.553 s."""
        settings = CELL.settings()
        self.assertEqual(settings["job.devices"], "{accelerator: {speed: 1.41416}}")
        self.assertEqual(settings["network.queue"], "{drop_tail: 1MB, whole_bursts: true}")
        self.assertEqual(settings["network.hosts"], "{worker0: {delay: 1ms}}")
        self.assertEqual(CELL.step_bytes, 8 * 244403360)
        self.assertEqual(CELL.measured_steps, 5)  # of 10 GB
        # each of 8 workers sends and receives 7/8 of the tensors twice, once each way
        ring = factors.Cell("alexnet", "ring", 8, 1, 1, 4, "64KB", "equal")
        self.assertEqual(ring.step_bytes, 14 * 244403360)
        self.assertEqual(ring.measured_steps, 3)
        self.assertFalse(ring.settings()["network.tcp.trains"])
        self.assertNotIn("job.parameter_servers", ring.settings())

    def test_profiles(self):
        """The bytes and times of the models are those of their profiles."""
        try:
            import yaml
        except ImportError as error:
            raise unittest.SkipTest(f"matched-study needs python3-yaml: {error}") from error
        for name, size, seconds in factors.MODELS.values():
            with open(os.path.join(factors.PROFILES, name + ".yaml"), encoding="utf-8") as file:
                profile = yaml.safe_load(file)
            computes = [op for op in profile["ops"] if op["kind"] in ("forward", "backward")]
            self.assertEqual(size, sum(tensor["bytes"] for tensor in profile["tensors"]))
            self.assertAlmostEqual(seconds, sum(math.fsum(op["samples"]) / len(op["samples"]) for op in computes), 3)

    def test_program_accepts_them(self):
        program = os.environ.get("DML_PROGRAM")
        if not program:
            raise unittest.SkipTest("needs DML_PROGRAM")
        chosen = {(cell.mode, cell.bursts): cell for cell in WHOLE[:60]}
        self.assertEqual(len(chosen), 8)
        for cell in chosen.values():
            subprocess.run([program, "check", cells.SCENARIO, *(f"--set={key}={json.dumps(value)}" if not isinstance(
                value, str) else f"--set={key}={value}" for key, value in cell.settings().items())],
                check=True, stdout=subprocess.DEVNULL, env={**os.environ, "DML_ROOT": ROOT})


class Design(unittest.TestCase):
    def test_levels_take_turns(self):
        """Of two models and two rates, the second cell shares nothing with the first one."""
        known = [factors.Cell(model, "bsp", 2, 1, rate, 1, "fair", "equal")
                 for model in ("mobilenet-v2", "googlenet") for rate in (1, 10)]
        with mock.patch.object(design, "all_cells", lambda: known):
            found = design.ordered(9)
        self.assertEqual([known.index(cell) for cell in found[:2]], [0, 3])
        self.assertEqual(len(set(found)), 4)

    def test_prefixes(self):
        self.assertEqual(design.ordered(20), WHOLE[:20])
        self.assertEqual(len(set(WHOLE)), 160)
        pairs = Counter((cell.rate, cell.port) for cell in WHOLE)
        self.assertEqual(len(pairs), len(factors.RATES) * len(factors.PORTS))
        self.assertGreaterEqual(min(pairs.values()), 7)  # 160 / 18 = 8.9

    def test_what_means_nothing(self):
        for cell in factors.all_cells():
            self.assertFalse(cell.collective and (cell.servers > 1 or cell.workers == 1))


class Numbers(unittest.TestCase):
    def test_mean(self):
        """Of 1, 2, 3, 2: s = sqrt(2 / 3), t = 3.182, half = 3.182 sqrt(2 / 3) / 2. Within runs: sqrt(4 h^2) / 4."""
        rows = [{"x": value, "ci95": 0.1} for value in (1, 2, 3, 2)]
        mean, half = cells.mean_of(rows, "x")
        self.assertEqual(mean, 2)
        self.assertAlmostEqual(half, 3.182 * math.sqrt(2 / 3) / 2, 5)
        self.assertAlmostEqual(cells.mean_of([{**row, "ci95": 9} for row in rows], "x")[1], 4.5)
        self.assertEqual(cells.mean_of(rows[:2], "x"), (1.5, 0.0707107))
        self.assertEqual(cells.mean_of([{"x": "", "ci95": ""}], "x"), (None, None))

    def test_what_is_not_known(self):
        """A run that was too short has no utilisation, and what dml cannot match has no table."""
        run = {"throughput": None, "utilisation": {"downlink": [None, None], "uplink": []}}
        engine = {"replications": [run], "timing": {"cpu_seconds": 1.0}}
        cell = design.ordered(1)[0]
        results = mock.Mock(cases=[{"engines": {"packet": engine, "fair-share": engine}}])
        with mock.patch.object(cells.dml, "execute", side_effect=cells.dml.Error("too large")), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            kept = cells.kept(cell, results, "0")
            self.assertEqual(cells.table(results, "--phases", "phases.csv"), [])
        self.assertIsNone(kept["runs"][0]["utilisation"])
        self.assertIsNone(kept["fair_share"]["mean"])
        self.assertIn("no phases.csv: too large", said.getvalue())

    def test_outcome(self):
        """Ratios of 1.2 and 1.1, twice: the geometric mean is sqrt(1.32), and s = log(1.2 / 1.1) / sqrt(3)."""
        found = outcome.outcome_of(record())
        self.assertAlmostEqual(found.free.value, 100 * (math.sqrt(1.32) - 1), 9)
        half = 3.182 * math.log(1.2 / 1.1) / math.sqrt(3) / 2
        self.assertAlmostEqual(found.free.half, 100 * math.expm1(half), 9)
        self.assertTrue(found.free.certain)
        self.assertAlmostEqual(found.correlation, 1)
        self.assertIsNone(found.spread)  # fair-share's runs are all alike
        self.assertEqual(found.raw.text(), "+2.0 +-1.3")
        self.assertEqual(outcome.outcome_of(record(links=(1, 2, None, 2))).links.text(), "-")
        few = record()
        few["runs"] = few["runs"][:3]
        self.assertEqual(outcome.outcome_of(few).free.text(), "-")

    def test_regression_on_pairs(self):
        """Logarithms 0 to 4 and 1, 0, 3, 2, 4: slope 0.8, 3.6 unexplained; fair-share's mean logarithm is 2.5."""
        five = record(throughputs=[math.exp(value) for value in (1, 0, 3, 2, 4)], raw=(1,) * 5, links=(1,) * 5,
                      halves=(0.1,) * 5, fair_share=[math.exp(value) for value in range(5)])
        five["fair_share"] = {"runs": 200, "mean": math.exp(2.5), "deviation": 0.0}
        found = outcome.outcome_of(five)
        self.assertAlmostEqual(found.free.value, 100 * math.expm1(0.1), 9)
        self.assertAlmostEqual(found.free.half, 100 * math.expm1(3.182 * math.sqrt(1.2 * (0.2 + 0.25 / 10))), 9)

    def test_median(self):
        """With ten values, at most one of a sign test's ten is below the median with a probability of 11 / 1024."""
        self.assertIsNone(tables.median_bounds(range(5)))
        self.assertEqual(tables.median_bounds(range(6)), (0, 5))
        self.assertEqual(tables.median_bounds(range(1, 11)), (2, 9))
        self.assertEqual(tables.median([3, 1, 2, 4, 5, 6]), "+3.5 (+1.0..+6.0)")

    def test_share(self):
        """Of ten cells, all or none: 0.025 ^ (1/10) = 0.692; of 17 all: 0.025 ^ (1/17) = 0.805, the first above 0.8.
        Half of ten: 0.187 to 0.813 (Clopper and Pearson's tables)."""
        self.assertAlmostEqual(trust.share_bounds(10, 10)[0], 0.025 ** 0.1, 9)
        self.assertEqual(trust.share_bounds(10, 10)[1], 1)
        self.assertAlmostEqual(trust.share_bounds(10, 0)[1], 1 - 0.025 ** 0.1, 9)
        for found, known in zip(trust.share_bounds(10, 5), (0.187, 0.813)):
            self.assertAlmostEqual(found, known, 3)
        self.assertEqual(trust.cells_needed(), 17)

    def test_verdict(self):
        """A bias of 2 +- 1.3 is within 5 % for certain, and not within 2 %."""
        cell = outcome.outcome_of(record())
        self.assertEqual(trust.surely_within([cell], "raw", 2), (0, 1))
        self.assertEqual(trust.surely_within([cell], "raw", 5), (1, 1))
        self.assertEqual(trust.verdict([cell] * 17, "raw"), "are surely right to 5 % (in 17 of 17 cells, and so in 80 to 100 % of all)")
        self.assertEqual(trust.verdict([cell] * 16, "raw"), "are surely right to 5 % in 16 of 16 cells, and so in 79 to 100 % of all, "
                         "too few cells to decide")
        far = outcome.outcome_of(record(raw=(50, 51, 52, 51)))
        self.assertIn("only in 1 of 10 cells, and so in 0 to 45 % of all", trust.verdict([far] * 9 + [cell], "raw"))
        self.assertEqual(trust.verdict([], "raw"), "are not known, for want of cells")

    def test_quantiles(self):
        for count, known in ((5, 2.776), (12, 2.2010), (31, 2.0423), (161, 1.9749)):
            self.assertAlmostEqual(t_quantile(count), known, 3)
        for count, known in ((31, 3.646), (61, 3.460)):
            self.assertAlmostEqual(t_quantile(count, 0.0005), known, 2)

    def test_regression(self):
        """What was made of known coefficients is found again: 1 + |bias| = 2 x 1.5 ^ (far, FIFO) x 3 ^ (FIFO)."""
        require_numpy()

        def biased(cell):
            size = 2 * (1.5 if cell.rtt == "far" else 1) * 3 if cell.port != "fair" else 2
            return outcome.outcome_of(record(cell, raw=(size - 1,) * 4))

        found = regression.fit([biased(cell) for cell in WHOLE[:60]])
        for name, value in zip(regression.EFFECTS, found.coefficients[1:], strict=True):
            known = {"FIFO of 1 MB instead of fair ports": 3, "one far worker, on a FIFO": 1.5}.get(name, 1)
            self.assertAlmostEqual(2 ** value, known, 6, name)
        self.assertAlmostEqual(found.explained, 1, 9)
        self.assertIsNone(regression.fit([biased(cell) for cell in WHOLE[:44]]))

    def test_pairs(self):
        """What a far worker makes four times as large where workers wait for each other is found, and next to nothing in
        noise: a wrong alarm in one of twenty samples is what the correction allows."""
        require_numpy()
        noise = random.Random(1)

        def rows(factor):
            outcomes = []
            for cell in WHOLE[:100]:
                both = cell.mode == "bsp" and cell.rtt == "far" and cell.port != "fair"
                raw = 40 * (factor if both else 1) * 2 ** noise.gauss(0, 0.2)
                outcomes.append(outcome.outcome_of(record(cell, raw=(raw,) * 4)))
            return [line for line in regression.pairs(outcomes) if line.startswith(tuple(regression.EFFECTS))]

        found = [row for row in rows(4) if row.startswith("one far worker, on a FIFO           bsp instead of async")]
        self.assertEqual(len(found), 1)
        self.assertIn("x 4.0", found[0])
        self.assertLessEqual(sum(bool(rows(1)) for _ in range(20)), 3)


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "cells.jsonl")

    def tool(self, name, *options):
        return subprocess.run([sys.executable, os.path.join(ROOT, "tools", name), "--data", self.path, *options],
                              capture_output=True, text=True, check=False)

    def test_store(self):
        self.assertEqual(store.read(self.path), [])
        other = factors.Cell("vgg11", "ring", 2, 1, 1, 4, "fair", "equal")
        for each in (record(), record(other), record(throughputs=(1, 1, 1, 1))):
            store.append(self.path, each)
        self.assertEqual(store.read(self.path), [record(), record(other)])  # the first one of a cell counts
        with open(self.path, "a", encoding="utf-8") as file:
            file.write('{"cell": {"colour": 1}}\n')
        done = self.tool("matched-report", "--print")
        self.assertEqual(done.returncode, 2)
        self.assertIn("cells.jsonl:4: found", done.stderr)

    def test_what_other_pages_found(self):
        lines = ["run                     steps  links % slower  steps % longer", "fair queues, W = 2         23    +0.52 +-0.31           +0.87",
                 "one FIFO a link, W = 2     24    -0.43 +-0.27           +0.73"]
        for rows, accepted in ((lines, True), (lines[:2], False)):
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump([{"page": "doc/testbed.rst", "lines": rows}, {"page": "doc/tcp.rst", "lines": lines}], file)
            if accepted:
                self.assertEqual(elsewhere.testbed_values(self.path),
                                 {"testbed-fair": "+0.52 +-0.31", "testbed-fifo": "-0.43 +-0.27"})
            else:
                with self.assertRaisesRegex(InputError, "no row 'one FIFO a link, W = 2'"):
                    elsewhere.testbed_values(self.path)

    def test_list(self):
        first = WHOLE[0]
        store.append(self.path, record(first))
        done = self.tool("matched-study", "--count=3", "--list")
        self.assertRegex(done.stdout, rf"^{first.name} +done\n")
        self.assertIn("1 of 3 cells are done", done.stdout)

    def test_nothing(self):
        done = self.tool("matched-report", "--print")
        self.assertEqual(done.returncode, 2)
        self.assertIn("found no cell", done.stderr)

    def test_page(self):
        """The page is what the tool writes of the cells that are kept."""
        require_numpy()
        text = page.write(os.path.join(ROOT, "doc", "validation.rst.in"), page.read(store.PATH))
        with open(os.path.join(ROOT, "doc", "validation.rst"), encoding="utf-8") as file:
            self.assertMultiLineEqual(file.read(), text)


if __name__ == "__main__":
    unittest.main()

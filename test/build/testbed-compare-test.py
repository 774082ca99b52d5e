#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/testbed-compare with a run made up here, whose numbers are derived by hand.

With the environment's DML_PROGRAM it also predicts: the made-up run, and the measured ones in
DML_SHARED (default: shared/ beside the repository) where they are."""

import contextlib
import csv
import io
import json
import os
import subprocess
import sys
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TOOL = os.path.join(ROOT, "tools", "testbed-compare")
SHARED = os.environ.get("DML_SHARED", os.path.join(ROOT, "..", "shared"))
PROGRAM = os.environ.get("DML_PROGRAM")
MS = 10**6
START = 100  # seconds on the clock of the run

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(TOOL))
from scratch_folder import ScratchFolder  # pylint: disable=C0413
from testbed_compare import convert, match, measured, predict, report, windows  # pylint: disable=C0413

# Layers a (tensors p: 1 MB, q: 1 kB) and b (tensor r: 2 MB), one server, two workers.
MODEL = """layer a 1000 2000
layer b 3000 4000
tensor 0 p 1000000 50 0
tensor 0 q 1000 20 0
tensor 1 r 2000000 70 0
"""
# Instants of a step in ms after its start: requests of r, p, q at the worker, their arrival at the
# server, parameters of p, q, r; forward a starts 0.2 late; forward b waits for r; updates one by one,
# the first 0.1 after the gradient of r came, the last 0.5 after that of q but at once after p's.
STEP = {"requests": {2: 0.1, 0: 0.2, 1: 0.3}, "arrivals": {2: 1.0, 0: 1.1, 1: 1.2},
        "received": {0: 10.0, 1: 10.5, 2: 30.0},
        "ops": {("fwd", 0): (10.7, 12.0), ("fwd", 1): (30.0, 33.0), ("bwd", 1): (33.5, 38.0),
                ("bwd", 0): (38.0, 40.0)},
        "gradients": {2: (60.0, 60.1, 61.0), 0: (70.0, 70.0, 71.0), 1: (70.5, 71.0, 71.25)},
        "end": 72.0}


def made_up_run(folder, steps=3, workers=2, offset=36.0):
    """Writes a run: worker w starts offset * w ms late, all steps are STEP."""
    stem = os.path.join(folder, "made-up")
    text = {"model": MODEL}
    gradients, parameters = [], []
    for w in range(workers):
        rows = {"step": ["worker,step,t_start_ns,t_end_ns"],
                "tensor": ["worker,step,tensor,ps,t_param_req_ns,t_param_recv_ns"],
                "op": ["worker,step,kind,layer,t_start_ns,t_end_ns"]}
        for k in range(steps):
            def at(ms, w=w, k=k):
                return START * 1000 * MS + round((offset * w + STEP["end"] * k + ms) * MS)
            rows["step"].append(f"{w},{k},{at(0)},{at(STEP['end'])}")
            for t in range(3):
                rows["tensor"].append(f"{w},{k},{t},0,{at(STEP['requests'][t])},"
                                      f"{at(STEP['received'][t])}")
                parameters.append(f"0,{w},{k},{t},{at(STEP['arrivals'][t])}")
                gradients.append(f"0,{w},{k},{t}," + ",".join(
                    str(at(ms)) for ms in STEP["gradients"][t]))
            for (kind, layer), (begin, end) in STEP["ops"].items():
                rows["op"].append(f"{w},{k},{kind},{layer},{at(begin)},{at(end)}")
        text.update({f"w{w}.{name}.csv": "\n".join(lines) + "\n" for name, lines in rows.items()})
    text["ps0.param.csv"] = "\n".join(["ps,worker,step,tensor,t_req_arrive_ns", *parameters, ""])
    text["ps0.grad.csv"] = "\n".join(
        ["ps,worker,step,tensor,t_recv_ns,t_update_start_ns,t_update_end_ns", *gradients, ""])
    text["json"] = json.dumps({
        "model": "small", "nps": 1, "workers": workers, "update_slots": 1, "stagger_ms": offset,
        "start": float(START), "window": [START + 0.05, START + 0.2],
        "net": {"rate_mbit": 1000, "qdisc": "htbfair", "mtu": 1500, "cc": "cubic"}}, indent=1)
    for suffix, content in text.items():
        with open(f"{stem}.{suffix}", "w", encoding="utf-8") as file:
            file.write(content)
    return stem


class WithFolder(ScratchFolder):
    """A folder, and the tool."""

    def setUp(self):
        super().setUp()
        self.stem = made_up_run(self.root)

    def edit(self, suffix, old, new):
        """Replaces text that must be there."""
        with open(f"{self.stem}.{suffix}", encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(f"{self.stem}.{suffix}", "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def run_tool(self, *arguments):
        environment = {**os.environ, "DML_ROOT": ROOT}
        return subprocess.run([sys.executable, TOOL, *arguments], cwd=self.root, text=True,
                              capture_output=True, check=False, env=environment)


class Conversion(WithFolder):
    """What a run becomes."""

    def setUp(self):
        super().setUp()
        self.run_read = measured.read_run(self.stem + ".json")

    def test_lengths(self):
        lengths = convert.op_lengths(self.run_read, 0, 0)
        # From the ready time: forward a from 10.5 (its last parameter), b from 30; backward b from
        # 33 (forward b's end), a from 38.
        for key, expected in ((("fwd", 0), 0.0015), (("fwd", 1), 0.003), (("bwd", 1), 0.005),
                              (("bwd", 0), 0.002)):
            self.assertAlmostEqual(lengths[key], expected, 9)
        updates = convert.update_lengths(measured.read_run(self.stem + ".json"))
        # r: 60 to 61; p: 70 to 71; q came at 70.5, but the lane was free at 71
        for tensor, expected in ((2, 0.001), (0, 0.001), (1, 0.00025)):
            self.assertAlmostEqual(updates[0, 0, tensor], expected, 9)
        self.run_read.update_slots = 2
        # a second lane: q from 70.5
        self.assertAlmostEqual(convert.update_lengths(self.run_read)[0, 0, 1], 0.00075, 9)

    def test_request_latency(self):
        # r's request comes first, at 1; in later steps from the last update, 71.25 of a step of 72
        self.assertAlmostEqual(convert.request_latency(self.run_read, 0, 0, 0), 0.001, 9)
        self.assertAlmostEqual(convert.request_latency(self.run_read, 0, 1, 0), 0.00175, 9)

    def test_steps_that_are_matched(self):
        """A step of the model lasts from the last update of the one before, at 71.25 ms of 72, to its own."""
        rows = match.measured_steps(self.run_read)
        self.assertEqual([(row[3], row[4], float(row[5]), float(row[6]), row[10]) for row in rows],
                         [(0, 0, 0, 0.07125, 0), (1, 0, 0.036, 0.10725, 3), (0, 1, 0.07125, 0.14325, 1),
                          (1, 1, 0.10725, 0.17925, 4), (0, 2, 0.14325, 0.21525, 2), (1, 2, 0.17925, 0.25125, 5)])

    def test_profile(self):
        profile, samples = (os.path.join(self.root, n) for n in ("p.yaml", "s.csv"))
        convert.write_profile(self.run_read, profile, samples, "s.csv")
        with open(profile, encoding="utf-8") as file:
            lines = file.read().splitlines()
        ops = lines[lines.index("ops:") + 1:]
        # pulls in the order of the requests: r, p, q
        self.assertEqual([line.split('"')[1] for line in ops],
                         ["request/ps0", "pull/r", "pull/p", "pull/q", "forward/a", "forward/b",
                          "backward/b", "push/r", "update/r", "backward/a", "push/p", "update/p",
                          "push/q", "update/q"])
        self.assertIn('  - {name: "forward/b", kind: forward, device: "cpu", '
                      'deps: ["forward/a", "pull/r"]}', ops)
        self.assertIn('  - {name: "pull/r", kind: pull, tensor: "r", deps: ["request/ps0"]}', ops)
        with open(samples, encoding="utf-8") as file:
            rows = file.read().splitlines()
        self.assertEqual(rows[0], '"request/ps0","forward/a","forward/b","backward/b","update/r",'
                                  '"backward/a","update/p","update/q"')
        self.assertEqual(rows[1], "0.001000000,0.001500000,0.003000000,0.005000000,0.001000000,"
                                  "0.002000000,0.001000000,0.000250000")
        self.assertEqual(len(rows), 1 + 2 * 3)  # workers, steps

    def test_scenario(self):
        path = os.path.join(self.root, "s.yaml")
        convert.write_scenario(self.run_read, path, "p.yaml", 5,
                               convert.start_offsets(self.run_read))
        with open(path, encoding="utf-8") as file:
            keys = {k: json.loads(v) for k, v in (line.split(": ", 1) for line in file)}
        self.assertEqual(keys["job"]["start"], ["0ns", "36000000ns"])
        self.assertEqual(keys["job"]["sampling"], [[0, 1, 2], [3, 4, 5]])
        self.assertEqual(keys["job"]["placement"], {"p": 0, "q": 0, "r": 0})
        # 1 Gbit/s, with 2 bytes of framing for Ethernet's 14: 1e9 * 1502 / 1514
        self.assertEqual(keys["network"]["rate"], "992073976bps")
        # no tensor is above 4 MiB, so no window was seen
        steps = ["33554432B"] * 3
        self.assertEqual(keys["transfer"]["window"], {"default": "33554432B", "connections": [
            {"worker": w, "server": 0, "downlink": steps, "uplink": steps} for w in (0, 1)]})
        convert.write_scenario(self.run_read, path, "p.yaml", 5, [0, 0], 1000)
        with open(path, encoding="utf-8") as file:
            self.assertIn('"window": "1000B"', file.read())

    def windows(self, size, offset=36.0):
        """WIN of worker 0 in the first step by direction if r has this size; links of 10 Gbit/s."""
        made_up_run(self.root, offset=offset)
        self.edit("model", "tensor 1 r 2000000", f"tensor 1 r {size}")
        self.edit("json", '"rate_mbit": 1000', '"rate_mbit": 10000')
        found = windows.read_windows(measured.read_run(self.stem + ".json"), self.GOODPUT)
        return [found[0, 0, direction][0] for direction in windows.DIRECTIONS]

    GOODPUT = 1e9

    def test_windows(self):
        # r, asked for at 0.1, is preempted; p (1 MB) has arrived at 10: 9.9 ms are 9.9 MB, 1 of p.
        # The gradient of r comes before the others: nothing is seen.
        self.assertEqual(self.windows(20000000), [8900000, 32 * 2**20])
        # worker 1 asks from 5.1 on: 5 ms alone, 4.9 ms with half of the link
        self.assertEqual(self.windows(20000000, 5.0)[0], 6450000)
        # not below 4 MiB, where a connection begins; nor do streams of up to 4 MiB tell anything
        self.assertEqual(self.windows(20000000, 0.0)[0], 4 * 2**20)
        self.assertEqual(self.windows(4 * 2**20)[0], 32 * 2**20)
        # 20 ms are less than 5 % of 500 MB: the time to copy r, which came and went in one turn
        self.assertEqual(self.windows(500000000), [500001024, 500001024])

    def test_lost_worker(self):
        for name in ("step", "tensor", "op"):
            os.remove(f"{self.stem}.w1.{name}.csv")
        run = measured.read_run(self.stem + ".json")
        rows, lists = convert.sample_rows(run)
        self.assertEqual((rows, lists), ([(0, 0), (0, 1), (0, 2)], [[0, 1, 2], [1, 2, 0]]))
        self.assertEqual(convert.start_offsets(run), [0.0, 0.036])  # the stagger
        self.assertIn("no files of worker 1", run.notes[0])

    def test_queue(self):
        run = measured.read_run(self.stem + ".json")
        run.switch_queue = 1000000
        run.qdisc = "tbf"
        self.assertEqual(convert.queue_key(run), "1000000B")
        # a class for each of two workers, each with its own megabyte
        run.qdisc = "htbfair"
        self.assertEqual(convert.queue_key(run), {"fair": "2000000B"})

    def test_unfinished_step(self):
        # the gradient of r was still under way when the run ended: its step is not complete
        end = START * 1000 * MS + 2 * 72 * MS + 60 * MS
        self.edit("ps0.grad.csv", f"0,0,2,2,{end},", "0,0,2,2,0,")
        self.assertEqual(measured.read_run(self.stem + ".json").complete_steps(0), [0, 1])


class Comparison(WithFolder):
    """Throughput and errors."""

    def test_throughput(self):
        run = measured.read_run(self.stem + ".json")
        # Window 50 to 200 ms, steps of 72 ms that begin at 0 and at 36: no worker is idle in it
        self.assertAlmostEqual(run.throughput(run.spans()), (150 / 72 + 150 / 72) / 0.15, 9)
        # worker 0 has nothing after 216 ms, so a window that lasts longer ends there
        self.assertAlmostEqual(run.throughput(run.spans(), (0.144, 9.0)), 2 / 0.072, 9)

    def test_errors(self):
        steps = {(0, 0): (0.0, 1.0), (0, 1): (1.0, 2.0)}
        real = predict.Timeline(steps, {("parameter", 0, 0, "x"): 0.5, ("parameter", 0, 1, "x"): 1.7})
        model = predict.Timeline(steps, {("parameter", 0, 0, "x"): 0.7, ("parameter", 0, 1, "x"): 1.9})
        errors = report.tensor_errors(real, model, (0.5, 2.0))
        # means 0.6 and 0.8 of steps of 1 s
        self.assertAlmostEqual(errors[0]["measured"], 0.6, 9)
        self.assertAlmostEqual(errors[0]["error"], 0.2, 9)
        # only the second step ends after 1.5
        self.assertAlmostEqual(report.tensor_errors(real, model, (1.5, 2.0))[0]["measured"], 0.7, 9)

    def test_quantiles(self):
        values = [float(i) for i in range(1, 11)]
        self.assertEqual((report.quantile(values, 0.5), report.quantile(values, 0.9)), (5.0, 9.0))

    def test_table_width(self):
        run = measured.read_run(self.stem + ".json")
        run.name = "a_run_with_a_very_long_name_that_does_not_fit_at_all"
        timeline = predict.measured_timeline(run)
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            report.print_reports([report.compare(run, timeline, {"packet": (timeline, [timeline])},
                                                 None)])
        self.assertIn("+0.00", out.getvalue())
        self.assertTrue(all(len(line) <= 80 for line in out.getvalue().splitlines()), out.getvalue())


class Refusals(WithFolder):
    """Files that are wrong: exit code 2 and a text that says where."""

    def expect(self, *texts, code=2, arguments=None):
        done = self.run_tool(*(arguments or [self.stem + ".json"]))
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_options(self):
        self.expect("invalid count value: '0'", arguments=[self.stem + ".json", "--jobs", "0"])
        self.expect("invalid size value: '0'", arguments=[self.stem + ".json", "--window", "0"])
        self.expect("nowhere.json: No such file", arguments=["nowhere.json"])
        self.expect("accepted is the .json file", arguments=[self.stem + ".model"])
        self.expect("two runs are named", arguments=[self.stem + ".json"] * 2)

    def test_truncated_json(self):
        with open(self.stem + ".json", "r+", encoding="utf-8") as file:
            file.truncate(40)
        self.expect("made-up.json:4:", "is not JSON", "truncated?")

    def test_json_values(self):
        self.edit("json", '"rate_mbit": 1000', '"rate_mbit": "fast"')
        self.expect("made-up.json:13: key 'net.rate_mbit': found \"fast\"", "a number from")

    def test_missing_key(self):
        self.edit("json", '"workers": 2,', "")
        self.expect("key 'workers': is missing; accepted is an integer from 1 to 10000")

    def test_window(self):
        self.edit("json", "100.05", "3")
        self.expect("key 'window': found [3, 100.2]; accepted is [begin, end]")

    def test_truncated_csv(self):
        with open(self.stem + ".w1.op.csv", "r+", encoding="utf-8") as file:
            file.truncate(60)
        self.expect("made-up.w1.op.csv:2: found 5 field(s) of 6", "truncated?")

    def test_empty_csv(self):
        with open(self.stem + ".w1.op.csv", "w", encoding="utf-8"):
            pass
        self.expect("made-up.w1.op.csv:1: there is no column 'worker'")

    def test_wrong_numbers(self):
        self.edit("ps0.grad.csv", "0,0,0,1,", "0,0,0,x,")
        self.expect("made-up.ps0.grad.csv:3: column 'tensor': found 'x'; accepted is an integer")

    def test_unknown_tensor(self):
        self.edit("w0.tensor.csv", "\n0,0,2,0,", "\n0,0,3,0,")
        self.expect("made-up.w0.tensor.csv:4: column 'tensor': found 3; accepted is 0 to 2")

    def test_other_server(self):
        self.edit("w0.tensor.csv", "\n0,0,2,0,", "\n0,0,2,1,")
        self.expect("made-up.w0.tensor.csv:4: column 'ps': found 1; the model has tensor 'r' on "
                    "server 0")

    def test_times_that_go_back(self):
        self.edit("w0.step.csv", "\n0,0,100000000000,", "\n0,0,900000000000,")
        self.expect("made-up.w0.step.csv:2: times go back")

    def test_model(self):
        self.edit("model", "tensor 1 r 2000000 70 0", "tensor 1 r 2000")
        self.expect("made-up.model:5: found 'tensor 1 r 2000'; accepted is 'layer NAME")

    def test_model_server(self):
        self.edit("model", "2000000 70 0", "2000000 70 1")
        self.expect("made-up.model:5: server: found '1'; accepted is an integer from 0 to 0")

    def test_one_missing_file(self):
        os.remove(self.stem + ".w1.op.csv")
        self.expect("made-up.w1.op.csv: there is no such file, but there is w1.step.csv")

    def test_program_that_fails(self):
        self.expect("dml ended with status 1", code=1, arguments=[self.stem + ".json", "--program",
                                                      "/bin/false"])


@unittest.skipUnless(PROGRAM, "DML_PROGRAM is not set")
class Prediction(WithFolder):
    """The program's engines on a run."""

    def predict(self, *arguments):
        """The report on the made-up run."""
        done = self.run_tool(self.stem + ".json", "--program", PROGRAM, "--out", "o", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.root, "o", "report.json"), encoding="utf-8") as file:
            return json.load(file)["runs"][0]

    def test_lone_worker(self):
        made_up_run(self.root, workers=1)
        found = self.predict("--starts", "1")
        # A link carries 1448/1514 Gbit/s, 16384/16393 of it data. From 1 ms on r, p and q come down, 3.001
        # MB; forward a 1.5, forward b 3, backward b 5 ms; then r, p and q go up at a stretch, as backward a
        # takes 2 ms and r 17 ms. q comes 8 us after p, so it is updated after p's 1 ms: 0.25 ms.
        rate = 1e9 / 8 * 1448 / 1514 * 16384 / 16393
        first = 0.001 + 3001000 / rate + 0.0095 + 3000000 / rate + 0.001 + 0.00025
        # In later steps the first request is 0.75 ms later.
        for engine, tolerance in (("fair-share", 1e-6), ("packet", 1e-3)):
            with open(os.path.join(self.root, "o", "made-up", engine, "steps.csv"),
                      encoding="utf-8") as file:
                ends = [float(row["end"]) for row in csv.DictReader(file)]
            self.assertAlmostEqual(ends[0], first, delta=tolerance)
            self.assertAlmostEqual(ends[2] - ends[1], first + 0.00075, delta=tolerance)
            # The window begins at 50 ms and ends with the last measured step.
            self.assertLess(abs(found["engines"][engine]["throughput"] * (first + 0.00075) - 1), 0.01)
            self.assertEqual(len(found["engines"][engine]["completions"]), 2 * 3)

    def test_two_workers(self):
        found = self.predict("--engine", "fair-share", "--starts", "3")
        self.assertAlmostEqual(found["measured"]["throughput"], 2 / 0.072, 6)
        spread = found["engines"]["fair-share"]["spread"]
        self.assertEqual(spread["starts"], 3)
        self.assertLess(spread["low"], spread["high"])
        self.assertEqual(len(found["engines"]["fair-share"]["completions"]), 2 * 2 * 3)

    def test_match(self):
        """Steps of the model itself on links of 980 Mbit/s are 2 % off, those on links of 1 Gbit/s are not."""
        for rate, expected in ((1000e6, 0), (980e6, 2)):
            run = measured.read_run(self.stem + ".json")
            offsets = convert.start_offsets(run)
            predict.convert(run, self.root)
            predict.predict(PROGRAM, run, "fair-share", self.root, "fair-share", offsets, None)
            run.rate = rate
            steps = predict.predict(PROGRAM, run, "fair-share", self.root, "slow", offsets, None).steps
            with mock.patch.object(match, "step_times", lambda _, *key, steps=steps: steps[key]):
                found = match.match(PROGRAM, run, self.root, "fair-share")
            self.assertAlmostEqual(float(found["links_slower_percent"]), expected, 2)
            self.assertEqual(found["steps"], "5")  # all but the last one of the worker who began later
        done = self.run_tool(self.stem + ".json", "--program", PROGRAM, "--engine=fair-share", "--starts=1")
        self.assertRegex(done.stdout, r"\nmade-up +5 ")

    def test_measured_runs(self):
        folder = os.path.join(SHARED, "testbed")
        if not os.path.isdir(folder):
            self.skipTest(f"there are no measured runs: {folder} (DML_SHARED names the folder above)")
        names = sorted(n for n in os.listdir(folder) if n.endswith(".json"))
        done = self.run_tool(*(os.path.join(folder, n) for n in names), "--program", PROGRAM,
                             "--engine", "fair-share", "--starts", "1", "--out", "o")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.root, "o", "report.json"), encoding="utf-8") as file:
            for run in json.load(file)["runs"]:
                limit = 0.01 if run["workers"] == 1 else 0.1
                self.assertLess(abs(run["engines"]["fair-share"]["error"]), limit, run["run"])
                self.assertLess(abs(float(run["matched"]["links_slower_percent"])), 2, run["run"])
                if run["measured"]["summary"]:
                    self.assertAlmostEqual(run["measured"]["throughput"],
                                           run["measured"]["summary"], 9)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Test of tools/profile-torch: measures small inputs of real models and checks the profiles.

Exit codes: 0 passed, 1 failed, 77 skipped because PyTorch, torchvision or PyYAML is missing."""

import graphlib
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "..", "..", "tools", "profile-torch")
SKIPPED = 77

# A model of the user's own: a shared weight is no problem, a frozen parameter is not sent, a branch
# that nothing reads is harmless, and one module runs twice.
OWN_MODEL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(6, 6)
        self.twice = torch.nn.Linear(6, 6)
        self.frozen = torch.nn.Linear(6, 6)
        self.frozen.requires_grad_(False)
        self.nothing = torch.nn.Identity()

    def forward(self, x):
        a = self.first(x)
        b = self.nothing(self.twice(a))
        unused = torch.exp(a)
        return a + self.twice(self.frozen(b))

def make(batch):
    return Net(), [torch.randn(batch, 6)], lambda output: output.square().sum()
"""


# Layers whose bytes are known: the first one's parameters outweigh the rest.
MEMORY_MODEL = """
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(60, 20)
        self.frozen = torch.nn.Linear(20, 10)
        self.frozen.requires_grad_(False)

    def forward(self, x):
        a = torch.tanh(self.first(x))
        unused = torch.exp(a)
        return self.frozen(a)

def make(batch):
    return Net(), [torch.randn(batch, 60)], lambda output: output.square().sum()
"""


def find_python():
    """A Python that has what the tool and this test need."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3", shutil.which("python3")]):
        if python and subprocess.run([python, "-c", "import torch, torchvision, yaml"], check=False,
                                     stderr=subprocess.DEVNULL).returncode == 0:
            return python
    return None


class ProfileTorch(unittest.TestCase):
    """Runs the tool; unittest calls the methods."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, os.path.abspath(TOOL), *arguments],
                              cwd=self.folder.name, capture_output=True, text=True, check=False)

    def profile(self, *arguments):
        """The profile that the tool writes, with its ops by name."""
        path = os.path.join(self.folder.name, "profile.yaml")
        done = self.run_tool(*arguments, "--threads", "1", "--device", "cpu", "--out", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(path, encoding="utf-8") as file:
            profile = yaml.safe_load(file)
        ops = {op["name"]: op for op in profile["ops"]}
        self.check(profile, ops)
        for op in ops.values():  # the tests below are of times: without what memory adds to deps
            layer = op["name"].partition("/")[2].partition("#")[0]
            if op["kind"] == "backward" and op["deps"][-1] == f"forward/{layer}" and (
                    len(op["deps"]) > 1):
                op["deps"].pop()
        return profile, ops

    def check(self, profile, ops):
        """What holds for every profile."""
        self.assertEqual(profile["schema"], "dml-profile/3")
        self.assertEqual(len(ops), len(profile["ops"]), "op names are not unique")
        tensors = [tensor["name"] for tensor in profile["tensors"]]
        self.assertEqual(len(tensors), len(set(tensors)))
        order = graphlib.TopologicalSorter({n: op.get("deps", []) for n, op in ops.items()})
        self.assertEqual(set(order.static_order()), set(ops))  # raises on a cycle
        steps = profile["source"]["steps"]
        for op in ops.values():
            transfer = op["kind"] in ("pull", "push")
            self.assertEqual(len(op.get("samples", [])), 0 if transfer else steps, op["name"])
            self.assertTrue(all(s >= 0 for s in op.get("samples", [])), op["name"])
            self.assertEqual("tensor" in op, transfer or op["kind"] == "update")
        for name in tensors:
            for kind, before in (("push", "accumulate"), ("update", "push")):
                self.assertEqual(ops[f"{kind}/{name}"]["deps"], [f"{before}/{name}"])
            self.assertEqual(ops[f"pull/{name}"]["tensor"], name)
            self.assertTrue(any(f"pull/{name}" in op.get("deps", []) for op in ops.values()))

    def check_time(self, profile, ops):
        """Forward and backward add up to about what a step takes without instruments."""
        totals = [sum(op["samples"][i] for op in ops.values()
                      if op["kind"] in ("forward", "backward"))
                  for i in range(profile["source"]["steps"])]
        factor = statistics.median(totals) / profile["source"]["plain_step_seconds"]
        self.assertGreater(factor, 0.5)
        self.assertLess(factor, 1.5)

    def test_fused(self):
        table = os.path.join(self.folder.name, "fused.csv")
        _, ops = self.profile("--model", "squeezenet1_1", "--batch", "1", "--input", "3,64,64",
                              "--steps", "1", "--warmup", "1", "--fused", table)
        with open(table, encoding="utf-8") as file:
            head, *rows = (line.strip().split(",") for line in file)
        self.assertEqual(head, ["first", "second", "seconds"])
        for first, second, seconds in rows:  # which are there depends on the machine
            self.assertEqual(ops[first]["kind"], ops[second]["kind"])
            self.assertIn(first, ops[second]["deps"])
            self.assertGreaterEqual(float(seconds), 0)

    def test_residual_network(self):
        profile, ops = self.profile("--model", "resnet18", "--batch", "4", "--input", "3,96,96",
                                    "--steps", "5", "--clock", "cpu")
        self.check_time(profile, ops)
        self.assertEqual(profile["batch_size"], 4)
        # torchvision's resnet18 has 11689512 parameters of 4 bytes in 62 tensors
        self.assertEqual(sum(t["bytes"] for t in profile["tensors"]), 4 * 11689512)
        self.assertEqual(len(profile["tensors"]), 62)
        # the first block adds its input, the third one a convolution of its input
        self.assertEqual(sorted(ops["forward/layer1.0.add"]["deps"]),
                         ["forward/layer1.0.bn2", "forward/maxpool"])
        self.assertEqual(sorted(ops["forward/layer2.0.add"]["deps"]),
                         ["forward/layer2.0.bn2", "forward/layer2.0.downsample.1"])
        # and its gradient comes back from both branches
        self.assertEqual(sorted(ops["backward/maxpool"]["deps"]),
                         ["backward/layer1.0.add", "backward/layer1.0.conv1"])
        joins = [n for n, op in ops.items() if op["kind"] == "forward"
                 and sum(d.startswith("forward/") for d in op["deps"]) >= 2]
        self.assertEqual(len(joins), 8)  # one per block
        self.assertIn("pull/conv1.weight", ops["forward/conv1"]["deps"])
        # the bias of a linear layer is ready before autograd is done with the layer
        self.assertEqual(ops["accumulate/fc.bias"]["deps"], ["backward/fc#1"])

    def test_concatenated_branches(self):
        _, ops = self.profile("--model", "squeezenet1_1", "--batch", "2", "--input", "3,64,64",
                              "--steps", "2", "--clock", "cpu")
        self.assertEqual(ops["forward/features.3.cat"]["deps"],
                         ["forward/features.3.expand1x1_activation",
                          "forward/features.3.expand3x3_activation"])
        self.assertEqual(ops["backward/features.3.squeeze_activation"]["deps"],
                         ["backward/features.3.expand3x3", "backward/features.3.expand1x1"])

    def test_own_model(self):
        with open(os.path.join(self.folder.name, "own.py"), "w", encoding="utf-8") as file:
            file.write(OWN_MODEL)
        profile, ops = self.profile("--model", "own:make", "--batch", "5", "--steps", "2")
        # 6 x 6 weights and 6 biases, 4 bytes each; the frozen layer's are not sent
        sizes = {t["name"]: t["bytes"] for t in profile["tensors"]}
        self.assertEqual(sizes, {"first.weight": 144, "first.bias": 24,
                                 "twice.weight": 144, "twice.bias": 24})
        self.assertEqual([n for n in ops if n.startswith("forward/")],
                         ["forward/first", "forward/twice", "forward/exp", "forward/frozen",
                          "forward/twice(2)", "forward/add", "forward/loss.square",
                          "forward/loss.sum"])
        self.assertEqual(ops["forward/frozen"]["deps"], ["forward/twice"])
        self.assertEqual(ops["forward/add"]["deps"], ["forward/first", "forward/twice(2)"])
        # a gradient is complete only after both uses
        self.assertTrue(any(d.startswith("backward/twice(2)")
                            for d in ops["accumulate/twice.weight"]["deps"]))
        self.assertTrue(any(d.startswith("backward/twice") and "(2)" not in d
                            for d in ops["accumulate/twice.weight"]["deps"]))
        self.assertFalse(any(n.startswith("backward/exp") for n in ops))

    def test_memory(self):
        with open(os.path.join(self.folder.name, "memory.py"), "w", encoding="utf-8") as file:
            file.write(MEMORY_MODEL)
        profile, ops = self.profile("--model", "memory:make", "--batch", "5", "--steps", "1")
        # 5 samples of 60 floats; the frozen layer has 20 * 10 weights and 10 biases
        self.assertEqual(profile["input_bytes"], 5 * 60 * 4)
        self.assertEqual(profile["resident_bytes"], (20 * 10 + 10) * 4)

        def held(key):
            return {n.partition("/")[2]: op[key] for n, op in ops.items()
                    if op["kind"] == "forward" and key in op}

        # first keeps the input alone, which is none of it; tanh its result, 5 * 20 floats; exp
        # its own, but nothing goes back through it; frozen keeps its weight, square its input,
        # 5 * 10 floats, which nobody has kept before
        self.assertEqual(held("activation_bytes"), {"tanh": 400, "loss.square": 200})
        self.assertEqual(held("output_bytes"), {"first": 400, "tanh": 400, "exp": 400,
                                                "frozen": 200, "loss.square": 200, "loss.sum": 4})
        # at most the tensors and their gradients, what is kept and a handful of temporaries
        everything = sum(t["bytes"] for t in profile["tensors"])
        least = 2 * everything + profile["resident_bytes"] + profile["input_bytes"]
        self.assertGreater(profile["source"]["peak_bytes"], least)
        self.assertLess(profile["source"]["peak_bytes"], least + 10 * 400)

    def test_bad_options(self):
        for arguments, message in (
                (["--model", "resnet19"], "did you mean"),
                (["--model", "nowhere:make"], "No module named 'nowhere'"),
                (["--model", "resnet18", "--batch", "0"], "--batch"),
                (["--model", "resnet18", "--clock", "cpu", "--threads", "2", "--device", "cpu"],
                 "accepted with it: --device cpu --threads 1")):
            done = self.run_tool(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    PYTHON = find_python()
    if not PYTHON:
        print("skipped: profile-torch needs python3-torch, python3-torchvision and python3-yaml")
        sys.exit(SKIPPED)
    if PYTHON != sys.executable:
        os.execv(PYTHON, [PYTHON, *sys.argv])
    import yaml
    unittest.main()

#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""tools/profile-torch where there is no PyTorch: its help and its complaints about options work."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOL = os.path.join(HERE, "..", "..", "tools", "profile-torch")


class WithoutTorch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        # what Python finds instead of PyTorch, whether that is installed or not
        with open(os.path.join(folder.name, "torch.py"), "w", encoding="utf-8") as file:
            file.write("raise ImportError('no PyTorch here')\n")
        self.environment = dict(os.environ, PYTHONPATH=folder.name)

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, TOOL, *arguments], env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def test_help(self):
        for option in ("--help", "-h"):
            done = self.run_tool(option)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("usage: profile-torch", done.stdout)
            self.assertEqual(done.stderr, "")

    def test_wrong_option(self):
        done = self.run_tool("--model", "alexnet", "--batch", "0")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--batch", done.stderr)

    def test_measuring_needs_it(self):
        done = self.run_tool("--model", "alexnet")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "profile-torch: PyTorch >= 1.13 is needed (Debian: "
                                      "python3-torch): no PyTorch here\n")


if __name__ == "__main__":
    unittest.main()

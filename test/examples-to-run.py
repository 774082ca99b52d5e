#! /usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The examples that ns-3's test.py runs: command, whether it is run, whether under valgrind. The program
`dml` and dml-own-trace-format need files from the user."""

cpp_examples = [
    ("dml-csma-campus --steps=3", "True", "False"),
    ("dml-gpu-batch-size", "True", "True"),
    ("dml-speed-predictors --warmup=100 --iterations=110 --replications=1", "True", "False"),
    ("dml-stream-order --sizes=3MB,1MB --window=1MB", "True", "False"),
    ("dml-two-workers", "True", "True"),
]

python_examples = []

# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Timelines and traces that dml's engines write."""

import glob
import os
import random


class Job:
    """A random job of one worker and one server, and what it runs on."""

    def __init__(self, draw, number):
        self.engine = ("fair-share", "packet")[number % 2]
        self.parallel = number // 2 % 2 == 1
        self.trace = number // 4 % 3 == 2  # else a timeline
        self.kbps = int(10 ** draw.uniform(5, 6.7))
        per_byte = 8e-3 / self.kbps
        self.alpha = float(f"{10 ** draw.uniform(-1.5, 0.5) * per_byte:.4g}")
        self.beta = float(f"{10 ** draw.uniform(-5, -3.7):.4g}")
        self.delay = int(10 ** draw.uniform(0.7, 2.5))  # us
        self.steps = draw.randint(1, 8)
        count = draw.randint(5, 16)
        self.sizes = [int(10 ** draw.uniform(2.5, 6)) for _ in range(count)]
        transfer = sum(self.sizes) * per_byte
        self.computes = [10 ** draw.uniform(-1.5, 0.5) * transfer / count for _ in range(count)]
        self.samples = draw.randint(1, 5)
        self.jitter = draw.uniform(0, 0.2)
        self.seed = number + 1

    def profile(self, draw):
        """Text of the profile: layers forward, then back with a push each."""
        text = ["schema: dml-profile/1", "model: random", "batch_size: 1", "source: {made_by: draw}",
                "tensors:"]
        text += [f"  - {{name: t{i}, bytes: {size}}}" for i, size in enumerate(self.sizes)]
        text += ["ops:"]
        text += [f"  - {{name: pull/t{i}, kind: pull, tensor: t{i}}}" for i in range(len(self.sizes))]

        def samples(mean):
            values = (mean * draw.uniform(1 - self.jitter, 1 + self.jitter)
                      for _ in range(self.samples))
            return ", ".join(f"{value:.9f}" for value in values)
        before = ""
        for i, mean in enumerate(self.computes):
            text.append(f"  - {{name: f{i}, kind: forward, deps: [pull/t{i}{before}], "
                        f"samples: [{samples(mean)}]}}")
            before = f", f{i}"
        for i in reversed(range(len(self.sizes))):
            text.append(f"  - {{name: b{i}, kind: backward, deps: [{before[2:]}], "
                        f"samples: [{samples(2 * self.computes[i])}]}}")
            before = f", b{i}"
            text.append(f"  - {{name: push/t{i}, kind: push, tensor: t{i}, deps: [b{i}]}}")
        return "\n".join(text) + "\n"

    def scenario(self):
        """Text of the scenario."""
        return f"""name: random
seed: {self.seed}
replications: 1
job: {{profile: profile.yaml, workers: 1, steps: {self.steps + 1}, warmup: 0}}
overhead: {{alpha: {self.alpha}, beta: {self.beta}, parallel: {str(self.parallel).lower()}}}
network: {{rate: {self.kbps}kbps, delay: {self.delay}us}}
fair_share: {{one_way_delay: 0s}}
output: {{timeline: {self.steps}, trace: true, plots: false}}
"""


def run(program, folder, number):
    """Make, run, fit and compare one job."""
    draw = random.Random(1000003 * number + 29)
    job = Job(draw, number)
    for name, text in (("profile.yaml", job.profile(draw)), ("scenario.yaml", job.scenario())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    results = os.path.join(folder, "results")
    program.call("run", os.path.join(folder, "scenario.yaml"), f"--engine={job.engine}", "--out",
                 results)
    if job.trace:
        arguments = ["dml-trace", os.path.join(results, "trace.json")]
    else:
        arguments = ["tf-timeline", *sorted(glob.glob(os.path.join(results, "timelines", "*"))),
                     "--sizes", os.path.join(folder, "profile.yaml")]
    keys = program.fit({"rate": job.kbps, "alpha": job.alpha, "beta": job.beta}, *arguments)
    return {**keys, "truth": job.parallel, "engine": job.engine}

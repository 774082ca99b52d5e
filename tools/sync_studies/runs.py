#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Runs of the studies of synchronisation, and the settings that they have in common."""

import os
import subprocess
from dataclasses import dataclass

from order_studies.runs import Run
from sync_studies.results import read_steps
from testbed_compare.errors import PredictionError
from validation_study.runs import is_finished, run
from validation_study.settings import DELAYED_ACK, ROOT, nanoseconds

PACKET_SCALE = 1 / 32
SMALL_BUFFERS = ("network.tcp.send_buffer=64KiB", "network.tcp.receive_buffer=128KiB")


@dataclass(frozen=True)
class EngineRun(Run):
    """A run of one engine or both."""

    engine: str = "both"

    def all_settings(self, _root):
        """KEY=VALUE; `root` is the folder of the study's results."""
        return self.settings

    def do(self, program, root, jobs):
        run(program, self.path, os.path.join(root, self.name), jobs, self.all_settings(root),
            self.engine)


@dataclass(frozen=True)
class RateRun(EngineRun):
    """One in which a link gets slower when a step begins; another run without that says when."""

    first: str = ""  # name of that run
    step: int = 0
    link: str = ""
    rate: str = ""

    def fault(self, seconds):
        return (f"faults=[{{rate: {self.rate}, at: {nanoseconds(seconds)}, "
                f"link: {self.link}}}]")

    def all_settings(self, root):
        steps = read_steps(os.path.join(root, self.first))
        return (*self.settings, self.fault(steps.start(self.step)))


@dataclass(frozen=True)
class OptionalRun(EngineRun):
    """One with a key that the program may not have; without it there are no results."""

    def do(self, program, root, jobs):
        folder = os.path.join(root, self.name)
        if not is_finished(folder) and not self.is_accepted(program):
            print(f"{folder}: left out, as the program does not accept its settings")
            return
        super().do(program, root, jobs)

    def is_accepted(self, program):
        status = subprocess.run(
            [program, "check", self.path, *("--set=" + text for text in self.settings)],
            capture_output=True, check=False, env=dict(os.environ, DML_ROOT=ROOT)).returncode
        if status not in (0, 2):
            raise PredictionError(f"{self.name}: the check stopped with status {status}")
        return status == 0


def packet_scale(scale=PACKET_SCALE):
    """The job at a scale, and TCP's part of it."""
    return (f"job.scale={scale!r}",
            f"network.tcp.delayed_ack_timeout={nanoseconds(DELAYED_ACK * scale)}")


def shards(count):
    """A server on every worker's host."""
    return (f"job.parameter_servers={count}",
            "network.colocate={%s}" % ", ".join(f"ps{i}: worker{i}" for i in range(count)))


def same_step(workers, sample=4):
    """All workers replay one measured step: number 4 of Inception-v3 is nearest to the mean."""
    return f"job.sampling={[[sample]] * workers}"

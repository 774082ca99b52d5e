#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Jobs of Prophet's evaluation with the measured steps of our profiles, so that runs differ by seed:
what its studies share."""

import os
from dataclasses import dataclass

from order_studies.runs import Run
from study_intervals import Mean
from validation_study.settings import ROOT

WORKERS = 3
REPLICATIONS = 5
PACKET_REPLICATIONS = 3
RATE = "3Gbps"  # of the paper's Table 3: its ResNet-50 is that of Table 2 at this rate


@dataclass(frozen=True)
class Job:
    """A model, and how long a sample takes on the paper's GPUs."""

    profile: str  # in scenarios/
    per_sample: float  # s
    batches: tuple

    @property
    def path(self):
        return os.path.join(ROOT, "scenarios", self.profile)


# ResNet-50 and ResNet-18: the rates without a bottleneck, 72.83 (Table 2) and 220 samples/s (section 5.3).
# Inception-v3: as much slower than ResNet-50 as on our CPU, 2241 ms against 1338 for four samples.
JOBS = {
    "resnet18": Job("prophet/resnet18-b8.yaml", 1 / 220, (16, 64)),
    "resnet50": Job("profiles/resnet50-b4.yaml", 1 / 72.83, (16, 32, 64)),
    "inception-v3": Job("profiles/inception-v3-b4.yaml", 2241 / 1338 / 72.83, (16, 32, 64)),
}


def make_run(name, model, *settings, engine="fair-share", rate=RATE):
    """A step computes as one of the measured ones, drawn for each worker and step. `rate` is None where
    the settings sweep it."""
    job = JOBS[model]
    return Run(name, "prophet", (f"name=prophet-{name}", f"job.profile={os.path.relpath(job.path)}",
                                 f"job.workers=[{WORKERS}]", "job.sampling=random",
                                 f"job.devices={{M60: {{per_sample: {1e6 * job.per_sample:.0f}us}}}}",
                                 f"replications={REPLICATIONS}",
                                 f"packet.replications={PACKET_REPLICATIONS}",
                                 *([f"network.rate={rate}"] if rate else []),
                                 "output.plots=false", "output.trace=false", *settings), engine)


def per_worker(case):
    """samples/s of a worker, of each replication."""
    return [each / case.workers for each in case.throughputs]


def rate_text(values):
    """Mean and half the 95 % interval."""
    return Mean.of(values).text()

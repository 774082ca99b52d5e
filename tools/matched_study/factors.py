#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What the study of matched comparisons varies, and the scenario keys of one cell."""

import itertools
import os
from dataclasses import asdict, dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROFILES = os.path.join(ROOT, "scenarios", "profiles")

# model: its profile, the bytes of its tensors, and the seconds that a step computes on the profile's device
MODELS = {
    "mobilenet-v2": ("mobilenet-v2-b8", 14_019_488, 5.547),
    "googlenet": ("googlenet-b8", 52_019_552, 1.308),
    "resnet50": ("resnet50-b4", 102_228_128, 1.390),
    "inception-v3": ("inception-v3-b4", 108_645_056, 2.215),
    "alexnet": ("alexnet-b8", 244_403_360, 0.553),
    "vgg11": ("vgg11-b4", 531_453_344, 2.488),
}
WORKERS = (1, 2, 4, 8, 16)
SERVERS = (1, 2, 4, 8)
RATES = (1, 10, 25)  # Gbit/s
# Bytes of a step of one worker over the rate, by the seconds that the step computes: all devices are as fast as that.
RATIOS = (0.25, 1, 4)
# Fair queues, or a FIFO of this size. Those of 64KB, which have no room for a burst, and "1MB-packets" drop single
# packets; the others take and drop bursts as a whole, which takes a fourth of the CPU time.
PORTS = {
    "fair": ("{fair: 0B}", True),
    "64KB": ("{drop_tail: 64KB}", False),
    "250KB": ("{drop_tail: 250KB, whole_bursts: true}", True),
    "1MB": ("{drop_tail: 1MB, whole_bursts: true}", True),
    "1MB-packets": ("{drop_tail: 1MB}", False),
    "4MB": ("{drop_tail: 4MB, whole_bursts: true}", True),
}
FAR_DELAY = {"equal": None, "far": "1ms"}  # one way, of the link of worker 0; of all others: 10 us
FASTEST_DEVICE = 1000  # times that of the profile
PARAMETER_SERVERS = ("async", "bsp")
ALL_REDUCE = ("ring", "halving-doubling")
MODES = PARAMETER_SERVERS + ALL_REDUCE

# How long a cell is. Steps that end in rounds differ little, so that there are fewer of them.
BYTES_OF_A_RUN = {"async": 10e9, "bsp": 4e9, "ring": 4e9, "halving-doubling": 4e9}
STEPS = {"async": (4, 24), "bsp": (3, 12), "ring": (3, 12), "halving-doubling": (3, 12)}  # least, most
WARMUP = 2
PACKET_RUNS = {"async": 5, "bsp": 4, "ring": 4, "halving-doubling": 4}
FAIR_SHARE_RUNS = 200  # they cost a second or two, and add nothing to the interval
# Bytes of tensors in a second of CPU, as measured, with bursts and with single packets
PACKET_SPEED = {True: 380e6, False: 94e6}


@dataclass(frozen=True)
class Cell:
    """One combination of the factors."""

    model: str
    mode: str
    workers: int
    servers: int
    rate: int  # Gbit/s
    ratio: float
    port: str
    rtt: str

    @property
    def name(self):
        """Names its folder and its row."""
        return (f"{self.model}-{self.mode}-w{self.workers}-m{self.servers}-{self.rate}g-r{self.ratio}"
                f"-{self.port}-{self.rtt}").lower()

    @property
    def collective(self):
        return self.mode in ALL_REDUCE

    @property
    def step_bytes(self):
        """Bytes of tensors that all workers together send and receive in a step."""
        size = MODELS[self.model][1]
        if self.collective:
            return 2 * (self.workers - 1) * size
        return 2 * self.workers * size

    @property
    def bursts(self):
        """Whether packets travel as bursts."""
        return PORTS[self.port][1]

    @property
    def measured_steps(self):
        """Steps of each worker behind the warm-up."""
        least, most = STEPS[self.mode]
        share = 1 if self.bursts else 0.4  # of the bytes: they cost more
        return min(most, max(least, round(share * BYTES_OF_A_RUN[self.mode] / self.step_bytes)))

    @property
    def device_speed(self):
        """How many times as fast as that of the profile the devices are."""
        _, _, seconds = MODELS[self.model]
        return self.ratio * seconds / (self.step_bytes / self.workers * 8 / (self.rate * 1e9))

    @property
    def cpu_seconds(self):
        """The expected CPU time of all packet runs of the cell."""
        steps = WARMUP + self.measured_steps
        return PACKET_RUNS[self.mode] * steps * self.step_bytes / PACKET_SPEED[self.bursts]

    def row(self):
        return asdict(self)

    def settings(self):
        """The keys by path."""
        job = {
            "job.profile": os.path.join(PROFILES, MODELS[self.model][0] + ".yaml"),
            "job.workers": self.workers,
            "job.steps": WARMUP + self.measured_steps,
            "job.warmup": WARMUP,
            "replications": FAIR_SHARE_RUNS,
            "packet.replications": PACKET_RUNS[self.mode],
            "network.rate": f"{self.rate}Gbps",
            "job.devices": f"{{accelerator: {{speed: {self.device_speed:.6g}}}}}",
            "network.queue": PORTS[self.port][0],
            "network.tcp.trains": self.bursts,
        }
        if self.collective:
            job["job.protocol"] = "all-reduce"
            job["job.all_reduce"] = f"{{algorithm: {self.mode}}}"
        else:
            job["job.parameter_servers"] = self.servers
            job["job.sync"] = self.mode
            job["job.server_devices"] = "accelerator"
        if FAR_DELAY[self.rtt]:
            job["network.hosts"] = f"{{worker0: {{delay: {FAR_DELAY[self.rtt]}}}}}"
        return job


def all_cells():
    """Every combination that means something, with devices that dml accepts."""
    return (cell for cell in combinations() if cell.device_speed <= FASTEST_DEVICE)


def combinations():
    for model, rate, ratio, port, rtt, workers in itertools.product(MODELS, RATES, RATIOS, PORTS, FAR_DELAY, WORKERS):
        for mode, servers in itertools.product(PARAMETER_SERVERS, SERVERS):
            if mode == "async" or workers > 1:  # one worker waits for nobody
                yield Cell(model, mode, workers, servers, rate, ratio, port, rtt)
        if workers > 1:
            for mode in ALL_REDUCE:
                yield Cell(model, mode, workers, 1, rate, ratio, port, rtt)

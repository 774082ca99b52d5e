#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What is measured: one row for each thing, with its budget.

Budgets and how each is measured are those of the design's section 6; the last rows have none. How
programs are run is in lab.py, what rows with several steps do in procedures.py."""

from dataclasses import dataclass
from typing import Callable, Optional

from bench_report import procedures


@dataclass(frozen=True)
class Budget:
    """A limit, in the unit of the row."""

    sense: str  # ">=" or "<="
    limit: float

    def ratio(self, value):
        """The value in budgets."""
        return value / self.limit

    def is_met(self, value):
        return value >= self.limit if self.sense == ">=" else value <= self.limit


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str  # for --only, and in JSON
    group: str  # a name for several rows, likewise
    what: str  # at most 27 characters
    measure: str  # the unit of the value, at most 16 characters
    how: str  # in a sentence
    run: Callable  # of a Lab; returns the Sample
    budget: Optional[Budget] = None
    wall_time: bool = False  # it says little while others use the processors
    scale: float = 1  # the table shows the value times this, in the unit of `measure`


def _loop(name, what, benchmark, measure, scale, how):
    return Row("loop-" + name, "loops", what, measure, how,
               lambda lab: procedures.loop(lab, benchmark), scale=scale)


def _workers(sharing):
    return Row(f"fair-share-workers-{sharing}", "fair-share", f"W=4096 / W=8, {sharing}",
               "CPU per op", "CPU seconds per op with 4096 workers, 3 steps each, over those with 8 "
               f"workers for as many ops; sharing {sharing}, 1 server; pairs",
               lambda lab: procedures.fair_share_workers(lab, sharing), Budget("<=", 4))


def _ring(workers, bucket, buckets):
    return Row(f"ring-{workers}", "ring", f"ring, W={workers}, {buckets} buckets", "M ops/CPU-s",
               "ops that the fair-share engine completes in a CPU second with all-reduce on a ring, "
               f"max-min sharing on a star: ResNet-50 in {buckets} buckets, {workers} workers; "
               "a message is sent and received: two ops",
               lambda lab: procedures.ring_speed(lab, workers, bucket), scale=1e-6)


ROWS = (
    Row("fair-share-speed", "fair-share", "fair-share speed, W=8", "M ops/CPU-s",
        "ops of the profile that the fair-share engine completes in a CPU second, on one core: "
        "ResNet-50 (697 ops a step), 8 asynchronous workers, 1 server",
        procedures.fair_share_speed, Budget(">=", 7e6), scale=1e-6),
    Row("fair-share-memory", "fair-share", "fair-share memory, W=8", "MB peak RSS",
        "largest resident set of the process of fair-share-speed, in 10^6 bytes",
        procedures.fair_share_memory, Budget("<=", 40e6), scale=1e-6),
    Row("fair-share-scaling-equal", "fair-share", "W=256 / W=8, equal", "CPU per op",
        "CPU seconds per op with 256 workers over those with 8; sharing equal, 1 server; pairs",
        lambda lab: procedures.fair_share_scaling(lab, "equal", 1), Budget("<=", 2)),
    Row("fair-share-scaling-max-min", "fair-share", "W=256 / W=8, max-min, 4 PS", "CPU per op",
        "the same with max-min sharing and 4 servers; pairs",
        lambda lab: procedures.fair_share_scaling(lab, "max-min", 4), Budget("<=", 8)),
    *(_workers(sharing) for sharing in ("equal", "max-min", "drop-tail", "fifo")),
    Row("fair-share-study", "fair-share", "  with a study's meters", "M ops/CPU-s",
        "as fair-share-speed, with all that `dml run` measures and writes but transfers.csv",
        procedures.study_speed, scale=1e-6),
    Row("fair-share-growth", "fair-share", "  memory, 10 x the steps", "peak RSS",
        "largest resident set of a run of fair-share-study over that of one with a tenth of the "
        "steps; pairs",
        procedures.study_memory),
    *(Row(f"burst-speed-{rate}", "bursts", f"bursts, W=8, {rate}bit/s", "GB per CPU-s",
          "bytes of tensors that the fair-share engine moves in a CPU second with the sharing rule bursts: "
          f"ResNet-50, 8 asynchronous workers, 1 server behind a drop-tail port of 1 MB, links of {rate}bit/s",
          lambda lab, rate=rate: procedures.burst_speed(lab, rate + "bps"), Budget(">=", 50e9), scale=1e-9)
      for rate in ("1G", "10G")),
    Row("burst-speed-segments", "bursts", "  of one segment each, 1G", "GB per CPU-s",
        "as burst-speed-1G where each segment is a burst of its own (network.tcp.gso: 0B)",
        lambda lab: procedures.segment_speed(lab, "1Gbps"), Budget(">=", 8e9), scale=1e-9),
    Row("burst-event", "bursts", "  an event, W=8, 1Gbit/s", "CPU ns",
        "CPU time of an event in the runs of burst-speed-1G: a burst or an ACK comes to a port or to its end",
        lambda lab: procedures.burst_event(lab, "1Gbps"), Budget("<=", 120e-9), scale=1e9),
    Row("burst-scaling", "bursts", "bursts, W=1024 / W=8", "CPU per event",
        "CPU time of an event with 1024 workers, links of 10 Gbit/s, a step each, over that with 8 workers; pairs",
        procedures.burst_scaling, Budget("<=", 3)),
    *(_ring(workers, bucket, buckets) for workers, bucket, buckets in
      ((8, 3, 54), (64, 3, 54), (256, 3, 54), (1024, 40, 5))),
    Row("ring-memory", "ring", "ring memory, W=1024", "MB peak RSS",
        "largest resident set of the process of ring-1024, in 10^6 bytes",
        lambda lab: procedures.ring_memory(lab, 1024, 40), scale=1e-6),
    Row("packet-overhead", "packet", "packets / BulkSend, W=1", "instructions",
        "instructions of the packet engine's simulation over those of BulkSend and PacketSink for "
        "the same bytes, links, queues and TCP settings, MTU 1500, 1 worker; callgrind",
        lambda lab: procedures.packet_overhead(lab, 1), Budget("<=", 1.02)),
    Row("packet-overhead-4", "packet", "packets / BulkSend, W=4", "instructions",
        "the same with 4 workers; callgrind",
        lambda lab: procedures.packet_overhead(lab, 4), Budget("<=", 1.02)),
    Row("packet-defaults", "packet", "packets / ns-3's defaults", "CPU per GB",
        "CPU seconds per simulated GB of the packet engine over those of BulkSend with all of "
        "ns-3's defaults (segments of 536 bytes, timestamps, fq_codel), MTU 1500, 4 workers; pairs",
        procedures.packet_defaults, Budget("<=", 0.6)),
    Row("packet-defaults-1448", "packet", "  with segments of 1448 B", "CPU per GB",
        "the same, but BulkSend's segments fill the MTU, too; pairs",
        lambda lab: procedures.packet_defaults(lab, "--segment=1448")),
    Row("packet-speed", "packet", "packet engine, W=4", "CPU-s per GB",
        "CPU seconds per simulated GB of the packet engine in the runs of packet-defaults",
        procedures.packet_speed),
    Row("tcmalloc", "packet", "glibc's malloc / tcmalloc", "CPU of packets",
        "CPU seconds of the packet engine in the runs of packet-speed, without and with tcmalloc, "
        "which `dml` is linked with; pairs",
        procedures.tcmalloc),
    Row("sweeps", "sweeps", "sweep, --jobs 2 / --jobs 1", "times faster",
        "wall time of `dml run --jobs 1` over that of `--jobs 2`: 8 cases of the packet engine, "
        "all alike in cost; pairs",
        procedures.sweeps, Budget(">=", 1.8), wall_time=True),
    Row("simgrid-agreement", "simgrid", "SimGrid - fair-share, W=1-4", "of a step",
        "largest difference of a step's duration, relative, over 10 steps of 1, 2, 3 and 4 workers "
        "with 1 server (equal) and 4 servers (max-min)",
        procedures.simgrid_agreement, Budget("<=", 1e-6)),
    Row("simgrid-speed", "simgrid", "SimGrid, W=8", "M ops/CPU-s",
        "ops that SimGrid completes in a CPU second: the job of fair-share-speed",
        procedures.simgrid_speed, scale=1e-6),
    Row("simgrid-ratio", "simgrid", "fair-share / SimGrid, W=8", "ops per CPU-s",
        "ops per CPU second of the fair-share engine over those of SimGrid; pairs",
        procedures.simgrid_ratio),
    Row("optimized-ns3", "ns3", "ns-3 of Debian / optimised", "CPU of packets",
        "CPU seconds of the packet engine with Debian's ns-3 over those with the one that "
        "`./dml build --optimized-ns3` makes; pairs",
        procedures.optimized_ns3),
    _loop("events", "event heap, 32 events", "HoldEvent/32", "M events/CPU-s", 1e-6,
          "take out the first event of the fair-share engine's heap and put in another"),
    _loop("equal", "equal sharing, W=8", "EndFlowEqual/8/1", "M flows/CPU-s", 1e-6,
          "one flow ends and another starts, half of all are active; 1 server"),
    _loop("equal-256", "equal sharing, W=256", "EndFlowEqual/256/1", "M flows/CPU-s", 1e-6,
          "the same with 256 workers"),
    _loop("max-min", "max-min, W=8, 4 PS", "EndFlowMaxMin/8/4", "M flows/CPU-s", 1e-6,
          "the same with max-min sharing, 8 workers, 4 servers"),
    _loop("max-min-256", "max-min, W=256, 4 PS", "EndFlowMaxMin/256/4", "M flows/CPU-s", 1e-6,
          "the same with 256 workers"),
    _loop("fifo", "policy fifo", "ServeStepFifo", "M tensors/CPU-s", 1e-6,
          "161 tensors become ready and are served"),
    _loop("http2-window", "policy http2-window", "ServeStepHttp2Window", "M tensors/CPU-s", 1e-6,
          "the same; the largest tensors take two turns"),
    _loop("ordered", "policies tic, tac", "ServeStepOrdered", "M tensors/CPU-s", 1e-6,
          "the same in an order"),
    _loop("credit", "policy bytescheduler", "ServeStepCredit", "M tensors/CPU-s", 1e-6,
          "the same with credits"),
    _loop("http2-pump", "HTTP/2, sender", "PumpTensor", "GB/CPU-s", 1e-9,
          "an HTTP/2 session makes the frames of 4 MB; zeros are counted only"),
    _loop("http2-both", "HTTP/2, both ends", "MoveTensor", "GB/CPU-s", 1e-9,
          "the same with real bytes, which another session receives in segments of 1448 bytes"),
    _loop("profile", "reading a profile", "ReadJob", "k ops/CPU-s", 1e-3,
          "the profile of fair-share-speed, with 8 samples of every op"),
    _loop("plan", "planning a step", "PlanStep", "M ops/CPU-s", 1e-6,
          "the plan of its step, 4 servers"),
    _loop("replay", "replay of a graph", "ReplayGraph/0", "M ops/CPU-s", 1e-6,
          "rings of 64 workers, a global data-flow graph of 1 M ops"),
    _loop("replay-dpro", "replay, dPRO's order", "ReplayGraph/1", "M ops/CPU-s", 1e-6,
          "again and again the device with the smallest device time"),
    _loop("critical-path", "critical path and slack", "FindPath", "M ops/CPU-s", 1e-6,
          "of that replay"),
)

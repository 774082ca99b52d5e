#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""What rows do to get their samples. The scaled-down sizes are for tests of the command."""

import os
import tempfile

from bench_report.errors import Unavailable
from bench_report.lab import PREFIX
from bench_report.sample import Sample, ratio_of_pairs



def fair_share(lab, workers, servers, sharing, steps, *options):
    """One run of the engine; `steps` are those of all workers together."""
    return lab.measure("dml-bench-fair-share", f"--workers={workers}", f"--servers={servers}",
                       f"--sharing={sharing}", f"--steps={max(1, steps // workers)}", *options)


def _fair_share_pairs(lab, sharing, servers):
    """Pairs of runs with 8 and with 256 workers that do as many ops."""
    steps = lab.scaled(16384 if sharing == "equal" else 4096, 256)
    return lab.once(("fair-share", sharing, servers), lambda: lab.pairs(
        lab.scaled(5, 1), lambda: fair_share(lab, 8, servers, sharing, steps),
        lambda: fair_share(lab, 256, servers, sharing, steps)))


def _with_8_workers(lab):
    return [small for small, _ in _fair_share_pairs(lab, "equal", 1)]


def fair_share_speed(lab):
    return Sample(tuple(run["ops_per_cpu_second"] for run in _with_8_workers(lab)))


def _bursts(lab, rate, *options, steps=160):
    """Runs with 8 workers of one server behind a port that drops."""
    return lab.once(("bursts", rate, options), lambda: [
        fair_share(lab, 8, 1, "bursts", lab.scaled(steps, 16), f"--rate={rate}", *options)
        for _ in range(lab.scaled(5, 1))])


def burst_speed(lab, rate):
    """Bytes of tensors in a CPU second."""
    return Sample(tuple(run["bytes"] / run["cpu_seconds"] for run in _bursts(lab, rate)))


def segment_speed(lab, rate):
    """The same where a burst is one segment."""
    runs = _bursts(lab, rate, "--segments=true", steps=16)
    return Sample(tuple(run["bytes"] / run["cpu_seconds"] for run in runs))


def _burst_event_seconds(run):
    return run["cpu_seconds"] / run["burst_events"]


def burst_event(lab, rate):
    """CPU seconds of an event."""
    return Sample(tuple(_burst_event_seconds(run) for run in _bursts(lab, rate)))


def burst_scaling(lab):
    """CPU of an event with 1024 workers, a step each, over that with 8."""
    large = lab.scaled(1024, 16)
    return ratio_of_pairs(
        lab.pairs(lab.scaled(3, 1), lambda: fair_share(lab, 8, 1, "bursts", lab.scaled(1024, 16)),
                  lambda: fair_share(lab, large, 1, "bursts", large)),
        _burst_event_seconds)


def fair_share_memory(lab):
    return Sample(tuple(run["peak_rss_bytes"] for run in _with_8_workers(lab)))


def fair_share_scaling(lab, sharing, servers):
    return ratio_of_pairs(_fair_share_pairs(lab, sharing, servers),
                          lambda run: run["cpu_seconds"] / run["ops"])


def fair_share_workers(lab, sharing):
    """CPU per op with 4096 workers of one server, 3 steps each, over that with 8 and as many ops."""
    workers = lab.scaled(4096, 64)
    return ratio_of_pairs(
        lab.pairs(lab.scaled(5, 1), lambda: fair_share(lab, 8, 1, sharing, 3 * workers),
                  lambda: fair_share(lab, workers, 1, sharing, 3 * workers)),
        lambda run: run["cpu_seconds"] / run["ops"])


def _rings(lab, workers, bucket):
    """Runs of a ring; a step of W workers sends 2 W^2 messages for each bucket."""
    workers = lab.scaled(workers, min(workers, 8))
    steps = max(1, lab.scaled(65536, 64) // workers**2)
    return lab.once(("ring", workers, bucket), lambda: [
        lab.measure("dml-bench-fair-share", f"--workers={workers}", f"--bucket={bucket}",
                    f"--steps={steps}") for _ in range(lab.scaled(3, 1))])


def ring_speed(lab, workers, bucket):
    return Sample(tuple(run["ops_per_cpu_second"] for run in _rings(lab, workers, bucket)))


def ring_memory(lab, workers, bucket):
    return Sample(tuple(run["peak_rss_bytes"] for run in _rings(lab, workers, bucket)))


def _study_pairs(lab):
    """Pairs of runs with all meters of a study, the second ten times as long as the first."""
    def run(steps):
        return fair_share(lab, 8, 1, "equal", steps, "--observers=study", "--transfers=false")
    steps = lab.scaled(1024, 64)
    return lab.once("study", lambda: lab.pairs(lab.scaled(3, 1), lambda: run(steps),
                                               lambda: run(10 * steps)))


def study_speed(lab):
    return Sample(tuple(run["ops_per_cpu_second"] for _, run in _study_pairs(lab)))


def study_memory(lab):
    return ratio_of_pairs(_study_pairs(lab), lambda run: run["peak_rss_bytes"])


def packet_overhead(lab, workers):
    """One pair: counts do not vary."""
    size = f"--bytes={lab.scaled(18_000_000, 100_000) // workers}B"
    options = (f"--workers={workers}", size, "--mtu=1500")
    ours, plain = lab.instructions(("dml-bench-packet", "--mode=dml", *options),
                                   ("dml-bench-packet", "--mode=bulk-send", *options))
    return Sample((ours / plain,))


def _packet(lab, mode, *options, **place):
    return lab.measure("dml-bench-packet", "--mode=" + mode, "--workers=4", "--mtu=1500",
                       f"--bytes={lab.scaled(10_000_000, 100_000)}B", *options, **place)


def _packet_pairs(lab, *options):
    """Pairs of ns-3 out of the box, with these options, and the packet engine."""
    return lab.once(("packet", options), lambda: lab.pairs(
        lab.scaled(5, 1), lambda: _packet(lab, "out-of-the-box", *options),
        lambda: _packet(lab, "dml")))


def packet_defaults(lab, *options):
    return ratio_of_pairs(_packet_pairs(lab, *options), lambda run: run["cpu_seconds_per_gb"])


def packet_speed(lab):
    return Sample(tuple(ours["cpu_seconds_per_gb"] for _, ours in _packet_pairs(lab)))


def sweeps(lab):
    """The same 8 cases, one at a time and two at a time."""
    if len(os.sched_getaffinity(0)) < 2:
        raise Unavailable("this machine has one core")
    scenario = os.path.join(lab.root, "scenarios", "alexnet-1gbps")
    settings = ("job.workers=[2]", f"job.scale={lab.scaled(0.005, 0.0005)}", "job.steps=8",
                "job.warmup=2", "network.mtu=1500", "sweep.network.delay=[10us, 20us, 30us, 40us]",
                "replications=2", "packet.replications=2", "output.plots=false",
                "output.trace=false")

    def seconds(jobs):
        with tempfile.TemporaryDirectory(prefix=PREFIX) as out:
            return lab.wall_seconds("run", scenario, "--engine=packet", f"--jobs={jobs}",
                                    *("--set=" + text for text in settings), "--out=" + out)
    pairs = lab.pairs(lab.scaled(3, 1), lambda: seconds(2), lambda: seconds(1))
    return ratio_of_pairs(pairs, lambda wall: wall)


def simgrid(lab, engine, workers, servers, sharing, steps):
    return lab.measure("dml-bench-simgrid", "--engine=" + engine, f"--workers={workers}",
                       f"--servers={servers}", "--sharing=" + sharing, f"--steps={steps}")


def simgrid_agreement(lab):
    steps = lab.scaled(10, 3)
    runs = [simgrid(lab, "both", workers, servers, sharing, steps)
            for servers, sharing in ((1, "equal"), (4, "max-min"))
            for workers in (1, 2, 3, 4)]
    return Sample((max(run["largest_difference"] for run in runs),))


def _simgrid_pairs(lab):
    """Pairs of SimGrid and the fair-share engine."""
    steps = lab.scaled(400, 3)
    return lab.once("simgrid", lambda: lab.pairs(
        lab.scaled(3, 1), lambda: simgrid(lab, "simgrid", 8, 1, "equal", steps),
        lambda: simgrid(lab, "fair-share", 8, 1, "equal", steps)))


def simgrid_speed(lab):
    return Sample(tuple(theirs["ops_per_cpu_second"] for theirs, _ in _simgrid_pairs(lab)))


def simgrid_ratio(lab):
    return ratio_of_pairs(_simgrid_pairs(lab), lambda run: run["ops_per_cpu_second"])


def optimized_ns3(lab):
    """Pairs of the two builds, whichever of them is measured otherwise."""
    optimized, default = (os.path.join(lab.root, name) for name in ("build-optimized", "build"))
    try:
        lab.program("dml-bench-packet", optimized)
    except Unavailable:
        raise Unavailable("there is no optimised ns-3 (./dml build --optimized-ns3)") from None
    pairs = lab.pairs(lab.scaled(5, 1), lambda: _packet(lab, "dml", folder=optimized),
                      lambda: _packet(lab, "dml", folder=default))
    return ratio_of_pairs(pairs, lambda run: run["cpu_seconds"])


def tcmalloc(lab):
    """Pairs of the same program with the two allocators: it is not linked with tcmalloc, as `dml` is."""
    library = lab.tcmalloc()
    pairs = lab.pairs(lab.scaled(5, 1), lambda: _packet(lab, "dml", preload=library), lambda: _packet(lab, "dml"))
    return ratio_of_pairs(pairs, lambda run: run["cpu_seconds"])


def loop(lab, benchmark):
    """Things that an inner loop does in a CPU second."""
    return lab.loop(benchmark)

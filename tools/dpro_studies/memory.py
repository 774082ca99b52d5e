#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fig. 2 and Tables 3 and 4: what fusing, recomputing and accumulating do to a step and its memory."""

import os
import re
from dataclasses import dataclass

from dpro_studies import profiles
from dpro_studies.results import Mean, paired
from dpro_studies.runs import (BUCKETS, NO_DEVICES, SEARCH, SPEED, MeasuredRun, dml, profile_path,
                               read_profile, run_variant)
from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple
from validation_study.settings import ROOT

NAME = "memory"
MODEL = "mobilenet-v2-b8"  # the only profile here that tells what its ops hold
WORKERS = 4
LIMIT = "350MB"  # what a worker has
NETWORK = ("network.rate=1Gbps", "network.mtu=9000", "fair_share.one_way_delay=20us")
WAYS = ("as it is", "fused", "recompute", "accumulate")
# dPRO's Table 3: GB, real and estimated, and the error in per cent; Table 4: ms and GB, of BERT Base
PAPER_PEAKS = {"BERT Base": (9.96, 10.25, 2.83), "ResNet50": (5.41, 5.71, 5.25),
               "InceptionV3": (3.91, 4.05, 3.46), "VGG16": (5.91, 5.83, -1.37)}
PAPER_WAYS = {"as it is": (622.12, 613.87, 16.42, 16.97), "recompute": (696.13, 672.60, 7.43, 7.20),
              "accumulate": (714.22, 708.57, 9.96, 10.25)}
CHOICE = re.compile(r"^(as it is|recompute|accumulate)\b(.*?) {2,}([\d.]+) +[-+][\d.]+ %", re.MULTILINE)
SHARE = 0.0012  # of a step that the picture shows an op of, at least


@dataclass(frozen=True)
class WaysRun(MeasuredRun):
    """A job that trains as it is, with all ops fused, recomputing, and accumulating."""

    name: str = "ways"
    scenario: str = os.path.join(ROOT, "scenarios", BUCKETS)

    def fit(self, program, folder, name, profile, jobs):
        """Writes the profile of the fastest way that fits into the memory, and says which it is."""
        path = os.path.join(folder, name + ".yaml")
        text = dml(program, "optimize", self.scenario, f"--memory={LIMIT}", "--check=none", "-o", path,
                   f"--jobs={jobs}", *(f"--set={each}" for each in (
                       *SEARCH, *NETWORK, *NO_DEVICES, f"job.workers={WORKERS}",
                       f"job.profile={profile}")))
        with open(os.path.join(folder, name + ".txt"), "w", encoding="utf-8") as file:
            file.write(text)
        return os.path.join(folder, name + ".profile.yaml")

    def work(self, program, folder, jobs):
        plain, fused, alone = (os.path.join(folder, name + ".yaml")
                               for name in ("plain", "fused", "alone"))
        profile = profiles.speed_up(read_profile(MODEL), SPEED)
        profiles.write_profile(profile, plain)
        profiles.write_profile(profiles.fuse_all(profile), fused)
        profiles.write_profile(profiles.alone(profile), alone)
        recomputing = self.fit(program, folder, "recompute", alone, jobs)
        accumulating = self.fit(program, folder, "accumulate", plain, jobs)
        with open(os.path.join(folder, "memory.txt"), "w", encoding="utf-8") as file:
            file.write(dml(program, "memory", profile_path(MODEL)))
        for way, path in zip(WAYS, (plain, fused, recomputing, accumulating), strict=True):
            run_variant(program, self.scenario, os.path.join(folder, "results", way), "both", jobs,
                        ("sweep={}", "replications=3", "packet.replications=3", "job.steps=6",
                         "job.warmup=1", f"job.workers={WORKERS}", f"job.profile={path}",
                         "output.trace=true", *NETWORK, *NO_DEVICES))


RUN = WaysRun()
RUNS = (RUN,)


def read_seconds(results):
    """{(way, engine): seconds a step of each replication}; a step has as many samples in each way."""
    found = {}
    for way in WAYS:
        batch = 1 if way == "recompute" else read_profile(MODEL)["batch_size"]
        for engine in ENGINES:
            rates = results.throughputs(RUN.name, way, engine)
            found[way, engine] = [batch * WORKERS / rate for rate in rates]
    return found


def read_peaks(results):
    """MB that `dml memory` says, by way, and the name of the way there."""
    text = results.text(RUN.name, "memory.txt")
    peaks = {way: (float(peak), way + more) for way, more, peak in CHOICE.findall(text)[::-1]}
    if set(peaks) != {"as it is", "recompute", "accumulate"}:
        raise InputError(f"{RUN.name}/memory.txt: found choices {', '.join(peaks)}; accepted is what "
                         "dml memory prints")
    return peaks


def chosen_peak(results, way):
    """(name, MB) of the way that `dml optimize` chose."""
    text = results.text(RUN.name, way + ".txt")
    name = re.search(r"^with (.*):$", text, re.MULTILINE)
    row = name and re.search(rf"^  {re.escape(name[1])} .* ([\d.]+)$", text, re.MULTILINE)
    if not row:
        raise InputError(f"{RUN.name}/{way}.txt: found no way that fits; accepted is what dml optimize "
                         "prints")
    return name[1], float(row[1])


def ways(results):
    """(name, MB) by way; what fuses ops has no memory told."""
    return {"as it is": ("as it is", read_peaks(results)["as it is"][0]),
            **{way: chosen_peak(results, way) for way in ("recompute", "accumulate")}}


def step_table(seconds):
    """Fig. 2 in numbers: ms, and what a way costs."""
    rows = [[way, *(Mean.of(seconds[way, engine]).text(1e3) for engine in ENGINES),
             *(Mean.of(new / old - 1 for old, new in zip(seconds["as it is", engine],
                                                         seconds[way, engine])).percent
               if way != "as it is" else "" for engine in ENGINES)] for way in WAYS]
    return simple(["step", *(f"{engine}, ms" for engine in ENGINES),
                   *(f"{engine}, %" for engine in ENGINES)], rows)


def way_table(seconds, found, measured):
    """Table 4: times of packets are real, and those of fair-share are estimated."""
    rows = [["MobileNetV2", name, Mean.of(seconds[way, "packet"]).text(1e3),
             Mean.of(seconds[way, "fair-share"]).text(1e3),
             f"{measured / 1e9:.3f}" if way == "as it is" else "-", f"{peak / 1e3:.3f}"]
            for way, (name, peak) in found.items()]
    rows += [["BERT, paper", way, f"{real:.1f}", f"{estimated:.1f}", f"{gb:.2f}",
              f"{estimated_gb:.2f}"]
             for way, (real, estimated, gb, estimated_gb) in PAPER_WAYS.items()]
    return simple(["model", "way", "real, ms", "est., ms", "GB", "est."], rows)


def peak_table(peak, measured):
    rows = [["MobileNetV2, batch 8, CPU", f"{measured / 1e9:.3f}", f"{peak / 1e3:.3f}",
             signed(1e6 * peak / measured - 1)]]
    rows += [[f"{model}, the paper", f"{real:.2f}", f"{estimated:.2f}", signed(error / 100)]
             for model, (real, estimated, error) in PAPER_PEAKS.items()]
    return simple(["model", "real, GB", "estimated, GB", "error, %"], rows)


def read_bars(path, step):
    """[(row, begin, end, colour)] of a step of worker 0 in packets, ms from its begin."""
    events = JsonFile(path).get("traceEvents")
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in events
             if event["name"] == "thread_name"}
    process = next(event["pid"] for event in events if event["name"] == "process_name"
                   and event["args"]["name"] == "packet worker 0")
    mine = [event for event in events if event.get("ph") == "X" and event["pid"] == process
            and event.get("args", {}).get("step") == step]
    whole = next(event for event in mine if event["name"] == f"step {step}")
    bars = []
    for event in mine:
        thread = names[process, event["tid"]]
        kind = event["name"].partition("/")[0]
        if thread == "collectives":
            row, colour = 0, 3
        elif kind in ("forward", "backward", "accumulate"):
            row, colour = 1, 0 if kind == "forward" else 1
        else:
            continue
        bars.append((row, (event["ts"] - whole["ts"]) / 1e3,
                     (event["ts"] + event["dur"] - whole["ts"]) / 1e3, colour))
    return merge(sorted(bars, key=lambda bar: (bar[0], bar[1])), SHARE * whole["dur"] / 1e3)


def merge(bars, gap):
    """Bars of a row and a colour that are closer than `gap` become one."""
    merged = []
    for row, begin, end, colour in bars:
        if merged and merged[-1][0] == row and merged[-1][3] == colour and begin - merged[-1][2] < gap:
            merged[-1] = (row, merged[-1][1], max(end, merged[-1][2]), colour)
        else:
            merged.append((row, begin, end, colour))
    return merged


def draw_steps(results, path, step=2):
    """Worker 0's device and network in one step, a pair of rows for each way."""
    commands, lines = "", []
    titles = {0: "forward", 1: "backward", 3: "all-reduce"}
    points = {colour: [] for colour in titles}
    for w, way in enumerate(WAYS):
        for row, begin, end, colour in read_bars(
                results.folder(RUN.name, "results", way, "trace.json"), step):
            y = 3 * (len(WAYS) - 1 - w) + row
            points[colour].append((begin, y, begin, end, y - 0.4, y + 0.4))
    for colour, rows in points.items():
        if rows:
            commands += block(f"c{colour}", rows)
            lines.append(f"$c{colour} using 1:2:3:4:5:6 with boxxyerror fs solid 0.9 noborder lc rgb "
                         f"'{COLOURS[colour]}' title '{titles[colour]}'")
    names = ", ".join(f"'{way}: device' {3 * (len(WAYS) - 1 - w) + 1}, "
                      f"'network' {3 * (len(WAYS) - 1 - w)}" for w, way in enumerate(WAYS))
    commands += (f"set ytics ({names})\nset yrange [-0.7:{3 * len(WAYS) - 0.2}]\nset xrange [0:*]\n"
                 "unset grid\nset grid xtics lc rgb '#DDDDDD'\nset key outside top center horizontal samplen 1\n"
                 "set xlabel 'ms from the begin of the step'\nplot " + ", ".join(lines) + "\n")
    return draw(path, 860, 460, commands)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    seconds, found = read_seconds(results), ways(results)
    measured = int(read_profile(MODEL)["source"]["peak_bytes"])
    peak = found["as it is"][1]
    values = {"peak-error": signed(1e6 * peak / measured - 1), "limit": LIMIT.removesuffix("MB")}
    for way in WAYS[1:]:
        values[f"{way}-packet"] = Mean.of(
            new / old - 1 for old, new in zip(seconds["as it is", "packet"],
                                              seconds[way, "packet"])).percent
    errors = {way: paired(seconds[way, "packet"], seconds[way, "fair-share"]) for way in found}
    worst = max(errors, key=lambda way: abs(errors[way].mean))
    values.update({"error": errors[worst].percent, "error-case": worst})
    for way in ("recompute", "accumulate"):
        values[f"{way}-name"] = found[way][0]
        values[f"{way}-saves"] = signed(found[way][1] / peak - 1)
    tables = {"steps": step_table(seconds), "ways": way_table(seconds, found, measured),
              "peaks": peak_table(peak, measured)}
    return tables, {"steps": draw_steps(results, picture("steps"))}, values

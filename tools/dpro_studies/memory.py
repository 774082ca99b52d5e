#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Fig. 2 and Tables 3 and 4: what fusing, recomputing and accumulating do to a step and its memory."""

import os
import re
from dataclasses import dataclass

from dpro_studies import profiles
from dpro_studies.runs import SPEED, dml, profile_path, read_profile
from dpro_studies.variants import LARGE, VariantRun
from study_intervals import Mean
from testbed_compare.errors import InputError
from testbed_compare.tables import JsonFile
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import signed, simple

NAME = "memory"
FIRST = "mobilenet-v2-b8"  # the model of Fig. 2
# profiles that tell what their ops hold, and a worker's memory as a part of a step's peak
MODELS = {FIRST: ("MobileNetV2", 0.55), "resnet50-b8": ("ResNet-50", 0.7),
          "inception-v3-b8": ("Inception-v3", 0.7)}
WORKERS = 4
NETWORK = ("network.rate=1Gbps", "network.mtu=9000", "fair_share.one_way_delay=20us")
WAYS = ("as it is", "fused", "recompute", "accumulate")
SAVING = ("as it is", "recompute", "accumulate")  # those of Table 4
# dPRO's Table 3: GB, real and estimated, and the error in per cent; Table 4: ms and GB, of BERT Base
PAPER_PEAKS = {"BERT Base": (9.96, 10.25, 2.83), "ResNet50": (5.41, 5.71, 5.25),
               "InceptionV3": (3.91, 4.05, 3.46), "VGG16": (5.91, 5.83, -1.37)}
PAPER_WAYS = {"as it is": (622.12, 613.87, 16.42, 16.97), "recompute": (696.13, 672.60, 7.43, 7.20),
              "accumulate": (714.22, 708.57, 9.96, 10.25)}
CHOICE = re.compile(r"^(as it is|recompute|accumulate)\b(.*?) {2,}([\d.]+) +[-+][\d.]+ %", re.MULTILINE)
SHARE = 0.0012  # of a step that the picture shows an op of, at least


@dataclass(frozen=True)
class WaysRun(VariantRun):
    """A job that trains as it is, recomputing, and accumulating; the model of Fig. 2 with all ops fused, too."""

    name: str  # of the profile

    @property
    def ways(self):
        return WAYS if self.name == FIRST else SAVING

    @property
    def settings(self):
        return (*(NETWORK if self.name == FIRST else LARGE), f"job.workers={WORKERS}")

    def fit(self, program, folder, name, profile, jobs):
        """Writes the profile of the fastest way that fits into the memory, and says which it is."""
        limit = MODELS[self.name][1] * read_profile(self.name)["source"]["peak_bytes"] / 1e6
        self.optimize(program, folder, name, profile, jobs, f"--memory={limit:.0f}MB")
        return os.path.join(folder, name + ".profile.yaml")

    def work(self, program, folder, jobs):
        with open(os.path.join(folder, "memory.txt"), "w", encoding="utf-8") as file:
            file.write(dml(program, "memory", profile_path(self.name)))
        plain = profiles.speed_up(read_profile(self.name), SPEED)
        variants = {"plain": plain, "fused": profiles.fuse_all(plain), "alone": profiles.alone(plain)}
        files = {name: os.path.join(folder, name + ".yaml") for name in variants}
        for name, profile in variants.items():
            profiles.write_profile(profile, files[name])
        paths = {"as it is": files["plain"], "fused": files["fused"],
                 "recompute": self.fit(program, folder, "recompute", files["alone"], jobs),
                 "accumulate": self.fit(program, folder, "accumulate", files["plain"], jobs)}
        for way in self.ways:
            self.train(program, folder, way, paths[way], jobs,
                       (f"output.trace={str(self.name == FIRST).lower()}",))


RUNS = tuple(map(WaysRun, MODELS))


def read_seconds(results, run):
    """{(way, engine): seconds a step of each replication}; a step has as many samples in each way."""
    found = {}
    for way in run.ways:
        batch = 1 if way == "recompute" else read_profile(run.name)["batch_size"]
        for engine in ENGINES:
            rates = results.throughputs(run.name, way, engine)
            found[way, engine] = [batch * WORKERS / rate for rate in rates]
    return found


def read_peaks(results, name):
    """MB that `dml memory` says, by way, and the name of the way there."""
    text = results.text(name, "memory.txt")
    peaks = {way: (float(peak), way + more) for way, more, peak in CHOICE.findall(text)[::-1]}
    if set(peaks) != set(SAVING):
        raise InputError(f"{name}/memory.txt: found choices {', '.join(peaks)}; accepted is what "
                         "dml memory prints")
    return peaks


def chosen_peak(results, run, way):
    """(name, MB) of the way that `dml optimize` chose."""
    text = results.text(run, way + ".txt")
    name = re.search(r"^with (.*):$", text, re.MULTILINE)
    row = name and re.search(rf"^  {re.escape(name[1])} .* ([\d.]+)$", text, re.MULTILINE)
    if not row:
        raise InputError(f"{run}/{way}.txt: found no way that fits; accepted is what dml optimize "
                         "prints")
    return name[1], float(row[1])


@dataclass(frozen=True)
class Found:
    """Of a model."""

    title: str
    batch: int
    seconds: dict  # as read_seconds() gives them
    ways: dict  # (name, MB) by way; what fuses ops has no memory told
    measured: int  # bytes, the peak that PyTorch's allocator counted

    @classmethod
    def read(cls, results, run):
        source = read_profile(run.name)
        ways = {"as it is": ("as it is", read_peaks(results, run.name)["as it is"][0]),
                **{way: chosen_peak(results, run.name, way) for way in SAVING[1:]}}
        return cls(MODELS[run.name][0], source["batch_size"], read_seconds(results, run), ways,
                   int(source["source"]["peak_bytes"]))

    @property
    def peak_error(self):
        return 1e6 * self.ways["as it is"][1] / self.measured - 1

    def slower(self, way, engine="packet"):
        """By how much a step is longer than as it is."""
        return Mean.of_gains(self.seconds[way, engine], self.seconds["as it is", engine])

    def error(self, way):
        """Of the estimated time."""
        return Mean.of_gains(self.seconds[way, "fair-share"], self.seconds[way, "packet"])

    def saved(self, way):
        """The change of memory."""
        return self.ways[way][1] / self.ways["as it is"][1] - 1


def step_table(found):
    """Fig. 2 in numbers: ms, and what a way costs."""
    rows = [[way, *(Mean.of(found.seconds[way, engine]).text(factor=1e3) for engine in ENGINES),
             *(found.slower(way, engine).percent if way != "as it is" else "" for engine in ENGINES)]
            for way in WAYS]
    return simple(["step", *(f"{engine}, ms" for engine in ENGINES),
                   *(f"{engine}, %" for engine in ENGINES)], rows)


def way_table(found):
    """Table 4: times of packets are real, and those of fair-share are estimated."""
    rows = [[each.title, name, Mean.of(each.seconds[way, "packet"]).text(factor=1e3),
             Mean.of(each.seconds[way, "fair-share"]).text(factor=1e3),
             f"{each.measured / 1e9:.3f}" if way == "as it is" else "-", f"{peak / 1e3:.3f}"]
            for each in found for way, (name, peak) in each.ways.items()]
    rows += [["BERT, paper", way, f"{real:.1f}", f"{estimated:.1f}", f"{gb:.2f}",
              f"{estimated_gb:.2f}"]
             for way, (real, estimated, gb, estimated_gb) in PAPER_WAYS.items()]
    return simple(["model", "way", "real, ms", "est., ms", "GB", "est."], rows)


def cost_table(found):
    """Table 4 in per cent: what a way costs, and saves, and how far the estimated time is off."""
    rows = [[each.title, each.ways[way][0], each.slower(way).percent, signed(each.saved(way)),
             each.error(way).percent] for each in found for way in SAVING[1:]]
    rows += [["BERT, paper", way, signed(PAPER_WAYS[way][0] / PAPER_WAYS["as it is"][0] - 1),
              signed(PAPER_WAYS[way][2] / PAPER_WAYS["as it is"][2] - 1),
              signed(PAPER_WAYS[way][1] / PAPER_WAYS[way][0] - 1)] for way in SAVING[1:]]
    return simple(["model", "way", "time, %", "memory, %", "estimate, %"], rows)


def peak_table(found):
    rows = [[f"{each.title}, batch {each.batch}, CPU", f"{each.measured / 1e9:.3f}",
             f"{each.ways['as it is'][1] / 1e3:.3f}", signed(each.peak_error)] for each in found]
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
                results.folder(FIRST, "results", way, "trace.json"), step):
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
    found = [Found.read(results, run) for run in RUNS]
    first = found[0]
    values = {"limits": ", ".join(f"{100 * limit:.0f} % ({title})" for title, limit in MODELS.values()),
              "models": str(len(found)),
              "peak-error": signed(max((each.peak_error for each in found), key=abs))}
    for way in WAYS[1:]:
        values[f"{way}-packet"] = first.slower(way).percent
    errors = {(each.title, way): each.error(way) for each in found for way in SAVING}
    worst = max(errors, key=lambda key: abs(errors[key].value))
    values.update({"error": errors[worst].percent, "error-case": ", ".join(worst)})
    for way in SAVING[1:]:
        costs = [each.slower(way) for each in found]
        for name, pick in (("least", min), ("most", max)):
            values[f"{way}-{name}"] = pick(costs, key=lambda cost: cost.value).percent
    tables = {"steps": step_table(first), "ways": way_table(found), "costs": cost_table(found),
              "peaks": peak_table(found)}
    return tables, {"steps": draw_steps(results, picture("steps"))}, values

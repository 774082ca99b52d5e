#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Prophet (ICPP 2021), Figs. 2, 4, 9, 10 and 11: when gradients are ready and sent, and how busy the GPU
and the network of a worker are."""

import re
import statistics

from order_studies.prophet_jobs import JOBS, WORKERS, make_run
from study_intervals import Mean
from testbed_compare.tables import read_text
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "prophet-gradients"
POLICIES = ("fifo", "bytescheduler", "prophet")
BATCH = 64
WARMUP = 4
SHOWN = 6  # the step of which gradients are shown
BIN = 0.1  # s, of what is drawn over time
SPAN = (4.0, 10.0)  # s, of the picture
GRADIENTS = make_run("gradients", "resnet50", f"job.batch_size={BATCH}", "replications=3",
                     "output.ops=true", "output.transfers=true",
                     f"sweep={{transfer.policy: [{', '.join(POLICIES)}]}}", engine="both")
RUNS = (GRADIENTS,)
# the paper's: ms of wait and of transfer of a gradient; of gradient 30; GPU's utilisation, per cent; MB/s
PAPER_WAIT = {"bytescheduler": 67, "prophet": 26}
PAPER_TRANSFER = {"fifo": 446, "bytescheduler": 135, "prophet": 125}
PAPER_30 = {"fifo": (0.787, 440.065), "bytescheduler": (10.359, 56.357), "prophet": (3.207, 22.710)}
PAPER_GPU = {"bytescheduler": 67.85, "prophet": 91.15}
PAPER_RATE = {"bytescheduler": 7.5, "prophet": 10.3}
ONE = 30


class Transfers:
    """Gradients of the counted steps: (ready, first byte, last byte) of all slices together, s."""

    def __init__(self, rows):
        self.found = {}  # by (policy, engine), then (replication, worker, step, tensor)
        for row in rows:
            if row["direction"] == "uplink" and int(row["step"]) >= WARMUP:
                self.add(row)

    def add(self, row):
        group = self.found.setdefault((row["variant"].partition("=")[2], row["engine"]), {})
        key = row["replication"], row["worker"], row["step"], row["tensor"].partition("/")[0]
        times = tuple(float(row[name]) for name in ("ready", "first_byte", "last_byte"))
        ready, first, last = group.get(key, times)
        group[key] = min(ready, times[0]), min(first, times[1]), max(last, times[2])


class Use:
    """What a replication's workers do in the counted steps, from the rows of ops.csv."""

    def __init__(self):
        self.begin, self.end = float("inf"), 0.0
        self.busy = 0.0  # s, of all devices
        self.bytes = 0
        self.spans = []  # (resource, begin, end, bytes) of worker 0

    def add(self, row):
        resource, begin, end = row["resource"], float(row["start"]), float(row["end"])
        if row["worker"] == "0" and resource != "server":
            self.spans.append((resource, begin, end, int(row["bytes"])))
        if int(row["step"]) < WARMUP:
            return
        if resource == "device":
            self.begin, self.end = min(self.begin, begin), max(self.end, end)
            self.busy += end - begin
        elif resource != "server":
            self.bytes += int(row["bytes"])

    @property
    def gpu(self):
        """Utilisation of a worker's device."""
        return self.busy / WORKERS / (self.end - self.begin)

    @property
    def rate(self):
        """Bytes per second of a worker, both directions."""
        return self.bytes / WORKERS / (self.end - self.begin)

    def over_time(self, network):
        """What worker 0 does in each bin of SPAN: MB/s, or the device's utilisation in per cent."""
        bins = [0.0] * round((SPAN[1] - SPAN[0]) / BIN)
        for resource, begin, end, size in self.spans:
            if network == (resource != "device") and end > begin:
                part = size / 1e6 / (end - begin) if network else 100
                for at in range(max(0, int((begin - SPAN[0]) / BIN)),
                                min(len(bins), int((end - SPAN[0]) / BIN) + 1)):
                    left = SPAN[0] + at * BIN
                    bins[at] += part * max(0.0, min(end, left + BIN) - max(begin, left)) / BIN
        return [(SPAN[0] + (at + 0.5) * BIN, value) for at, value in enumerate(bins)]


def read_use(rows):
    """{(policy, engine): {replication: Use}}."""
    found = {}
    for row in rows:
        key = row["variant"].partition("=")[2], row["engine"]
        found.setdefault(key, {}).setdefault(row["replication"], Use()).add(row)
    return found


def gradient_names():
    """The tensors in the order of layers: gradient 0 is the first, and the last one that is made."""
    return re.findall(r"^  - \{name: (\S+), bytes:", read_text(JOBS["resnet50"].path), re.MULTILINE)


def mean_times(group, tensors, pick):
    """Of each replication, the mean of pick(times) over these gradients, or all (None), ms."""
    values = {}
    for (replication, _, _, tensor), times in group.items():
        if tensors is None or tensor in tensors:
            values.setdefault(replication, []).append(1e3 * pick(*times))
    return [statistics.fmean(each) for each in values.values()]


def blocks(group):
    """Of each worker's step, at how many times gradients become ready; the mean."""
    times = {}
    for (replication, worker, step, _), (ready, _, _) in group.items():
        times.setdefault((replication, worker, step), set()).add(ready)
    return statistics.fmean(map(len, times.values()))


PICKS = {"wait": lambda ready, first, last: first - ready,
         "transfer": lambda ready, first, last: last - first,
         "both": lambda ready, first, last: last - ready}


def text(values, digits=1):
    return Mean.of(values).text(digits)


def gradient_table(transfers, names):
    rows = []
    for policy in POLICIES:
        for engine in ENGINES:
            group = transfers.found[policy, engine]
            rows.append([policy, engine, *(text(mean_times(group, None, pick)) for pick in PICKS.values()),
                         text(mean_times(group, {names[ONE]}, PICKS["both"]))])
        known = PAPER_WAIT.get(policy), PAPER_TRANSFER[policy]
        rows.append([policy, "the paper", *("-" if each is None else str(each) for each in known),
                     str(sum(known)) if known[0] else "-", f"{sum(PAPER_30[policy]):.1f}"])
    return simple(["order", "", "wait", "transfer", "both", f"gradient {ONE}, both"], rows)


def use_table(use):
    rows = []
    for policy in POLICIES:
        for engine in ENGINES:
            runs = use[policy, engine].values()
            rows.append([policy, engine, text([100 * run.gpu for run in runs]),
                         text([run.rate / 1e6 for run in runs])])
        if policy in PAPER_GPU:
            rows.append([policy, "the paper", f"{PAPER_GPU[policy]}", f"{PAPER_RATE[policy]}"])
    return simple(["order", "", "GPU busy, %", "network, MB/s"], rows)


def draw_gradients(transfers, names, path):
    """Fig. 11, and Fig. 4 as its first line: a panel for each order, packet engine, worker 0."""
    commands, panels = "", ""
    for p, policy in enumerate(POLICIES):
        group = {tensor: times for (replication, worker, step, tensor), times
                 in transfers.found[policy, "packet"].items()
                 if (replication, worker, step) == ("0", "0", str(SHOWN))}
        first = min(ready for ready, _, _ in group.values())
        commands += block(f"d{p}", [(at, *(1e3 * (each - first) for each in group[tensor]))
                                    for at, tensor in enumerate(names)])
        panels += f"set title '{policy}'\nset ylabel '{'ms since the first gradient' if p == 0 else ''}'\n"
        panels += ("set key top right\n" if p == 0 else "unset key\n") + "plot " + ", ".join(
            f"$d{p} using 1:{at + 2} with points pt {at + 6} ps 0.4 lc rgb '{COLOURS[at]}' title '{name}'"
            for at, name in enumerate(("ready", "first byte", "last byte"))) + "\n"
    commands += ("set multiplot layout 1,3\nset xlabel 'gradient'\nset xrange [-3:164]\n"
                 "set yrange [0:1050]\nset xtics 40\n")
    return draw(path, 1000, 400, commands + panels + "unset multiplot\n")


def draw_use(use, path):
    """Figs. 2, 9 and 10: a column for each order, worker 0 in the packet engine."""
    commands, panels = "", ""
    for row, label in enumerate(("GPU busy (%)", "network (MB/s)")):
        for p, policy in enumerate(POLICIES):
            run = use[policy, "packet"]["0"]
            commands += block(f"d{row}{p}", run.over_time(row == 1))
            panels += f"set title '{policy}'\nset xlabel '{'time (s)' if row else ''}'\n"
            panels += f"set ylabel '{label if p == 0 else ''}'\nset yrange [0:{(105, 290)[row]}]\n"
            panels += f"plot $d{row}{p} using 1:2 with steps lw 1.5 lc rgb '{COLOURS[p]}' notitle\n"
    commands += f"set multiplot layout 2,3\nset xrange [{SPAN[0]}:{SPAN[1]}]\n"
    return draw(path, 1000, 520, commands + panels + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    transfers = Transfers(results.rows(GRADIENTS.name, "transfers"))
    use, names = read_use(results.rows(GRADIENTS.name, "ops")), gradient_names()
    packets = {policy: list(use[policy, "packet"].values()) for policy in POLICIES}
    gains = Mean.of_gains(*([run.rate for run in packets[policy]] for policy in ("prophet", "bytescheduler")))
    values = {"blocks": f"{blocks(transfers.found['fifo', 'packet']):.0f}", "network-gain": gains.percent,
              "gradients": str(len(names)),
              **{f"gpu-{policy}": text([100 * run.gpu for run in packets[policy]]) for policy in POLICIES},
              **{f"{name}-{policy}": text(mean_times(transfers.found[policy, "packet"], None, pick), 0)
                 for name, pick in PICKS.items() for policy in POLICIES}}
    drawn = {"times": draw_gradients(transfers, names, picture("times")),
             "use": draw_use(use, picture("use"))}
    return {"gradients": gradient_table(transfers, names), "use": use_table(use)}, drawn, values

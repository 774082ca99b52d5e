#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 8: batch sizes of four GPUs, before and after a link gets slower."""

from dataclasses import dataclass

from sync_studies.runs import SMALL_BUFFERS, EngineRun, RateRun, packet_scale
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import percent, simple

NAME = "batch-sizes"
CLASSES = ("V100", "M60", "K80", "K520")
PAPER = (89, 21, 12, 6)
PAPER_FINE = 30  # iteration from which Algorithm 2 fine-tunes
FAULT = 150  # iteration
STEPS = 300
SLOW = "worker1"  # the M60
# iterations [first, last) that count
BEFORE, FALLEN, AFTER = (100, FAULT), (FAULT + 1, FAULT + 11), (STEPS - 50, STEPS)
STEP = 5  # samples that the fast approach moves


@dataclass(frozen=True)
class Variant:
    """What is different from the scenario."""

    text: str
    settings: tuple = ()
    rate: str = "2.5Gbps"
    packet: bool = False  # in packets too


VARIANTS = {
    "main": Variant("scenario", packet=True),
    # servers on hosts of their own
    "apart": Variant("apart", ("network.colocate={}",), packet=True),
    # transfers in the profile's order
    "listed": Variant("listed", ("transfer.policy=fifo",)),
    # computing times drawn from the 8 measured steps, not one step's
    "sampled": Variant("sampled", ("job.sampling=random",)),
    "1gbps": Variant("1 Gbit/s", rate="1Gbps"),
}


def names(variant, engine):
    """Of the run that says when iteration 150 begins, and of the one with the fault."""
    return f"{variant}-{engine}-first", f"{variant}-{engine}"


def engines(variant):
    return ENGINES if VARIANTS[variant].packet else ENGINES[:1]


def runs(variant, engine):
    first, then = names(variant, engine)
    setup = VARIANTS[variant]
    settings = (*setup.settings, *((*SMALL_BUFFERS, *packet_scale()) if engine == "packet" else ()))
    return (EngineRun(first, "lb-bsp", (f"name={first}", f"job.steps={FAULT + 1}", *settings),
                      engine=engine),
            RateRun(then, "lb-bsp", (f"name={then}", f"job.steps={STEPS}", *settings),
                    engine=engine, first=first, step=FAULT, link=SLOW, rate=setup.rate))


RUNS = tuple(run for variant in VARIANTS for engine in engines(variant)
             for run in runs(variant, engine))


@dataclass
class Course:
    """How the batch sizes of one run went."""

    steps: object
    scale: float  # seconds of the full-size job for one of the run

    @property
    def last_fast(self):
        """The iteration of the last move of five samples, and that of the first of fewer, before
        the fault."""
        moves = [(step, size) for step, size in self.steps.moves() if step < FAULT]
        fine = next((step for step, size in moves if size < STEP), None)
        fast = [step for step, size in moves if size >= STEP]
        return max(fast, default=None), fine

    def batches(self, window):
        return self.steps.mean_batch(*window)

    def times(self, window):
        return [self.scale * time for time in self.steps.mean_time(*window)]

    def iteration(self, window):
        return self.scale * self.steps.iteration(*window)


def courses(results):
    """By (variant, engine)."""
    return {(variant, engine): Course(results.steps(names(variant, engine)[1]),
                                      32.0 if engine == "packet" else 1.0)
            for variant in VARIANTS for engine in engines(variant)}


def comma(values, digits=0):
    return " ".join(f"{value:.{digits}f}" for value in values)


def iteration_cell(at):
    return "-" if at is None else str(at)


def settle_table(found):
    """Where batch sizes are in the iterations 100 to 149, and when fine-tuning begins."""
    rows = [["the paper", "", "", str(PAPER_FINE), comma(PAPER), ""]]
    for (variant, engine), course in found.items():
        fast, fine = course.last_fast
        rows.append([VARIANTS[variant].text, engine, iteration_cell(fast), iteration_cell(fine),
                     comma(course.batches(BEFORE), 1), f"{course.iteration(BEFORE):.2f}"])
    return simple(["variant", "engine", "last 5", "first 1", "batch sizes", "s"], rows)


def fault_table(found):
    """Batch sizes before the link got slower and in the last 50 iterations; times of iterations
    before, of the first ten with the slow link, and of the last 50."""
    rows = [[VARIANTS[variant].text, engine, comma(course.batches(BEFORE), 1),
             comma(course.batches(AFTER), 1),
             *(f"{course.iteration(window):.2f}" for window in (BEFORE, FALLEN, AFTER))]
            for (variant, engine), course in found.items()]
    return simple(["variant", "engine", "before", "after", "s", "s", "s"], rows)


def time_table(found):
    """Batch processing times of the main variant."""
    rows = []
    for (variant, engine), course in found.items():
        if variant == "main":
            rows += [[engine, when, *(f"{time:.2f}" for time in times)] for when, times in (
                ("iteration 0", course.times((0, 1))),
                (f"iterations {BEFORE[0]} to {BEFORE[1] - 1}", course.times(BEFORE)),
                (f"iterations {AFTER[0]} to {AFTER[1] - 1}", course.times(AFTER)))]
    return simple(["engine", "", *CLASSES], rows)


def draw_course(found, variant, path):
    """Batch sizes above, batch processing times below; a column for each engine."""
    commands, count = "", len(engines(variant))
    panels = ""
    top = 1.05 * max(max(course.steps.times.values()) * course.scale
                     for (each, _), course in found.items() if each == variant)
    for e, engine in enumerate(engines(variant)):
        course = found[variant, engine]
        for w, _ in enumerate(CLASSES):
            commands += block(f"d{e}{w}", [(k, course.steps.batches[w, k],
                                            course.scale * course.steps.times[w, k])
                                           for k in range(course.steps.count)])
    for row, (label, limit) in enumerate((("batch size (samples)", 120),
                                          ("batch processing time (s)", top))):
        for e, engine in enumerate(engines(variant)):
            panels += f"set title '{engine}'\n" if row == 0 else "unset title\n"
            panels += f"set ylabel '{label}'\n" if e == 0 else "unset ylabel\n"
            panels += "set xlabel 'iteration'\n" if row == 1 else "unset xlabel\n"
            panels += ("set key top left maxrows 2\n" if row + e == 0 else "unset key\n")
            panels += (f"set yrange [0:{limit:.4g}]\nset arrow 1 from {FAULT},0 to {FAULT},"
                       f"{limit:.4g} nohead dt 3 lc rgb '#909090'\n")
            lines = [f"$d{e}{w} using 1:{row + 2} with steps lw 1.5 lc rgb '{COLOURS[w]}' "
                     f"title '{name}'" for w, name in enumerate(CLASSES)]
            if row == 0:
                lines += [f"{size} lw 1 dt 2 lc rgb '{COLOURS[w]}' notitle"
                          for w, size in enumerate(PAPER)]
            panels += "plot " + ", ".join(lines) + "\n"
    return draw(path, 400 * count + 40, 640, commands + f"set xrange [0:{STEPS}]\n"
                f"set multiplot layout 2,{count}\n" + panels + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = courses(results)
    fair_share, packet = (found["main", engine] for engine in ENGINES)
    same = sum(fair_share.steps.batch(k) == packet.steps.batch(k) for k in range(FAULT))
    first, settled = fair_share.times((0, 1)), fair_share.times(BEFORE)
    tables = {"settle": settle_table(found), "fault": fault_table(found),
              "times": time_table(found)}
    drawn = {name: draw_course(found, variant, picture(name))
             for name, variant in (("main", "main"), ("apart", "apart"))}
    off = max(abs(size - paper) for course in (fair_share, packet)
              for size, paper in zip(course.batches(BEFORE), PAPER))
    values = {"same": str(same), "of": str(FAULT), "off": f"{off:.1f}",
              "slowest": f"{first[3] - settled[3]:.1f}", "fastest": f"{settled[0] - first[0]:.1f}",
              "paper-fine": str(PAPER_FINE),
              **{f"{variant}-{name}": f"{found[variant, 'fair-share'].iteration(window):.2f}"
                 for variant in ("main", "apart")
                 for name, window in (("before", BEFORE), ("fallen", FALLEN), ("after", AFTER))},
              "engines": percent(max(abs(found[variant, "fair-share"].iteration(window)
                                         / found[variant, "packet"].iteration(window) - 1)
                                     for variant in ("main", "apart")
                                     for window in (BEFORE, AFTER)))}
    return tables, drawn, values

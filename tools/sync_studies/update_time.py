#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""LB-BSP (SoCC 2020), Fig. 6a: per-update time of four schemes, 16 GPUs of four classes."""

from dataclasses import dataclass

from study_intervals import Mean
from sync_studies.runs import SMALL_BUFFERS, EngineRun, packet_scale, same_step, shards
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import simple

NAME = "update-time"
PACKET_SCALE = 1 / 64
REPLICATIONS = {"fair-share": 5, "packet": 3}
# class: launch and floor of scenario.yaml, ms
CLASSES = {"V100": (41.1, 321.7), "M60": (149.9, 149.9), "K80": (230.7, 230.7),
           "K520": (360.3, 360.3)}
COMMON = 300  # ms that all classes have in common, in one of the clusters


@dataclass(frozen=True)
class Scheme:
    """A way to synchronise, and how long it has to run until nothing changes any more."""

    text: str
    sync: str
    control: str
    steps: int
    warmup: int

    def settings(self, workers):
        """Of a run with so many workers, each with a shard beside it."""
        return (f"job.workers={workers}", *shards(workers), same_step(workers), f"job.sync={self.sync}",
                f"job.batch_control={self.control}", f"job.steps={self.steps}", f"job.warmup={self.warmup}")


# without a barrier the window ends with the fastest worker's last step
SCHEMES = {
    "bsp": Scheme("BSP", "bsp", "off", 12, 2),
    "asp": Scheme("ASP", "async", "off", 80, 2),
    "ssp": Scheme("SSP, 5", "{ssp: 5}", "off", 30, 10),
    "lb-bsp": Scheme("LB-BSP", "bsp", "gpu", 240, 200),
}


@dataclass(frozen=True)
class Cluster:
    """Workers of Cluster-A."""

    text: str
    workers: int
    settings: tuple = ()
    packet: bool = False


def slower():
    """All classes with COMMON more, whatever the batch."""
    return tuple(f"job.devices.{name}.{key}={value + COMMON:.1f}ms"
                 for name, values in CLASSES.items()
                 for key, value in zip(("launch", "floor"), values))


CLUSTERS = {
    "all": Cluster("16 workers", 16, packet=True),
    "no-v100": Cluster("12, no V100", 12, ("job.worker_devices=[M60, K80, K520]",)),
    "common": Cluster(f"16, +{COMMON / 1000:g} s", 16, slower()),
}


def run_name(cluster, scheme, engine):
    return f"{cluster}-{scheme}-{engine}"


def engines(cluster):
    return ENGINES if CLUSTERS[cluster].packet else ENGINES[:1]


def make_run(cluster, scheme, engine):
    name, where = run_name(cluster, scheme, engine), CLUSTERS[cluster]
    return EngineRun(name, "lb-bsp", (
        f"name={name}", *SCHEMES[scheme].settings(where.workers), f"replications={REPLICATIONS[engine]}",
        *where.settings, *((*SMALL_BUFFERS, *packet_scale(PACKET_SCALE)) if engine == "packet" else ())),
                     engine=engine)


RUNS = tuple(make_run(cluster, scheme, engine) for cluster in CLUSTERS for scheme in SCHEMES
             for engine in engines(cluster))


def update_times(results):
    """Per-update times of the full-size job, s, by (cluster, engine, scheme): a list with one of each
    replication."""
    return {(cluster, engine, scheme):
            [time / (PACKET_SCALE if engine == "packet" else 1)
             for time in results.case(run_name(cluster, scheme, engine), engine).each("update_time")]
            for cluster in CLUSTERS for engine in engines(cluster) for scheme in SCHEMES}


def over(found, cluster, engine, scheme, baseline="bsp"):
    return Mean.of_pairs(found[cluster, engine, scheme], found[cluster, engine, baseline])


def engine_error(found, cluster, scheme):
    """Of fair-share, over the seeds of packets."""
    fair_share, packet = (found[cluster, engine, scheme] for engine in ENGINES)
    return Mean.of_gains(fair_share[:len(packet)], packet)


TIME_HEADS = ("BSP, ms", *(how.text for scheme, how in SCHEMES.items() if scheme != "bsp"), "to ASP")


def time_cells(times):
    """Per-update times by scheme, s: BSP's, ms, each other's in per cent of it, and LB-BSP against ASP."""
    return [Mean.of(times["bsp"]).text(1, 1000),
            *(Mean.of_pairs(times[scheme], times["bsp"]).text(1, 100) for scheme in SCHEMES if scheme != "bsp"),
            Mean.of_gains(times["lb-bsp"], times["asp"]).percent]


def time_table(found):
    rows = [[CLUSTERS[cluster].text + (", packet" if engine == "packet" else ""),
             *time_cells({scheme: found[cluster, engine, scheme] for scheme in SCHEMES})]
            for cluster in CLUSTERS for engine in engines(cluster)]
    return simple(["cluster", *TIME_HEADS], rows)


def paper_table(found):
    """What the paper's text has in numbers, and the change of per-update time here."""
    def less(cluster, baseline):
        return over(found, cluster, "fair-share", "lb-bsp", baseline).less(1).percent

    return simple(["the paper", "model", "%", "here, Inception-v3", "%"], [
        ["LB-BSP to ASP", "Inception-v3", "15", "16 workers", less("all", "asp")],
        ["", "", "", CLUSTERS["common"].text, less("common", "asp")],
        ["LB-BSP to BSP", "ResNet-32", "37", "16 workers", less("all", "bsp")],
        ["without V100", "ResNet-32", "28", CLUSTERS["no-v100"].text, less("no-v100", "bsp")]])


def draw_times(found, path):
    """Bars of per-update time over BSP's, one group for each scheme."""
    series = [(cluster, engine) for cluster in CLUSTERS for engine in engines(cluster)]
    commands, bars = "", []
    width = 0.8 / len(series)
    for i, (cluster, engine) in enumerate(series):
        commands += block(f"d{i}", [(s + (i - (len(series) - 1) / 2) * width,
                                     over(found, cluster, engine, scheme).value)
                                    for s, scheme in enumerate(SCHEMES)])
        bars.append(f"$d{i} using 1:2:({0.9 * width:.4g}) with boxes fs solid noborder "
                    f"lc rgb '{COLOURS[i]}' title '{CLUSTERS[cluster].text}, {engine}'")
    ticks = ", ".join(f"'{each.text}' {s}" for s, each in enumerate(SCHEMES.values()))
    return draw(path, 760, 420, commands + f"set xrange [-0.6:{len(SCHEMES) - 0.4}]\n"
                f"set xtics ({ticks})\nset yrange [0:1.5]\nset ylabel 'per-update time over BSP'\n"
                "set key top right\nplot " + ", ".join(bars) + "\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = update_times(results)
    worst = max((engine_error(found, "all", scheme) for scheme in SCHEMES), key=lambda each: abs(each.value))
    values = {"engines": worst.percent,
              **{f"{engine}-seeds": str(count) for engine, count in REPLICATIONS.items()},
              **{f"{cluster}-{scheme}": over(found, cluster, "fair-share", "lb-bsp", scheme).less(1).percent
                 for cluster in CLUSTERS for scheme in ("bsp", "asp")}}
    return ({"times": time_table(found), "paper": paper_table(found)},
            {"times": draw_times(found, picture("times"))}, values)

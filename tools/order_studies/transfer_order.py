#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 17 to 19: prediction by order, without flow control; and an order
with a window."""

from order_studies.results import find
from order_studies.runs import Run, scaled, scaled_window
from validation_report.plots import COLOURS, block, draw
from validation_report.study import ENGINES
from validation_report.tables import percent, signed, simple

NAME = "transfer-order"
# profile: scale and orders. Fig. 17: fifo of all; Fig. 18: AlexNet at batch 4; Fig. 19: tic
PROFILES = {
    "alexnet-b4": (1 / 64, ("fifo", "tic", "reverse", "random")),
    "alexnet-b8": (1 / 64, ("fifo",)),
    "alexnet-b16": (1 / 64, ("fifo",)),
    "vgg11-b4": (1 / 128, ("fifo", "tic")),
    "googlenet-b8": (1 / 16, ("fifo", "tic")),
    "inception-v3-b4": (1 / 32, ("fifo", "tic")),
    "resnet50-b4": (1 / 32, ("fifo", "tic")),
}
WORKERS = (1, 2, 4, 8)
QUEUES = {"fair": "{fair: 0B}", "fifo": "0B"}  # the second one for Fig. 18 only
FIG_18 = "alexnet-b4"
# An order with a window: full-size windows, MB; the first one stands for none. Only with two turns:
# the 1 MiB by which `grant: capped` raises later turns is not scaled.
WINDOW_PROFILES = ("alexnet-b4", "vgg11-b4", "googlenet-b8", "inception-v3-b4")
WINDOWS = (None, 28, 4, 1)
WINDOW_WORKERS = (1, 2, 4)


def order_name(profile, queue):
    return f"order-{profile}-{queue}"


def window_name(profile):
    return f"window-{profile}"


def queues(profile):
    return [queue for queue in QUEUES if queue == "fair" or profile == FIG_18]


def order_run(profile, queue):
    scale, orders = PROFILES[profile]
    name = order_name(profile, queue)
    return Run(name, "transfer-order", (f"name={name}", *scaled(profile, scale),
                                        f"network.queue={QUEUES[queue]}",
                                        f"sweep={{transfer.policy: [{', '.join(orders)}]}}"))


def window_run(profile):
    """Iterations as those of tictac: only the order counts, not how workers fall out of phase."""
    scale, _ = PROFILES[profile]
    name = window_name(profile)
    windows = ", ".join(scaled_window(window, scale) for window in WINDOWS)
    return Run(name, "tictac", (f"name={name}", *scaled(profile, scale), "replications=5",
                                "job.sync=async", f"job.workers={list(WINDOW_WORKERS)}",
                                "sweep={transfer.policy: [shuffled, tic], "
                                f"transfer.window: [{windows}]}}"))


RUNS = (*(order_run(profile, queue) for profile in PROFILES for queue in queues(profile)),
        *(window_run(profile) for profile in WINDOW_PROFILES))


def errors(results):
    """fair-share / packet - 1 and packet's samples/s, by (profile, queue, order, W)."""
    found = {}
    for profile, (_, orders) in PROFILES.items():
        for queue in queues(profile):
            cases = results.cases([order_name(profile, queue)])
            for order in orders:
                for workers in WORKERS:
                    fair_share, packet = (
                        find(cases, workers, engine, {"transfer.policy": order}).throughput
                        for engine in ENGINES)
                    found[profile, queue, order, workers] = (fair_share / packet - 1, packet)
    return found


def error_table(found, wanted, *columns):
    """Packet's samples/s and the error, for the (profile, queue, order) that are wanted."""
    rows = []
    for key in dict.fromkeys(key[:-1] for key in found):
        if wanted(*key):
            named = dict(zip(("profile", "queue", "order"), key))
            rows.append([*(named[column] for column in columns),
                         *(f"{found[(*key, w)][1]:.1f}" for w in WORKERS),
                         *(signed(found[(*key, w)][0]) for w in WORKERS)])
    return simple([*columns, *(f"W={w}" for w in WORKERS), *(f"err {w}" for w in WORKERS)], rows)


def window_effects(results, engine):
    """By (profile, window, W): what the window adds to TIC's time, and TIC's gain over no order
    with this window in both."""
    found = {}
    for profile in WINDOW_PROFILES:
        scale, _ = PROFILES[profile]
        cases = results.cases([window_name(profile)])
        for window in WINDOWS:
            for workers in WINDOW_WORKERS:
                without, tic, shuffled = (
                    find(cases, workers, engine,
                         {"transfer.policy": policy,
                          "transfer.window": scaled_window(size, scale)}).iteration
                    for policy, size in (("tic", None), ("tic", window), ("shuffled", window)))
                found[profile, window, workers] = (tic / without - 1, shuffled / tic - 1)
    return found


def window_table(found):
    rows = []
    for profile in WINDOW_PROFILES:
        for window in WINDOWS:
            values = [found[profile, window, workers] for workers in WINDOW_WORKERS]
            rows.append([profile, f"{window} MB" if window else "off",
                         *(signed(slower) for slower, _ in values),
                         *(signed(gain) for _, gain in values)])
    return simple(["profile", "window", *(f"W={w}" for w in WINDOW_WORKERS),
                   *(f"gain {w}" for w in WINDOW_WORKERS)], rows)


def draw_orders(results, path):
    """Throughput by order of Fig. 18, a panel per queue; points are packet, lines fair-share."""
    commands = ("set multiplot layout 1,2\nset xrange [0.5:8.5]\nset xtics (1, 2, 4, 8)\n"
                "set xlabel 'Workers W'\nset yrange [0:*]\nset key bottom right\n")
    for q, queue in enumerate(QUEUES):
        cases, lines = results.cases([order_name(FIG_18, queue)]), []
        for o, order in enumerate(PROFILES[FIG_18][1]):
            rows = [(w, *(find(cases, w, engine, {"transfer.policy": order}).throughput
                          for engine in ENGINES)) for w in WORKERS]
            commands += block(f"d{q}{o}", rows)
            style = f"lc rgb '{COLOURS[o]}'"
            lines += [f"$d{q}{o} using 1:2 with lines lw 2 {style} title '{order}'",
                      f"$d{q}{o} using 1:3 with points pt {o + 4} {style} notitle"]
        commands += f"set title '{queue} queues'\n"
        commands += "set ylabel 'samples/s'\n" if q == 0 else "unset ylabel\nunset key\n"
        commands += "plot " + ", ".join(lines) + "\n"
    return draw(path, 800, 400, commands + "unset multiplot\n")


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = errors(results)
    effects = {engine: window_effects(results, engine) for engine in ENGINES}
    packet = effects["packet"]
    fair = {key: error for key, (error, _) in found.items() if key[1] == "fair"}
    largest = max(fair, key=lambda key: abs(fair[key]))
    fifo = {key: error for key, (error, _) in found.items() if key[1] == "fifo"}
    worst_fifo = max(fifo, key=lambda key: abs(fifo[key]))
    slowest = max(packet, key=lambda key: packet[key][0])
    tables = {
        "all-fifo": error_table(found, lambda p, q, o: q == "fair" and o == "fifo", "profile"),
        "orders": error_table(found, lambda p, q, o: p == FIG_18, "queue", "order"),
        "tic": error_table(found, lambda p, q, o: p != FIG_18 and o == "tic", "profile"),
        "window": window_table(packet),
    }
    values = {
        "within": f"{sum(abs(error) <= 0.1 for error in fair.values())} of {len(fair)}",
        "largest": signed(fair[largest]), "largest-case": "{0}, {2}, W={3}".format(*largest),
        "largest-fifo": signed(fifo[worst_fifo]),
        "largest-fifo-case": "{2}, W={3}".format(*worst_fifo),
        "window-slowest": signed(packet[slowest][0]),
        "window-slowest-case": "{}, {} MB, W={}".format(*slowest),
        "window-28": signed(max(packet[key][0] for key in packet if key[1] == 28)),
        "window-engines": percent(max(abs(packet[key][0] - effects["fair-share"][key][0])
                                      for key in packet)),
    }
    return tables, {"orders": draw_orders(results, picture("orders"))}, values

#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Measured runs of a server, kept in a file, so that what was interrupted goes on."""

import csv
import os

FIELDS = ("workers", "samples_per_s", "cpu_s_per_step", "disturbed")


class Runs:
    """What was measured: (workers, samples/s, CPU seconds of the server for a step, whether something else disturbed it)."""

    def __init__(self, path):
        self.path = path
        self.rows = []
        if os.path.exists(path):
            with open(path, encoding="ascii", newline="") as file:
                self.rows = [(int(row["workers"]), float(row["samples_per_s"]), float(row["cpu_s_per_step"]),
                              row["disturbed"] == "True") for row in csv.DictReader(file)]

    def good(self):
        """(workers, samples/s) of runs that count."""
        return [(workers, speed) for workers, speed, _, disturbed in self.rows if not disturbed]

    def missing(self, workers, repeats):
        """Numbers of workers, one for each run that is to be done; of those without enough runs that count."""
        done = [number for number, _ in self.good()]
        return [number for repeat in range(repeats) for number in workers if done.count(number) <= repeat]

    def add(self, *row):
        """Keeps a run, in the file, too."""
        new = not os.path.exists(self.path)
        self.rows.append(row)
        with open(self.path, "a", encoding="ascii", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            if new:
                table.writerow(FIELDS)
            table.writerow(row)

    def write_points(self, path):
        """Writes those that count as `dml fit-server` reads them; all if there are none. How many were left out."""
        chosen = self.good() or [row[:2] for row in self.rows]
        with open(path, "w", encoding="ascii", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(["workers", "throughput"])
            table.writerows((workers, f"{speed:.3f}") for workers, speed in chosen)
        return len(self.rows) - len(chosen)

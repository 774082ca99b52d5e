#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Li et al. (ICPE 2020), Figs. 13 and 14: prediction of training on CPUs behind 1 Gbit/s."""

from icpe_studies.accuracy import Job, draw_jobs, points, table, values

NAME = "private-cluster"
# Fig. 13: three batch sizes; Fig. 14: other models
JOBS = tuple(Job(profile, profile, scale) for profile, scale in (
    ("alexnet-b4", 1 / 64), ("alexnet-b8", 1 / 64), ("alexnet-b16", 1 / 64), ("vgg11-b4", 1 / 128),
    ("googlenet-b8", 1 / 16), ("inception-v3-b4", 1 / 32), ("resnet50-b4", 1 / 32)))
BATCHES = 3
RUNS = tuple(job.run for job in JOBS)


def report(results, picture):
    """(tables, whether each picture was drawn, values); `picture` gives the path of a name."""
    found = points(results, JOBS)
    batches = {key: point for key, point in found.items()
               if key[0] in {job.name for job in JOBS[:BATCHES]}}
    models = {key: point for key, point in found.items() if key not in batches}
    return ({"errors": table(found)}, {"jobs": draw_jobs(found, JOBS, picture("jobs"))},
            {**values(found), **values(batches, "batches-"), **values(models, "models-")})

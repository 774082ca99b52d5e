#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The command line of tools that run studies and write a page from their results."""

import argparse
import os
import sys

from order_studies import page
from testbed_compare.errors import InputError, PredictionError
from validation_study.settings import ROOT


def parse_options(label, summary, studies):
    parser = argparse.ArgumentParser(
        description=summary,
        epilog="Exit codes: 0 done, 1 dml or gnuplot failed, 2 bad usage or input.")
    parser.add_argument("studies", nargs="*", metavar="STUDY",
                        help=f"run only these of {', '.join(studies)}")
    parser.add_argument("--out", default=f"results/{label}", metavar="FOLDER",
                        help=f"folder of results (default: results/{label})")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N",
                        help="processes at a time (default: all cores)")
    parser.add_argument("--report", action="store_true", help="run nothing, write the page only")
    parser.add_argument("--doc", default=os.path.join(ROOT, "doc", f"{label}.rst"),
                        metavar="FILE", help="the page; its template is FILE.in, its pictures are "
                        f"in figures/ (default: doc/{label}.rst)")
    parser.add_argument("--program", default=os.path.join(ROOT, "dml"), metavar="FILE",
                        help="the program dml (default: that of this repository)")
    options = parser.parse_args()
    for name in options.studies:
        if name not in studies:
            parser.error(f"found '{name}'; accepted: {', '.join(studies)}")
    return options


def run_studies(label, summary, studies, reader):
    """Does what the command line says; Run.do() of each run, then the page."""
    options = parse_options(label, summary, studies)
    for name in (options.studies or studies) if not options.report else ():
        for each in studies[name].RUNS:
            each.do(options.program, os.path.join(options.out, name), options.jobs)
    for note in page.write(options.out, options.doc, studies, reader, label):
        print(note)
    print(f"{options.doc}: written")


def main(label, summary, studies, reader):
    """Ends the process if something is wrong."""
    try:
        run_studies(label, summary, studies, reader)
    except InputError as error:
        print(f"{label}: {error}", file=sys.stderr)
        sys.exit(2)
    except (PredictionError, OSError) as error:
        print(f"{label}: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)

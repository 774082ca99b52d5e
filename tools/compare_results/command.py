# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""The command line of compare-results."""

import argparse
import concurrent.futures
import os
import re
import shlex
import sys

from compare_results import instructions, verdict
from compare_results.commands import command_studies
from compare_results.manual import manual_studies
from compare_results.mistakes import mistake_studies
from compare_results.program import open_programs
from compare_results.random_study import random_studies
from compare_results.shipped import shipped_studies
from compare_results.side import CPU_LIMIT, Side, stand_in, write_files
from compare_results.store import Store
from testbed_compare.errors import InputError, PredictionError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NUMBER = 60
SEED = 1


def parse(summary, arguments):
    parser = argparse.ArgumentParser(
        prog="compare-results", description=summary,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Exit codes: 0 the same everywhere, 1 something differs or is over the budget, 2 bad "
               "usage or input.")
    parser.add_argument("before", metavar="BEFORE", help="the program dml of before the change")
    parser.add_argument("after", metavar="AFTER", help="the program dml of after it")
    parser.add_argument("--only", metavar="REGEX", type=regex,
                        help="only scenarios whose names it is found in")
    parser.add_argument("--random", metavar="N", type=natural, default=NUMBER,
                        help=f"random scenarios ({NUMBER})")
    parser.add_argument("--seed", metavar="S", type=int, default=SEED,
                        help=f"of the random scenarios ({SEED})")
    parser.add_argument("--jobs", metavar="J", type=positive, default=1,
                        help="scenarios at a time (1)")
    parser.add_argument("--limit", metavar="SECONDS", type=positive, default=CPU_LIMIT,
                        help="CPU time after which a process is killed: it failed "
                        f"({CPU_LIMIT})")
    parser.add_argument("--keep", metavar="DIR",
                        help="keep what BEFORE gives, and take from there what it gave")
    parser.add_argument("--list", action="store_true", help="run nothing: name the scenarios")
    parser.add_argument("--write", metavar="DIR",
                        help="run nothing: write the files and commands of the scenarios to DIR")
    parser.add_argument("--instructions", action="store_true",
                        help="compare instructions (callgrind) and peak memory of both engines "
                        "instead, of a few scenarios or those of --only; budget: "
                        f"{instructions.BUDGET:.0%}% more")
    return parser.parse_args(arguments)


def regex(text):
    try:
        return re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"found '{text}': {error}; accepted: a regular "
                                         "expression of Python") from None


def natural(text, low=0):
    if not text.isdecimal() or int(text) < low:
        raise argparse.ArgumentTypeError(f"found '{text}'; accepted: an integer from {low}")
    return int(text)


def positive(text):
    return natural(text, 1)


def list_studies(options):
    """All that is asked for, quick kinds last."""
    studies = (shipped_studies(ROOT) + random_studies(options.random, options.seed)
               + manual_studies(ROOT) + mistake_studies(ROOT) + command_studies(ROOT))
    only = options.only
    if options.instructions and not only:
        only = re.compile(instructions.DEFAULT)
    chosen = [study for study in studies if not only or only.search(study.name)]
    if options.instructions:
        chosen = [study for study in chosen if study.commands[-1][0] == "run"]
    if not chosen:
        raise InputError(f"--only: found '{only.pattern}', in no name of a scenario; accepted: "
                         "parts of the names that --list prints")
    return chosen


def write(studies, folder):
    """A folder for each study, with a file of its commands."""
    for study in studies:
        lines = [shlex.join(["dml", *command]) + "\n" for command in study.commands]
        write_files(os.path.join(folder, study.name.replace("/", "-").replace(":", "-")),
                    {**study.files, "commands.sh": "".join(lines)})


def show(studies):
    for study in studies:
        print(f"{study.kind:<9}  {study.name:<{verdict.NAME}} {' '.join(study.tags)}")
    print("\nrandom scenarios that have", *verdict.coverage(studies), sep="\n")


def compare(studies, programs, options):
    """Prints a line for each study, as they come. @return the verdicts"""
    store = Store(options.keep, programs[0]) if options.keep else None
    with stand_in() as gnuplot:
        before, after = (Side(program, ROOT, gnuplot, options.limit) for program in programs)

        def both(study):
            first = store.get(study) if store else None
            if first is None:
                first = before.run(study)
                if store:
                    store.put(study, first)
            return verdict.judge(study, first, after.run(study))

        verdicts = []
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            try:
                for found in pool.map(both, studies):
                    print(*found.lines(), sep="\n", flush=True)
                    verdicts.append(found)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return verdicts


def work(options):
    """@return exit code"""
    studies = list_studies(options)
    if options.list or options.write:
        if options.write:
            write(studies, options.write)
        show(studies)
        return 0
    programs = open_programs(options.before, options.after)
    if options.instructions:
        with stand_in() as gnuplot:
            return 0 if instructions.compare(studies, [Side(program, ROOT, gnuplot)
                                                       for program in programs]) else 1
    verdicts = compare(studies, programs, options)
    print(*verdict.summary(verdicts), sep="\n")
    states = {found.state for found in verdicts}
    if verdict.DIFFERENT in states:
        return 1
    if states == {verdict.FAILED}:
        raise InputError("both programs failed everywhere; accepted: programs dml that run")
    return 0


def main(summary, arguments=None):
    """Ends the process with an exit code."""
    try:
        sys.exit(work(parse(summary, arguments)))
    except InputError as error:
        print(f"compare-results: {error}", file=sys.stderr)
        sys.exit(2)
    except (PredictionError, OSError) as error:
        print(f"compare-results: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)

#!/usr/bin/env python3
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only

"""Compares every table of the manual with where it comes from.

TABLES lists them all, by page and heading, so a table that is not in the list fails. A table of
measured numbers is one of

  PAGE      of a page that a tool writes: written again from doc/data/PAGE.json, to the byte;
  STORED    of numbers that take long or depend on the machine: as in doc/data/measured.json, beside
            the command that made them;
  RENDERED  made here from the output of a command that is kept in doc/data;
  FRESH     measured again here.

DML_BUILD_FOLDER names the folder of the build; without it what needs programs is skipped."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("DML_BUILD_FOLDER")
DATA = os.path.join(ROOT, "doc", "data")

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "tools"))
from manual_pages import cells, pages, read, tables
from fidelity import collectives, held_out, host  # pylint: disable=C0413
from fidelity.results import Results as FidelityResults  # pylint: disable=C0413
from icpe_studies import page as icpe_page  # pylint: disable=C0413
from icpe_studies.results import Results as IcpeResults  # pylint: disable=C0413
from order_studies import page as order_page  # pylint: disable=C0413
from sync_studies import page as sync_page  # pylint: disable=C0413
from sync_studies.results import Results as SyncResults  # pylint: disable=C0413
from validation_report import document, stored  # pylint: disable=C0413

KEYS = "keys"  # no measured numbers: keys, columns, rules, settings
PAGE = "page"
STORED = "stored"
RENDERED = "rendered"  # by a test that makes the page again; such as matched-study
FRESH = "fresh"

# page: {heading, its first 70 characters with single spaces: where the table comes from}
TABLES = {
    "README.md": {
        "page what it is about": KEYS,
    },
    "doc/all-reduce.rst": {
        "algorithm rounds sent by a worker source": KEYS,
        "W algorithm fair-share burst packet": STORED,
        "algorithm ports fair-share packet host vs packet, % vs host, %": STORED,
        "algorithm ports W = 3 W = 4 W = 5 W = 6 W = 7 W = 9 W = 10": STORED,
        "gradients order barrier no delays fair-share packet": STORED,
        "queues W fair-share packet real runs fair-share, % packet, %": STORED,
        "W network Gbit/s PS 1 PS 2 PS 4 colocated BytePS ring halving hierarch": STORED,
        "model W network Gbit/s colocated BytePS ring halving winner critical": STORED,
        "model network engine PS 4 colocated BytePS ring halving winner": STORED,
        "gradients network Daydream fair-share packet error, %": STORED,
        "\\ batch size 32 batches by speed": STORED,
    },
    "doc/batch-size-control.rst": {
        "``last`` the last speed": KEYS,
        "error no spikes a spike every 30 s a spike every 3 s paper": RENDERED,
        "iteration / BSP no spikes a spike every 30 s a spike every 3 s paper": RENDERED,
        "ms per update no spikes a spike every 30 s a spike every 3 s longest": RENDERED,
    },
    "doc/devices.rst": {
        "``job.`` default meaning": KEYS,
        "batch forward, s backward, s update, s on the worker, s ms/sample": FRESH,
        "batch from by forward backward on the worker ops": FRESH,
    },
    "doc/dml.rst": {
        "``equal`` each of the n workers that are active at a server, in one di": KEYS,
        "state MTU 65535 MTU 1500": STORED,
        "``StepDone`` of a worker: a step has ended": KEYS,
    },
    "doc/dpro-studies.rst": {
        "list-table": PAGE,
        "step fair-share, ms packet, ms fair-share, % packet, %": PAGE,
        "model way real, ms est., ms GB est.": PAGE,
        "model way time, % memory, % estimate, %": PAGE,
        "model real, GB estimated, GB error, %": PAGE,
        "gradients network Daydream fair-share packet error, %": PAGE,
        "model configuration packet, ms replay Daydream fair-share": PAGE,
        "model who iteration, ms forward backward": PAGE,
        "machines aligned 0 as is 0 aligned 1 as is 1 aligned 10 as is 10": PAGE,
        "strategy what it is": KEYS,
        "strategy resnet50, f.-s. resnet50, packet googlenet, f.-s. googlenet, ": PAGE,
        "model strategy XLA, f.-s. XLA, packet Horovod, f.-s. Horovod, packet": PAGE,
        "strategy what it is (2)": KEYS,
        "model strategy ops of a kind order and slices": PAGE,
        "strategy resnet50, f.-s. resnet50, packet googlenet, f.-s. googlenet,  (2)": PAGE,
        "model strategy XLA, f.-s. XLA, packet BytePS, f.-s. BytePS, packet": PAGE,
        "model search replays M ops step, ms": PAGE,
        "model + coarsened view + partial replay + symmetry": PAGE,
        "model strawman + coarsened view + partial replay + symmetry": PAGE,
        "W packet, ms replay elsewhere Daydream fair-share": PAGE,
        "W XLA Horovod ops tensors both both over XLA": PAGE,
    },
    "doc/extending.rst": {"list-table": KEYS},
    "doc/fast-forward.rst": {
        "case with CPU, s then factor end by time mean max": STORED,
        "case with CPU, s then factor end by time mean max (2)": STORED,
        "case with CPU, s then factor samples/s then change, %": STORED,
        "job W with GB CPU, s MB/s of CPU memory, MB skipped, %": STORED,
    },
    "doc/faults.rst": {"fault meaning": KEYS, "fault packet fair-share": KEYS},
    "doc/fidelity.rst": {
        "cases repeats n f.-share mean burst mean n packet mean": PAGE,
        "engine batch model queue M start W real error repeats": PAGE,
        "engine without fair mean FIFO mean": PAGE,
        "left out f.-s., none f.-s., c f.-s., c n/cores f.-s., c n/cores, first": PAGE,
        "kind cases f.-share most burst most cases packet most": PAGE,
        "batch model queue M start W real repeats f.-s. burst packet": PAGE,
        "cases repeats n f.-share mean n burst mean n packet mean": PAGE,
        "algorithm ports size f.-s., 2 b., 2 p., 2 f.-s., 4 b., 4 p., 4 f.-s., ": PAGE,
        "kind cases f.-share most burst most cases packet most (2)": PAGE,
        "cases n repeats p90 f.-share p90 mean packet p90 mean": PAGE,
        "cases n repeats p90 f.-share p90 mean packet p90 mean (2)": PAGE,
        "engine model queue M start W real predicted error repeats": PAGE,
        "engine model queue M start W real predicted error repeats (2)": PAGE,
        "connections for W n p10 median p90 never above 4": PAGE,
        "queue engine step 0 step 1 step 2 step 4 step 6 step 8 step 11": PAGE,
        "queue W real f.-share 1 ms packet 1 ms": PAGE,
        "rate W=1 W=2 W=4 W=8 s/GB, W=1 s/GB, W=2 s/GB, W=4 s/GB, W=8": PAGE,
        "model queue M start W real repeats f.-s. packet f.-s. packet": PAGE,
    },
    "doc/flow-control.rst": {
        "``grant`` the receiver announces ``window_rule``": KEYS,
    },
    "doc/icpe-studies.rst": {
        "list-table": PAGE,
        "batch W=1 W=2 W=4 W=5 W=7 W=10 from paper": PAGE,
        "job measuring, s profiling predicting factor": PAGE,
        "job engine step, ms down, ms busy, % up, ms busy, %": PAGE,
        "panel order window packet, s f.-share, s %": PAGE,
        "\\ turns, stream:MB": PAGE,
        "1 Gbit/s % known window 28 MB the paper": PAGE,
        "10 Gbit/s % known window 28 MB the paper": PAGE,
        "job W packets fair-share, % Lin, % Cynthia, %": PAGE,
        "steps fair-share fair-share, 1/64 packet, 1/64": PAGE,
        "job W packets fair-share, % Lin, % Cynthia, % (2)": PAGE,
        "job W packets fair-share, % Lin, % Cynthia, % (3)": PAGE,
        "job W packets fair-share, % Lin, % Cynthia, % (4)": PAGE,
        "job W packets fair-share, % Lin, % Cynthia, % (5)": PAGE,
        "W vgg11, packet fair-share inception-v3, packet fair-share": PAGE,
        "server MB the paper its largest tensors": PAGE,
    },
    "doc/importing.rst": {
        "format files options": KEYS,
        "runs key told refused held, of the told 95 % held, of all median width": STORED,
        "trace tensors bytes ops steps measured replay diff idle MB/s MB": STORED,
        "\\ AlexNet Li et al. GoogLeNet Li et al.": STORED,
    },
    "doc/learning.rst": {"``--problem`` what it is": KEYS},
    "doc/matched-comparison.rst": {"effect parts": KEYS, "effect what goes how": KEYS},
    "doc/networks.rst": {
        "value how": KEYS,
        "multipath fair-share packet": FRESH,
        "``{drop_tail: SIZE}`` one FIFO of so many bytes; drops what does not f": KEYS,
        "queue servers burst packet timeouts of bursts timeouts of packets full": STORED,
        "port engine runs timeouts recoveries sent again": STORED,
        "combination why": KEYS,
        "what packet fair-share": KEYS,
        "column meaning": KEYS,
    },
    "doc/order-efficiency.rst": {"shape, order optimal mean gap worst gap": FRESH},
    "doc/order-studies.rst": {
        "list-table": PAGE,
        "list-table (2)": PAGE,
        "fair-share, tic W=1 W=2 W=4 W=8 W=16": PAGE,
        "packet, tic W=1 W=2 W=4 W=8 W=16": PAGE,
        "fair-share, tac W=1 W=2 W=4 W=8 W=16": PAGE,
        "packet, tac W=1 W=2 W=4 W=8 W=16": PAGE,
        "W wait none tac step none tac E none tac": PAGE,
        "model order W gap time, none time, order": PAGE,
        "fair-share start W=2 W=4 W=8 W=16": PAGE,
        "packet start W=2 W=4 W=8 W=16": PAGE,
        "model workload W=2 W=4 W=8 W=16": PAGE,
        "model workload M=1 M=2 M=4": PAGE,
        "model workload batch x 0.5 batch x 1 batch x 2": PAGE,
        "model fair-share packet": PAGE,
        "model workload none: mean min max TIC: mean min max": PAGE,
        "model workload none: mean max TIC: mean max": PAGE,
        "workload order E deviation, % normalised step, 95 %": PAGE,
        "order loss at the end differs by s faster, %": PAGE,
        "order by hand, s fair-share, s packet, s": PAGE,
        "model tensors MiB ops, inference/training batch": PAGE,
        "profile W=1 W=2 W=4 W=8 err 1 err 2 err 4 err 8": PAGE,
        "queue order W=1 W=2 W=4 W=8 err 1 err 2 err 4 err 8": PAGE,
        "profile W=1 W=2 W=4 W=8 err 1 err 2 err 4 err 8 (2)": PAGE,
        "profile window W=1 W=2 W=4 gain 1 gain 2 gain 4": PAGE,
        "Gbit/s fifo p3 paper bytescheduler paper prophet paper": PAGE,
        "Gbit/s fifo p3 bytescheduler prophet": PAGE,
        "limit fifo p3 bytescheduler prophet": PAGE,
        "order, engine W=2 W=4 W=6 W=8": PAGE,
        "model batch prophet bytescheduler gain, %": PAGE,
        "Gbit/s fifo p3 bytescheduler prophet (2)": PAGE,
        "order wait transfer both gradient 30, both": PAGE,
        "order GPU busy, % network, MB/s": PAGE,
        "partition, MB 3 Gbit/s 10 Gbit/s": PAGE,
        "credit, MB 3 Gbit/s 10 Gbit/s": PAGE,
        "ports model engine W=1 W=2 W=4 W=8": PAGE,
        "ports model start fair-share packet": PAGE,
    },
    "doc/packages.rst": {
        "|ns3| where C++, compiler what passed when ``./dml test``": STORED,
        "what as ``./dml test`` says it Debian packages when tested": KEYS,  # the test optional-things
    },
    "doc/parallel.rst": {
        "command what it does": KEYS,
        "engine default optimised ratio (range over the pairs)": STORED,
        "delay 1 process 2 ranks ratio (of the pairs)": STORED,
    },
    "doc/performance-bench.txt": {"list-table": STORED},
    "doc/performance.rst": {
        "kind expected, s spent, s ratio": STORED,
        "list-table": KEYS,
        "list-table (2)": KEYS,
        "list-table (3)": STORED,
        "M ops per CPU second before after after/ CPU per op, W=256": STORED,
        "M ops per CPU second W=8 W=64 W=512 W=4096": STORED,
        "what before after ratio": STORED,
        "change, and why figures (M ops per CPU second; paired medians)": STORED,
        "W MTU bytes BulkSend before after ratio before ratio after": STORED,
        "change 1500, 5 MB 9000, 10 MB 65535, 30 MB": STORED,
        "CPU time of the packet engine against W = 1 W = 4": STORED,
        "ns-3: internet 24.3 %": STORED,
        "function, without what it calls": STORED,
        "function of dml, with what it calls": STORED,
        "what before after": STORED,
    },
    "doc/profile-format.rst": {
        "key required value": KEYS, "``name`` unique": KEYS, "kind meaning": KEYS,
        "``tensors`` names of the tensors, which all have a ``push``; each in o": KEYS,
        "key of kinds bytes, 0 if it is left out": KEYS,
    },
    "doc/memory.rst": {
        "parameters always; with them the profile's ``resident_bytes``": KEYS,
        "model profile trained predicted measured error": STORED,
    },
    "doc/optimize.rst": {
        "pass what it proposes": KEYS,
        "model network best DDP, % Horovod, % search, s": STORED,
        "model network best TensorFlow, % BytePS, % search, s": STORED,
        "job best against promised, % real, %": STORED,
        "model W search s replays M ops step, ms": STORED,
        "pass what it proposes (2)": KEYS,
    },
    "doc/replay.rst": {
        "model clock off by, ms aligned, % as recorded, %": STORED,
        "job W step, s replay, % Daydream, % fair-share, % forward backward": STORED,
    },
    "doc/server-cost.rst": {
        "GPU fitted to points alpha, ns/byte beta, us/tensor cores before fitte": STORED,
    },
    "doc/sharded.rst": {
        "algorithm reduce-scatter, all-gather": KEYS,
        "``job.sharded`` seconds": KEYS,
        "protocol ``job.sharded`` fair-share burst packet": STORED,
    },
    "doc/stopping.rst": {
        "``job.`` default meaning": KEYS,
        # and its first rows FRESH
        "case W engine sure steps of the runs saved CPU, s, of deviation of the": STORED,
    },
    "doc/sync-studies.rst": {
        "list-table": PAGE,
        "GPU 1 8 16 32 48 64 96 128": PAGE,
        "cores 8: 1 32 % 32: 1 32 % 128: 1 32 % 512: 1 32 %": PAGE,
        "variant engine last 5 first 1 batch sizes s": PAGE,
        "engine V100 M60 K80 K520": PAGE,
        "variant engine before after s s s": PAGE,
        "variant V100 M60 K80 K520": PAGE,
        "variant V100 M60 K80 K520 (2)": PAGE,
        "variant last 5 first 1 s first ten, % in the end, %": PAGE,
        "cluster BSP, ms ASP SSP, 5 LB-BSP to ASP": PAGE,
        "the paper model % here, Inception-v3 %": PAGE,
        "rates scheme rate s/gradient gradients s": PAGE,
        "rates scheme 1 epoch 3 epochs 7 epochs": PAGE,
        "scheme s over BSP paper waiting, %": PAGE,
        "scheme packet, s f.-share, s % over BSP over BSP": PAGE,
        "predictor error over last iteration over last": PAGE,
        "W BSP, s pause 5 % 95 % iteration": PAGE,
        "GPU, Gbit/s M W=1 x, 2 x, 4 x, 8 x, 16 from": PAGE,
        "class M x, 2 x, 4 x, 8 x, 16": PAGE,
        "class M W=1 W=2 W=4 W=8 W=16": PAGE,
        "engine V100 M60 K80 K520 (2)": PAGE,
        "engine last 5 first 1 s first ten, % in the end, %": PAGE,
        "engine BSP, ms ASP SSP, 5 LB-BSP to ASP": PAGE,
    },
    "doc/synchronisation.rst": {
        "``job.sync`` a gradient is applied a worker begins its next step": KEYS,
        "``job.sync`` the others a worker that comes back": KEYS,
    },
    "doc/testbed.rst": {
        "taken from the run, step by step how": KEYS,
        "the same for all runs value": KEYS,
        "run measured fair-share packet": STORED,
        "run 28 MB: throughput, p50, p90 32 MiB: throughput, p50, p90": STORED,
        "run steps links % slower steps % longer": STORED,
    },
    "doc/transfer-order.rst": {
        "policy order": KEYS,
        "``p3`` strict priority, one slice on its way at a time. The next one i": KEYS,
    },
    "doc/tcp.rst": {
        "key what Linux does": KEYS,
        "without fair, together fair, apart FIFO, together FIFO, apart CPU, s": STORED,
        "quantity host linux plain fair-share": STORED,
        "W incasts first done simulated median done simulated spread memory": STORED,
        "W incasts first done simulated median done simulated spread memory (2)": STORED,
        "W runs share, % equal, % weight least most": STORED,
    },
    "doc/transports.rst": {
        "at bytes meaning": KEYS,
        "kind name goes body and numbers": KEYS,
    },
    "doc/why.rst": {"part what the worker waits for": KEYS},
    "doc/bursts.rst": {
        "part what it does, and where that is from": KEYS,
        "effect fair-share burst packet host": KEYS,
        "port cells max-min: median largest drop-tail: median largest bursts: m": RENDERED,
        "cell max-min drop-tail bursts": RENDERED,
        "port cells fair-share median <= 2 % <= 5 % bursts median <= 2 % <= 5 %": RENDERED,
        "cell gain fair-share bursts": RENDERED,
        "dropped at ports engine timeouts recoveries retransmissions drops": RENDERED,
        "dropped port Gbit/s W engine spread in 5 spread in 80 first done last ": RENDERED,
        "acknowledgements meet data in port Gbit/s W engine spread in 5 spread ": RENDERED,
        "port Gbit/s W spread in 5 bursts spread in 80 bursts first done bursts": RENDERED,
        "port W 0.1 0.3 1 3 10 25 power persists": RENDERED,
        "quantity one connections size off by, %": RENDERED,
        "left out error of the spread, %": RENDERED,
        "spread by, drain times ports too large by, % off by, %": RENDERED,
        "port Gbit/s W share in 5 bursts share in 20 bursts share in 80 bursts": RENDERED,
        "W drop-tail +- bursts +- CPU, s GB/s": RENDERED,
        "W packets +-": RENDERED,
        "W by n 0.1 s 10 % 50 % 90 % n 0.4 s 50 ms 0.8 s 0.1 0.4 0.8": RENDERED,
        "job W bursts +- fair-share scaled scaled, 8 steps": RENDERED,
        "engine BSP, ms ASP SSP, 5 LB-BSP to ASP": RENDERED,
    },
    "doc/fabrics.rst": {
        "job ratio even ECMP worst late packets: ECMP worst flowlets 50us flowl": RENDERED,
        "job ratio even packets out of order sent again bursts out of order sen": RENDERED,
        "workers on a host engine ring halving-doubling hierarchical": RENDERED,
        "network cards engine ring halving-doubling hierarchical 8 servers": RENDERED,
        "gradients models with headers, MB burst packet": RENDERED,
        "rate engine ring hierarchical servers": RENDERED,
        "job W GB a step CPU, s a step memory, MB": RENDERED,
    },
    "doc/phase-locking.rst": {
        "ports W M = 1 M = 2 M = 4 M = 8": RENDERED,
        "MB MB step 0 step 1 step 2 step 3 step 4": RENDERED,
        "MB MB lag engine 1st pull 1st push 2nd pull 2nd push": RENDERED,
        "MB on each server W = 4 W = 8 W = 16": RENDERED,
        "M ports W 0.25 0.5 1 2 4": RENDERED,
        "M ports W 0.25 0.5 1 2 4 (2)": RENDERED,
        "model W M ports ratio fair-share, % packets, % order, fair-share order": RENDERED,
        "engine M = 1 M = 4 difference order, M = 1 order, M = 4": RENDERED,
        "M steps % longer after 2 after 4": RENDERED,
        "engine M = 1 M = 4 difference order, M = 1 order, M = 4 (2)": RENDERED,
        "engine runs M = 1 M = 4 difference order, M = 1 order, M = 4": RENDERED,
        "hosts tensors M ports W = 2 W = 4 W = 8 W = 16": RENDERED,
        "ports hosts tensors fair-share order packets order slices less whole": RENDERED,
    },
    "doc/validation.rst": {
        "ports round trips cells steps, %: median max <= 2 <= 5 <= 10 throughpu": RENDERED,
        "ports what within 2 % within 5 % within 10 %": RENDERED,
        "factor level cells steps, %: median max <= 2 <= 5 <= 10 throughput, %:": RENDERED,
        "change 1 + bias 95 %": RENDERED,
        "change with 1 + bias 95 %, of all pairs at once": RENDERED,
        "ports phase others cells % longer": RENDERED,
        "ports cells 1 step 2 steps 4 steps 8 steps": RENDERED,
        "ports cells spread of packets / fair-share's correlation of pairs": RENDERED,
        "model mode W M Gbit/s ratio port round trips links % steps % throughpu": RENDERED,
    },
    "doc/validation-scaled.rst": {
        "port M model W = 1 W = 2 W = 4 W = 8": PAGE,
        "ports W cases median p90 max mean": PAGE,
        "\\ change of ports median p90 mean worst where": PAGE,
        "model W real runs packets % fair-share %": STORED,
        "port RTT M cases median p90 max mean": PAGE,
        "port W cases median p90 max mean": PAGE,
        "\\ change of port or path median p90 mean worst where": PAGE,
        "model scale full MB scaled MB batch": PAGE,
        "queue network.queue MTU W min. RTO cases": PAGE,
        "queue RTT M cases median p90 max mean": PAGE,
        "queue window cases median p90 max mean": PAGE,
        "queue W cases median p90 max mean": PAGE,
        "queue RTT M cases median p90 max": PAGE,
        "queue RTT W cases mean p90 worker 0 lowest": PAGE,
        "model W cases drops sent again timeouts recoveries median lowest": PAGE,
        "queue cases drops sent again timeouts recoveries": PAGE,
        "\\ change median p90 mean worst where": PAGE,
        "queue window pairs packet p90 mean f.-share p90 mean": PAGE,
        "queue RTT case f.-s. packet error shares drops RTOs": PAGE,
        "queue M cases equal max max-min max fifo max": PAGE,
        "queue W cases equal max max-min max fifo max": PAGE,
        "queue model cases CPU s wall s state": PAGE,
    },
}

def headings(page, source):
    return [heading for heading, of in TABLES[page].items() if of == source]


def run(*command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False, cwd=ROOT, env=dict(os.environ, DML_ROOT=ROOT))
    if done.returncode:
        raise AssertionError(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def program(*path):
    found = os.path.join(BUILD, *path)
    if not os.path.exists(found):
        raise unittest.SkipTest(f"{found} is not built")
    return found


class Inventory(unittest.TestCase):
    def test_every_table_is_listed(self):
        for page in pages():
            self.assertEqual(list(tables(read(page))), list(TABLES.get(page, {})),
                             f"{page}: tables that it has, and those that TABLES says it has")
        self.assertLessEqual(set(TABLES), set(pages()))

    def test_all_kinds_of_tables_are_found(self):
        text = ("=  =\na  b\n=  =\n1  2\n=  =\n\n+--+--+\n|c |d |\n+--+--+\n\n.. csv-table:: x\n\n"
                "   1, 2\n\n| e | f |\n|---|---|\n| 1 | 2 |\n\n=  =\na  b\n=  =\n")
        self.assertEqual(list(tables(text)), ["a b", "c d", "csv-table", "e f", "a b (2)"])

    def test_cells(self):
        self.assertEqual(cells(["==  ====", "a   b", "==  ====", "1   2 s", "x", "==  ===="]),
                         [["1", "2 s"], ["x", ""]])


class StoredTables(unittest.TestCase):
    def test_tables_are_as_stored(self):
        with open(os.path.join(DATA, "measured.json"), encoding="utf-8") as file:
            entries = json.load(file)
        for page in TABLES:
            found = tables(read(page))
            mine = [entry for entry in entries if entry["page"] == page]
            self.assertEqual([found[heading] for heading in headings(page, STORED)],
                             [entry["lines"] for entry in mine], page)
        for entry in entries:
            self.assertIn(entry["page"], TABLES)
            self.assertRegex(entry["date"], r"^\d{4}-\d\d-\d\d$")
            self.assertTrue(entry["command"])


class Pages(unittest.TestCase):
    """Pages that tools write are what they write from what is stored."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def copy(self, label):
        """The page's path in a folder with what it is made from, and what is stored of others."""
        os.makedirs(os.path.join(self.folder, "data"))
        for name in os.listdir(DATA):
            shutil.copy(os.path.join(DATA, name), os.path.join(self.folder, "data"))
        for name in os.listdir(os.path.join(ROOT, "doc")):
            if name.startswith(label) and name.endswith((".rst.in", "-coverage.json")):
                shutil.copy(os.path.join(ROOT, "doc", name), self.folder)
        return os.path.join(self.folder, label + ".rst")

    def compare(self, label, text):
        page = f"doc/{label}.rst"
        self.assertMultiLineEqual(read(page), text, f"{page} is not what its tool writes")
        parts = stored.read(os.path.join(ROOT, page)).values()
        have = [lines for part in parts for lines in part.tables.values()]
        for heading in headings(page, PAGE):
            self.assertIn(tables(read(page))[heading], have, f"{page}: {heading}")
        for part in parts:
            self.assertRegex(part.date, r"^\d{4}-\d\d-\d\d$")
            self.assertTrue(part.command)

    def study_page(self, label, *how):
        doc = self.copy(label)
        notes = order_page.write(os.path.join(self.folder, "no-results"), doc, *how)
        with open(doc, encoding="utf-8") as file:
            self.compare(label, file.read())
        with open(stored.path_of(doc), encoding="utf-8") as file:
            self.assertMultiLineEqual(file.read(), read(f"doc/data/{label}.json"))
        return notes

    def test_order_studies(self):
        notes = self.study_page("order-studies")
        self.assertEqual([note.partition(":")[0] for note in notes], list(order_page.STUDIES))

    def test_icpe_studies(self):
        self.study_page("icpe-studies", icpe_page.STUDIES, IcpeResults, icpe_page.LABEL)

    def test_fidelity(self):
        self.study_page("fidelity", {study.NAME: study for study in (host, held_out, collectives)}, FidelityResults, "fidelity")

    def test_sync_studies(self):
        self.study_page("sync-studies", sync_page.STUDIES, SyncResults, sync_page.LABEL)

    def test_dpro_studies(self):
        try:
            from dpro_studies import page as dpro_page
            from dpro_studies.results import Results as DproResults
        except ImportError as error:
            raise unittest.SkipTest(f"dpro-studies needs python3-yaml: {error}") from error
        shutil.copy(os.path.join(ROOT, "doc", "dpro-studies-coverage.json"), self.folder)
        self.study_page("dpro-studies", dpro_page.STUDIES, DproResults, dpro_page.LABEL)

    def test_validation(self):
        parts = stored.read(os.path.join(ROOT, "doc", "validation-scaled.rst"))
        template = read("doc/validation-scaled.rst.in")
        self.compare("validation-scaled", document.fill("validation-scaled.rst.in", template,
                                                 *document.joined(parts)))


def predictor_rows(text):
    """{(disturbance, predictor): [(mean, +-) of error, iteration/BSP, error saved, time saved]}."""
    found, disturbance = {}, None
    for line in text.splitlines()[1:]:
        if not line.startswith("  "):
            disturbance = line
            continue
        values = re.findall(r" (-?[\d.]+) \+- ([\d.]+)", line)
        found[disturbance, line.split()[0]] = [(float(mean), float(half)) for mean, half in values]
    return found


DISTURBANCES = ("no spikes", "spikes of 1 s every 30 s", "spikes of 1 s every 3 s")


class SpeedPredictors(unittest.TestCase):
    """doc/batch-size-control.rst: how well speeds are predicted."""

    def setUp(self):
        self.page = read("doc/batch-size-control.rst")
        self.rows = predictor_rows(read("doc/data/speed-predictors.txt"))

    def test_table(self):
        predictors = list(dict.fromkeys(predictor for _, predictor in self.rows))
        for column, heading in enumerate(("error", "iteration / BSP")):
            expected = [[predictor, *(f"{self.rows[case, predictor][column][0]:.3f} +- "
                                      f"{self.rows[case, predictor][column][1]:.3f}" for case in DISTURBANCES)]
                        for predictor in predictors]
            rows = cells(tables(self.page)[f"{heading} no spikes a spike every 30 s a spike every 3 s paper"])
            self.assertEqual([row[:-1] for row in rows], expected)

    def test_times(self):
        """Of updates, in --timing's output."""
        rows = cells(tables(self.page)["ms per update no spikes a spike every 30 s a spike every 3 s longest"])
        found, longest = {row[0]: [] for row in rows}, dict.fromkeys((row[0] for row in rows), 0.0)
        for line in read("doc/data/speed-predictors-timing.txt").splitlines():
            said = re.search(r"^  (\w+) .* ms of CPU per update (\S+ \+- \S+), longest (\S+)$", line)
            if said:
                found[said[1]].append(said[2])
                longest[said[1]] = max(longest[said[1]], float(said[3]))
        self.assertEqual(rows, [[name, *values, f"{longest[name]:.1f}"] for name, values in found.items()])

    def test_claims(self):
        """What the text says of NARX against the last speed, with its intervals."""
        for case in ("spikes of 1 s every 30 s", "spikes of 1 s every 3 s"):
            for mean, half in self.rows[case, "narx"][2:]:
                self.assertIn(f"{mean:.1f} +- {half:.1f} %", " ".join(self.page.split()))
        replications = read("doc/data/speed-predictors.txt").split()[0]
        self.assertIn(f"means of {replications} replications", " ".join(self.page.split()).lower())

    def test_in_a_network(self):
        """doc/sync-studies.rst: with a network the ratios are about those without."""
        part = stored.read(os.path.join(ROOT, "doc", "sync-studies.rst"))["shared-cpus"]
        ratios = {row[0]: float(row[2].split()[0]) for row in cells(part.tables["times"])}
        rows = {"last": "LB-BSP, last", "ema": "LB-BSP, EMA", "narx": "LB-BSP, NARX"}
        for name, row in rows.items():
            alone = self.rows["spikes of 1 s every 30 s", name][1][0]
            self.assertAlmostEqual(ratios[row], alone, delta=0.03, msg=name)

    @unittest.skipUnless(BUILD, "needs DML_BUILD_FOLDER")
    def test_fresh(self):
        """The program still says what it said, in a small version."""
        fresh = run(program("examples", "dml-speed-predictors"), "--warmup=100",
                    "--iterations=130", "--replications=2")
        self.assertMultiLineEqual(
            fresh, read("doc/data/speed-predictors-small.txt"),
            "make doc/data/speed-predictors*.txt again, and the page from it")


@unittest.skipUnless(BUILD, "needs DML_BUILD_FOLDER")
class Fresh(unittest.TestCase):
    def test_devices(self):
        profiles = [f"scenarios/profiles/alexnet-b{batch}.yaml" for batch in (4, 8, 16)]
        fresh = tables(run(sys.executable, "tools/scaling-error", *profiles))
        page = tables(read("doc/devices.rst"))
        for heading in headings("doc/devices.rst", FRESH):
            self.assertEqual(page[heading], fresh[heading])

    def test_order_efficiency(self):
        """How often orders are optimal: what a unit test prints, in two digits."""
        text = run(program("test", "dml-unit-tests"), "--gtest_filter=*TransferOrderOptimality*")
        found = re.findall(r"(\w+): optimal in (\d+ of 60) steps, above the best by ([\d.]+) % on "
                           r"average, ([\d.]+) % at most", text)
        [heading] = headings("doc/order-efficiency.rst", FRESH)
        rows = cells(tables(read("doc/order-efficiency.rst"))[heading])
        names = [f"{shape}, {order}" for shape in ("chain", "two branches", "any graph")
                 for order in ("as listed", "TIC", "TAC")]

        def short(value):
            return f"{float(value):.2g} %" if float(value) >= 1 else (
                f"{float(value):.1f} %" if float(value) else "0")

        self.assertEqual(rows, [[name, optimal, short(mean), short(worst)]
                                for name, (_, optimal, mean, worst) in zip(names, found)])

    def prophet(self, sweep):
        """samples/s of scenarios/prophet with ByteScheduler, in the fair-share engine."""
        with tempfile.TemporaryDirectory() as folder:
            run(program("dml"), "run", "scenarios/prophet", "--engine=fair-share",
                f"--set=sweep={{transfer.policy: [bytescheduler], {sweep}}}",
                "--set=output.plots=false", "--set=output.trace=false", f"--out={folder}/results")
            with open(f"{folder}/results/summary.json", encoding="utf-8") as file:
                return [case["engines"]["fair-share"]["mean"] for case in json.load(file)["cases"]]

    def test_prophet(self):
        """doc/order-studies.rst: no credit hides the overhead of slices; what a small one does."""
        page = " ".join(read("doc/order-studies.rst").split())
        found = self.prophet("network.rate: [3Gbps], "
                             "transfer.slice_overhead: [0s, 2ms, 10ms, 30ms]")
        self.assertIn("have {:.1f}, {:.1f}, {:.1f} and {:.1f} samples/s".format(*found), page)
        found = self.prophet("network.rate: [10Gbps], transfer.credit: [1B, 16MB]")
        self.assertIn("{:.1f} instead of {:.1f} samples/s".format(*(each / 3 for each in found)),
                      page)

    def test_stopping(self):
        """The flagship study at full size in the fair-share engine: runs, steps, savings, throughput."""
        with tempfile.TemporaryDirectory() as folder:
            run(program("dml"), "run", "scenarios/alexnet-1gbps/full.yaml", "--engine=fair-share",
                "--set=network.transport=ideal", "--set=network.queue=0B", "--set=network.mtu=65535",
                "--set=network.tcp.trains=false", "--set=packet.fast_forward=false",
                "--set=fair_share.one_way_delay=0s",
                "--set=job.steps=auto", "--set=job.warmup=auto", "--set=output.plots=false",
                "--set=output.trace=false", "--set=output.transfers=false",
                f"--out={folder}/results")
            with open(f"{folder}/results/summary.json", encoding="utf-8") as file:
                cases = json.load(file)["cases"]
        [heading] = headings("doc/stopping.rst", STORED)
        rows = [row for row in cells(tables(read("doc/stopping.rst"))[heading])
                if row[0] == "async" and row[2] == "fair-share"]
        self.assertEqual(len(rows), len(cases))
        for (_, workers, _, sure, steps, saved, _, deviation, _), case in zip(rows, cases):
            engine = case["engines"]["fair-share"]
            stop = engine["stop"]
            runs = [int(count or 1) * int(each) for count, each in
                    re.findall(r"(?:(\d+) x )?(\d+)", steps)]
            total = sum(runs) if "x" in steps else stop["runs"] * runs[0]
            self.assertEqual((int(workers), sure, total, saved),
                             (case["workers"], f"{stop['sure']}/{stop['runs']}", stop["steps"],
                              f"{100 * stop['saved_share']:.0f} %"))
            off, long_run = re.match(r"([+-]?[\d.]+) % \(([\d.]+)\)", deviation).groups()
            self.assertAlmostEqual(engine["mean"] / float(long_run) - 1, float(off) / 100,
                                   delta=0.003)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Congestion controls by name and by TypeId, of the network, of jobs and of background flows: the same class gives the
# same bytes wherever it is named, jobs have their own on one port, and engines refuse or tell what they do not know.
# usage: dml-congestion-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

cat >marks.yaml <<'END'
replications: 1
job: {profile: tiny.profile.yaml, workers: 2, steps: 12, warmup: 2, sync: bsp}
network: {topology: dumbbell, queue: {ecn: 1MB, threshold: 20 packets}}
output: {trace: false, plots: false, links: false}
END
cp marks.yaml two.yaml
cat >>two.yaml <<'END'
other_jobs: [{profile: tiny.profile.yaml, workers: 2, sync: bsp}]
END
# study OUT ARGUMENT...: run it
study()
{
    local out=$1
    shift
    "$PROGRAM" run "$@" --out "$out" --force >out.txt 2>err.txt </dev/null || fail "$*: $(cat err.txt)"
}
# same OUT OUT: both have the same results
same()
{
    for file in steps.csv transfers.csv network.csv; do
        cmp "$1/$file" "$2/$file" || fail "$file of $1 and $2"
    done
}
# differs OUT OUT
differs()
{
    cmp -s "$1/steps.csv" "$2/steps.csv" && fail "the steps of $1 and $2 are the same"
    return 0
}

# A name, its TypeId, the same with a default attribute, and the job's own: one and the same run.
P=(marks.yaml --engine=packet)
study dctcp "${P[@]}" --set network.tcp=dctcp
study type "${P[@]}" --set 'network.tcp={type: "ns3::TcpDctcp"}'
same dctcp type
study default "${P[@]}" --set 'network.tcp={variant: {type: "ns3::TcpDctcp", DctcpShiftG: 0.0625}}'
same dctcp default
study own "${P[@]}" --set job.tcp=dctcp
same dctcp own
study cubic "${P[@]}"
study linux "${P[@]}" --set network.tcp.type=ns3::dml::LinuxCubic
same cubic linux
differs cubic dctcp
study gentle "${P[@]}" --set network.tcp.type=ns3::TcpDctcp --set network.tcp.DctcpShiftG=0.5
differs dctcp gentle
# what a map says beside it holds, too
study validated "${P[@]}" --set 'network.tcp={type: "ns3::TcpDctcp", initial_window: 2}'
study named "${P[@]}" --set 'network.tcp={variant: dctcp, initial_window: 2}'
same validated named
differs dctcp validated
# what results say can be run again
python3 -c 'import json; print(json.dumps(json.load(open("gentle/summary.json"))["scenario"]))' >echo.yaml
study echo echo.yaml --engine=packet
same gentle echo

# A class of ns-3 without a name of ours, and a threshold in packets that is the same in bytes.
study ledbat "${P[@]}" --set 'network.tcp={type: "ns3::TcpLedbat", TargetDelay: 1ms}'
differs cubic ledbat
study bytes "${P[@]}" --set network.queue.threshold=30000
same cubic bytes

# Jobs with their own: the one alone has another result than with that of the other.
for engine in packet burst; do
    T=(two.yaml --engine=$engine)
    study both "${T[@]}" --set job.tcp=dctcp --set other_jobs[0].tcp=dctcp
    study first "${T[@]}" --set job.tcp=dctcp --set other_jobs[0].tcp=linux-reno
    study second "${T[@]}" --set job.tcp=linux-reno --set other_jobs[0].tcp=dctcp
    study network "${T[@]}" --set network.tcp=linux-reno --set other_jobs[0].tcp=dctcp
    differs both first
    differs first second
    same second network
    python3 - $engine <<'END' || fail "$engine: $(cat both/network.csv)"
import csv
import sys
for case in ("both", "first", "second"):
    rows = list(csv.DictReader(open(case + "/network.csv")))
    assert sum(int(row["marked"]) for row in rows) > 0, case
    # of CUBIC and Reno, ACKs cannot be marked
    assert case != "both" or sum(int(row["dropped"]) for row in rows) == 0, case
    assert 20 * 1500 <= max(int(row["fullest_queue"]) for row in rows if row["link"].startswith("left->")), case
END
done

# Background flows: what they have matters to whom they meet.
FLOW='{from: worker0, to: ps0, bulk: true'
study plain "${P[@]}" --set "network.background=[$FLOW}]"
study flow "${P[@]}" --set "network.background=[$FLOW, tcp: linux-reno}]"
differs plain flow
study one marks.yaml --engine=burst --set "network.background=[$FLOW}]"
study other marks.yaml --engine=burst --set "network.background=[$FLOW, tcp: linux-reno}]"
differs one other

# To fair-share it is all one, which it says; bursts refuse what they have no model of, hosts what is no kernel's.
study share two.yaml --engine=fair-share
study shared two.yaml --engine=fair-share --set other_jobs[0].tcp=dctcp
cmp share/steps.csv shared/steps.csv || fail "fair-share heeds congestion controls"
grep -qF "other_jobs[0].tcp: dctcp beside cubic" err.txt out.txt ||
    fail "no warning: $(cat err.txt out.txt)"
study types two.yaml --engine=fair-share --set other_jobs[0].tcp='{type: "ns3::TcpLedbat"}'
cmp share/steps.csv types/steps.csv || fail "fair-share heeds a class"
refused "found congestion control ns3::TcpLedbat, a class that only packets run" \
    run two.yaml --engine=burst --set other_jobs[0].tcp='{type: "ns3::TcpLedbat"}' --out no
refused "network.tcp: found ns3::TcpDctcp, a class of ns-3; the host engine accepts what a kernel may have: cubic, " \
    run marks.yaml --engine=host --set network.tcp.type=ns3::TcpDctcp --out no
refused "found ns3::TcpBbr, which collapses in the pauses of a job in ns-3" \
    run marks.yaml --engine=packet --set network.tcp.type=ns3::TcpBbr --out no

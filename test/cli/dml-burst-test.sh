#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# The engine that simulates TCP by bursts: on long paths, where windows decide, it agrees with packets for each protocol
# and after crashes; it counts what it loses, repeats itself, and refuses what it does not know.
# usage: dml-burst-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

cat >long.yaml <<'END'
replications: 1
job: {profile: tiny.profile.yaml, workers: 3, steps: 12, warmup: 0, step_jitter: 0s}
network: {delay: 5ms, queue: {fair: 0B}, tcp: {ack_jitter: 0s}}
output: {trace: false, plots: false, transfers: false, links: false}
END
# "$@": what more is to be set
agree() {
    local options=()
    for setting in "$@"; do options+=(--set "$setting"); done
    "$PROGRAM" run long.yaml --engine=fair-share,burst,packet "${options[@]}" --out both --force >out.txt 2>err.txt ||
        fail "$*: $(cat err.txt)"
    python3 - "$*" "${TOLERANCE-0.03}" <<'END' || fail "$*: $(cat out.txt)"
import json
import sys
case, = json.load(open("both/summary.json"))["cases"]
rule, burst, packet = (case["engines"][engine]["mean"] for engine in ("fair-share", "burst", "packet"))
assert abs(burst / packet - 1) < float(sys.argv[2]), (sys.argv[1], rule, burst, packet)
assert abs(case["packet_error"]["burst"]["mean"] - (burst / packet - 1)) < 1e-9
END
}
agree
agree job.sync=bsp
agree job.sync=bsp job.protocol=push-pull
agree job.parameter_servers=2
agree 'network.hosts={worker0: {delay: 20ms}}'
TOLERANCE=0.06 agree network.tcp.gso=0 # when lone segments at the end of a message are acknowledged
agree network.tcp=linux-reno
agree 'faults=[{crash: worker0, at: 500ms, rejoin: 300ms}]'
for algorithm in ring halving-doubling tree; do
    agree job.parameter_servers=0 job.protocol=all-reduce job.all_reduce.algorithm=$algorithm
done

# a port that drops: what is lost is counted, and everything arrives
DROPS=(--set 'network.queue={drop_tail: 64KB}' --set network.delay=10us --set job.workers=4 --set job.start=together)
"$PROGRAM" run long.yaml --engine=burst "${DROPS[@]}" --out drops >out.txt
python3 - <<'END' || fail "drops: $(cat drops/network.csv)"
import csv
import json
rows = list(csv.DictReader(open("drops/network.csv")))
run, = json.load(open("drops/summary.json"))["cases"][0]["engines"]["burst"]["replications"]
assert run["drops"] == sum(int(row["dropped"]) for row in rows) > 0, run["drops"]
assert 0.98 < run["retransmissions"] / run["drops"] <= 1 and run["fast_recoveries"] > 0, run  # some ACKs are dropped, too
assert all(int(row["fullest_queue"]) <= 64000 for row in rows)
assert sum(int(row["packets"]) for row in rows if row["link"] == "switch->ps0") > 0
END
"$PROGRAM" run long.yaml --engine=burst "${DROPS[@]}" --out again >/dev/null
for file in steps.csv network.csv throughput.csv; do
    cmp "drops/$file" "again/$file" || fail "the same run has written another $file"
done
# packets send again what is lost, and next to nothing else
"$PROGRAM" run long.yaml --engine=packet "${DROPS[@]}" --out packets >out.txt
python3 - <<'END' || fail "packets: $(cat out.txt)"
import json
run, = json.load(open("packets/summary.json"))["cases"][0]["engines"]["packet"]["replications"]
assert run["drops"] > 100 and 0.95 < run["retransmissions"] / run["drops"] < 1.05, run
END

"$PROGRAM" run long.yaml --engine=fair-share --set fair_share.sharing=bursts "${DROPS[@]}" --out rule >/dev/null
cmp <(cut -d, -f4- drops/steps.csv) <(cut -d, -f4- rule/steps.csv) || fail "the rule and the engine differ"

# the table and the plots have three engines
"$PROGRAM" run tiny.yaml --set network.transport=linux --set output.plots=true --engine=packet,fair-share,burst --out three >out.txt
fits out.txt
grep -q "errors against packet, % (interval):" out.txt || fail "no errors against packet: $(cat out.txt)"
[[ -s three/throughput.svg ]] || fail "no plot: $(ls three)"
"$PROGRAM" why three --check=none >why.txt || fail "why: $(cat why.txt)"

refused "--engine=burst: found hosts that are not those of Linux; accepted: transport linux" \
    run long.yaml --engine=burst --set network.transport=plain --set network.tcp=cubic
refused "--engine=burst: found congestion control vegas; accepted: cubic, linux-reno, dctcp" \
    run long.yaml --engine=burst --set network.tcp.variant=vegas
refused "fair_share.sharing: found 'bursts' with congestion control vegas" \
    check long.yaml --set network.tcp.variant=vegas --set fair_share.sharing=bursts
refused "--engine: found 'burst,'; accepted: " run long.yaml --engine=burst,

# the engine that is nearest to reality within a second of CPU a run, by forecasts: the same for all cases
auto()
{
    expected=$1
    shift
    "$PROGRAM" run --engine=auto --force --out auto "$@" >out.txt 2>err.txt || fail "auto $*: $(cat err.txt)"
    grep -q "^engine: $expected" out.txt || fail "auto $*: $(cat out.txt)"
    [[ $(tail -n +2 auto/steps.csv | cut -d, -f2 | sort -u) == "${expected%%[,;]*}" ]] || fail "auto $*: other engines ran"
}
auto 'packet, about ' tiny.yaml --set network.transport=linux
auto 'burst, about .*; packet: about ' tiny.yaml --set network.transport=linux --set job.steps=600
auto 'fair-share; packet: about .*; burst: refused, --engine=burst: found hosts that are not those of Linux' \
    tiny.yaml --set job.steps=600
refused "found --ranks 2 with --engine auto; accepted: --engine packet or " run tiny.yaml --engine=auto --ranks 2
refused "'check' has no --engine auto, which chooses what runs; accepted: fair-share, burst," check tiny.yaml --engine=auto

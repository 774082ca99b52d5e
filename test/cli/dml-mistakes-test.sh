#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# What the program says about human mistakes: `check` and `run` in the same words, and before and after
# a run.
# usage: dml-mistakes-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
QUIET=(--set output.plots=false --set output.trace=false --set job.workers=1)

# expect TEXT ARGUMENT...: the program exits with 2 and says TEXT on standard error
expect()
{
    local text=$1 found=0
    shift
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || found=$?
    [[ $found == 2 ]] || fail "dml $*: exit code $found: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "dml $*: no '$text' in: $(cat err.txt)"
}

# warnings FILE: the first block of warnings in it, up to an empty line or the end
warnings()
{
    sed -n '/^warning: /,/^$/p' "$1" | sed '/^$/,$d'
}

# A profile is no scenario.
for command in check run; do
    expect "tiny.profile.yaml:1:1: found a profile; accepted: a scenario, which names it as job.profile: tiny.profile.yaml ('dml order' takes the profile itself)" $command tiny.profile.yaml
done

# Where no folder can be made.
expect "/proc/x: cannot write results there" run tiny.yaml --out /proc/x
expect "/dev/null/x: cannot write results there" run tiny.yaml --out /dev/null/x

# Both commands warn of everything, in the same words, and the results keep them.
DOUBTS=(--set 'faults=[{loss: 0.00001}]' --set network.mtu=9000 --set job.parameter_servers=20
        --set transfer.policy=tic --set transfer.window=1000 --set network.rate=1GBps)
"$PROGRAM" check tiny.yaml "${QUIET[@]}" "${DOUBTS[@]}" >check.txt
"$PROGRAM" run tiny.yaml "${QUIET[@]}" "${DOUBTS[@]}" --out doubts >run.txt
warnings check.txt >check.warnings
warnings run.txt >run.warnings
diff check.warnings run.warnings
[[ $(grep -c '^warning: ' check.warnings) == 6 ]] || fail "not six: $(cat check.warnings)"
grep -qF -- '--set network.rate=1GBps: network.rate: found "1GBps", bytes per' check.warnings
grep -qF -- '--set job.parameter_servers=20: job.parameter_servers: 16 of 20' check.warnings
grep -qF -- '--set network.mtu=9000: network.mtu: packets of 9000 bytes can be' check.warnings
python3 - doubts/summary.json check.warnings <<'END'
import json, sys
notes = json.load(open(sys.argv[1]))["notes"]
said = " ".join(open(sys.argv[2]).read().split())
for note in notes[:6]:
    assert " ".join(note.split()) in said, note
END
"$PROGRAM" check tiny.yaml >plain.txt
if grep -q warning plain.txt; then
    fail "$(cat plain.txt)"
fi

# What would happen after the end is told by each engine; a run of either takes less than 10 s.
for engine in fair-share packet; do
    "$PROGRAM" run tiny.yaml "${QUIET[@]}" --engine=$engine --out late-$engine \
        --set 'faults=[{crash: worker0, at: 10s}]' >late.txt
    tr -s ' \n' ' ' <late.txt | grep -qF \
        "faults[0].at: 10 s is after the end of all 2 runs, the longest of which took" ||
        fail "$engine: $(cat late.txt)"
    "$PROGRAM" run tiny.yaml "${QUIET[@]}" --engine=$engine --out early-$engine \
        --set 'faults=[{crash: worker0, at: 1ms, rejoin: 1ms}]' >early.txt
    if grep -q 'after the end' early.txt; then
        fail "$engine: $(cat early.txt)"
    fi
done

# The full run is one of packets of 1500 bytes, whatever the scenario has.
for mtu in 1500 9000 65535; do
    "$PROGRAM" check tiny.yaml --set network.mtu=$mtu | grep '^  full run' >full-$mtu.txt
done
cmp full-1500.txt full-9000.txt
cmp full-1500.txt full-65535.txt
# 550256 bytes both ways in 100 steps of 1 + 3 workers and 2 replications: 880 MB
grep -qF 'MTU 1500, 100 steps, 2 replications: 880 MB' full-1500.txt

# One is not many.
"$PROGRAM" check tiny.yaml --set job.steps=1 --set job.warmup=0 >one.txt
grep -qF '1 step a worker' one.txt
if grep -qE '\b1 (steps|workers|servers|replications|variants|tensors)\b' one.txt; then
    fail "$(cat one.txt)"
fi
# A congestion control that collapses in ns-3 is refused by the packet engine alone, unless a key asks for it.
expect 'network.tcp.variant: found bbr, which collapses in the pauses of a job in ns-3' check tiny.yaml "${QUIET[@]}" \
    --engine=packet --set network.tcp.variant=bbr
"$PROGRAM" check tiny.yaml "${QUIET[@]}" --engine=fair-share --set network.tcp.variant=bbr >out.txt || fail "bbr, fair-share"
"$PROGRAM" check tiny.yaml "${QUIET[@]}" --engine=packet --set network.tcp.variant=bbr \
    --set packet.collapsing_tcp=true >out.txt || fail "bbr, asked for"
echo "passed"

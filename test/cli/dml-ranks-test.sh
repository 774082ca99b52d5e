#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# A run that is split over ranks gives the files of one that is not, byte for byte; what cannot be
# split is refused. A program without MPI refuses all of it, and says what to do.
# usage: dml-ranks-test.sh PROGRAM [CASE]    CASE: run only those whose name contains it

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

ONLY=${2-}

# study OUT RANKS ARGUMENT...: 4 workers, the packet engine, every file that it can write
study()
{
    local out=$1 ranks=$2
    shift 2
    "$PROGRAM" run tiny.yaml --engine packet --out "$out" --ranks "$ranks" \
        --set 'job.workers=[4]' --set job.steps=4 --set job.warmup=1 --set replications=1 \
        --set output.plots=false --set output.shares=true --set output.gradients=true "$@" \
        >out.txt 2>err.txt </dev/null
}

# refused TEXT RANKS ARGUMENT...
refused()
{
    local text=$1 code=0
    shift
    study refused "$@" || code=$?
    [[ $code == 2 ]] || fail "$*: exit code $code, expected 2: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: no '$text' in: $(cat err.txt)"
}

if grep -q "without MPI" <("$PROGRAM" check tiny.yaml --ranks 2 2>&1); then
    refused "accepted: 1, or more once './dml build --mpi' has built one with MPI" 2
    echo "skipped: without MPI, ranks are refused and not compared"
    exit 0
fi

# The summary but for time and the number of processes.
numbers()
{
    sed -E '/"(wall_seconds|cpu_seconds|[a-z]+_per_cpu_second)"/d' "$1/summary.json"
}

# same NAME ARGUMENT...: as one process, on 2 and on 3 ranks
same()
{
    local name=$1 ranks file
    [[ $name == *"$ONLY"* ]] || return 0
    shift
    rm -rf one
    study one 1 "$@" || fail "$name, one process: $(cat err.txt)"
    [[ $(wc -l <one/transfers.csv) -gt 20 ]] || fail "$name: hardly any transfers"
    for ranks in 2 3; do
        rm -rf several
        study several $ranks "$@" || fail "$name, $ranks ranks: $(cat err.txt)"
        for file in one/*.csv one/trace.json; do
            [[ -e $file ]] || continue
            cmp "$file" "several/${file#one/}" || fail "$name, $ranks ranks"
        done
        for file in one/*.pcap; do
            [[ -e $file ]] || continue
            # ranks learn a little later than one process that all is over
            cmp -n "$(stat -c %s "$file")" "$file" "several/${file#one/}" ||
                fail "$name, $ranks ranks"
        done
        diff <(numbers one) <(numbers several) || fail "$name, $ranks ranks: summary.json"
    done
    echo "same: $name"
}

# A long delay where the delay does not matter: ranks meet once per delay.
SLOW=(--set network.delay=200us)
# Workers in step: many events of the same time, whose order decides what a queue drops or sends.
TOGETHER=(--set job.start=together --set job.sampling=in-order)
ONE=(--set job.parameter_servers=1)

same async-one-server "${ONE[@]}"
same async-two-servers "${SLOW[@]}"
same async-together "${ONE[@]}" "${SLOW[@]}" "${TOGETHER[@]}"
same async-together-jumbo "${SLOW[@]}" "${TOGETHER[@]}" --set network.mtu=9000
same bsp-one-server "${ONE[@]}" "${SLOW[@]}" --set job.sync=bsp
same bsp-together "${ONE[@]}" "${TOGETHER[@]}" --set job.sync=bsp
same bsp-together-two-servers "${SLOW[@]}" "${TOGETHER[@]}" --set job.sync=bsp
same bsp-together-jumbo "${ONE[@]}" "${SLOW[@]}" "${TOGETHER[@]}" --set job.sync=bsp \
    --set network.mtu=9000
same ssp "${SLOW[@]}" --set 'job.sync={ssp: 1}'
same dumbbell-drops "${SLOW[@]}" "${TOGETHER[@]}" --set network.topology=dumbbell \
    --set network.queue=30KB
same leaf-spine "${SLOW[@]}" "${TOGETHER[@]}" \
    --set 'network.topology={type: leaf-spine, leaves: 2, spines: 2}'
same red "${SLOW[@]}" --set 'network.queue={red: 60KB}'
same fair-queue "${SLOW[@]}" --set 'network.queue={fair: 60KB}'
same losses "${SLOW[@]}" --set 'faults=[{loss: 0.002}, {rate: 200Mbps, at: 5ms, link: worker1}]'
same background "${SLOW[@]}" --set 'network.background=[{from: worker1, to: ps0, rate: 100Mbps},
    {from: ps1, to: worker2, bulk: true, start: 1ms}]'
same crash "${SLOW[@]}" --set 'faults=[{crash: worker2, at: 12ms, rejoin: 30ms}]'
same shedding "${ONE[@]}" "${SLOW[@]}" --set job.sync=bsp --set 'job.shedding={checks: 10}'
# Trains need hosts of Linux, and ports that take them whole.
TRAINS=(--set network.transport=linux --set network.tcp.trains=true)
BURSTS=(--set 'network.queue={drop_tail: 30KB, whole_bursts: true}')
same trains-drops "${SLOW[@]}" "${TOGETHER[@]}" "${TRAINS[@]}" "${BURSTS[@]}"
same trains-leaf-spine "${SLOW[@]}" "${TRAINS[@]}" --set 'network.queue={fair: 0B}' \
    --set 'network.topology={type: leaf-spine, leaves: 2, spines: 2}'
same linux "${SLOW[@]}" "${TOGETHER[@]}" --set network.transport=linux "${BURSTS[@]}"
same pcap "${ONE[@]}" "${SLOW[@]}" --set output.pcap=true --set job.steps=2

if [[ -z $ONLY ]]; then
    refused "found 0ns between" 2 --set network.delay=0s
    refused "output.netanim" 2 --set output.netanim=true
    refused "output.flows" 2 --set output.flows=true
    refused "skips time for all nodes at once" 2 --set packet.fast_forward=true
    refused "network.tcp.variant" 2 --set network.tcp.variant=bbr
    refused "job.steps" 2 --set job.steps=auto --set job.warmup=auto
    refused "accepted: an integer from 1" 0
    refused "--engine packet or both" 2 --engine fair-share

    # A failure on one rank ends all of them, with its own text.
    code=0
    study failed 2 "${SLOW[@]}" --set 'faults=[{loss: 1}]' || code=$?
    [[ $code == 1 ]] || fail "all packets lost: exit code $code, expected 1"
    grep -q "lost its connection with .*what explains it there: faults\[0\] (loss: 1 " err.txt ||
        fail "all lost: $(cat err.txt)"
    ! grep -q -- "--resume" err.txt || fail "all lost: advises what fails again: $(cat err.txt)"
fi
echo passed

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml init --ns3-script": what it writes builds at once against what was built, and runs. Its results are those of
# "dml run" for the same job and network, byte for byte where both write the same, and dml's commands read them.
# usage: dml-ns3-script-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
# Sanitizers would have to be linked to the script, too.
[[ $("$PROGRAM" --version | sed -n 's/^build //p') == release ]] || { echo "skipped: no package is made of such a build"; exit 77; }

# What is wrong, before anything is written.
refused "--ns3-script: found 'ring'; accepted: leaf-spine, star" init --ns3-script ring -o my
refused 'found --model with --ns3-script; accepted: it with traces' init --ns3-script star --model x
refused 'found tiny.profile.yaml with --ns3-script' init tiny.profile.yaml --ns3-script star
refused "wrong number of arguments for 'init'" init
[[ ! -e my && ! -e star ]] || fail "something was written"

# build KIND FOLDER: as what is written says itself; it runs there
build()
{
    "$PROGRAM" init --ns3-script "$1" -o "$2/" >init.txt 2>err.txt </dev/null || fail "$(<err.txt)"
    [[ $(ls "$2") == $'CMakeLists.txt\n'"$1.cc" ]] || fail "it wrote $(ls "$2")"
    refused 'is there already' init --ns3-script "$1" -o "$2/"
    sed -n 's/^next: *//p; s/^        //p' init.txt >commands.sh
    [[ $(wc -l <commands.sh) == 3 ]] || fail "what it says to do: $(<init.txt)"
    bash -e commands.sh >built.txt 2>&1 || fail "$(<commands.sh): $(<built.txt)"
    ! grep -iE 'warning' built.txt || fail "the compiler complains: $(<built.txt)"
    grep -q '^4 workers have trained 10 steps each in ' built.txt || fail "$(<built.txt)"
    for file in steps transfers links network throughput; do
        [[ $(wc -l <"$2/results/$file.csv") -gt 1 ]] || fail "no rows in $file.csv"
    done
    [[ -s $2/results/summary.json && -s $2/results/report.html && -s $2/results/trace.json ]] || fail "$(ls "$2/results")"
}

# compare_with SCENARIO FOLDER: the results of a script with those of the same job and network
compare_with()
{
    "$PROGRAM" run "$1.yaml" --engine=packet --out "$1" >out.txt 2>err.txt </dev/null || fail "$(<err.txt)"
    for file in steps transfers links network throughput; do
        cmp "$2/results/$file.csv" "$1/$file.csv" || fail "$1: $file.csv differs"
    done
    for plot in "$1"/*.gp; do # the critical path is drawn by what dml why does
        [[ $plot != *critical-path* ]] || continue
        [[ -e $2/results/$(basename "$plot") ]] || fail "$1: no $(basename "$plot")"
    done
}

build leaf-spine my
build star my-star

# The same job and network as a scenario.
cat >two-layers.profile.yaml <<'YAML'
schema: dml-profile/1
model: two layers
batch_size: 32
tensors: [{name: first, bytes: 4000000}, {name: second, bytes: 1000000}]
devices: [{name: gpu}]
ops:
  - {name: pull/first, kind: pull, tensor: first}
  - {name: pull/second, kind: pull, tensor: second}
  - {name: forward/first, kind: compute, device: gpu, deps: [pull/first], seconds: 0.004}
  - {name: forward/second, kind: compute, device: gpu, deps: [pull/second, forward/first], seconds: 0.002}
  - {name: backward/second, kind: compute, device: gpu, deps: [forward/second], seconds: 0.004}
  - {name: backward/first, kind: compute, device: gpu, deps: [backward/second], seconds: 0.008}
  - {name: push/second, kind: push, tensor: second, deps: [backward/second]}
  - {name: push/first, kind: push, tensor: first, deps: [backward/first]}
  - {name: update/second, kind: update, tensor: second, deps: [push/second], seconds: 0.0005}
  - {name: update/first, kind: update, tensor: first, deps: [push/first], seconds: 0.002}
YAML
for kind in leaf-spine star; do
    cat >$kind.yaml <<YAML
name: $kind
seed: 1
replications: 1
job: {profile: two-layers.profile.yaml, workers: 4, parameter_servers: 1, steps: 10, warmup: 2,
      sampling: in-order, start: together, step_jitter: 0s}
network:
  rate: 10Gbps
  delay: 10us
  queue: 1MB
YAML
done
cat >>leaf-spine.yaml <<'YAML'
  topology: {type: leaf-spine, leaves: 2, spines: 2, oversubscription: 2}
  multipath: ecmp
YAML
compare_with leaf-spine my
compare_with star my-star
[[ -e my/results/connections.gp ]] || fail "no plot of where connections meet"

# dml's commands read it as a folder of their own.
"$PROGRAM" compare my/results leaf-spine >compare.txt 2>err.txt </dev/null || fail "compare: $(<err.txt)"
grep -qF '4 ' compare.txt || fail "compare: $(<compare.txt)"
"$PROGRAM" why my/results --check=none >why.txt 2>err.txt </dev/null || fail "why: $(<err.txt)"
"$PROGRAM" why my/results 2>err.txt </dev/null | cmp - why.txt || fail "a script cannot be run again: $(<err.txt)"
"$PROGRAM" why leaf-spine --check=none >other.txt 2>err.txt </dev/null || fail "why: $(<err.txt)"
diff <(grep -v '^critical-path' why.txt) <(grep -v '^critical-path' other.txt) || fail "why says something else"
refused 'is of a script, which has no scenario' match my/results
refused 'found results that do not say of which study they are' run leaf-spine.yaml --engine=packet --out my/results

# Again into the same folder, with streams of its own, and all that can be written; never over a study.
SCRIPT=my/build/leaf-spine
"$SCRIPT" --out=my/results --steps=4 >out.txt 2>&1 || fail "$(<out.txt)"
[[ $(grep -c packet my/results/steps.csv) == 16 ]] || fail "steps of before: $(<my/results/steps.csv)"
"$SCRIPT" --out=first --steps=4 --stream=7 >out.txt 2>&1 || fail "$(<out.txt)"
"$SCRIPT" --out=same --steps=4 --stream=7 >out.txt 2>&1 || fail "$(<out.txt)"
"$SCRIPT" --out=other --steps=4 --stream=1000 >out.txt 2>&1 || fail "$(<out.txt)"
cmp first/transfers.csv same/transfers.csv || fail "the same streams give something else"
! cmp -s first/transfers.csv other/transfers.csv || fail "other streams give the same"
code=0
"$SCRIPT" --out=leaf-spine >out.txt 2>&1 || code=$?
[[ $code == 1 ]] && grep -qF "leaf-spine: found a study of 'dml run'; accepted: another folder" out.txt ||
    fail "over a study: $code $(<out.txt)"
code=0
"$SCRIPT" --out=x --warmup=10 >out.txt 2>&1 || code=$?
[[ $code == 1 ]] && grep -qF 'a warm-up of 10 steps; accepted: 0 to 9, as each worker does 10' out.txt ||
    fail "a warm-up of all: $code $(<out.txt)"
mkdir mine
touch mine/steps.csv
code=0
"$SCRIPT" --out=mine >out.txt 2>&1 || code=$?
[[ $code == 1 ]] && grep -qF 'mine: found steps.csv, which no script has written' out.txt ||
    fail "over a file: $code $(<out.txt)"

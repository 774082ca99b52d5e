#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Classes of a user's own: the library of examples/plugins is loaded, its classes run in both engines, with
# --jobs, --resume, emitted cases and merge; what cannot be loaded is refused.
# usage: dml-plugin-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shorten
PLUGIN=$(dirname "$PROGRAM")/examples/libdml-example-plugins.so
[[ -e $PLUGIN ]] || { echo "skipped: $PLUGIN is not built"; exit 77; }

# The examples of the manual, one for each kind.
CHOICES=(
    'transfer: {policy: {type: "example::SmallestFirst", Portion: 20000}}'
    'job: {sync: {type: "example::QuorumSync", Share: 0.6}}'
    'job: {protocol: {type: "example::SendAtEnd"}}'
    'fair_share: {sharing: {type: "example::LocalSharing", Efficiency: 0.9}}'
    'network: {topology: {type: "example::RingTopology", Switches: 3, Rate: 200Mbps}}'
    'network: {tcp: {type: "example::Aimd", Increase: 2, Decrease: 0.25}}'
    'job: {protocol: all-reduce, all_reduce: {algorithm: {type: "example::TwoShotAllReduce"}}}'
    'network: {topology: {type: leaf-spine, spines: 2, oversubscription: 4}, multipath: {type: "example::DestinationModulo", Offset: 1}}'
    'network: {transport: linux, queue: {type: "example::SmallFirstQueue", Limit: 100000}}'
)

# refused TEXT ARGUMENT...: the program ends with exit code 2 and TEXT in one line
refused()
{
    local text=$1 code=0
    shift
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || code=$?
    [[ $code == 2 ]] || fail "$*: exit code $code, expected 2: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: no '$text' in: $(cat err.txt)"
    [[ $(wc -l <err.txt) == 1 ]] || fail "$*: more than a line: $(cat err.txt)"
}

# study ARGUMENT...: run it, plots aside
study()
{
    "$PROGRAM" run --set output.plots=false --set output.trace=false "$@" >out.txt 2>err.txt </dev/null ||
        fail "$*: $(cat err.txt)"
}

# choose SCENARIO CHOICE: tiny.yaml with a choice of the manual's, which may be a key of a section of it
choose()
{
    python3 - "$1" "$2" <<'PYTHON'
import sys
import yaml
with open("tiny.yaml", encoding="utf-8") as file:
    scenario = yaml.safe_load(file)
for section, keys in yaml.safe_load(sys.argv[2]).items():
    scenario.setdefault(section, {}).update(keys)
if scenario["job"].get("protocol") in ("all-reduce", "sharded"):
    del scenario["job"]["parameter_servers"], scenario["overhead"]
with open(sys.argv[1], "w", encoding="utf-8") as file:
    yaml.safe_dump(scenario, file)
PYTHON
}
python3 -c 'import yaml' 2>/dev/null || { echo "skipped: python3-yaml is not installed"; exit 77; }

# Each of them changes what it is for, in the engines that know it, and nothing in those that do not; the manual
# shows it. A ring of three workers has four rounds, each algorithm of the same kind others.
study tiny.yaml --out plain
choose ring.yaml 'job: {protocol: all-reduce, all_reduce: {algorithm: ring}}'
study ring.yaml --out ring
choose hash.yaml 'network: {topology: {type: leaf-spine, spines: 2, oversubscription: 4}, multipath: ecmp}'
study hash.yaml --out hash
choose fifo.yaml 'network: {transport: linux, queue: 100000}'
study fifo.yaml --out fifo
for choice in "${CHOICES[@]}"; do
    [[ -z ${DML_ROOT:-} ]] || grep -qF -- "$choice" "$DML_ROOT/doc/extending.rst" ||
        fail "not in doc/extending.rst: $choice"
    choose own.yaml "$choice"
    refused "the TypeId of a " check own.yaml
    refused '; or one of a library of yours, which --plugin=LIBRARY loads' check own.yaml
    study own.yaml --plugin "$PLUGIN" --out own --force --jobs 2
    for engine in fair-share packet; do
        before=plain same=
        [[ $choice != *all_reduce* ]] || before=ring
        [[ $choice != *multipath* ]] || before=hash
        # of packets, ACKs go first; without packets, a FIFO of that size stands for it
        [[ $choice != *SmallFirstQueue* ]] || before=fifo
        [[ $choice != *SmallFirstQueue* || $engine != fair-share ]] || same=yes
        [[ $choice != *sharing* || $engine != packet ]] || same=yes
        [[ $choice != *tcp* || $engine != fair-share ]] || same=yes
        cmp -s <(grep "$engine" $before/steps.csv) <(grep "$engine" own/steps.csv) && now=yes || now=
        [[ $now == "$same" ]] ||
            fail "the steps of $engine are ${now:+the same}${same:+others} with $choice"
    done
    # the echo is a scenario too
    python3 -c 'import json; print(json.dumps(json.load(open("own/summary.json"))["scenario"]))' >echo.yaml
    sed -i "s|\"profile\": \"[^\"]*\"|\"profile\": \"$WORK/tiny.profile.yaml\"|" echo.yaml
    study echo.yaml --plugin "$PLUGIN" --out echo --force --jobs 1
    cmp own/steps.csv echo/steps.csv || fail "the echo is another scenario: $choice"
done

# The algorithm has shards, too.
choose own.yaml 'job: {protocol: sharded, all_reduce: {algorithm: {type: "example::TwoShotAllReduce"}}}'
study own.yaml --plugin "$PLUGIN" --out own --force --jobs 2
grep -q packet own/steps.csv || fail 'no steps of a sharded job'
choose own.yaml 'job: {protocol: sharded, all_reduce: {algorithm: tree}}'
refused 'which has no reduce-scatter and no all-gather' check own.yaml

# A queue disc of ns-3 itself: packets have it, the others do not know what stands for it; nor is there one for hosts of
# real processes, or for what skips time.
own='network: {transport: linux, queue: {type: "ns3::CoDelQueueDisc"}}'
choose codel.yaml "$own"
study codel.yaml --out codel --engine=packet
! cmp -s codel/steps.csv <(grep -v fair-share fifo/steps.csv) || fail "CoDel does nothing"
for engine in fair-share burst; do
    refused 'network.queue: found class ns3::CoDelQueueDisc, of which nothing says what stands for it' \
        check codel.yaml --engine=$engine
done
# ... by the key that gives the port its queue.
codel='{type: "ns3::CoDelQueueDisc"}'
for chosen in "host_queue: $codel" "hosts: {worker0: {queue: $codel}}" \
    "topology: {type: dumbbell, trunk: {queue: $codel}}"; do
    choose own.yaml "network: {transport: linux, $chosen}"
    case $chosen in
        hosts*) key=network.hosts.worker0.queue ;;
        topology*) key=network.topology.trunk.queue ;;
        *) key=network.host_queue ;;
    esac
    refused ": $key: found class ns3::CoDelQueueDisc" check own.yaml --engine=fair-share
done
# One that marks has sockets that use ECN: RED marks with UseEcn alone, and DCTCP goes with it.
marks() # FOLDER: packets that its ports marked
{
    awk -F, 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "marked") column = i} NR > 1 {n += $column} END {print n}' "$1/network.csv"
}
red='type: "ns3::RedQueueDisc", MaxSize: 300p, MinTh: 5, MaxTh: 15, QW: 1'
choose red.yaml "network: {transport: linux, queue: {$red, UseEcn: true}}"
study red.yaml --out red --engine=packet
[[ $(marks red) -gt 0 ]] || fail "RED with UseEcn marks nothing"
study red.yaml --out dctcp --engine=packet --set network.tcp=dctcp
[[ $(marks dctcp) -gt 0 ]] || fail "RED marks nothing of DCTCP"
study red.yaml --out drops --engine=packet --set "network.queue={$red}"
[[ $(marks drops) == 0 ]] || fail "RED marks without UseEcn"
refused 'network.tcp: found dctcp in a network whose queues do not mark packets' check red.yaml \
    --set "network.queue={$red}" --set network.tcp=dctcp
# What a queue holds is that of the class; classes that need other parts are none to choose.
for size in 10p 200p; do
    study red.yaml --out "fifo $size" --engine=packet --set "network.queue={type: \"ns3::FifoQueueDisc\", MaxSize: $size}"
done
! cmp -s fifo\ */steps.csv || fail "MaxSize does nothing"
refused 'network.queue.type: found "ns3::MqQueueDisc"; accepted: the TypeId of a queue disc: ns3::CoDelQueueDisc' \
    check red.yaml --set 'network.queue={type: "ns3::MqQueueDisc"}'
refused 'network.queue.Flows: found 0; accepted: at least 1 queue' check red.yaml \
    --set 'network.queue={type: "ns3::FqCoDelQueueDisc", Flows: 0}'

# Every congestion control of ns-3 runs a job: TcpCubic too, which ns-3.37 says is a socket; BBR where it may collapse.
"$PROGRAM" check red.yaml --set 'network.tcp={type: "ns3::None"}' >out.txt 2>err.txt </dev/null && fail "ns3::None is accepted"
mapfile -t controls < <(grep -o 'ns3::Tcp[A-Za-z]*' err.txt | sort -u)
[[ " ${controls[*]} " == *' ns3::TcpCubic '* && ${#controls[@]} -ge 17 ]] || fail "congestion controls: ${controls[*]}"
for control in "${controls[@]}"; do
    study red.yaml --out control --force --engine=packet --set "network.tcp={type: \"$control\"}" \
        --set packet.collapsing_tcp=true --set 'job.workers=[2]'
done
refused 'network.tcp.Beta: found "-2"; accepted: a number of at least 0' check red.yaml \
    --set 'network.tcp={type: "ns3::TcpCubic", Beta: -2}'

choose queue.yaml "${CHOICES[-1]}"
refused 'a queue of class example::SmallFirstQueue beside packet.fast_forward' check queue.yaml --plugin "$PLUGIN" \
    --set packet.fast_forward=true
refused 'network.queue' check queue.yaml --plugin "$PLUGIN" --set network.tcp.trains=true
study queue.yaml --plugin "$PLUGIN" --out burst --engine=burst
"$PROGRAM" run fifo.yaml --set output.plots=false --set output.trace=false --engine=burst --out burst-fifo >out.txt 2>&1 </dev/null
cmp burst/steps.csv burst-fifo/steps.csv || fail "in bursts, it is another FIFO"
refused 'network.queue.Limit: found "0"; accepted: an integer from 1 to 4294967295' check queue.yaml --plugin "$PLUGIN" \
    --set 'network.queue={type: "example::SmallFirstQueue", Limit: 0}'

# What chooses paths in a way that only packets can show is refused by the others.
choose paths.yaml "${CHOICES[-2]}"
refused 'found ns3::dml::FlowletMultipath, which only the packet engine knows' check paths.yaml --plugin "$PLUGIN" \
    --set 'network.multipath={type: "ns3::dml::FlowletMultipath", Gap: 1ms}' --engine=fair-share
study paths.yaml --plugin "$PLUGIN" --out burst --force --engine=burst --set network.transport=linux
for named in 'spray: packet' 'type: "ns3::dml::SprayMultipath"'; do
    study paths.yaml --plugin "$PLUGIN" --out "spray ${named%:*}" --set "network.multipath={$named}"
done
cmp spray\ */steps.csv || fail "the name and the TypeId are two things"

refused 'found network.multipath ns3::dml::SprayMultipath; accepted: none or ecmp' check paths.yaml \
    --plugin "$PLUGIN" --set 'network.multipath={type: "ns3::dml::SprayMultipath"}' --engine=burst --set network.transport=linux

# Emitted cases load it, merge asks for it, and the files are those of one run.
choose all.yaml "${CHOICES[0]}"
study all.yaml --plugin "$PLUGIN" --out whole --jobs 2
study all.yaml --plugin "$PLUGIN" --out cases --emit-cases cases.txt --lines 2
bash cases.txt >out.txt 2>err.txt || fail "the cases: $(cat err.txt)"
refused "merge: found no --plugin; accepted: as the study was made, with --plugin=$PLUGIN" merge cases
"$PROGRAM" merge cases --plugin="$PLUGIN" >out.txt 2>err.txt || fail "merge: $(cat err.txt)"
cmp whole/steps.csv cases/steps.csv || fail "the merged steps are others"

# A study that was cut goes on with the same library only.
study all.yaml --plugin "$PLUGIN" --out cut --emit-cases cases.txt
head -n 1 cases.txt | bash >out.txt 2>err.txt || fail "a case: $(cat err.txt)"
cp "$PLUGIN" other.so
printf ' ' >>other.so
refused 'that is not this one: --plugin other.so is new' run all.yaml --plugin other.so --out cut --resume \
    --set output.plots=false --set output.trace=false
study all.yaml --plugin "$PLUGIN" --out cut --resume
cmp whole/steps.csv cut/steps.csv || fail "the resumed steps are others"

# What is no such library is refused.
echo text >text.so
refused "--plugin: found 'none.so', but there is no such file; accepted: a shared library" \
    check tiny.yaml --plugin none.so
refused "--plugin: found 'text.so', which cannot be loaded (" check tiny.yaml --plugin=text.so
refused "--plugin: found nothing; accepted: a shared library (.so)" check tiny.yaml --plugin=
refused "'order' has no option --plugin" order tiny.profile.yaml --plugin "$PLUGIN"
refused 'policy.Portion: found "many"; accepted: an integer from 1 to' check all.yaml \
    --plugin "$PLUGIN" --set transfer.policy.Portion=many

# The example of a format of traces makes a profile that runs.
printf 'conv 400000 2 4\nfc 100000 1 2\n' >layers.txt
EXAMPLE=$(dirname "$PROGRAM")/examples/dml-own-trace-format
"$EXAMPLE" <layers.txt >tiny.profile.yaml || fail "dml-own-trace-format"
study tiny.yaml --out layers
echo 'conv many 2 4' | "$EXAMPLE" >out.txt 2>err.txt && fail "a bad line is accepted"
grep -qF "line 1: found 'conv many 2 4'; accepted: LAYER BYTES FORWARD BACKWARD" err.txt ||
    fail "the bad line: $(cat err.txt)"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# The program as a user meets it: exit codes, error texts, files, determinism, interruption.
# usage: dml-cli-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
sed 's/bytes: 400000/bytes: 4000000000/' tiny.profile.yaml >large.profile.yaml

# expect CODE TEXT ARGUMENT...: the program exits with CODE and says TEXT on standard error, without
# a trace of a crash
expect()
{
    local code=$1 text=$2 found=0
    shift 2
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || found=$?
    [[ $found == "$code" ]] || fail "dml $*: exit code $found, expected $code: $(cat err.txt)"
    [[ -z $text ]] || grep -qF -- "$text" err.txt || fail "dml $*: no '$text' in: $(cat err.txt)"
    ! grep -qiE 'terminate called|assert|aborted|what\(\)' err.txt || fail "dml $*: $(cat err.txt)"
}

# Usage.
expect 2 "usage: dml COMMAND"
expect 0 "" --help
expect 0 "" run --help
expect 2 "unknown command 'rum'" rum
expect 2 "unknown option '--engin=packet'; did you mean '--engine'?" run tiny.yaml --engin=packet
expect 2 "--engine: found 'both-of-them'; accepted: fair-share, burst, packet, host, both, all, several with commas, such as burst,packet, or, of run, auto" run tiny.yaml --engine=both-of-them
expect 2 "--jobs: found '0'; accepted: an integer from 1 to 1024" run tiny.yaml --jobs=0
expect 2 "--set needs a value" run tiny.yaml --set
expect 2 "wrong number of arguments" run a b
expect 2 "unknown format 'tf'; accepted: torch-layers, kineto, torch-legacy, torch-et, tf-runmetadata, tf-timeline, pipedream, horovod, dml-trace, auto" import tf x -o y
expect 2 "import needs -o PROFILE" import torch-layers x
expect 2 "nosuch.json" import torch-layers nosuch.json -o y

expect 2 "found --engine; accepted: it with 'import job'" import torch-layers x -o y --engine=packet
expect 2 "unknown option '--RngRun=7'" run tiny.yaml --RngRun=7
expect 2 "--out: found nothing" run tiny.yaml --out=

expect 2 "wrong number of arguments for 'order'" order
expect 2 "wrong number of arguments for 'order'" order tiny.profile.yaml tic
expect 2 "--policy: found 'reverse'; accepted: tic, tac" order tiny.profile.yaml --policy=reverse
expect 2 "--rate: found '10'; accepted: a rate above 0 with a unit" order tiny.profile.yaml --rate=10
expect 2 "--rate: found '0bps'; accepted" order tiny.profile.yaml --rate=0bps
expect 2 "--policy needs a value" order tiny.profile.yaml --policy
expect 2 "'order' has no option --engine; accepted: --policy, --rate" order tiny.profile.yaml --engine=both
expect 2 "'run' has no option --rate" run tiny.yaml --rate=1Gbps
expect 2 "did you mean '--policy'?" order tiny.profile.yaml --polcy=tic

# Input.
expect 2 "nosuch.yaml" run nosuch.yaml
expect 2 "nosuch.yaml: found no such file" order nosuch.yaml
expect 2 "tiny.yaml:1:1: schema: found nothing" order tiny.yaml
expect 2 "--set job.workers=[]" check tiny.yaml --set 'job.workers=[]'
expect 2 "--set transfer.window=0" check tiny.yaml --set transfer.window=0
expect 2 "--set network.mtu=575" check tiny.yaml --set network.mtu=575
expect 2 "--set network.queue=-1MB" check tiny.yaml --set network.queue=-1MB
expect 2 "--set network.delay=10" check tiny.yaml --set network.delay=10
expect 2 "did you mean 'replications'" check tiny.yaml --set replicatons=3
expect 2 "nosuch.profile.yaml" check tiny.yaml --set job.profile=nosuch.profile.yaml
sed 's/  warmup: 2/  warmup: 6/' tiny.yaml >bad.yaml
expect 2 "bad.yaml:9:11: job.warmup" check bad.yaml
expect 0 "" check tiny.yaml --set job.profile=large.profile.yaml --set job.steps=1000 --engine=packet
# 8 GB in each of 8000 steps, in segments of 1460 B and a few more; and no 6.4e+04 GB
grep -qE ': 64 TB in 4[3-5]\.?[0-9]* G segments$' out.txt || fail "no 64 TB in: $(cat out.txt)"
expect 2 "would not fit in memory" check tiny.yaml --engine=packet --set 'job.workers=[100000]' --set job.parameter_servers=16
sed 's/samples: \[0.002, 0.003\]/samples: [0.002, .nan]/' tiny.profile.yaml >nan.profile.yaml
expect 2 "nan.profile.yaml:15:100: ops[4].samples[1]: op 'forward/conv': found" check tiny.yaml --set job.profile=nan.profile.yaml
sed 's/deps: \[push\/conv\/bias\]/deps: [push\/conv\/biass]/' tiny.profile.yaml >dep.profile.yaml
expect 2 "dep.profile.yaml:25:" check tiny.yaml --set job.profile=dep.profile.yaml
expect 2 "cuts a step into" check tiny.yaml --set transfer.window=1B --set transfer.window_rule=every-window \
    --set job.profile=large.profile.yaml --engine=fair-share
expect 2 "found in a sweep" check tiny.yaml --set 'sweep={output.ops: [true, false]}'
sed 's/deps: \[backward\/fc\], samples/deps: [update\/fc\/weight], samples/' tiny.profile.yaml >split.profile.yaml
expect 2 "the packet engine cannot run it" check tiny.yaml --set job.profile=split.profile.yaml
expect 0 "" check tiny.yaml --set job.profile=split.profile.yaml --engine=fair-share
touch file
expect 2 "file/sub: cannot write results there" run tiny.yaml --out file/sub
[[ ! -e results ]] || fail "a refused run or a check wrote results"

# Where packets run, check forecasts their intervals, with a row for each number of workers; fewer than four
# replications have none. What has no forecast says why, and nothing has one that no packets run for.
"$PROGRAM" check tiny.yaml --set 'job.workers=[1, 2]' --set replications=4 >out.txt
grep -qE "^  intervals   95 %, of packets' throughputs" out.txt || fail "check: no intervals: $(cat out.txt)"
[[ $(grep -cE '^ {7}[12] +\+-[0-9.]+ %( +[0-9]+ x [0-9]+ (\+-[0-9.]+|<0\.1) %){3}$' out.txt) == 2 ]] || fail "check: $(cat out.txt)"
! grep -A4 intervals out.txt | grep -E '.{81}' || fail "the forecast is wider than a terminal"
"$PROGRAM" check tiny.yaml --set 'job.workers=[1, 2]' >out.txt
[[ $(grep -cE '^ {7}[12]        none  ' out.txt) == 2 ]] || fail "check: $(cat out.txt)"
"$PROGRAM" check tiny.yaml --set job.workers=2 --engine=fair-share >out.txt
! grep -q intervals out.txt || fail "check: $(cat out.txt)"

# no_forecast TEXT OPTION...: check says that there is none, and why
no_forecast()
{
    local text=$1
    shift
    "$PROGRAM" check tiny.yaml --set job.workers=2 "$@" >out.txt
    tr -s '\n ' ' ' <out.txt | grep -qF "intervals no forecast: $text" || fail "check $*: $(cat out.txt)"
    ! grep -E '.{81}' out.txt || fail "check $*: wider than a terminal"
}
no_forecast 'runs find out themselves how long they are (job.steps: auto)' --set job.steps=auto
no_forecast 'trials of the fair-share engine would take about' --set job.steps=100000
no_forecast 'with W = 2 fewer than 10 of 20 trials of the fair-share engine have a throughput' --set job.steps=3
# What others take is not known before, so trials end when they have taken their time.
BUSY='network.background=[{from: worker0, to: ps0, rate: 100Mbps, on: 1us, off: 1us}]'
no_forecast 'trials of the fair-share engine have taken 4 s of CPU, and are not done' --set "$BUSY" --set job.steps=300
for other in "$BUSY" 'faults=[{down: 1ms, at: 5ms, link: worker0}]' \
    'other_jobs=[{profile: tiny.profile.yaml, workers: 1, parameter_servers: 1}]' \
    'job={profile: tiny.profile.yaml, workers: [2], parameter_servers: 2, steps: 6, warmup: 2, sync: bsp, batch_control: cpu}'; do
    "$PROGRAM" check tiny.yaml --set 'job.workers=[2]' --set replications=4 --set "$other" >out.txt
    grep -qE '^ {7}2 +(\+-[0-9.]+|<0\.1) %' out.txt || fail "check $other: $(cat out.txt)"
done
"$PROGRAM" check tiny.yaml --set 'job.workers=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]' >out.txt
grep -qE '^ +W = 9, 10 not shown' out.txt || fail "rows go without a word: $(cat out.txt)"
[[ ! -e results ]] || fail "a forecast wrote results"

# Engines are compared by pairs of replications, and by regression over those of the engine that ran more.
"$PROGRAM" run tiny.yaml --set job.workers=2 --set replications=9 --set packet.replications=5 --out more >out.txt
grep -qF '"further_runs": 4' more/summary.json || fail "more: $(grep further_runs more/summary.json)"
tr '\n' ' ' <out.txt | tr -s ' ' | grep -q 'ran: 5, with the others of the engine that ran more by regression' || fail "more: $(cat out.txt)"
rm -r more

# The order of pulls. conv/bias alone lets forward/conv go, once conv/weight is there: P is its 2 ms.
expect 0 "" order tiny.profile.yaml
[[ $(awk '$1 ~ /^[0-9]+$/ { print $2 }' out.txt | xargs) == "conv/weight conv/bias fc/weight empty" ]] ||
    fail "TAC's order: $(cat out.txt)"
grep -qE '^ +1 conv/bias +256 +2\.000 ' out.txt || fail "P of conv/bias: $(cat out.txt)"
grep -qE '^L = 8\.800 ms .* device cpu$' out.txt || fail "L: $(cat out.txt)"
[[ $(awk '{ if (length($0) > n) n = length($0) } END { print n }' out.txt) -le 80 ]] ||
    fail "lines of more than 80 columns: $(cat out.txt)"
expect 0 "" order tiny.profile.yaml --policy=tic --rate=100Mbps
grep -qE '^ +2 fc/weight +400000 +4$' out.txt || fail "M+ of fc/weight: $(cat out.txt)"
grep -qE '^L = .* ms .* (down|up)link$' out.txt || fail "L at 100 Mbit/s: $(cat out.txt)"
sed '/kind: \(forward\|backward\|push\|update\)/d' tiny.profile.yaml >pulls.profile.yaml
expect 0 "" order pulls.profile.yaml
grep -q 'is undefined: U = L' out.txt || fail "undefined E: $(cat out.txt)"

# A run: its files, quiet when piped.
expect 0 "" run tiny.yaml --out both --set output.gradients=true --set output.plots=true
[[ ! -s err.txt ]] || fail "a piped run wrote to standard error: $(cat err.txt)"
[[ $(awk '{ if (length($0) > n) n = length($0) } END { print n }' out.txt) -le 80 ]] ||
    fail "lines of more than 80 columns: $(cat out.txt)"
for file in summary.json steps.csv transfers.csv links.csv ops.csv trace.json throughput.svg \
    utilisation.svg timeline.svg gradients.svg devices.svg step-cdf.svg; do
    [[ -s both/$file ]] || fail "no $file"
done
! compgen -G 'both/unfinished*' || fail "parts are left over"
# workers 1 and 3, two engines, two replications, six steps; four tensors, two directions
[[ $(wc -l <both/steps.csv) == $((1 + (1 + 3) * 2 * 2 * 6)) ]] || fail "rows of steps.csv"
[[ $(wc -l <both/transfers.csv) == $((1 + (1 + 3) * 2 * 2 * 6 * 8)) ]] || fail "rows of transfers.csv"
python3 - <<'END'
import csv, json
summary = json.load(open("both/summary.json"))
assert summary["schema"] == "dml-summary/1", summary["schema"]
trace = json.load(open("both/trace.json"))
assert any(event["ph"] == "X" for event in trace["traceEvents"])
for row in csv.DictReader(open("both/transfers.csv")):
    assert 0 <= float(row["ready"]) <= float(row["first_byte"]) <= float(row["last_byte"]), row
# both engines replay the same samples and start at the same time
first = {}
for row in csv.DictReader(open("both/steps.csv")):
    if row["step"] == "0":
        key = (row["workers"], row["replication"], row["worker"])
        first.setdefault(key, []).append(float(row["start"]))
assert all(len(v) == 2 and abs(v[0] - v[1]) < 1e-8 for v in first.values()), first
END

# Same seed, same build: the same bytes, whatever the number of processes.
expect 0 "" run tiny.yaml --out again --jobs 1 --set output.gradients=true --set output.plots=true
for file in steps.csv transfers.csv links.csv ops.csv gradients.csv trace.json throughput.svg \
    utilisation.svg timeline.svg gradients.svg devices.svg step-cdf.svg; do
    cmp both/$file again/$file || fail "$file differs between two runs"
done
python3 - <<'END'
import json
def strip(node):
    if isinstance(node, dict):
        return {k: strip(v) for k, v in node.items() if k != "timing"}
    return [strip(v) for v in node] if isinstance(node, list) else node
a, b = (json.dumps(strip(json.load(open(f"{d}/summary.json")))) for d in ("both", "again"))
assert a == b, "summary.json differs between two runs"
END
expect 0 "" run tiny.yaml --out other --set seed=4 --engine=fair-share
! cmp -s <(grep fair-share both/steps.csv) <(grep fair-share other/steps.csv) || fail "the seed has no effect"

# A request that is larger than the window goes through all the same.
expect 0 "" run tiny.yaml --engine=packet --set transfer.window=64B --set job.workers=1 --set replications=1 \
    --set job.steps=2 --set job.warmup=1 --out narrow

# Nothing of the user's is touched, and no two runs write into one folder.
mkdir -p mine/parts
touch mine/parts/thesis.tex
expect 0 "" run tiny.yaml --engine=fair-share --out mine
[[ -e mine/parts/thesis.tex ]] || fail "a run removed a folder of the user"
expect 0 "" run tiny.yaml --engine=fair-share --set "name='../../evil name'"
[[ -s $(echo results/evil-name+*)/summary.json ]] || fail "results of an odd name: $(ls results)"
code=0
flock mine/.lock "$PROGRAM" run tiny.yaml --engine=fair-share --out mine >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] || fail "exit code $code for a folder in use, expected 2"
grep -q "another run does so now" err.txt || fail "$(cat err.txt)"
code=0
"$PROGRAM" check tiny.yaml >/dev/full 2>err.txt || code=$?
[[ $code == 1 ]] || fail "exit code $code for a full standard output, expected 1"

# Both engines ran: errors of tensors. Workers shared links: their shares.
expect 0 "" run tiny.yaml --engine=packet --out shares --set output.shares=true --set job.workers=3 \
    --set network.rate=100Mbps --set replications=1
head -1 shares/shares.csv | grep -qx 'workers,engine,replication,direction,ps,time,worker,active,share' ||
    fail "columns of shares.csv"
python3 - <<'END'
import collections, csv, json
for case in json.load(open("both/summary.json"))["cases"]:
    error = case["tensor_error"]
    assert 0 < error["median"] <= error["p90"] <= error["max"] == abs(error["worst"]["error"]), error
    assert error["pairs"] == 2, error
case = json.load(open("shares/summary.json"))["cases"][0]
assert case["tensor_error"] is None, case
error = case["share_error"]
assert error["intervals"] > 10 and 0 < error["mean"] < 0.5, error
sums = collections.Counter()
for row in csv.DictReader(open("shares/shares.csv")):
    sums[row["direction"], row["ps"], row["time"]] += float(row["share"])
assert sums and all(abs(s - 1) < 1e-5 for s in sums.values()), sums
END

# Both engines tell what the order of transfers did. Times of tensors on request only.
[[ ! -e shares/gradients.csv ]] || fail "a table that was not asked for"
# one and three workers, two engines, two replications; four tensors, two directions
[[ $(wc -l <both/gradients.csv) == $((1 + 2 * 2 * 2 * 8)) ]] || fail "rows of gradients.csv"
python3 - <<'END'
import csv, json
for case in json.load(open("both/summary.json"))["cases"]:
    for name, engine in case["engines"].items():
        schedule = engine["schedule"]
        # two replications, four steps of each worker after the warm-up
        steps = 2 * 4 * case["workers"]
        for key in ("step", "efficiency", "speedup", "forward_start"):
            values = schedule[key]
            assert values["count"] == steps and values["undefined"] == 0, (name, key, values)
            assert 0 < values["min"] <= values["mean"] <= values["max"], (name, key, values)
        assert schedule["efficiency"]["max"] <= 1, (name, schedule["efficiency"])
        assert schedule["straggler"]["count"] == 2 * 4, schedule["straggler"]
        assert (schedule["straggler"]["mean"] > 0) == (case["workers"] > 1), schedule["straggler"]
        (device,) = schedule["devices"]
        assert device["device"] == "cpu" and 0.4 < device["utilisation"] < 0.9, device
        assert abs(device["idle"] / schedule["step"]["mean"] - device["idle_share"]) < 1e-6, device
        for key in ("gradients", "parameters"):
            assert schedule[key]["wait"]["count"] == 4 * steps, schedule[key]
            assert schedule[key]["transfer"]["mean"] > 1e-4, schedule[key]
# the rows of gradients.csv are those of transfers.csv after the warm-up
sums = {}
for row in csv.DictReader(open("both/transfers.csv")):
    if int(row["step"]) >= 2:
        key = tuple(row[c] for c in ("workers", "engine", "replication", "tensor", "direction"))
        sums.setdefault(key, []).append(float(row["last_byte"]) - float(row["first_byte"]))
for row in csv.DictReader(open("both/gradients.csv")):
    times = sums[tuple(row[c] for c in ("workers", "engine", "replication", "tensor", "direction"))]
    assert int(row["count"]) == len(times), row
    assert abs(float(row["transfer_mean"]) - sum(times) / len(times)) < 1e-8, row
    assert abs(float(row["transfer_max"]) - max(times)) < 1e-8, row
END

# Captures on request, of the first replication; and fewer tables.
expect 0 "" run tiny.yaml --engine=packet --out captures --set job.workers=2 --set job.steps=3 \
    --set 'output={netanim: true, flows: true, transfers: false, links: false}'
grep -q 'descr="worker1"' captures/W2-netanim.xml || fail "no name of a host in the animation"
grep -q '<FlowStats>' captures/W2-flows.xml || fail "no statistics of flows"
[[ ! -e captures/transfers.csv && ! -e captures/links.csv ]] || fail "tables that were not asked for"
head -2 captures/network.csv | tail -1 | grep -q '^2,packet,0,ps0->switch,1000000000,' ||
    fail "network.csv: $(head -2 captures/network.csv)"

# A sweep: every variant, named in the rows and the summary.
expect 0 "" run tiny.yaml --engine=fair-share --out sweep --set output.plots=true \
    --set 'sweep={network.rate: [1Gbps, 2Gbps]}'
head -1 sweep/steps.csv | grep -q '^variant,' || fail "no column for the variant"
[[ $(tail -n +2 sweep/steps.csv | cut -d, -f1 | sort -u | wc -l) == 2 ]] || fail "two variants"
# ... with a picture of its own, which says so, of its own data
for plot in throughput utilisation timeline gradients devices; do
    grep -q 'network.rate=1Gbps' sweep/$plot.gp || fail "title of $plot: $(cat sweep/$plot.gp)"
    grep -q 'network.rate=2Gbps' sweep/$plot-1.gp || fail "title of $plot-1: $(cat sweep/$plot-1.gp)"
    ! cmp -s <(sed -n '/<< e$/,/^e$/p' sweep/$plot.gp) <(sed -n '/<< e$/,/^e$/p' sweep/$plot-1.gp) || fail "$plot-1 has the data of the first variant"
    [[ -s sweep/$plot-1.svg ]] || fail "no $plot-1.svg"
done

# Profiles can be swept: each variant has its own model and batch. Many variants get few plots.
sed 's/model: tiny/model: other/; s/batch_size: 4/batch_size: 5/' tiny.profile.yaml >other.profile.yaml
expect 0 "" run tiny.yaml --engine=fair-share --out profiles --set output.plots=true \
    --set 'sweep={job.profile: [tiny.profile.yaml, other.profile.yaml]}'
grep -q '^tiny: tiny, batch 4, 2 PS' out.txt || fail "title of the first profile: $(cat out.txt)"
grep -q '^tiny: other, batch 5, 2 PS' out.txt || fail "title of the second profile: $(cat out.txt)"
grep -q 'other, batch 5' profiles/throughput-1.gp || fail "title of the second plot"
expect 0 "" run tiny.yaml --engine=fair-share --out many --set replications=1 --set output.plots=true \
    --set "sweep={network.rate: [$(seq -s 'Gbps, ' 13)Gbps]}"
for plot in throughput utilisation timeline gradients devices; do
    [[ $(ls many/$plot*.gp | wc -l) == 12 ]] || fail "plots of 13 variants: $(ls many)"
done
[[ -e many/gradients-12.gp && ! -e many/gradients-11.gp ]] || fail "the last variant has no picture"
grep -q '"plots: of 12 of the 13 variants only, spread over all of them"' many/summary.json ||
    fail "no note"

# Losses are counted and reported, those of large packets with a warning.
expect 0 "" run tiny.yaml --engine=packet --out lossy --set network.queue=20KB
grep -q '^losses: W=3: .* timeouts' out.txt || fail "no note on losses: $(cat out.txt)"
! grep -q '^warning' out.txt || fail "a warning at MTU 1500: $(cat out.txt)"
python3 - <<'END'
import json
for case in json.load(open("lossy/summary.json"))["cases"]:
    losses = case["losses"]
    assert losses["retransmissions"] >= losses["drops"] > 0, losses
for case in json.load(open("both/summary.json"))["cases"]:
    assert set(case["losses"].values()) == {0}, case["losses"]
END
expect 0 "" run tiny.yaml --engine=packet --out lossy --force --set network.queue=20KB --set network.mtu=9000
grep -q '^warning: packets of up to 9000 bytes were lost' out.txt || fail "no warning: $(cat out.txt)"
! grep -qE '"(losses|warning): ' both/summary.json || fail "notes without losses"

# An interrupted run leaves usable files and says so.
study()
{
    "$PROGRAM" run tiny.yaml --set packet.replications=1 --set replications=1 "$@" >out.txt 2>err.txt </dev/null
}
hold 1 1 study --out cut --set job.steps=500 --jobs 1
kill -INT "$STUDY"
code=0
wait $HELD || code=$?
[[ $code == 1 ]] || fail "exit code $code after an interruption, expected 1"
grep -q "interrupted; the results so far are in cut" err.txt || fail "$(cat err.txt)"
python3 -c 'import json; json.load(open("cut/summary.json"))'
[[ $(wc -l <cut/steps.csv) -gt 500 ]] || fail "the finished run's rows are missing"

# A killed run fails alone: the others' results stay.
hold 0 2 study --out dead --engine=packet --set job.steps=150 --jobs 2
pkill -KILL -o -P "$STUDY"
pkill -CONT -P "$STUDY"
code=0
wait $HELD || code=$?
[[ $code == 1 ]] || fail "exit code $code after a killed run, expected 1"
grep -q "ended by a signal: Killed" err.txt || fail "$(cat err.txt)"
grep -q -- "to go on: the same command with --resume" err.txt || fail "$(cat err.txt)"
[[ $(wc -l <dead/steps.csv) -gt 150 ]] || fail "the other run's rows are missing"

# What the simulation itself ends is explained, and would end so again.
expect 1 "explains it there: faults[0] (loss: 1 from 0 s on links of all hosts and switches)" \
    run tiny.yaml --engine=packet --out lost --set 'faults=[{loss: 1}]'
grep -q "the scenario has to change" err.txt || fail "no advice: $(cat err.txt)"
! grep -q -- --resume err.txt || fail "advises what fails again: $(cat err.txt)"

# Limits of the stack, of the system's paths, and of what is read.
expect 2 "found a key path of more than 64 levels" check tiny.yaml --set "$(printf 'a.%.0s' {1..25000})a=1"
expect 2 "more than 64 levels deep" check tiny.yaml --set "name=$(printf '[%.0s' {1..25000})"
ln -s loop loop
expect 2 "loop: cannot be used: Too many levels of symbolic links; accepted: " merge loop
for file in /dev/zero /dev/urandom /dev/full; do
    expect 2 "$file:" check "$file"
    expect 2 "$file:" import auto "$file" -o endless.yaml
    expect 2 "$file:" order "$file"
done

echo "program: usage, errors, files, determinism, sweep, interruption"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml import job" and "dml replay": what the engines ran, replayed, takes as long as it took, by the
# steps that steps.csv has; the file is what it is said to be.
# usage: dml-replay-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

# replayed NAME PERCENT ENGINE ARGUMENT...: run, import and replay; errors of steps at most PERCENT
replayed()
{
    local name=$1 percent=$2 engine=$3
    shift 3
    "$PROGRAM" run tiny.yaml --engine="$engine" --set output.plots=false --set job.steps=12 \
        --out "$name" "$@" >out.txt 2>err.txt </dev/null || fail "run $name: $(cat err.txt)"
    "$PROGRAM" import job "$name" -o "$name.yaml" >import.txt 2>err.txt || fail "import: $(cat err.txt)"
    "$PROGRAM" replay "$name.yaml" --daydream --rate=1Gbps >out.txt 2>err.txt ||
        fail "replay: $(cat err.txt)"
    fits out.txt
    fits import.txt
    python3 - "$name" "$percent" <<'END'
import collections, csv, re, sys
name, percent = sys.argv[1], float(sys.argv[2])
ends = collections.defaultdict(dict)
for row in csv.DictReader(open(name + "/steps.csv")):
    if row["workers"] == "3" and row["replication"] == "0":
        ends[row["worker"]][int(row["step"])] = float(row["end"])
lines = dict(re.findall(r"^  worker (\d+) +(.*)$", open("out.txt").read(), re.M))
assert lines.keys() == ends.keys(), lines
for worker, line in lines.items():
    measured, replay, error = [float(word) for word in line.split()[:3]]
    steps = ends[worker]
    mean = (steps[11] - steps[0]) / 11
    assert abs(measured / mean - 1) < 5e-3, (worker, measured, mean)  # few digits are shown
    assert abs(error) <= percent, line
    assert abs(100 * (replay / mean - 1)) <= percent + 0.5, line
END
}

# means of steps that differ are not the steps of means, so some per cent are lost
replayed async 3 fair-share
replayed rounds 3 fair-share --set job.sync=bsp
replayed ring 3 fair-share --set job.protocol=all-reduce --set job.parameter_servers=0 \
    --set overhead={} --set job.all_reduce.barrier=true
replayed overlap 2 fair-share --set job.protocol=all-reduce --set job.parameter_servers=0 \
    --set overhead={} --set job.all_reduce.barrier=false
replayed packets 6 packet
# a ring of 3 has four rounds, in each of which every worker sends; so do packets
[[ $(grep -c 'kind: move' ring.yaml) == 12 ]] || fail "moves of a ring: $(grep 'kind: move' ring.yaml)"
replayed moves 3 packet --set job.protocol=all-reduce --set job.parameter_servers=0 --set overhead={} \
    --set job.all_reduce.algorithm=halving-doubling
[[ $(grep -c 'kind: move' moves.yaml) -ge 6 ]] || fail "moves in packets: $(grep 'kind: move' moves.yaml)"
replayed plain 6 fair-share --set job.protocol=all-reduce --set job.parameter_servers=0 --set overhead={}
"$PROGRAM" import job plain -o uncorrected.yaml --uncorrected >out.txt
! grep -q "kind: move" uncorrected.yaml || fail "moves of what is taken for what it says"
# transfers that wait behind others in an order of their own stay behind them
replayed enforced 6 packet --set transfer.policy=reverse --set transfer.window=off
grep -q '^Daydream: transfers take their size over 1..\(\.[0-9]*\)\? MB/s$' out.txt || fail "$(cat out.txt)"
"$PROGRAM" replay packets.yaml --queue=dpro >out.txt || fail "another order"
"$PROGRAM" why packets.yaml >out.txt || fail "why of a job"
grep -q '^replay, 3 workers, 2 PS: ' out.txt || fail "$(cat out.txt)"

# engines run the graph of a job, and come to what their own run took
engines()
{
    local name=$1 engine=$2 percent=$3
    shift 3
    "$PROGRAM" replay "$name.yaml" --engine="$engine" --rate=1Gbps "$@" >out.txt 2>err.txt ||
        fail "replay --engine: $(cat err.txt)"
    fits out.txt
    python3 - "$engine" "$percent" <<'END'
import re, sys
text = open("out.txt").read()
assert sys.argv[1] in text, text
rows = re.findall(r"^  (?:worker \d+|mean \w+) +\S+ +\S+ +\S+ % +\S+ +(\S+) %$", text, re.M)
assert len(rows) == 6, text
assert all(abs(float(error)) < float(sys.argv[2]) for error in rows[:4]), text
END
}
engines rounds fair-share 4 --set transfer.window=100KB --set network.transport=plain
grep -q 'bulk-synchronous' out.txt || fail "$(cat out.txt)"
engines ring fair-share 4 --set network.transport=plain
grep -q 'all-reduce' out.txt || fail "$(cat out.txt)"
engines packets packet 20 --set transfer.window=100KB --set network.transport=plain
grep -q 'workers on their own' out.txt || fail "$(cat out.txt)"
"$PROGRAM" replay ring.yaml --engine=both --daydream >out.txt || fail "replay by both engines"
fits out.txt
[[ $(grep -c '^  mean step ' out.txt) == 2 ]] || fail "$(cat out.txt)"
refused 'found --set without --engine' replay ring.yaml --set job.steps=5
refused "a: unknown key 'a'" replay ring.yaml --engine=packet --set a=b
refused 'found 2 scenarios; accepted: one' replay ring.yaml --engine=packet --set 'sweep={seed: [1, 2]}'

# a trace of a worker and one of a server are a job; clocks that are off are aligned, or not
STUDY=$DATA/../../tools/alignment-study
"$STUDY" --program="$PROGRAM" --offsets=-100,0,100 >out.txt || fail "alignment-study"
python3 - <<'END'
rows = [line.split()[-3:] for line in open("out.txt") if line.startswith("AlexNet")]
assert [row[0] for row in rows] == ["-100", "0", "100"], rows
assert all(abs(float(row[1])) < 0.1 for row in rows), rows
assert abs(float(rows[1][2])) < 0.1 and all(float(rows[i][2]) < -1 for i in (0, 2)), rows
END
# timelines as of several workers of TensorFlow: a file each
"$PROGRAM" run tiny.yaml --engine=fair-share --out several --set job.workers='[2]' --set output.timeline=4 \
    --set overhead={} --set replications=1 --set output.plots=false >out.txt
"$PROGRAM" import job several/timelines/W2-fair-share-worker{0,1}-step2.timeline.json -o several.yaml \
    --batch-size 4 >out.txt || fail "import of two workers"
grep -q '2 workers, 2 PS, of tf-timeline' out.txt || fail "$(cat out.txt)"
"$PROGRAM" replay several.yaml >out.txt
python3 - <<'END'
import csv
steps = {row["worker"]: float(row["end"]) - float(row["start"])
         for row in csv.DictReader(open("several/steps.csv")) if row["step"] == "2"}
rows = [line.split() for line in open("out.txt") if line.startswith("  worker")]
assert len(rows) == 2, rows
for _, worker, measured, replayed, *_ in rows:
    assert abs(float(measured) / steps[worker] - 1) < 0.01, (rows, steps)
    assert abs(float(replayed) / steps[worker] - 1) < 0.01, (rows, steps)
END
gzip -dc "$DATA/traces/alexnet_b8.w1.step3.RunMetadata.pbtxt.gz" >whole.pbtxt
python3 - <<'END'
import re
text = open("whole.pbtxt").read()
devices = re.split(r"(?m)^  dev_stats \{\n", text[:text.rindex("\n  }\n") + 5])[1:]
for machine in ("worker", "ps"):
    own = [device for device in devices if f'device: "/job:{machine}/' in device]
    assert own
    open(machine + ".pbtxt", "w").write(
        "step_stats {\n" + "".join("  dev_stats {\n" + device for device in own) + "}\n")
END
"$PROGRAM" import job whole.pbtxt -o whole.yaml --batch-size 8 >out.txt || fail "import of a whole trace"
"$PROGRAM" import job ps.pbtxt worker.pbtxt -o parts.yaml --batch-size 8 --model whole >out.txt ||
    fail "import of its parts"
"$PROGRAM" import job whole.pbtxt -o whole.yaml --force --batch-size 8 --model whole >out.txt
cmp <(grep -v ' file: ' whole.yaml) <(grep -v ' file: ' parts.yaml) || fail "parts are not the whole"
refused 'ps.pbtxt: has records of /job:ps/replica:0/task:0, as whole.pbtxt has' import job whole.pbtxt \
    ps.pbtxt -o no.yaml --batch-size 8
refused 'ps.pbtxt: found no machine but parameter servers that computed; accepted: traces of workers, too' \
    import job ps.pbtxt -o no.yaml --batch-size 8
refused "--clocks: found 'none'; accepted: aligned, recorded" import job whole.pbtxt -o no.yaml --clocks none

# a worker that is twice as slow makes others wait: what they wait for is not their collective
replayed slow 3 fair-share --set job.protocol=all-reduce --set job.parameter_servers=0 \
    --set overhead={} --set 'job.devices={fast: {}, slow: {speed: 0.5}}' \
    --set 'job.worker_devices=[fast, fast, slow]'
"$PROGRAM" import job slow -o raw.yaml --uncorrected >out.txt
python3 - <<'END'
import yaml
def longest(path): # collectives with their messages
    ops = [op for op in yaml.safe_load(open(path))["ops"] if op["kind"] in ("collective", "move")]
    assert ops
    return {w: sum(op.get("seconds", 0) for op in ops if op["worker"] == w) for w in (0, 2)}
corrected, raw = longest("slow.yaml"), longest("raw.yaml")
assert abs(corrected[0] / corrected[2] - 1) < 0.3, corrected
assert raw[0] > 1.5 * raw[2], raw
END

# uncorrected transfers overlap; channels whose rows are called something else are not known
"$PROGRAM" import job async --uncorrected -o raw-async.yaml >out.txt
"$PROGRAM" why raw-async.yaml >out.txt || fail "why of uncorrected transfers"
sed 's/"name":"\(downlink\|uplink\) PS/"name":"row/' async/trace.json >renamed.json
"$PROGRAM" import job renamed.json -o renamed.yaml >out.txt || fail "import of renamed rows"
"$PROGRAM" why renamed.json --check=none --out renamed >out.txt || fail "why of renamed rows"
cat >bare.yaml <<'END'
schema: dml-job/1
model: m
batch_size: 4
workers: 1
servers: 1
steps: 5
measured: [{step: 1, forward: 0.5, backward: 0.5}]
devices: [d0]
ops:
  - {name: p, kind: pull, worker: 0, seconds: 0.1}
  - {name: a, kind: forward, worker: 0, device: 0, seconds: 0.1, deps: [0]}
END
"$PROGRAM" why bare.yaml >out.txt || fail "why of a transfer without a device"
# workers that crash and begin again: the job that is written can be read
"$PROGRAM" run tiny.yaml --engine=fair-share --out rebuilt --set output.plots=false \
    --set job.protocol=all-reduce --set job.parameter_servers=0 --set 'overhead={}' \
    --set 'transfer={transport: tcp}' --set job.workers=3 --set job.steps=9 \
    --set 'job.all_reduce={on_crash: {rebuild: 40ms}}' \
    --set 'faults=[{crash: worker1, at: 50ms, rejoin: 60ms}]' >out.txt
"$PROGRAM" import job rebuilt -o rebuilt.yaml >out.txt
"$PROGRAM" replay rebuilt.yaml >out.txt || fail "a job that cannot be read"

# traces of other programs, one for each worker: transfers of TensorFlow, collectives of PyTorch
"$PROGRAM" import job "$DATA"/traces/alexnet_b8.w1.step3.RunMetadata.pb.gz --batch-size 8 -o tf.yaml >out.txt
grep -q '1 worker, 1 PS, of tf-runmetadata' out.txt || fail "$(cat out.txt)"
"$PROGRAM" replay tf.yaml >out.txt
python3 - <<'END'
import re
row = re.search(r"mean step +([\d.]+) +([\d.]+) +([-+.\d]+) %", open("out.txt").read())
assert abs(float(row[3])) < 1 and 4.0 < float(row[1]) < 4.3, row[0]
END
"$PROGRAM" import job "$DATA"/traces/ddp-gloo.rank{0,1}.kineto.json.gz --batch-size 8 -o ddp.yaml >out.txt
grep -q '2 workers, 0 PS, of kineto' out.txt || fail "$(cat out.txt)"
"$PROGRAM" replay ddp.yaml --engine=fair-share >out.txt || fail "engines run no job of PyTorch"
"$PROGRAM" replay tf.yaml --engine=fair-share >out.txt || fail "engines run no job of TensorFlow"
python3 - <<'END'
import yaml
job = yaml.safe_load(open("ddp.yaml"))
ops = job["ops"]
# two buckets, as long as for the worker that comes last, which waits for nobody (by the import)
reduced = [op for op in ops if op["kind"] == "collective"]
assert [op["bytes"] for op in reduced] == [4205608] * 2 + [38912] * 2, reduced
assert all(abs(op["seconds"] - want) < 1e-5
           for op, want in zip(reduced, [0.008821] * 2 + [0.002432] * 2)), reduced
for op in reduced:  # both workers' gradients, and updates wait for them
    assert {ops[n]["worker"] for n in op["deps"]} == {0, 1}, op
updates = [op for op in ops if op["kind"] == "update"]
assert len(updates) == 2 * 8 and all(
    any(ops[n]["kind"] == "collective" for n in op["deps"]) for op in updates), updates
END
"$PROGRAM" replay ddp.yaml >out.txt

# steps that take next to no time: shares and errors of nothing are not told
sed -e 's/latency: [0-9.e-]*, //' -e 's/seconds: [0-9.e-]*/seconds: 1e-310/' ring.yaml >denormal.yaml
"$PROGRAM" why denormal.yaml >out.txt || fail "why of short steps"
"$PROGRAM" replay denormal.yaml >>out.txt || fail "replay of short steps"
! grep -E 'inf|nan' out.txt || fail "infinite shares"
refused 'denormal.yaml: the job has no link that carries 64 KiB' replay denormal.yaml --daydream
for option in --engine=packet --check=none --jobs=2; do
    refused "is a job, whose replay has no ${option%%=*}" why slow.yaml $option
done
refused 'found --rate without --daydream or --engine' replay slow.yaml --rate=1Gbps
# sizes that no job has: nothing is written that could not be read
python3 - <<'END'
import json
trace = json.load(open("async/trace.json"))
for event in trace["traceEvents"]:
    if event["ph"] == "X" and "bytes" in event.get("args", {}):
        event["args"]["bytes"] = 2**53 - 1
json.dump(trace, open("damaged.json", "w"))
END
refused 'damaged.json: the job made of it:' import job damaged.json --engine=fair-share -o damaged.yaml
[[ ! -e damaged.yaml ]] || fail "a job that cannot be read"
refused "schema: found \"dml-job/2\"" replay <(sed 's#dml-job/1#dml-job/2#' slow.yaml)
refused 'there already' import job slow -o raw.yaml
refused "found --engine; accepted: it with 'import job'" import auto slow/trace.json -o x.yaml --engine=host
refused "found a second file; accepted: one trace.json" import job slow/trace.json packets/trace.json -o x.yaml
"$PROGRAM" run tiny.yaml --set output.plots=false --set job.steps=2 --set job.warmup=0 --out short >out.txt
refused 'has runs of 2 engines; accepted: --engine to choose one' import job short -o x.yaml
refused 'short/trace.json: worker 0 has 2 steps; accepted are at least 3 of each worker' import job short \
    --engine=packet -o x.yaml
[[ ! -e x.yaml ]] || fail "a file of nothing"

echo "replay: steps of both engines, servers and all-reduce, within what is said"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# versions.csv says what transfers.csv and ops.csv say, in both engines and for every scheme; learn replays it.
# usage: dml-learn-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

"$PROGRAM" run tiny.yaml --out schemes --set job.workers='[3]' --set output.versions=true \
    --set 'sweep={job.sync: [async, bsp, {ssp: 1}, {backup: 1}]}' >run.txt
# push-pull: one pull and push of each tensor in a step, the parameters for the next one
"$PROGRAM" run tiny.yaml --out push --set job.workers='[3]' --set output.versions=true \
    --set job.protocol=push-pull --set job.start=together >run.txt
"$PROGRAM" run tiny.yaml --out reduce --set job.workers='[3]' --set output.versions=true \
    --set job.protocol=all-reduce --set job.parameter_servers=0 --set overhead={} >run.txt
cat >profile.yaml <<'END'
schema: dml-profile/1
model: crash
batch_size: 4
tensors: [{name: a, bytes: 100000}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: work, kind: compute, deps: [pull/a], seconds: 0.01}
  - {name: push/a, kind: push, tensor: a, deps: [work]}
  - {name: update/a, kind: update, tensor: a, deps: [push/a], seconds: 0.001}
END
"$PROGRAM" run tiny.yaml --out crash --set job.profile=profile.yaml --set job.workers='[2]' \
    --set output.versions=true --set 'faults=[{crash: worker1, at: 40ms, rejoin: 10ms}]' >run.txt

# the server is down from 45 to 65 ms, and has the parameters of 40 ms then
"$PROGRAM" run tiny.yaml --out server --set job.profile=profile.yaml --set job.workers='[2]' --set job.checkpoint=20ms \
    --set job.parameter_servers=1 --set output.versions=true --set 'faults=[{crash: ps0, at: 45ms, rejoin: 20ms}]' >run.txt
# and from 50 to 70 ms while a slow worker is waited for
"$PROGRAM" run tiny.yaml --out joint --set job.profile=profile.yaml --set job.workers='[3]' --set job.sync=bsp \
    --set job.parameter_servers=1 --set job.checkpoint=20ms --set output.versions=true \
    --set 'job.devices={slow: {speed: 0.5}, usual: {speed: 1}}' --set 'job.worker_devices=[slow, usual, usual]' \
    --set 'faults=[{crash: ps0, at: 50ms, rejoin: 20ms}]' >joint.txt
grep -qE 'crashes of servers: [12]; [0-9]+ steps' run.txt || fail "no crash of a server: $(cat run.txt)"

python3 - <<'END'
import csv
import json
from collections import defaultdict

def rows(path):
    return list(csv.DictReader(open(path)))

def run_of(row):
    return row.get("variant", ""), row["engine"], row["replication"]

def check(folder, joint):
    """Versions against the times of transfers and updates, which other code writes."""
    made = defaultdict(list)  # ends of updates, by run and tensor
    ends = {}
    for row in rows(folder + "/ops.csv"):
        if row["op"].startswith("update/") and row["parse"] == "0":
            tensor = row["op"].removeprefix("update/")
            made[run_of(row), tensor].append(float(row["end"]))
            ends[run_of(row), row["worker"], row["step"], tensor] = float(row["end"])
    pulls = {(run_of(row), row["worker"], row["step"], row["tensor"]): float(row["first_byte"])
             for row in rows(folder + "/transfers.csv") if row["direction"] == "downlink"}
    counted = defaultdict(int)
    for row in rows(folder + "/versions.csv"):
        run, tensor = run_of(row), row["tensor"]
        key = (run, row["worker"], row["step"], tensor)
        known = sorted(made[run, tensor])
        read = sum(end <= pulls[key] for end in known)
        assert int(row["read"]) == read, (row, read)
        assert float(row["time"]) == known[int(row["made"]) - 1], row
        if run[0] not in joint:
            assert float(row["time"]) == ends[key], row
        counted[run, tensor, row["made"]] += 1
    assert len(counted) == sum(len(times) for times in made.values())
    for (run, _, _), number in counted.items():
        assert joint.get(run[0], 1) <= number <= 3, (run, number)
    return counted

counted = check("schemes", {"job.sync=bsp": 3, "job.sync={backup: 1}": 2})
assert {run[0] for run, _, _ in counted} == {"job.sync=" + sync for sync in ("async", "bsp", "{ssp: 1}", "{backup: 1}")}
dropped = defaultdict(int)
for row in rows("schemes/steps.csv"):
    dropped[run_of(row)] += int(row["dropped"])
for run, number in dropped.items():  # every gradient was applied or dropped: 4 tensors, 3 workers, 6 steps
    steps = sum(run_of(row) == run for row in rows("schemes/steps.csv"))
    applied = sum(count for (other, _, _), count in counted.items() if other == run)
    assert applied + number == 4 * steps, (run, applied, number)
assert any(number > 0 for number in dropped.values())
stale = [int(row["made"]) - 1 - int(row["read"]) for row in rows("schemes/versions.csv")
         if row["variant"] == "job.sync=async"]
assert max(stale) > 0 and min(stale) == 0, stale
for folder, tensors in (("push", 4), ("reduce", 1)):  # all are in one bucket there
    for row in rows(folder + "/versions.csv"):
        assert row["read"] == row["step"] and int(row["made"]) == int(row["step"]) + 1, (folder, row)
    assert len(rows(folder + "/versions.csv")) == 2 * 2 * 3 * 6 * tensors, folder  # engines, replications ...
crash = [row for row in rows("crash/versions.csv") if row["engine"] == "fair-share" and row["replication"] == "0"]
assert [int(row["made"]) for row in crash] == list(range(1, len(crash) + 1))

def crashed(folder, workers, at, back, taken):
    """What a crash of the server has left: nothing is made while it is down, the checkpoint's version is back."""
    summary = json.load(open(folder + "/summary.json"))["cases"][0]
    for engine in ("fair-share", "packet"):
        for run in summary["engines"][engine]["replications"]:
            mine = [row for row in rows(folder + "/versions.csv") if row["engine"] == engine
                    and row["replication"] == str(run["replication"])]
            restored = [row for row in mine if row["worker"] == ""]
            saved = len({row["made"] for row in mine if float(row["time"]) <= 0.040})
            assert [(float(row["time"]), row["read"]) for row in restored] == [(at, str(saved))], restored
            made = defaultdict(int)
            for row in mine:
                made[int(row["made"])] += 1
            assert sorted(made) == list(range(1, len(made) + 1)), made
            made.pop(int(restored[0]["made"]))
            assert set(made.values()) == {taken}, made
            steps = [row for row in rows(folder + "/steps.csv") if row["engine"] == engine
                     and row["replication"] == str(run["replication"])]
            assert len(steps) == workers * 6, "every worker does all its steps"
            for times in ([float(row["time"]) for row in mine], [float(row["end"]) for row in steps]):
                assert not any(at < time < back for time in times), times
            lost = sum(0.040 < float(row["end"]) <= at for row in steps)
            crash, = run["server_crashes"]
            assert (crash["checkpoint"], crash["lost_steps"]) == (0.04, lost), (crash, lost)
            assert all(other["ended"] and other["back"] >= back for other in run["crashes"]), run

crashed("server", 2, 0.045, 0.065, 1)
crashed("joint", 3, 0.050, 0.070, 3)
END

"$PROGRAM" learn schemes --target 0.9 >out.txt
fits out.txt
for sync in async bsp '{ssp: 1}' '{backup: 1}'; do
    [[ $(grep -c "^job.sync=$sync " out.txt) == 2 ]] || fail "no line of $sync in both engines: $(cat out.txt)"
done
grep -qE '^job.sync=bsp +[0-9.]+ +0\.0 ' out.txt || fail "a barrier with stale gradients: $(cat out.txt)"
[[ -s schemes/learning.csv && -s schemes/learning.svg ]] || fail "no curves"
cp schemes/learning.csv before.csv
"$PROGRAM" learn schemes --target 0.9 >again.txt
cmp before.csv schemes/learning.csv && cmp out.txt again.txt || fail "another result of the same runs"
"$PROGRAM" learn push reduce crash server --problem quadratic --learning-rate 0.5 --out curves >out.txt
fits out.txt
for name in push reduce crash server; do
    grep -q "^$name " out.txt || fail "no line of $name: $(cat out.txt)"
done
[[ -s curves/learning.csv && ! -e push/learning.csv ]] || fail "curves in another folder"
# all workers of these two have read the same in each step, so they learn the same
python3 - <<'END'
import csv
losses = {}
for row in csv.DictReader(open("curves/learning.csv")):
    if row["scheme"] in ("push", "reduce"):
        losses.setdefault((row["scheme"], row["engine"], row["replication"]), []).append((row["updates"], row["loss"]))
for (scheme, engine, replication), curve in losses.items():
    assert curve[-1] == losses["push", engine, replication][-1], (scheme, engine, replication)
END

# folders of the same name are told apart, and each is given once
mkdir -p one two && cp -r push one/results && cp -r crash two/results
"$PROGRAM" learn one/results two/results --learning-rate 0.5 --out curves >out.txt
grep -q '^one/results ' out.txt && grep -q '^two/results ' out.txt || fail "schemes of two folders: $(cat out.txt)"
refused "push/: is given twice; accepted: each folder once" learn push push/
refused 'output.versions=true' learn .
refused "accepted: quadratic, softmax, mlp" learn schemes --problem nosuch
refused "--target: found '0'; accepted: a number above 0, below 1" learn schemes --target 0
refused "--learning-rate: found 'x'" learn schemes --learning-rate x
head -3 schemes/versions.csv | sed 's/,0,/,-1,/' >bad.csv && mkdir bad && cp schemes/steps.csv bad && mv bad.csv bad/versions.csv
refused "bad/versions.csv:2:" learn bad
head -1 schemes/versions.csv >bad/versions.csv
refused "has no gradients" learn bad
cp -r push unfinished-push && mkdir unfinished-push/unfinished
"$PROGRAM" learn unfinished-push >out.txt
grep -qx 'unfinished-push: not all of its runs are done' out.txt || fail "$(cat out.txt)"

echo "learn: versions, schemes, curves, mistakes"

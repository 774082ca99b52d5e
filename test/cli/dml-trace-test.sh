#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# The traces that a run writes are well-formed, and imported they give the profile that ran.
# usage: dml-trace-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

run()
{
    "$PROGRAM" run tiny.yaml --set job.sampling=in-order --set output.timeline=2 \
        --set output.plots=false "$@" >out.txt 2>err.txt </dev/null || fail "run $*: $(cat err.txt)"
}

import()
{
    "$PROGRAM" import "$@" >out.txt 2>err.txt </dev/null || fail "import $*: $(cat err.txt)"
}

# ops_of PROFILE: tensors and ops, with their times
ops_of()
{
    sed -n '/^tensors:/,$p' "$1"
}

run --out both
import auto both/trace.json -o fair.yaml
import dml-trace both/trace.json --worker 'packet worker 2' -o packet.yaml
cmp fair.yaml packet.yaml || fail "what the engines ran differs"
# a run of what was imported gives the same trace, but for where the profile is from
sed 's/tiny.profile.yaml/fair.yaml/' tiny.yaml >again.yaml
"$PROGRAM" run again.yaml --set job.sampling=in-order --set output.plots=false --out again >out.txt
import dml-trace again/trace.json -o again.profile.yaml
cmp <(ops_of fair.yaml) <(ops_of again.profile.yaml) || fail "the second round differs"
cmp <(grep -v dml_profile both/trace.json) <(grep -v dml_profile again/trace.json)
python3 - <<'END'
# what the profile says, in its own order
import re
def ops(path):
    found = []
    for line in open(path):
        op = re.search(r"\{name: (.*?), kind: (\w+)", line)
        if op:
            deps = re.search(r"deps: \[(.*?)\]", line)
            samples = re.search(r"samples: \[(.*?)\]|seconds: (\S+)\}", line)
            times = [float(t) for t in (samples[1] or samples[2]).split(",")] if samples else []
            found.append((op[1], op[2], deps and deps[1], times * (2 if len(times) == 1 else 1)))
    return found
assert ops("fair.yaml") == ops("tiny.profile.yaml"), (ops("fair.yaml"), ops("tiny.profile.yaml"))
END

# Chrome's format: no two events of a thread overlap, processes of the engines are not mixed up.
python3 - <<'END'
import collections, glob, json
def check(path, schema):
    trace = json.load(open(path))
    assert trace.get("otherData", {}).get("schema") == schema, path
    lanes, names, flat = collections.defaultdict(list), {}, 0
    for event in trace["traceEvents"]:
        if event["name"] == "process_name":
            assert event["pid"] not in names, event
            names[event["pid"]] = event["args"]["name"]
        if event["ph"] == "X":
            assert event["pid"] in names and event["ts"] >= 0 and event["dur"] >= 0, event
            # ns as whole numbers
            start, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
            lanes[event["pid"], event["tid"]].append((start, start + length))
    assert lanes, path
    for lane in lanes.values():
        assert lane == sorted(lane), path
        assert all(a[1] <= b[0] for a, b in zip(lane, lane[1:])), path
    return names
names = check("both/trace.json", "dml-trace/1")
assert len(names) == 2 * (3 + 2), names
files = glob.glob("both/timelines/*.timeline.json")
# W=1 and W=3, two engines, two steps
assert len(files) == (1 + 3) * 2 * 2, files
for path in files:
    names = check(path, None)
    assert names[0] == "Allocators" and len(names) == 1 + 2 * (1 + 2), names
END

# The form of TensorFlow's timelines, read back as such.
import auto both/timelines/W3-packet-worker1-step*.timeline.json --batch-size 4 --model tiny -o tf.yaml
[[ $(grep -c 'kind: p\(ull\|ush\)' tf.yaml) == 8 ]] || fail "transfers of a timeline: $(cat tf.yaml)"
grep -q 'name: conv/weight, bytes: 150000' tf.yaml || fail "sizes of a timeline: $(cat tf.yaml)"
grep -q 'name: forward/conv, .*samples: \[0.002, 0.003\]' tf.yaml || fail "times: $(cat tf.yaml)"
run --out none --engine=fair-share --set output.timeline=0
[[ ! -e none/timelines ]] || fail "timelines that nobody asked for"

# What an interrupted run leaves gives the steps that it has.
head -c "$(($(stat -c %s both/trace.json) / 2))" both/trace.json >cut.json
import auto cut.json -o cut.yaml
grep -q 'cut.json ends too early' out.txt || fail "no warning: $(cat out.txt)"
cmp <(ops_of fair.yaml) <(ops_of cut.yaml) || fail "the first steps of a cut trace differ"
head -c 3000 both/trace.json >cut.json
code=0
"$PROGRAM" import auto cut.json -o none.yaml >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] && grep -qE 'cut.json: has no (complete step of )?worker' err.txt ||
    fail "a trace without steps: $code $(cat err.txt)"

echo "traces: round trip of both engines, Chrome's format, TensorFlow's timelines, interrupted runs"

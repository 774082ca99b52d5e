#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml why": critical paths cover the steps that a run wrote, by a reading of its files that is not
# dml's own; what-ifs come true when they are run; the annotated trace is well-formed.
# usage: dml-why-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shorten

run()
{
    "$PROGRAM" run tiny.yaml --set output.plots=false "$@" >out.txt 2>err.txt </dev/null ||
        fail "run $*: $(cat err.txt)"
}

why()
{
    "$PROGRAM" why "$@" >out.txt 2>err.txt </dev/null || fail "why $*: $(cat err.txt)"
    fits out.txt
}

# paths RESULTS: the segments of critical-path.csv against steps.csv and ops.csv
paths()
{
    python3 - "$1" <<'END'
import collections, csv, json, sys
folder = sys.argv[1]
steps, paths, ops = {}, collections.defaultdict(list), collections.defaultdict(set)
for row in csv.DictReader(open(folder + "/steps.csv")):
    if row["replication"] == "0":
        steps[row["workers"], row["engine"], row["worker"], row["step"]] = row
for row in csv.DictReader(open(folder + "/ops.csv")):
    if row["replication"] == "0":
        key = row["workers"], row["engine"], row["worker"], row["step"], row["op"]
        ops[key].add((row["start"], row["end"]))
for row in csv.DictReader(open(folder + "/critical-path.csv")):
    paths[row["workers"], row["engine"], row["worker"], row["step"]].append(row)
assert {key[1] for key in paths} == {"fair-share", "packet"}, paths.keys()
near = lambda a, b: abs(float(a) - float(b)) < 5e-9
for key, path in paths.items():
    assert near(path[0]["start"], steps[key]["start"]), (key, path[0])
    assert near(path[-1]["end"], steps[key]["end"]), (key, path[-1])
    for a, b in zip(path, path[1:]):
        assert a["end"] == b["start"], (key, a, b)
    for row in path:
        if row["part"] == "compute":  # as the run has it, but for the ends of the step
            ran = ops[key[0], key[1], row["op_worker"], row["op_step"], row["op"]]
            assert any(near(row["end"], end) or near(row["start"], start) for start, end in ran), row
# all but the first step of each worker
workers = max(int(key[0]) for key in steps)
count = sum(1 for key in steps if key[0] == str(workers) and key[3] != "0")
assert len(paths) == count, (len(paths), count)

trace, lanes, arrows = json.load(open(folder + "/trace-critical-path.json")), collections.defaultdict(list), {}
for event in trace["traceEvents"]:
    if event["ph"] == "X":
        start, length = round(event["ts"] * 1000), round(event["dur"] * 1000)
        lanes[event["pid"], event["tid"]].append((start, start + length))
    if event["ph"] in "sf":
        arrows.setdefault(event["id"], {})[event["ph"]] = event
for lane in lanes.values():
    assert lane == sorted(lane) and all(a[1] <= b[0] + 1 for a, b in zip(lane, lane[1:])), lane
assert arrows
for arrow in arrows.values():  # from a slice to a slice, forwards
    assert arrow["s"]["ts"] <= arrow["f"]["ts"], arrow
    for end in arrow.values():
        at = round(end["ts"] * 1000)
        assert any(a - 1 <= at <= b + 1 for a, b in lanes[end["pid"], end["tid"]]), end
END
}

run --out both --set output.ops=true
cp both/trace.json before.json
why both
cmp both/trace.json before.json || fail "the trace of the run has changed"
grep -q '^fair-share, 3 workers, 2 PS: ' out.txt && grep -q '^packet, 3 workers, 2 PS: ' out.txt ||
    fail "$(cat out.txt)"
grep -q '^why fair-share and packet differ' out.txt || fail "$(cat out.txt)"
grep -q '^  in which state, s  *queued  *sending  *held back on its way$' out.txt || fail "$(cat out.txt)"
[[ $(grep -cE '^    (fair-share|packet) ( +[0-9.e-]+){4}$' out.txt) == 6 ]] || fail "$(cat out.txt)"
paths both
[[ -s both/critical-path.gp ]] || fail "no plot"
run --out rounds --set output.ops=true --set job.sync=bsp --set overhead.alpha=1e-8
why rounds --check=none
grep -q '^  parsing ' out.txt || fail "no parsing: $(cat out.txt)"
paths rounds
run --out ring --set output.ops=true --set job.protocol=all-reduce \
    --set job.parameter_servers=0 --set overhead={}
why ring --check=none
grep -q '^  collectives: ' out.txt || fail "no collectives: $(cat out.txt)"
paths ring

# everybody waits for the slow one
run --out slow --set output.ops=true --set job.protocol=all-reduce --set job.parameter_servers=0 \
    --set overhead={} --set 'job.devices={fast: {}, slow: {speed: 0.5}}' \
    --set 'job.worker_devices=[fast, fast, slow]'
why slow --check=none
[[ $(grep -cE '^    for worker 2 +[0-9.]+ +[0-9.]+ %' out.txt) == 2 ]] || fail "$(cat out.txt)"
! grep -E '^    for worker [01] ' out.txt || fail "they wait for a fast worker"

# again, the same bytes; elsewhere, nothing there changes
why both --check=none --out elsewhere
cmp both/critical-path.csv elsewhere/critical-path.csv
cmp both/trace-critical-path.json elsewhere/trace-critical-path.json

# A lone worker on a link of its own: a part less time is a part less time, and runs confirm it.
run --out lone --set replications=4 --set 'job.workers=[1]' --set job.sampling=in-order --engine=fair-share
why lone --check=fair-share
python3 - <<'END'
import re
checked = 0
for line in open("out.txt"):
    row = re.match(r"  (\S.*?)\s+(-\d+\.\d+)\s+(-\d+\.\d+) \((.*)\.\.(.*)\)$", line)
    if row:
        checked += 1
        assert abs(float(row[2]) - float(row[3])) < 0.25, line
assert checked >= 2, open("out.txt").read()
END

# with the effects of the network switched off, too
why both --check=all --jobs 2
grep -q '^  throughput of fair-share against packet: ' out.txt || fail "$(cat out.txt)"
grep -q '^  delays of links ' out.txt || fail "$(cat out.txt)"
# what something else needs says so
run --out marks --set 'job.workers=[2]' --set network.transport=linux --set 'network.queue={ecn: 1MB, threshold: 100KB}' \
    --set network.tcp.variant=dctcp
why marks --check=all
tr -s '\n ' ' ' <out.txt | grep -qF 'one FIFO queue for all in a port cannot be switched off: network.tcp.variant: found dctcp in a network' ||
    fail "$(cat out.txt)"
grep -q '^  bursts of segments ' out.txt || fail "$(cat out.txt)"

refused 'trace.json: ' why nowhere/trace.json
run --out none --set output.trace=false --engine=fair-share
refused 'none: has no trace.json; accepted: results of a run with output.trace: true' why none
refused "no step of --engine host; accepted: fair-share W=3, packet W=3" why both --engine=host
refused "found '' for results" why ''
# a summary.json of other results, and one whose scenario is damaged
mkdir mixed
cp both/trace.json ring/summary.json mixed
refused 'mixed/summary.json: is not of the run of tiny with 3 workers and 2 parameter servers' why mixed
sed 's/"steps": *[0-9]*/"steps": -5/' both/summary.json >mixed/summary.json
refused 'mixed/summary.json: its scenario cannot be run: ' why mixed
refused "accepted: none, fair-share, all" why both --check=perhaps
refused "--check: found 'host'; accepted: none, fair-share, all" why both --check=host
refused "wrong number of arguments for 'why'" why both none
cp both/trace.json lonely.json
refused 'summary.json' why lonely.json
why lonely.json --check=none
head -c 60000 both/trace.json >cut.json
why cut.json --check=none --out cut
grep -q 'cut.json: its end is cut off' err.txt || fail "nothing said of the end: $(cat err.txt)"
python3 -c 'import json; json.load(open("cut/trace-critical-path.json"))'

# of a job whose steps overlap, the time from one's end to the next one's, which is what a replay gives
for protocol in push-pull run-graph; do
    run --out period --force --engine=fair-share --set job.protocol=$protocol --set job.steps=12
    "$PROGRAM" import job period -o period.yaml --force >/dev/null
    "$PROGRAM" replay period.yaml >replay.txt
    why period.yaml
    python3 - $protocol <<'END' || fail "$protocol: $(cat replay.txt out.txt)"
import re, sys
replayed = re.search(r"mean step +\S+ +(\S+)", open("replay.txt").read())[1]
text = open("out.txt").read()
steps = re.search(r"(\d+) steps of (\S+) s ", text)
assert int(steps[1]) == 3 * 19, steps
period = re.search(r"steps overlap: one of a worker ends every (\S+) s\n", text)
assert (period is not None) == (sys.argv[1] == "push-pull")
assert replayed == (period[1] if period else steps[2]), (replayed, period)
END
done

# run draws the path, too, and says if it could not
mkdir bin
printf '#!/bin/sh\ncat >/dev/null\necho no room\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$WORK/bin:$PATH run --out drawn --engine=fair-share --set output.plots=true
tr -d '\n' <out.txt | grep -q 'critical-path.svg was not *drawn: *gnuplot says: *no room' || fail "$(cat out.txt)"

# Phases in which the engines differ are those rows of the matched comparison that are certain, here and in report.html.
"$PROGRAM" run tiny.yaml --engine=both --out phases --set job.workers=3 --set job.steps=20 --set replications=5 --set output.plots=true >out.txt
"$PROGRAM" match phases --effects >effects.txt
why phases --check=none
python3 - <<'END'
import re
text = open("out.txt").read()
part = text[text.index("  step by step, from recorded begins"):].split("\n\n")[0].splitlines()[1:]
shown = [re.match(r"  (.*?) +([-+]\S+ \+- \S+)( \?)?$", line).groups()[:2] for line in part]
effect, certain = "", []
for line in open("effects.txt").read().splitlines()[2:]:
    row = re.match(r"(?: +\d+  packet    | {16})(.{11})(.{26}) +[0-9.]+ +([-+]\S+ \+- \S+)( \?)?$", line)
    if not row:
        continue
    effect = row[1].strip() or effect
    if effect == "all" or (effect in ("direction", "others", "acks") and row[2].strip() != "rest" and not row[4]):
        certain.append((row[2].strip() or "all", row[3]))
assert shown == certain and len(shown) > 1, (shown, certain)
page = open("phases/report.html").read()
assert all(f"{name:<38} {value:>18}" in page for name, value in shown), shown
END
rm phases/transfers.csv
why phases --check=none
grep -qF 'phases are not known: there is no transfers.csv (output.transfers: true)' out.txt || fail "no reason: $(cat out.txt)"

# links on which connections meet by their hash are those of network.csv, and conserve connections
FABRIC=(--set network.transport=linux --set 'network.topology={type: leaf-spine, leaves: 2, spines: 4}' --set 'job.workers=[4]' --engine burst)
run "${FABRIC[@]}" --set network.multipath=ecmp --set output.plots=true --out meet
why meet
cp out.txt meet.txt
"$PROGRAM" check tiny.yaml "${FABRIC[@]}" --set network.multipath=ecmp --paths >paths.txt 2>err.txt </dev/null || fail "paths: $(cat err.txt)"
python3 - <<'END'
import csv, re
rows = [row for row in csv.DictReader(open("meet/network.csv")) if row["replication"] == "0"]
count = {row["link"]: (int(row["connections"]), float(row["even_connections"])) for row in rows}
for leaf in ("leaf0", "leaf1"):
    up = [both for link, both in count.items() if link.startswith(leaf + "->spine")]
    assert len(up) == 4 and sum(n for n, _ in up) == sum(even for _, even in up) > 0, up
    assert len({even for _, even in up}) == 1, up
text = open("meet.txt").read()
part = text[text.index("connections meet by chance"):]
shown = {m[1]: (int(m[2]), float(m[3])) for m in re.finditer(r"^  (\S+->\S+) +(\d+) +([\d.]+)$", part, re.M)}
worse = {link: both for link, both in count.items() if both[0] > both[1]}
assert shown and len(shown) == min(5, len(worse)), (shown, worse)
assert all(link in worse and both == (worse[link][0], round(worse[link][1], 1)) for link, both in shown.items()), shown
listed = open("paths.txt").read()
ways = re.findall(r"^  (\S+) to (\S+): (\S+->\S+(?:,\s+\S+->\S+)*)$", listed, re.M)
for sender, receiver, links in ways:
    hops = [tuple(link.split("->")) for link in re.split(r",\s+", links)]
    assert hops[0][0] == sender and hops[-1][1] == receiver, links
    assert all(one[1] == other[0] for one, other in zip(hops, hops[1:])), links
crossing = [link for _, _, links in ways for link in re.split(r",\s+", links)]
assert {link: n for link, (n, _) in count.items() if n} == {link: crossing.count(link) for link in crossing}, crossing
met = {m[1]: (int(m[2]), float(m[3])) for m in re.finditer(r"^  (\S+->\S+) +(\d+) +([\d.]+)$", listed, re.M)}
assert met == {link: (n, round(even, 1)) for link, (n, even) in count.items() if re.fullmatch(r"(leaf|spine)\d->(leaf|spine)\d", link)}, met
script = open("meet/connections.gp").read()
names = re.findall(r"'([^']+->[^']+)' \d+", script)
numbers = [line.split() for line in re.search(r"\$data0 << e\n(.*?)\ne\n", script, re.S)[1].splitlines()]
drawn = {names[int(row)]: (int(n), float(even)) for row, n, even, _ in numbers}
assert drawn == {link: both for link, both in count.items() if re.fullmatch(r"(leaf|spine)\d->(leaf|spine)\d", link)}, drawn
assert {names[int(row)] for row, _, _, more in numbers if more == "1"} == {link for link in worse if link in drawn}
assert re.search(r"a step, if all paths were used alike \(fair-share\): [-+]?[0-9.]+ ", part), part
END
run "${FABRIC[@]}" --set network.multipath=ecmp --set 'network.queue={shared: 16MB, alpha: 1}' --out shared
why shared
grep -qF 'steps, if all paths were used alike, cannot be simulated:' out.txt || fail "no reason: $(cat out.txt)"
run "${FABRIC[@]}" --set 'network.multipath={spray: packet}' --engine packet --out sprayed
why sprayed --check=none
grep -qF 'packets come out of order' out.txt || fail "nothing about packets out of order: $(cat out.txt)"
grep -qE '[0-9.]+ % of packets came after one of their connection' out.txt || fail "not how many: $(cat out.txt)"
run "${FABRIC[@]}" --set 'network.topology.spines=1' --out alone
why alone
[ ! -e alone/connections.gp ] || fail "a plot of links that nobody chooses from"
! grep -qF 'meet by chance' out.txt || fail "there is one path: $(cat out.txt)"

echo "why: paths cover steps in both engines, what-ifs come true, traces are well-formed"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml compare": two folders of results side by side, against their own files.
# usage: dml-compare-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

run()
{
    "$PROGRAM" run tiny.yaml --engine=fair-share --set replications=4 "$@" >out.txt 2>err.txt </dev/null ||
        fail "run $*: $(cat err.txt)"
}

run --out slow
run --out quick --set network.rate=10Gbps --set 'job.workers=[1, 2, 3]'
run --out swept --set 'sweep={network.rate: [1Gbps, 10Gbps]}'

"$PROGRAM" compare slow quick -o table.csv >out.txt
fits out.txt
grep -qx '  network.rate: 1000000000bps -> 10000000000bps' out.txt || fail "$(cat out.txt)"
grep -qx 'only in B: W=2' out.txt || fail "$(cat out.txt)"
grep -q '^B is faster in 2 of 2, slower in 0' out.txt || fail "$(cat out.txt)"
python3 - <<'END'
import csv, json, math

def means(folder):
    with open(folder + "/summary.json") as file:
        cases = json.load(file)["cases"]
    return {case["workers"]: [run["throughput"] for run in case["engines"]["fair-share"]["replications"]]
            for case in cases}

slow, quick = means("slow"), means("quick")
with open("table.csv") as file:
    rows = list(csv.DictReader(file))
assert [row["workers"] for row in rows] == ["1", "3"], rows
for row in rows:
    one, other = slow[int(row["workers"])], quick[int(row["workers"])]
    assert math.isclose(float(row["a"]), sum(one) / 4, rel_tol=1e-8), row
    logs = [math.log(b / a) for a, b in zip(one, other)]
    mean = sum(logs) / 4
    half = 3.182446305284263 * math.sqrt(sum((x - mean) ** 2 for x in logs) / 3 / 4)  # Student, 3
    for key, value in (("difference", mean), ("low", mean - half), ("high", mean + half)):
        assert math.isclose(float(row[key]), math.exp(value) - 1, rel_tol=1e-6), (key, row)
END
# three replications have no interval: the least and the greatest, and nothing is certain
for study in slow quick; do
    run --out $study-3 --set replications=3 $([[ $study == slow ]] || echo --set network.rate=10Gbps)
done
"$PROGRAM" compare slow-3 quick-3 >out.txt
grep -q '^B is faster in 0 of 2, slower in 0' out.txt || fail "$(cat out.txt)"
grep -qE '^ +1 +fair-share +[0-9.]+ [0-9]+\.\.[0-9]+ +[0-9.]+ [0-9]+\.\.[0-9]+ +\+[0-9.]+ +\+[0-9.]+\.\.\+[0-9.]+\?$' out.txt ||
    fail "$(cat out.txt)"
# a study of the same question is the same, whether it is named by folder or file
"$PROGRAM" compare slow slow/summary.json >out.txt
grep -qx 'no setting differs' out.txt || fail "$(cat out.txt)"
grep -q '^B is faster in 0 of 2, slower in 0' out.txt || fail "$(cat out.txt)"
# each case of a sweep against the one study
"$PROGRAM" compare slow swept >out.txt
grep -qx 'B: network.rate=10Gbps' out.txt || fail "$(cat out.txt)"
[[ $(grep -c fair-share out.txt) == 4 ]] || fail "$(cat out.txt)"

refused 'is there already' compare slow quick -o table.csv
"$PROGRAM" compare slow quick -o table.csv --force >out.txt
mkfifo pipe
refused 'pipe: is no regular file; accepted: a file, there or new, for -o' compare slow quick -o pipe --force
ln -s there.csv link.csv
"$PROGRAM" compare slow quick -o link.csv >out.txt
[[ -L link.csv ]] && cmp there.csv table.csv || fail "a link to a new file"
refused 'link.csv: is there already' compare slow quick -o link.csv
python3 - <<'END'
import copy
import json
summary = json.load(open("slow/summary.json"))
large = copy.deepcopy(summary)
large["cases"][0]["engines"]["fair-share"]["replications"][0]["throughput"] = 1e308
json.dump(large, open("large.json", "w"))
summary["cases"].append(summary["cases"][0])
json.dump(summary, open("twice.json", "w"))
END
refused ': found 1e+308; accepted: samples per second, above 0 and below 1000000000000000, or null' compare slow large.json
refused ': found a configuration again; accepted: each once' compare slow twice.json
refused 'nowhere: cannot be read' compare slow nowhere
refused 'found a folder' compare slow quick -o slow
refused 'wrong number of arguments' compare slow
run --out other --set 'job.workers=[7]'
refused 'has no configuration with the workers' compare slow other
head -c 300 slow/summary.json >cut.json
refused 'is the file complete?' compare slow cut.json

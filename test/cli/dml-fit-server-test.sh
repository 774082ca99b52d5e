#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml fit-server": finds what a saturated server costs from throughputs that are derived by hand, prints
# keys that a scenario takes, and refuses points that do not tell.
# usage: dml-fit-server-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

# On one core that is busy all the time, a step takes what its tensors cost: of the tiny profile on one server,
# 4 tensors, 550256 bytes and 0.21 ms of updates. 20 ns a byte and 1 ms a tensor come to 15.215 ms, so that 4
# samples a step are 262.9/s; without bytes that cost, 4.21 ms.
# All else is fast, so that workers wait for the server alone.
sed -i 's/samples: .*}/seconds: 0.00001}/' tiny.profile.yaml
cat >points.csv <<'END'
workers,throughput
4,262.9
6,262.9
8,262.9
END
MANY=(--set job.parameter_servers=1 --set overhead={} --set network.rate=100Gbps --set job.steps=60 --cores 1)
"$PROGRAM" fit-server tiny.yaml points.csv "${MANY[@]}" >out.txt 2>err.txt || fail "$(cat err.txt)"
[[ ! -s err.txt ]] || fail "$(cat err.txt)"
fits out.txt
grep -q 'instead explains the points as well' out.txt || fail "one job tells both costs: $(cat out.txt)"
python3 - <<'END'
import re
text = open("out.txt").read()
alpha, beta = (float(re.search(rf"^    {key}: (\S+)", text, re.M)[1]) for key in ("alpha", "beta"))
assert (alpha == 0) != (beta == 0), text
cost = 550256 * alpha + 4 * beta
assert abs(cost / 0.015005 - 1) < 0.02, (cost, text)
assert "ps_cores: 1\n" in text, text
END
cp out.txt first.txt
"$PROGRAM" fit-server tiny.yaml points.csv "${MANY[@]}" --out keys.yaml >out.txt
grep -qx 'for a scenario: keys.yaml' out.txt || fail "$(cat out.txt)"
cmp <(sed '1,/^for a scenario:/d' first.txt) keys.yaml || fail "a second time, other keys"
refused 'keys.yaml: is there already; accepted: --force' fit-server tiny.yaml points.csv "${MANY[@]}" --out keys.yaml
# a scenario takes the keys
{ grep -v '^overhead' tiny.yaml; cat keys.yaml; } >fitted.yaml
"$PROGRAM" check fitted.yaml --engine=fair-share >out.txt || fail "the keys are no scenario"

# faster than the engine without a cost: 4 samples take 50 us of computing and 210 us of updates
printf 'workers,throughput\n1,50000\n2,60000\n3,70000\n' >points.csv
refused 'points.csv: the points do not tell what tensors cost the servers' fit-server tiny.yaml points.csv "${MANY[@]}"
printf 'workers,throughput\n1,100\n' >points.csv
refused 'found 1 point; accepted: at least 2' fit-server tiny.yaml points.csv "${MANY[@]}"
printf 'workers,throughput,job.profle\n1,100,x\n' >points.csv
refused "points.csv:2:3: --set job.profle=x: job.profle: unknown key 'profle'; did you mean 'profile'?" fit-server tiny.yaml points.csv
printf 'workers,throughput,parameter_servers\n1,100,0\n' >points.csv
refused "points.csv:2:7: parameter_servers: found '0'; accepted: an integer, at least 1" fit-server tiny.yaml points.csv
printf 'workers,throughput\n1,100\n3,200\n' >points.csv
refused 'overhead.parallel: found true' fit-server tiny.yaml points.csv --set overhead.parallel=true
for cores in 0-2 x -1 8-1 65; do
    refused "--cores: found '$cores'; accepted: numbers from 1 to 64" fit-server tiny.yaml points.csv "--cores=$cores"
done
refused '.: found a folder; accepted: a file for -o' fit-server tiny.yaml points.csv --out .
refused 'no/keys.yaml: found no folder no; accepted: a file' fit-server tiny.yaml points.csv --out no/keys.yaml

# What the scenario does is not the point's fault, and columns that the fit sets itself are no points'.
refused 'dml: nope.yaml: ' fit-server nope.yaml points.csv
refused 'dml: job.parameter_servers: found 0, as all-reduce has' fit-server tiny.yaml points.csv \
    --set job.protocol=all-reduce --set job.parameter_servers=0 --set overhead={}
for column in job.workers job.parameter_servers fair_share.ps_cores overhead.server overhead.server.alpha; do
    printf "workers,throughput,$column\n1,100,1\n2,150,1\n" >points.csv
    refused "points.csv:1:20: found column '$column'; accepted: " fit-server tiny.yaml points.csv
done
refused "wrong number of arguments for 'fit-server'" fit-server tiny.yaml

echo "fit-server: finds the cost of a saturated server, its keys are a scenario's, and refuses what tells nothing"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# A sweep gives the same files whether it is run at once, in two processes, in two parts, or as a list
# of commands in two folders that are merged; and what does not belong together is not put together.
# usage: dml-sweep-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shrink
mkdir "a folder"
mv tiny.yaml tiny.profile.yaml "a folder"
cd "a folder"
# 3 variants, of which one has 2 numbers of workers; 2 engines, 2 replications: 16 runs
cat >>tiny.yaml <<END
sweep:
  - {network.rate: 1Gbps, job.sync.ssp: 1}
  - {network.rate: 100Mbps, job.sync: {ssp: 2}, job.workers: 2}
  - {network.background: [{from: worker0, to: worker1, rate: 10Mbps}], job.workers: 2}
END
RUNS=16

study()
{
    "$PROGRAM" run tiny.yaml --set output.timeline=1 --set output.gradients=true --set output.plots=true "$@" \
        >out.txt 2>err.txt </dev/null
}

# refused CODE TEXT COMMAND...: it exits with CODE and says TEXT on standard error
refused()
{
    local code=$1 text=$2 found=0
    shift 2
    "$@" >out.txt 2>err.txt </dev/null || found=$?
    [[ $found == "$code" ]] || fail "$*: exit code $found, expected $code: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: no '$text' in: $(cat err.txt)"
}

# The same, for refused.
study_quiet()
{
    "$PROGRAM" run tiny.yaml --set output.timeline=1 --set output.gradients=true --set output.plots=true "$@"
}

# same FOLDER: has the files of "whole"
same()
{
    diff -r whole "$1" --exclude=summary.json || fail "files of $1"
    python3 - "$1" <<'END'
import json, sys
def strip(node):
    if isinstance(node, dict):
        return {k: strip(v) for k, v in node.items() if k != "timing"}
    return [strip(v) for v in node] if isinstance(node, list) else node
a, b = (json.dumps(strip(json.load(open(f"{d}/summary.json")))) for d in ("whole", sys.argv[1]))
assert a == b, "summary.json of " + sys.argv[1]
END
}

study --out whole --jobs 1
python3 - <<'END'
import csv
variants = {row["variant"] for row in csv.DictReader(open("whole/steps.csv"))}
assert len(variants) == 3 and all(len(v) < 120 for v in variants), variants
END
study --out two --jobs 2
same two

# In two parts: interrupted, and resumed.
hold 3 1 study --out parts --jobs 1
kill -INT "$STUDY"
code=0
wait $HELD || code=$?
[[ $code == 1 ]] || fail "exit code $code after an interruption: $(cat err.txt)"
grep -q '"missing_runs": 13' parts/summary.json || fail "an interrupted study that is complete"
refused 2 "network.rate=1Gbps, job.sync.ssp=1.job.steps is 7 and was 6, and 2 more differences; accepted" \
    study_quiet --out parts --resume --set job.steps=7
study --out parts --resume
same parts

# As commands, one for each run: half of them in another folder, some twice, two at a time.
study --out "out 1" --emit-cases cases.txt
[[ $(wc -l <cases.txt) == "$RUNS" ]] || fail "commands: $(cat cases.txt)"
grep -q "sbatch --array=1-$RUNS" out.txt || fail "no hint: $(cat out.txt)"
[[ ! -e "out 1/summary.json" ]] || fail "results of runs that were only listed"
cp cases.txt again.txt
study --out "out 1" --emit-cases again.txt
cmp cases.txt again.txt || fail "another order of commands"
sed "s/'out 1'/out2/" <(tail -n +9 cases.txt) >second.txt
(cd / && head -n 8 "$WORK/a folder/cases.txt" | cat - "$WORK/a folder/second.txt" \
    <(head -n 3 "$WORK/a folder/cases.txt") | tac |
    xargs -d '\n' -P 2 -I{} bash -c '{}') >out.txt
[[ $(grep -c '^1 run done' out.txt) == "$RUNS" ]] || fail "runs: $(cat out.txt)"
[[ $(grep -c '1 done before' out.txt) == 3 ]] || fail "repeated commands ran again: $(cat out.txt)"

# A merge of the half tells what is missing, and leaves results of the rest.
refused 1 "8 runs of $RUNS are missing" "$PROGRAM" merge "out 1" --out half
[[ $(wc -l <half/missing-cases.txt) == 8 ]] || fail "missing cases: $(cat half/missing-cases.txt)"
[[ $(sort half/missing-cases.txt | sed 's/.*--case //' | sort) == "$(sed 's/.*--case //' second.txt | sort)" ]] ||
    fail "other cases are missing: $(cat half/missing-cases.txt)"
python3 - <<'END'
import csv, json
cases = json.load(open("half/summary.json"))["cases"]
runs = [run for case in cases for engine in case["engines"].values() for run in engine["replications"]]
rows = {tuple(row[c] for c in ("variant", "workers", "engine", "replication"))
        for row in csv.DictReader(open("half/steps.csv"))}
assert len(runs) == len(rows) == 8, (runs, rows)
END
# Both make the whole, in a new folder and on top of the half; the sources stay as they are.
before=$(find "out 1" out2 -type f -exec cksum {} + | sort)
(cd / && "$PROGRAM" merge "$WORK/a folder/out 1" "$WORK/a folder/out2" --out "$WORK/a folder/merged" >/dev/null)
same merged
"$PROGRAM" merge "out 1" out2 --out half >out.txt
same half
grep -q '^fair-share: ' out.txt || fail "no report: $(cat out.txt)"
[[ $before == "$(find "out 1" out2 -type f -exec cksum {} + | sort)" ]] || fail "a merge changed its sources"

# A damaged run is missing; its command, or a resumed study, does it again.
echo "half a row" >>"$(find "out 1/unfinished" -path '*[0-9]/steps.csv' | head -1)"
refused 1 "1 run of $RUNS is missing" "$PROGRAM" merge "out 1" out2 --out other
bash other/missing-cases.txt >out.txt
"$PROGRAM" merge "out 1" out2 --out other >out.txt
same other
# In place, whatever its path looks like, and the rest by a resumed study.
ln -s "out 1" link
for folder in "out 1" "out 1/" ./link; do
    refused 1 "8 runs of $RUNS are missing" "$PROGRAM" merge "out 1" --out "$folder"
done
[[ $(wc -l <"out 1/missing-cases.txt") == 8 ]] || fail "missing cases: $(cat "out 1/missing-cases.txt")"
study --out "out 1" --resume --jobs 2
same "out 1"
[[ ! -e "out 1/missing-cases.txt" ]] || fail "missing cases of a complete study"
refused 2 "the results of a study that has ended, and nothing to add to" bash -c "$(head -n 1 cases.txt)"

# Few commands for many runs: about as long each, all runs once.
study --out few --emit-cases few.txt --lines 3
[[ $(wc -l <few.txt) == 3 ]] || fail "commands: $(cat few.txt)"
[[ $(sed 's/.*--case //' few.txt | tr ',' '\n' | sort -n | xargs) == "$(seq -s ' ' 0 $((RUNS - 1)))" ]] ||
    fail "runs of the commands: $(cat few.txt)"
bash -c "$(head -n 1 few.txt)" >out.txt
left=$(tail -n 2 few.txt | sed 's/.*--case //' | tr ',' '\n' | wc -l)
# To standard output; and never in the place of what is no file.
study --out listed --emit-cases -
[[ $(grep -c -- '--out listed .* --case ' out.txt) == "$RUNS" && $(wc -l <out.txt) == "$RUNS" ]] ||
    fail "commands on standard output: $(cat out.txt)"
grep -q "^$RUNS commands for $RUNS runs" err.txt || fail "no hint: $(cat err.txt)"
mkfifo pipe
for file in pipe /dev/stdout few; do
    refused 2 "--emit-cases: found '$file', which is there and no regular file" \
        study_quiet --out unmade --emit-cases "$file"
    [[ ! -e unmade ]] || fail "a folder of a study that was refused"
done
[[ -p pipe ]] || fail "the pipe was replaced"
# What is done is not listed again, and not thrown away unseen.
refused 2 "runs are done; accepted: --resume" study_quiet --out few --emit-cases rest.txt
study --out few --emit-cases rest.txt --resume
[[ $(wc -l <rest.txt) == "$left" ]] || fail "commands of the rest: $(cat rest.txt)"

# Another scenario, engine or folder is not mixed in.
cp tiny.yaml kept.yaml
sed -i 's/steps: 6/steps: 7/' tiny.yaml
command=$(head -n 1 rest.txt)
refused 2 "the scenario, a profile or the program has changed since the cases were emitted (network.rate=1Gbps, job.sync.ssp=1.job.steps is 7 and was 6, and 2 more differences)" \
    bash -c "$command"
refused 2 "not this one: network.rate=1Gbps" bash -c "${command/--study * --case/--case}"
refused 2 "not this one: network.rate=1Gbps" "$PROGRAM" merge few --out nothing
mv kept.yaml tiny.yaml
refused 2 "--case: found 16; accepted: 0 to 15" bash -c "${command% *} 16"
refused 2 "--case: found '1'; accepted: an integer from 3" bash -c "${command% *} 3-1"
refused 2 "found no unfinished study" "$PROGRAM" merge whole --out nothing
refused 2 "nosuch: found no such folder" "$PROGRAM" merge nosuch
refused 2 "merge needs --out DIR for several folders" "$PROGRAM" merge few out2
refused 2 "found --emit-cases and --jobs" study_quiet --emit-cases x --jobs 2
refused 2 "found --lines without --emit-cases" study_quiet --lines 2
code=0
flock few/.lock "$PROGRAM" merge few out2 --out nothing >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] || fail "a merge of a folder that a study writes to: exit code $code: $(cat err.txt)"

echo "sweep: whole, parallel, resumed, as commands, merged; refusals"

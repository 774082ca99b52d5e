#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# A study that is killed twice, power cut included, and resumed gives the files of one that is not.
# usage: dml-resume-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shrink

study()
{
    "$PROGRAM" run tiny.yaml --set job.steps=120 --set 'job.workers=[1, 2]' --set replications=3 \
        --set output.shares=true --set output.timeline=2 --set output.plots=true "$@" \
        >out.txt 2>err.txt </dev/null
}

# refused TEXT ARGUMENT...: the study is refused with TEXT, and what is done stays
refused()
{
    local text=$1 code=0 before
    shift
    before=$(cd cut && find . -type f -exec cksum {} + | sort)
    study --out cut "$@" || code=$?
    [[ $code == 2 ]] || fail "$*: exit code $code, expected 2: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: no '$text' in: $(cat err.txt)"
    [[ $before == "$(cd cut && find . -type f -exec cksum {} + | sort)" ]] || fail "$*: changed files"
}

# kill_held: end the study that is held with SIGKILL
kill_held()
{
    kill -KILL "$STUDY"
    wait $HELD 2>/dev/null && fail "the killed study ended well"
    return 0
}

count_kept()
{
    find cut/unfinished -path '*[0-9]/result' 2>/dev/null | wc -l
}

study --out whole --jobs 2
[[ ! -e whole/unfinished ]] || fail "the state of a finished study is left over"

hold 2 2 study --out cut --jobs 2
kill_held
kept=$(count_kept)
refused "found an unfinished study, of which $kept runs are done; accepted: --resume"
refused "not this one: scenario.job.steps is 121 and was 120" --resume --set job.steps=121
refused 'not this one: --engine is "packet" and was "both"' --resume --engine=packet
sed 's/fc, .*samples: \[0.002, 0.0018\]/&/; s/0.0041/0.0042/' tiny.profile.yaml >other.profile.yaml
mv tiny.profile.yaml kept.yaml && mv other.profile.yaml tiny.profile.yaml
refused "not this one: scenario.checksum of the profile is" --resume
mv kept.yaml tiny.profile.yaml

# A power cut leaves half of a file: that run is done again.
rows=$(find cut/unfinished -path '*[0-9]/steps.csv' | head -1)
head -c 100 "$rows" >half && mv half "$rows"
# The second kill comes when the first rows are in the files for good; further rows are cut off.
# That is once in a second, when a run has ended: they go on one by one until it has been.
hold 2 1 study --out cut --resume --jobs 1
sleep 1.1
until [[ -e cut/unfinished/merged.json ]]; do
    kill -0 "$STUDY" || fail "no rows were in the files for good: $(cat err.txt)"
    pkill -CONT -P "$STUDY" || true
    sleep 0.02
done
kill_held
echo "a row that a kill left" >>cut/steps.csv
# Only it can go on with rows that are in its files.
code=0
"$PROGRAM" merge cut --out elsewhere >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] || fail "a merge of rows that are elsewhere: exit code $code, $(cat err.txt)"
grep -qE "cut: holds results of which [0-9]+ runs? (is|are) in its files already; accepted: --out .*/cut$" \
    err.txt || fail "$(cat err.txt)"
study --out cut --resume
[[ ! -e cut/unfinished ]] || fail "the state of a resumed study is left over"
for file in steps.csv transfers.csv links.csv ops.csv shares.csv trace.json throughput.svg utilisation.svg \
    timeline.svg; do
    cmp whole/$file cut/$file || fail "$file of the resumed study differs"
done
diff -r whole/timelines cut/timelines || fail "timelines of the resumed study"
[[ $(cd whole && ls) == $(cd cut && ls) ]] || fail "files of the resumed study: $(ls cut)"
python3 - <<'END'
import json
def strip(node):
    if isinstance(node, dict):
        return {k: strip(v) for k, v in node.items() if k != "timing"}
    return [strip(v) for v in node] if isinstance(node, list) else node
a, b = (json.dumps(strip(json.load(open(f"{d}/summary.json")))) for d in ("whole", "cut"))
assert a == b, "summary.json of the resumed study differs"
END
refused "a study that has ended, and nothing to resume" --resume

# --restart begins anew, --resume in a new folder just begins, and both at once are refused.
hold 1 1 study --out cut --jobs 1
kill_held
study --out cut --engine=fair-share --restart
[[ $(wc -l <cut/steps.csv) == $((1 + 3 * 120 * 3)) ]] || fail "rows of the new study"
study --out new --engine=fair-share --resume
cmp new/steps.csv cut/steps.csv
refused "found --resume and --restart" --resume --restart
mkdir -p cut/unfinished && touch cut/unfinished/thesis.tex
refused "found files that are not of a study" --restart

echo "resume: kept runs, damaged runs, merged rows, refusals"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# A folder of results is one study: which study may replace it, and what is left of the one before.
# usage: dml-folder-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shrink

study()
{
    "$PROGRAM" run tiny.yaml --engine=fair-share "$@" >out.txt 2>err.txt </dev/null
}

# refused TEXT COMMAND...: exit code 2 and TEXT on standard error; the folder "one" stays as it is
refused()
{
    local text=$1 code=0 before
    shift
    before=$(find one -type f -exec cksum {} + | sort)
    "$@" >out.txt 2>err.txt </dev/null || code=$?
    [[ $code == 2 ]] || fail "$*: exit code $code, expected 2: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: no '$text' in: $(cat err.txt)"
    [[ $before == "$(find one -type f -exec cksum {} + | sort)" ]] || fail "$*: changed files"
}

# Everything that a study can write, and two files of the user's.
mkdir -p one/timelines
echo mine | tee one/notes.gp one/timelines/notes.json >/dev/null
everything=(--engine=both --set replications=1 --set 'output={plots: true, ops: true, shares: true, gradients: true,
    timeline: 2, pcap: true, netanim: true, flows: true}' --set 'job.sync=bsp'
    --set 'sweep={job.warmup: [2, 3]}')
study --out one "${everything[@]}" || fail "$(cat err.txt)"
for file in study.json ops.csv shares.csv gradients.csv waiting.svg throughput-1.svg trace.json \
    V1-W3-flows.xml V0-W1-netanim.xml; do
    [[ -s one/$file ]] || fail "no $file in: $(ls one)"
done
compgen -G 'one/*.pcap' >/dev/null || fail "no captures"
compgen -G 'one/timelines/V1-W3-*' >/dev/null || fail "no timelines"
# Captures of a host's further network cards are called as their links are.
study --out cards --engine=packet --set replications=1 --set 'job.workers=[4]' --set job.workers_per_host=2 \
    --set network.nics_per_host=2 --set 'output={pcap: true, plots: false}' || fail "$(cat err.txt)"
for card in host0 host0.1 host1 host1.1 ps0 ps1; do
    [[ -s cards/W4-$card.pcap ]] || fail "no capture of $card in: $(ls cards)"
done
cp -r one first

# Another study is refused, whatever differs; the same one replaces its own results.
changed='found the results of a study that is not this one'
refused "one: $changed: the variant scenario is new" study --out one
refused "one: $changed: job.warmup=2.job.steps is 7 and was 6, and 1 more difference; accepted: --force" \
    study --out one "${everything[@]}" --set job.steps=7
refused "one: $changed: --engine is \"packet\" and was \"both\"; accepted: --force to replace them, or another --out" \
    study --out one "${everything[@]}" --engine=packet
refused "one: $changed" study --out one --restart
refused "one: $changed" study --out one --emit-cases cases.txt
refused "nothing to resume" study --out one --resume
sed 's/0.0041/0.0042/' tiny.profile.yaml >other.profile.yaml
refused "one: $changed: job.warmup=2.job.profile is" study --out one "${everything[@]}" \
    --set job.profile=other.profile.yaml
study --out one "${everything[@]}" || fail "the same study again: $(cat err.txt)"
diff -r first one --exclude=summary.json || fail "the same study, other files"
refused "found --resume and --force" study --out one --resume --force
refused "found --case and --force" study --out one --case 0 --force

# A program that was built anew replaces the results of the old one.
sed -i 's/"checksum of the program": ".*"/"checksum of the program": "0123456789abcdef"/' one/study.json
study --out one "${everything[@]}" || fail "with another program: $(cat err.txt)"
cmp one/study.json first/study.json || fail "study.json of the new program"

# Results without study.json, as of an older dml, and damaged ones are nobody's.
mv one/study.json kept.json
refused "one: found results that do not say of which study they are (study.json is missing)" \
    study --out one "${everything[@]}"
echo '{"a' >one/study.json
refused "its study.json is damaged" study --out one "${everything[@]}"
mv kept.json one/study.json

# With --force: nothing of the old study stays, and nothing of the user's goes.
study --out one --force --set output.trace=false --set output.links=false || fail "$(cat err.txt)"
study --out plain --set output.trace=false --set output.links=false || fail "$(cat err.txt)"
rm one/notes.gp one/timelines/notes.json
rmdir one/timelines
[[ $(ls one) == "$(ls plain)" ]] || fail "left over: $(diff <(ls one) <(ls plain))"
diff -r plain one --exclude=summary.json

# So do merges and emitted cases.
study --out parts --emit-cases cases.txt
xargs -d '\n' -I{} bash -c '{}' <cases.txt >out.txt
refused "one: $changed" "$PROGRAM" merge parts --out one
"$PROGRAM" merge parts --out one --force >out.txt
grep -q 'wall' out.txt && fail "a merge that knows how long others took: $(cat out.txt)"
[[ $(python3 -c 'import json; print(json.load(open("one/summary.json"))["timing"]["wall_seconds"])') == None ]] ||
    fail "wall_seconds of a merge"

# An unfinished study is not thrown away without being asked to.
study --out parts2 --emit-cases cases.txt
bash -c "$(head -1 cases.txt)" >out.txt
code=0
study --out parts2 || code=$?
[[ $code == 2 ]] || fail "an unfinished study was thrown away"
study --out parts2 --force --set job.steps=7 || fail "$(cat err.txt)"

# Names that differ make folders that differ; two scenarios of one name do not share one.
for name in x '~/x' -x ../x 'x ' X 'x\e[2J' ' '; do
    study --set "name=\"$name\"" --set output.plots=false || fail "$name: $(cat err.txt)"
done
[[ $(ls results | wc -l) == 8 && -e results/x/summary.json ]] || fail "folders: $(ls results)"
! ls results | grep -qE '^[-.~]|[^A-Za-z0-9.+_-]' || fail "odd names: $(ls results)"
sed 's/steps: 6/steps: 7/' tiny.yaml >second.yaml
code=0
"$PROGRAM" run second.yaml --engine=fair-share --set name=x --set output.plots=false >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] || fail "another scenario called x: exit code $code"

# import and fit-overhead replace a file only if they are told to.
"$PROGRAM" run tiny.yaml --engine=packet --out trace --set job.parameter_servers=1 --set output.timeline=2 \
    --set output.plots=false >out.txt
for command in "import --batch-size=4 auto" "fit-overhead auto"; do
    echo mine >there.yaml
    code=0
    "$PROGRAM" $command trace/timelines/W1-* -o there.yaml >out.txt 2>err.txt </dev/null || code=$?
    [[ $code == 2 && $(<there.yaml) == mine ]] || fail "$command: exit code $code, $(cat there.yaml)"
    grep -qF "there.yaml: is there already; accepted: --force to replace it, or another file for -o" err.txt ||
        fail "$command: $(cat err.txt)"
    "$PROGRAM" $command trace/timelines/W1-* -o there.yaml --force >out.txt 2>err.txt </dev/null ||
        fail "$command --force: $(cat err.txt)"
    [[ $(<there.yaml) != mine ]] || fail "$command --force wrote nothing"
done

# wall is time on the clock: of the whole study, and of each run; not the sum of runs side by side
"$PROGRAM" run tiny.yaml --out clock --jobs 2 --set output.plots=false >out.txt
grep -qE '^wall time: [0-9.e+-]+ s, 2 runs at a time$' out.txt || fail "no wall time: $(cat out.txt)"
[[ $(grep -c wall out.txt) == 1 ]] || fail "more than one wall time: $(cat out.txt)"
python3 - <<'END'
import json
summary = json.load(open("clock/summary.json"))
for case in summary["cases"]:
    for engine in case["engines"].values():
        assert "wall_seconds" not in engine["timing"], engine["timing"]
        for run in engine["replications"]:
            assert 0 < run["timing"]["wall_seconds"] <= summary["timing"]["wall_seconds"], run["timing"]
END

echo "folder: one study, --force, names, wall time"

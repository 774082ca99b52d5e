#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Names and files that try to be more than they are: shell commands, gnuplot, terminals.
# usage: dml-hostile-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

# clean FILE: no control characters besides line ends and tabs, C1 ones in UTF-8 included
clean()
{
    ! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1" || fail "control characters in $1"
}

# untouched: nobody took a name for a command
untouched()
{
    [[ -z $(find . -name 'owned*' ! -path '*$(*') ]] || fail "$1: a command was run"
}

# refused CODE TEXT COMMAND...
refused()
{
    local code=$1 text=$2 found=0
    shift 2
    timeout 1800 "$@" >out.txt 2>err.txt </dev/null || found=$?
    [[ $found == "$code" ]] || fail "$*: exit code $found, expected $code: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "$*: no '$text' in: $(cat err.txt)"
    clean err.txt
    [[ $code == 1 || $(wc -l <err.txt) == 1 ]] || fail "$*: more than a line: $(cat err.txt)"
    untouched "$*"
}

# A name that would make a file "owned" if a shell or gnuplot took it for a command, and that would
# clear a terminal and fake a line of a table. U+009B is written as its bytes, as in the POSIX locale bash has no other
# way.
evil=$'a"b\'c $(touch owned) `touch owned` ;touch owned; @X %s %n x_{2}^{3} <b> & &#65; \\ -z\n\te\e[2J\a\xc2\x9b1m'
python3 - "$evil" <<'END'
import json, re, sys
text = open("tiny.profile.yaml").read().replace("model: tiny", "model: " + json.dumps(sys.argv[1]))
# a JSON string is a YAML string
text = re.sub(r"(pull/|push/|update/)?conv/weight", lambda m: json.dumps((m[1] or "") + sys.argv[1]), text)
device = json.dumps("g'\"%s`@X<b>&\x1b[2J\u009b")
text = re.sub("kind: (forward|backward),", lambda m: m[0] + " device: " + device + ",", text)
text = text.replace("batch_size: 4", "batch_size: 4\ndevices: [{name: cpu}, {name: " + device + "}]")
open("evil.profile.yaml", "w").write(text)
scenario = open("tiny.yaml").read().replace("name: tiny", "name: " + json.dumps(sys.argv[1]))
open("evil.yaml", "w").write(scenario.replace("tiny.profile", "evil.profile") +
                             "sweep: {job.profile: [evil.profile.yaml, " +
                             json.dumps("./" + sys.argv[1] + ".yaml") + "]}\n")
END
cp evil.profile.yaml "./$evil.yaml"
quoted=$(python3 -c 'import json, sys; print(json.dumps(sys.argv[1]))' "$evil")

# Tables, lists and errors print names without control characters, and in one line.
"$PROGRAM" check evil.yaml >out.txt 2>err.txt || fail "$(cat err.txt)"
clean out.txt
grep -qF 'a"b' out.txt || fail "check: $(cat out.txt)"
"$PROGRAM" order evil.profile.yaml >out.txt 2>err.txt || fail "$(cat err.txt)"
clean out.txt
[[ $(grep -cE '^ +[0-3] ' out.txt) == 4 ]] || fail "order: $(cat out.txt)"
refused 2 'found' "$PROGRAM" check evil.yaml --set "$evil=1"
refused 2 'found' "$PROGRAM" check evil.yaml --set "job.worker_devices=$evil"
refused 2 "found no such file" "$PROGRAM" check "$evil"
refused 2 "unknown command" "$PROGRAM" "$evil"
sed -i 's/deps: \[backward\/fc\], s/deps: ["a\\e[2Jb"], s/' evil.profile.yaml
refused 2 'evil.profile.yaml' "$PROGRAM" check evil.yaml
sed -i 's/deps: \["a\\e\[2Jb"\], s/deps: [backward\/fc], s/' evil.profile.yaml

# A run with plots: names end up in the pictures as they are.
"$PROGRAM" run evil.yaml --out plots --set replications=1 --set output.plots=true >out.txt 2>err.txt || fail "$(cat err.txt)"
clean out.txt
clean err.txt
! grep -q 'gnuplot' out.txt || fail "gnuplot complains: $(cat out.txt)"
python3 - <<'END'
import glob, xml.etree.ElementTree as tree
texts = {name: " ".join(tree.parse(name).getroot().itertext()) for name in glob.glob("plots/*.svg")}
assert len(texts) >= 7, texts.keys()
# gnuplot puts each word, or line of several, into elements of its own
flat = {name: text.replace(" ", "").replace("\u00a0", "") for name, text in texts.items()}
name = r"""a"b'c$(touchowned)`touchowned`;touchowned;@X%s%nx_{2}^{3}<b>&&#65;\-z\n\te\x1b[2J\x07\xc2\x9b1m"""
for file in ("plots/throughput.svg", "plots/timeline.svg", "plots/devices.svg"):
    assert name in flat[file], (file, flat[file][:600])
device = r"""g'"%s`@X<b>&\x1b[2J\xc2\x9b"""
for file in ("plots/timeline.svg", "plots/devices.svg"):
    assert device in flat[file], (file, flat[file])
END
untouched "plots"

# Commands for a shell: one line each, that do what they should and nothing else.
mkdir -p -- "$evil" -d
cp -- evil.yaml tiny.profile.yaml evil.profile.yaml "./$evil.yaml" "$evil"
cp evil.yaml ./-x.yaml
for scenario in "$evil/evil.yaml" -x.yaml; do
    rm -rf out
    "$PROGRAM" run --engine=fair-share --set replications=1 --set job.workers=1 --set "name=$quoted" \
        --set 'output.plots=false' --out "out/$evil" --emit-cases cases.txt -- "$scenario" \
        >out.txt 2>err.txt || fail "$(cat err.txt)"
    clean out.txt
    clean cases.txt
    [[ $(wc -l <cases.txt) == 2 ]] || fail "commands: $(cat cases.txt)"
    (cd / && sed -n 1p "$WORK/cases.txt" | bash) >out.txt 2>err.txt || fail "$(cat cases.txt err.txt)"
    clean out.txt
    # another shell may fail, and nothing worse
    (cd / && sh "$WORK/cases.txt") >out.txt 2>&1 || true
    untouched "emitted cases"
    # what is missing, in the same way
    rm -rf "out/$evil/unfinished/1"
    refused 1 "1 run of 2 is missing" "$PROGRAM" merge "out/$evil"
    [[ $(wc -l <"out/$evil/missing-cases.txt") == 1 ]] || fail "$(cat "out/$evil/missing-cases.txt")"
    bash "out/$evil/missing-cases.txt" >out.txt 2>err.txt || fail "$(cat err.txt)"
    "$PROGRAM" merge "out/$evil" >out.txt 2>err.txt || fail "$(cat err.txt)"
    untouched "missing cases"
done
# the hints, too
"$PROGRAM" run tiny.yaml --engine=fair-share --out=-d/x --emit-cases "it's \$(touch owned)" >out.txt
wrap=$(sed -n 's/.*sbatch --array=1-4 //p' out.txt)
[[ -n $wrap ]] || fail "no hint: $(cat out.txt)"
eval "set -- $wrap"
[[ $# == 2 && $(SLURM_ARRAY_TASK_ID=1 bash -c "$2") == "1 run done"* ]] || fail "sbatch: $wrap"
grep -qF 'dml merge ./-d/x' out.txt || fail "merge: $(cat out.txt)"
untouched "hints"

# A folder of results that somebody else made.
"$PROGRAM" run tiny.yaml --engine=fair-share --out theirs --emit-cases cases.txt >out.txt
cp theirs/unfinished/command.json good.json
forge()
{
    python3 - "$1" <<'END'
import json, sys
command = json.load(open("good.json"))
exec(sys.argv[1])
json.dump(command, open("theirs/unfinished/command.json", "w"))
END
    refused 2 "theirs: its unfinished/command.json is not what dml wrote: $2" "$PROGRAM" merge theirs
    [[ ! -e theirs/missing-cases.txt ]] || fail "missing cases of a forged command"
}
forge 'command["engine"] = "both; touch owned"' 'engine is damaged; accepted: fair-share, burst, packet, host, both, all, or several with commas, such as burst,packet'
forge 'command["engine"] = 1' 'engine is damaged'
forge 'command["ranks"] = "1; touch owned"' 'ranks is damaged; accepted: an integer from 1 to 1024'
forge 'command["ranks"] = 0' 'ranks is damaged'
forge 'command["ranks"] = -1' 'ranks is damaged'
forge 'command["ranks"] = 1.5' 'ranks is damaged'
forge 'command["ranks"] = 4294967297' 'ranks is damaged'
forge 'command["folder"] = "relative"' 'folder is damaged; accepted: an absolute path'
forge 'command["folder"] += "\x00"' 'folder is damaged'
forge 'command["scenario"] = ""' 'scenario is damaged'
forge 'command["set"] = "seed=1"' 'set is damaged'
forge 'command["set"] = ["seed=1", 2]' 'set is damaged'
forge 'command["more"] = 1' 'it is damaged'
forge 'del command["set"]' 'it is damaged'
forge 'command = [command]' 'it is damaged'
forge 'import sys; sys.setrecursionlimit(10**6); command = 1' 'it is damaged'
printf '[%.0s' $(seq 200000) >theirs/unfinished/command.json
refused 2 "command.json is not what dml wrote: it is damaged" "$PROGRAM" merge theirs
rm theirs/unfinished/command.json
mkfifo theirs/unfinished/command.json
refused 2 "theirs: found no unfinished study" "$PROGRAM" merge theirs
rm theirs/unfinished/command.json
cp good.json theirs/unfinished/command.json
bash cases.txt >out.txt
for merged in '{"runs": "1"}' '{"runs": 1, "sizes": {"../../owned": 3}, "wall_seconds": 1}' '[' \
    '{"runs": -1, "sizes": {}, "wall_seconds": 1}' '{"runs": 1, "sizes": {}, "wall_seconds": "1"}'; do
    rm -rf copy
    cp -r theirs copy
    echo "$merged" >copy/unfinished/merged.json
    "$PROGRAM" run tiny.yaml --engine=fair-share --out copy --resume >out.txt 2>err.txt ||
        fail "merged.json $merged: $(cat err.txt)"
    untouched "merged.json"
done

# gnuplot is that of the PATH's absolute folders, never one that lies here, and reads no settings.
mkdir here
printf '#!/bin/sh\ntouch "%s/owned-by-gnuplot"\n' "$WORK" | tee gnuplot here/gnuplot >/dev/null
chmod +x gnuplot here/gnuplot
printf 'set print "%s/owned-by-settings"\nprint 1\n' "$WORK" | tee .gnuplot here/.gnuplot >.gnuplotrc
(
    cd here
    HOME=$WORK PATH=".:here::$PATH:" "$PROGRAM" run ../tiny.yaml --engine=fair-share --set output.plots=true --out . >../out.txt
    PATH=.:: "$PROGRAM" run ../tiny.yaml --engine=fair-share --set output.plots=true --out . >../err.txt
)
untouched "gnuplot"
! grep -q 'gnuplot' out.txt || fail "$(cat out.txt)"
grep -q 'was not drawn: gnuplot is not installed' err.txt || fail "a gnuplot that is none: $(cat err.txt)"
! compgen -G 'here/*.svg' || fail "pictures of the run before"

echo "hostile: names, commands, forged folders, gnuplot"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Links and pipes that somebody has put where dml reads and writes, and descriptors that are closed or used up.
# usage: dml-planted-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

sed -i "s|^output:.*|output: {trace: true, plots: true, versions: true}|" tiny.yaml
shorten

# dml CODE ARGUMENT...: the program ends in time, with that exit code
dml()
{
    local code=$1 found=0
    shift
    timeout 1800 "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || found=$?
    [[ $found == "$code" ]] || fail "$*: exit code $found, expected $code: $(cat err.txt)"
}

# plant KIND FOLDER NAME...: links of those names in the folder that lead to somebody's file
plant()
{
    local kind=$1 folder=$2 name
    shift 2
    for name; do
        rm -f "$folder/$name"
        if [[ $kind == hard ]]; then ln precious "$folder/$name"; else ln -s "$WORK/precious" "$folder/$name"; fi
    done
}

# unharmed WHAT: nothing was written through a link
unharmed()
{
    [[ $(cat precious) == precious ]] || fail "$1: written through a link: $(head -c 300 precious)"
    [[ -z $(ls -A elsewhere) ]] || fail "$1: written into a linked folder: $(ls -A elsewhere)"
}

echo precious >precious
mkdir elsewhere
dml 0 run tiny.yaml --engine=fair-share --out plain
dml 0 import auto "$DATA/traces/alexnet_b8.w1.step3.RunMetadata.pb.gz" -o kept.yaml --batch-size 8
dml 0 why plain --check=none
dml 0 learn plain --problem=quadratic
mapfile -t files < <(cd plain && find . -maxdepth 1 -type f ! -name .lock ! -name study.json -printf '%f\n')
[[ ${#files[@]} -ge 20 ]] || fail "too few files: ${files[*]}"

# Results, drafts of them, plots: what is there makes place, and what a link leads to stays as it is.
for kind in symbolic hard; do
    rm -rf theirs
    cp -r plain theirs
    plant $kind theirs "${files[@]}" "${files[@]/%/.new}" study.json.new
    dml 0 run tiny.yaml --engine=fair-share --out theirs --force
    unharmed "run, $kind"
    plant $kind theirs critical-path.{csv,dat,gp,svg} trace-critical-path.json critical-path.{csv,dat,gp}.new
    dml 0 why theirs --check=none
    unharmed "why, $kind"
    plant $kind theirs learning.{csv,dat,gp,svg} learning.{csv,dat,gp}.new
    dml 0 learn theirs --problem=quadratic
    unharmed "learn, $kind"
    plant $kind theirs memory.csv live-ranges.csv
    dml 0 memory kept.yaml --out theirs
    unharmed "memory, $kind"
    for file in "${files[@]}"; do
        [[ ! -L theirs/$file && -s theirs/$file ]] || fail "$kind: $file is still a link"
        case $file in *.json | *.html | learning.*) continue ;; esac
        cmp "plain/$file" "theirs/$file" || fail "$kind: $file differs"
    done
    plant $kind . cases.txt.new
    dml 0 run tiny.yaml --engine=fair-share --out "emitted-$kind" --emit-cases cases.txt
    unharmed "--emit-cases, $kind"
    # the parts of a study that is not finished, and what is missing
    bash "$(readlink -f cases.txt)" >out.txt
    rm -rf "emitted-$kind/unfinished/1"
    plant $kind "emitted-$kind" "${files[@]}" missing-cases.txt.new
    plant $kind "emitted-$kind/unfinished" command.json.new study.json.new merged.json.new
    dml 1 merge "emitted-$kind"
    unharmed "merge, $kind"
    dml 0 run tiny.yaml --engine=fair-share --out "emitted-$kind" --resume
    unharmed "--resume, $kind"
    cmp "emitted-$kind/steps.csv" plain/steps.csv
done

# Folders that are links, and the file that is locked.
for inner in unfinished timelines; do
    rm -rf theirs
    mkdir theirs
    ln -s ../elsewhere "theirs/$inner"
    dml 2 run tiny.yaml --engine=fair-share --out theirs --set output.timeline=2
    grep -qF "theirs/$inner: " err.txt && grep -qF 'is a symbolic link' err.txt || fail "$inner: $(cat err.txt)"
    unharmed "$inner"
done
rm -rf theirs
mkdir theirs
ln -s ../precious theirs/.lock
dml 2 run tiny.yaml --engine=fair-share --out theirs
grep -qF 'theirs/.lock: cannot be written: is a symbolic link' err.txt || fail "$(cat err.txt)"

# The file that a study goes on with is the one that it has written.
dml 0 run tiny.yaml --engine=fair-share --out going --emit-cases cases.txt
bash cases.txt >out.txt
head -n 1 plain/steps.csv | cat - going/unfinished/0/steps.csv >steps.csv
echo "{\"runs\": 1, \"sizes\": {\"steps.csv\": $(stat -c %s steps.csv)}, \"wall_seconds\": 1}" >going/unfinished/merged.json
printf 'precious\n%.0s' $(seq 1000) >precious
cp precious before
for kind in symbolic hard; do
    plant $kind going steps.csv
    dml 2 run tiny.yaml --engine=fair-share --out going --resume
    grep -qF 'going/steps.csv: cannot be written: ' err.txt || fail "$kind: $(cat err.txt)"
    cmp before precious || fail "$kind: cut off through a link"
done
rm going/steps.csv
cp precious going/steps.csv
dml 2 run tiny.yaml --engine=fair-share --out going --resume
grep -qF 'going/steps.csv: is not the file that the unfinished study wrote' err.txt || fail "$(cat err.txt)"
cmp before going/steps.csv
cp steps.csv going/steps.csv
echo 'rows of a run that was killed' >>going/steps.csv
dml 0 run tiny.yaml --engine=fair-share --out going --resume
cmp going/steps.csv plain/steps.csv
echo precious >precious

# Only a link that the user names is followed, and not in a folder of results.
ln -s "$WORK/precious" plain/table.csv
dml 2 compare plain plain -o plain/table.csv --force
grep -qF 'plain/table.csv: is a link in a folder of results' err.txt || fail "$(cat err.txt)"
unharmed "compare"
rm plain/table.csv
echo mine >table.csv.new
echo mine >table.csv.draft
ln -s table.csv named.csv
dml 0 compare plain plain -o named.csv
[[ -L named.csv && -s table.csv && $(cat table.csv.new table.csv.draft) == mine$'\n'mine ]] || fail "a user's files"
rm table.csv*

# Nobody writes into these pipes.
mkfifo pipe
rm -rf piped
cp -r plain piped
for file in trace.json summary.json versions.csv steps.csv study.json; do
    rm -rf "piped/$file"
    mkfifo "piped/$file"
done
cat >piped.yaml <<'END'
job: {profile: pipe, workers: 1, steps: 2, warmup: 1}
END
sed 's/^schema:.*/&\nsamples: pipe/; s/, seconds: [^}]*}/}/' tiny.profile.yaml >samples.profile.yaml
sed 's/tiny.profile/samples.profile/' tiny.yaml >samples.yaml
sed '/parameter_servers/d; /^transfer:/d; /^overhead:/d; s/^  workers:.*/  workers: 2\n  protocol: all-reduce/' tiny.yaml >ring.yaml
commands=(
    'check pipe' 'run pipe' 'check piped.yaml' 'check samples.yaml' 'tune pipe --keys network.mtu=1000..2000'
    'certify pipe' 'optimize pipe' 'memory pipe' 'order pipe' 'init pipe -o x.yaml' 'replay pipe' 'why pipe' 'compare pipe plain'
    'compare plain pipe' 'learn piped' 'match piped' 'why piped' 'compare piped plain' 'import job pipe -o x.yaml' 'import job piped -o x.yaml'
    'import auto pipe -o x.yaml' 'fit-overhead kineto pipe' 'fit-overhead auto pipe' 'fit-server tiny.yaml pipe' 'check tiny.yaml --plugin=pipe'
    'optimize ring.yaml --fused=pipe' 'run tiny.yaml --engine=fair-share --out piped'
    'merge piped' 'check tiny.yaml --set devices={gpu:{speed:{trace:pipe}}}'
)
for format in kineto torch-legacy torch-et torch-layers tf-runmetadata tf-timeline pipedream horovod dml-trace byteps; do
    commands+=("import $format pipe -o x.yaml --batch-size 8")
done
for command in "${commands[@]}"; do
    # shellcheck disable=SC2086 # words
    dml 2 $command
    grep -qE "pipe|trace.json|summary.json|versions.csv|study.json" err.txt || fail "$command: $(cat err.txt)"
done
[[ ! -e x.yaml ]] || fail "something was made of a pipe"
for file in /dev/zero /dev/tty /dev/null; do
    dml 2 check $file
    grep -qF "$file: cannot be read: is a device" err.txt || fail "$(cat err.txt)"
done
# A pipe of the shell's has somebody who writes into it.
"$PROGRAM" order <(cat tiny.profile.yaml) >out.txt
"$PROGRAM" order /dev/stdin <tiny.profile.yaml | cmp out.txt
cat tiny.profile.yaml | "$PROGRAM" order /dev/stdin | cmp out.txt

# Descriptors that are closed are not those of the results.
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
    rm -rf shut mine.yaml table.csv again.yaml
    eval "'$PROGRAM' run tiny.yaml --engine=fair-share --out shut $closed" >out.txt || fail "run $closed"
    [[ ! -s shut/.lock ]] || fail "run $closed wrote into .lock"
    for file in steps.csv trace.json throughput.csv; do
        cmp "shut/$file" "plain/$file" || fail "run $closed: $file"
    done
    eval "'$PROGRAM' init tiny.profile.yaml -o mine.yaml $closed" >out.txt || fail "init $closed"
    eval "'$PROGRAM' compare plain shut -o table.csv $closed" >out.txt || fail "compare $closed"
    eval "'$PROGRAM' import dml-trace plain/trace.json -o again.yaml $closed" >out.txt || fail "import $closed"
    [[ -s mine.yaml && -s table.csv && -s again.yaml ]] || fail "$closed: no files"
done

# A machine at its limits is no mistake in a scenario.
for limit in $(seq 4 30); do
    rm -rf short
    code=0
    (ulimit -n "$limit" && exec "$PROGRAM" run tiny.yaml --engine=fair-share --out short) >out.txt 2>err.txt || code=$?
    ! grep -q 'the scenario has to change' err.txt || fail "$limit open files: $(cat err.txt)"
    [[ $code == [01] || $code == 127 ]] || fail "$limit open files: exit code $code: $(cat err.txt)"
    [[ $code != 1 || -s err.txt ]] || fail "$limit open files: not a word"
    if [[ $code == 1 && -e short/unfinished ]]; then
        dml 0 run tiny.yaml --engine=fair-share --out short --resume
        cmp short/steps.csv plain/steps.csv || fail "$limit open files: other steps after --resume"
    fi
done

echo "planted: links, pipes, closed descriptors, few open files"

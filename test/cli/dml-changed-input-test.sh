#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Results of a profile or a trace of speeds that has been edited since are not put together with what it
# says now, by no command that reads results.
# usage: dml-changed-input-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shorten
sed -i 's/workers: \[1, 3\]/workers: 2/' tiny.yaml
printf 'time,speed\n0,1\n0.01,0.5\n' >speeds.csv

run()
{
    "$PROGRAM" run tiny.yaml --engine=fair-share --set 'job.devices={d: {trace: speeds.csv}}' \
        --set 'job.worker_devices=[d]' "$@" >out.txt 2>err.txt </dev/null || fail "run $*: $(cat err.txt)"
}

works()
{
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || fail "$*: $(cat err.txt)"
}

run --out first --set output.versions=true
run --emit-cases cases.txt --out parts
eval "$(head -n 1 cases.txt)" >out.txt 2>&1 || fail "a case: $(cat out.txt)"
works why first
works compare first first
! grep -q checksum out.txt || fail "of the same results: $(cat out.txt)"
works learn first

for file in tiny.profile.yaml speeds.csv; do
    cp $file kept
    case $file in
        *.yaml) sed -i 's/samples: \[0.002, 0.003\]/samples: [0.004, 0.003]/' $file ;;
        *) sed -i 's/0.01,0.5/0.01,0.4/' $file ;;
    esac
    ! cmp -s $file kept || fail "$file was not edited"
    refused "$file: has changed since the results in first were made of it" why first
    refused "or --check=none" why first/trace.json
    works why first --check=none
    run --out "second-$file" --set output.versions=true
    works why "second-$file"
    works compare first "second-$file"
    grep -q "^  checksum of .*$file:" out.txt || fail "compare says nothing: $(cat out.txt)"
    refused "was made of $file when its checksum was" learn first "second-$file"
    refused 'checksum of the ' merge parts
    mv kept $file
    works why first
done
# what is not there any more is said by what reads it; a folder without study.json tells nothing
mv tiny.profile.yaml gone.yaml
refused 'tiny.profile.yaml' why first
mv gone.yaml tiny.profile.yaml
rm first/study.json
works why first

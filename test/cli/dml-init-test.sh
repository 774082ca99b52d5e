#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml init": what it writes runs as it is, and with its comments followed, whatever files are called.
# usage: dml-init-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

init()
{
    "$PROGRAM" init "$@" >out.txt 2>err.txt </dev/null || fail "init $*: $(cat err.txt)"
    fits out.txt
}

run()
{
    "$PROGRAM" run "$@" --engine=fair-share --out results --force >run.txt 2>err.txt </dev/null ||
        fail "run $*: $(cat err.txt)"
}

# change WORDS SCENARIO: comments that show the other way take the place of lines with the words
change()
{
    sed -E "/^  ($1)/d; s/^  # ([a-z_]+:)/  \1/; s/^# (sweep:|  network)/\1/" "$2" >changed.yaml
}

mkdir "a # b" there
cp tiny.profile.yaml "a # b/it's.profile.yaml"
init "a # b/it's.profile.yaml"
[[ -f it\'s.yaml ]] || fail "$(ls)"
grep -q "dml check 'it'" out.txt || fail "$(cat out.txt)"
run "it's.yaml"
grep -q '^fair-share' run.txt || fail "$(cat run.txt)"
# parameter servers, as nothing says PyTorch; then all-reduce, faster workers and a sweep
grep -q '^  parameter_servers: 1' it\'s.yaml || fail "$(cat it\'s.yaml)"
change 'parameter_servers:' "it's.yaml"
grep -q '^  protocol: all-reduce$' changed.yaml || fail "$(cat changed.yaml)"
run changed.yaml
grep -q 'all-reduce, network.rate=25Gbps' run.txt || fail "$(cat run.txt)"

# a profile of PyTorch, into another folder
sed -e "s/^model: tiny$/model: \"we: [ird\"/" -e "s/^source: .*/source: {framework: PyTorch 2}/" tiny.profile.yaml >torch.profile.yaml
init torch.profile.yaml -o there/torch.yaml
grep -q '^  protocol: all-reduce$' there/torch.yaml || fail "$(cat there/torch.yaml)"
run there/torch.yaml
change 'protocol:|gradient_groups:' there/torch.yaml
mv changed.yaml there/servers.yaml
run there/servers.yaml
grep -q '1 PS, network.rate=1Gbps' run.txt || fail "$(cat run.txt)"

# a trace: a profile beside the scenario, which is that of the run
"$PROGRAM" run tiny.yaml --engine=fair-share --set output.trace=true --out run >run.txt 2>err.txt </dev/null
init run/trace.json -o there/traced.yaml --model traced
grep -q '^name: traced$' there/traced.yaml || fail "$(cat there/traced.yaml)"
run there/traced.yaml
grep -q '^  profile: traced.profile.yaml$' there/traced.yaml || fail "$(cat there/traced.yaml)"
# what an import says to do next is done
"$PROGRAM" import auto run/trace.json -o again.yaml >out.txt 2>err.txt </dev/null
grep -qx 'next:    dml init again.yaml makes a scenario of it' out.txt || fail "$(cat out.txt)"
init again.yaml -o next.yaml
run next.yaml

# up and down again, through a link, and from a profile that begins as YAML may
mkdir here
ln -s there link
(cd here && sed '1i---' ../torch.profile.yaml >net-1.5.profile.yaml && init net-1.5.profile.yaml &&
    init ../torch.profile.yaml -o ../there/up.yaml && init net-1.5.profile.yaml -o ../link/linked.yaml)
[[ -f here/net-1.5.yaml ]] || fail "$(ls here)"
for scenario in here/net-1.5.yaml there/up.yaml there/linked.yaml; do run $scenario; done

refused 'is there already' init torch.profile.yaml -o there/torch.yaml
init torch.profile.yaml -o there/torch.yaml --force
ln -s there/torch.yaml torch-link.yaml
init torch.profile.yaml -o torch-link.yaml --force
[[ -L torch-link.yaml ]] || fail "a link was replaced"
run torch-link.yaml
refused 'null: is no regular file' init torch.profile.yaml -o /dev/null --force
refused 'is the file to read' init again.yaml
refused 'found --batch-size with a profile' init again.yaml --batch-size 4 -o x.yaml
refused 'gives a scenario no name' init .hidden.profile.yaml
refused 'accepted: one profile, or traces' init again.yaml run/trace.json -o x.yaml
refused 'nowhere.json: ' init nowhere.json -o x.yaml
refused 'found no folder nowhere' init again.yaml -o nowhere/x.yaml
refused "has no option --worker" init again.yaml --worker=1
echo 'schema: dml-profile/1' >broken.profile.yaml
refused 'broken.profile.yaml:' init broken.profile.yaml -o x.yaml
[[ ! -e x.yaml && -z $(find . -name '*.draft') ]] || fail "a scenario of a broken profile"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Imports of the traces in test/data/traces by the command: what it prints and writes, and refuses.
# usage: dml-import-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

TRACES=$DATA/traces

# succeed ARGUMENT...: exit code 0, nothing on stderr, no long line; a report is in out.txt
succeed()
{
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || fail "dml $*: $(cat err.txt)"
    [[ ! -s err.txt ]] || fail "dml $*: $(cat err.txt)"
    ! grep -nE '^.{81}' out.txt || fail "dml $*: lines of more than 80 columns"
}

# accept ARGUMENT...: exit code 0
accept()
{
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || fail "dml $*: $(cat err.txt)"
}

# refuse TEXT ARGUMENT...: exit code 2, TEXT on stderr, no profile
refuse()
{
    local text=$1 found=0
    shift
    "$PROGRAM" "$@" >out.txt 2>err.txt </dev/null || found=$?
    [[ $found == 2 ]] || fail "dml $*: exit code $found, expected 2: $(cat err.txt)"
    grep -qF -- "$text" err.txt || fail "dml $*: no '$text' in: $(cat err.txt)"
    [[ ! -e refused.yaml ]] || fail "dml $*: wrote a profile"
}

# says TEXT: the last report, its lines joined, has it
says()
{
    tr -s ' \n' ' ' <out.txt | grep -qF -- "$1" || fail "no '$1' in: $(cat out.txt)"
}

# Three forms of one step, and what they say of the model.
PB=$TRACES/alexnet_b8.w1.step3.RunMetadata.pb.gz
TIMELINE=$TRACES/alexnet_b8.w1.step3.timeline.json.gz
succeed import auto "$PB" -o pb.yaml --batch-size 8
says "pb.yaml: alexnet_b8, batch 8, dml import tf-runmetadata"
says "tensors: 16, 244403360 bytes 244403360 bytes, exactly alexnet, 61100840 parameters"
says "(job.protocol) steps: 1 sampled, 4121 ms on average"
says "against the measured 4121 ms"
says "read: 0."
succeed import tf-runmetadata "${PB%.pb.gz}.pbtxt.gz" -o text.yaml --batch-size 8
succeed import auto "$TIMELINE" --sizes pb.yaml -o timeline.yaml --batch-size 8
grep -q 'activation_bytes' pb.yaml || fail "what do ops keep?"
for other in text timeline; do # a timeline does not tell what ops hold
    body() { sed -E '1,/^tensors:/d; s/, (activation|output|workspace)_bytes: [0-9]+//g' "$1"; }
    cmp <(body pb.yaml) <(body $other.yaml) || fail "$other is another profile"
done
cmp <(sed '1,/^tensors:/d' pb.yaml) <(sed '1,/^tensors:/d' text.yaml) || fail "text is another profile"
succeed import auto "$PB" -o again.yaml --batch-size 8
cmp pb.yaml again.yaml || fail "a second import differs"
cp "$PB" copy.pb.gz
succeed import auto "$PB" copy.pb.gz -o two.yaml --batch-size 8
says "steps: 2 sampled"
accept order two.yaml

# The file that a link leads to is written, and nothing but files.
ln -s target.yaml link.yaml
succeed import auto "$PB" -o link.yaml --batch-size 8
[[ -L link.yaml ]] || fail "the link was replaced"
cmp target.yaml pb.yaml || fail "another profile through a link"
mkfifo pipe

# A profile is one that runs.
for trace in "$TRACES/alexnet-b8.kineto.json.gz" "$TRACES/linear.et.json $TRACES/linear.kineto.json" "$PB"; do
    # shellcheck disable=SC2086 # several files
    succeed import auto $trace -o profile.yaml --force --batch-size 8 --model mine
    says "profile.yaml: mine, batch 8"
    sed 's/tiny.profile.yaml/profile.yaml/' tiny.yaml >scenario.yaml
    accept check scenario.yaml
    accept order profile.yaml
done

# What recorded transfers tell, as keys of a scenario that reads them.
succeed fit-overhead auto "$PB" --out keys.yaml
grep -qF '#   not told: the records tell too little of it; --rate gives it' keys.yaml ||
    fail "AlexNet's rate is told in: $(cat keys.yaml)"
says "error: predicted ends of 16 downlink streams are off by"
succeed fit-overhead auto "$PB" --rate 1Gbps
says "given"
succeed fit-overhead auto "$TIMELINE" --sizes pb.yaml
refuse "the transfers do not tell parsing: the model does not explain the records" \
    fit-overhead auto "${TIMELINE/alexnet/googlenet}" --rate 1Gbps --out refused.yaml
succeed fit-overhead auto "$TIMELINE" --rate 1Gbps
says "sizes that the timeline does not tell were estimated"
# GoogLeNet's one step tells rate and beta, but alpha only together with the rate.
succeed fit-overhead auto "${PB/alexnet/googlenet}" --out small.yaml
grep -qE '^  beta: [0-9.]+e-06   # seconds; 95 %: [0-9.e-]+ to [0-9.e-]+$' small.yaml ||
    fail "no beta in: $(cat small.yaml)"
grep -qE '^network: \{rate: [0-9]+kbps\}   # 95 %: 9[0-9]+ to 10[0-9]+ kbit/s$' small.yaml ||
    fail "no rate in: $(cat small.yaml)"
grep -qE '^  # alpha: ...   # seconds per byte; 95 %: at most ' small.yaml ||
    fail "alpha is told in: $(cat small.yaml)"
printf 'name: small\njob: {profile: pb.yaml, steps: 2, warmup: 1}\n' | cat - small.yaml >check.yaml
accept check check.yaml
{
    printf 'name: fitted\njob: {profile: pb.yaml, steps: 2, warmup: 1}\n'
    cat keys.yaml
} >fitted.yaml
accept check fitted.yaml

# What is wrong is told, and nothing is written.
refuse "needs a format and at least one file" import auto
refuse "import needs -o PROFILE" import auto "$PB"
refuse "unknown format 'onnx'; accepted: torch-layers, kineto" import onnx x -o refused.yaml
refuse "nosuch: cannot be read: No such file" import auto nosuch -o refused.yaml
refuse "pipe: is no regular file" import auto "$PB" -o pipe --batch-size 8
refuse "is given twice" import auto "$PB" "$PB" -o refused.yaml --batch-size 8
zcat "${PB%.pb.gz}.pbtxt.gz" | sed 's/bytes: 92928$/bytes: 35184372088832/' >large.pbtxt
refuse "large.pbtxt: " import auto large.pbtxt -o refused.yaml --batch-size 8
refuse "35184372088832" import auto large.pbtxt -o refused.yaml --batch-size 8
[[ ! -e refused.yaml.draft ]] || fail "a draft is left"
refuse "is a folder" import auto . -o refused.yaml
refuse "does not tell the batch size" import auto "$PB" -o refused.yaml
refuse "found no size of the tensor" import auto "$TIMELINE" -o refused.yaml --batch-size 8
refuse "'tf-runmetadata' takes no --skip" import auto "$PB" -o refused.yaml --batch-size 8 --skip 1
refuse "--batch-size: found '0'; accepted: an integer from 1" import auto "$PB" -o refused.yaml --batch-size 0
refuse "accepted: files of one format" import auto "$PB" "$TIMELINE" -o refused.yaml --batch-size 8
refuse "has no recorded transfers" fit-overhead auto "$TRACES/alexnet-b8.kineto.json.gz"
refuse "/dev/zero: cannot be read: is a device" fit-overhead auto "$PB" --wire /dev/zero
cat >few.json <<'END'
{"traceEvents":[
{"ph":"M","name":"process_name","pid":1,"args":{"name":"/job:worker/replica:0/task:0/device:CPU:0 Compute"}},
{"ph":"X","cat":"Op","name":"RecvTensor","pid":1,"tid":0,"ts":10,"dur":100,"args":{"name":"RecvTensor","op":"RecvTensor",
 "tensor":"a/read","label":"[1000B] edge_1_a/read from /job:ps/replica:0/task:0/device:CPU:0 to x"}},
{"ph":"X","cat":"Op","name":"MatMul","pid":1,"tid":0,"ts":120,"dur":5,"args":{"name":"f","op":"MatMul","input0":"a/read"}}]}
END
refuse "the transfers tell neither rate nor parsing: the records tell too little of it; --rate gives it;" \
    fit-overhead tf-timeline few.json --out refused.yaml
cp "$PB" same.gz
refuse "is the measurement itself" import auto same.gz -o same.gz --batch-size 8
head -c 3000 "$PB" >cut.gz
refuse "cut.gz" import tf-runmetadata cut.gz -o refused.yaml --batch-size 8

# Two workers of an all-reduce: the protocol and its buckets are told, and one profile serves both protocols.
GLOO=$TRACES/ddp-gloo
succeed import auto "$GLOO".rank0.kineto.json.gz "$GLOO".rank1.kineto.json.gz -o gloo.yaml
says "protocol: all-reduce (gloo) of 2 workers, 2 collectives a step, 4244520 bytes"
says "the shortest that any of 2 workers recorded of it in the same step"
[[ $(head -n 1 gloo.yaml) == "schema: dml-profile/2" ]] || fail "gloo.yaml: has no buckets"
cat >gloo.scenario.yaml <<'END'
job: {profile: gloo.yaml, workers: 2, steps: 3, warmup: 1}
replications: 1
END
accept run gloo.scenario.yaml --engine=fair-share --out servers
accept run gloo.scenario.yaml --engine=fair-share --out peers --set job.protocol=all-reduce
grep -q "bucket0 of linear_2.bias" peers/transfers.csv || fail "no bucket: $(head -n 3 peers/transfers.csv)"
! grep -q "bucket" servers/transfers.csv || fail "buckets with parameter servers"
refuse "which has no buckets" run gloo.scenario.yaml --out refused --set job.gradient_groups=profile \
    --set job.profile=tiny.profile.yaml
succeed import auto "$GLOO".rank0.kineto.json.gz -o gloo0.yaml
says "which one trace does not tell from its transfer"
succeed import auto "$TIMELINE" -o servers.yaml --batch-size 8 --rate 1Gbps
says "protocol: parameter servers"
echo "found no fault"

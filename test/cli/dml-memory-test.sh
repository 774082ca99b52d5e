#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml memory": the peak of a chain of three layers, whose bytes are derived by hand.
# usage: dml-memory-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

# bytes in MB: parameters 1, 2, 3; a keeps 10, b 20, c 40; input 0.5
cat >chain.yaml <<'END'
schema: dml-profile/3
model: chain
batch_size: 4
input_bytes: 500000
source: {peak_bytes: 80000000}
tensors: [{name: a, bytes: 1MB}, {name: b, bytes: 2MB}, {name: c, bytes: 3MB}]
ops:
  - {name: pull/a, kind: pull, tensor: a}
  - {name: pull/b, kind: pull, tensor: b}
  - {name: pull/c, kind: pull, tensor: c}
  - {name: forward/a, kind: forward, deps: [pull/a], seconds: 0.1, activation_bytes: 10MB, output_bytes: 5MB}
  - {name: forward/b, kind: forward, deps: [pull/b, forward/a], seconds: 0.2, activation_bytes: 20MB, output_bytes: 6MB, workspace_bytes: 2MB}
  - {name: forward/c, kind: forward, deps: [pull/c, forward/b], seconds: 0.3, activation_bytes: 40MB}
  - {name: backward/c, kind: backward, deps: [forward/c], seconds: 0.4, workspace_bytes: 1MB}
  - {name: backward/b, kind: backward, deps: [backward/c, forward/b], seconds: 0.5}
  - {name: backward/a, kind: backward, deps: [backward/b, forward/a], seconds: 0.5}
  - {name: push/a, kind: push, tensor: a, deps: [backward/a]}
  - {name: push/b, kind: push, tensor: b, deps: [backward/b]}
  - {name: push/c, kind: push, tensor: c, deps: [backward/c]}
END

# peak MB ARGUMENT...: what the first line says
peak()
{
    local expected=$1
    shift
    "$PROGRAM" memory chain.yaml "$@" >out.txt 2>err.txt || fail "$*: $(cat err.txt)"
    [[ ! -s err.txt ]] || fail "$(cat err.txt)"
    fits out.txt
    grep -q ": peak $expected MB\$" out.txt || fail "$*: not $expected: $(cat out.txt)"
}

# in backward/c: 6 of parameters, 0.5, 70 kept, 3 of its gradient, 1
peak 80.5
grep -qx 'in backward/c' out.txt || fail "$(cat out.txt)"
grep -qE '^activations +70\.0 +87\.0$' out.txt || fail "$(cat out.txt)"
grep -qE '^activations +forward/c +40\.0 +forward/c +backward/c$' out.txt || fail "$(cat out.txt)"
grep -qE '^parameters +c +3\.0 +always$' out.txt || fail "$(cat out.txt)"
grep -qx 'measured with the profile: 80.0 MB (the prediction is +0.6 % off)' out.txt || fail "$(cat out.txt)"
grep -qE '^as it is +80\.5 +\+0\.0 % +2000\.0 +\+0\.0 %$' out.txt || fail "$(cat out.txt)"
# three ops: two segments, of one op and of two
grep -qE '^recompute, 2 segments +[0-9.]+ .* 2100\.0 +\+5\.0 %$' out.txt || fail "$(cat out.txt)"
# halves of what goes by the batch, gradients of 6 always and 3 of this pass
grep -qE '^accumulate, 2 passes of 2 +50\.8 ' out.txt || fail "$(cat out.txt)"
peak 152.0 --batch 8 # 6 and 3, and twice 71.5
! grep -q 'measured with' out.txt || fail "of another batch size: $(cat out.txt)"
peak 86.5 --optimizer momentum
peak 92.5 --optimizer=adam
peak 50.8 --accumulate 2
# a and b run again; at the peak, in backward/c, b's output of 6, 40 kept, 9 and 1.5
peak 56.5 --recompute --segments forward/c
grep -qE '^recompute, 2 segments +56\.5 +-29\.8 % +2300\.0 +\+15\.0 %$' out.txt || fail "$(cat out.txt)"

peak 80.5 --out files
python3 - <<'END'
import csv
phases = list(csv.DictReader(open("files/memory.csv")))
assert [p["op"] for p in phases] == [f"{k}/{l}" for k, ls in (("forward", "abc"), ("backward", "cba"))
                                     for l in ls], phases
assert [int(p["total"]) for p in phases] == [16500000, 38500000, 76500000, 80500000, 41500000, 22500000]
for p in phases:
    parts = ("parameters", "optimizer_state", "input", "gradients", "activations", "workspace")
    assert sum(int(p[k]) for k in parts) == int(p["total"]), p
ranges = {(r["part"], r["name"]): (int(r["bytes"]), int(r["first"]), int(r["last"]))
          for r in csv.DictReader(open("files/live-ranges.csv"))}
assert ranges[("activations", "forward/b")] == (20000000, 1, 4), ranges
assert ranges[("gradients", "b")] == (2000000, 4, 5), ranges
assert ranges[("input", "")] == (500000, 0, 5), ranges
END

refused 'tiny.profile.yaml: no op has activation_bytes; accepted: a profile that tells' memory tiny.profile.yaml
refused '--accumulate: found 3, which does not divide a batch of 4; accepted: a divisor' memory chain.yaml \
    --accumulate 3
refused 'found --recompute and --accumulate; accepted: one of them' memory chain.yaml --recompute --accumulate 2
refused 'found --segments without --recompute; accepted: both' memory chain.yaml --segments 2
refused "--segments: found 'forward/d'" memory chain.yaml --recompute --segments forward/b,forward/d
refused "no segment can begin with op 'forward/a'" memory chain.yaml --recompute --segments forward/a
refused "--optimizer: found 'adagrad'; accepted: sgd, momentum, adam" memory chain.yaml --optimizer adagrad
refused "--batch: found '0'" memory chain.yaml --batch 0
sed 's/, output_bytes: .MB//' chain.yaml >mute.yaml
"$PROGRAM" memory mute.yaml >out.txt || fail "without output_bytes"
grep -q "^recompute: mute.yaml: op 'forward/a' has no output_bytes" out.txt || fail "$(cat out.txt)"
! grep -q 'recompute, ' out.txt || fail "recomputes without output_bytes: $(cat out.txt)"
refused "mute.yaml: op 'forward/a' has no output_bytes" memory mute.yaml --recompute
sed 's/deps: \[backward\/c, forward\/b\]/deps: [backward\/c]/' chain.yaml >lost.yaml
refused "lost.yaml: op 'forward/b' has activation_bytes, but no backward op depends on it" memory lost.yaml
sed 's|dml-profile/3|dml-profile/1|' chain.yaml >old.yaml
refused 'old.yaml:4:14: input_bytes: found the key with the schema dml-profile/1; accepted: it with dml-profile/3' \
    memory old.yaml

echo "memory: peaks as derived, with what lives, and what other ways to train would take"

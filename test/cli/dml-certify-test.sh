#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# "dml certify": a scenario in small as real processes, its certificate, and the results that get it; refusals.
# usage: dml-certify-test.sh PROGRAM; exits with 77 (skipped) where namespaces are not allowed, and where others use
# the machine so much that no run of real processes counts

HERE=$(dirname "$(readlink -f "$0")")
source "$HERE/tiny-study.sh"
KEYS=(--set job.workers=2 --set job.parameter_servers=1 --set job.step_jitter=0s --set host.grpc.speaker=dml
    --set host.wait_for_idle=0s)

# What needs no namespaces to be refused.
refused "found --engine host; accepted: one that predicts" certify tiny.yaml --engine=host
refused "--minutes: found '0'; accepted: an integer from 1 to 10080" certify tiny.yaml --minutes 0
refused 'found --resume and --force' certify tiny.yaml --resume --force
refused "--for: found nothing; accepted: a folder of results" certify tiny.yaml --for=
refused 'has a sweep of 5 variants; accepted: at most 4' certify tiny.yaml \
    --set 'sweep={network.mtu: [1000, 1100, 1200, 1300, 1400]}'
refused 'faults[0]: found a fault; accepted: none, for a certificate' certify tiny.yaml \
    --set 'faults=[{slow: worker0, to: 0.5}]'
refused 'job.workers: found no number that all variants have with at most' certify tiny.yaml --set job.workers=9000
refused "--minutes: found 1; accepted: from " certify tiny.yaml "${KEYS[@]}" --minutes 1 --set network.rate=1Mbps \
    --set job.workers=7
[[ ! -e results ]] || fail "refused, but $(ls results)"

source "$HERE/need-namespaces.sh"

# What cannot be had as real processes is refused with what it has become.
if ! "$PROGRAM" check tiny.yaml "${KEYS[@]}" --engine=host --set network.delay=1ms >out.txt 2>&1; then
    refused 'lacks the queueing discipline netem' certify tiny.yaml "${KEYS[@]}" --set network.rate=400Gbps
    grep -q 'when all is stretched [0-9.]* times, for the rates that this machine keeps' err.txt || fail "$(cat err.txt)"
fi

"$PROGRAM" run tiny.yaml "${KEYS[@]}" --engine=fair-share --set output.plots=true --out asked >run.txt
cp asked/summary.json before.json
refused 'asked/summary.json: found network.rate = "1000000000bps"; accepted: results of' certify tiny.yaml "${KEYS[@]}" \
    --set network.rate=2Gbps --for asked
cmp asked/summary.json before.json || fail "refused, but written"

# certify ARGUMENT...: a certificate; skips where others take the machine
certify()
{
    local code=0
    "$PROGRAM" certify tiny.yaml "${KEYS[@]}" "$@" >out.txt 2>err.txt || code=$?
    if grep -qE 'this machine cannot give the link|runs of real processes were disturbed' err.txt; then
        echo "skipped: this machine is busy: $(cat err.txt)"
        exit 77
    fi
    [[ $code == 0 ]] || fail "exit code $code: $(cat out.txt err.txt)"
}

# A rate that any machine has to stretch.
certify --set network.rate=4Gbps --out small
grep -q '^  stretched   [0-9.]* times: network.rate is ' out.txt || fail "$(cat out.txt)"
grep -q 'checked against reality in small (' out.txt || fail "$(cat out.txt)"
sed -n '/^in small/,$p' out.txt >small.txt
fits small.txt
python3 - <<'END'
import json
certificate = json.load(open("small/certificate.json"))
small = json.load(open("small/summary.json"))
assert certificate["schema"] == "dml-certificate/1"
assert certificate["rate"]["asked"] == 4e9
assert certificate["rate"]["in_small"] * certificate["stretch"] == 4e9, certificate["rate"]
assert certificate["rate"]["in_small"] <= 1e9
asked, ratios = certificate["ratios"]["asked"], certificate["ratios"]["in_small"]
assert certificate["shrink"] == 1 and all(abs(ratios[key] / asked[key] - 1) < 1e-6 for key in asked if asked[key]), ratios
[case] = certificate["cases"]
assert case["workers"] == 2 and certificate["repeats"] == 5
assert 1 <= case["real"]["runs"] <= 5
assert set(case["errors"]) == {"fair-share", "packet"}, case
assert any(remark.startswith("burst is left out: ") for remark in certificate["remarks"]), "hosts that are not of Linux"
for engine, error in case["errors"].items():
    # farther off would be what is not similar, such as times that are not stretched
    assert abs(error["percent"]) < 50, (engine, error)
assert len(small["cases"][0]["engines"]["host"]["replications"]) == 5
END
# what it wrote is a folder of results like others
"$PROGRAM" compare small small >compared.txt || fail "$(cat compared.txt)"

certify --out small --force --engine=fair-share --for asked
grep -q 'note: job.step_jitter is left out: real processes' out.txt || fail "$(cat out.txt)"
grep -q '^certificate of: asked' out.txt || fail "$(cat out.txt)"
python3 - <<'END'
import json
before, after = json.load(open("before.json")), json.load(open("asked/summary.json"))
sentence = after["certificate"]["sentence"]
assert sentence.startswith("checked against reality"), sentence
assert "fair-share" in sentence and "burst" not in sentence, sentence
assert after["notes"][0] == sentence
assert json.load(open("asked/certificate.json"))["sentence"] == sentence
assert f'<p class="checked">{sentence}</p>' in open("asked/report.html").read()
del after["certificate"]
after["notes"] = before["notes"]
assert after == before
END
# results that are made again are no longer those that were certified
"$PROGRAM" run tiny.yaml "${KEYS[@]}" --engine=fair-share --set output.plots=true --out asked >run.txt
[[ ! -e asked/certificate.json ]] || fail "a certificate of other results"

echo "certify: prints the errors of a scenario in small, gives them to results, and refuses with the reason"

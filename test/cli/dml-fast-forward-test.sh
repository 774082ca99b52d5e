#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# packet.fast_forward: what a run says of it, the same files again, what it leaves alone and refuses;
# and trains, alone and with it.
# usage: dml-fast-forward-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"

sed -i 's/bytes: 400000/bytes: 10000000/' tiny.profile.yaml
quiet=(--set output.plots=false --set output.ops=false --set replications=1 --set job.steps=3
    --set job.warmup=0 --set transfer.window=28MB --set job.workers=2)

study()
{
    "$PROGRAM" run tiny.yaml --engine=packet "${quiet[@]}" "$@" >out.txt 2>err.txt </dev/null ||
        fail "$*: $(cat err.txt)"
}

number() # number FILE KEY: of a summary, the first one
{
    sed -n "s/^ *\"$2\": \([0-9.]*\),*$/\1/p" "$1" | head -n 1
}

study --out all
if grep -q 'fast forward' out.txt || grep -q '"skips"' all/summary.json; then
    fail "not asked for"
fi

study --set packet.fast_forward=true --out some
grep -qE '^fast forward: [0-9.]+ % of the time was skipped, in the run with' out.txt || fail "$(cat out.txt)"
fits out.txt
[[ $(number some/summary.json skips) -gt 2 ]] || fail "skips: $(number some/summary.json skips)"
[[ $(number some/summary.json skipped_bytes) -gt 40000000 ]] || fail "less than a third of 120 MB"
[[ $(($(number some/summary.json events) * 4)) -lt $(($(number all/summary.json events) * 3)) ]] ||
    fail "events: $(number some/summary.json events) of $(number all/summary.json events)"
[[ $(wc -l <some/transfers.csv) == $(wc -l <all/transfers.csv) ]] || fail "transfers"

study --set packet.fast_forward=true --out again
for file in steps transfers network links; do
    cmp some/$file.csv again/$file.csv || fail "$file.csv is another one"
done

# all skips simulated instead: the run without, and how far off skips would be
study --set packet.fast_forward='{check: 100%}' --out checked
for file in steps transfers network links; do
    cmp checked/$file.csv all/$file.csv || fail "$file.csv is another one where all is simulated"
done
grep -qE '^fast forward: ([0-9]+) of \1 skips were simulated instead; there rates are off by' out.txt ||
    fail "$(cat out.txt)"
fits out.txt
[[ $(number checked/summary.json skips) == 0 ]] || fail "skips: $(number checked/summary.json skips)"
[[ $(number checked/summary.json checks) -gt 2 ]] || fail "checks: $(number checked/summary.json checks)"
error=$(number checked/summary.json mean_rate_error)
awk -v error="$error" 'BEGIN { exit !(error > 0 && error < 0.02) }' || fail "mean error of rates: $error"
study --set packet.fast_forward='{check: 0%}' --out unchecked
grep -q '^fast forward: no skip was simulated instead, so how far off' out.txt || fail "$(cat out.txt)"

# plain messages, and a worker that dies and comes back: as many steps, at nearly the same times
end_of() # end_of FOLDER: when its last step ended
{
    awk -F, 'NR > 1 && $7 > last { last = $7 } END { print last }' "$1/steps.csv"
}
fair=(--set 'network.queue={fair: 0B}')
for setting in 'transfer={transport: tcp, policy: fifo}' 'faults=[{crash: worker1, at: 300ms, rejoin: 200ms}]'; do
    study "${fair[@]}" --set "$setting" --out all-setting --force
    study "${fair[@]}" --set "$setting" --set packet.fast_forward=true --out some-setting --force
    [[ $(number some-setting/summary.json skips) -gt 2 ]] || fail "$setting: nothing is skipped"
    [[ $(wc -l <some-setting/steps.csv) == $(wc -l <all-setting/steps.csv) ]] || fail "$setting: steps"
    awk -v all="$(end_of all-setting)" -v some="$(end_of some-setting)" \
        'BEGIN { exit !(some > 0.99 * all && some < 1.01 * all) }' ||
        fail "$setting: ends at $(end_of some-setting), without skips $(end_of all-setting)"
done

# trains: a third of the events, or of what is left, and the same bytes on links but for ACKs
linux=(--set network.transport=linux --set 'network.queue={fair: 0B}')
study "${linux[@]}" --out packets
study "${linux[@]}" --set network.tcp.trains=true --out trains
[[ $(($(number trains/summary.json events) * 3)) -lt $(number packets/summary.json events) ]] ||
    fail "trains: $(number trains/summary.json events) of $(number packets/summary.json events) events"
bytes() # bytes FOLDER: that the server of the large tensor has received
{
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) column[$i] = i }
        $column["link"] == "switch->ps1" { print $column["bytes"] }' "$1/network.csv"
}
[[ $(bytes trains) -gt 60000000 ]] || fail "trains: $(bytes trains) bytes"
difference=$((($(bytes trains) - $(bytes packets)) * 1000 / $(bytes packets)))
[[ ${difference#-} -le 2 ]] || fail "trains: $(bytes trains) bytes, packets: $(bytes packets)"
study "${linux[@]}" --set network.tcp.trains=true --out again-trains
for file in steps transfers network links; do
    cmp trains/$file.csv again-trains/$file.csv || fail "$file.csv is another one with trains"
done
study "${linux[@]}" --set network.tcp.trains=true --set packet.fast_forward=true --out both
[[ $(number both/summary.json events) -lt $(number trains/summary.json events) ]] ||
    fail "both: $(number both/summary.json events) of $(number trains/summary.json events) events"

# refused, each with its key
for setting in output.pcap=true output.netanim=true output.flows=true 'transfer={transport: tcp, sockets: 2, policy: fifo}' \
    'faults=[{link: worker0, loss: 0.01}]'; do
    refused 'beside packet.fast_forward; accepted: packet.fast_forward: false' \
        check tiny.yaml --set job.workers=3 --set packet.fast_forward=true --set "$setting"
done
refused 'packet.fast_forward: found "yes"; accepted: true, false or {check: PART}' \
    check tiny.yaml --set packet.fast_forward='"yes"'
refused 'packet.fast_forward.check: found "101%"; accepted: 0% to 100%' \
    check tiny.yaml --set packet.fast_forward='{check: 101%}'
refused 'found a map without check; accepted: true, false or {check: PART}' \
    check tiny.yaml --set packet.fast_forward='{}'

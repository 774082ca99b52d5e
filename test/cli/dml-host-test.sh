#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Training as real processes in network namespaces: results, refusals, and that nothing is left of a run
# that is killed.
# usage: dml-host-test.sh PROGRAM; exits with 77 (skipped) where namespaces are not allowed, and where others use
# the machine so much that links do not have their rates

set -euo pipefail
PROGRAM=$(readlink -f "$1")
HERE=$(dirname "$(readlink -f "$0")")
source "$HERE/need-namespaces.sh"
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR

fail()
{
    echo "FAILED: $*"
    exit 1
}

# A rate that most machines can keep, and no waiting for others: what needs real time says itself whether these have
# disturbed it.
OPTIONS=(--set host.wait_for_idle=0s --set job.workers=2 --set job.parameter_servers=1 --set replications=1 --set network.rate=50Mbps)
run_host() # OUT ARGUMENT...
{
    local out=$1
    shift
    DML_TEST=$WORK "$PROGRAM" run "$HERE/../data/tiny.yaml" --out "$WORK/$out" "${OPTIONS[@]}" "$@" 2>&1
}

# count_ticks: clock ticks in which this machine's processors were busy, those included that its host has given
# to others; and those of this script and its children
count_ticks()
{
    awk '/^cpu / { print $2 + $3 + $4 + $9 }' /proc/stat
    awk '{ print $14 + $15 + $16 + $17 }' "/proc/$$/stat"
}

# watch: from now on something is measured
watch()
{
    mapfile -t TICKS < <(count_ticks && date +%s%N)
}

# fail_if_alone TEXT: what failed since "watch" depends on real time, so that it shows something only where
# nothing else took much of the machine. A quarter of a core is where the program calls a run disturbed.
fail_if_alone()
{
    local now cores
    mapfile -t now < <(count_ticks && date +%s%N)
    cores=$(awk -v all=$((now[0] - TICKS[0])) -v own=$((now[1] - TICKS[1])) -v ns=$((now[2] - TICKS[2])) \
        -v rate="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", (all - own) / rate / (ns * 1e-9) }')
    [[ $cores > 0.25 ]] || fail "$1"
    echo "$1"
    echo "skipped: this machine is busy: something else took $cores of its cores"
    exit 77
}

# check_rates FILE: no link of a run was too slow, according to what it has printed
check_rates()
{
    ! grep -q 'this machine cannot give the link' "$1" || fail_if_alone "$(cat "$1")"
}

# real OUT ARGUMENT...: a run that succeeds; what it prints is in OUT.txt
real()
{
    local code=0
    watch
    run_host "$@" >"$WORK/$1.txt" || code=$?
    check_rates "$WORK/$1.txt"
    [[ $code == 0 ]] || fail "exit code $code: $(cat "$WORK/$1.txt")"
}

# On a machine that computes something else, a run waits as long as it may, then ends or begins as it is told. It
# cannot be too busy for this.
(while :; do :; done) &
BUSY=$!
code=0
run_host refused --engine=host --set host.wait_for_idle=1s --set host.if_busy=refuse \
    --set host.grpc.speaker=dml >"$WORK/busy.txt" || code=$?
[[ $code == 1 ]] || fail "exit code $code: $(cat "$WORK/busy.txt")"
grep -qE "waits 1 s at most: something else takes [0-9.]+ of this machine's [0-9]+ core" "$WORK/busy.txt" ||
    fail "$(cat "$WORK/busy.txt")"
grep -qE 'cores?, after waiting [1-9][0-9]* s for it to end; accepted: more time' "$WORK/busy.txt" ||
    fail "$(cat "$WORK/busy.txt")"
code=0
run_host busy --engine=host --set host.wait_for_idle=1s --set host.grpc.speaker=dml --set network.rate=5Mbps \
    --set job.scale=0.1 >"$WORK/busy.txt" || code=$?
kill $BUSY
wait $BUSY || true
if ! grep -q 'this machine cannot give the link' "$WORK/busy.txt"; then
    [[ $code == 0 ]] || fail "exit code $code: $(cat "$WORK/busy.txt")"
    grep -q 'host: 1 of 1 run began on a busy machine' "$WORK/busy.txt" || fail "$(cat "$WORK/busy.txt")"
    python3 - "$WORK/busy" <<'END'
import json, sys
with open(f"{sys.argv[1]}/summary.json", encoding="utf-8") as file:
    host = json.load(file)["cases"][0]["engines"]["host"]["replications"][0]["host"]
assert 1 <= host["waited_for_idle"] < 60 and host["busy_before"] > 0.25, host
END
fi

# Google's gRPC where this build has it; the packet engine's; messages.
SPEAKERS=(dml tcp)
[[ ! -e $(dirname "$PROGRAM")/libdml-grpc.so ]] || SPEAKERS+=(library)
BEST=${SPEAKERS[-1]/tcp/dml}
for transport in "${SPEAKERS[@]}"; do
    options=(--set host.grpc.speaker=$transport)
    [[ $transport != tcp ]] || options=(--set transfer.transport=tcp --set transfer.policy=fifo)
    real $transport --engine=all --set output.connections=true "${options[@]}"
    grep -qE 'errors against host|disturbed' "$WORK/$transport.txt" || fail "$(cat "$WORK/$transport.txt")"
    grep -q 'host: network.delay: 10us is left out' "$WORK/$transport.txt" || fail "$(cat "$WORK/$transport.txt")"
    python3 - "$WORK/$transport" "$transport" <<'EOF'
import csv, json, sys
def rows(name):
    with open(f"{sys.argv[1]}/{name}", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["engine"] == "host"]
steps = rows("steps.csv")
assert sorted((int(row["worker"]), int(row["step"])) for row in steps) == [
    (worker, step) for worker in (0, 1) for step in range(6)], steps
for row in steps:
    # forward, backward and updates of the shorter sample, one after the other; 550256 bytes each way
    # take 88 ms at 50 Mbit/s
    assert float(row["end"]) - float(row["start"]) > 0.0088 + 0.088, row
transfers = rows("transfers.csv")
assert len(transfers) == 2 * 6 * 2 * 4, len(transfers)
for row in transfers:
    assert 0 <= float(row["ready"]) <= float(row["first_byte"]) <= float(row["last_byte"]), row
payload = 2 * 6 * 550256
links = {row["link"]: row for row in rows("network.csv")}
for link in ("ps0->switch", "switch->ps0"):
    assert payload < int(links[link]["bytes"]) < 1.2 * payload, links[link]
assert rows("links.csv")
connections = rows("connections.csv")
assert {(row["from"], row["to"]) for row in connections} == {
    pair for i in (0, 1) for pair in (("ps0", f"worker{i}"), (f"worker{i}", "ps0"))}, connections
for row in connections:
    assert int(row["congestion_window"]) > 1000 and 0 < float(row["round_trip"]) < 1, row
    # of gRPC 1.51: SETTINGS begin with 4 MiB - 1
    assert row["stream_window"] == "" if sys.argv[2] == "tcp" else int(row["stream_window"]) > 65535, row
with open(f"{sys.argv[1]}/summary.json", encoding="utf-8") as file:
    case = json.load(file)["cases"][0]
assert list(case["engines"]) == ["fair-share", "packet", "host"]
assert sorted(case["host_error"]) == ["fair-share", "packet"]
run = case["engines"]["host"]["replications"][0]
assert run["host"]["waited_for_idle"] == 0 <= run["host"]["busy_before"], run
assert run["host"]["disturbed"] == (run["host"]["other_cpu"] > 0.25)
assert sorted(run["host"]["cpu_seconds"]) == ["ps0", "worker0", "worker1"], run["host"]
assert abs(sum(run["host"]["cpu_seconds"].values()) - run["timing"]["cpu_seconds"]) < 1e-3, run
assert (run["throughput"] is None) == run["host"]["disturbed"], run
EOF
    # A capture has each tensor that a worker has pulled, no later than the worker has it, and no earlier than it was asked for.
    if [[ $transport != tcp ]]; then
        real capture-$transport --engine=host --set output.pcap=true --set output.plots=false "${options[@]}"
        for worker in 0 1; do
            "$HERE/../../tools/wire-times" "$WORK/capture-$transport/W2-host-worker$worker.pcap" \
                --profile "$HERE/../data/tiny.profile.yaml" >"$WORK/wire-$worker.csv"
        done
        python3 - "$WORK" "$WORK/capture-$transport" <<'EOF'
import csv, sys
came = {}
for worker in "01":
    with open(f"{sys.argv[1]}/wire-{worker}.csv", encoding="utf-8") as file:
        came |= {(worker, row["step"], row["tensor"]): float(row["last_byte"]) for row in csv.DictReader(file)}
with open(f"{sys.argv[2]}/transfers.csv", encoding="utf-8") as file:
    pulls = {(row["worker"], row["step"], row["tensor"]): row for row in csv.DictReader(file) if row["direction"] == "downlink"}
assert came.keys() == pulls.keys(), (came, pulls)
for key, time in came.items():
    assert float(pulls[key]["ready"]) < time < float(pulls[key]["last_byte"]), (time, pulls[key])
EOF
    fi
    # Parts of each effect add up to the bias, losses among them.
    "$PROGRAM" match "$WORK/$transport" --engine=host --effects -o "$WORK/effects.csv" --force >"$WORK/effects.txt"
    python3 - "$WORK" "$transport" <<'EOF'
import csv, sys
with open(f"{sys.argv[1]}/{sys.argv[2]}/matched.csv", encoding="utf-8") as file:
    (bias,) = [row for row in csv.DictReader(file) if row["engine"] == "host"]
assert bias["links_slower_percent"] or bias["undefined_because"], bias
sums = {}
with open(f"{sys.argv[1]}/effects.csv", encoding="utf-8") as file:
    for row in csv.DictReader(file):
        assert row["engine"] == "host" and row["undefined_because"] == bias["undefined_because"], (row, bias)
        if bias["links_slower_percent"]:
            sums[row["effect"]] = sums.get(row["effect"], 0) + float(row["links_slower_percent"])
assert bool(sums) == bool(bias["links_slower_percent"]), sums
if sums:
    assert {"all", "direction", "others", "acks", "port", "size", "loss"} <= set(sums), sums
for effect, value in sums.items():
    assert abs(value - float(bias["links_slower_percent"])) < 1e-5, (effect, value, bias)
EOF
done

code=0
run_host fast --engine=host --set network.rate=100Gbps --set host.grpc.speaker=dml >"$WORK/fast.txt" || code=$?
[[ $code == 2 ]] || fail "exit code $code: $(cat "$WORK/fast.txt")"
grep -q 'network.rate: found 100Gbps on ps0->switch; the host engine accepts 1Mbps to 4Gbps' "$WORK/fast.txt" || fail "$(cat "$WORK/fast.txt")"

# What takes long is said before, with what would not.
"$PROGRAM" check "$HERE/../data/tiny.yaml" --engine=all "${OPTIONS[@]}" --set host.grpc.speaker=dml \
    --set job.steps=10000 >"$WORK/long.txt"
grep -q '(at most 20 s: --set job.scale=0.0' "$WORK/long.txt" || fail "$(cat "$WORK/long.txt")"
grep -q 'for real runs, one after the other' "$WORK/long.txt" || fail "$(cat "$WORK/long.txt")"

# Without the library: a copy of the program and of dml alone.
mkdir "$WORK/bare"
cp "$PROGRAM" "$(dirname "$PROGRAM")/libdml.so" "$WORK/bare"
code=0
LD_LIBRARY_PATH=$WORK/bare PROGRAM=$WORK/bare/$(basename "$PROGRAM") \
    run_host bare --engine=host --set host.grpc.speaker=library >"$WORK/bare.txt" || code=$?
[[ $code == 2 ]] || fail "exit code $code: $(cat "$WORK/bare.txt")"
grep -q "host.grpc.speaker: found 'library', Google's gRPC" "$WORK/bare.txt" || fail "$(cat "$WORK/bare.txt")"
grep -q './dml build --host' "$WORK/bare.txt" || fail "$(cat "$WORK/bare.txt")"

# Without servers: a ring of workers on the kernel's TCP.
real ring --engine=all --set job.protocol=all-reduce --set job.parameter_servers=0 --set job.workers=3 \
    --set overhead={} --set transfer.transport=tcp --set transfer.policy=fifo
python3 - "$WORK/ring" <<'EOF2'
import csv, sys
with open(f"{sys.argv[1]}/transfers.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
by_engine = {}
for row in rows:
    assert row["direction"] == "peer" and (int(row["ps"]) + 1) % 3 == int(row["worker"]), row
    assert 0 < float(row["ready"]) <= float(row["first_byte"]) < float(row["last_byte"]), row
    key = row["step"], row["tensor"], row["ps"], row["worker"]
    by_engine.setdefault(row["engine"], []).append(key)
assert set(by_engine) == {"fair-share", "packet", "host"}, set(by_engine)
assert sorted(by_engine["host"]) == sorted(by_engine["fair-share"]) == sorted(by_engine["packet"])
EOF2

# The same by Gloo, where this build has it.
GLOO=(--set job.protocol=all-reduce --set job.parameter_servers=0 --set job.workers=3 --set overhead={}
    --set transfer.transport=tcp --set transfer.policy=fifo --set host.collectives=gloo)
code=0
if [[ -e $(dirname "$PROGRAM")/libdml-gloo.so ]]; then
    real gloo --engine=host "${GLOO[@]}"
    [[ $(grep -c ',host,' "$WORK/gloo/steps.csv") == 18 ]] || fail "$(cat "$WORK/gloo/steps.csv")"
    [[ $(wc -l <"$WORK/gloo/transfers.csv") == 1 ]] || fail "Gloo tells of no transfers"
    code=0
    run_host gloo-tree --engine=host "${GLOO[@]}" --set job.all_reduce.algorithm=tree >"$WORK/gloo.txt" || code=$?
    [[ $code == 2 ]] || fail "exit code $code: $(cat "$WORK/gloo.txt")"
    grep -q "host.collectives: found 'gloo' with job.all_reduce.algorithm tree" "$WORK/gloo.txt" ||
        fail "$(cat "$WORK/gloo.txt")"
else
    run_host gloo --engine=host "${GLOO[@]}" >"$WORK/gloo.txt" || code=$?
    [[ $code == 2 ]] || fail "exit code $code: $(cat "$WORK/gloo.txt")"
    grep -q './dml build --host' "$WORK/gloo.txt" || fail "$(cat "$WORK/gloo.txt")"
fi

# list_processes: of runs of this test
list_processes()
{
    grep -lszxF "DML_TEST=$WORK" /proc/[0-9]*/environ | cut -d / -f 3
}

# count_namespaces: in which these are
count_namespaces()
{
    list_processes | xargs -I{} readlink /proc/{}/ns/net | sort -u | wc -l
}

# expect_nothing WHEN: soon nothing is left of them
expect_nothing()
{
    for _ in $(seq 600); do
        [[ -n $(list_processes) ]] || return 0
        sleep 0.1
    done
    fail "$1: $(list_processes | wc -l) processes are left"
}

# kill_run SIGNAL: of a long run, once its processes are in their namespaces
kill_run()
{
    local process
    watch
    run_host killed-$1 --engine=host "${KILLED[@]}" --set job.steps=100000 >"$WORK/killed.txt" &
    process=$!
    until [[ $(count_namespaces) -gt 3 ]]; do
        if ! kill -0 $process 2>/dev/null; then
            check_rates "$WORK/killed.txt"
            fail "the run did not begin: $(cat "$WORK/killed.txt")"
        fi
        sleep 0.1
    done
    pkill -"$1" -P $process || kill -"$1" $process
    expect_nothing "after signal $1"
}
if [[ -e $(dirname "$PROGRAM")/libdml-gloo.so ]]; then
    KILLED=("${GLOO[@]}")
    kill_run KILL
    rm -rf "$WORK/killed-KILL"
fi
for speaker in "${SPEAKERS[@]}"; do
    [[ $speaker != tcp ]] || continue
    KILLED=(--set host.grpc.speaker=$speaker)
    kill_run KILL
    rm -rf "$WORK/killed-KILL"
done
kill_run INT
wait || true

# A server that crashes has lost what it made, as it has no checkpoint; all go on from its first version.
for sync in bsp async; do
    real crash-$sync --engine=host --set host.grpc.speaker=$BEST --set job.sync=$sync --set output.plots=false --set output.versions=true \
        --set 'faults=[{crash: ps0, at: 1s, rejoin: 200ms}]'
    python3 - "$WORK/crash-$sync" <<'END' || fail_if_alone "the crash of a server with $sync"
import csv, json, sys
folder = sys.argv[1]
with open(folder + "/versions.csv", encoding="utf-8") as file:
    rows = list(csv.DictReader(file))
restored = {row["tensor"]: row for row in rows if row["worker"] == ""}
assert restored.keys() == {row["tensor"] for row in rows}, restored
lost = set()
for row in rows:
    back = restored[row["tensor"]]
    assert back["read"] == "0" and float(back["time"]) == 1, back
    if row is back:
        continue
    before = float(row["time"]) < 1
    assert before or float(row["time"]) > 1.2, row
    # versions are counted on: none that is lost is read again
    assert (int(row["made"]) < int(back["made"])) == before, (row, back)
    assert before or int(row["read"]) >= int(back["made"]), (row, back)
    if before:
        lost.add((row["worker"], row["step"], row["tensor"]))
steps = {step[:2] for step in lost}
whole = {step for step in steps if all((*step, tensor) in lost for tensor in restored)}
with open(folder + "/summary.json", encoding="utf-8") as file:
    run = json.load(file)["cases"][0]["engines"]["host"]["replications"][0]
(crash,) = run["server_crashes"]
assert (crash["server"], crash["checkpoint"]) == (0, 0), crash
assert 0 < len(whole) <= crash["lost_steps"] <= len(steps), (crash, steps)
# on a busy machine a worker may be back later than the other one, or when that one has ended
away = {at["worker"]: range(at["step"], 6 if at["back"] is None else at["back_with_step"])
        for at in run["crashes"] if at["ended"] and (at["back"] is None or at["back"] > 1.2)}
assert away.keys() == {0, 1} and any(len(steps) < 4 for steps in away.values()), run["crashes"]
with open(folder + "/steps.csv", encoding="utf-8") as file:
    ran = sorted((int(row["worker"]), int(row["step"])) for row in csv.DictReader(file))
assert ran == [(worker, step) for worker in (0, 1) for step in range(6) if step not in away[worker]], (ran, away)
END
done

# A disk that fills up: a message, and nothing left. As root, or as root of a namespace of users.
MOUNT=(unshare --mount)
"${MOUNT[@]}" true 2>/dev/null || MOUNT=(unshare --mount --propagation unchanged) # below chroot
"${MOUNT[@]}" true 2>/dev/null || MOUNT=(unshare --user --map-root-user --mount)
if ! "${MOUNT[@]}" true 2>/dev/null; then
    echo "skipped: this system allows no namespaces of mounts"
    exit 0
fi
code=0
mkdir "$WORK/small"
OPTIONS+=(--set job.steps=20000 --set job.scale=0.01 --set host.grpc.speaker=$BEST)
watch
# shellcheck disable=SC2016
DML_TEST=$WORK "${MOUNT[@]}" bash -c 'mount -t tmpfs -o size=64m tmpfs "$0" || exit 9
    { until grep -qs . "$0"/out/unfinished/*/steps.csv; do sleep 0.1 && kill -0 $$ || exit; done
        head -c 64M /dev/zero >"$0/other" || true; } 2>/dev/null &
    exec "$@"' "$WORK/small" \
    "$PROGRAM" run "$HERE/../data/tiny.yaml" --out "$WORK/small/out" "${OPTIONS[@]}" \
    --engine=host >"$WORK/small.txt" 2>&1 || code=$?
check_rates "$WORK/small.txt"
[[ $code == 1 ]] || fail "exit code $code: $(cat "$WORK/small.txt")"
grep -q 'No space left on device' "$WORK/small.txt" || fail "$(cat "$WORK/small.txt")"
expect_nothing "after a full disk"
echo "passed"

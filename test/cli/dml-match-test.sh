#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# match predicts recorded steps as the run did that recorded them, and with other models.
# usage: dml-match-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
shrink

# The files of a study have all that its own comparison had.
for study in async bsp sweep; do
    case $study in
    async) settings=(--set 'job.workers=[2, 3]' --set job.steps=10) ;;
    bsp) settings=(--set job.workers=2 --set job.sync=bsp --set fair_share.sharing=max-min) ;;
    sweep) settings=(--set job.workers=2 --set 'sweep={network.rate: [1Gbps, 500Mbps], job.sync: [async, {ssp: 1}]}') ;;
    esac
    "$PROGRAM" run tiny.yaml --engine=both --out "$study" "${settings[@]}" >run.txt
    "$PROGRAM" match "$study" -o "$study.csv" >match.txt
    fits match.txt
    [[ $(wc -l <"$study.csv") -ge 3 ]] || fail "$study: nothing was matched: $(cat "$study.csv")"
    python3 - "$study" <<'END'
import csv, json, sys
study = sys.argv[1]
summary = json.load(open(study + "/summary.json"))
written = list(csv.reader(open(study + "/matched.csv")))
again = list(csv.reader(open(study + ".csv")))
assert len(written) == len(again), (written, again)
for one, other in zip(written, again):  # times in files have nine digits
    for a, b in zip(one, other):
        assert a == b or abs(float(a) - float(b)) <= 1e-6 * abs(float(a)) + 1e-6, (one, other)
kept = [run["matched"] for case in summary["cases"] for run in case["engines"]["packet"]["replications"]]
rows = list(csv.DictReader(open(study + ".csv")))
assert len(kept) == len(rows), (len(kept), len(rows))
for run, row in zip(kept, rows):
    assert abs(run["links_slower_percent"] - float(row["links_slower_percent"])) < 1e-6, (run, row)
    assert run["steps"] == int(row["steps"]), (run, row)
END
done
grep -qF '  +- -: no interval' match.txt && ! grep -qF '?' match.txt || fail "short runs have intervals: $(cat match.txt)"
grep -qF 'network.rate=500Mbps' match.txt || fail "a variant has no name: $(cat match.txt)"

# Links of 98 % make 1 + bias 98 % of what it was, as far as steps are linear in them: a bias is 9 % here.
"$PROGRAM" match async --set network.rate=980Mbps -o slow.csv >match.txt
python3 - <<'END'
import csv
for was, now in zip(csv.DictReader(open("async.csv")), csv.DictReader(open("slow.csv"))):
    was, now = (1 + float(row["links_slower_percent"]) / 100 for row in (was, now))
    assert abs(now / was - 0.98) < 0.005, (was, now)
END
"$PROGRAM" match async --engine=packet >match.txt
"$PROGRAM" match async --engine=both >again.txt
cmp match.txt again.txt || fail "--engine=both: $(cat again.txt)"

# On its own: a row for each number of steps; of one step alone nearly what single steps say.
"$PROGRAM" match async --horizon=1,2-3 -o drift.csv >drift.txt
fits drift.txt
python3 - <<'END'
import csv
rows = list(csv.DictReader(open("drift.csv")))
assert [row["horizon"] for row in rows] == ["1", "2", "3"] * 4, rows
raw = {tuple(row[key] for key in ("workers", "replication")): float(row["raw_percent"]) for row in csv.DictReader(open("async.csv"))}
for row in rows:
    assert int(row["starts"]) >= 1, row
    if row["horizon"] == "1":
        assert abs(float(row["longer_percent"]) - raw[row["workers"], row["replication"]]) < 6, (row, raw)
END
"$PROGRAM" match sweep --horizon=2 >drift.txt
grep -qF 'not known: workers wait for those that are far behind' drift.txt || fail "stale-synchronous: $(cat drift.txt)"
grep -qE '^ +2  packet +2 +[-+][0-9.]+ ' drift.txt || fail "no drift: $(cat drift.txt)"
# Phases add up to steps.
"$PROGRAM" match async --phases -o phases.csv >phases.txt
fits phases.txt
python3 - <<'END'
import csv
runs = {}
for row in csv.DictReader(open("phases.csv")):
    sums = runs.setdefault((row["workers"], row["replication"]), [0, 0])
    sums[0] += float(row["recorded_s"])
    sums[1] += float(row["predicted_s"])
rows = list(csv.DictReader(open("async.csv")))
assert len(rows) == len(runs), (rows, runs)
for row in rows:
    recorded, predicted = runs[row["workers"], row["replication"]]
    assert abs(100 * (recorded / predicted - 1) - float(row["raw_percent"])) < 1e-5, (row, recorded, predicted)
END
refused "--phases: goes without --horizon" match async --phases --horizon=2

# Parts of each effect add up to the bias of the run; where losses were not recorded, it says so.
"$PROGRAM" match async --effects -o effects.csv >effects.txt
fits effects.txt
python3 - <<'END'
import csv
sums = {}
for row in csv.DictReader(open("effects.csv")):
    run = row["workers"], row["replication"]
    if row["undefined_because"]:
        assert row["effect"] == "loss" and "connections.csv" in row["undefined_because"], row
        continue
    sums.setdefault((*run, row["effect"]), []).append(float(row["links_slower_percent"]))
rows = list(csv.DictReader(open("async.csv")))
assert len(rows) == 4 and len(sums) == 4 * 6, sums.keys()
for row in rows:
    for effect in "all", "direction", "others", "acks", "port", "size":
        parts = sums[row["workers"], row["replication"], effect]
        assert len(parts) > 1 or effect == "all", (effect, parts)
        assert abs(sum(parts) - float(row["links_slower_percent"])) < 1e-6, (effect, row, parts)
END
grep -qE '^ {16}loss +not known: connections.csv is not there' effects.txt || fail "losses: $(cat effects.txt)"
grep -qE '^ {16}direction  pulls +[0-9.]+ +[-+][0-9.]+ \+- ' effects.txt || fail "no pulls: $(cat effects.txt)"
refused "--effects: goes without --horizon" match async --effects --horizon=2
cp "$DATA"/tiny.profile.yaml large.profile.yaml
"$PROGRAM" run tiny.yaml --engine=both --out lossy --set 'job.workers=[3]' --set job.steps=10 \
    --set job.profile=large.profile.yaml --set output.connections=true --set network.queue=30KB >run.txt
"$PROGRAM" match lossy --effects >effects.txt
grep -qE '^ {16}loss +something sent again' effects.txt || fail "losses: $(cat effects.txt)"
rm -rf bad
cp -r lossy bad
sed -i -E '0,/^3,packet,/s/^(3,packet,([^,]*,){3})[^,]*/\1nosuch/' bad/transfers.csv
refused "found tensor 'nosuch'; accepted: one of the profile's" match bad --effects

# Packets again without an effect: the difference of biases is what is said; the model has the same change.
"$PROGRAM" match async --without=fifo,slow-start,round-trips --jobs=2 -o without.csv >without.txt 2>err.txt
fits without.txt
tr -s '\n ' ' ' <err.txt | grep -qF '8 runs of packets without an effect, about' || fail "no cost: $(cat err.txt)"
grep -qF 'round-trips: this network has none' err.txt || fail "round trips: $(cat err.txt)"
grep -qF 'fifo: one FIFO queue for all in a port (network.queue={fair: 0B})' without.txt || fail "no key: $(cat without.txt)"
"$PROGRAM" run tiny.yaml --engine=both --out fair --set 'job.workers=[2, 3]' --set job.steps=10 --set 'network.queue={fair: 0B}' >run.txt
python3 - <<'END'
import csv
kept = {(row["workers"], row["replication"]): row for row in csv.DictReader(open("async.csv"))}
fair = {(row["workers"], row["replication"]): row for row in csv.DictReader(open("fair/matched.csv"))}
rows = list(csv.DictReader(open("without.csv")))
assert [row["without"] for row in rows] == ["", "fifo", "slow-start"] * 4, rows
for row in rows:
    run = row["workers"], row["replication"]
    if row["without"] == "fifo":
        assert abs(float(row["links_slower_percent"]) - float(fair[run]["links_slower_percent"])) < 1e-6, row
        effect = float(kept[run]["links_slower_percent"]) - float(fair[run]["links_slower_percent"])
        assert abs(float(row["effect_percent"]) - effect) < 1e-5, (row, effect)
END
refused "--without: found 'nosuch'; accepted: all, or of loss, fifo, slow-start" match async --without=nosuch
refused "--set network.rate=980Mbps: with --without, packets would run with it, too" match async --without=fifo --set network.rate=980Mbps
refused "--budget: nothing runs; accepted: with --without only" match async --budget=3
refused "--engine: found 'host'; accepted with --without: packet" match async --without=fifo --engine=host

# Bursts that are single packets of the simulator are bursts, too; where something else needs the effect, it is named as a
# key's value, without a --set that nobody gave.
"$PROGRAM" run tiny.yaml --engine=both --out trains --set job.workers=2 --set replications=1 --set network.transport=linux \
    --set 'network.queue={drop_tail: 60KB, whole_bursts: true}' --set network.tcp.trains=true \
    --set 'network.hosts={worker0: {delay: 1ms}}' >run.txt
"$PROGRAM" match trains --without=bursts,round-trips -o trains.csv >without.txt 2>err.txt
[[ $(cut -d, -f5 trains.csv | tr '\n' ' ') == 'without  bursts round-trips ' ]] || fail "trains: $(cat trains.csv err.txt)"
grep -qF 'bursts: bursts of segments (network.tcp.gso=0B, network.tcp.trains=false)' without.txt || fail "trains: $(cat without.txt)"
"$PROGRAM" run tiny.yaml --engine=both --out marks --set job.workers=2 --set replications=1 --set network.transport=linux \
    --set 'network.queue={ecn: 1MB, threshold: 100KB}' --set network.tcp.variant=dctcp >run.txt
"$PROGRAM" match marks --without=fifo >without.txt 2>err.txt
tr -s '\n ' ' ' <err.txt | grep -qF 'fifo: cannot be switched off here by network.queue={fair: 0B}: network.tcp.variant: found dctcp in a network' ||
    fail "dctcp: $(cat err.txt)"
! grep -qF -- '--set' err.txt || fail "a --set that nobody gave: $(cat err.txt)"

# Each variant is changed as it needs it, and only those that have the effect are run again.
"$PROGRAM" run tiny.yaml --engine=both --out queues --set job.workers=2 --set replications=1 \
    --set 'sweep={network.queue: [{fair: 0B}, 60KB]}' >run.txt
"$PROGRAM" match queues --without=loss,fifo -o queues.csv >without.txt 2>err.txt
grep -qF '2 runs of packets without an effect' err.txt || fail "variants: $(cat err.txt)"
python3 - <<'END'
import csv
rows = [(row["variant"], row["without"]) for row in csv.DictReader(open("queues.csv"))]
fair, fifo = "network.queue={fair: 0B}", "network.queue=60KB"
assert rows == [(fair, ""), (fifo, ""), (fifo, "loss"), (fifo, "fifo")], rows
END

# Nothing is run for a job that cannot be matched.
"$PROGRAM" run tiny.yaml --engine=both --out shuffled --set job.workers=2 --set transfer.policy=shuffled >run.txt
refused "known: the order of transfers is drawn anew in each step; accepted: results of which 'dml match' tells a bias" \
    match shuffled --without=all
! grep -qF 'of CPU' err.txt || fail "runs: $(cat err.txt)"

# Where links matter next to nothing, or are too far off, that is what the table says, beside what is known.
"$PROGRAM" run tiny.yaml --engine=both --out compute --set job.workers=2 --set job.scale=0.0002 >run.txt
"$PROGRAM" match compute -o compute.csv >links.txt
for file in run.txt links.txt; do
    fits $file
    grep -qE '^ +2  packet +- +[+]' $file || fail "$file: no raw difference: $(cat $file)"
    tr -s '\n ' ' ' <$file | grep -qE "links matter next to nothing: 1 % slower ones make the model's steps 0.000[0-9]+ % longer; recorded" ||
        fail "$file: no reason: $(cat $file)"
done
"$PROGRAM" match async --set network.rate=10Mbps -o far.csv >links.txt
tr -s '\n ' ' ' <links.txt | grep -qE 'recorded steps take [0-9.]+ % less, which is more than links that are 75 % faster make of the model' ||
    fail "far off: $(cat links.txt)"
python3 - <<'END'
import csv, json
for name, text in ("compute", "links matter next to nothing"), ("far", "75 % faster"):
    for row in csv.DictReader(open(name + ".csv")):
        assert row["links_slower_percent"] == "" and text in row["undefined_because"], row
        assert float(row["raw_percent"]) != 0 and int(row["steps"]) > 0, row
(case,) = json.load(open("compute/summary.json"))["cases"]
for run in case["engines"]["packet"]["replications"]:
    assert "links matter next to nothing" in run["matched"]["undefined_because"], run
END

# Steps and transfers of real processes are divided among parts as those of packets are. (dml-host-test.sh has real ones.)
cp -r lossy real
for file in steps transfers connections; do
    sed -i 's/,packet,/,host,/' real/$file.csv
done
"$PROGRAM" match lossy --effects -o packet.csv >/dev/null
"$PROGRAM" match real --effects -o host.csv --engine=host >effects.txt
sed -i 's/,host,/,packet,/' host.csv
cmp host.csv packet.csv || fail "effects of host: $(cat host.csv)"
grep -qE '^ +3  host +all ' effects.txt || fail "effects of host: $(cat effects.txt)"
! grep -qF disturbed effects.txt || fail "effects of host: $(cat effects.txt)"
python3 - <<'END'
import json
with open("real/summary.json") as file:
    summary = json.load(file)
(case,) = summary["cases"]
case["engines"]["host"] = {"replications": [
    {"replication": i, "host": {"disturbed": i > 0}} for i in range(2)]}
with open("real/summary.json", "w") as file:
    json.dump(summary, file)
END
"$PROGRAM" match real >real.txt
grep -qF '  host: 1 run was disturbed, as something else used the machine meanwhile' real.txt || fail "$(cat real.txt)"
"$PROGRAM" match bsp --phases >phases.txt
grep -qF 'not known: workers do their steps together' phases.txt || fail "phases: $(cat phases.txt)"
refused "--horizon: found '0'; accepted: numbers from 1 to 1000, such as 1,2,4 or 1-4" match async --horizon=0
refused "--horizon: found '1,x'" match async --horizon=1,x

# Names of folders are free; standard input is not needed.
mkdir 'a möbel'
cp -r async 'a möbel/x'
"$PROGRAM" match 'a möbel/x' >again.txt <&-
cmp match.txt again.txt || fail "in another folder: $(cat again.txt)"

# Tables have the variants in the order of the results.
"$PROGRAM" run tiny.yaml --engine=both --out order --set job.workers=2 \
    --set 'sweep={network.rate: [900Mbps, 1Gbps, 500Mbps]}' >run.txt
for report in --phases --horizon=1 --effects --engine=packet; do
    "$PROGRAM" match order $report >order.txt
    [[ $(grep -o 'network.rate=[^ ]*' order.txt | tr '\n' ' ') == 'network.rate=900Mbps network.rate=1Gbps network.rate=500Mbps ' ]] ||
        fail "$report: $(cat order.txt)"
done

# What there is of the user stays.
refused "slow.csv: is there already; accepted: --force" match async -o slow.csv
"$PROGRAM" match async -o slow.csv --force >match.txt
cmp slow.csv async.csv || fail "not replaced"
refused "--engine: found 'fast'" match async --engine=fast
refused "async/steps.csv: has no step of the packet or the host engine that --engine accepts" match async --engine=host
refused "nosuch/summary.json" match nosuch
refused 'with --set: --set fair_share.sharing=nosuch: fair_share.sharing: found "nosuch"; accepted: auto, equal' match async --set fair_share.sharing=nosuch
refused "job.workerz" match async --set job.workerz=3
refused "--set sweep: found a sweep; accepted: keys of one model" match async --set 'sweep={network.rate: [1Gbps, 2Gbps]}'
refused "--set: found other numbers of workers than async/summary.json has in job.workers" match async --set job.workers=5
refused "/proc/none.csv: " match nosuch -o /proc/none.csv # before anything is read
"$PROGRAM" run tiny.yaml --engine=fair-share --out quick >run.txt
refused "quick/steps.csv: has no step of the packet or the host engine; accepted" match quick

# damaged FILE EDIT TEXT: the study with a file changed by sed is refused
damaged()
{
    rm -rf bad
    cp -r async bad
    sed -i -E "$2" "bad/$1"
    refused "$3" match bad
}

damaged steps.csv '1s/sample/simple/' "bad/steps.csv:1"
damaged steps.csv '0,/,packet,0,1,0,/s//,packet,0,7,0,/' "found worker 7; accepted: below 2"
damaged steps.csv '2s/.*/2,packet,0,0,0,nan,1,4,,0,0/' "bad/steps.csv:2"
damaged steps.csv '2s/.*/2,packet,0,0,0,2.0,1.0,4,,0,0/' "found an end before the start"
damaged steps.csv '2s/.*/2,nosuch,0,0,0,1.0,2.0,4,,0,0/' "found engine 'nosuch'"
damaged steps.csv '2s/.*/2,packet,0/' "bad/steps.csv:2"
rm -rf bad
cp -r async bad
rm bad/transfers.csv
refused "bad/transfers.csv" match bad --phases
damaged summary.json '1,$s/"scenario"/"scenery"/' "has no scenario"
damaged summary.json '$d' "bad/summary.json:$(wc -l <async/summary.json):"
damaged summary.json '0,/"steps":/s//"stepz":/' "bad/summary.json: its scenario cannot be read: job.stepz: "
! grep -qF -- '--set' err.txt || fail "a --set that nobody gave: $(cat err.txt)"
cp async/steps.csv whole.csv
rm -rf bad
cp -r async bad
head -c $(($(stat -c %s whole.csv) - 9)) whole.csv >bad/steps.csv
refused "bad/steps.csv" match bad
mkfifo pipe
rm bad/steps.csv
ln -s ../pipe bad/steps.csv
refused "bad/steps.csv" match bad

# not_known TEXT EDIT: what is wrong with the steps is said where the number would stand
not_known()
{
    rm -rf bad
    cp -r async bad
    sed -i -E "$2" bad/steps.csv
    "$PROGRAM" match bad >out.txt
    tr -s '\n ' ' ' <out.txt | grep -qF -- "$1" || fail "$2: $(cat out.txt)"
    grep -qE '^ +2  packet    not known: |^ +1 of 2 runs are not known' out.txt || fail "not indented: $(cat out.txt)"
}

not_known "of sample 65535, and the model's profile has 2" '0,/^(2,packet,0,0,1,[^,]*,[^,]*,[^,]*,[^,]*,[^,]*),[0-9]+$/s//\1,65535/'
not_known 'step 1 of worker 0 is there twice' '0,/^2,packet,0,0,1,.*/s//&\n&/'
not_known 'steps before step 2 of worker 0 are missing' '0,/^2,packet,0,0,1,/{/^2,packet,0,0,1,/d}'
not_known 'of 2 workers 1 have done steps' '/^2,packet,0,1,/d'
not_known '1 of 2 runs are not known, so the mean may be of the better ones: of 2 workers 1 have done steps' '/^2,packet,0,1,/d'
damaged steps.csv '0,/^2,packet/s//4294967295,packet/' "found 4294967295 workers; accepted: what bad/summary.json has in cases"
damaged steps.csv '0,/^(2,packet,0,0,1,[^,]*),[^,]*/s//\1,1e308/' "found more than 1e9 s"
refused "which is what is read" match async -o async/steps.csv --force
rm -rf bad
cp -r async bad
python3 - <<'END'
text = open("bad/summary.json").read()
open("bad/summary.json", "w").write(text.replace('"scenario": {', '"scenario": {"x": ' + "[" * 100000 + "]" * 100000 + ",", 1))
END
refused "found more than 64 levels" match bad
rm -rf bad
cp -r async bad
sed -i -E '0,/^(2,packet,0,0,1,.*downlink,.*),[^,]*$/s//\1,99/' bad/transfers.csv
"$PROGRAM" match bad --phases >out.txt
tr -s '\n ' ' ' <out.txt | grep -qF 'step 1 of worker 0 has a transfer that does not end within it' || fail "a late pull: $(cat out.txt)"

# The profile that the steps were recorded with is needed.
sed -i 's/seconds: 0/seconds: 1/' tiny.profile.yaml
refused "tiny.profile.yaml" match async

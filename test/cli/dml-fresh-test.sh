#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# The first ./dml run and ./dml test on a machine that has nothing, with made-up tools in the place of apt, CMake,
# ninja and ctest: they say how long it will take, and how far it is, also off a terminal; they install in one
# round, without what this release of Debian does not have, and say what was not tested.
# usage: dml-fresh-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/made-up-tools.sh"
cp "$ROOT/cmake/developer-commands.sh" "$TREE/cmake"
# 600 files of the program, 400 others
printf '    model/file%d.cc\n' $(seq 600) >"$TREE/cmake/dml-sources.cmake"
printf '    test/unit/file%d.cc\n' $(seq 400) >>"$TREE/cmake/dml-sources.cmake"

tool id <<<'echo 0'
tool nproc <<<'echo 4'
echo "3.21 0.87 0.55 1/99 1234" >load
tool cat <<<'[[ "$*" != /proc/loadavg ]] || set -- load; exec /bin/cat "$@"'
tool dpkg-query <<<'[[ -e installed ]] && for p; do grep -qx "$p" unknown || echo "installed $p"; done; exit 0'
: >unknown
# 300 packages of 1 MB; the lists are empty at first; each tenth of a package is told
tool apt-get <<'END'
! grep -qxFf unknown <(printf '%s\n' "$@") || exit 100
[[ :$PATH: == *:/usr/sbin:/sbin: ]] || { echo "E: dpkg would not find ldconfig" && exit 100; }
case " $* " in
*" update "*) touch updated ;;
*" --print-uris "*)
    [[ -e updated ]] || exit 100
    for i in $(seq 300); do echo "'http://host/p$i.deb' p$i.deb 1000000 MD5Sum:0"; done
    ;;
*" install "*)
    [[ -e updated ]] || exit 100
    for phase in dl pm; do
        for i in $(seq 0 300); do
            echo "${phase}status:p$i:$((i / 3)).$((i % 3 * 3333)):words" >&3
            echo "noise of $i"
        done
    done
    [[ ! -e broken ]] || { echo "E: broken" && exit 100; }
    touch installed
    echo "$*" >>rounds
    ;;
esac
END
tool cmake <<<'mkdir -p tree/build && touch tree/build/build.ninja'
tool ninja <<'END'
steps=$(<steps)
[[ " $* " != *" -n "* ]] || { for i in $(seq "$steps"); do echo "[$i/$steps] step"; done && exit; }
for i in $(seq "$steps"); do printf "[$i/$steps] "; echo "Building $i"; done
printf '#!/bin/sh\necho "predicted $*"\n' >tree/build/dml
chmod +x tree/build/dml
[[ ! -e broken-build ]] || { echo "error: no" && exit 1; }
END
run()
{
    code=0
    PATH="$WORK/bin:$PATH" DML_BUILD='' "$TREE/dml" run x.yaml >out.txt 2>err.txt </dev/null || code=$?
}

echo 600 >steps
run
[[ $code == 0 ]] || fail "exit code $code"
[[ $(<out.txt) == "predicted run x.yaml" ]] || fail "the program was not run: $(cat out.txt)"
# 0.2 s for a package; 0.8 s of a core for a file, 600 * 0.8 / 4 = 120 s; 5 s for a step of ninja
grep -qF 'dml: with what they need 300 packages, 300 MB to download; installing them takes about 60 s, then building, about 2 min on 4 cores' \
    err.txt || fail "no estimate for packages"
grep -qF 'dml: building in build, 600 steps: about 13 min on 4 cores' err.txt || fail "no estimate for the build"
for what in downloading installing; do
    for percent in 10 20 30 40 50 60 70 80 90 100; do
        grep -qx "dml: $what: $percent %" err.txt || fail "$what: not told at $percent %"
    done
done
for done in 60 120 180 240 300 360 420 480 540 600; do
    grep -qE "^dml: building: $done of 600(, about .* left)?$" err.txt || fail "building: not told at $done"
done
[[ $(wc -l <err.txt) -le 40 ]] || fail "too many lines"
[[ $(grep -c '^noise' tree/build/packages.log) == 602 ]] || fail "apt's words are not in the log"
! grep -q 'status:' tree/build/packages.log || fail "progress in the log"
[[ $(grep -c 'Building' tree/build/build.log) == 600 ]] || fail "ninja's words are not in the log"

# Small builds say little.
echo 3 >steps
run
[[ $code == 0 && $(wc -l <err.txt) == 2 ]] || fail "a small build"
grep -qF 'dml: building in build, 3 steps: about 10 s on 4 cores' err.txt || fail "a small build"

# What fails still fails, and its last words are told.
touch broken-build
run
[[ $code == 1 ]] || fail "exit code $code of a build that failed"
grep -qx 'error: no' err.txt || fail "no last words of ninja"
rm installed broken-build
touch broken
run
[[ $code == 1 ]] || fail "exit code $code of an installation that failed"
grep -qx 'E: broken' err.txt || fail "no last words of apt"

# Beside 8 other processes everything takes three times as long.
rm -rf broken tree/build
echo "3.21 8.87 0.55 1/99 1234" >load
run
grep -qF 'takes about 3 min, then building, about 6 min on 4 cores with a load of 8' err.txt ||
    fail "no estimate on a busy machine"
echo "3.21 0.87 0.55 1/99 1234" >load

# All packages of the tests in one round; that of a release without libgloo-dev goes on without it. 1000 files take 200 s.
tool ctest <<'END'
log=tree/build/Testing/Temporary/LastTest.log
mkdir -p "${log%/*}"
printf '%s\n' '1/3 Testing: program.one' 'skipped: no tool' '2/3 Testing: two' \
    "test_a (__main__.A.test_a) ... skipped 'no library'" '3/3 Testing: unit.3' '/x/y.cc:12: Skipped' 'no root' \
    '4/4 Testing: unit.4' '/x/y.cc:14: Skipped' 'no root' >"$log"
[[ ! -e broken-test ]] || exit 8
END
rm -rf installed updated rounds tree/build
echo libgloo-dev >unknown
code=0
PATH="$WORK/bin:$PATH" DML_BUILD='' "$TREE/dml" test >out.txt 2>err.txt </dev/null || code=$?
[[ $code == 0 ]] || fail "exit code $code of the tests"
[[ $(wc -l <rounds) == 1 ]] || fail "installed in several rounds: $(cat rounds)"
for package in g++ libgtest-dev tshark libgrpc++-dev clang-format-14 libsimgrid-dev; do
    grep -qF " $package" rounds || fail "does not install $package"
done
! grep -q libgloo-dev rounds || fail "installs what there is not"
grep -qx 'dml: going on without libgloo-dev: no collectives by Gloo' err.txt || fail "does not say what is missing"
grep -qE 'then building the program and its tests, about 3 min, and running them, about [0-9]+ (s|min) on 4 cores$' err.txt ||
    fail "no estimate of what follows"
grep -qE '^dml: running the tests: about [0-9]+ (s|min) on 4 cores$' err.txt || fail "no estimate of the tests"
for text in 'program.one: no tool' 'two: no library' 'unit (2 times): no root'; do
    grep -qxF "dml: not tested: $text" err.txt || fail "does not say what was not tested: $text"
done
# A second time there is nothing to install, and what there is not is not looked for on the network.
rm updated
touch broken-test
code=0
PATH="$WORK/bin:$PATH" DML_BUILD='' "$TREE/dml" test -R one >out.txt 2>err.txt </dev/null || code=$?
[[ $code == 8 ]] || fail "exit code $code of a test that failed"
[[ $(wc -l <rounds) == 1 ]] || fail "installs again"

echo "fresh: estimates, progress, packages, failures"

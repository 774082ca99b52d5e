#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Valgrind's memcheck finds no error in a study of the engines that simulate, nor in the processes that it forks.
# usage: dml-valgrind-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
command -v valgrind >/dev/null || { echo "skipped: valgrind is not installed"; exit 77; }
! ldd "$PROGRAM" | grep -q libasan || { echo "skipped: AddressSanitizer looks for the same errors"; exit 77; }
# Valgrind has no long double of 80 bits, and never ends the initialisers of the ns-3 of some systems.
status=0
timeout --signal=KILL 40 valgrind -q --leak-check=no "$PROGRAM" --version >/dev/null 2>&1 || status=$?
[[ $status != 137 ]] || { echo "skipped: Valgrind does not get through the start of this system's ns-3"; exit 77; }

shrink
cat >small.yaml <<'END'
replications: 1
job: {profile: tiny.profile.yaml, workers: 2, steps: 1, warmup: 0}
network: {queue: {drop_tail: 64KB}}
END
# A log for each process: a child's exit code need not be its parent's. tcmalloc has one function for new and new[], so
# that freeing never fits allocating.
valgrind -q --leak-check=no --soname-synonyms="somalloc=*tcmalloc*" --show-mismatched-frees=no --error-exitcode=99 \
    --log-file=valgrind-%p.log \
    "$PROGRAM" run small.yaml --engine=fair-share,burst,packet --jobs 1 --out results >out.txt 2>err.txt ||
    fail "exit code $?: $(cat err.txt valgrind-*.log)"
[[ $(ls valgrind-*.log | wc -l) -ge 4 ]] || fail "not in all processes: $(ls)"
[[ -z $(cat valgrind-*.log) ]] || fail "$(cat valgrind-*.log)"
for engine in fair-share burst packet; do
    [[ $(grep -c "^2,$engine," results/steps.csv) == 2 ]] || fail "$engine: $(cat results/steps.csv)"
done
echo "valgrind: no errors"

#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# --help and -h of every command print help and do nothing else, built or not; --version tells what the
# program is made of.
# usage: dml-help-test.sh PROGRAM

set -euo pipefail
PROGRAM=$(readlink -f "$1")
ROOT=${DML_ROOT:-$(dirname "$(readlink -f "$0")")/../..}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'echo "FAILED: line $LINENO: $BASH_COMMAND"' ERR

fail()
{
    echo "FAILED: $*"
    exit 1
}

# A checkout that was never built, on a machine where whoever installs, builds or measures leaves a trace.
TREE=$WORK/tree
mkdir -p "$TREE/program/cli" "$TREE/cmake" "$WORK/bin"
cp "$ROOT/dml" "$ROOT/VERSION" "$TREE"
cp -r "$ROOT/program/cli/help" "$TREE/program/cli"
cp "$ROOT/cmake/dml-sources.cmake" "$TREE/cmake"
for tool in apt-get sudo cmake ninja ctest flock python3 sphinx-build dpkg-query; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/traces"\nexit 1\n' "$tool" "$WORK" >"$WORK/bin/$tool"
    chmod +x "$WORK/bin/$tool"
done
PROGRAM_COMMANDS="run check merge compare certify match init import fit-overhead fit-server order why replay tune optimize memory learn"
COMMANDS="$PROGRAM_COMMANDS bench build test package doc help"

# help FILE ARGUMENT...: exit code 0, the help in FILE, nothing on standard error, nothing done
help()
{
    local file=$1 code=0
    shift
    (cd "$WORK" && PATH="$WORK/bin:$PATH" DML_BUILD='' "$TREE/dml" "$@") >out.txt 2>err.txt </dev/null || code=$?
    [[ $code == 0 && ! -s err.txt ]] || fail "dml $*: exit code $code: $(cat err.txt)"
    [[ -z $file ]] || cmp "$file" out.txt || fail "dml $*: another help"
    [[ ! -e traces ]] || fail "dml $*: did something: $(cat traces)"
}

cd "$WORK"
before=$(find "$TREE" | sort)
for command in $COMMANDS; do
    help "" "$command" --help
    cp out.txt "$command.txt"
    text=$(<out.txt)
    [[ $text =~ ^"dml $command: "[a-z] ]] || fail "the first line of: $text"
    [[ $text == *$'\n'"usage: dml $command"* ]] || fail "no usage in: $text"
    [[ $text != *$'\n'"dml "* ]] || fail "more than one help: $text"
    for arguments in "-h" "x --help" "--no-such-option -h" "--out --help -- x"; do
        # shellcheck disable=SC2086
        help "$command.txt" "$command" $arguments
    done
    help "$command.txt" help "$command"
done
help "" --help
cp out.txt all.txt
for arguments in -h help; do
    help all.txt $arguments
done
[[ $before == "$(find "$TREE" | sort)" ]] || fail "files were made"
text=$(<all.txt)
for command in $COMMANDS; do
    [[ $text =~ $'\n'"  $command "+[a-z] ]] || fail "$command is not listed: $text"
done
! grep -E '^.{81}' ./*.txt || fail "lines of more than 80 columns"

# What follows "--" is not ours: this goes on to the first thing that a run needs.
PATH="$WORK/bin:$PATH" "$TREE/dml" run -- --help >out.txt 2>err.txt </dev/null && fail "run -- --help"
grep -q dpkg-query traces || fail "run -- --help printed help: $(cat out.txt)"
rm -rf traces "$TREE/build"

# Every option that a command takes is in its help.
for command in $PROGRAM_COMMANDS; do
    "$PROGRAM" $command --no-such-option=1 x >out.txt 2>err.txt && fail "$command took --no-such-option"
    "$PROGRAM" $command $([[ $command == order ]] && echo --jobs=1 || echo --policy=tic) x >out.txt 2>err.txt &&
        fail "$command took an option of others"
    for option in $(sed -n "s/.*; accepted: //p" err.txt | tr -d ,); do
        case $command$option in
        run--case | run--study) continue ;; # for the commands that --emit-cases writes
        compare--out | init--out | import--out | optimize--out) option=-o ;;
        esac
        [[ $(<$command.txt) =~ (^|[^a-z-])$option([^a-z-]|$) ]] || fail "$command --help has no $option"
    done
done

"$ROOT/tools/bench" --help | cmp bench.txt - || fail "tools/bench --help: other than that of ./dml bench"

# The program has the same texts, and says the same in an ns-3 tree, where there is no ./dml.
for command in $PROGRAM_COMMANDS help; do
    "$PROGRAM" $command x --help >out.txt 2>err.txt
    cmp $command.txt out.txt || fail "dml $command --help: other than that of ./dml"
done
"$PROGRAM" --help >out.txt
grep -qx '  order         the order of tensors that TIC or TAC finds, and its gain' out.txt || fail "$(cat out.txt)"
! grep -q '^  bench' out.txt || fail "a command that the program does not have"
code=0
"$PROGRAM" help nosuch >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] || fail "help nosuch: exit code $code"
code=0
"$TREE/dml" help nosuch >out.txt 2>err.txt || code=$?
[[ $code == 2 ]] || fail "help nosuch of ./dml: exit code $code"

# Versions: of the build, if there is one; and in the results.
version=$(<"$ROOT/VERSION")
"$PROGRAM" --version >out.txt
grep -qxE "dml   $version( \(commit [A-Za-z0-9./_-]+\))?" out.txt || fail "--version: $(cat out.txt)"
grep -qxE 'ns-3  3[.-][0-9a-z.]+' out.txt || fail "--version: $(cat out.txt)"
grep -qxE 'build [a-z].*' out.txt || fail "--version: $(cat out.txt)"
cp "$ROOT"/test/data/tiny.yaml "$ROOT"/test/data/tiny.profile.yaml .
"$PROGRAM" run tiny.yaml --engine=fair-share --set output.plots=false --out results >run.txt
python3 - "$version" out.txt <<'END'
import json, sys
program = json.load(open("results/summary.json"))["program"]
lines = dict(line.split(None, 1) for line in open(sys.argv[2]).read().splitlines())
assert program["dml"] == sys.argv[1], program
assert program["ns3"] == lines["ns-3"], program
assert program.get("commit", "") == lines["dml"][len(sys.argv[1]):].strip()[8:-1], (program, lines)
END
PATH="$WORK/bin:$PATH" "$TREE/dml" --version >out.txt 2>err.txt </dev/null
grep -qx "dml   $version" out.txt && grep -qx 'build none yet' out.txt || fail "before a build: $(cat out.txt)"
[[ $(cut -d' ' -f1 traces) == dpkg-query ]] || fail "--version did something: $(cat traces)"
mkdir "$TREE/build"
cp "$PROGRAM" "$TREE/build/dml"
LD_LIBRARY_PATH=$(dirname "$PROGRAM") "$TREE/dml" --version >out.txt
"$PROGRAM" --version | cmp - out.txt || fail "--version after a build: $(cat out.txt)"

echo "help: every command, both doors; versions"

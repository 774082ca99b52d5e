#!/usr/bin/env bash
#
# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion in bash offers what the help has.
# usage: dml-completion-test.sh PROGRAM

source "$(dirname "$(readlink -f "$0")")/tiny-study.sh"
# shellcheck source=/dev/null
source "$(dirname "$DATA")/../completion/dml.bash"

# completed WORD...: what is offered for the last one
completed()
{
    COMP_WORDS=("$PROGRAM" "$@")
    COMP_CWORD=$#
    _dml
    echo "${COMPREPLY[*]-}"
}

[[ $(completed com) == compare ]] || fail "com: $(completed com)"
[[ $(completed "") == *"run check merge compare certify match init import"*memory* ]] || fail "commands: $(completed "")"
[[ $(completed run --f) == --force ]] || fail "run --f: $(completed run --f)"
[[ $(completed optimize --) == *--memory*--set* ]] || fail "optimize --: $(completed optimize --)"
[[ $(completed run tiny.y) == tiny.yaml ]] || fail "run tiny.y: $(completed run tiny.y)"
# In Turkish, i is no letter from a to z.
if localedef -i tr_TR -f UTF-8 "$WORK/tr_TR.UTF-8" 2>/dev/null; then
    # it is for sed; bash itself does not find it
    { offered=$(LOCPATH=$WORK LC_ALL=tr_TR.UTF-8 completed in); } 2>/dev/null
    [[ $offered == init ]] || fail "not in Turkish"
else
    echo "skipped: no Turkish locale can be made here"
fi
[[ -z $(completed nonsense --) ]] || fail "nonsense: $(completed nonsense --)"

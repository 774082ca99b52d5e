# Copyright (c) 2026 The dml authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of dml's commands, options and files in bash:  source completion/dml.bash
# What there is to complete comes from the program's own help, so that it cannot be out of date.

_dml()
{
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null | LC_ALL=C sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p')" -- "$word")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help "$command" 2>/dev/null |
            LC_ALL=C sed -nE 's/^  (-o|--[a-z-]+)[= ].*/\1/p; s/^  (--[a-z-]+)$/\1/p')" -- "$word")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
    fi
}
complete -o filenames -F _dml dml ./dml

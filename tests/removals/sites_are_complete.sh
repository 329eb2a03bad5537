#!/bin/bash
# What remove_waits.py found, counted again with grep: a new wait or condition cannot be forgotten.
# sites_are_complete.sh INCLUDE COUNTS
set -euo pipefail
include=$1 counts=$2

table_calls='stream_wait_event|event_record|event_synchronize|stream_synchronize|synchronize_device'
own_calls='wait_for|make_wait|record_end|record_ended|synchronize_work|synchronize_all'
own_calls+='|synchronize_stream|settle|note_record|note_wait|note_passed|note_synchronize|queue_after_host'
# Where conditions count: the ledger, how blocks come and go, and the order of streams.
ledger='memory/(ledger|ledger_state|ledger_word|uses|conflicts|reclaim|give_back|slices|hazard|obtain)'
ledger+='|stream/(order|retire|clock)'

# code FILE: without comments and literals.
code() { sed -E 's/"([^"\\]|\\.)*"/""/g; s://.*$::' "$1"; }

# occurrences WHAT PATTERN: "WHAT n" for the code on standard input, if there are any.
occurrences() {
    local n
    n=$({ grep -oE -- "$2" || true; } | wc -l)
    if ((n > 0)); then echo "$1 $n"; fi
}

# of_calls NAMES BEFORE: each name that is called; what comes after a type and a space declares it.
of_calls() {
    local name text
    text=$(grep -vE "(status|void|bool) ($own_calls)\(" || true)
    for name in ${1//|/ }; do
        occurrences "$name" "$2$name\(" <<<"$text"
    done
}

of_conditions() {
    local text
    text=$(cat)
    occurrences if '\bif \(' <<<"$text"
    occurrences '?' '\?' <<<"$text"
    occurrences '&&' ' &&( |$)' <<<"$text"
    occurrences '||' ' \|\|( |$)' <<<"$text"
}

counted() {
    local file name
    while read -r file; do
        name=${file#"$include"/}
        {
            code "$file" | of_calls "$table_calls" '(\.|->)'
            code "$file" | of_calls "$own_calls" '\b'
            if [[ $name =~ ^devmem/($ledger)\.hpp$ ]]; then
                code "$file" | of_conditions
            elif [[ $name == devmem/memory/pool.hpp ]]; then
                code "$file" | sed -n '/block\* take(/,/^    }/p' | of_conditions
            fi
        } | sed "s|^|$name |"
    done < <(find "$include/devmem" -name '*.hpp' -not -path "$include/devmem/backend/*" -not -name backend.hpp)
}

diff -u --label counted --label found <(counted | sort) <(sort "$counts")
awk '{ n += $3 } END { if (n == 0) exit 1; print n " sites, each found" }' "$counts"

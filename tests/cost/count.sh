#!/bin/bash
# count.sh PROGRAM LIMITS FOLDER: counts the instructions that operations take above the backend's
# part, and compares them with the limits: lines of "what raw limit".
set -euo pipefail

program=$1 limits=$2 folder=$3
readonly few=500 more=1500
# Work is queued and run when nothing is counted any more.
export DEVMEM_SCHEDULER=deferred:0
unset DEVMEM_POISON

if ! command -v valgrind >/dev/null; then
    echo 'SKIPPED: instructions are counted by valgrind, which is not installed'
    exit 77
fi
mkdir -p "$folder"

# collected WHAT TIMES
collected() {
    valgrind --tool=callgrind --toggle-collect=measured --callgrind-out-file="$folder/$1.out" \
        "$program" "$1" "$2" 2>&1 | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# each WHAT: instructions for one
each() { echo $((($(collected "$1" "$more") - $(collected "$1" "$few")) / (more - few))); }

failed=0
while read -r what raw limit; do
    [[ $what == '#'* || -z $what ]] && continue
    all=$(each "$what")
    below=$(each "$raw")
    printf '%s: %d instructions, of these %d in %s; %d above the backend, at most %d\n' \
        "$what" "$all" "$below" "$raw" "$((all - below))" "$limit"
    ((all > below && all - below <= limit)) || failed=1
done <"$limits"
exit "$failed"

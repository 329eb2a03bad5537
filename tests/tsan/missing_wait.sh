#!/bin/bash
# missing_wait.sh PROGRAM: a forgotten wait is seen by the race detector in at least 19 of 20 runs,
# where a container's order is kept by hand in all 20, and a program that forgot none is never
# accused.
set -euo pipefail

program=$1
readonly runs=20 least=19 accused=66
export DEVMEM_CPU_DEVICES=2
export TSAN_OPTIONS="exitcode=$accused atexit_sleep_ms=0 halt_on_error=0 symbolize=0"

# count_accused HOW CASE: in how many of the runs a race was reported.
count_accused() {
    local seen=0 run status
    for ((run = 0; run < runs; ++run)); do
        status=0
        "$program" "$1" "$2" >/dev/null 2>&1 || status=$?
        case $status in
            0) ;;
            "$accused") seen=$((seen + 1)) ;;
            *) printf '%s %s: exit status %d\n' "$1" "$2" "$status" >&2; exit 1 ;;
        esac
    done
    echo "$seen"
}

failed=0
for case in tasks devices algorithm early_event host_reads manual; do
    missing=$(count_accused missing "$case")
    right=$(count_accused right "$case")
    printf '%s: reported in %d of %d runs without the wait, in %d with it\n' \
        "$case" "$missing" "$runs" "$right"
    needed=$least
    [[ $case != manual ]] || needed=$runs
    ((missing >= needed && right == 0)) || failed=1
done
exit "$failed"

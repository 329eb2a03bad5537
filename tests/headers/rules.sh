#!/bin/bash
# rules.sh INCLUDE_DIR: what every header keeps to and no compiler checks.
set -euo pipefail
cd "$1"

status=0
complain() {
    printf '%s\n' "$1" >&2
    status=1
}

# none 'what is wrong' PATTERN GREP_OPTION...: no line of the headers matches. Comments may speak of
# what code may not contain.
none() {
    local what=$1 pattern=$2 found
    shift 2
    found=$(grep -rnE "$@" -- "$pattern" . | grep -vE '^[^:]+:[0-9]+: *//' || true)
    [[ -z $found ]] || complain "$what:
$found"
}

# At most 350 lines: beyond that it is more than one thing.
while read -r lines file; do
    [[ $file == total ]] || ((lines <= 350)) || complain "$file has $lines lines, more than 350"
done < <(find . -type f -exec wc -l {} +)

while read -r file; do
    grep -q '^#pragma once' "$file" || complain "$file has no #pragma once"
done < <(find . -type f)

none 'compiled with or without these, a header must be the same' \
    '^ *# *if.*\b(NDEBUG|_OPENMP|CUDA_API_PER_THREAD_DEFAULT_STREAM)\b'
none 'only config.hpp, backend/ and interop/ may have conditional compilation' \
    '^ *# *(if|ifdef|ifndef|elif)\b' --exclude=config.hpp --exclude-dir=backend --exclude-dir=interop
none 'only backend/cuda.hpp and what is behind it include CUDA headers' \
    '# *include *<cuda' --exclude-dir=interop --exclude=cuda.hpp --exclude-dir=cuda
none 'too dear to include in a header' '# *include *<(iostream|regex|filesystem)>'

exit "$status"

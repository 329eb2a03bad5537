#!/bin/bash
# alone.sh HEADER... -- COMPILER FLAG...
# Compiles one file for each header that includes it twice and nothing else, as many at a time as
# there are cores.
set -euo pipefail

headers=()
while [[ $1 != -- ]]; do
    headers+=("$1")
    shift
done
shift
compile=("$@")

if ! command -v "${compile[0]}" >/dev/null; then
    echo "SKIPPED: ${compile[0]} is not installed"
    exit 77
fi
((${#headers[@]} > 0)) || { echo 'no header to compile' >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sources=()
for header in "${headers[@]}"; do
    source=$work/${header//\//_}.cpp
    printf '#include <%s>\n#include <%s>\n' "$header" "$header" >"$source"
    sources+=("$source")
done

# xargs goes on after a failure, so that one run names every header that does not compile.
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" "${compile[@]}"
echo "${#headers[@]} headers compile alone and twice"

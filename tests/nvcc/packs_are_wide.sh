#!/bin/bash
# packs_are_wide.sh NVCC SOURCE FLAG...: the code of a transform of floats reads and writes 16 bytes
# at a time.
set -euo pipefail
nvcc=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nvcc" -std=c++20 -arch=sm_90 -ptx "$@" -o "$work/code.ptx" "$source"
for access in ld st; do
    grep -E "$access\.global(\.[a-z0-9]+)*\.v4\.[fbu]32" "$work/code.ptx" ||
        { echo "no $access of 16 bytes" >&2; exit 1; }
done

#!/bin/bash
# architectures.sh NVCC SOURCE FLAG...: the source compiles for each of the architectures that devmem
# is made for, without a warning.
set -euo pipefail
nvcc=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for architecture in 75 90 120; do
    "$nvcc" -std=c++20 "-gencode=arch=compute_$architecture,code=sm_$architecture" -c "$@" \
        -o "$work/object.o" "$source"
    echo "sm_$architecture: compiled"
done

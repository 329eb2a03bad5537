#!/bin/bash
# without_driver.sh NVCC SOURCE FLAG...: the README's program, built for CUDA with the real runtime,
# runs wherever it is: on a GPU, and where there is none, or no driver, on the CPU.
set -euo pipefail
nvcc=$1 source=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$nvcc" -std=c++20 --extended-lambda -x cu "$@" -o "$work/program" "$source"
"$work/program" | tee "$work/output"
grep -qxE '(cuda|cpu):0: 9e\+06' "$work/output"

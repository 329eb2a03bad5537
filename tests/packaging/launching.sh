#!/bin/bash
# devmem_add_sources of the installed package: one list of files, by nvcc or as plain C++.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)

configure "$CONSUMER/launching" "$work/plain" "-DCMAKE_PREFIX_PATH=$PREFIX" -DWITH_CUDA=OFF
build_and_test "$work/plain"

needs_cuda
configure "$CONSUMER/launching" "$work/cuda" "-DCMAKE_PREFIX_PATH=$PREFIX" \
    "-DCMAKE_CUDA_ARCHITECTURES=90-virtual"
build_and_test "$work/cuda"

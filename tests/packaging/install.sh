#!/bin/bash
# Installs devmem as a machine without CUDA would, moves the prefix, and removes the build.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)
rm -rf "$PREFIX"

configure "$SOURCE" "$work/build" -DDEVMEM_CUDA_PATH=OFF -DDEVMEM_BUILD_TESTS=OFF \
    -DDEVMEM_BUILD_EXAMPLES=OFF -DDEVMEM_BUILD_BENCH=OFF
cmake --build "$work/build"
cmake --install "$work/build" --prefix "$work/prefix"

mv "$work/prefix" "$PREFIX"
rm -rf "$work"

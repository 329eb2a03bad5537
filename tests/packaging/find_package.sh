#!/bin/bash
# A fresh project finds the package four times, in three folders, and its programs run.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)

configure "$CONSUMER/find_package" "$work" "-DCMAKE_PREFIX_PATH=$PREFIX" | tee "$work.log"
build_and_test "$work"

# devmem::devmem needs threads and nothing else: no CUDA was looked for.
if grep -i cuda "$work/CMakeCache.txt"; then
    fail 'a package without components looked for CUDA'
fi

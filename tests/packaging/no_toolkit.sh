#!/bin/bash
# Where there is no CUDA Toolkit devmem's own tree configures without it, and says one thing when it
# was asked for.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)
hidden=$(hide_toolkit)

configure "$SOURCE" "$work/auto" "$hidden"
if grep '^CMAKE_CUDA_COMPILER' "$work/auto/CMakeCache.txt"; then
    fail 'the CUDA language was enabled without a toolkit'
fi
ctest --test-dir "$work/auto" -R '^cuda\.' | tee "$work/skipped.log"
contains "$work/skipped.log" 'cuda.unavailable (Skipped)'

fails "$work/on.log" configure "$SOURCE" "$work/on" -DDEVMEM_CUDA_PATH=ON "$hidden"
contains "$work/on.log" 'DEVMEM_CUDA_PATH is ON, but no CUDA Toolkit was found'
(($(grep -c '^CMake Error' "$work/on.log") == 1)) || fail 'more than one error'

fails "$work/word.log" configure "$SOURCE" "$work/word" -DDEVMEM_CUDA_PATH=perhaps
contains "$work/word.log" "DEVMEM_CUDA_PATH is 'perhaps'; it takes AUTO, ON or OFF"

#!/bin/bash
# Nothing in the installed package knows where it was built or first installed, and a package of
# headers puts nothing but headers and its CMake files anywhere.
source "$(dirname "$0")/lib.sh"

for place in "$SOURCE" "$WORK"; do
    if grep -rnF -- "$place" "$PREFIX"; then
        fail "the package names $place"
    fi
done

others=$(find "$PREFIX" -type f ! -path "$PREFIX/include/devmem/*" ! -path "$PREFIX/share/cmake/devmem/*")
[[ -z $others ]] || fail "also installed: $others"

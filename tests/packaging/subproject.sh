#!/bin/bash
# A parent takes devmem in, finds nothing of its own changed, builds, tests and installs.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)

take_in() { configure "$CONSUMER/subproject" "$work/$1" "-DDEVMEM_SOURCE=$SOURCE" "${@:2}"; }
installed() { (cd "$work/$1" && find . -type f); }

# By add_subdirectory: the parent's install brings the parent's program alone.
take_in added
build_and_test "$work/added"
cmake --install "$work/added" --prefix "$work/added_prefix"
[[ $(installed added_prefix) == ./bin/parent_program ]] || fail "installed: $(installed added_prefix)"

# In the manner of FetchContent, for a parent that exports a library which needs devmem.
take_in fetched -DHOW=fetch -DDEVMEM_INSTALL=ON
build_and_test "$work/fetched"
cmake --install "$work/fetched" --prefix "$work/fetched_prefix"
for file in share/cmake/devmem/devmemConfig.cmake lib/cmake/parent/parentTargets.cmake \
    include/devmem/devmem.hpp; do
    [[ -f $work/fetched_prefix/$file ]] || fail "not installed: $file"
done
grep -q 'devmem::devmem' "$work/fetched_prefix/lib/cmake/parent/parentTargets.cmake" ||
    fail 'the exported library has lost devmem'

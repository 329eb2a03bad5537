#!/bin/bash
# Files compiled in different ways make one program: linked without a warning, one state, one type.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)

# Every public header is in every file.
for header in "$PREFIX"/include/devmem/*.hpp; do
    printf '#include <devmem/%s>\n' "$(basename "$header")"
done >"$work/every_header.hpp"

request='-DDEVMEM_COMPONENTS='
[[ $HAS_CUDA != TRUE ]] || request+=cuda
configure "$CONSUMER/one_program" "$work/build" "-DCMAKE_PREFIX_PATH=$PREFIX" "-DHEADER_DIR=$work" "$request"
build_and_test "$work/build"

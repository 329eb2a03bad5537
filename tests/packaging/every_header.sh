#!/bin/bash
# Each public header of the installed tree compiles in a file that includes nothing else: what was
# installed is complete.
source "$(dirname "$0")/lib.sh"

cd "$PREFIX/include"
mapfile -t headers < <(find devmem -maxdepth 1 -name '*.hpp' | sort)
if [[ -d devmem/interop ]]; then
    mapfile -t -O "${#headers[@]}" headers < <(find devmem/interop -name '*.hpp' | sort)
fi
"$SOURCE/tests/headers/alone.sh" "${headers[@]}" -- "$CXX" -std=c++20 -fsyntax-only "-I$PREFIX/include"

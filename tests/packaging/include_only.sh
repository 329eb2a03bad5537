#!/bin/bash
# No CMake: a compiler, -I and a program.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)

"$CXX" -std=c++20 -Wall -Wextra -Werror "-I$PREFIX/include" "$CONSUMER/program.cpp" -o "$work/program" -pthread
"$work/program"

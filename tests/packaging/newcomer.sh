#!/bin/bash
# A newcomer's first minute: the program that the README begins with and the two lines of CMake that
# it gives, taken out of the README, in an empty folder, with g++ and CMake and no CUDA Toolkit. It
# prints what the README says. How long that took is told, and judged by nobody.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)
hidden=$(hide_toolkit)
start=$SECONDS

# block LANGUAGE: the README's first block in that language.
block() { awk -v fence="\`\`\`$1" '$0 == fence {on = 1; next} on && /^```/ {exit} on' "$SOURCE/README.md"; }

block cpp >"$work/program.cpp"
grep -q 'int main()' "$work/program.cpp" || fail 'the README begins with no program'
cat >"$work/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.24)
project(newcomer LANGUAGES CXX)
add_executable(program program.cpp)
$(block cmake)
END
grep -q find_package "$work/CMakeLists.txt" || fail 'the README says nothing of find_package'

configure "$work" "$work/build" "-DCMAKE_PREFIX_PATH=$PREFIX" "$hidden"
cmake --build "$work/build"
"$work/build/program" | tee "$work/output"

# As the README has it.
# shellcheck disable=SC2016  # these are backquotes of Markdown
wanted=$(sed -n 's/^Without a GPU this prints `\([^`]*\)`.*/\1/p' "$SOURCE/README.md")
[[ -n $wanted ]] || fail 'the README does not say what its program prints'
[[ $(cat "$work/output") == "$wanted" ]] || fail "the program should print '$wanted'"
printf 'from an empty folder in %d s\n' "$((SECONDS - start))"

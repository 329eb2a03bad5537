#!/bin/bash
# The README's first program and its lines for building it, taken from the README, in an empty
# folder and on a machine without a CUDA Toolkit: they give what the README says. How long that took
# is printed, and judged by nobody.
# shellcheck disable=SC2016 # what is quoted once is the README's text, or is expanded later
source "$(dirname "$0")/lib.sh"
export CXX=g++
unset CMAKE_CXX_COMPILER_LAUNCHER # a cache would tell another time
work=$(fresh_folder)
hidden=$(hide_toolkit)
readme=$SOURCE/README.md

# block LANGUAGE: what is in the README's first fenced block of that language.
block() {
    local text
    text=$(awk -v fence="\`\`\`$1" '
        inside && /^```/ { exit }
        inside
        $0 == fence { inside = 1 }' "$readme")
    [[ -n $text ]] || fail "README.md has no block of $1: give it one, or change packaging.newcomer"
    printf '%s\n' "$text"
}

# phrase REGEX: what is in its parentheses, where README.md matches it, line breaks taken as spaces.
phrase() {
    [[ $(tr '\n' ' ' <"$readme") =~ $1 ]] ||
        fail "README.md does not match '$1': put it back, or change packaging.newcomer"
    printf '%s\n' "${BASH_REMATCH[1]}"
}

# says PROGRAM: it prints what the README says it does.
says() {
    local said
    said=$("$1")
    [[ $said == "$promised" ]] ||
        fail "$1 prints '$said', and README.md says '$promised': correct the one that is wrong"
}

# timed WHAT COMMAND...: runs it, and prints how long that took.
timed() {
    local started milliseconds
    started=$(date +%s%N)
    "${@:2}"
    milliseconds=$((($(date +%s%N) - started) / 1000000))
    printf '%s: %d.%03d s\n' "$1" $((milliseconds / 1000)) $((milliseconds % 1000))
}

by_compiler() {
    (cd "$work" && eval "$compile")
    says "$work/program"
}

by_cmake() {
    (cd "$work/devmem" && eval "$install")
    cmake -S "$work/project" -B "$work/built" "-DCMAKE_PREFIX_PATH=$work/prefix" "$hidden"
    cmake --build "$work/built"
    says "$work/built/program"
}

promised=$(phrase 'Without a GPU this prints `([^`]*)`')
compile=$(phrase '`sh (g[+][+] [^`]*) `')
install=$(phrase 'or install it [(]`([^`]*)`')
link=$(block cmake)
# The reader's own folder, and one thing that the line cannot say: that there is no toolkit.
install=${install/…/\"\$work/prefix\"}
install=${install/cmake -B build/cmake -B build \"\$hidden\"}
[[ $install == *'$work/prefix'* && $install == *'$hidden'* ]] ||
    fail "README.md installs by '$install': change packaging.newcomer with it"

# What the reader has: devmem, the program, and a project around the README's lines.
mkdir "$work/devmem" "$work/project"
cp -r "$SOURCE"/{CMakeLists.txt,LICENSE,cmake,include} "$work/devmem"
block cpp | tee "$work/program.cpp" >"$work/project/program.cpp"
cat >"$work/project/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.24)
project(newcomer LANGUAGES CXX)
add_executable(program program.cpp)
$link
END

timed 'the README by its compiler line' by_compiler
timed 'the README by CMake, installing included' by_cmake
if grep -i nvcc "$work/devmem/build/CMakeCache.txt" | grep -v NOTFOUND; then
    fail 'a CUDA Toolkit was found, though it was to be hidden'
fi

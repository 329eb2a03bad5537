# shellcheck shell=bash
# Shared by the packaging tests. From CTest: CXX, CMAKE_GENERATOR, SOURCE (devmem's tree), WORK (a
# folder for all of them), HAS_CUDA and NO_CUDA_REASON.
set -euo pipefail

# shellcheck disable=SC2034 # used by those that source this file
CONSUMER=$SOURCE/tests/consumer
# Not where it was installed, and with a space, which is where quoting shows.
# shellcheck disable=SC2034
PREFIX="$WORK/moved prefix"

# A folder of this test alone, empty.
fresh_folder() {
    local folder
    folder=$WORK/$(basename "$0" .sh)
    rm -rf "$folder"
    mkdir -p "$folder"
    printf '%s\n' "$folder"
}

fail() {
    printf '%s\n' "$1" >&2
    exit 1
}

skip() {
    printf 'SKIPPED: %s\n' "$1"
    exit 77
}

needs_cuda() { [[ $HAS_CUDA == TRUE ]] || skip "$NO_CUDA_REASON"; }

# contains FILE TEXT: CMake wraps its messages, so line breaks and indentation count as one space.
contains() {
    local text
    text=$(tr -s ' \n' '  ' <"$1")
    [[ $text == *"$2"* ]] || { cat "$1" >&2; fail "not said: $2"; }
}

# fails LOG COMMAND...: the command fails, and says why in LOG.
fails() {
    local log=$1
    shift
    ! "$@" >"$log" 2>&1 || { cat "$log" >&2; fail "should have failed: $*"; }
}

configure() { cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Debug "${@:3}"; }

build_and_test() {
    cmake --build "$1"
    ctest --test-dir "$1" --output-on-failure --no-tests=error
}

# Prints the option that hides every CUDA Toolkit of this machine from CMake.
hide_toolkit() {
    local nvcc folders=/usr/local/cuda/bin
    for nvcc in $(type -ap nvcc) /usr/local/cuda*/bin/nvcc; do
        folders+=";$(dirname "$nvcc");$(dirname "$(readlink -f "$nvcc")")"
    done
    [[ ";$folders;" != *";$(dirname "$(command -v "$CXX")");"* ]] ||
        skip 'nvcc lies beside the compiler, so it cannot be hidden'
    printf '%s\n' "-DCMAKE_IGNORE_PATH=$folders"
}

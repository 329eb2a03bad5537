# shellcheck shell=bash
# Sourced by the scripts: packages, quiet steps, and the figures of a test run.
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
JOBS=$(nproc)
export CMAKE_BUILD_PARALLEL_LEVEL=$JOBS CTEST_PARALLEL_LEVEL=$JOBS

# A compiler cache is used where there is one. Paths are taken relative to the tree, so that a
# second clone profits from the first.
if command -v ccache >/dev/null; then
    export CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=1
fi

die() {
    printf '%s\n' "$1" >&2
    exit 1
}

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# Without a password or, at a terminal, with one.
may_use_sudo() { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; }; }

# need_packages NAME...: installs what is missing, or prints the line that would.
need_packages() {
    local name missing=() line=(apt-get install -y --no-install-recommends) sudo=()
    if ! command -v apt-get >/dev/null; then
        echo "not a Debian system: relying on your own $*"
        return
    fi
    for name in "$@"; do
        is_installed "$name" || missing+=("$name")
    done
    ((${#missing[@]} > 0)) || return 0

    line+=("${missing[@]}")
    if ((EUID != 0)); then
        may_use_sudo || die "Packages are missing. Install them, then run this again:
    sudo apt-get update && sudo ${line[*]}"
        sudo=(sudo)
    fi
    "${sudo[@]}" apt-get update
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive "${line[@]}"
}

# quietly LOG COMMAND...: the output goes to LOG, and to the terminal only if the command fails.
quietly() {
    local log=$1
    shift
    mkdir -p "$(dirname "$log")"
    "$@" >"$log" 2>&1 || { cat "$log" >&2; die "failed: $*"; }
}

# run_tests BUILD CTEST_OPTION...: leaves what happened in BUILD/tests.xml, the output of tests that
# passed included, since that says what was skipped and why.
run_tests() {
    local build=$1
    shift
    ctest --test-dir "$build" --output-on-failure --no-tests=error --output-junit tests.xml \
        --test-output-size-passed 1000000 "$@"
}

# summary BUILD: how many tests of each path ran and were skipped, with the reasons.
# counts BUILD: "passed failed skipped", in CTest's tests.
summary() { awk -v mode=summary -f "$ROOT/scripts/summary.awk" "$1/tests.xml"; }
counts() { awk -v mode=counts -f "$ROOT/scripts/summary.awk" "$1/tests.xml"; }

#!/bin/bash
# compile_fail.sh SOURCE COMPILER FLAG...
# The source compiles as it stands. With -DDEVMEM_FAIL=n it must not, for the reason that its n-th
# line "// expected: <regex>" gives: a file that fails for another reason proves nothing.
set -euo pipefail

source=$1
shift
compile=("$@" "$source")

fail() {
    printf '%s: %s\n' "$source" "$1" >&2
    exit 1
}

mapfile -t expected < <(sed -n 's|^ *// expected: ||p' "$source")
((${#expected[@]} > 0)) || fail 'no line "// expected: <regex>"'

"${compile[@]}" || fail 'the twin that should compile does not'

for index in "${!expected[@]}"; do
    number=$((index + 1))
    if output=$("${compile[@]}" "-DDEVMEM_FAIL=$number" 2>&1); then
        fail "compiles with DEVMEM_FAIL=$number"
    fi
    # The compiler quotes source lines, and so its own expectation: those are not the message. All
    # of it is read: a grep that left early would make the one before it fail.
    if ! grep -v '// expected:' <<<"$output" | grep -E -- "${expected[index]}" >/dev/null; then
        printf '%s\n' "$output" >&2
        fail "with DEVMEM_FAIL=$number no message matches: ${expected[index]}"
    fi
done

#!/bin/bash
# A version that this one cannot stand in for is refused; its own is accepted.
source "$(dirname "$0")/lib.sh"
work=$(fresh_folder)

part() { sed -n "s/^#define DEVMEM_VERSION_$1 //p" "$PREFIX/include/devmem/version.hpp"; }
major=$(part MAJOR) minor=$(part MINOR) patch=$(part PATCH)

ask() {
    configure "$CONSUMER/component" "$work/$1" "-DCMAKE_PREFIX_PATH=$PREFIX" "-DDEVMEM_REQUEST=$1;REQUIRED"
}

for wanted in "$major.$minor.$patch" "$major.$minor"; do
    ask "$wanted" >"$work/$wanted.log" 2>&1 || { cat "$work/$wanted.log"; fail "$wanted refused"; }
done
for wanted in "$major.$((minor + 1))" "$((major + 1)).0" "$((major + 1)).$minor.$patch"; do
    fails "$work/$wanted.log" ask "$wanted"
    contains "$work/$wanted.log" "compatible with requested version \"$wanted\""
    contains "$work/$wanted.log" "version: $major.$minor.$patch"
done

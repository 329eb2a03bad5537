#!/bin/bash
# Every program gets exactly the CUDA runtime that it or its project chose, never two.
source "$(dirname "$0")/lib.sh"
needs_cuda
work=$(fresh_folder)

configure "$CONSUMER/cuda_runtime" "$work" "-DCMAKE_PREFIX_PATH=$PREFIX"
build_and_test "$work"
configure "$CONSUMER/cuda_flags" "$work/flags" "-DCMAKE_PREFIX_PATH=$PREFIX" \
    -DCMAKE_CUDA_FLAGS=--cudart=shared
build_and_test "$work/flags"

# runtime PROGRAM: which runtimes it holds; the static one is there as code of its own.
runtime() {
    local found=()
    if readelf -dW "$work/$1" | grep 'NEEDED.*libcudart\.so' >&2; then found+=(shared); fi
    if nm "$work/$1" | grep ' [Tt] cudaGetDeviceCount$' >&2; then found+=(static); fi
    printf '%s\n' "${found[*]:-none}"
}

expect() {
    local found
    found=$(runtime "$1")
    [[ $found == "$2" ]] || fail "$1 has the CUDA runtime '$found', not '$2'"
}

expect cxx_default static
expect cxx_shared shared
expect cxx_static static
expect cuda_default static
expect cuda_static static
expect cuda_shared shared
expect cxx_beside_cuda static
expect mixed_static static
expect mixed_shared shared
expect cxx_none none
expect flags/flag_cuda shared
expect flags/flag_mixed shared

/// \file
/// What the calls of CUB have in common: functors that give exactly one type, and one piece of
/// memory for several purposes.
#pragma once

#include <devmem/backend/cuda/scope.hpp>
#include <devmem/backend/device_call.hpp>
#include <devmem/config.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// `op`, converted to T, so that CUB accumulates in T and nothing wider.
template <class T, class Op>
struct joining {
    Op op;
    DEVMEM_HD T operator()(const T& a, const T& b) const { return static_cast<T>(op(a, b)); }
};

template <class Result>
struct converting {
    template <class T>
    DEVMEM_HD Result operator()(const T& x) const {
        return static_cast<Result>(x);
    }
};

/// `f`, of which CUB wants a bool.
template <class F>
struct answering {
    F f;
    template <class... T>
    DEVMEM_HD bool operator()(const T&... x) const {
        return static_cast<bool>(f(x...));
    }
};

/// Memory for `n` values of T before what CUB needs: `call(values, scratch, bytes)` with both null
/// says how much that is.
template <class T, class Call>
cudaError_t with_values(const device_call& at, std::size_t n, const Call& call) noexcept {
    const std::size_t own =
        (n * sizeof(T) + block_alignment - 1) / block_alignment * block_alignment;
    if (at.scratch == nullptr) {
        std::size_t rest = 0;
        const cudaError_t r = call(static_cast<T*>(nullptr), nullptr, rest);
        *at.bytes = own + rest;
        return r;
    }
    std::size_t rest = *at.bytes - own;
    return call(static_cast<T*>(at.scratch), static_cast<std::byte*>(at.scratch) + own, rest);
}

inline cudaStream_t stream_of(const device_call& at) noexcept {
    return static_cast<cudaStream_t>(at.stream);
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

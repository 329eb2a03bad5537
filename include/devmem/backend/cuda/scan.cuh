/// \file
/// Scans of a GPU, by CUB.
#pragma once

#include <devmem/backend/cuda/cub_calls.cuh>

#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Exclusive where `init` is a T. `out` may be `in`.
template <class T, class Init, class Op>
status device_scan(const device_call& at, const T* in, std::size_t n, T* out, const Init& init,
                   const Op& op) noexcept {
    static_assert(std::is_default_constructible_v<T>,
                  "scans on a GPU need elements with a default constructor");
    return on_cuda(at.where, [&](const auto&) noexcept {
        const joining<T, Op> join{op};
        if constexpr (std::is_same_v<Init, T>) {
            return cub::DeviceScan::ExclusiveScan(at.scratch, *at.bytes, in, out, join, init, n,
                                                  stream_of(at));
        } else {
            return cub::DeviceScan::InclusiveScan(at.scratch, *at.bytes, in, out, join, n,
                                                  stream_of(at));
        }
    });
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

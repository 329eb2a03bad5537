/// \file
/// Reductions of a GPU, by CUB.
#pragma once

#include <devmem/backend/cuda/cub_calls.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <cub/device/device_reduce.cuh>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// `op(init, load(0), …, load(n - 1))` to `*result`, as Result.
template <class Load, class T, class Op, class Result>
status device_reduce(const device_call& at, const Load& load, std::size_t n, const T& init,
                     const Op& op, Result* result) noexcept {
    const auto in =
        thrust::make_transform_iterator(thrust::counting_iterator<std::size_t>(0), load);
    const auto out = thrust::make_transform_output_iterator(result, converting<Result>{});
    return on_cuda(at.where, [&](const auto&) noexcept {
        return cub::DeviceReduce::Reduce(at.scratch, *at.bytes, in, out, n, joining<T, Op>{op},
                                         init, stream_of(at));
    });
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

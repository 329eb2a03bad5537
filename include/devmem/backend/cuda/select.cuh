/// \file
/// Selections of a GPU, by CUB.
#pragma once

#include <devmem/backend/cuda/cub_calls.cuh>

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <cub/device/device_select.cuh>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Whether an element is not like the one before it.
template <class T, class F>
struct begins_anew {
    const T* data;
    F equal;
    DEVMEM_HD bool operator()(std::size_t i) const {
        return i == 0 || !static_cast<bool>(equal(data[i - 1], data[i]));
    }
};

template <class T>
struct element_at {
    const T* data;
    DEVMEM_HD const T& operator()(std::size_t i) const { return data[i]; }
};

inline cudaError_t count_nothing(const device_call& at, void* count, std::size_t size) noexcept {
    *at.bytes = at.scratch == nullptr ? 1 : *at.bytes;
    return at.scratch == nullptr ? cudaSuccess : cudaMemsetAsync(count, 0, size, stream_of(at));
}

/// Those that `pred` is true for, to `out`, which may be `in`; how many to `*count`.
template <class T, class F, class Count>
status device_copy_if(const device_call& at, const T* in, std::size_t n, T* out, const F& pred,
                      Count* count) noexcept {
    return on_cuda(at.where, [&](const auto&) noexcept {
        const answering<F> keeps{pred};
        if (n == 0) return count_nothing(at, count, sizeof(Count));
        if (in == out) {
            return cub::DeviceSelect::If(at.scratch, *at.bytes, out, count,
                                         static_cast<std::ptrdiff_t>(n), keeps, stream_of(at));
        }
        return cub::DeviceSelect::If(at.scratch, *at.bytes, in, out, count,
                                     static_cast<std::ptrdiff_t>(n), keeps, stream_of(at));
    });
}

/// The first of neighbours that are `equal`, to the beginning; how many to `*count`. CUB's own form
/// knows no other equality than `==`, and does not work in place.
template <class T, class F, class Count>
status device_unique(const device_call& at, T* data, std::size_t n, const F& equal,
                     Count* count) noexcept {
    return on_cuda(at.where, [&](const auto&) noexcept {
        if (n == 0) return count_nothing(at, count, sizeof(Count));
        return with_values<T>(at, n, [&](T* copy, void* scratch, std::size_t& bytes) noexcept {
            if (copy != nullptr) {
                const cudaError_t r = cudaMemcpyAsync(copy, data, n * sizeof(T),
                                                      cudaMemcpyDeviceToDevice, stream_of(at));
                if (r != cudaSuccess) return r;
            }
            const auto out = thrust::make_transform_output_iterator(data, element_at<T>{copy});
            return cub::DeviceSelect::If(scratch, bytes, thrust::counting_iterator<std::size_t>(0),
                                         out, count, static_cast<std::ptrdiff_t>(n),
                                         begins_anew<T, F>{copy, equal}, stream_of(at));
        });
    });
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

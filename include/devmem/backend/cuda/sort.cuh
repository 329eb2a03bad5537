/// \file
/// Stable sorts of a GPU, by CUB: integers by their digits, all else by merging.
#pragma once

#include <devmem/backend/cuda/cub_calls.cuh>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

template <class T>
cudaError_t bring_home(const cub::DoubleBuffer<T>& sorted, T* home, std::size_t n,
                       cudaStream_t stream) noexcept {
    const T* const found = sorted.d_buffers[sorted.selector];
    if (found == home) return cudaSuccess;
    return cudaMemcpyAsync(home, found, n * sizeof(T), cudaMemcpyDeviceToDevice, stream);
}

/// Integers, in the order of their values.
template <class K>
status device_sort_integers(const device_call& at, K* keys, std::size_t n) noexcept {
    return on_cuda(at.where, [&](const auto&) noexcept {
        return with_values<K>(at, n, [&](K* other, void* scratch, std::size_t& bytes) noexcept {
            cub::DoubleBuffer<K> both(keys, other);
            const cudaError_t r = cub::DeviceRadixSort::SortKeys(
                scratch, bytes, both, n, 0, static_cast<int>(8 * sizeof(K)), stream_of(at));
            if (scratch == nullptr || r != cudaSuccess) return r;
            return bring_home(both, keys, n, stream_of(at));
        });
    });
}

/// Keys in the order of `less`.
template <class K, class Less>
status device_sort(const device_call& at, K* keys, std::size_t n, const Less& less) noexcept {
    static_assert(std::is_default_constructible_v<K>,
                  "sorts on a GPU need elements with a default constructor");
    return on_cuda(at.where, [&](const auto&) noexcept {
        return cub::DeviceMergeSort::StableSortKeys(at.scratch, *at.bytes, keys, n,
                                                    answering<Less>{less}, stream_of(at));
    });
}

/// Keys in the order of `less`, and the values with them.
template <class K, class V, class Less>
status device_sort_pairs(const device_call& at, K* keys, V* values, std::size_t n,
                         const Less& less) noexcept {
    static_assert(std::is_default_constructible_v<K> && std::is_default_constructible_v<V>,
                  "sorts on a GPU need elements with a default constructor");
    return on_cuda(at.where, [&](const auto&) noexcept {
        return cub::DeviceMergeSort::StableSortPairs(at.scratch, *at.bytes, keys, values, n,
                                                     answering<Less>{less}, stream_of(at));
    });
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

/// \file
/// Which way rows are sorted: numbers by their bytes, all else by comparisons.
#pragma once

#include <devmem/algorithm/merge_sort.hpp>
#include <devmem/algorithm/radix_sort.hpp>
#include <devmem/algorithm/task.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// On a worker.
template <class Rows, class Less>
void sort_rows(const Rows& data, std::size_t n, const Less& less) {
    using key = typename Rows::key_type;
    constexpr bool by_value = std::is_same_v<Less, devmem::less>;
    if constexpr (by_value && has_radix_key<key>) {
        if (n < radix_least) return merge_sort(data, n, by_radix_key{});
        radix_sorter<Rows>(data, n).sort();
    } else if constexpr (by_value && std::is_floating_point_v<key>) {
        merge_sort(data, n, nan_last{});
    } else {
        merge_sort(data, n, less);
    }
}

/// The order in which a GPU compares keys.
template <class K, class Less>
auto device_order(const Less& less) {
    if constexpr (std::is_same_v<Less, devmem::less> && std::is_floating_point_v<K>) {
        return nan_last{};
    } else {
        return less;
    }
}

/// Queues a sort of `n` rows.
template <class K, class V, class Less>
void queue_sort(stream_state& on, const rows<K, V>& data, std::size_t n, const Less& less,
                const call_site& operation) {
    queue_task(
        on, n > 1, [data, n, less] { sort_rows(data, n, less); },
        [&](const auto& at) {
            if constexpr (!std::is_void_v<V>) {
                return device_sort_pairs(at, data.keys, data.values, n, device_order<K>(less));
            } else if constexpr (std::is_same_v<Less, devmem::less> && std::is_integral_v<K> &&
                                 has_radix_key<K>) {
                return device_sort_integers(at, data.keys, n);
            } else {
                return device_sort(at, data.keys, n, device_order<K>(less));
            }
        },
        operation);
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

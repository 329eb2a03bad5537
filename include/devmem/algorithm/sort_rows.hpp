/// \file
/// Which way rows are sorted: numbers by their bytes, all else by comparisons.
#pragma once

#include <devmem/algorithm/merge_sort.hpp>
#include <devmem/algorithm/radix_sort.hpp>
#include <devmem/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail {

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

}  // namespace devmem::inline v0::detail

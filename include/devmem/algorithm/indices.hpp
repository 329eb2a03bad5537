/// \file
/// Loops over indices that may be wrong.
#pragma once

#include <devmem/algorithm/functor.hpp>

#include <concepts>
#include <cstddef>

namespace devmem::inline v0::detail {

/// Negative ones become larger than any range.
template <std::integral Index>
constexpr std::size_t position(Index index) noexcept {
    return static_cast<std::size_t>(index);
}

/// Names the first index that is not within `size` elements.
template <class Index>
[[noreturn]] void throw_bad_index(operand<const Index> indices, std::size_t size,
                                  const call_site& operation) {
    std::size_t at = 0;
    while (at + 1 < indices.size && position(indices.data[at]) < size) ++at;
    const Index index = indices.data[at];
    text<160> message;
    if (index < Index{}) {
        message.add("index %lld", static_cast<long long>(index));
    } else {
        message.add("index %llu", static_cast<unsigned long long>(index));
    }
    message.add(" at position %zu is not within the %zu elements", at, size);
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

/// On a worker, by the team: `move(i, indices[i])` for each i, in no order.
/// @throws invalid_argument when an index is not within `size` elements; `move` has not been called
/// for it, and not for some others
template <class Index, class Move>
void for_each_pair(operand<const Index> indices, std::size_t size, const Move& move,
                   const call_site& operation) {
    atomic<bool> is_wrong{false};
    engine().helpers().run(indices.size, loop_grain,
                           [&, indices, size](std::size_t begin, std::size_t end) {
                               const Index* const which = indices.data;
                               const Move mine = move;
                               for (std::size_t i = begin; i < end; ++i) {
                                   const std::size_t to = position(which[i]);
                                   if (to >= size) [[unlikely]] {
                                       is_wrong.store_relaxed(true);
                                       return;
                                   }
                                   mine(i, to);
                               }
                           });
    // Looked for once more, so that the one that is named does not depend on the threads.
    if (is_wrong.load_relaxed()) throw_bad_index(indices, size, operation);
}

}  // namespace devmem::inline v0::detail

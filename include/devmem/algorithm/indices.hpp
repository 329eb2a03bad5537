/// \file
/// Loops over indices that may be wrong.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/loop.hpp>
#include <devmem/config.hpp>
#include <devmem/device_buffer.hpp>
#include <devmem/pinned_buffer.hpp>

#include <concepts>
#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

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

/// What a GPU has noted: the first position whose index is wrong, or this where none is.
inline constexpr std::size_t none_is_wrong = ~std::size_t{0};

[[noreturn]] inline void throw_bad_position(std::size_t at, std::size_t size,
                                            const call_site& operation) {
    text<128> message;
    message.add("the index at position %zu is not within the %zu elements", at, size);
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

/// On a GPU. A host function at the end looks at what was noted, and throws in the stream's next
/// `synchronize`. @pre some indices
template <class Index, class Move>
void queue_pairs_on_device(stream_state& on, operand<const Index> indices, std::size_t size,
                           const Move& move, const call_site& operation) {
    const auto succeed = [&](status s) { check(s, operation, *on.table, on.where); };
    device_buffer noted(sizeof(std::size_t), uninitialized, stream_view(on));
    pinned_buffer<std::size_t> seen(1, uninitialized, stream_view(on));
    const auto noting = writing(on, noted, operation);
    const auto seeing = writing(on, seen, operation);
    auto* const first = reinterpret_cast<std::size_t*>(noting.elements().data);
    std::size_t* const found = seeing.elements().data;
    succeed(on.table->fill_async(on.where, on.handle, first, &none_is_wrong, sizeof *first, 1));
    succeed(
        launch_checked_pairs(on.where, on.handle, indices.data, indices.size, size, move, first));
    succeed(on.table->copy_async(on.where, on.handle, found, first, sizeof *first));
    queue_on_host(
        on,
        [found, size, operation] {
            if (*found != none_is_wrong) throw_bad_position(*found, size, operation);
        },
        operation);
}

/// Queues `move(i, indices[i])` for each i, in no order. By the stream's next `synchronize`:
/// @throws invalid_argument when an index is not within `size` elements
template <class Index, class Move>
void queue_pairs(stream_state& on, operand<const Index> indices, std::size_t size, const Move& move,
                 const call_site& operation) {
    if (on.where.kind() == device_kind::cpu) {
        if (indices.size == 0) return;
        queue_on_host(
            on, [=] { for_each_pair(indices, size, move, operation); }, operation);
    } else if constexpr (has_kernels) {
        if (indices.size != 0) queue_pairs_on_device(on, indices, size, move, operation);
    } else {
        throw_no_kernels(on.where, operation);
    }
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

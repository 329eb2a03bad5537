/// \file
/// Reduction by a tree that depends on the number of elements only, so that its result has the
/// same bits whatever the number of threads.
#pragma once

#include <devmem/algorithm/operand.hpp>
#include <devmem/algorithm/scratch.hpp>

#include <cstddef>
#include <cstring>

namespace devmem::inline v0::detail {

/// Leaves of the tree: so many elements are reduced by one thread, in `tree_lanes` interleaved
/// sums, which a compiler turns into vector instructions.
inline constexpr std::size_t tree_leaf = 4096;
inline constexpr std::size_t tree_lanes = 32;

/// Pairs neighbours until one is left. @pre n > 0
template <class T, class Op>
T reduce_pairs(T* values, std::size_t n, const Op& op) {
    while (n > 1) {
        const std::size_t pairs = n / 2;
        for (std::size_t i = 0; i < pairs; ++i) {
            values[i] = static_cast<T>(op(values[2 * i], values[2 * i + 1]));
        }
        if (n % 2 != 0) values[pairs] = values[n - 1];
        n = pairs + n % 2;
    }
    return values[0];
}

/// @pre 0 < n <= tree_leaf
template <class T, class Op>
T reduce_leaf(const T* values, std::size_t n, const Op& op) {
    alignas(64) alignas(T) std::byte bytes[tree_lanes * sizeof(T)];
    T* const lanes = reinterpret_cast<T*>(bytes);
    const std::size_t used = n < tree_lanes ? n : tree_lanes;
    std::memcpy(bytes, values, used * sizeof(T));
    std::size_t at = used;
    for (; at + tree_lanes <= n; at += tree_lanes) {
        DEVMEM_INDEPENDENT_ITERATIONS
        for (std::size_t lane = 0; lane < tree_lanes; ++lane) {
            lanes[lane] = static_cast<T>(op(lanes[lane], values[at + lane]));
        }
    }
    for (std::size_t lane = 0; at < n; ++lane, ++at) {
        lanes[lane] = static_cast<T>(op(lanes[lane], values[at]));
    }
    return reduce_pairs(lanes, used, op);
}

/// On a worker: the leaves by the team, their values by this thread. @pre n > 0
template <class T, class Op>
T reduce_tree(const T* values, std::size_t n, const Op& op) {
    if (n <= tree_leaf) return reduce_leaf(values, n, op);
    const std::size_t leaves = (n - 1) / tree_leaf + 1;
    const scratch<T> results(leaves);
    engine().helpers().run(leaves, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t leaf = begin; leaf < end; ++leaf) {
            const std::size_t from = leaf * tree_leaf;
            const std::size_t size = n - from < tree_leaf ? n - from : tree_leaf;
            results.data()[leaf] = reduce_leaf(values + from, size, op);
        }
    });
    return reduce_pairs(results.data(), leaves, op);
}

/// Queues a reduction; `*result` is written in the order of the stream.
template <class T, class Op>
void queue_reduction(stream_state& on, operand<const T> in, T init, const Op& op, T* result,
                     const call_site& operation) {
    queue_loop(
        on, 1, 1,
        [in, init, op, result](std::size_t, std::size_t) {
            *result =
                in.size == 0 ? init : static_cast<T>(op(init, reduce_tree(in.data, in.size, op)));
        },
        operation);
}

}  // namespace devmem::inline v0::detail

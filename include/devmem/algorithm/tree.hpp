/// \file
/// Reduction by a tree that depends on the number of elements only, so that its result has the
/// same bits whatever the number of threads.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/scratch.hpp>
#include <devmem/algorithm/task.hpp>
#include <devmem/config.hpp>

#include <cstddef>
#include <new>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Leaves of the tree: so many elements are reduced by one thread, in `tree_lanes` interleaved
/// sums, which a compiler turns into vector instructions.
inline constexpr std::size_t tree_leaf = 4096;
inline constexpr std::size_t tree_lanes = 32;

/// The values of a range, for a tree.
template <class T>
struct element_loader {
    const T* data;
    DEVMEM_HD const T& operator()(std::size_t i) const noexcept { return data[i]; }
};

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

/// The values `load(first)` to `load(first + n - 1)`. @pre 0 < n <= tree_leaf
template <class T, class Load, class Op>
T reduce_leaf(const Load& load, std::size_t first, std::size_t n, const Op& op) {
    alignas(64) alignas(T) std::byte bytes[tree_lanes * sizeof(T)];
    T* const lanes = reinterpret_cast<T*>(bytes);
    const std::size_t used = n < tree_lanes ? n : tree_lanes;
    for (std::size_t lane = 0; lane < used; ++lane) {
        ::new (static_cast<void*>(lanes + lane)) T(load(first + lane));
    }
    std::size_t at = used;
    for (; at + tree_lanes <= n; at += tree_lanes) {
        DEVMEM_INDEPENDENT_ITERATIONS
        for (std::size_t lane = 0; lane < tree_lanes; ++lane) {
            lanes[lane] = static_cast<T>(op(lanes[lane], load(first + at + lane)));
        }
    }
    for (std::size_t lane = 0; at < n; ++lane, ++at) {
        lanes[lane] = static_cast<T>(op(lanes[lane], load(first + at)));
    }
    return reduce_pairs(lanes, used, op);
}

/// On a worker: the leaves by the team, their values by this thread. @pre n > 0
template <class T, class Load, class Op>
T reduce_tree(const Load& load, std::size_t n, const Op& op) {
    if (n <= tree_leaf) return reduce_leaf<T>(load, 0, n, op);
    const std::size_t leaves = (n - 1) / tree_leaf + 1;
    const scratch<T> results(leaves);
    engine().helpers().run(leaves, 8, [&](std::size_t begin, std::size_t end) {
        for (std::size_t leaf = begin; leaf < end; ++leaf) {
            const std::size_t from = leaf * tree_leaf;
            const std::size_t size = n - from < tree_leaf ? n - from : tree_leaf;
            ::new (static_cast<void*>(results.data() + leaf))
                T(reduce_leaf<T>(load, from, size, op));
        }
    });
    return reduce_pairs(results.data(), leaves, op);
}

/// Queues `op(init, load(0), …, load(n - 1))`, written to `*result` in stream order.
template <class T, class Load, class Op, class Result>
void queue_reduction(stream_state& on, const Load& load, std::size_t n, const T& init, const Op& op,
                     Result* result, const call_site& operation) {
    queue_task(
        on, true,
        [load, n, init, op, result] {
            *result = static_cast<Result>(
                n == 0 ? init : static_cast<T>(op(init, reduce_tree<T>(load, n, op))));
        },
        [&](const auto& at) { return device_reduce(at, load, n, init, op, result); }, operation);
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

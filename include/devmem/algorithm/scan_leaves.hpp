/// \file
/// Scans by a tree that depends on the number of elements only, so that their results have the same
/// bits whatever the number of threads.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/scratch.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail {

/// So many elements are joined one after the other. Four such leaves are worked on at a time: each
/// join waits for the one before it in its leaf, and those of different leaves overlap.
inline constexpr std::size_t scan_leaf = 512;

/// What an inclusive scan begins with.
struct no_init {};

template <class Init>
inline constexpr bool is_exclusive = !std::is_same_v<Init, no_init>;

/// Puts out what belongs beside `in`, and returns what comes after it. They may be one object.
template <bool Exclusive, class T, class Op>
T scan_step(const T& before, const T* in, T* out, const Op& op) {
    const T after = static_cast<T>(op(before, *in));
    *out = Exclusive ? before : after;
    return after;
}

/// The total of one leaf. @pre n > 0
template <class T, class Op>
T total_of_leaf(const T* in, std::size_t n, const Op& op) {
    T total = in[0];
    for (std::size_t i = 1; i < n; ++i) total = static_cast<T>(op(total, in[i]));
    return total;
}

/// The totals of four whole leaves.
template <class T, class Op>
void total_four_leaves(const T* in, T* totals, const Op& op) {
    const T* const ins[] = {in, in + scan_leaf, in + 2 * scan_leaf, in + 3 * scan_leaf};
    T a = ins[0][0];
    T b = ins[1][0];
    T c = ins[2][0];
    T d = ins[3][0];
    for (std::size_t i = 1; i < scan_leaf; ++i) {
        a = static_cast<T>(op(a, ins[0][i]));
        b = static_cast<T>(op(b, ins[1][i]));
        c = static_cast<T>(op(c, ins[2][i]));
        d = static_cast<T>(op(d, ins[3][i]));
    }
    totals[0] = a;
    totals[1] = b;
    totals[2] = c;
    totals[3] = d;
}

template <bool Exclusive, class T, class Op>
void scan_one_leaf(T before, const T* in, std::size_t n, T* out, const Op& op) {
    for (std::size_t i = 0; i < n; ++i) {
        before = scan_step<Exclusive>(before, in + i, out + i, op);
    }
}

template <bool Exclusive, class T, class Op>
void scan_four_leaves(const T* before, const T* in, T* out, const Op& op) {
    T a = before[0];
    T b = before[1];
    T c = before[2];
    T d = before[3];
    for (std::size_t i = 0; i < scan_leaf; ++i) {
        const T* const x = in + i;
        T* const y = out + i;
        a = scan_step<Exclusive>(a, x, y, op);
        b = scan_step<Exclusive>(b, x + scan_leaf, y + scan_leaf, op);
        c = scan_step<Exclusive>(c, x + 2 * scan_leaf, y + 2 * scan_leaf, op);
        d = scan_step<Exclusive>(d, x + 3 * scan_leaf, y + 3 * scan_leaf, op);
    }
}

/// The first leaf, which nothing comes before in an inclusive scan. @pre n > 0
template <class T, class Init, class Op>
void scan_first_leaf(const T* in, std::size_t n, T* out, const Init& init, const Op& op) {
    if constexpr (is_exclusive<Init>) {
        scan_one_leaf<true>(init, in, n, out, op);
    } else {
        const T first = in[0];
        out[0] = first;
        scan_one_leaf<false>(first, in + 1, n - 1, out + 1, op);
    }
}

/// What comes before each leaf but the first, in `before[1]` and on: the totals of the leaves
/// before it, joined one after the other.
template <class T, class Init, class Op>
void join_totals(T* before, std::size_t leaves, const Init& init, const Op& op) {
    if constexpr (is_exclusive<Init>) before[1] = static_cast<T>(op(init, before[1]));
    for (std::size_t leaf = 2; leaf < leaves; ++leaf) {
        before[leaf] = static_cast<T>(op(before[leaf - 1], before[leaf]));
    }
}

/// On a worker: totals of leaves by the team, what comes before each leaf by this thread, and then
/// each leaf, by the team. `out` may be `in`. @pre n > 0
template <class T, class Init, class Op>
void scan_elements(const T* in, std::size_t n, T* out, const Init& init, const Op& op) {
    const std::size_t leaves = (n - 1) / scan_leaf + 1;
    if (leaves == 1) return scan_first_leaf(in, n, out, init, op);
    constexpr std::size_t grain = 8;
    const scratch<T> room(leaves);
    T* const before = room.data();
    engine().helpers().run(leaves - 1, grain, [=, &op](std::size_t begin, std::size_t end) {
        std::size_t leaf = begin;
        for (; end - leaf >= 4; leaf += 4) {
            total_four_leaves(in + leaf * scan_leaf, before + leaf + 1, op);
        }
        for (; leaf < end; ++leaf) {
            before[leaf + 1] = total_of_leaf(in + leaf * scan_leaf, scan_leaf, op);
        }
    });
    join_totals(before, leaves, init, op);
    engine().helpers().run(leaves, grain, [=, &init, &op](std::size_t begin, std::size_t end) {
        std::size_t leaf = begin;
        if (leaf == 0) {
            scan_first_leaf(in, scan_leaf, out, init, op);
            ++leaf;
        }
        const std::size_t whole = end == leaves ? leaves - 1 : end;
        for (; whole - leaf >= 4; leaf += 4) {
            scan_four_leaves<is_exclusive<Init>>(before + leaf, in + leaf * scan_leaf,
                                                 out + leaf * scan_leaf, op);
        }
        for (; leaf < end; ++leaf) {
            const std::size_t from = leaf * scan_leaf;
            const std::size_t size = n - from < scan_leaf ? n - from : scan_leaf;
            scan_one_leaf<is_exclusive<Init>>(before[leaf], in + from, size, out + from, op);
        }
    });
}

/// Queues a scan of `in` to `out`.
template <class In, class Out, class Init, class Op>
void queue_scan(const In& in, Out& out, const Init& init, const Op& op, stream_state& on,
                const call_site& operation) {
    const auto input = reading(on, in, operation);
    const auto output = writing(on, out, operation);
    const auto from = input.elements();
    const auto to = output.elements();
    require_same_size(from.size, to.size, operation);
    require_same_or_apart(from, to, operation);
    queue_task(
        on, to.size != 0,
        [from, to, init, op] { scan_elements(from.data, from.size, to.data, init, op); },
        operation);
}

}  // namespace devmem::inline v0::detail

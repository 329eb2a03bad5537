/// \file
/// A stable sort by comparisons: blocks of fixed size, and then merging in pairs.
#pragma once

#include <devmem/algorithm/rows.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// Rows that are sorted by insertion, and those that are sorted by one thread: they, and as much
/// beside them, stay in a core's own cache.
inline constexpr std::size_t insertion_run = 16;
inline constexpr std::size_t sort_block = 1024;

/// To `to`, which is apart; `from` stays as it is.
template <class Rows, class Less>
void insertion_sort(const Rows& from, std::size_t n, const Rows& to, const Less& less) {
    for (std::size_t i = 0; i < n; ++i) {
        const auto row = from.get(i);
        std::size_t at = i;
        for (; at > 0 && less(row.key, to.keys[at - 1]); --at) to.put(at, to, at - 1);
        to.put(at, row);
    }
}

/// Parts of two sorted runs: rows [a, a_end) and [b, b_end).
struct run_pair {
    std::size_t a;
    std::size_t a_end;
    std::size_t b;
    std::size_t b_end;
};

/// Merges, of equal keys those of the first run first.
template <class Rows, class Less>
void merge_runs(const Rows& from, run_pair part, const Rows& to, std::size_t at, const Less& less) {
    auto [a, a_end, b, b_end] = part;
    const bool in_order = a == a_end || b == b_end || !less(from.keys[b], from.keys[a_end - 1]);
    if (!in_order) {
        while (a < a_end && b < b_end) {
            // Without a branch, which would be guessed wrongly every other time.
            const std::size_t second = less(from.keys[b], from.keys[a]) ? 1 : 0;
            to.put(at++, from, a ^ ((a ^ b) & (0 - second)));
            b += second;
            a += 1 - second;
        }
    }
    to.copy(at, from, a, a_end - a);
    to.copy(at + (a_end - a), from, b, b_end - b);
}

/// How many of the first `n` merged rows are of the first of two runs, from row `a` and row `b` on.
template <class Rows, class Less>
std::size_t split_of_runs(const Rows& from, run_pair runs, std::size_t n, const Less& less) {
    const std::size_t size_a = runs.a_end - runs.a;
    const std::size_t size_b = runs.b_end - runs.b;
    std::size_t low = n > size_b ? n - size_b : 0;
    std::size_t high = n < size_a ? n : size_a;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (less(from.keys[runs.b + (n - middle - 1)], from.keys[runs.a + middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Merged rows [begin, end) of two runs, to the same places of `to`, in which the runs begin at
/// `runs.a`.
template <class Rows, class Less>
void merge_part(const Rows& from, run_pair runs, std::size_t begin, std::size_t end, const Rows& to,
                const Less& less) {
    const std::size_t a = split_of_runs(from, runs, begin, less);
    const std::size_t b = begin - a;
    std::size_t a_end = split_of_runs(from, runs, end, less);
    // Never by a `less` that is an order; by another, the part must stay within the runs all the
    // same, and as long as it is.
    if (a_end < a) a_end = a;
    if (end - a_end < b) a_end = end - b;
    merge_runs(from, {runs.a + a, runs.a + a_end, runs.b + b, runs.b + (end - a_end)}, to,
               runs.a + begin, less);
}

/// `n` rows to `to`, sorted; `from` stays as it is. @pre 0 < n <= sort_block, and as many spare
/// rows
template <class Rows, class Less>
void sort_one_block(const Rows& from, std::size_t n, const Rows& to, const Rows& spare,
                    const Less& less) {
    bool ends_here = true;
    for (std::size_t run = insertion_run; run < n; run *= 2) ends_here = !ends_here;
    Rows sorted = ends_here ? to : spare;
    Rows other = ends_here ? spare : to;
    for (std::size_t i = 0; i < n; i += insertion_run) {
        const std::size_t size = n - i < insertion_run ? n - i : insertion_run;
        insertion_sort(from.from(i), size, sorted.from(i), less);
    }
    for (std::size_t run = insertion_run; run < n; run *= 2) {
        for (std::size_t i = 0; i < n; i += 2 * run) {
            const std::size_t middle = n - i < run ? n : i + run;
            const std::size_t end = n - i < 2 * run ? n : i + 2 * run;
            merge_runs(sorted, {i, middle, middle, end}, other, i, less);
        }
        const Rows merged = other;
        other = sorted;
        sorted = merged;
    }
}

/// Each block by one thread, to `to`; `from` stays as it is.
template <class Rows, class Less>
void sort_blocks(const Rows& from, std::size_t n, const Rows& to, const Less& less) {
    const std::size_t blocks = (n - 1) / sort_block + 1;
    engine().helpers().run(blocks, 2, [&](std::size_t begin, std::size_t end) {
        const row_scratch<Rows> spare(n < sort_block ? n : sort_block);
        for (std::size_t b = begin; b < end; ++b) {
            const std::size_t at = b * sort_block;
            const std::size_t size = n - at < sort_block ? n - at : sort_block;
            sort_one_block(from.from(at), size, to.from(at), spare.all(), less);
        }
    });
}

/// Runs of `run` rows to runs of twice as many, to `to`; `from` stays as it is. Threads share the
/// merging of two runs, as far as there are fewer pairs than threads.
template <class Rows, class Less>
void merge_pairs(const Rows& from, std::size_t n, std::size_t run, const Rows& to,
                 const Less& less) {
    constexpr std::size_t grain = 2 * sort_block;
    engine().helpers().run(n, grain, [&](std::size_t begin, std::size_t end) {
        while (begin < end) {
            const std::size_t first = begin / (2 * run) * (2 * run);
            const std::size_t middle = n - first < run ? n : first + run;
            const std::size_t last = n - first < 2 * run ? n : first + 2 * run;
            const std::size_t stop = end < last ? end : last;
            merge_part(from, {first, middle, middle, last}, begin - first, stop - first, to, less);
            begin = stop;
        }
    });
}

/// On a worker. What `less` throws, and std::bad_alloc, leaves a permutation of the rows.
template <class Rows, class Less>
void merge_sort(const Rows& data, std::size_t n, const Less& less) {
    if (n < 2) return;
    const row_scratch<Rows> room(n);
    Rows from = data;
    Rows to = room.all();
    const auto swap = [&from, &to] {
        const Rows made = to;
        to = from;
        from = made;
    };
    const auto bring_home = [&from, &data, n] {
        if (from.keys != data.keys) data.copy_all(from, n);
    };
    try {
        sort_blocks(from, n, to, less);
        swap();
        for (std::size_t run = sort_block; run < n; run *= 2) {
            merge_pairs(from, n, run, to, less);
            swap();
        }
    } catch (...) {
        bring_home();
        throw;
    }
    bring_home();
}

}  // namespace devmem::inline v0::detail

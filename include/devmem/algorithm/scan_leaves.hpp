/// \file
/// Scans by a tree that depends on the number of elements only, so that their results have the same
/// bits whatever the number of threads.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/scratch.hpp>
#include <devmem/algorithm/task.hpp>
#include <devmem/config.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

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

/// One scan, while it runs on a worker and the team helps. A chunk of leaves is read from memory
/// once: its totals are made, joined with what is before it as soon as that is known, and then its
/// leaves are scanned, which are still in the cache.
template <class T, class Init, class Op>
class leaf_scan {
  public:
    /// `out` may be `in`. @pre n > scan_leaf @throws std::bad_alloc
    leaf_scan(const T* in, std::size_t n, T* out, const Init& init, const Op& op)
        : in_(in), size_(n), out_(out), init_(init), op_(op), before_(leaves_) {}

    void run() {
        const std::size_t chunks = (leaves_ - 1) / chunk + 1;
        const auto take = [this](std::size_t begin, std::size_t end) {
            for (std::size_t c = begin; c < end; ++c) scan_chunk(c);
        };
        // One by one: a thread that had a row of chunks would keep those after it waiting.
        engine().helpers().run(chunks, 1, take, chunks);
    }

  private:
    static constexpr std::size_t chunk_bytes = std::size_t{128} << 10;
    static constexpr std::size_t wanted = chunk_bytes / (scan_leaf * sizeof(T)) / 4 * 4;
    static constexpr std::size_t chunk = wanted < 4 ? 4 : wanted;

    void scan_chunk(std::size_t c) {
        const std::size_t begin = c * chunk;
        const std::size_t end = leaves_ - begin < chunk ? leaves_ : begin + chunk;
        try {
            total_leaves(begin, end == leaves_ ? end - 1 : end);
            joined_.wait_for(c);
            if (has_failed_.load_relaxed()) return;
            join_totals(begin, end);
            joined_.add(1);
        } catch (...) {
            has_failed_.store_relaxed(true);
            joined_.add(leaves_);  // nobody waits any more
            throw;
        }
        scan_leaves(begin, end);
    }

    /// The total of each leaf, to where that stands which is before the next one.
    void total_leaves(std::size_t leaf, std::size_t end) {
        T* const totals = before_.data() + 1;
        for (; end - leaf >= 4; leaf += 4) {
            total_four_leaves(in_ + leaf * scan_leaf, totals + leaf, op_);
        }
        for (; leaf < end; ++leaf) {
            totals[leaf] = total_of_leaf(in_ + leaf * scan_leaf, scan_leaf, op_);
        }
    }

    /// From totals of leaves to what is before each, and before the first of the next chunk.
    void join_totals(std::size_t begin, std::size_t end) {
        T* const before = before_.data();
        std::size_t leaf = begin + 1;
        if (begin == 0) {
            if constexpr (is_exclusive<Init>) before[1] = static_cast<T>(op_(init_, before[1]));
            ++leaf;
        }
        const std::size_t last = end == leaves_ ? end - 1 : end;
        for (; leaf <= last; ++leaf)
            before[leaf] = static_cast<T>(op_(before[leaf - 1], before[leaf]));
    }

    void scan_leaves(std::size_t leaf, std::size_t end) {
        constexpr bool exclusive = is_exclusive<Init>;
        const T* const before = before_.data();
        if (leaf == 0) {
            scan_first_leaf(in_, scan_leaf, out_, init_, op_);
            ++leaf;
        }
        const std::size_t whole = end == leaves_ ? leaves_ - 1 : end;
        for (; whole - leaf >= 4; leaf += 4) {
            const std::size_t from = leaf * scan_leaf;
            scan_four_leaves<exclusive>(before + leaf, in_ + from, out_ + from, op_);
        }
        for (; leaf < end; ++leaf) {
            const std::size_t from = leaf * scan_leaf;
            const std::size_t size = size_ - from < scan_leaf ? size_ - from : scan_leaf;
            scan_one_leaf<exclusive>(before[leaf], in_ + from, size, out_ + from, op_);
        }
    }

    const T* in_;
    std::size_t size_;
    T* out_;
    const Init& init_;
    const Op& op_;
    std::size_t leaves_ = (size_ - 1) / scan_leaf + 1;
    scratch<T> before_;    // each leaf, but the first
    wait_counter joined_;  // chunks
    atomic<bool> has_failed_{false};
};

/// On a worker. `out` may be `in`. @pre n > 0
template <class T, class Init, class Op>
void scan_elements(const T* in, std::size_t n, T* out, const Init& init, const Op& op) {
    if (n <= scan_leaf) return scan_first_leaf(in, n, out, init, op);
    leaf_scan<T, Init, Op>(in, n, out, init, op).run();
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
        [&](const auto& at) { return device_scan(at, from.data, to.size, to.data, init, op); },
        operation);
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

/// \file
/// `selection`: which elements of a range are kept, one bit each, and packing them together.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/scratch.hpp>
#include <devmem/algorithm/task.hpp>
#include <devmem/config.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Made and used on a worker, which the team helps. Each element is asked about once, and nothing
/// is moved before all have been: what the question throws finds the elements as they were.
class selection {
  public:
    /// `keeps(i)` says whether the i-th of `n` elements is kept. @pre n > 0
    /// @throws std::bad_alloc
    template <class Keeps>
    selection(std::size_t n, const Keeps& keeps)
        : size_(n), blocks_((n - 1) / block + 1), words_((n - 1) / word + 1), starts_(blocks_) {
        engine().helpers().run(blocks_, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b) starts_.data()[b] = mark_block(b, keeps);
        });
        for (std::size_t b = 0; b < blocks_; ++b) {
            const std::size_t kept = starts_.data()[b];
            starts_.data()[b] = count_;
            count_ += kept;
        }
    }

    /// How many are kept.
    std::size_t count() const noexcept { return count_; }

    /// The elements of `in` that are kept, to `out`, in their order. @pre `in` and `out` are apart
    template <class T>
    void pack(const T* in, T* out) const {
        engine().helpers().run(blocks_, 1, [=, this](std::size_t begin, std::size_t end) {
            for (std::size_t b = begin; b < end; ++b) pack_block(b, in, out + starts_.data()[b]);
        });
    }

    /// The same within one range. @throws std::bad_alloc, and then nothing has moved
    template <class T>
    void pack_in_place(T* values) const {
        if (count_ == size_ || count_ == 0) return;
        const scratch<T> packed(count_);
        pack(values, packed.data());
        copy_bytes(values, packed.data(), count_ * sizeof(T));
    }

  private:
    static constexpr std::size_t word = 64;
    static constexpr std::size_t block = 4096;
    static constexpr std::size_t block_words = block / word;

    std::size_t end_of_block(std::size_t b) const noexcept {
        return b + 1 == blocks_ ? size_ : (b + 1) * block;
    }

    template <class Keeps>
    std::size_t mark_block(std::size_t b, const Keeps& keeps) {
        const std::size_t end = end_of_block(b);
        std::uint64_t* to = words_.data() + b * block_words;
        std::size_t kept = 0;
        for (std::size_t i = b * block; i < end; i += word) {
            const std::uint64_t bits = mark_word(i, end - i < word ? end - i : word, keeps);
            *to++ = bits;
            kept += static_cast<std::size_t>(__builtin_popcountll(bits));
        }
        return kept;
    }

    /// By way of bytes, which a compiler can make by vector instructions where `keeps` allows.
    template <class Keeps>
    static std::uint64_t mark_word(std::size_t from, std::size_t n, const Keeps& keeps) {
        unsigned char flags[word] = {};
        for (std::size_t i = 0; i < n; ++i) flags[i] = keeps(from + i) ? 1 : 0;
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < word; i += 8) {
            std::uint64_t eight = 0;
            std::memcpy(&eight, flags + i, sizeof eight);
            // Byte k, at bit 8k, times 2^(56 - 7k) is bit 56 + k.
            bits |= ((eight * 0x0102'0408'1020'4080u) >> 56) << i;
        }
        return bits;
    }

    template <class T>
    void pack_block(std::size_t b, const T* in, T* out) const {
        const std::size_t end = end_of_block(b);
        const std::uint64_t* bits = words_.data() + b * block_words;
        for (std::size_t i = b * block; i < end; i += word) {
            for (std::uint64_t left = *bits++; left != 0; left &= left - 1) {
                *out++ = in[i + static_cast<std::size_t>(__builtin_ctzll(left))];
            }
        }
    }

    std::size_t size_;
    std::size_t blocks_;
    scratch<std::uint64_t> words_;
    scratch<std::size_t> starts_;
    std::size_t count_ = 0;
};

/// On a worker: those of `in` that `keeps` an index of, to `out`, which may be `in`; how many.
template <class T, class Keeps>
std::size_t select_elements(const T* in, std::size_t n, T* out, const Keeps& keeps) {
    if (n == 0) return 0;
    const selection kept(n, keeps);
    if (in == out) {
        kept.pack_in_place(out);
    } else {
        kept.pack(in, out);
    }
    return kept.count();
}

/// Whatever is kept, its count will fit.
template <class Count>
void require_countable(std::size_t n, const call_site& operation) {
    if (n <= static_cast<std::uintmax_t>(std::numeric_limits<Count>::max())) [[likely]] {
        return;
    }
    text<96> message;
    message.add("%zu elements may be more than a count of %zu bytes can say", n, sizeof(Count));
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

/// Queues `copy_if`; `*count` is written in the order of the stream.
template <class In, class Out, class F, class Count>
void queue_copy_if(const In& in, Out& out, const F& pred, Count* count, stream_state& on,
                   const call_site& operation) {
    const auto input = reading(on, in, operation);
    const auto output = writing(on, out, operation);
    const auto from = input.elements();
    const auto to = output.elements();
    if (to.size < from.size) {
        text<96> message;
        message.add("%zu elements may be kept, and the output has room for %zu", from.size,
                    to.size);
        throw_failure({.code = error_code::invalid_argument, .operation = operation},
                      message.c_str());
    }
    if (from.size != 0) require_same_or_apart(from, to, operation);
    queue_task(
        on, true,
        [from, to, pred, count] {
            const auto* const x = from.data;
            const auto keeps = [x, &pred](std::size_t i) -> bool { return pred(x[i]); };
            *count = static_cast<Count>(select_elements(x, from.size, to.data, keeps));
        },
        [&](const auto& at) {
            return device_copy_if(at, from.data, from.size, to.data, pred, count);
        },
        operation);
}

/// Queues `unique`; `*count` is written in the order of the stream.
template <class Out, class F, class Count>
void queue_unique(Out& range, const F& equal, Count* count, stream_state& on,
                  const call_site& operation) {
    const auto output = writing(on, range, operation);
    const auto to = output.elements();
    queue_task(
        on, true,
        [to, equal, count] {
            const auto* const x = to.data;
            const auto keeps = [x, &equal](std::size_t i) -> bool {
                return i == 0 || !equal(x[i - 1], x[i]);
            };
            *count = static_cast<Count>(select_elements(x, to.size, to.data, keeps));
        },
        [&](const auto& at) { return device_unique(at, to.data, to.size, equal, count); },
        operation);
}

/// The element for the count of what is kept of `n` in `out`, on `on`.
template <class Count, class Out>
void require_count(operand<Count> count, operand<Out> out, std::size_t n,
                   const call_site& operation) {
    require_same_size(count.size, 1, operation);
    require_countable<Count>(n, operation);
    require_apart(count, out, operation, "the element for the count is one of the output's");
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

/// \file
/// A stable sort of numbers without comparisons: byte by byte, the lowest first.
#pragma once

#include <devmem/algorithm/radix_key.hpp>
#include <devmem/algorithm/rows.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// For each value of a byte of the keys, how many rows have it; then where the next goes.
struct byte_counts {
    static constexpr std::size_t values = 256;
    std::size_t of[values];
};

/// Fewer rows are not worth a thread, nor a table of counts, nor this way of sorting.
inline constexpr std::size_t radix_chunk = 8192;
inline constexpr std::size_t radix_least = 2048;

template <class Rows>
class radix_sorter {
  public:
    /// @throws std::bad_alloc, and then the rows are as they were
    radix_sorter(const Rows& data, std::size_t n)
        : data_(data),
          size_(n),
          chunk_((n - 1) / wanted_chunks(n) + 1),
          chunks_((n - 1) / chunk_ + 1),
          other_(n),
          counts_(chunks_ * bytes) {}

    void sort() {
        count_all_bytes();
        Rows from = data_;
        Rows to = other_.all();
        bool counted = true;
        for (std::size_t byte = 0; byte < bytes; ++byte) {
            if (is_constant(byte)) continue;
            if (!counted) count_byte(from, byte);
            find_starts(byte);
            move_rows(from, to, byte);
            const Rows moved = to;
            to = from;
            from = moved;
            counted = chunks_ == 1;  // else other rows are in the chunks now
        }
        if (from.keys != data_.keys) data_.copy_all(from, size_);
    }

  private:
    using key = typename Rows::key_type;
    static constexpr std::size_t bytes = sizeof(key);

    static std::size_t wanted_chunks(std::size_t n) noexcept {
        const std::size_t threads = static_cast<std::size_t>(engine().helpers().threads());
        const std::size_t wanted = threads == 1 ? 1 : 4 * threads;
        const std::size_t most = (n - 1) / radix_chunk + 1;
        return wanted < most ? wanted : most;
    }

    static std::size_t byte_of(key x, std::size_t byte) noexcept {
        return static_cast<std::size_t>(radix_key(x) >> (8 * byte)) % byte_counts::values;
    }

    byte_counts& counts(std::size_t chunk, std::size_t byte) const noexcept {
        return counts_.data()[chunk * bytes + byte];
    }

    /// Calls `body(chunk, begin, end)` for each chunk of rows.
    template <class Body>
    void for_each_chunk(const Body& body) const {
        engine().helpers().run(chunks_, 1, [&](std::size_t first, std::size_t last) {
            for (std::size_t chunk = first; chunk < last; ++chunk) {
                const std::size_t begin = chunk * chunk_;
                body(chunk, begin, size_ - begin < chunk_ ? size_ : begin + chunk_);
            }
        });
    }

    void count_all_bytes() const {
        for_each_chunk([this](std::size_t chunk, std::size_t begin, std::size_t end) {
            byte_counts* const all = &counts(chunk, 0);
            for (std::size_t byte = 0; byte < bytes; ++byte) all[byte] = {};
            for (std::size_t i = begin; i < end; ++i) {
                const key x = data_.keys[i];
                for (std::size_t byte = 0; byte < bytes; ++byte) ++all[byte].of[byte_of(x, byte)];
            }
        });
    }

    void count_byte(const Rows& from, std::size_t byte) const {
        for_each_chunk([=, this](std::size_t chunk, std::size_t begin, std::size_t end) {
            byte_counts& these = counts(chunk, byte);
            these = {};
            for (std::size_t i = begin; i < end; ++i) ++these.of[byte_of(from.keys[i], byte)];
        });
    }

    /// Whether all rows have the same byte there. Counts of any arrangement will do.
    bool is_constant(std::size_t byte) const noexcept {
        const std::size_t value = byte_of(data_.keys[0], byte);
        std::size_t same = 0;
        for (std::size_t chunk = 0; chunk < chunks_; ++chunk) same += counts(chunk, byte).of[value];
        return same == size_;
    }

    void find_starts(std::size_t byte) const noexcept {
        std::size_t next = 0;
        for (std::size_t value = 0; value < byte_counts::values; ++value) {
            for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
                std::size_t& count = counts(chunk, byte).of[value];
                const std::size_t start = next;
                next += count;
                count = start;
            }
        }
    }

    void move_rows(const Rows& from, const Rows& to, std::size_t byte) const {
        for_each_chunk([=, this](std::size_t chunk, std::size_t begin, std::size_t end) {
            std::size_t* const next = counts(chunk, byte).of;
            for (std::size_t i = begin; i < end; ++i) {
                to.put(next[byte_of(from.keys[i], byte)]++, from, i);
            }
        });
    }

    Rows data_;
    std::size_t size_;
    std::size_t chunk_;  // rows in each but the last
    std::size_t chunks_;
    row_scratch<Rows> other_;
    scratch<byte_counts> counts_;
};

}  // namespace devmem::inline v0::detail

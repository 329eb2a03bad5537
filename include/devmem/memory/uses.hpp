/// \file
/// `use_list`: which streams have used a block, up to which access.
#pragma once

#include <devmem/stream/order.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

enum class access_mode : std::uint8_t { read, write };

constexpr std::uint64_t larger(std::uint64_t a, std::uint64_t b) noexcept { return a > b ? a : b; }

/// What a stream has done with a block, and is doing.
struct stream_use {
    stream_state* stream = nullptr;
    std::uint64_t read_tick = 0;   // of the last read; 0: none
    std::uint64_t write_tick = 0;  // of the last write; 0: none
    std::uint32_t open_reads = 0;
    std::uint32_t open_writes = 0;
    bool has_waited = false;  // for all writes in the list
    bool raw_reads = false;   // its address was given out: it is used until the block is let go
    bool raw_writes = false;
    std::uint64_t raw_id = 0;  // of the stream that it was given out on
    call_site read_by = "";    // where order is checked: the last of each
    call_site written_by = "";

    std::uint32_t& open(access_mode mode) noexcept {
        return mode == access_mode::read ? open_reads : open_writes;
    }
    call_site& last(access_mode mode) noexcept {
        return mode == access_mode::read ? read_by : written_by;
    }
    void close(access_mode mode, std::uint64_t tick) noexcept {
        --open(mode);
        std::uint64_t& last = mode == access_mode::read ? read_tick : write_tick;
        last = larger(last, tick);
    }
    /// Adds what the same stream has done with another part of the block.
    void add(const stream_use& other) noexcept {
        if (other.read_tick > read_tick) read_by = other.read_by;
        if (other.write_tick > write_tick) written_by = other.written_by;
        read_tick = larger(read_tick, other.read_tick);
        write_tick = larger(write_tick, other.write_tick);
        raw_reads = raw_reads || other.raw_reads;
        raw_writes = raw_writes || other.raw_writes;
        raw_id = larger(raw_id, other.raw_id);
    }
    bool is_open() const noexcept { return open_reads != 0 || open_writes != 0; }

    /// The end of what an access of that mode must come after.
    stream_mark conflict_with(access_mode mode) const noexcept {
        const bool after_reads = mode == access_mode::write && read_tick > write_tick;
        return {stream, after_reads ? read_tick : write_tick};
    }
    bool has_passed() const noexcept {
        return detail::has_passed(conflict_with(access_mode::write));
    }
};

/// A use for each stream, in no order. Most blocks are used on one stream or two.
class use_list {
  public:
    use_list() noexcept = default;
    ~use_list() {
        if (uses_ != few_) delete[] uses_;
    }
    use_list(const use_list&) = delete;
    use_list& operator=(const use_list&) = delete;

    stream_use* begin() noexcept { return uses_; }
    stream_use* end() noexcept { return uses_ + size_; }
    const stream_use* begin() const noexcept { return uses_; }
    const stream_use* end() const noexcept { return uses_ + size_; }
    std::size_t size() const noexcept { return size_; }

    stream_use* find(const stream_state& s) noexcept {
        for (stream_use& u : *this) {
            if (u.stream == &s) return &u;
        }
        return nullptr;
    }

    /// @throws std::bad_alloc
    stream_use& find_or_add(stream_state& s) {
        if (stream_use* const found = find(s)) return *found;
        if (size_ == capacity_) grow();
        uses_[size_] = {.stream = &s};
        return uses_[size_++];
    }

    /// There is always room for one.
    void keep_only(const stream_use& u) noexcept {
        uses_[0] = u;
        size_ = 1;
    }

    template <class Condition>
    void remove_if(Condition condition) noexcept {
        std::size_t kept = 0;
        for (const stream_use& u : *this) {
            if (!condition(u)) uses_[kept++] = u;
        }
        size_ = kept;
    }

  private:
    void grow() {
        auto* more = new stream_use[capacity_ * 2];
        for (std::size_t i = 0; i < size_; ++i) more[i] = uses_[i];
        if (uses_ != few_) delete[] uses_;
        uses_ = more;
        capacity_ *= 2;
    }

    stream_use few_[2];
    stream_use* uses_ = few_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 2;
};

}  // namespace devmem::inline v0::detail

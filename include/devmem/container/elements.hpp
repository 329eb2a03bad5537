/// \file
/// `elements`: what a container does that needs no more of its element type than the size.
#pragma once

#include <devmem/container/element.hpp>
#include <devmem/container/range.hpp>
#include <devmem/container/storage.hpp>
#include <devmem/transfer/copy_ranges.hpp>

#include <cstddef>
#include <utility>

namespace devmem::inline v0::detail {

/// What the untyped part is told of its container.
struct element_kind {
    std::size_t size;  // bytes an element
    block& (*obtain)(stream_state& on, std::size_t bytes, const call_site& operation);
};

/// What new elements are filled with: a pattern of some width, or nothing where there is none.
struct initial_value {
    const void* pattern = nullptr;
    std::size_t width = 0;

    static initial_value zero() noexcept {
        static constexpr unsigned char byte = 0;
        return {&byte, 1};
    }
    /// No value; where the process asks for it, a NaN pattern.
    static initial_value none() noexcept {
        static constexpr unsigned char byte = 0xFF;
        return process_settings.poison ? initial_value{&byte, 1} : initial_value{};
    }

    /// Whether filling with it does all or nothing. A GPU's memsets write four bytes at most; wider
    /// patterns take several calls, and one of them may fail after others have written.
    bool fills_in_one_call(const stream_state& on) const noexcept {
        constexpr std::size_t widest = 4;
        if (on.where.kind() == device_kind::cpu || widest % width == 0) return true;
        const auto* bytes = static_cast<const std::byte*>(pattern);
        if (width % widest != 0) return false;
        for (std::size_t i = widest; i < width; ++i) {
            if (bytes[i] != bytes[i - widest]) return false;
        }
        return true;
    }
};

/// A number of elements in a block, with room for more. Owns the block.
class elements {
  public:
    explicit elements(device where) noexcept : where_(where) {}
    /// Room for `n` elements, first used on `on`.
    /// @throws length_error, out_of_memory
    elements(const element_kind& kind, std::size_t n, stream_state& on, const call_site& by)
        : where_(on.where) {
        const std::size_t bytes = checked_bytes(n, kind.size, by);
        if (n == 0) return;
        refuse_forked_child(by);
        block_ = &kind.obtain(on, bytes, by);
        data_ = static_cast<std::byte*>(block_->data);
        capacity_ = n;
    }
    elements(block& of, std::size_t n) noexcept
        : where_(of.where),
          block_(&of),
          data_(static_cast<std::byte*>(of.data)),
          size_(n),
          capacity_(n) {}
    elements(elements&& other) noexcept
        : where_(other.where_),
          is_manual_(other.is_manual_),
          block_(std::exchange(other.block_, nullptr)),
          data_(std::exchange(other.data_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    elements& operator=(elements&& other) noexcept {
        elements taken(std::move(other));
        swap(taken);
        return *this;
    }
    ~elements() { reset(); }

    void swap(elements& other) noexcept {
        std::swap(where_, other.where_);
        std::swap(is_manual_, other.is_manual_);
        std::swap(block_, other.block_);
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    device where() const noexcept { return where_; }
    bool is_manual() const noexcept { return is_manual_; }
    void set_manual(bool is) noexcept {
        is_manual_ = is;
        if (block_ != nullptr) block_->ledger.set_manual(is);
    }
    const block* of() const noexcept { return block_; }
    block* of() noexcept { return block_; }
    std::byte* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    std::size_t capacity() const noexcept { return capacity_; }

    void clear() noexcept { size_ = 0; }
    void reset() noexcept {
        size_ = 0;
        capacity_ = 0;
        data_ = nullptr;
        if (block* b = std::exchange(block_, nullptr)) b->release(b);
    }

    /// A part as copies see it; null memory has no parts.
    byte_range part(const element_kind& kind, std::size_t from, std::size_t n) const noexcept {
        return {.data = data_ == nullptr ? nullptr : data_ + from * kind.size,
                .count = n,
                .bytes = n * kind.size,
                .of = block_,
                .where = where_,
                .space = block_ == nullptr ? memory_space::device : block_->space};
    }

    /// Fills [from, from + n), which is within the capacity.
    void fill(const element_kind& kind, std::size_t from, std::size_t n, initial_value value,
              stream_state& on, const call_site& by) {
        if (n != 0 && value.pattern != nullptr) fill_some(kind, from, n, value, on, by);
    }
    void fill_some(const element_kind& kind, std::size_t from, std::size_t n, initial_value value,
                   stream_state& on, const call_site& by) {
        const scoped_access access(block_, on, access_mode::write, by);
        const std::size_t bytes = n * kind.size;
        check(on.table->fill_async(on.where, on.handle, data_ + from * kind.size, value.pattern,
                                   value.width, bytes / value.width),
              by, *on.table, on.where, bytes);
    }

    void resize(const element_kind& kind, std::size_t n, initial_value value, stream_state& on,
                const call_site& by) {
        if (n > capacity_) {
            elements made = replacement(kind, n, on, by);
            copy_ranges(part(kind, 0, size_), made.part(kind, 0, size_), stream_view(on),
                        copy_mode::asynchronous, by);
            made.fill(kind, size_, n - size_, value, on, by);
            swap(made);
        } else if (n > size_) {
            fill(kind, size_, n - size_, value, on, by);
        }
        size_ = n;
    }

    /// The first elements, for which there is room.
    void begin_with(const element_kind& kind, std::size_t n, initial_value value, stream_state& on,
                    const call_site& by) {
        fill(kind, 0, n, value, on, by);
        size_ = n;
    }

    /// Has `n` elements of that value afterwards.
    void assign(const element_kind& kind, std::size_t n, initial_value value, stream_state& on,
                const call_site& by) {
        if (n > capacity_ || !value.fills_in_one_call(on)) {
            elements made = replacement(kind, n > capacity_ ? n : capacity_, on, by);
            made.fill(kind, 0, n, value, on, by);
            swap(made);
        } else {
            fill(kind, 0, n, value, on, by);
        }
        size_ = n;
    }

    /// Moves the elements to memory for just `n` of them.
    void reallocate(const element_kind& kind, std::size_t n, stream_state& on,
                    const call_site& by) {
        elements made = replacement(kind, n, on, by);
        copy_ranges(part(kind, 0, size_), made.part(kind, 0, size_), stream_view(on),
                    copy_mode::asynchronous, by);
        made.size_ = size_;
        swap(made);
    }

    /// Keeps the first elements and puts `values`, which may be some of its own, behind them.
    void replace_tail(const element_kind& kind, std::size_t keep, const byte_range& values,
                      stream_state& on, const call_site& by) {
        const stream_view s(on);
        const std::size_t n = checked_sum(keep, values.count, kind.size, by);
        if (n > capacity_) {
            elements made = replacement(kind, grown(n), on, by);
            copy_ranges(part(kind, 0, keep), made.part(kind, 0, keep), s, copy_mode::asynchronous,
                        by);
            copy_ranges(values, made.part(kind, keep, values.count), s, copy_mode::asynchronous,
                        by);
            swap(made);
        } else {
            copy_ranges(values, part(kind, keep, values.count), s, copy_mode::asynchronous, by);
        }
        size_ = n;
    }

  private:
    /// Capacity for at least `n`, by a factor, so that appending one by one stays linear.
    std::size_t grown(std::size_t n) const noexcept {
        const std::size_t wanted = size_ == 0 ? n : capacity_ + capacity_ / 2;
        return wanted > n ? wanted : n;
    }

    /// Room for `n` elements in the place of this, in the same manner.
    elements replacement(const element_kind& kind, std::size_t n, stream_state& on,
                         const call_site& by) const {
        elements made(kind, n, on, by);
        if (is_manual_) made.set_manual(true);
        return made;
    }

    device where_;
    bool is_manual_ = false;
    block* block_ = nullptr;
    std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace devmem::inline v0::detail

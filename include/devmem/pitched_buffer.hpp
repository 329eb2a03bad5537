/// \file
/// `pitched_buffer`: a matrix in a device's memory whose rows begin at addresses that suit it.
#pragma once

#include <devmem/device_vector.hpp>
#include <devmem/pitched_view.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace devmem::inline v0 {

namespace detail {

/// Elements that pitches of an element of that size are a multiple of: rows begin at multiples of
/// 256 bytes, or of the largest power of two for which that takes no more than 1024 bytes.
constexpr std::size_t pitch_unit(std::size_t element_size) noexcept {
    constexpr std::size_t longest = 1024;
    for (std::size_t alignment = 256; alignment > 1; alignment /= 2) {
        std::size_t unit = 1;
        while (unit * element_size % alignment != 0) unit *= 2;
        if (unit == 1 || unit * element_size <= longest) return unit;
    }
    return 1;
}

/// What a matrix needs, found before anything is asked for.
struct pitched_extent {
    std::size_t pitch = 0;     // elements
    std::size_t elements = 0;  // in all

    /// @throws length_error when they are more than any object can have
    pitched_extent(std::size_t rows, std::size_t columns, std::size_t element_size,
                   const call_site& operation) {
        const std::size_t unit = pitch_unit(element_size);
        pitch = checked_sum(columns, (unit - columns % unit) % unit, element_size, operation);
        if (__builtin_mul_overflow(rows, pitch, &elements)) elements = ~std::size_t{0};
        checked_bytes(elements, element_size, operation);
    }
};

}  // namespace detail

/// A matrix of `rows()` by `columns()` elements, row by row. Each row begins `pitch()` elements
/// after the one before, at a multiple of 256 bytes; where the size of an element is no power of
/// two, of the largest power of two up to 256 that has a common multiple with it of at most 1024
/// bytes. Elements, and what lies between rows, are zero at first.
///
/// It has a size for good, and is otherwise a container like `device_vector`: work is in order by
/// itself, destroying never throws, and what has been moved from is empty and keeps its device.
/// `row(i)` goes into copies and algorithms, blocks go into `copy_2d`.
template <class T, class Policy>
class basic_pitched_buffer {
    using elements = basic_vector<T, Policy>;

  public:
    using value_type = T;        ///< of the elements
    using policy_type = Policy;  ///< what the options normalise to

    /// Empty.
    explicit basic_pitched_buffer(const placement& where = {}) : elements_(where) {}
    /// Zeros. @throws length_error before anything is asked of a backend, out_of_memory @sync none
    basic_pitched_buffer(std::size_t rows, std::size_t columns, const placement& where = {})
        : basic_pitched_buffer(rows, columns, extent(rows, columns, where), where) {}
    /// Elements without a value.
    basic_pitched_buffer(std::size_t rows, std::size_t columns, uninitialized_t,
                         const placement& where = {})
        : rows_(rows),
          columns_(columns),
          pitch_(extent(rows, columns, where).pitch),
          elements_(rows * pitch_, uninitialized, where) {}

    /// The same shape and elements, on the same device.
    basic_pitched_buffer(const basic_pitched_buffer&) = default;
    /// Takes the memory of `other`, which is empty then.
    basic_pitched_buffer(basic_pitched_buffer&& other) noexcept
        : rows_(std::exchange(other.rows_, 0)),
          columns_(std::exchange(other.columns_, 0)),
          pitch_(std::exchange(other.pitch_, 0)),
          elements_(std::move(other.elements_)) {}
    ~basic_pitched_buffer() = default;
    /// Takes the shape and elements of `other` to this buffer's own device.
    basic_pitched_buffer& operator=(const basic_pitched_buffer& other) {
        elements_ = other.elements_;
        rows_ = other.rows_;
        columns_ = other.columns_;
        pitch_ = other.pitch_;
        return *this;
    }
    /// Takes the memory of `other`, and its device.
    basic_pitched_buffer& operator=(basic_pitched_buffer&& other) noexcept {
        basic_pitched_buffer taken(std::move(other));
        swap(taken);
        return *this;
    }
    /// Exchanges shapes, memory and devices.
    void swap(basic_pitched_buffer& other) noexcept {
        std::swap(rows_, other.rows_);
        std::swap(columns_, other.columns_);
        std::swap(pitch_, other.pitch_);
        elements_.swap(other.elements_);
    }
    /// The same.
    friend void swap(basic_pitched_buffer& a, basic_pitched_buffer& b) noexcept { a.swap(b); }

    std::size_t rows() const noexcept { return rows_; }        ///< how many
    std::size_t columns() const noexcept { return columns_; }  ///< elements of a row
    /// Elements from the beginning of a row to that of the next.
    std::size_t pitch() const noexcept { return pitch_; }
    bool empty() const noexcept { return rows_ == 0 || columns_ == 0; }    ///< has no elements
    devmem::device device() const noexcept { return elements_.device(); }  ///< has the memory
    memory_space space() const noexcept { return elements_.space(); }      ///< what kind it is

    /// All of it, a row, or a block: see `pitched_view`. @{
    pitched_view<T> view() & noexcept { return view_of<T>(elements_.view()); }
    pitched_view<const T> view() const& noexcept { return view_of<const T>(elements_.view()); }
    void view() const&& = delete;
    device_view<T> row(std::size_t i) & { return view().row(i); }
    device_view<const T> row(std::size_t i) const& { return view().row(i); }
    void row(std::size_t) const&& = delete;
    pitched_view<T> block(std::size_t row, std::size_t column, std::size_t rows,
                          std::size_t columns) & {
        return view().block(row, column, rows, columns);
    }
    pitched_view<const T> block(std::size_t row, std::size_t column, std::size_t rows,
                                std::size_t columns) const& {
        return view().block(row, column, rows, columns);
    }
    void block(std::size_t, std::size_t, std::size_t, std::size_t) const&& = delete;
    /// @}

    /// An access for work of the program's own, as of a `device_vector`: element (r, c) is at
    /// `r * pitch() + c` of its span. @sync none @{
    block_access<const T> read(stream_view s, place at = place::here()) const {
        return elements_.read(s, at);
    }
    block_access<T> write(stream_view s, place at = place::here()) {
        return elements_.write(s, at);
    }
    /// @}

    /// For devmem's own use: how `to` moves it.
    friend auto members(const basic_pitched_buffer& b) {
        return std::tie(b.rows_, b.columns_, b.pitch_, b.elements_);
    }
    /// The same.
    basic_pitched_buffer(std::size_t rows, std::size_t columns, std::size_t pitch,
                         elements&& all) noexcept
        : rows_(rows), columns_(columns), pitch_(pitch), elements_(std::move(all)) {}

  private:
    static detail::pitched_extent extent(std::size_t rows, std::size_t columns,
                                         const placement& where) {
        return {rows, columns, sizeof(T), {"pitched_buffer", where.at()}};
    }
    basic_pitched_buffer(std::size_t rows, std::size_t columns, const detail::pitched_extent& needs,
                         const placement& where)
        : rows_(rows), columns_(columns), pitch_(needs.pitch), elements_(needs.elements, where) {}
    template <class U>
    pitched_view<U> view_of(device_view<U> all) const noexcept {
        return {all.address(), rows_, columns_, pitch_, all.block(), all.device(), all.space()};
    }

    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t pitch_ = 0;
    elements elements_;
};

/// A matrix in device memory; options choose the backend and how memory is obtained, in any order.
template <class T, class... Options>
using pitched_buffer =
    basic_pitched_buffer<T, typename detail::normalized<device_space, Options...>::type>;

}  // namespace devmem::inline v0

/// \file
/// `pitched_view`: rows of a container's memory, or a block of them, for copies and algorithms.
#pragma once

#include <devmem/device_view.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {

/// The elements from the first of a block of rows to the last. @pre they are there, so it is no
/// more than an object can have
constexpr std::size_t elements_spanned(std::size_t rows, std::size_t columns,
                                       std::size_t pitch) noexcept {
    return rows == 0 || columns == 0 ? 0 : (rows - 1) * pitch + columns;
}

/// @throws invalid_argument unless the block is within `rows` by `columns`
inline void check_block(std::size_t row, std::size_t column, std::size_t block_rows,
                        std::size_t block_columns, std::size_t rows, std::size_t columns,
                        const call_site& operation) {
    const bool rows_fit = row <= rows && block_rows <= rows - row;
    const bool columns_fit = column <= columns && block_columns <= columns - column;
    if (rows_fit && columns_fit) [[likely]] {
        return;
    }
    text<200> message;
    message.add("a block of %zu x %zu at row %zu, column %zu is not within %zu x %zu", block_rows,
                block_columns, row, column, rows, columns);
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

}  // namespace detail

/// Rows of elements, each beginning `pitch()` elements after the one before. Owns nothing.
/// @lifetime valid until the container is destroyed, moved from, or gets other memory
template <class T>
requires device_element<std::remove_const_t<T>>
class pitched_view {
  public:
    using element_type = T;                     ///< perhaps const
    using value_type = std::remove_const_t<T>;  ///< without const

    /// No rows, on `cpu:0`.
    pitched_view() noexcept = default;
    /// A view of constants, of a view of what may change.
    template <class U>
    requires(std::is_const_v<T>&& std::is_same_v<U, value_type>)
        pitched_view(const pitched_view<U>& other)
    noexcept  // NOLINT(google-explicit-constructor)
        : pitched_view(other.address(), other.rows(), other.columns(), other.pitch(), other.of(),
                       other.device(), other.space()) {}

    std::size_t rows() const noexcept { return rows_; }        ///< how many
    std::size_t columns() const noexcept { return columns_; }  ///< elements of a row
    /// Elements from the beginning of a row to that of the next.
    std::size_t pitch() const noexcept { return pitch_; }
    bool empty() const noexcept { return rows_ == 0 || columns_ == 0; }  ///< has no elements
    devmem::device device() const noexcept { return device_; }           ///< has the memory
    memory_space space() const noexcept { return space_; }               ///< what kind it is
    pitched_view view() const noexcept { return *this; }                 ///< as buffers have it

    /// One row. @throws invalid_argument when there is none
    device_view<T> row(std::size_t i) const {
        detail::check_block(i, 0, 1, columns_, rows_, columns_, "pitched_view::row");
        return {at(i, 0), columns_, block_, device_, space_};
    }
    /// The block of `rows` by `columns` elements whose first is at (`row`, `column`).
    /// @throws invalid_argument when it is not within the view
    pitched_view block(std::size_t row, std::size_t column, std::size_t rows,
                       std::size_t columns) const {
        detail::check_block(row, column, rows, columns, rows_, columns_, "pitched_view::block");
        const bool is_empty = rows == 0 || columns == 0;
        return {is_empty ? data_ : at(row, column), rows, columns, pitch_, block_, device_, space_};
    }

    /// For devmem's own use: views come from containers.
    pitched_view(T* data, std::size_t rows, std::size_t columns, std::size_t pitch,
                 const detail::block* of, devmem::device where, memory_space space) noexcept
        : data_(data),
          rows_(rows),
          columns_(columns),
          pitch_(pitch),
          block_(of),
          device_(where),
          space_(space) {}
    /// For devmem's own use: an undeclared access.
    T* address() const noexcept { return data_; }
    /// For devmem's own use.
    const detail::block* of() const noexcept { return block_; }

  private:
    /// Null memory has no parts.
    T* at(std::size_t row, std::size_t column) const noexcept {
        return data_ == nullptr ? nullptr : data_ + row * pitch_ + column;
    }

    T* data_ = nullptr;
    std::size_t rows_ = 0;
    std::size_t columns_ = 0;
    std::size_t pitch_ = 0;
    const detail::block* block_ = nullptr;
    devmem::device device_{};
    memory_space space_ = memory_space::device;
};

namespace detail {

template <class V>
inline constexpr bool is_pitched_view = false;
template <class T>
inline constexpr bool is_pitched_view<pitched_view<T>> = true;

}  // namespace detail

/// Rows of memory that devmem keeps a record of: a `pitched_buffer`, or a view of a block of one.
template <class R>
concept pitched_range = requires(std::remove_reference_t<R>& r) {
    requires detail::is_pitched_view<decltype(r.view())>;
};

}  // namespace devmem::inline v0

/// \file
/// `copy_2d` and `copy_2d_async`: rows of elements, between pitched buffers, containers, views and
/// host memory, in any direction.
#pragma once

#include <devmem/copy.hpp>
#include <devmem/pitched_view.hpp>
#include <devmem/transfer/copy_rows.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

/// Rows within two ranges. In elements; a pitch of 0 says that rows lie one behind the other, that
/// is `columns`.
struct shape_2d {
    std::size_t rows = 0;       ///< how many
    std::size_t columns = 0;    ///< elements of each
    std::size_t src_pitch = 0;  ///< from the beginning of a row to that of the next
    std::size_t dst_pitch = 0;  ///< the same, of the destination
};

namespace detail {

template <class Src, class Dst>
concept rows_copyable_to = copyable_to<Src, Dst>;
template <class Src, class Dst>
concept rows_copyable_async_to = copyable_async_to<Src, Dst>;

template <class R>
struct row_element {
    using stored = typename element_of<R>::stored;
};
template <pitched_range R>
struct row_element<R> {
    using stored =
        typename decltype(std::declval<std::remove_reference_t<R>&>().view())::element_type;
};
template <class R>
using row_element_t = std::remove_cv_t<typename row_element<R>::stored>;

template <class R>
concept row_operand = pitched_range<R> || copy_operand<R>;
template <class Src, class Dst>
concept one_is_pitched = pitched_range<Src> || pitched_range<Dst>;
template <class Src, class Dst>
concept same_row_elements = std::is_same_v<row_element_t<Src>, row_element_t<Dst>>;

/// At least one side knows its shape; the other has it too, or has its elements without gaps.
template <class Src, class Dst>
concept shaped_copyable_to = one_is_pitched<Src, Dst> && row_operand<Src> && row_operand<Dst> &&
    same_row_elements<Src, Dst> && !std::is_const_v<typename row_element<Dst>::stored>;

/// The memory of an operand ends with the expression.
template <class R>
inline constexpr bool is_temporary_rows =
    is_temporary_owner<R> && !is_pitched_view<std::remove_cvref_t<R>>;
template <class Src, class Dst>
concept shaped_copyable_async_to = shaped_copyable_to<Src, Dst> &&
                                   (pitched_range<Dst> ||
                                    device_range<Dst>)&&!is_temporary_rows<Src> &&
                                   !is_temporary_rows<Dst>;

[[noreturn, gnu::noinline, gnu::cold]] inline void refuse_extent(const char* side,
                                                                 const shape_2d& shape,
                                                                 std::size_t pitch,
                                                                 std::size_t size,
                                                                 const call_site& operation) {
    text<240> message;
    message.add("%zu rows of %zu elements, each %zu after the one before, do not fit the %s of %zu",
                shape.rows, shape.columns, pitch, side, size);
    if (pitch < shape.columns) message.add("; a pitch is no shorter than a row");
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

/// One side of a copy, by the pitch given for it. @throws invalid_argument when it does not fit
inline row_range rows_of(const byte_range& all, std::size_t element_size, const shape_2d& shape,
                         std::size_t given_pitch, const char* side, const call_site& operation) {
    const std::size_t pitch = given_pitch != 0 ? given_pitch : shape.columns;
    const bool is_empty = shape.rows == 0 || shape.columns == 0;
    std::size_t needed = 0;
    const bool too_many = !is_empty && (__builtin_mul_overflow(shape.rows - 1, pitch, &needed) ||
                                        __builtin_add_overflow(needed, shape.columns, &needed));
    if (pitch < shape.columns || too_many || needed > all.count) [[unlikely]] {
        refuse_extent(side, shape, pitch, all.count, operation);
    }
    byte_range part = all;
    part.count = needed;
    part.bytes = needed * element_size;
    return {part, pitch * element_size};
}

/// A view's rows, as copies see them.
template <class T>
row_range rows_of_view(pitched_view<T> v) noexcept {
    const std::size_t span = elements_spanned(v.rows(), v.columns(), v.pitch());
    const device_view<T> all(v.address(), span, v.of(), v.device(), v.space());
    return {bytes_of_view(all), v.pitch() * sizeof(T)};
}

/// The shape of whichever side has one; of two, the source's.
template <class Src, class Dst>
shape_2d shape_of_rows(Src& src, Dst& dst) {
    if constexpr (pitched_range<Src>) {
        return {.rows = src.view().rows(), .columns = src.view().columns()};
    } else {
        return {.rows = dst.view().rows(), .columns = dst.view().columns()};
    }
}

/// An operand of that very shape: rows with a pitch, or all elements one behind the other.
template <class R>
row_range rows_of_operand(R& range, const shape_2d& shape, const call_site& operation) {
    text<200> message;
    if constexpr (pitched_range<R>) {
        const auto v = range.view();
        if (v.rows() == shape.rows && v.columns() == shape.columns) return rows_of_view(v);
        message.add(
            "%zu x %zu elements do not fit %zu x %zu; shapes must be equal, so name a block",
            shape.rows, shape.columns, v.rows(), v.columns());
    } else {
        const byte_range all = bytes_of_range(range);
        if (all.count == shape.rows * shape.columns) {
            return {all, shape.columns * sizeof(row_element_t<R>)};
        }
        message.add("%zu x %zu elements and a range of %zu; there must be as many", shape.rows,
                    shape.columns, all.count);
    }
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, message.c_str());
}

template <class Src, class Dst>
void copy_within(Src& src, Dst& dst, const shape_2d& shape, stream_view s, copy_mode mode,
                 const call_site& by) {
    constexpr std::size_t size = sizeof(element_of_t<Src>);
    copy_rows(rows_of(bytes_of_range(src), size, shape, shape.src_pitch, "source", by),
              rows_of(bytes_of_range(dst), size, shape, shape.dst_pitch, "destination", by),
              {shape.rows, shape.columns * size}, s, mode, by);
}
template <class Src, class Dst>
void copy_shaped(Src& src, Dst& dst, stream_view s, copy_mode mode, const call_site& by) {
    const shape_2d shape = shape_of_rows(src, dst);
    copy_rows(rows_of_operand(src, shape, by), rows_of_operand(dst, shape, by),
              {shape.rows, shape.columns * sizeof(row_element_t<Src>)}, s, mode, by);
}

}  // namespace detail

/// Copies rows of `src` to rows of `dst`, which begin at the first element of each; what lies
/// between rows stays as it is. Returns when they are there. Otherwise as `copy`.
/// @throws invalid_argument when the rows are not within a range or longer than a pitch,
/// wrong_device for a stream of a third device @sync stream
template <class Src, class Dst>
requires detail::rows_copyable_to<Src, Dst>
void copy_2d(Src&& src, Dst&& dst, const shape_2d& shape, stream_view s = {},
             place at = place::here()) {
    detail::copy_within(src, dst, shape, s, detail::copy_mode::blocking, {"copy_2d", at});
}

/// Between pitched buffers or blocks of them, of the same shape, or one of them and a container,
/// view or host range that holds as many elements, row by row without gaps.
/// @throws invalid_argument when shapes or sizes differ, wrong_device for a stream of a third
/// device
/// @sync stream
template <class Src, class Dst>
requires detail::shaped_copyable_to<Src, Dst>
void copy_2d(Src&& src, Dst&& dst, stream_view s = {}, place at = place::here()) {
    detail::copy_shaped(src, dst, s, detail::copy_mode::blocking, {"copy_2d", at});
}

/// As `copy_2d`, queued: what `copy_async` is to `copy`. A pageable source has been read on return;
/// pageable memory is no destination. The ledger counts all from the first row to the last as used.
/// @sync none, but for a large pageable source, and between CPU and GPU
template <class Src, class Dst>
requires detail::rows_copyable_async_to<Src, Dst>
void copy_2d_async(Src&& src, Dst&& dst, const shape_2d& shape, stream_view s = {},
                   place at = place::here()) {
    detail::copy_within(src, dst, shape, s, detail::copy_mode::asynchronous, {"copy_2d_async", at});
}
/// As `copy_2d`, queued, with the shape of a pitched side.
template <class Src, class Dst>
requires detail::shaped_copyable_async_to<Src, Dst>
void copy_2d_async(Src&& src, Dst&& dst, stream_view s = {}, place at = place::here()) {
    detail::copy_shaped(src, dst, s, detail::copy_mode::asynchronous, {"copy_2d_async", at});
}

}  // namespace devmem::inline v0

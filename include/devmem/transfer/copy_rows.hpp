/// \file
/// The body of every copy of rows; what `copy_ranges.hpp` is for ranges.
#pragma once

#include <devmem/transfer/copy_ranges.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// One side of a copy of rows: the bytes from the first to the last, and how they are divided.
struct row_range {
    byte_range whole;
    std::size_t pitch = 0;  // bytes
};

/// What both sides have in common.
struct row_shape {
    std::size_t rows = 0;
    std::size_t width = 0;  // bytes

    std::size_t bytes() const noexcept { return rows * width; }
};

/// Whether a row of one side shares bytes with a row of the other; where the pitches differ,
/// whether it may. Rows of one pitch may lie between one another.
inline bool rows_overlap(const row_range& a, const row_range& b, const row_shape& shape) noexcept {
    if (!overlap(a.whole, b.whole)) return false;
    if (a.pitch != b.pitch) return true;
    const std::byte* const first = a.whole.data < b.whole.data ? a.whole.data : b.whole.data;
    const std::byte* const second = a.whole.data < b.whole.data ? b.whole.data : a.whole.data;
    const auto distance = static_cast<std::size_t>(second - first);
    const std::size_t rows_apart = distance / a.pitch;
    const std::size_t columns_apart = distance % a.pitch;
    const bool in_same = rows_apart < shape.rows && columns_apart < shape.width;
    const bool in_next = rows_apart + 1 < shape.rows && a.pitch - columns_apart < shape.width;
    return in_same || in_next;
}

/// As `queue_copy`, of rows.
inline void queue_rows(stream_state& s, const row_range& src, const row_range& dst,
                       const row_shape& shape, copy_mode mode, const call_site& operation) {
    const scoped_access reading(src.whole.of, s, access_mode::read, operation);
    const scoped_access writing(dst.whole.of, s, access_mode::write, operation);
    const bool uploads = src.whole.pageable && mode == copy_mode::asynchronous;
    const auto queue = uploads ? s.table->upload_2d_async : s.table->copy_2d_async;
    const row_copy rows{dst.whole.data, dst.pitch,   src.whole.data,
                        src.pitch,      shape.width, shape.rows};
    check(queue(s.where, s.handle, rows), operation, *s.table, s.where, shape.bytes());
}

/// Copies between overlapping rows as if through a temporary: through one.
inline void queue_overlapping_rows(stream_state& s, const row_range& src, const row_range& dst,
                                   const row_shape& shape, const call_site& operation) {
    refuse_forked_child(operation);
    block& between =
        obtain_pooled(*s.table, s.where, memory_space::device, shape.bytes(), s, operation);
    const scoped_block owner(between);
    const row_range temporary{{.data = static_cast<std::byte*>(between.data),
                               .count = shape.bytes(),
                               .bytes = shape.bytes(),
                               .of = &between,
                               .where = s.where},
                              shape.width};
    queue_rows(s, src, temporary, shape, copy_mode::asynchronous, operation);
    queue_rows(s, temporary, dst, shape, copy_mode::asynchronous, operation);
}

/// @pre the rows are within both sides
/// @throws wrong_device for a stream of a device that takes no part
inline void copy_rows(const row_range& src, const row_range& dst, const row_shape& shape,
                      stream_view given, copy_mode mode, const call_site& operation) {
    const byte_range& from = src.whole;
    const byte_range& to = dst.whole;
    if (given.names_a_stream()) require_part_in_copy(given.state(), from, to, operation);
    if (shape.bytes() == 0 || (from.data == to.data && src.pitch == dst.pitch)) return;
    const bool has_gaps = src.pitch != shape.width || dst.pitch != shape.width;
    if (shape.rows == 1 || !has_gaps) {
        byte_range one = from;
        byte_range other = to;
        one.count = one.bytes = other.count = other.bytes = shape.bytes();
        copy_ranges(one, other, given, mode, operation);
        return;
    }
    if (!from.pageable && !to.pageable && from.where.kind() != to.where.kind()) {
        copy_between_kinds(from, to, given, operation, [&](stream_state& on) {
            queue_rows(on, src, dst, shape, copy_mode::blocking, operation);
        });
        return;
    }
    stream_state& s = stream_of_copy(from, to, given, operation);
    if (rows_overlap(src, dst, shape)) {
        queue_overlapping_rows(s, src, dst, shape, operation);
    } else {
        queue_rows(s, src, dst, shape, mode, operation);
    }
    if (mode == copy_mode::blocking) synchronize_stream(s, operation);
}

}  // namespace devmem::inline v0::detail

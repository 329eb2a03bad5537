/// \file
/// `row_copy`: rows of bytes to be copied, as backends are told of them.
#pragma once

#include <cstddef>

namespace devmem::inline v0 {

/// Rows of bytes to be copied: each begins a pitch after the one before. All are in bytes, but the
/// height, which is the number of rows.
struct row_copy {
    void* dst = nullptr;
    std::size_t dst_pitch = 0;
    const void* src = nullptr;
    std::size_t src_pitch = 0;
    std::size_t width = 0;
    std::size_t height = 0;

    /// Whether they are one piece of memory on either side.
    bool is_dense() const noexcept {
        return height == 1 || (dst_pitch == width && src_pitch == width);
    }
    /// The same rows, to lie one behind the other at `packed`.
    row_copy to_packed(void* packed) const noexcept {
        return {packed, width, src, src_pitch, width, height};
    }
    /// The same rows, from where they lie one behind the other.
    row_copy from_packed(const void* packed) const noexcept {
        return {dst, dst_pitch, packed, width, width, height};
    }
};

namespace detail {

/// Copies, on the host, the rows [begin, end).
inline void copy_some_rows(const row_copy& rows, std::size_t begin, std::size_t end) noexcept {
    for (std::size_t i = begin; i < end; ++i) {
        __builtin_memcpy(static_cast<std::byte*>(rows.dst) + i * rows.dst_pitch,
                         static_cast<const std::byte*>(rows.src) + i * rows.src_pitch, rows.width);
    }
}
inline void copy_all_rows(const row_copy& rows) noexcept { copy_some_rows(rows, 0, rows.height); }

}  // namespace detail

}  // namespace devmem::inline v0

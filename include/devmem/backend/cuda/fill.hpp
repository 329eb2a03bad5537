/// \file
/// Fills without a kernel: by the driver's memsets, wider patterns by copies that double.
#pragma once

#include <devmem/backend/cuda/copy.hpp>
#include <devmem/backend/cuda/driver.hpp>
#include <devmem/backend/cuda/staging.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace devmem::inline v0::detail {

/// The width of the shortest pattern that gives the same bytes: 1, 2, 4 or 8, else `width`.
inline std::size_t pattern_period(const std::byte* pattern, std::size_t width) noexcept {
    for (std::size_t period = 1; period <= 8 && period < width; period *= 2) {
        if (width % period == 0 && std::memcmp(pattern, pattern + period, width - period) == 0) {
            return period;
        }
    }
    return width;
}

template <class Word>
Word load_word(const std::byte* from) noexcept {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
}

/// Fills by the driver's memsets where they have the width and `dst` the alignment; sets `done`
/// where it did, or tried to.
inline status fill_by_memset(const cuda_driver& driver, cudaStream_t stream, CUdeviceptr_v2 dst,
                             const std::byte* pattern, std::size_t period, std::size_t count,
                             bool* done) noexcept {
    const std::size_t alignment = period < 4 ? period : 4;
    *done = (period == 1 || period == 2 || period == 4 || period == 8) && dst % alignment == 0;
    if (!*done) return {};
    if (period == 1) {
        return driver_status(
            driver.memset_8(dst, load_word<unsigned char>(pattern), count, stream));
    }
    if (period == 2) {
        return driver_status(
            driver.memset_16(dst, load_word<std::uint16_t>(pattern), count, stream));
    }
    const auto low = load_word<std::uint32_t>(pattern);
    if (period == 4) return driver_status(driver.memset_32(dst, low, count, stream));
    // There is none of 8 bytes: two columns of a matrix whose rows are 8 bytes apart.
    constexpr std::size_t pitch = 8;
    const status s = driver_status(driver.memset_2d_32(dst, pitch, low, 1, count, stream));
    if (!s.ok()) return s;
    const auto high = load_word<std::uint32_t>(pattern + 4);
    return driver_status(driver.memset_2d_32(dst + 4, pitch, high, 1, count, stream));
}

/// Uploads the pattern once, then copies what is filled behind itself until all is.
inline status fill_by_doubling(const cuda_driver& driver, device d, cudaStream_t stream, void* dst,
                               const void* pattern, std::size_t width, std::size_t bytes) noexcept {
    status s = cuda_upload(driver, d, stream, dst, pattern, width);
    for (std::size_t filled = width; s.ok() && filled < bytes;) {
        const std::size_t more = bytes - filled < filled ? bytes - filled : filled;
        s = cuda_copy(driver, stream, static_cast<std::byte*>(dst) + filled, dst, more);
        filled += more;
    }
    return s;
}

inline status cuda_fill(const cuda_driver& driver, device d, cudaStream_t stream, void* dst,
                        const void* pattern, std::size_t width, std::size_t count) noexcept {
    const auto* bytes = static_cast<const std::byte*>(pattern);
    const std::size_t period = pattern_period(bytes, width);
    bool done = false;
    const status s = fill_by_memset(driver, stream, reinterpret_cast<CUdeviceptr_v2>(dst), bytes,
                                    period, count * (width / period), &done);
    if (done) return s;
    return fill_by_doubling(driver, d, stream, dst, pattern, width, width * count);
}

}  // namespace devmem::inline v0::detail

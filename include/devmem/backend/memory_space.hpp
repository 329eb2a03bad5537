/// \file
/// `memory_space`: where memory lives and who may touch it.
#pragma once

#include <cstdint>

namespace devmem::inline v0 {

/// Where memory lives and who may touch it.
enum class memory_space : std::int32_t {
    device,   ///< the device's own memory; the host cannot touch it
    pinned,   ///< page-locked host memory, for copies that do not wait
    mapped,   ///< page-locked host memory that kernels read and write across the bus (zero-copy)
    managed,  ///< moves to whoever touches it
};

/// The word for a space, as in messages.
constexpr const char* to_word(memory_space space) noexcept {
    switch (space) {
        case memory_space::device:
            return "device";
        case memory_space::pinned:
            return "pinned";
        case memory_space::mapped:
            return "mapped";
        case memory_space::managed:
            return "managed";
    }
    return "unknown";
}

namespace detail {

inline constexpr int memory_spaces = 4;

/// Every block of memory that a backend gives is aligned to this many bytes, as `cudaMalloc`'s.
inline constexpr unsigned block_alignment = 256;

}  // namespace detail

}  // namespace devmem::inline v0

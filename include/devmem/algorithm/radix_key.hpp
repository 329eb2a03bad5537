/// \file
/// Numbers as unsigned integers in the same order.
#pragma once

#include <devmem/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace devmem::inline v0::detail {

/// Numbers of at most eight bytes.
template <class T>
inline constexpr bool has_radix_key = std::is_arithmetic_v<T> &&
                                      (sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||
                                       sizeof(T) == 8);

template <std::size_t Bytes>
struct word_of_size;
template <>
struct word_of_size<1> {
    using type = std::uint8_t;
};
template <>
struct word_of_size<2> {
    using type = std::uint16_t;
};
template <>
struct word_of_size<4> {
    using type = std::uint32_t;
};
template <>
struct word_of_size<8> {
    using type = std::uint64_t;
};

/// `radix_key(a) < radix_key(b)` is `a < b`, and equal numbers have equal keys, -0 and 0 too. Every
/// NaN has the largest key there is.
template <class T>
constexpr auto radix_key(T x) noexcept {
    using word = typename word_of_size<sizeof(T)>::type;
    constexpr int bits = std::numeric_limits<word>::digits;
    constexpr word sign = static_cast<word>(word{1} << (bits - 1));
    const word pattern = std::bit_cast<word>(x);
    if constexpr (std::is_floating_point_v<T>) {
        constexpr word infinity = std::bit_cast<word>(std::numeric_limits<T>::infinity());
        const word magnitude = static_cast<word>(pattern & (sign - 1));
        // All ones for negative numbers: minus the magnitude is its complement plus one.
        const word negative = static_cast<word>(word{0} - (pattern >> (bits - 1)));
        const word ordered = static_cast<word>((magnitude ^ negative) - negative + sign);
        return magnitude > infinity ? std::numeric_limits<word>::max() : ordered;
    } else if constexpr (std::is_signed_v<T>) {
        return static_cast<word>(pattern ^ sign);
    } else {
        return pattern;
    }
}

/// The order of `radix_key`.
struct by_radix_key {
    template <class T>
    constexpr bool operator()(T a, T b) const noexcept {
        return radix_key(a) < radix_key(b);
    }
};

/// The order of numbers that are too wide for it, likewise with NaN at the end.
struct nan_last {
    template <class T>
    DEVMEM_HD constexpr bool operator()(T a, T b) const noexcept {
        return a < b || (!__builtin_isnan(a) && __builtin_isnan(b));
    }
};

}  // namespace devmem::inline v0::detail

/// \file
/// What may be an element, and how many of them there may be.
#pragma once

#include <devmem/detail/type_name.hpp>
#include <devmem/error.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

/// A type whose objects may be moved between devices by copying their bytes.
template <class T>
concept device_element =
    std::is_object_v<T> && std::is_trivially_copyable_v<T> && !std::is_const_v<T> &&
    !std::is_volatile_v<T> && alignof(T) <= detail::block_alignment;

namespace detail {

/// The bytes of `n` elements.
/// @throws length_error when they are more than any object can have
inline std::size_t checked_bytes(std::size_t n, std::size_t element_size,
                                 const call_site& operation) {
    constexpr std::size_t most = static_cast<std::size_t>(PTRDIFF_MAX);
    if (n <= most / element_size) [[likely]] {
        return n * element_size;
    }
    text<160> message;
    message.add("%zu elements of %zu bytes are more than the %zu bytes an object can have", n,
                element_size, most);
    throw_failure({.code = error_code::length_error, .operation = operation}, message.c_str());
}

/// `a + b` elements.
/// @throws length_error when they are more than any object can have
inline std::size_t checked_sum(std::size_t a, std::size_t b, std::size_t element_size,
                               const call_site& operation) {
    std::size_t n = 0;
    if (__builtin_add_overflow(a, b, &n)) n = ~std::size_t{0};
    checked_bytes(n, element_size, operation);
    return n;
}

}  // namespace detail

}  // namespace devmem::inline v0

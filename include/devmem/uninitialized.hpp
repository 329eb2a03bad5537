/// \file
/// `uninitialized`: asks for elements without a value.
#pragma once

namespace devmem::inline v0 {

/// The type of `uninitialized`.
struct uninitialized_t {
    explicit constexpr uninitialized_t() noexcept = default;
};

/// In place of a value: new elements are left as they are. With `DEVMEM_POISON=1` they hold bytes
/// of 0xFF, which is a NaN to floating-point types.
inline constexpr uninitialized_t uninitialized{};

}  // namespace devmem::inline v0

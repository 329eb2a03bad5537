/// \file
/// Functors for algorithms: `plus`, `less`, `equal_to`, each of two elements of one type.
/// Algorithms know them: sorting by `less` does not compare at all where the elements are numbers.
#pragma once

#include <devmem/config.hpp>

namespace devmem::inline v0 {

/// `a + b`, of one type.
struct plus {
    /// Of two values of one type.
    template <class T>
    DEVMEM_HD constexpr T operator()(const T& a, const T& b) const {
        return static_cast<T>(a + b);
    }
};

/// `a < b`, of one type.
struct less {
    /// Of two values of one type.
    template <class T>
    DEVMEM_HD constexpr auto operator()(const T& a, const T& b) const
        -> decltype(static_cast<bool>(a < b)) {
        return static_cast<bool>(a < b);
    }
};

/// `a == b`, of one type.
struct equal_to {
    /// Of two values of one type.
    template <class T>
    DEVMEM_HD constexpr auto operator()(const T& a, const T& b) const
        -> decltype(static_cast<bool>(a == b)) {
        return static_cast<bool>(a == b);
    }
};

}  // namespace devmem::inline v0

/// \file
/// The functors that algorithms use unless another is given.
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

/// `a < b`.
struct less {
    /// Of two values of one type.
    template <class T>
    DEVMEM_HD constexpr bool operator()(const T& a, const T& b) const {
        return a < b;
    }
};

/// `a == b`.
struct equal_to {
    /// Of two values of one type.
    template <class T>
    DEVMEM_HD constexpr bool operator()(const T& a, const T& b) const {
        return a == b;
    }
};

}  // namespace devmem::inline v0

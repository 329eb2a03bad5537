/// \file
/// What the copies of the headers ask that remove_waits.py writes: which removal is in force.
#pragma once

#include <cstdlib>

namespace devmem_removal {

/// The number of the removal that `DEVMEM_REMOVE` names; none: -1.
inline int number_in_force() noexcept {
    const char* const set = std::getenv("DEVMEM_REMOVE");
    return set != nullptr ? std::atoi(set) : -1;
}

inline const int in_force = number_in_force();

/// A call that has been removed gives this: nothing, or what stands for success.
template <class T>
T nothing() noexcept {
    return T();
}

/// Not while constant expressions are evaluated.
constexpr bool is_chosen(int removal) noexcept {
    if (__builtin_is_constant_evaluated()) return false;
    return in_force == removal;
}

/// A condition, or what it is made to be by the removals of these numbers; 0 is none.
constexpr bool condition(int made_false, int made_true, bool is) noexcept {
    return is_chosen(made_false) ? false : is_chosen(made_true) ? true : is;
}

}  // namespace devmem_removal

/// \file
/// `order_check`: what is done about missing waits, and what the process has chosen.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/messages.hpp>

#include <cstdint>

namespace devmem::inline v0 {

/// What is done about an access that nothing orders after one that it conflicts with, in containers
/// with `ordering::manual`.
enum class order_check : std::uint8_t {
    off,    ///< nothing is looked for
    print,  ///< a note
    raise,  ///< an `access_conflict`
};

namespace detail {

/// What is in force, an `order_check`.
inline DEVMEM_STATE atomic<std::uint8_t> order_mode{0};

inline order_check order_check_in_force() noexcept {
    return static_cast<order_check>(order_mode.load_relaxed());
}
inline void put_in_force(order_check check) noexcept {
    order_mode.store_relaxed(static_cast<std::uint8_t>(check));
}
inline bool is_checking() noexcept { return order_check_in_force() != order_check::off; }

}  // namespace detail

}  // namespace devmem::inline v0

/// \file
/// `empty_cache`: gives memory that is only kept back to its backend.
#pragma once

#include <devmem/memory/give_back.hpp>

namespace devmem::inline v0 {

/// Gives the memory of a device, of all spaces, that devmem keeps for the next container back.
/// Waits for work that still uses such memory. A device that devmem has no memory of is left alone.
/// @throws no_such_device, and what the backend reports @sync stream
inline void empty_cache(device d) {
    const backend_table& table = detail::table_of(d, "empty_cache");
    status first = detail::reclaim_and_wait();
    for (int space = 0; space < detail::memory_spaces; ++space) {
        const status s = detail::give_back_cached(d, static_cast<memory_space>(space));
        if (first.ok()) first = s;
    }
    detail::check(first, "empty_cache", table, d);
}

/// The same for all devices that devmem has memory of.
inline void empty_cache() {
    for (int kind = 0; kind < detail::backend_kinds; ++kind) {
        const int count = detail::count_devices(static_cast<device_kind>(kind));
        for (int i = 0; i < count; ++i) empty_cache(device(static_cast<device_kind>(kind), i));
    }
}

}  // namespace devmem::inline v0

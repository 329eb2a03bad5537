/// \file
/// `set_order_check`: looks for missing waits in containers whose order is the program's, or stops.
#pragma once

#include <devmem/detail/order_mode.hpp>
#include <devmem/stream/order.hpp>

namespace devmem::inline v0 {

/// Chooses what is done about missing waits, from now on. What was queued while nothing was looked
/// for is taken to be in order. At the start `DEVMEM_CHECK_ORDER` decides, else
/// `settings::check_order`, else nothing is looked for.
/// @thread safe
inline void set_order_check(order_check wanted) {
    detail::ensure_settings();
    const detail::lock_guard lock(detail::host.lock);
    if (!detail::is_checking()) {
        const detail::stream_state* s = detail::streams.all.load_acquire();
        for (; s != nullptr; s = s->next_of_all) {
            detail::host.known.raise(s->number, s->tick.load_acquire());
        }
    }
    detail::put_in_force(wanted);
}

}  // namespace devmem::inline v0

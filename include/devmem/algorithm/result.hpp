/// \file
/// What algorithms with a result on the host have in common: they wait for it.
#pragma once

#include <devmem/stream/order.hpp>

namespace devmem::inline v0::detail {

/// Has `queue(&result)` queue what writes the result on `on`, and waits for it. Accesses are over
/// when `queue` returns.
template <class T, class Queue>
T wait_for_result(stream_state& on, T result, const call_site& operation, const Queue& queue) {
    queue(&result);
    synchronize_stream(on, operation);
    return result;
}

}  // namespace devmem::inline v0::detail

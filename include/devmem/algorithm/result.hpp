/// \file
/// What algorithms that return a value have in common: they wait for it.
#pragma once

#include <devmem/stream.hpp>

namespace devmem::inline v0::detail {

/// `result`, as work makes it that `queue(&result)` puts on the stream; accesses are opened and
/// closed within `queue`. The wait of every such algorithm is this one.
/// @throws what the work of the stream threw @sync stream
template <class T, class Queue>
T wait_for_result(stream_state& on, T result, const call_site& operation, const Queue& queue) {
    queue(&result);
    synchronize_stream(on, operation);
    return result;
}

}  // namespace devmem::inline v0::detail

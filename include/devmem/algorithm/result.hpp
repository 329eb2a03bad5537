/// \file
/// What algorithms that return a value have in common: they wait for it.
#pragma once

#include <devmem/algorithm/operand.hpp>
#include <devmem/device_buffer.hpp>
#include <devmem/stream.hpp>

namespace devmem::inline v0::detail {

/// Has a GPU write the value to its own memory, and then copies it.
template <class T, class Queue>
void fetch_result(stream_state& on, T* result, const call_site& operation, const Queue& queue) {
    device_buffer there(sizeof(T), uninitialized, stream_view(on));
    const auto used = writing(on, there, operation);
    T* const made = reinterpret_cast<T*>(used.elements().data);
    queue(made);
    check(on.table->copy_async(on.where, on.handle, result, made, sizeof(T)), operation, *on.table,
          on.where, sizeof(T));
}

/// `result`, as work makes it that `queue(address)` puts on the stream; accesses are opened and
/// closed within `queue`. The wait of every such algorithm is this one.
/// @throws what the work of the stream threw @sync stream
template <class T, class Queue>
T wait_for_result(stream_state& on, T result, const call_site& operation, const Queue& queue) {
    if (on.where.kind() == device_kind::cpu) {
        queue(&result);
    } else {
        fetch_result(on, &result, operation, queue);
    }
    synchronize_stream(on, operation);
    return result;
}

}  // namespace devmem::inline v0::detail

/// \file
/// Queueing work that is more than one loop: a task of the host's, or an algorithm of the GPU's
/// that needs memory on its way.
#pragma once

#include <devmem/algorithm/loop.hpp>
#include <devmem/backend/device_algorithms.hpp>
#include <devmem/backend/host_twins.hpp>
#include <devmem/device_buffer.hpp>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Queues an algorithm of a GPU, with memory from the pool.
template <class Call>
void queue_device_call(stream_state& s, const Call& call, const call_site& operation) {
    std::size_t bytes = 0;
    device_call at{s.where, s.handle, nullptr, &bytes};
    check(call(at), operation, *s.table, s.where);
    // None would be taken for the question how much.
    device_buffer scratch(bytes == 0 ? 1 : bytes, uninitialized, stream_view(s));
    const auto used = writing(s, scratch, operation);
    at.scratch = used.elements().data;
    check(call(at), operation, *s.table, s.where);
}

/// Queues a task unless there is nothing to do for it. On a CPU stream, and over a runtime that
/// runs host twins, it is `task()`, which makes loops of its own of the team, and what it throws is
/// kept for the stream's next `synchronize`; on a GPU's it is `call(device_call)`.
/// @throws not_permitted on a stream of a GPU in a file that nvcc has not compiled
template <class Task, class Call>
void queue_task(stream_state& s, bool is_needed, const Task& task, const Call& call,
                const call_site& operation) {
    if (s.where.kind() == device_kind::cpu) {
        if (is_needed) queue_on_host(s, task, operation);
    } else if constexpr (has_kernels) {
        if (!is_needed) return;
        if (const host_twins* const twins = linked_host_twins()) {
            check(run_host_twin(*twins, s.where, s.handle, keeping_exceptions(s, task)), operation,
                  *s.table, s.where);
        } else {
            queue_device_call(s, call, operation);
        }
    } else {
        throw_no_kernels(s.where, operation);
    }
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

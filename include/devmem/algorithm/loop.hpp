/// \file
/// Queueing a loop over indices: on a CPU by the team, on a GPU as a kernel.
#pragma once

#include <devmem/algorithm/operand.hpp>
#include <devmem/backend/kernels.hpp>
#include <devmem/config.hpp>
#include <devmem/host_task.hpp>

#include <cstddef>

namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE {

/// Elements of a loop that a helper is worth waking for.
inline constexpr std::size_t loop_grain = 4096;

[[noreturn]] inline void throw_no_kernels(device d, const call_site& operation) {
    text<192> message;
    message.add(
        "no kernel for %s:%d in a file that nvcc has not compiled; compile it with nvcc, "
        "or copy the data to a CPU device",
        kind_name(d.kind()), d.index());
    throw_failure({.code = error_code::not_permitted, .operation = operation, .where = d},
                  message.c_str());
}

/// Queues a loop over [0, n). On a CPU stream it is `body(begin, end)` for pieces, shared among the
/// team at multiples of `grain`, and what it throws is kept for the stream's next `synchronize`;
/// on a GPU's `body(i)` for each i.
/// @throws not_permitted on a stream of a GPU in a file that nvcc has not compiled
template <class Body>
void queue_loop(stream_state& s, std::size_t n, std::size_t grain, const Body& body,
                const call_site& operation) {
    if (s.where.kind() == device_kind::cpu) {
        if (n == 0) return;
        queue_on_host(
            s, [n, grain, body] { engine().helpers().run(n, grain, body); }, operation);
    } else if constexpr (has_kernels) {
        if (n == 0) return;
        check(launch_loop(s.where, s.handle, n, body), operation, *s.table, s.where);
    } else {
        throw_no_kernels(s.where, operation);
    }
}

}  // namespace devmem::inline v0::detail::inline DEVMEM_KERNEL_NAMESPACE

/// \file
/// `host_task`: a host function in the order of a stream.
#pragma once

#include <devmem/stream.hpp>

#include <type_traits>
#include <utility>

namespace devmem::inline v0 {

namespace detail {

/// `f`, whose exception is kept for the stream's next `synchronize`.
template <class F>
host_function keeping_exceptions(stream_state& s, F&& f) {
    const stream_ticket of = ticket_of(s);
    return make_host_function([run = std::forward<F>(f), of]() mutable noexcept {
        try {
            run();
        } catch (...) {
            keep_exception(of);
        }
    });
}

/// Queues `f` on a stream; what it throws is kept for the stream's next `synchronize`.
template <class F>
void queue_on_host(stream_state& s, F&& f, const call_site& operation) {
    host_function work = keeping_exceptions(s, std::forward<F>(f));
    const status accepted = s.table->host_call(s.where, s.handle, work);
    if (!accepted.ok()) work.drop();
    check(accepted, operation, *s.table, s.where);
}

}  // namespace detail

/// Calls `f()` on a thread of devmem's once all before it on the stream has run; what follows on
/// the stream waits for it. What it throws is thrown by the stream's next `synchronize`. It must
/// not call devmem, except that it may destroy devmem's objects.
/// @sync none
template <class F>
requires std::is_invocable_v < std::decay_t<F>
& > void host_task(F&& f, stream_view s = {}) {
    detail::stream_state& on = s.names_a_stream()
                                   ? s.state()
                                   : detail::current_stream_state(current_device(), "host_task");
    detail::queue_on_host(on, std::forward<F>(f), "host_task");
}

}  // namespace devmem::inline v0

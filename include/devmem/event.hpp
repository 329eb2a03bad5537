/// \file
/// `event`: a mark in a stream that other streams and the host can wait for.
#pragma once

#include <devmem/stream.hpp>
#include <devmem/stream/event_handle.hpp>

namespace devmem::inline v0 {

/// A mark in a stream. Made without a stream it marks nothing, and nobody waits for it.
/// @thread one thread at a time, as any object; waiting on it from several is safe
class event {
  public:
    event() noexcept = default;
    /// Marks the present end of `s`.
    explicit event(stream_view s) { record(s); }

    /// Marks the present end of `s`, in place of what it marked. Waits already queued keep the old
    /// mark. @sync none
    void record(stream_view s) { mark_.record(s.state(), false, "event::record"); }
    /// True when all before the mark has run. @sync none
    bool query() const { return mark_.query("event::query"); }
    /// Blocks the host until all before the mark has run.
    void synchronize() const { mark_.synchronize("event::synchronize"); }
    /// The `cudaEvent_t`; null when nothing is marked.
    /// @throws wrong_device for a mark in a stream of the CPU
    native_event native_handle() const { return mark_.native_handle("event::native_handle"); }

  private:
    friend class stream_view;
    detail::event_handle mark_;
};

inline void stream_view::wait(const event& e) const { e.mark_.make_wait(state(), "stream::wait"); }

}  // namespace devmem::inline v0

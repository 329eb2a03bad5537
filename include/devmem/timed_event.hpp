/// \file
/// `timed_event`: an event that also keeps the time at which its stream passed it.
#pragma once

#include <devmem/stream.hpp>
#include <devmem/stream/event_handle.hpp>

#include <chrono>

namespace devmem::inline v0 {

/// An event that measures: `end - begin` is the time between two marks, on the device's clock.
class timed_event {
  public:
    timed_event() noexcept = default;
    /// Marks the present end of `s`.
    explicit timed_event(stream_view s) { record(s); }

    /// Marks the present end of `s`, in place of what it marked. @sync none
    void record(stream_view s) { mark_.record(s.state(), true, "timed_event::record"); }
    /// True when all before the mark has run. @sync none
    bool query() const { return mark_.query("timed_event::query"); }
    /// Blocks the host until all before the mark has run.
    void synchronize() const { mark_.synchronize("timed_event::synchronize"); }
    /// The `cudaEvent_t`; null when nothing is marked.
    /// @throws wrong_device for a mark in a stream of the CPU
    native_event native_handle() const { return mark_.native_handle("timed_event::native_handle"); }

    /// The time from one mark to the other. @pre both have been passed: synchronize `end` first
    /// @throws invalid_argument when one marks nothing or they are on different devices,
    /// not_permitted (CPU) or backend failure (CUDA) when one is still to come
    friend std::chrono::duration<double, std::milli> operator-(const timed_event& end,
                                                               const timed_event& begin) {
        return std::chrono::duration<double, std::milli>(
            static_cast<double>(end.mark_.milliseconds_since(begin.mark_, "timed_event")));
    }

  private:
    detail::event_handle mark_;
};

}  // namespace devmem::inline v0

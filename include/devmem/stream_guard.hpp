/// \file
/// `stream_guard`: makes a stream, and its device, current for a while.
#pragma once

#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

namespace devmem::inline v0 {

/// Makes a stream and its device current for the calling thread while it lives, and restores both.
/// Guards nest strictly; they are neither copied nor moved.
/// @thread the thread that made it destroys it @lifetime the stream outlives it
class [[nodiscard]] stream_guard {
  public:
    /// @throws no_such_device
    explicit stream_guard(stream_view s)
        : device_(s.device()), frame_{&s.state(), detail::stream_frames} {
        detail::stream_frames = &frame_;
    }
    ~stream_guard() { detail::stream_frames = frame_.outer; }
    stream_guard(const stream_guard&) = delete;
    stream_guard& operator=(const stream_guard&) = delete;

  private:
    scoped_device device_;
    detail::stream_frame frame_;
};

}  // namespace devmem::inline v0

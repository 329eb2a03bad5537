/// \file
/// `scoped_timer`: prints how long the work of a scope took on its stream.
#pragma once

#include <devmem/backend/fork.hpp>
#include <devmem/detail/text.hpp>
#include <devmem/messages.hpp>
#include <devmem/stream.hpp>
#include <devmem/timed_event.hpp>

#include <cstdio>
#include <exception>
#include <string_view>

namespace devmem::inline v0 {

/// Takes the name of a timer and the time that it has measured.
using timer_sink = void (*)(const char* name, double milliseconds) noexcept;

namespace detail {

inline void print_time(const char* name, double milliseconds) noexcept {
    std::fprintf(stderr, "devmem: %s: %.3f ms\n", name, milliseconds);
}

inline DEVMEM_STATE timer_sink timer_sink_in_force = print_time;

}  // namespace detail

/// Sends what timers measure to `sink`; null restores the default, standard error. Returns the sink
/// before.
/// @thread safe
inline timer_sink set_timer_sink(timer_sink sink) noexcept {
    return detail::exchange_handler(detail::timer_sink_in_force, sink, &detail::print_time);
}

/// Measures, on a stream, the time from where the stream stands at the beginning of a scope to
/// where it stands at the end, and sends it to the sink under a name. What is queued in between is
/// measured, not the host: neither the time to queue, nor the work of other streams.
///
/// @sync none at the beginning; at the end the host waits until the stream has passed it, since
/// before that there is no time to tell. So a timer makes a scope wait for its work: measure with
/// `timed_event` where that would change what is measured
/// @lifetime the stream must live until the end; the name is copied, and cut off at 95 bytes
class [[nodiscard]] scoped_timer {
  public:
    /// By default on the current stream of the current device.
    explicit scoped_timer(std::string_view name, stream_view s = {})
        : on_(s.names_a_stream() ? s : current_stream()), begin_(on_) {
        name_.add("%.*s", static_cast<int>(name.size() < 95 ? name.size() : 95), name.data());
    }
    scoped_timer(std::string_view name, const stream&& gone) = delete;
    /// Tells the time. What prevents that goes to the sink of errors in destructors; nothing is
    /// told in a forked child.
    ~scoped_timer() {
        if (detail::process_is_forked()) return;
        try {
            const timed_event end(on_);
            end.synchronize();
            const double milliseconds = (end - begin_).count();
            __atomic_load_n(&detail::timer_sink_in_force, __ATOMIC_ACQUIRE)(name_.c_str(),
                                                                            milliseconds);
        } catch (const std::exception& e) {
            detail::text<800> message;
            message.add("~scoped_timer: '%s' not measured: %s", name_.c_str(), e.what());
            detail::report_destructor_error(message.c_str());
        } catch (...) {
            detail::report_destructor_error("~scoped_timer: not measured");
        }
    }
    scoped_timer(const scoped_timer&) = delete;
    scoped_timer& operator=(const scoped_timer&) = delete;

  private:
    stream_view on_;
    timed_event begin_;
    detail::text<96> name_;
};

}  // namespace devmem::inline v0

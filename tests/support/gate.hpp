/// \file
/// A gate holds up streams until the test opens it.
#pragma once

#include "skip.hpp"

#include <devmem/backend/cpu/engine.hpp>
#include <devmem/backend/cpu/queue.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

/// The simulated CUDA runtime's, where the program runs over that: its queues wait for a gate as
/// they do for each other, so that the engine knows what holds a stream.
extern "C" __attribute__((weak)) void simulated_cuda_hold(int device, void* stream,
                                                          devmem::detail::gate_queue& gate);

namespace devmem_test {

/// Whether the process runs under that scheduler: `inline`, `deferred`.
inline bool scheduler_is(const char* kind) noexcept {
    const char* set = std::getenv("DEVMEM_SCHEDULER");
    const std::size_t length = std::strlen(kind);
    return set != nullptr && std::strncmp(set, kind, length) == 0 &&
           (set[length] == '\0' || set[length] == ':');
}

/// Who opens a gate: with the scheduler `deferred`, a thread that waits for work behind a closed
/// one is told of a deadlock, save where another thread is to open it.
enum class opened_by { this_thread, another_thread };

/// Work queued on a stream behind a closed gate cannot finish before `open`.
class gate {
  public:
    /// Not with the scheduler `inline`: the caller would run the gate, and nobody could open it.
    static bool works() noexcept { return !scheduler_is("inline"); }

    explicit gate(opened_by who = opened_by::this_thread) : opened_(make_queue(who)) {}
    explicit gate(devmem::stream_view s, opened_by who = opened_by::this_thread) : gate(who) {
        close(s);
    }
    /// A test that ends early must not leave a stream that never ends.
    ~gate() { open(); }
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    /// Holds up what is queued on `s` from now on. Any number of streams, once each.
    void close(devmem::stream_view s) const {
        if (hold(s.state().where, s.state().handle)) return;
        devmem::host_task([gate = opened_] { static_cast<void>(gate->wait(1)); }, s);
    }
    /// The same by a backend's own handle; false where the engine does not run its streams.
    bool hold(devmem::device d, void* stream) const {
        if (d.kind() == devmem::device_kind::cpu) {
            devmem::detail::queue& q = static_cast<devmem::detail::cpu_stream*>(stream)->work;
            if (!push_wait(q, opened_->opened()).ok()) std::abort();
            return true;
        }
        if (simulated_cuda_hold == nullptr) return false;
        simulated_cuda_hold(d.index(), stream, *opened_);
        return true;
    }
    void open() noexcept { opened_->open(); }

  private:
    using queue = devmem::detail::gate_queue;

    // Never freed: a stream may be on its way out of one that has been opened. Counting references
    // would order the streams that share a gate, which a race detector would take for real.
    static queue* make_queue(opened_by who) {
        static std::mutex adding;
        static auto* const all = new std::vector<queue*>;
        const std::lock_guard lock(adding);
        all->push_back(new queue(who == opened_by::another_thread));
        return all->back();
    }

    queue* opened_;
};

/// Whether the stream's work comes to its end by itself: at once with the schedulers `inline` and
/// `deferred`, where nobody else would go on with it; else within a generous time.
inline bool comes_to_its_end(devmem::stream_view s, int milliseconds = 10'000) {
    if (scheduler_is("deferred")) {
        try {
            s.synchronize();
        } catch (const devmem::deadlock&) {
            return false;
        }
        return true;
    }
    for (int i = 0; i < milliseconds && !s.query(); ++i) usleep(1000);
    return s.query();
}

/// Whether something holds the stream up. Believes it soon.
inline bool is_held_up(devmem::stream_view s) { return !comes_to_its_end(s, 20); }

}  // namespace devmem_test

/// Leaves a test case that needs work to be held up where there is nobody to go on meanwhile.
#define DEVMEM_NEEDS_GATE()                                                  \
    do {                                                                     \
        if (!::devmem_test::gate::works()) {                                 \
            DEVMEM_SKIP("work cannot be held up with the scheduler inline"); \
        }                                                                    \
    } while (false)

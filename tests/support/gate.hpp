/// \file
/// A gate holds up streams until the test opens it.
#pragma once

#include "skip.hpp"

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace devmem_test {

/// Work queued on a stream behind a closed gate cannot finish before `open`.
class gate {
  public:
    /// Not with the scheduler `inline`: the caller would run the gate, and nobody could open it.
    static bool works() noexcept {
        const char* scheduler = std::getenv("DEVMEM_SCHEDULER");
        return scheduler == nullptr || std::strcmp(scheduler, "inline") != 0;
    }

    gate() : opened_(make_latch()) {}
    explicit gate(devmem::stream_view s) : gate() { close(s); }
    /// A test that ends early must not leave a stream that never ends.
    ~gate() { open(); }
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    /// Holds up what is queued on `s` from now on. Any number of streams, once each.
    void close(devmem::stream_view s) const {
        devmem::host_task([latch = opened_] { latch->wait_for(1); }, s);
    }
    void open() noexcept { opened_->add(1); }

  private:
    using latch = devmem::detail::wait_counter;

    // Never freed: a stream may be on its way out of one that has been opened. Counting references
    // would order the streams that share a gate, which a race detector would take for real.
    static latch* make_latch() {
        static std::mutex adding;
        static auto* const all = new std::vector<latch*>;
        const std::lock_guard lock(adding);
        all->push_back(new latch);
        return all->back();
    }

    latch* opened_;
};

}  // namespace devmem_test

/// Leaves a test case that needs work to be held up where there is nobody to go on meanwhile.
#define DEVMEM_NEEDS_GATE()                                                  \
    do {                                                                     \
        if (!::devmem_test::gate::works()) {                                 \
            DEVMEM_SKIP("work cannot be held up with the scheduler inline"); \
        }                                                                    \
    } while (false)

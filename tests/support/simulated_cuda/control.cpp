#include "simulated_cuda.hpp"

#include "state.hpp"

#include <devmem/backend/cpu/engine.hpp>
#include <devmem/backend/cpu/sync.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace simulated_cuda {

namespace inside {

thread_state& this_thread() {
    static thread_local thread_state state;
    return state;
}

simulation& the_simulation() {
    static simulation* const made = new simulation;
    return *made;
}

simulation::simulation() {
    for (int i = 0; i < most_devices; ++i) devices[i].context.device = i;
    const char* asked = std::getenv("SIMULATED_CUDA_DEVICES");
    if (asked == nullptr) return;
    const int number = std::atoi(asked);
    if (number < 0 || number > most_devices || std::to_string(number) != asked) {
        std::fprintf(stderr, "simulated CUDA: SIMULATED_CUDA_DEVICES is '%s'; it takes 0 to %d\n",
                     asked, most_devices);
        std::abort();
    }
    device_count = number;
}

bool device_state::take(std::size_t bytes) {
    std::size_t before = used;
    do {
        const std::size_t most = capacity;
        if (before > most || bytes > most - before) return false;
    } while (!used.compare_exchange_weak(before, before + bytes, std::memory_order_relaxed));
    return true;
}

}  // namespace inside

using inside::the_simulation;
using inside::this_thread;

void reset(int devices, std::size_t capacity) {
    inside::simulation& s = the_simulation();
    s.device_count = std::clamp(devices, 0, most_devices);
    for (inside::device_state& d : s.devices) {
        d.context.active = false;
        d.capacity = capacity;
        d.fault = cudaSuccess;
        d.concurrent_managed_access = true;
    }
    s.unloaded = false;
    s.handles_are_reused = false;
    s.pageable_is_accessible = false;
    fail_no_more();
    clear_calls();
    clear_misuses();
    inside::thread_state& t = this_thread();
    t.last_error = cudaSuccess;
    t.device = 0;
    t.contexts.clear();
}

void set_capacity(int device, std::size_t bytes) {
    the_simulation().devices[device].capacity = bytes;
}

std::vector<call> calls() { return the_simulation().calls.all(); }

std::vector<call> calls_of(std::string_view function) {
    std::vector<call> found = calls();
    found.erase(std::remove_if(found.begin(), found.end(),
                               [&](const call& c) { return c.function != function; }),
                found.end());
    return found;
}

std::size_t count(std::string_view function) { return the_simulation().calls.count(function); }

void clear_calls() { the_simulation().calls.clear_calls(); }

std::size_t host_waits() { return the_simulation().calls.host_waits(); }

void fail_call(std::string_view function, int nth, int error) {
    the_simulation().calls.fail(function, nth, error, inside::failure_kind::once);
}

void fail_every_call(std::string_view function, int error) {
    the_simulation().calls.fail(function, 1, error, inside::failure_kind::ever);
}

void fail_no_more() { the_simulation().calls.fail_no_more(); }

void break_device(int device, int error) { the_simulation().devices[device].fault = error; }

void break_device_at(int nth, int error) {
    the_simulation().calls.fail("", nth, error, inside::failure_kind::fault);
}

void unload_at(int nth) {
    the_simulation().calls.fail("", nth, cudaErrorCudartUnloading, inside::failure_kind::unloaded);
}

void drain() {
    for (inside::device_state& d : the_simulation().devices) {
        static_cast<void>(d.streams.synchronize());
    }
}

void unloading(bool is) { the_simulation().unloaded = is; }

void leave_error(int error) { this_thread().last_error = error; }

bool has_context(int device) { return the_simulation().devices[device].context.active; }

std::vector<int> devices_with_context() {
    std::vector<int> found;
    for (int i = 0; i < most_devices; ++i) {
        if (has_context(i)) found.push_back(i);
    }
    return found;
}

std::size_t context_depth() { return this_thread().contexts.depth(); }

memory_amount live(int device, memory_kind kind) {
    return the_simulation().memory.live(device, kind);
}

std::size_t live_streams() { return the_simulation().streams.live_streams(); }

std::size_t live_events() { return the_simulation().streams.live_events(); }

std::vector<std::string> misuses() { return the_simulation().calls.misuses(); }

void clear_misuses() { the_simulation().calls.clear_misuses(); }

const void* engine_address() { return &devmem::detail::engine(); }

const void* in_queue_work_address() { return &devmem::detail::in_queue_work; }

void reuse_handles(bool is) { the_simulation().handles_are_reused = is; }

void pageable_access(bool is) { the_simulation().pageable_is_accessible = is; }

void concurrent_managed_access(int device, bool is) {
    the_simulation().devices[device].concurrent_managed_access = is;
}

void set_capturing(void* stream, bool is) {
    CUstream_st* s = inside::find_stream(static_cast<cudaStream_t>(stream), false);
    if (s != nullptr) s->capturing = is;
}

bool device_memory_faults() { return inside::device_memory::faults; }

struct gate::latch {
    devmem::detail::gate_queue gate;
};

// Latches are kept: a queue may still be on its way out of one that has been opened.
gate::gate() : latch_(new latch) {
    static std::vector<latch*>* const kept = new std::vector<latch*>;
    static devmem::detail::mutex guard;
    const devmem::detail::lock_guard lock(guard);
    kept->push_back(latch_);
}

gate::~gate() { open(); }

bool gate::works() { return inside::scheduler() != devmem::detail::scheduler_kind::in_line; }

void gate::close(void* stream) {
    CUstream_st* s = inside::find_stream(static_cast<cudaStream_t>(stream), false);
    if (s == nullptr || !works()) return;
    the_simulation().devices[s->device].streams.push_wait(*s, latch_->gate.opened());
}

void gate::open() { latch_->gate.open(); }

}  // namespace simulated_cuda

// Weak in the programs that may run without the simulation.
void simulated_cuda_hold(int device, void* stream, devmem::detail::gate_queue& gate) {
    auto* handle = static_cast<cudaStream_t>(stream);
    simulated_cuda::inside::device_state& d = simulated_cuda::the_simulation().devices[device];
    CUstream_st* s = handle == cudaStreamLegacy
                         ? d.streams.legacy(device)
                         : simulated_cuda::inside::find_stream(handle, false);
    if (s != nullptr) d.streams.push_wait(*s, gate.opened());
}

/// \file
/// What a test tells and asks the simulated CUDA runtime.
///
/// The library `simulated_cudart` stands in for the CUDA runtime and driver, over the CPU engine's
/// queues. Settings of the environment, read at first use: `SIMULATED_CUDA_DEVICES` (2 where it is
/// not set), `DEVMEM_SCHEDULER` (`threads`, `inline` or `deferred:SEED`), and, to see that tests
/// notice, `SIMULATED_CUDA_SABOTAGE` (`copy`, `wait`, `free` or `set_device`: it does nothing and
/// succeeds).
///
/// All functions may be called from any thread, but a test that resets or makes calls fail should
/// be the only one at work. `fidelity.md`, beside this file, lists what is not modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#define SIMULATED_CUDA_API __attribute__((visibility("default")))

namespace simulated_cuda {

inline constexpr int most_devices = 16;
inline constexpr std::size_t default_capacity = std::size_t{16} << 30;

/// Starts afresh: that many devices of that many bytes, no context made, an empty log, no failures
/// to come, no misuse noted, no fault, this thread's last error cleared.
///
/// What the program still holds stays valid: allocations, streams, events, and primary contexts it
/// has retained; pushing one of these counts as making its context.
SIMULATED_CUDA_API void reset(int devices = 2, std::size_t capacity = default_capacity);

/// Gives one device a capacity of its own.
SIMULATED_CUDA_API void set_capacity(int device, std::size_t bytes);

// --- The log of calls -----------------------------------------------------------------------

/// One call of a runtime or driver function.
struct call {
    const char* function = "";
    int device = -1;           ///< of the stream, event or memory it is about, else the current
    int current_device = -1;   ///< of the calling thread, when the call was made
    std::size_t bytes = 0;     ///< of a copy, a fill or an allocation
    std::uint64_t stream = 0;  ///< the stream's id; 0 where there is none
    const void* address = nullptr;  ///< written, allocated or freed
    int result = 0;                 ///< a `cudaError_t` or a `CUresult`: they have the same numbers
    bool waited = false;            ///< the host, for the device, or may have
};

SIMULATED_CUDA_API std::vector<call> calls();
SIMULATED_CUDA_API std::vector<call> calls_of(std::string_view function);
SIMULATED_CUDA_API std::size_t count(std::string_view function);
SIMULATED_CUDA_API void clear_calls();

/// How often, since the log was cleared, the host has waited for a device, or has called what the
/// documentation lets wait: synchronizing, a copy that is not asynchronous, one from or to pageable
/// memory, freeing memory out of the order of a stream. Calls that failed did not wait.
SIMULATED_CUDA_API std::size_t host_waits();

// --- Failures -------------------------------------------------------------------------------

/// Makes the n-th call from now of that function fail with that error, and do nothing. An empty
/// name means any function. Several may be waiting.
SIMULATED_CUDA_API void fail_call(std::string_view function, int nth, int error);

/// Makes every call of that function fail, until `fail_no_more`.
SIMULATED_CUDA_API void fail_every_call(std::string_view function, int error);

SIMULATED_CUDA_API void fail_no_more();

/// Breaks a device: from now on every call that needs it, and only `reset` ends that, returns
/// `error`.
SIMULATED_CUDA_API void break_device(int device, int error);

/// As `break_device`, at the n-th call from now or the first after it that needs a context, of the
/// device that is current there.
SIMULATED_CUDA_API void break_device_at(int nth, int error);

/// As `unloading(true)`, at the n-th call from now.
SIMULATED_CUDA_API void unload_at(int nth);

/// Waits until everything queued so far on all devices has run, broken or not. Is no call of CUDA.
SIMULATED_CUDA_API void drain();

/// The driver is unloaded, as it is while a process ends: every call returns
/// `cudaErrorCudartUnloading`, the driver's `CUDA_ERROR_DEINITIALIZED`.
SIMULATED_CUDA_API void unloading(bool is);

/// Leaves an error of somebody else's as this thread's last error.
SIMULATED_CUDA_API void leave_error(int error);

// --- What there is --------------------------------------------------------------------------

SIMULATED_CUDA_API bool has_context(int device);
SIMULATED_CUDA_API std::vector<int> devices_with_context();

/// How deep the calling thread's stack of contexts is.
SIMULATED_CUDA_API std::size_t context_depth();

enum class memory_kind { device, pinned, mapped, managed };

struct memory_amount {
    std::size_t bytes = 0;
    std::size_t blocks = 0;

    friend bool operator==(const memory_amount&, const memory_amount&) = default;
};

/// Memory that has been allocated on a device's behalf and not freed.
SIMULATED_CUDA_API memory_amount live(int device, memory_kind kind);

SIMULATED_CUDA_API std::size_t live_streams();
SIMULATED_CUDA_API std::size_t live_events();

/// What the program did that CUDA's documentation forbids, or that devmem promises not to do, one
/// line each. A test demands that there is none.
SIMULATED_CUDA_API std::vector<std::string> misuses();
SIMULATED_CUDA_API void clear_misuses();

/// Addresses of the engine's state as this library sees it: a program must see the same.
SIMULATED_CUDA_API const void* engine_address();
SIMULATED_CUDA_API const void* in_queue_work_address();

// --- Conduct that is left open, or rare -------------------------------------------------------

/// A new stream or event gets the handle of the last one destroyed, though its work may still be
/// in flight. Off at first, so that the use of dead handles is noticed.
SIMULATED_CUDA_API void reuse_handles(bool is);

/// Devices read and write pageable memory by themselves, as over some interconnects: a copy from
/// there reads its source when the stream gets to it. Off at first: the source is staged.
SIMULATED_CUDA_API void pageable_access(bool is);

/// Whether the host may touch managed memory while the device works, as the attribute of that name
/// says. On at first. Off is the attribute only: what the host touches is not looked at.
SIMULATED_CUDA_API void concurrent_managed_access(int device, bool is);

/// Says that a stream (a `cudaStream_t`) is being captured.
SIMULATED_CUDA_API void set_capturing(void* stream, bool is);

/// Whether the host faults when it touches device memory: not under a race detector, which must
/// see both at one address.
SIMULATED_CUDA_API bool device_memory_faults();

/// Holds up a stream until it is opened or destroyed. With the scheduler `inline` there is nobody
/// to go on meanwhile, and `works` is false.
class SIMULATED_CUDA_API gate {
  public:
    gate();
    ~gate();
    gate(const gate&) = delete;
    gate& operator=(const gate&) = delete;

    static bool works();

    /// Work that is queued on the stream from now on waits for `open`.
    void close(void* stream);
    void open();

  private:
    struct latch;
    latch* latch_;
};

}  // namespace simulated_cuda

namespace devmem::inline v0::detail {
class gate_queue;
}

/// Makes work that is queued on a stream of that device from now on wait for a gate of the engine.
extern "C" SIMULATED_CUDA_API void simulated_cuda_hold(int device, void* stream,
                                                       devmem::detail::gate_queue& gate);

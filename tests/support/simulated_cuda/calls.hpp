/// \file
/// What each simulated function has in common: whether it may go on, the log, the last error.
#pragma once

#include "simulated_cuda.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace simulated_cuda::inside {

enum class failure_kind {
    once,
    ever,      ///< every call from the first
    fault,     ///< breaks the device, once a call needs its context
    unloaded,  ///< unloads the driver
};

/// How a call is to fail; no error: it is not.
struct due_failure {
    int error = 0;
    failure_kind kind = failure_kind::once;
};

/// The log, the failures to come, and the misuses. Only host threads touch it: queues must not, or
/// a race detector would take its lock for an order between them.
class call_book {
  public:
    void note(const call& c);
    void count_only(const char* function);
    std::vector<call> all() const;
    std::size_t count(std::string_view function) const;
    std::size_t host_waits() const;
    void clear_calls();

    void fail(std::string_view function, int nth, int error, failure_kind kind);
    void fail_no_more();
    /// The error with which this call is to fail, or 0.
    due_failure failure_of(std::string_view function, bool needs_context);

    void misuse(std::string what);
    std::vector<std::string> misuses() const;
    void clear_misuses();

  private:
    struct failure {
        std::string function;
        int countdown = 1;
        int error = 0;
        failure_kind kind = failure_kind::once;
    };

    static constexpr std::size_t most_logged = std::size_t{1} << 20;

    mutable std::mutex mutex_;
    std::vector<call> log_;
    std::map<std::string, std::size_t, std::less<>> counts_;
    std::size_t host_waits_ = 0;
    std::vector<failure> failures_;
    std::vector<std::string> misuses_;
};

/// What a function needs before it can do anything.
enum class needs {
    nothing,  ///< not even a device
    device,   ///< at least one, and no context
    context,  ///< the current one: the runtime makes it, the driver wants it made
};

int admit(call& c, needs what, bool of_runtime);
int finish(call& c, int result, bool of_runtime);

/// A function of the runtime. Rules: while the process ends every call returns
/// `cudaErrorCudartUnloading`; a host function may call none; the first call that needs a context
/// makes the current device's; after a device's fault every call that needs it returns that; what
/// fails becomes the thread's last error.
template <class F>
cudaError_t runtime_call(const char* function, needs what, const F& body) {
    call c;
    c.function = function;
    int result = admit(c, what, true);
    if (result == cudaSuccess) result = body(c);
    return static_cast<cudaError_t>(finish(c, result, true));
}

/// A function of the driver: makes no context by itself, and leaves the runtime's last error alone.
template <class F>
CUresult driver_call(const char* function, needs what, const F& body) {
    call c;
    c.function = function;
    int result = admit(c, what, false);
    if (result == CUDA_SUCCESS) result = body(c);
    return static_cast<CUresult>(finish(c, result, false));
}

/// Notes what the program did wrong, with the function in which it showed.
void misuse(const call& c, const std::string& what);

}  // namespace simulated_cuda::inside

/// Marks the functions that the library gives its users.
#define SIMULATED extern "C" SIMULATED_CUDA_API

/// \file
/// The simulation's state: threads, devices with their primary contexts, settings.
#pragma once

#include "calls.hpp"
#include "kernels.hpp"
#include "memory.hpp"
#include "simulated_cuda.hpp"
#include "streams.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <type_traits>

/// A primary context; there are no others here.
struct CUctx_st {
    int device = 0;
    std::atomic<bool> active{false};
    std::atomic<int> retained{0};
};

namespace simulated_cuda::inside {

/// A thread's stack of contexts; the last is current, and may be null. Without a destructor:
/// objects of static storage are destroyed after the first thread's own, and still call CUDA.
class context_stack {
  public:
    static constexpr int most = 64;

    bool empty() const { return depth_ == 0; }
    std::size_t depth() const { return static_cast<std::size_t>(depth_); }
    CUctx_st* top() const { return empty() ? nullptr : contexts_[depth_ - 1]; }
    bool push(CUctx_st* context) {
        if (depth_ == most) return false;
        contexts_[depth_++] = context;
        return true;
    }
    void pop() { --depth_; }
    void replace_top(CUctx_st* context) {
        if (empty()) ++depth_;
        contexts_[depth_ - 1] = context;
    }
    void clear() { depth_ = 0; }

  private:
    CUctx_st* contexts_[most] = {};
    int depth_ = 0;
};

/// What each thread has of its own.
struct thread_state {
    int last_error = cudaSuccess;
    int device = 0;  // chosen by cudaSetDevice
    context_stack contexts;
    bool in_host_function = false;
    CUstream_st* default_streams[most_devices] = {};

    int current_device() const {
        const CUctx_st* current = contexts.top();
        return current != nullptr ? current->device : device;
    }
};

static_assert(std::is_trivially_destructible_v<thread_state>);

thread_state& this_thread();

struct device_state {
    CUctx_st context;
    std::atomic<std::size_t> capacity{default_capacity};
    std::atomic<std::size_t> used{0};
    std::atomic<int> fault{cudaSuccess};
    std::atomic<bool> concurrent_managed_access{true};
    device_streams streams;

    bool take(std::size_t bytes);
};

/// Made at first use, never destroyed: queues may be at work until the process ends.
struct simulation {
    simulation();

    std::atomic<int> device_count{2};
    device_state devices[most_devices];
    call_book calls;
    address_space memory;
    stream_book streams;
    twin_book twins;
    std::atomic<bool> unloaded{false};
    std::atomic<bool> handles_are_reused{false};
    std::atomic<bool> pageable_is_accessible{false};

    bool has(int device) const { return device >= 0 && device < device_count; }
};

simulation& the_simulation();

/// The runtime's attributes and the driver's have the same numbers.
int attribute_of(int device, int attribute, int* value);

}  // namespace simulated_cuda::inside

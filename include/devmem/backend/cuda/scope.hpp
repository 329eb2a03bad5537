/// \file
/// Making a device current for the length of one backend call.
#pragma once

#include <devmem/backend/cpu/queue.hpp>
#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/cuda/driver.hpp>
#include <devmem/backend/cuda/status.hpp>
#include <devmem/backend/device_value.hpp>
#include <devmem/backend/fork.hpp>

namespace devmem::inline v0::detail {

/// The devices' primary contexts, each retained when that device is first named to devmem and kept
/// until the process ends: every object of devmem may still need it.
struct DEVMEM_STATE cuda_context_table {
    mutex retaining;
    atomic<CUcontext> of[max_devices]{};
};

inline DEVMEM_STATE cuda_context_table cuda_contexts{};

/// The driver's name for a device; makes no context.
inline status find_cuda_device(const cuda_driver& driver, device d, CUdevice_v1* out) noexcept {
    if (d.kind() != device_kind::cuda || d.index() < 0 || d.index() >= max_devices) {
        return to_status(cudaErrorInvalidDevice);
    }
    return driver_status(driver.device_get(out, d.index()));
}

inline status primary_context(const cuda_driver& driver, device d, CUcontext* out) noexcept {
    if (d.kind() == device_kind::cuda && d.index() >= 0 && d.index() < max_devices) {
        *out = cuda_contexts.of[d.index()].load_acquire();
        if (*out != nullptr) return {};
    }
    CUdevice_v1 found = 0;
    if (const status s = find_cuda_device(driver, d, &found); !s.ok()) return s;
    const lock_guard lock(cuda_contexts.retaining);
    atomic<CUcontext>& kept = cuda_contexts.of[d.index()];
    *out = kept.load_relaxed();
    if (*out != nullptr) return {};
    const status s = driver_status(driver.primary_retain(out, found));
    if (s.ok()) kept.store_release(*out);
    return s;
}

/// Why CUDA is not to be called here, whatever for: a forked child cannot use its parent's
/// contexts, and CUDA forbids calls in host functions, but does not promise to notice them.
inline status cuda_refusal() noexcept {
    if (process_is_forked()) [[unlikely]] {
        return {error_code::forked, 0};
    }
    return in_queue_work ? to_status(cudaErrorNotPermitted) : status{};
}

/// Makes a device current for the calling thread until the scope ends, unless it is already.
///
/// Its primary context is pushed and popped. Setting the device and setting it back would make a
/// context on the device set back to, which nobody may have named.
class [[nodiscard]] cuda_scope {
  public:
    explicit cuda_scope(device d) noexcept : entered_(enter(d)) {}
    ~cuda_scope() {
        if (!pushed_) return;
        CUcontext popped = nullptr;
        static_cast<void>(driver_->context_pop(&popped));
    }
    cuda_scope(const cuda_scope&) = delete;
    cuda_scope& operator=(const cuda_scope&) = delete;

    status entered() const noexcept { return entered_; }
    const cuda_driver& driver() const noexcept { return *driver_; }

  private:
    status enter(device d) noexcept {
        if (const status r = cuda_refusal(); !r.ok()) return r;
        if (const status s = use_driver(&driver_); !s.ok()) return s;
        CUcontext wanted = nullptr;
        if (const status s = primary_context(*driver_, d, &wanted); !s.ok()) return s;
        CUcontext current = nullptr;
        const CUresult asked = driver_->context_current(&current);
        if (asked == CUDA_SUCCESS && current == wanted) return {};
        const CUresult pushed = driver_->context_push(wanted);
        pushed_ = pushed == CUDA_SUCCESS;
        return driver_status(pushed);
    }

    const cuda_driver* driver_ = nullptr;
    bool pushed_ = false;
    status entered_;
};

inline status as_status(status s) noexcept { return s; }
inline status as_status(cudaError_t result) noexcept { return runtime_status(result); }
inline status as_status(CUresult result) noexcept { return driver_status(result); }

/// Calls `f(driver)` with `d` current, and gives its result as a status.
template <class F>
status on_cuda(device d, const F& f) noexcept {
    const cuda_scope scope(d);
    if (!scope.entered().ok()) return scope.entered();
    return as_status(f(scope.driver()));
}

/// As `on_cuda`, for what ends the life of something: with the driver unloaded that has gone by
/// itself, and there is nothing to report.
template <class F>
status on_cuda_release(device d, const F& f) noexcept {
    const status s = on_cuda(d, f);
    return s.native == cuda_unloaded ? status{} : s;
}

}  // namespace devmem::inline v0::detail

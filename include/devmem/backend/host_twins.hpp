/// \file
/// `host_twins`: how a simulated CUDA runtime runs kernels without a GPU, by functions of the host
/// that do the same.
#pragma once

#include <devmem/backend/host_function.hpp>

namespace devmem::inline v0 {

/// What a simulated runtime does for devmem. With the real one there is nothing of the kind.
struct host_twins {
    /// Says what launches of `kernel` do: `make` makes a host function of a launch's arguments,
    /// which are copied then. Called before each launch, since nvcc gives a template's kernel
    /// another address in each file.
    void (*announce)(const void* kernel, host_function (*make)(void** arguments)) noexcept;
    /// Queues work in the order of a CUDA stream, with the memory of devices open to it. Accepts it
    /// if and only if it returns 0, else it gives a `cudaError_t`.
    int (*run)(void* stream, const host_function& work) noexcept;
};

}  // namespace devmem::inline v0

/// Defined by a simulated runtime only.
extern "C" __attribute__((weak, visibility("default"))) const devmem::host_twins*
devmem_v0_host_twins() noexcept;

namespace devmem::inline v0::detail {

/// Null over the real runtime.
inline const host_twins* linked_host_twins() noexcept {
    using function = const host_twins* (*)() noexcept;
    const function twins = &devmem_v0_host_twins;
    return twins != nullptr ? twins() : nullptr;
}

}  // namespace devmem::inline v0::detail

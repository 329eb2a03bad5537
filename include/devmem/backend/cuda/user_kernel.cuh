/// \file
/// Launching kernels of the program's own, and their host twins.
#pragma once

#include <devmem/backend/cuda/scope.hpp>
#include <devmem/backend/host_twins.hpp>
#include <devmem/config.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <utility>

namespace devmem::inline v0::detail {

/// A simulated runtime that has no twin for a kernel says that it has no code for the device.
inline status launch_user_kernel(device d, void* stream, const void* kernel, dim3 grid, dim3 block,
                                 std::size_t shared_bytes, void** arguments) noexcept {
    const status s = on_cuda(d, [&](const auto&) noexcept {
        return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes,
                                static_cast<cudaStream_t>(stream));
    });
    const bool has_no_code = s.native == cudaErrorInvalidDeviceFunction;
    return has_no_code && linked_host_twins() != nullptr
               ? status{error_code::no_host_twin, s.native}
               : s;
}

template <auto Function, class Signature>
struct user_twin;

template <auto Function, class... Parameters>
struct user_twin<Function, void (*)(Parameters...)> {
    /// Copies the arguments of a launch.
    static host_function make(void** arguments) {
        return make(arguments, std::index_sequence_for<Parameters...>{});
    }

  private:
    template <std::size_t... I>
    static host_function make([[maybe_unused]] void** arguments, std::index_sequence<I...>) {
        return make_host_function([... values = *static_cast<Parameters*>(
                                       arguments[I])]() noexcept { Function(values...); });
    }
};

/// True, for the sake of an initializer.
template <auto Kernel, auto Function>
bool announce_user_twin() noexcept {
    static_assert(std::is_same_v<decltype(Kernel), decltype(Function)>,
                  "a kernel and its twin take the same parameters");
    if (const host_twins* const twins = linked_host_twins()) {
        twins->announce(reinterpret_cast<const void*>(Kernel),
                        &user_twin<Function, decltype(Function)>::make);
    }
    return true;
}

}  // namespace devmem::inline v0::detail

/// \file
/// `launch` of a `__global__` function, with accesses of containers among its arguments. For files
/// that nvcc compiles.
#pragma once

#include <devmem/backend/cuda/user_kernel.cuh>
#include <devmem/launch.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

/// \def DEVMEM_TWIN
/// Names the function of the host that does what a whole launch of a kernel does, for a simulated
/// CUDA runtime: `DEVMEM_TWIN(scale, scale_on_host)`, at namespace scope, in the file that launches
/// it. Both take the same parameters. With a real GPU it does nothing.
#define DEVMEM_TWIN(kernel, function)                                             \
    [[maybe_unused]] static const bool DEVMEM_TWIN_NAME(devmem_twin_, __LINE__) = \
        ::devmem::detail::announce_user_twin<kernel, function>()
#define DEVMEM_TWIN_NAME(prefix, line) DEVMEM_TWIN_NAME_OF(prefix, line)
#define DEVMEM_TWIN_NAME_OF(prefix, line) prefix##line

namespace devmem::inline v0 {

/// How a kernel is laid out on the device.
struct launch_shape {
    dim3 grid{};
    dim3 block{};
    std::size_t shared_bytes = 0;  ///< of dynamic shared memory a block
    place at = place::here();      ///< the line that launches
};

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

template <class... Parameters, class... Bound>
void launch_kernel(stream_state& on, const launch_shape& shape, void (*kernel)(Parameters...),
                   const call_site& by, const Bound&... bound) {
    if (on.where.kind() != device_kind::cuda) {
        throw_failure({.code = error_code::wrong_device, .operation = by, .where = on.where},
                      "a __global__ function runs on a GPU only; launch an index_range where the "
                      "device may be a CPU");
    }
    std::tuple<Parameters...> arguments{static_cast<Parameters>(bound.value())...};
    const status launched = std::apply(
        [&](auto&... each) {
            void* addresses[] = {static_cast<void*>(&each)..., nullptr};
            return launch_user_kernel(on.where, on.handle, reinterpret_cast<const void*>(kernel),
                                      shape.grid, shape.block, shape.shared_bytes, addresses);
        },
        arguments);
    check(launched, by, *on.table, on.where);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Starts `kernel` on the stream. `read(v)`, `write(v)` and `read_write(v)` may stand anywhere
/// among the arguments: each becomes the `device_span` or the pointer that the parameter asks for,
/// and the stream waits for what conflicts with it. Everything else is converted to the parameter
/// and copied at the call.
/// @throws wrong_device when a container is of another device or the stream is a CPU's,
/// access_conflict, no_host_twin over a simulated runtime that knows no twin @sync none
template <class... Parameters, launch_argument... Args>
requires(sizeof...(Parameters) == sizeof...(Args)) void launch(stream_view s, launch_shape shape,
                                                               void (*kernel)(Parameters...),
                                                               Args&&... args) {
    const detail::call_site by("launch", shape.at);
    detail::stream_state& on =
        s.names_a_stream() ? s.state() : detail::current_stream_state(current_device(), by);
    detail::launch_kernel(on, shape, kernel, by,
                          detail::bound_argument<std::remove_cvref_t<Args>>(on, args, by)...);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

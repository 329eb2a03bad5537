/// \file
/// `launch` of a `__global__` function, with accesses of containers among its arguments. For files
/// that nvcc compiles.
#pragma once

#include <devmem/access.hpp>

#include <cstddef>

namespace devmem::inline v0 {

/// How a kernel is laid out on the device.
struct launch_shape {
    dim3 grid{};
    dim3 block{};
    std::size_t shared_bytes = 0;  ///< of dynamic shared memory a block
    place at = place::here();
};

/// Starts `kernel` on the stream. `read(v)`, `write(v)` and `read_write(v)` may stand anywhere
/// among the arguments: each becomes the `device_span` or the pointer that the parameter asks for,
/// and the stream waits for what conflicts with it. Everything else is converted to the parameter
/// and copied at the call. Declared for the programs to come; this version has no kernels.
/// @throws wrong_device, access_conflict @sync none
template <class... Parameters, class... Args>
void launch(stream_view s, launch_shape shape, void (*kernel)(Parameters...), Args&&... args);

}  // namespace devmem::inline v0

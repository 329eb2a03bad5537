/// \file
/// `device_buffer`: untyped bytes of a device.
#pragma once

#include <devmem/device_vector.hpp>

#include <cstddef>

namespace devmem::inline v0 {

/// Bytes in a device's own memory, for what has no element type.
using device_buffer = device_vector<std::byte>;

}  // namespace devmem::inline v0

/// \file
/// `device_call`: where an algorithm of a GPU runs, and the memory that it needs on the way.
#pragma once

#include <devmem/backend/device_value.hpp>

#include <cstddef>

namespace devmem::inline v0::detail {

/// Algorithms are called twice: with `scratch` null they only say how many `bytes` they need.
struct device_call {
    device where;
    void* stream = nullptr;
    void* scratch = nullptr;
    std::size_t* bytes = nullptr;
};

}  // namespace devmem::inline v0::detail

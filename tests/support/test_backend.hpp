/// \file
/// The path that a test file is compiled for: `DEVMEM_TEST_BACKEND` names its backend.
#pragma once

#include <devmem/backend.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/managed_vector.hpp>
#include <devmem/mapped_buffer.hpp>
#include <devmem/pinned_buffer.hpp>

#include <type_traits>

namespace devmem_test {

using test_backend = devmem::DEVMEM_TEST_BACKEND;

inline constexpr bool path_is_cuda = std::is_same_v<test_backend, devmem::cuda_backend>;

template <class T, class... Options>
using test_vector = devmem::device_vector<T, test_backend, Options...>;
template <class T, class... Options>
using test_pinned = devmem::pinned_buffer<T, test_backend, Options...>;
template <class T, class... Options>
using test_mapped = devmem::mapped_buffer<T, test_backend, Options...>;
template <class T, class... Options>
using test_managed = devmem::managed_vector<T, test_backend, Options...>;

/// A device of the path: `cpu:i`, on the CUDA path `cuda:i`. Tests have four.
inline devmem::device test_device(int i = 0) noexcept {
    return {path_is_cuda ? devmem::device_kind::cuda : devmem::device_kind::cpu, i};
}

}  // namespace devmem_test

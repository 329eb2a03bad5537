/// \file
/// Devices of a known capacity. On the CPU that is fixed before first use, so tests that need one
/// are run with `DEVMEM_CPU_CAPACITY` in their environment.
#pragma once

#include "skip.hpp"
#include "test_backend.hpp"

#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>

#include <cstddef>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

namespace devmem_test {

inline constexpr std::size_t test_capacity = std::size_t{16} << 20;

/// While it lives each device of the path has `test_capacity` bytes, and devmem has cached none.
class [[nodiscard]] limited_capacity {
  public:
    limited_capacity() {
        devmem::empty_cache();
        set(test_capacity);
    }
    ~limited_capacity() {
#if defined(DEVMEM_CUDA)
        set(simulated_cuda::default_capacity);
#endif
    }
    limited_capacity(const limited_capacity&) = delete;
    limited_capacity& operator=(const limited_capacity&) = delete;

    /// False where the CPU path was not given it.
    static bool works() {
        return path_is_cuda || devmem::memory_info(test_device()).total == test_capacity;
    }

  private:
    static void set([[maybe_unused]] std::size_t bytes) {
#if defined(DEVMEM_CUDA)
        for (int i = 0; i < 4; ++i) simulated_cuda::set_capacity(i, bytes);
#endif
    }
};

}  // namespace devmem_test

/// Leaves a test case where devices have another capacity.
#define DEVMEM_NEEDS_CAPACITY()                                                        \
    do {                                                                               \
        if (!::devmem_test::limited_capacity::works()) {                               \
            DEVMEM_SKIP("DEVMEM_CPU_CAPACITY is not 16777216, as CTest sets it here"); \
        }                                                                              \
    } while (false)

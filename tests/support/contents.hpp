/// \file
/// What tests of containers compare: contents as a `std::vector`, and what is alive.
#pragma once

#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device.hpp>
#include <devmem/memory/pool.hpp>
#include <devmem/to_host.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"
#endif

namespace devmem_test {

/// `first`, `first` + 1, …
template <class T>
std::vector<T> counted(std::size_t n, T first = {}) {
    std::vector<T> values(n);
    for (T& value : values) {
        value = first;
        first = static_cast<T>(first + T{1});
    }
    return values;
}

/// The elements of a container or view. For element types that `std::vector` keeps as they are.
template <class R>
auto contents(const R& range) {
    std::vector<devmem::detail::element_of_t<R>> values(range.size());
    devmem::copy(range, values);
    return values;
}

/// Waits for all the path's devices: containers do not order the streams of different devices by
/// themselves.
inline void settle() {
    for (const devmem::device d : devmem::devices(test_device().kind())) devmem::synchronize(d);
}

/// Bytes asked for by containers that exist, on all devices and in all spaces.
inline std::size_t live_bytes() {
    std::size_t live = 0;
    for (const auto kind : {devmem::device_kind::cpu, devmem::device_kind::cuda}) {
        for (int i = 0; i < devmem::detail::max_devices; ++i) {
            for (int space = 0; space < devmem::detail::memory_spaces; ++space) {
                const auto* pool = devmem::detail::find_pool(
                    devmem::device(kind, i), static_cast<devmem::memory_space>(space));
                if (pool != nullptr) live += pool->live();
            }
        }
    }
    return live;
}

/// At its end as much is alive as at its beginning, and on the CUDA path nothing was done in
/// between that CUDA forbids. Goes before the containers.
class [[nodiscard]] nothing_stays {
  public:
    nothing_stays() = default;
    ~nothing_stays() {
        CHECK(live_bytes() == before_);
#if defined(DEVMEM_CUDA)
        for (const std::string& misuse : simulated_cuda::misuses()) {
            FAIL_CHECK(misuse);
        }
        simulated_cuda::clear_misuses();
#endif
    }
    nothing_stays(const nothing_stays&) = delete;
    nothing_stays& operator=(const nothing_stays&) = delete;

  private:
    std::size_t before_ = live_bytes();
};

}  // namespace devmem_test

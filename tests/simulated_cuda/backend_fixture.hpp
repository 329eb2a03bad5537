/// \file
/// `cuda_backend` over a fresh simulation: what the tests of its functions share.
#pragma once

#include "fixture.hpp"

#include <devmem/backend/cuda.hpp>
#include <devmem/backend/host_function.hpp>

namespace devmem_test {

using backend = devmem::cuda_backend;
using devmem::device;
using devmem::error_code;
using devmem::memory_space;
using devmem::status;

constexpr status cuda_status(error_code code, int native) { return {code, native}; }

inline bool is(status s, error_code code, int native) {
    return s.code == code && s.native == native;
}

/// A stream and a block of device memory on device 1, while the thread has no device but the
/// default one, 0, and no context there.
struct backend_fixture : fresh_simulation {
    static constexpr std::size_t bytes = 4096;

    explicit backend_fixture(int devices = 2) : fresh_simulation(devices) {
        REQUIRE(backend::stream_create(d, &stream).ok());
        REQUIRE(backend::allocate(d, memory_space::device, bytes, &memory).ok());
    }
    ~backend_fixture() {
        simulated_cuda::fail_no_more();
        simulated_cuda::unloading(false);
        CHECK(backend::stream_synchronize(d, stream).ok());
        CHECK(backend::deallocate(d, memory_space::device, memory, bytes).ok());
        CHECK(backend::stream_destroy(d, stream).ok());
        check_untouched();
    }

    /// The thread is as no call has left it otherwise: on device 0, with no context, no error.
    void check_untouched() const {
        CHECK(current_device() == 0);
        CHECK(simulated_cuda::context_depth() == 0);
        CHECK_FALSE(simulated_cuda::has_context(0));
        CHECK(cudaPeekAtLastError() == cudaSuccess);
    }

    template <class T = unsigned char>
    std::vector<T> read(std::size_t count, std::size_t offset = 0) const {
        std::vector<T> got(count);
        CHECK(backend::copy_async(d, stream, got.data(), static_cast<std::byte*>(memory) + offset,
                                  count * sizeof(T))
                  .ok());
        CHECK(backend::stream_synchronize(d, stream).ok());
        return got;
    }

    const device d = device::cuda(1);
    void* stream = nullptr;
    void* memory = nullptr;
};

}  // namespace devmem_test

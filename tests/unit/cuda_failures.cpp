// Failures of the CUDA runtime that must not lose memory, change what is current, or end the
// program.
#include "captured_texts.hpp"
#include "contents.hpp"
#include "test_backend.hpp"

#include <devmem/error.hpp>
#include <devmem/memory_info.hpp>
#include <devmem/pool.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream.hpp>

#include <cuda_runtime_api.h>

#include <doctest/doctest.h>

#include <thread>
#include <type_traits>
#include <vector>

using devmem::device;
using devmem_test::contents;
using devmem_test::nothing_stays;
using devmem_test::test_device;
using devmem_test::test_vector;

namespace {

using bytes = test_vector<unsigned char>;
using direct = test_vector<int, devmem::direct>;

int current_of_runtime() {
    int current = -1;
    REQUIRE(cudaGetDevice(&current) == cudaSuccess);
    return current;
}

}  // namespace

TEST_CASE("memory is freed where it belongs, whatever thread and device") {
    const nothing_stays check;
    devmem::empty_cache();
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    simulated_cuda::clear_calls();
    std::vector<direct> made;
    simulated_cuda::fail_call("cudaMalloc", 3, cudaErrorMemoryAllocation);
    simulated_cuda::fail_call("cudaMalloc", 4, cudaErrorMemoryAllocation);  // asked again
    try {
        for (int i = 0; i < 4; ++i) made.emplace_back(1000, i, test_device(i));
        FAIL("nothing was thrown");
    } catch (const devmem::out_of_memory& e) {
        CHECK(e.device() == test_device(2));
    }
    simulated_cuda::fail_no_more();
    CHECK(made.size() == 2);
    CHECK(current_of_runtime() == 0);
    std::thread([&made] {
        REQUIRE(cudaSetDevice(3) == cudaSuccess);
        devmem_test::settle();
        made.clear();
        CHECK(current_of_runtime() == 3);
    }).join();
    for (const simulated_cuda::call& c : simulated_cuda::calls_of("cudaFree")) {
        CHECK(c.current_device == c.device);
    }
    CHECK(simulated_cuda::count("cudaFree") == 2);
    for (int i = 0; i < 4; ++i) CHECK(devmem::memory_info(test_device(i)).live == 0);
}

TEST_CASE("frees that fail end nothing, are reported once, and lose nothing") {
    const nothing_stays check;
    devmem::empty_cache();
    static_assert(std::is_nothrow_destructible_v<direct>);
    {
        const devmem_test::captured_destructor_errors errors;
        simulated_cuda::fail_every_call("cudaFree", cudaErrorLaunchOutOfResources);
        int thrown = 0;
        try {
            const direct v(8, test_device(1));
            devmem::synchronize(test_device(1));
            throw 5;
        } catch (const int i) {
            thrown = i;
        }
        CHECK(thrown == 5);
        CHECK(errors.all().size() == 1);
        CHECK_THROWS_AS(devmem::empty_cache(test_device(1)), devmem::error);
        CHECK(errors.all().size() == 1);
    }
    CHECK(devmem::memory_info(test_device(1)).cached == 32);
    simulated_cuda::fail_no_more();
    devmem::empty_cache(test_device(1));
    CHECK(devmem::memory_info(test_device(1)).cached == 0);
    CHECK(simulated_cuda::live(1, simulated_cuda::memory_kind::device).blocks == 0);
}

TEST_CASE("memory that is there the second time is no error, and leaves none") {
    const nothing_stays check;
    devmem::empty_cache();
    static_cast<void>(cudaGetLastError());
    { const bytes cached(5000, test_device(1)); }
    simulated_cuda::fail_call("cudaMalloc", 1, cudaErrorMemoryAllocation);
    const bytes v(100'000, 7, test_device(1));
    CHECK(contents(v) == std::vector<unsigned char>(100'000, 7));
    CHECK(cudaGetLastError() == cudaSuccess);

    simulated_cuda::fail_every_call("cudaMalloc", cudaErrorMemoryAllocation);
    CHECK_THROWS_AS(bytes(300'000, test_device(1)), devmem::out_of_memory);
    simulated_cuda::fail_no_more();
    CHECK(cudaGetLastError() == cudaSuccess);

    simulated_cuda::leave_error(cudaErrorInvalidConfiguration);
    const bytes after(400'000, 8, test_device(1));
    devmem_test::settle();
    CHECK(cudaGetLastError() == cudaErrorInvalidConfiguration);
}

TEST_CASE("a copy into new memory that fails leaves none of it") {
    const nothing_stays check;
    devmem::empty_cache();
    const std::vector<int> values(1000, 5);
    const auto before = simulated_cuda::live(1, simulated_cuda::memory_kind::device);
    simulated_cuda::fail_call("cudaMemcpyAsync", 1, cudaErrorInvalidValue);
    CHECK_THROWS_AS(test_vector<int>(values, test_device(1)), devmem::error);
    simulated_cuda::fail_no_more();
    CHECK(devmem::memory_info(test_device(1)).live == 0);
    devmem::empty_cache();
    CHECK(simulated_cuda::live(1, simulated_cuda::memory_kind::device) == before);
}

// Which device is current, with scopes and guards over devices of several kinds.
#include "test_backend.hpp"

#include <devmem/device.hpp>
#include <devmem/device_vector.hpp>
#include <devmem/scoped_device.hpp>
#include <devmem/stream_guard.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <thread>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"

#include <cuda_runtime_api.h>
#endif

using devmem::current_device;
using devmem::device;
using devmem::scoped_device;
using devmem_test::path_is_cuda;
using devmem_test::test_device;

TEST_CASE("with no scope open: the runtime's current GPU, else cpu:0") {
    CHECK(current_device() == (path_is_cuda ? device::cuda(0) : device::cpu(0)));
    device seen = device::cpu(3);
    std::thread([&seen] { seen = current_device(); }).join();
    CHECK(seen == (path_is_cuda ? device::cuda(0) : device::cpu(0)));
}

TEST_CASE("a container of a fixed kind is on the current device of that kind") {
    const devmem::device_vector<int, devmem::cpu_backend> at_rest(1);
    CHECK(at_rest.device() == device::cpu(0));
    const scoped_device cpu(device::cpu(2));
    const devmem::device_vector<int, devmem::cpu_backend> within(1);
    CHECK(within.device() == device::cpu(2));
    const devmem::device_vector<int> of_any_kind(1);
    CHECK(of_any_kind.device() == device::cpu(2));
}

TEST_CASE("a stream guard makes the stream's device current, and restores it") {
    const devmem::stream s(test_device(3));
    {
        const devmem::stream_guard guard(s);
        CHECK(current_device() == test_device(3));
    }
    CHECK(current_device() == test_device(0));
}

#if defined(DEVMEM_CUDA)

TEST_CASE("each kind has a current device of its own; the innermost scope names the kind") {
    simulated_cuda::reset(4);
    const scoped_device gpu(device::cuda(2));
    CHECK(current_device() == device::cuda(2));
    {
        const scoped_device cpu(device::cpu(3));
        CHECK(current_device() == device::cpu(3));
        // The GPU is still current among GPUs.
        CHECK(devmem::device_vector<int, devmem::cuda_backend>(1).device() == device::cuda(2));
        CHECK(devmem::device_vector<int, devmem::cpu_backend>(1).device() == device::cpu(3));
        CHECK(device::parse("cuda") == device::cuda(2));
        {
            const scoped_device other(device::cuda(1));
            CHECK(current_device() == device::cuda(1));
            CHECK(devmem::device_vector<int, devmem::cpu_backend>(1).device() == device::cpu(3));
        }
        CHECK(current_device() == device::cpu(3));
    }
    CHECK(current_device() == device::cuda(2));
    CHECK(devmem::device_vector<int, devmem::cpu_backend>(1).device() == device::cpu(0));
}

TEST_CASE("an exception through scopes of both kinds restores both") {
    simulated_cuda::reset(4);
    const devmem::stream on_cpu(device::cpu(1));
    const devmem::stream on_gpu(device::cuda(3));
    try {
        const devmem::stream_guard gpu(on_gpu);
        const devmem::stream_guard cpu(on_cpu);
        CHECK(current_device() == device::cpu(1));
        const scoped_device back(device::cuda(1));
        CHECK(current_device() == device::cuda(1));
        throw std::runtime_error("passes");
    } catch (const std::runtime_error&) {
        CHECK(current_device() == device::cuda(0));
    }
    CHECK(devmem::device_vector<int, devmem::cpu_backend>(1).device() == device::cpu(0));
    CHECK(simulated_cuda::context_depth() == 0);
}

TEST_CASE("what the program makes current by itself is honoured, and left alone") {
    simulated_cuda::reset(4);
    REQUIRE(cudaSetDevice(2) == cudaSuccess);
    CHECK(current_device() == device::cuda(2));
    {
        const scoped_device scope(device::cuda(1));
        CHECK(current_device() == device::cuda(1));
    }
    CHECK(current_device() == device::cuda(2));
    int index = -1;
    REQUIRE(cudaGetDevice(&index) == cudaSuccess);
    CHECK(index == 2);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
}

TEST_CASE("a CPU scope hides the GPUs from whoever takes the current device") {
    simulated_cuda::reset(4);
    const scoped_device cpu(device::cpu(1));
    CHECK(devmem::stream().device() == device::cpu(1));
    CHECK(devmem::device_vector<int>(3).device() == device::cpu(1));
    CHECK(simulated_cuda::devices_with_context().empty());
}

#endif

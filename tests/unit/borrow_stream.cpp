// Streams that the program has made without devmem.
#include "test_backend.hpp"

#include <devmem/copy.hpp>
#include <devmem/device.hpp>
#include <devmem/event.hpp>
#include <devmem/fill.hpp>
#include <devmem/host_task.hpp>
#include <devmem/stream.hpp>
#include <devmem/stream_guard.hpp>
#include <devmem/to_host.hpp>

#include <doctest/doctest.h>

#include <stdexcept>
#include <vector>

#if defined(DEVMEM_CUDA)
#include "simulated_cuda.hpp"

#include <cuda_runtime_api.h>
#endif

using devmem::borrow_stream;
using devmem::device;
using devmem::native_stream;
using devmem_test::path_is_cuda;
using devmem_test::test_device;

TEST_CASE("the CPU has no streams to borrow") {
    int not_a_stream = 0;
    const auto handle = reinterpret_cast<native_stream>(&not_a_stream);
    CHECK_THROWS_WITH_AS(static_cast<void>(borrow_stream(handle, device::cpu(0))),
                         "borrow_stream: the CPU has no native streams: make a devmem::stream",
                         devmem::wrong_device);
    CHECK_THROWS_AS(static_cast<void>(borrow_stream(nullptr, device::cpu(0))),
                    devmem::wrong_device);
}

TEST_CASE("a stream cannot be borrowed for a device that is not there") {
    int not_a_stream = 0;
    const auto handle = reinterpret_cast<native_stream>(&not_a_stream);
    CHECK_THROWS_AS(static_cast<void>(borrow_stream(handle, device::cuda(path_is_cuda ? 4 : 0))),
                    devmem::no_such_device);
    CHECK_THROWS_AS(static_cast<void>(borrow_stream(handle, device::cpu(4))),
                    devmem::no_such_device);
}

#if defined(DEVMEM_CUDA)

namespace {

/// A stream made by the program itself, on a device that was not current.
struct own_stream {
    explicit own_stream(int d) {
        REQUIRE(cudaSetDevice(d) == cudaSuccess);
        REQUIRE(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking) == cudaSuccess);
        REQUIRE(cudaSetDevice(0) == cudaSuccess);
    }
    ~own_stream() { cudaStreamDestroy(handle); }
    own_stream(const own_stream&) = delete;
    own_stream& operator=(const own_stream&) = delete;
    cudaStream_t handle = nullptr;
};

}  // namespace

TEST_CASE("a borrowed stream does what a stream does, and stays the program's") {
    simulated_cuda::reset(4);
    const own_stream own(1);
    const std::size_t streams = simulated_cuda::live_streams();
    {
        const devmem::stream_view s = borrow_stream(own.handle, device::cuda(1));
        CHECK(s.device() == device::cuda(1));
        CHECK(s.native_handle() == own.handle);
        int ran = 0;
        devmem::host_task([&ran] { ran = 1; }, s);
        s.synchronize();
        CHECK(ran == 1);
        CHECK(s.query());

        devmem_test::test_vector<int> v(10, 3, s);
        devmem::fill(v, 4, s);
        CHECK(v.to_host(s) == std::vector(10, 4));

        const devmem::stream other(device::cuda(1));
        other.wait(devmem::event(s));
        other.synchronize();
        const devmem::stream_guard guard(s);
        CHECK(devmem::current_stream() == s);
    }
    CHECK(simulated_cuda::live_streams() == streams);
    CHECK(simulated_cuda::misuses().empty());
}

TEST_CASE("one stream borrowed twice is one stream") {
    simulated_cuda::reset(4);
    const own_stream a(0);
    const own_stream b(0);
    const devmem::stream_view first = borrow_stream(a.handle, device::cuda(0));
    CHECK(borrow_stream(a.handle, device::cuda(0)) == first);
    CHECK(borrow_stream(b.handle, device::cuda(0)) != first);
    devmem::host_task([] { throw std::runtime_error("once"); }, first);
    CHECK_THROWS_AS(borrow_stream(a.handle, device::cuda(0)).synchronize(), std::runtime_error);
    CHECK_NOTHROW(first.synchronize());
}

TEST_CASE("a stream that gets a dead one's handle is another stream") {
    simulated_cuda::reset(4);
    simulated_cuda::reuse_handles(true);
    cudaStream_t dead = nullptr;
    devmem::stream_view before;
    {
        const own_stream own(1);
        dead = own.handle;
        before = borrow_stream(own.handle, device::cuda(1));
    }
    const own_stream next(1);
    REQUIRE(next.handle == dead);
    CHECK(borrow_stream(next.handle, device::cuda(1)) != before);
    simulated_cuda::reuse_handles(false);
}

TEST_CASE("a null handle is refused: what it means depends on who asks") {
    CHECK_THROWS_WITH_AS(static_cast<void>(borrow_stream(nullptr, device::cuda(0))),
                         "borrow_stream: the handle is null: say current_stream(device)",
                         devmem::invalid_argument);
}

TEST_CASE("a stream of another device is refused, and the message names both") {
    simulated_cuda::reset(4);
    const own_stream own(2);
    CHECK_THROWS_WITH_AS(static_cast<void>(borrow_stream(own.handle, device::cuda(0))),
                         "borrow_stream: the stream belongs to cuda:2, not to cuda:0",
                         devmem::wrong_device);
    CHECK(borrow_stream(own.handle, device::cuda(2)).device() == device::cuda(2));
    CHECK(devmem::current_device() == device::cuda(0));
}

TEST_CASE("devmem's own streams may be borrowed too") {
    simulated_cuda::reset(4);
    const devmem::stream s(device::cuda(1));
    const devmem::stream_view view = borrow_stream(s.native_handle(), device::cuda(1));
    int ran = 0;
    devmem::host_task([&ran] { ran = 1; }, view);
    s.synchronize();
    CHECK(ran == 1);
}

#endif

// cuda_backend: streams and events.
#include "backend_fixture.hpp"

#include <cstdint>

using namespace devmem_test;

TEST_CASE_FIXTURE(backend_fixture, "streams are non-blocking and known by their ids") {
    unsigned flags = 0;
    CHECK(cudaStreamGetFlags(static_cast<cudaStream_t>(stream), &flags) == cudaSuccess);
    CHECK(flags == cudaStreamNonBlocking);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    std::uint64_t id = 0;
    device of;
    CHECK(backend::stream_identity(d, stream, &id, &of).ok());
    CHECK(of == d);
    // Asked with another device, the stream is still its own device's.
    std::uint64_t again = 0;
    CHECK(backend::stream_identity(device::cuda(0), stream, &again, &of).ok());
    CHECK(of == d);
    CHECK(again == id);
    simulated_cuda::reset();
}

TEST_CASE("a null handle is refused: which stream it is depends on how a file was compiled") {
    const fresh_simulation fresh;
    std::uint64_t id = 0;
    device of;
    CHECK(backend::stream_identity(device::cuda(0), nullptr, &id, &of).code ==
          error_code::invalid_argument);
    CHECK(simulated_cuda::devices_with_context().empty());
}

TEST_CASE("the default stream is the legacy one, each device's its own") {
    const fresh_simulation fresh;
    void* handle = nullptr;
    std::uint64_t ids[2] = {};
    for (int i = 0; i < 2; ++i) {
        device of;
        REQUIRE(backend::default_stream(device::cuda(i), &handle).ok());
        CHECK(handle == cudaStreamLegacy);
        CHECK(backend::stream_identity(device::cuda(i), handle, &ids[i], &of).ok());
        CHECK(of == device::cuda(i));
    }
    CHECK(ids[0] != ids[1]);
    // Work given with a device goes to that device's.
    void* memory = nullptr;
    const int pattern = 7;
    REQUIRE(backend::allocate(device::cuda(1), memory_space::device, 64, &memory).ok());
    CHECK(backend::fill_async(device::cuda(1), handle, memory, &pattern, 4, 16).ok());
    CHECK(simulated_cuda::calls_of("cuMemsetD32Async").at(0).stream == ids[1]);
    CHECK(backend::stream_synchronize(device::cuda(1), handle).ok());
    CHECK(backend::deallocate(device::cuda(1), memory_space::device, memory, 64).ok());
}

TEST_CASE_FIXTURE(backend_fixture, "queries and waits tell what is pending") {
    void* event = nullptr;
    bool done = false;
    REQUIRE(backend::event_create(d, false, &event).ok());
    CHECK(backend::event_query(d, event, &done).ok());
    CHECK(done);
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(backend::event_record(d, event, stream).ok());
    CHECK(backend::event_query(d, event, &done).ok());
    CHECK(done == !simulated_cuda::gate::works());
    CHECK(backend::stream_query(d, stream, &done).ok());
    CHECK(done == !simulated_cuda::gate::works());
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    gate.open();
    CHECK(backend::event_synchronize(d, event).ok());
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(backend::event_query(d, event, &done).ok());
    CHECK(done);
    CHECK(backend::stream_query(d, stream, &done).ok());
    CHECK(done);
    CHECK(backend::synchronize_device(d).ok());
    CHECK(backend::event_destroy(d, event).ok());
}

TEST_CASE_FIXTURE(backend_fixture, "a stream waits for an event of another device's stream") {
    void* other = nullptr;
    void* event = nullptr;
    const device d0 = device::cuda(0);
    REQUIRE(backend::stream_create(d0, &other).ok());
    REQUIRE(backend::event_create(d, false, &event).ok());
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(backend::event_record(d, event, stream).ok());
    CHECK(backend::stream_wait_event(d0, other, event).ok());
    bool ran = false;
    bool done = true;
    CHECK(backend::host_call(d0, other,
                             devmem::detail::make_host_function([&ran]() noexcept { ran = true; }))
              .ok());
    CHECK(backend::stream_query(d0, other, &done).ok());
    CHECK(done == !simulated_cuda::gate::works());
    gate.open();
    CHECK(backend::stream_synchronize(d0, other).ok());
    CHECK(ran);
    CHECK(backend::event_destroy(d, event).ok());
    CHECK(backend::stream_destroy(d0, other).ok());
    CHECK(simulated_cuda::context_depth() == 0);
    simulated_cuda::reset();
}

TEST_CASE_FIXTURE(backend_fixture, "time is measured between timed events only") {
    void* begin = nullptr;
    void* end = nullptr;
    void* untimed = nullptr;
    float milliseconds = -1;
    REQUIRE(backend::event_create(d, true, &begin).ok());
    REQUIRE(backend::event_create(d, true, &end).ok());
    REQUIRE(backend::event_create(d, false, &untimed).ok());
    CHECK(backend::event_elapsed(d, begin, end, &milliseconds).code ==
          error_code::invalid_argument);
    CHECK(backend::event_record(d, begin, stream).ok());
    CHECK(backend::event_record(d, untimed, stream).ok());
    CHECK(backend::event_elapsed(d, begin, untimed, &milliseconds).code ==
          error_code::invalid_argument);
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(backend::event_record(d, end, stream).ok());
    if (simulated_cuda::gate::works()) {
        CHECK(backend::event_elapsed(d, begin, end, &milliseconds).code ==
              error_code::not_permitted);
    }
    gate.open();
    CHECK(backend::event_synchronize(d, end).ok());
    CHECK(backend::event_elapsed(d, begin, end, &milliseconds).ok());
    CHECK(milliseconds >= 0);
    for (void* event : {begin, end, untimed}) CHECK(backend::event_destroy(d, event).ok());
}

// cuda_backend: each of its calls fails in each function of CUDA that it calls, and leaves the
// current device as it was, the last error cleared, and no context where none was named.
#include "backend_fixture.hpp"

#include <functional>

using namespace devmem_test;

namespace {

struct failure_fixture : backend_fixture {
    failure_fixture() {
        REQUIRE(backend::event_create(d, true, &event).ok());
        REQUIRE(backend::event_create(d, true, &later).ok());
        REQUIRE(backend::event_record(d, event, stream).ok());
        REQUIRE(backend::event_record(d, later, stream).ok());
        REQUIRE(backend::allocate(d, memory_space::pinned, bytes, &pinned).ok());
        REQUIRE(backend::allocate_async(d, stream, 64, &ordered).ok());
        REQUIRE(backend::stream_synchronize(d, stream).ok());
        simulated_cuda::clear_calls();
    }
    ~failure_fixture() {
        CHECK(backend::deallocate_async(d, stream, ordered, 64).ok());
        CHECK(backend::deallocate(d, memory_space::pinned, pinned, bytes).ok());
        CHECK(backend::event_destroy(d, event).ok());
        CHECK(backend::event_destroy(d, later).ok());
    }

    /// Makes the function of CUDA fail in the call, in several ways.
    void fails(const char* function, const std::function<status()>& call) const {
        CAPTURE(function);
        const struct {
            int native;
            error_code code;
        } all[] = {{cudaErrorMemoryAllocation, error_code::out_of_memory},
                   {cudaErrorUnknown, error_code::backend_failure},
                   {cudaErrorIllegalAddress, error_code::device_lost},
                   {cudaErrorInvalidValue, error_code::invalid_argument}};
        for (const auto& [native, code] : all) {
            simulated_cuda::fail_call(function, 1, native);
            CHECK(is(call(), code, native));
            simulated_cuda::fail_no_more();
            check_untouched();
            CHECK(simulated_cuda::devices_with_context() == std::vector<int>{1});
        }
    }

    void* event = nullptr;
    void* later = nullptr;
    void* pinned = nullptr;
    void* ordered = nullptr;
};

}  // namespace

TEST_CASE_FIXTURE(failure_fixture, "failures about devices") {
    int count = 0;
    device current;
    devmem::device_facts facts;
    devmem::memory_counts counts;
    void* out = nullptr;
    fails("cudaGetDeviceCount", [&] { return backend::device_count(&count); });
    for (const char* function : {"cuDeviceGet", "cuDeviceGetName", "cuDeviceTotalMem",
                                 "cuDevicePrimaryCtxGetState", "cuDeviceGetAttribute"}) {
        fails(function, [&] { return backend::facts(d, &facts); });
    }
    fails("cudaGetDevice", [&] { return backend::current_device(&current); });
    fails("cudaGetDevice", [&] { return backend::push_device(d, &current); });
    fails("cuCtxPushCurrent", [&] { return backend::push_device(d, &current); });
    fails("cudaMemGetInfo", [&] { return backend::memory_info(d, &counts); });
    fails("cuDeviceGet", [&] { return backend::default_stream(d, &out); });
    fails("cudaDeviceSynchronize", [&] { return backend::synchronize_device(d); });
    fails("cuCtxPushCurrent", [&] { return backend::synchronize_device(d); });
}

TEST_CASE_FIXTURE(failure_fixture, "failures about memory") {
    void* out = nullptr;
    for (const char* function : {"cuCtxPushCurrent", "cudaMalloc"}) {
        fails(function, [&] { return backend::allocate(d, memory_space::device, 64, &out); });
    }
    fails("cudaHostAlloc", [&] { return backend::allocate(d, memory_space::pinned, 64, &out); });
    fails("cudaHostAlloc", [&] { return backend::allocate(d, memory_space::mapped, 64, &out); });
    fails("cudaMallocManaged",
          [&] { return backend::allocate(d, memory_space::managed, 64, &out); });
    for (const char* function : {"cuCtxPushCurrent", "cudaFree"}) {
        fails(function,
              [&] { return backend::deallocate(d, memory_space::device, memory, bytes); });
    }
    fails("cudaFreeHost",
          [&] { return backend::deallocate(d, memory_space::pinned, pinned, bytes); });
    fails("cudaMallocAsync", [&] { return backend::allocate_async(d, stream, 64, &out); });
    fails("cudaFreeAsync", [&] { return backend::deallocate_async(d, stream, ordered, 64); });
    CHECK(simulated_cuda::live(1, memory_kind::device).bytes == bytes + 64);
}

TEST_CASE_FIXTURE(failure_fixture, "failures about streams and events") {
    void* out = nullptr;
    std::uint64_t id = 0;
    device of;
    bool done = false;
    float milliseconds = 0;
    fails("cudaStreamCreateWithFlags", [&] { return backend::stream_create(d, &out); });
    fails("cudaStreamDestroy", [&] { return backend::stream_destroy(d, stream); });
    for (const char* function : {"cudaStreamGetId", "cuStreamGetCtx", "cuCtxGetDevice"}) {
        fails(function, [&] { return backend::stream_identity(d, stream, &id, &of); });
    }
    fails("cuStreamQuery", [&] { return backend::stream_query(d, stream, &done); });
    fails("cudaStreamSynchronize", [&] { return backend::stream_synchronize(d, stream); });
    fails("cudaStreamWaitEvent", [&] { return backend::stream_wait_event(d, stream, event); });
    fails("cudaEventCreateWithFlags", [&] { return backend::event_create(d, true, &out); });
    fails("cudaEventDestroy", [&] { return backend::event_destroy(d, event); });
    fails("cudaEventRecord", [&] { return backend::event_record(d, event, stream); });
    fails("cuEventQuery", [&] { return backend::event_query(d, event, &done); });
    fails("cudaEventSynchronize", [&] { return backend::event_synchronize(d, event); });
    fails("cudaEventElapsedTime",
          [&] { return backend::event_elapsed(d, event, later, &milliseconds); });
}

TEST_CASE_FIXTURE(failure_fixture, "failures about work") {
    int pattern = 3;
    const std::vector<unsigned char> wide{1, 2, 3};
    const std::vector<unsigned char> eight{1, 2, 3, 4, 5, 6, 7, 8};
    for (const char* function : {"cuCtxPushCurrent", "cudaMemcpyAsync"}) {
        fails(function, [&] { return backend::copy_async(d, stream, memory, pinned, 64); });
    }
    fails("cudaLaunchHostFunc",
          [&] { return backend::copy_async(d, stream, pinned, &pattern, sizeof pattern); });
    for (const char* function : {"cudaStreamIsCapturing", "cudaMemcpyAsync"}) {
        fails(function,
              [&] { return backend::upload_async(d, stream, memory, &pattern, sizeof pattern); });
    }
    for (const char* function : {"cuCtxPushCurrent", "cudaMemcpy2DAsync"}) {
        fails(function, [&] {
            return backend::copy_2d_async(d, stream, {memory, 8, pinned, 16, 4, 4});
        });
    }
    fails("cudaLaunchHostFunc", [&] {
        return backend::copy_2d_async(d, stream, {pinned, 8, &pattern, 4, 4, 1});
    });
    for (const char* function : {"cudaStreamIsCapturing", "cudaMemcpy2DAsync"}) {
        fails(function, [&] {
            return backend::upload_2d_async(d, stream, {memory, 8, eight.data(), 4, 4, 2});
        });
    }
    fails("cuMemsetD8Async", [&] { return backend::fill_async(d, stream, memory, "x", 1, 8); });
    fails("cuMemsetD16Async", [&] { return backend::fill_async(d, stream, memory, "xy", 2, 8); });
    fails("cuMemsetD32Async", [&] { return backend::fill_async(d, stream, memory, "xyzu", 4, 8); });
    fails("cuMemsetD2D32Async",
          [&] { return backend::fill_async(d, stream, memory, eight.data(), 8, 8); });
    fails("cudaMemcpyAsync",
          [&] { return backend::fill_async(d, stream, memory, wide.data(), 3, 8); });
    fails("cudaLaunchHostFunc", [&] {
        return backend::host_call(d, stream, devmem::detail::make_host_function([]() noexcept {}));
    });
}

TEST_CASE_FIXTURE(failure_fixture, "a second fill or copy of one call fails as the first does") {
    const std::vector<unsigned char> wide{1, 2, 3};
    const std::vector<unsigned char> eight{1, 2, 3, 4, 5, 6, 7, 8};
    simulated_cuda::fail_call("cuMemsetD2D32Async", 2, cudaErrorUnknown);
    CHECK(is(backend::fill_async(d, stream, memory, eight.data(), 8, 8),
             error_code::backend_failure, cudaErrorUnknown));
    simulated_cuda::fail_call("cudaMemcpyAsync", 3, cudaErrorUnknown);
    CHECK(is(backend::fill_async(d, stream, memory, wide.data(), 3, 8), error_code::backend_failure,
             cudaErrorUnknown));
    CHECK(simulated_cuda::count("cudaMemcpyAsync") == 3);
    check_untouched();
}

TEST_CASE("a driver or a device that cannot be had is an error each time, and no more") {
    const fresh_simulation fresh;
    const device d = device::cuda(1);
    void* out = nullptr;
    const auto fails = [&](const char* function, int nth, error_code code, int native) {
        for (int i = 0; i < 2; ++i) {
            devmem::detail::cuda_driver_found.found.store_release(false);
            devmem::detail::cuda_contexts.of[1].store_release(nullptr);
            simulated_cuda::fail_call(function, nth, native);
            CHECK(is(backend::allocate(d, memory_space::device, 64, &out), code, native));
            CHECK(simulated_cuda::devices_with_context().empty());
            CHECK(cudaPeekAtLastError() == cudaSuccess);
            CHECK(current_device() == 0);
        }
    };
    fails("cudaGetDriverEntryPointByVersion", 5, error_code::no_such_device,
          cudaErrorInsufficientDriver);
    fails("cuInit", 1, error_code::backend_failure, cudaErrorInitializationError);
    fails("cuDeviceGet", 1, error_code::no_such_device, cudaErrorInvalidDevice);
    fails("cuDevicePrimaryCtxRetain", 1, error_code::out_of_memory, cudaErrorMemoryAllocation);
    CHECK(backend::allocate(d, memory_space::device, 64, &out).ok());
    CHECK(backend::deallocate(d, memory_space::device, out, 64).ok());
}

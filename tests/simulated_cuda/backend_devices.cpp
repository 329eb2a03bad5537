// cuda_backend: devices, what is current, memory.
#include "backend_fixture.hpp"

#include <cstdint>
#include <thread>

using namespace devmem_test;

TEST_CASE("counting devices and telling facts make no context") {
    const fresh_simulation fresh(3);
    int count = 0;
    CHECK(backend::device_count(&count).ok());
    CHECK(count == 3);
    devmem::device_facts facts;
    CHECK(backend::facts(device::cuda(2), &facts).ok());
    CHECK(std::string(facts.name) == "Simulated CUDA device 2");
    CHECK(facts.total_memory == simulated_cuda::default_capacity);
    CHECK_FALSE(facts.active);
    device current;
    CHECK(backend::current_device(&current).ok());
    CHECK(current == device::cuda(0));
    void* stream = nullptr;
    CHECK(backend::default_stream(device::cuda(1), &stream).ok());
    CHECK(simulated_cuda::devices_with_context().empty());

    devmem::memory_counts counts;
    CHECK(backend::memory_info(device::cuda(2), &counts).ok());
    CHECK(backend::facts(device::cuda(2), &facts).ok());
    CHECK(facts.active);
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{2});
}

TEST_CASE("whether the host may touch managed memory while the device works is the device's") {
    const fresh_simulation fresh(3);
    simulated_cuda::concurrent_managed_access(1, false);
    for (int i = 0; i < 3; ++i) {
        CAPTURE(i);
        devmem::device_facts facts;
        CHECK(backend::facts(device::cuda(i), &facts).ok());
        CHECK(facts.concurrent_managed_access == (i != 1));
        int value = -1;
        CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrConcurrentManagedAccess, i) == cudaSuccess);
        CHECK(value == (i != 1 ? 1 : 0));
        cudaDeviceProp properties;
        CHECK(cudaGetDeviceProperties(&properties, i) == cudaSuccess);
        CHECK(properties.concurrentManagedAccess == (i != 1 ? 1 : 0));
    }
    CHECK(simulated_cuda::devices_with_context().empty());
    simulated_cuda::reset(3);
    devmem::device_facts facts;
    CHECK(backend::facts(device::cuda(1), &facts).ok());
    CHECK(facts.concurrent_managed_access);
}

TEST_CASE("without a device or a driver there are no devices, which is no error") {
    const fresh_simulation fresh(0);
    int count = 5;
    CHECK(backend::device_count(&count).ok());
    CHECK(count == 0);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    simulated_cuda::fail_call("cudaGetDeviceCount", 1, cudaErrorInsufficientDriver);
    CHECK(backend::device_count(&count).ok());
    CHECK(count == 0);
    simulated_cuda::fail_call("cudaGetDeviceCount", 1, cudaErrorUnknown);
    CHECK(is(backend::device_count(&count), error_code::backend_failure, cudaErrorUnknown));
    CHECK(count == 0);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE_FIXTURE(backend_fixture, "a device that is not there is refused, and none made") {
    void* out = nullptr;
    devmem::device_facts facts;
    device before;
    for (const device absent : {device::cuda(2), device::cuda(-1), device::cuda(64),
                                device::cuda(1 << 30), device::cpu(0)}) {
        const auto refused = [](status s) {
            return is(s, error_code::no_such_device, cudaErrorInvalidDevice);
        };
        CHECK(refused(backend::facts(absent, &facts)));
        CHECK(refused(backend::push_device(absent, &before)));
        CHECK(refused(backend::allocate(absent, memory_space::device, 64, &out)));
        CHECK(refused(backend::stream_create(absent, &out)));
        CHECK(refused(backend::default_stream(absent, &out)));
        CHECK(refused(backend::synchronize_device(absent)));
    }
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{1});
    check_untouched();
}

TEST_CASE("pushed devices nest, and are popped to what was there, be it no context at all") {
    const fresh_simulation fresh(4);
    device before;
    device inner;
    CHECK(backend::push_device(device::cuda(2), &before).ok());
    CHECK(before == device::cuda(0));
    CHECK(current_device() == 2);
    CHECK(backend::push_device(device::cuda(3), &inner).ok());
    CHECK(inner == device::cuda(2));
    CHECK(current_device() == 3);
    CHECK(backend::pop_device(inner).ok());
    CHECK(current_device() == 2);
    CHECK(backend::pop_device(before).ok());
    CHECK(current_device() == 0);
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{2, 3});

    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(backend::push_device(device::cuda(2), &before).ok());
    CHECK(before == device::cuda(1));
    CHECK(backend::pop_device(before).ok());
    CHECK(current_device() == 1);
}

TEST_CASE("a device's context is retained once, and a current device is not pushed again") {
    const fresh_simulation fresh(2);
    std::size_t retained = simulated_cuda::count("cuDevicePrimaryCtxRetain");
    void* memory = nullptr;
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    for (int i = 0; i < 3; ++i) {
        CHECK(backend::allocate(device::cuda(1), memory_space::device, 64, &memory).ok());
        CHECK(backend::deallocate(device::cuda(1), memory_space::device, memory, 64).ok());
    }
    retained = simulated_cuda::count("cuDevicePrimaryCtxRetain") - retained;
    CHECK(retained <= 1);  // none, where an earlier test has used the device
    CHECK(simulated_cuda::count("cuCtxPushCurrent") == 0);
}

TEST_CASE("memory of each space is the runtime's of that kind, on the device named") {
    const fresh_simulation fresh(3);
    const device d = device::cuda(2);
    const struct {
        memory_space space;
        memory_kind kind;
    } all[] = {{memory_space::device, memory_kind::device},
               {memory_space::pinned, memory_kind::pinned},
               {memory_space::mapped, memory_kind::mapped},
               {memory_space::managed, memory_kind::managed}};
    for (const auto& [space, kind] : all) {
        const auto before = simulated_cuda::live(2, kind);
        void* memory = nullptr;
        REQUIRE(backend::allocate(d, space, 1000, &memory).ok());
        CHECK(reinterpret_cast<std::uintptr_t>(memory) % devmem::detail::block_alignment == 0);
        CHECK(simulated_cuda::live(2, kind).bytes == before.bytes + 1000);
        CHECK(backend::deallocate(d, space, memory, 1000).ok());
        CHECK(simulated_cuda::live(2, kind) == before);
    }
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{2});
}

TEST_CASE("memory is allocated and freed with its device current, whatever is") {
    const fresh_simulation fresh(4);
    REQUIRE(cudaSetDevice(3) == cudaSuccess);
    void* memory = nullptr;
    CHECK(backend::allocate(device::cuda(2), memory_space::device, 64, &memory).ok());
    std::thread([memory] {
        CHECK(backend::deallocate(device::cuda(2), memory_space::device, memory, 64).ok());
        CHECK(current_device() == 0);
        CHECK(simulated_cuda::context_depth() == 0);
    }).join();
    CHECK(simulated_cuda::calls_of("cudaMalloc").at(0).current_device == 2);
    CHECK(simulated_cuda::calls_of("cudaFree").at(0).current_device == 2);
    CHECK(current_device() == 3);
}

TEST_CASE("out of memory is out_of_memory, and the figures tell") {
    const fresh_simulation fresh(2, 1 << 20);
    void* memory = nullptr;
    CHECK(
        is(backend::allocate(device::cuda(1), memory_space::device, std::size_t{1} << 50, &memory),
           error_code::out_of_memory, cudaErrorMemoryAllocation));
    CHECK(cudaPeekAtLastError() == cudaSuccess);
    REQUIRE(backend::allocate(device::cuda(1), memory_space::device, 1 << 19, &memory).ok());
    devmem::memory_counts counts;
    CHECK(backend::memory_info(device::cuda(1), &counts).ok());
    CHECK(counts.total == 1 << 20);
    CHECK(counts.free == 1 << 19);
    CHECK(backend::deallocate(device::cuda(1), memory_space::device, memory, 1 << 19).ok());
}

TEST_CASE_FIXTURE(backend_fixture, "stream-ordered memory comes and goes with the stream") {
    void* ordered = nullptr;
    CHECK(backend::allocate_async(d, stream, 64, &ordered).ok());
    CHECK(simulated_cuda::live(1, memory_kind::device).bytes == bytes + 64);
    CHECK(backend::deallocate_async(d, stream, ordered, 64).ok());
    CHECK(simulated_cuda::live(1, memory_kind::device).bytes == bytes);
}

TEST_CASE_FIXTURE(backend_fixture, "an error of somebody else's outlives calls that succeed") {
    simulated_cuda::leave_error(cudaErrorInvalidValue);
    void* more = nullptr;
    bool done = false;
    int pattern = 3;
    CHECK(backend::allocate(d, memory_space::device, 64, &more).ok());
    CHECK(backend::upload_async(d, stream, memory, &pattern, sizeof pattern).ok());
    CHECK(backend::fill_async(d, stream, memory, &pattern, sizeof pattern, 8).ok());
    simulated_cuda::gate gate;
    gate.close(stream);
    CHECK(backend::stream_query(d, stream, &done).ok());  // also where nothing is ready
    CHECK(done == !simulated_cuda::gate::works());
    gate.open();
    CHECK(backend::stream_synchronize(d, stream).ok());
    CHECK(backend::deallocate(d, memory_space::device, more, 64).ok());
    CHECK(cudaGetLastError() == cudaErrorInvalidValue);
}

TEST_CASE("a device's fault is device_lost for every call on it, and on it alone") {
    const fresh_simulation fresh(2);
    void* memory = nullptr;
    CHECK(backend::allocate(device::cuda(1), memory_space::device, 64, &memory).ok());
    for (const int fault : {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorAssert,
                            cudaErrorECCUncorrectable}) {
        simulated_cuda::break_device(1, fault);
        void* more = nullptr;
        CHECK(is(backend::allocate(device::cuda(1), memory_space::device, 64, &more),
                 error_code::device_lost, fault));
        CHECK(is(backend::synchronize_device(device::cuda(1)), error_code::device_lost, fault));
    }
    void* other = nullptr;
    CHECK(backend::allocate(device::cuda(0), memory_space::device, 64, &other).ok());
    CHECK(backend::deallocate(device::cuda(0), memory_space::device, other, 64).ok());
    CHECK(cudaGetLastError() == cudaSuccess);
    simulated_cuda::break_device(1, cudaSuccess);
    CHECK(backend::deallocate(device::cuda(1), memory_space::device, memory, 64).ok());
}

TEST_CASE_FIXTURE(backend_fixture, "with the driver unloaded, letting go is silent") {
    void* event = nullptr;
    REQUIRE(backend::event_create(d, false, &event).ok());
    simulated_cuda::unloading(true);
    CHECK(backend::event_destroy(d, event).ok());
    CHECK(backend::stream_destroy(d, stream).ok());
    CHECK(backend::deallocate(d, memory_space::device, memory, bytes).ok());
    CHECK(backend::deallocate(d, memory_space::pinned, memory, bytes).ok());
    CHECK(backend::deallocate_async(d, stream, memory, bytes).ok());
    CHECK(backend::pop_device(device::cuda(0)).ok());
    void* more = nullptr;
    CHECK(is(backend::allocate(d, memory_space::device, 64, &more), error_code::device_lost,
             cudaErrorCudartUnloading));
    simulated_cuda::unloading(false);
    CHECK(backend::event_destroy(d, event).ok());
}

TEST_CASE("native codes have names") {
    CHECK(std::string(backend::native_name(0)).empty());
    CHECK(std::string(backend::native_name(cudaErrorMemoryAllocation)) ==
          "cudaErrorMemoryAllocation");
}

TEST_CASE("the table is CUDA's and is found by its C name") {
    const devmem::backend_table* table = devmem_v0_cuda_table();
    CHECK(table->kind == devmem::device_kind::cuda);
    CHECK(table->version == devmem::detail::table_version);
}

TEST_CASE("runtime results become devmem's codes") {
    using devmem::detail::to_status;
    CHECK(to_status(cudaSuccess).ok());
    CHECK(to_status(cudaErrorMemoryAllocation).code == error_code::out_of_memory);
    CHECK(to_status(cudaErrorNoDevice).code == error_code::no_such_device);
    CHECK(to_status(cudaErrorInvalidDevice).code == error_code::no_such_device);
    CHECK(to_status(cudaErrorLaunchTimeout).code == error_code::device_lost);
    CHECK(to_status(cudaErrorStreamCaptureUnsupported).code == error_code::capture_error);
    CHECK(to_status(cudaErrorStreamCaptureImplicit).code == error_code::capture_error);
    CHECK(to_status(cudaErrorNotPermitted).code == error_code::not_permitted);
    CHECK(to_status(cudaErrorInvalidValue).code == error_code::invalid_argument);
    CHECK(to_status(cudaErrorUnknown).code == error_code::backend_failure);
}

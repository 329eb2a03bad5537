// Rules of the simulation: devices, primary contexts, what is current.
#include "fixture.hpp"

#include <devmem/backend/cpu/engine.hpp>

#include <cuda.h>
#include <cudaTypedefs.h>

#include <thread>

using namespace devmem_test;

namespace {

template <class Function>
Function entry_point(const char* name, unsigned version) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    REQUIRE(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result) ==
            cudaSuccess);
    REQUIRE(result == cudaDriverEntryPointSuccess);
    return reinterpret_cast<Function>(found);
}

const std::vector<int> none;

}  // namespace

TEST_CASE("counting devices, telling their properties and the current one make no context") {
    const fresh_simulation fresh(3);
    int count = 0;
    CHECK(cudaGetDeviceCount(&count) == cudaSuccess);
    CHECK(count == 3);
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 2) == cudaSuccess);
    CHECK(properties.totalGlobalMem == simulated_cuda::default_capacity);
    int warp = 0;
    CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 1) == cudaSuccess);
    CHECK(warp == 32);
    CHECK(current_device() == 0);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(simulated_cuda::devices_with_context() == none);
}

TEST_CASE("with no device, counting them is an error") {
    const fresh_simulation fresh(0);
    int count = 5;
    CHECK(cudaGetDeviceCount(&count) == cudaErrorNoDevice);
    CHECK(count == 0);
    int current = 0;
    CHECK(cudaGetDevice(&current) == cudaErrorNoDevice);
}

TEST_CASE("a device that is not there is refused everywhere") {
    const fresh_simulation fresh(2);
    cudaDeviceProp properties;
    int value = 0;
    CHECK(cudaSetDevice(2) == cudaErrorInvalidDevice);
    CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    CHECK(cudaGetDeviceProperties(&properties, 2) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 2) == cudaErrorInvalidDevice);
    CHECK(cudaDeviceCanAccessPeer(&value, 0, 2) == cudaErrorInvalidDevice);
    CHECK(current_device() == 0);
    CHECK(simulated_cuda::devices_with_context() == none);
}

TEST_CASE("setting a device makes its context at once") {
    const fresh_simulation fresh(2);
    CHECK(cudaSetDevice(1) == cudaSuccess);
    CHECK(current_device() == 1);
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{1});
}

TEST_CASE("the first call that needs a context makes the current device's") {
    const fresh_simulation fresh(2);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{0});
}

TEST_CASE("each thread has a current device of its own") {
    const fresh_simulation fresh(2);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    int other = -1;
    std::thread([&other] { CHECK(cudaGetDevice(&other) == cudaSuccess); }).join();
    CHECK(other == 0);
    CHECK(current_device() == 1);
}

TEST_CASE("a pushed context is current until it is popped") {
    const fresh_simulation fresh(2);
    const auto retain =
        entry_point<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000);
    const auto release =
        entry_point<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease", 11000);
    const auto push = entry_point<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent", 4000);
    const auto pop = entry_point<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent", 4000);
    const auto current = entry_point<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000);

    CUcontext context = nullptr;
    CUcontext found = nullptr;
    REQUIRE(retain(&context, 1) == CUDA_SUCCESS);
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{1});
    CHECK(current_device() == 0);  // retaining does not make it current

    CHECK(push(context) == CUDA_SUCCESS);
    CHECK(current_device() == 1);
    CHECK(current(&found) == CUDA_SUCCESS);
    CHECK(found == context);
    CHECK(pop(&found) == CUDA_SUCCESS);
    CHECK(found == context);
    CHECK(current_device() == 0);
    CHECK(current(&found) == CUDA_SUCCESS);
    CHECK(found == nullptr);
    CHECK(simulated_cuda::devices_with_context() == std::vector<int>{1});  // none on device 0
    CHECK(release(1) == CUDA_SUCCESS);
}

TEST_CASE("setting a device replaces the top of the stack of contexts") {
    const fresh_simulation fresh(3);
    const auto retain =
        entry_point<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000);
    const auto release =
        entry_point<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease", 11000);
    const auto push = entry_point<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent", 4000);
    const auto pop = entry_point<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent", 4000);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    CUcontext context = nullptr;
    REQUIRE(retain(&context, 1) == CUDA_SUCCESS);
    REQUIRE(push(context) == CUDA_SUCCESS);
    CHECK(cudaSetDevice(2) == cudaSuccess);
    CHECK(simulated_cuda::context_depth() == 2);
    REQUIRE(pop(&context) == CUDA_SUCCESS);
    CHECK(current_device() == 0);
    CHECK(release(1) == CUDA_SUCCESS);
}

TEST_CASE("the last release of a primary context ends it, and no more than was retained") {
    const fresh_simulation fresh(simulated_cuda::most_devices);
    const auto retain =
        entry_point<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000);
    const auto release =
        entry_point<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease", 11000);
    const auto state =
        entry_point<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState", 7000);
    const auto push = entry_point<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent", 4000);

    constexpr int last = simulated_cuda::most_devices - 1;  // which no other test retains
    CUcontext context = nullptr;
    unsigned flags = 0;
    int active = -1;
    CHECK(release(last) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(state(last, &flags, &active) == CUDA_SUCCESS);
    CHECK(active == 0);
    CHECK(retain(&context, last) == CUDA_SUCCESS);
    CHECK(state(last, &flags, &active) == CUDA_SUCCESS);
    CHECK(active == 1);
    CHECK(release(last) == CUDA_SUCCESS);
    CHECK(state(last, &flags, &active) == CUDA_SUCCESS);
    CHECK(active == 0);
    CHECK(push(context) == CUDA_ERROR_CONTEXT_IS_DESTROYED);
    CHECK(push(nullptr) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(retain(&context, last + 1) == CUDA_ERROR_INVALID_DEVICE);
}

TEST_CASE("there must be a context to pop") {
    const fresh_simulation fresh(2);
    const auto pop = entry_point<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent", 4000);
    CUcontext context = nullptr;
    CHECK(pop(&context) == CUDA_ERROR_INVALID_CONTEXT);
    expect_misuse("no context to pop");
}

TEST_CASE("the driver makes no context by itself") {
    const fresh_simulation fresh(2);
    const auto fill = entry_point<PFN_cuMemsetD8Async_v3020>("cuMemsetD8Async", 3020);
    const auto device = entry_point<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice", 2000);
    const auto set = entry_point<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000);
    CUdevice found = -1;
    CHECK(fill(0, 1, 1, nullptr) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(device(&found) == CUDA_ERROR_INVALID_CONTEXT);
    CHECK(simulated_cuda::devices_with_context() == none);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(device(&found) == CUDA_SUCCESS);
    CHECK(found == 1);
    CHECK(set(nullptr) == CUDA_SUCCESS);
    CHECK(device(&found) == CUDA_ERROR_INVALID_CONTEXT);
}

TEST_CASE("an entry point is of the version asked for, or not given") {
    const fresh_simulation fresh(1);
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
    const auto ask = [&](const char* name, unsigned version) {
        return cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &result);
    };
    CHECK(ask("cuNothingOfTheKind", 12000) == cudaSuccess);
    CHECK(result == cudaDriverEntryPointSymbolNotFound);
    CHECK(found == nullptr);
    CHECK(ask("cuDevicePrimaryCtxRetain", 6000) == cudaSuccess);
    CHECK(result == cudaDriverEntryPointVersionNotSufficent);
    CHECK(ask("cuStreamGetCtx", 9020) == cudaSuccess);
    CHECK(result == cudaDriverEntryPointSuccess);
    CHECK(ask("cuStreamGetCtx", 12050) == cudaSuccess);  // another signature by then
    CHECK(result == cudaDriverEntryPointSymbolNotFound);
}

TEST_CASE("the driver refuses devices, flags and addresses that it does not know") {
    const fresh_simulation fresh(2);
    const auto init = entry_point<PFN_cuInit_v2000>("cuInit", 2000);
    const auto get = entry_point<PFN_cuDeviceGet_v2000>("cuDeviceGet", 2000);
    const auto name = entry_point<PFN_cuDeviceGetName_v2000>("cuDeviceGetName", 2000);
    const auto memory = entry_point<PFN_cuDeviceTotalMem_v3020>("cuDeviceTotalMem", 3020);
    const auto attribute =
        entry_point<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", 4000);
    CUdevice device = -1;
    char text[64] = "";
    std::size_t bytes = 0;
    CHECK(init(0) == CUDA_SUCCESS);
    CHECK(init(1) == CUDA_ERROR_INVALID_VALUE);
    CHECK(get(&device, 1) == CUDA_SUCCESS);
    CHECK(device == 1);
    CHECK(get(&device, 2) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(name(text, sizeof text, 1) == CUDA_SUCCESS);
    CHECK(name(text, sizeof text, 2) == CUDA_ERROR_INVALID_DEVICE);
    CHECK(memory(&bytes, 1) == CUDA_SUCCESS);
    CHECK(bytes == simulated_cuda::default_capacity);
    CHECK(memory(&bytes, -1) == CUDA_ERROR_INVALID_DEVICE);

    int local = 0;
    unsigned type = 0;
    const auto type_of = [&](const void* p) {
        return attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(p));
    };
    CHECK(type_of(&local) == CUDA_ERROR_INVALID_VALUE);
    std::byte* pinned = make_pinned_memory(8);
    std::byte* of_device = make_device_memory(8);
    CHECK(type_of(pinned + 7) == CUDA_SUCCESS);
    CHECK(type == CU_MEMORYTYPE_HOST);
    CHECK(type_of(of_device) == CUDA_SUCCESS);
    CHECK(type == CU_MEMORYTYPE_DEVICE);
    CHECK(cudaFreeHost(pinned) == cudaSuccess);
    CHECK(cudaFree(of_device) == cudaSuccess);
    CHECK(type_of(of_device) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("the program and the simulation share the engine's state") {
    const fresh_simulation fresh(1);
    CHECK(simulated_cuda::engine_address() == &devmem::detail::engine());
    CHECK(simulated_cuda::in_queue_work_address() == &devmem::detail::in_queue_work);
}

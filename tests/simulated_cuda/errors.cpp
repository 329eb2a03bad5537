// Rules of the simulation: the last error, failures on demand, faults, unloading, host functions.
#include "fixture.hpp"

using namespace devmem_test;

TEST_CASE("the last error is the thread's, stays until asked for, and survives success") {
    const fresh_simulation fresh;
    CHECK(cudaSetDevice(7) == cudaErrorInvalidDevice);
    CHECK(current_device() == 0);
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice);
    CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("not ready is a last error too") {
    const fresh_simulation fresh;
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    simulated_cuda::gate gate;
    cudaStream_t stream = make_stream();
    gate.close(stream);
    CHECK(cudaStreamQuery(stream) == cudaErrorNotReady);
    CHECK(cudaGetLastError() == cudaErrorNotReady);
    gate.open();
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("the n-th call of a function fails, once, and does nothing") {
    const fresh_simulation fresh;
    simulated_cuda::fail_call("cudaMalloc", 2, cudaErrorMemoryAllocation);
    void* first = nullptr;
    void* second = nullptr;
    CHECK(cudaMalloc(&first, 64) == cudaSuccess);
    CHECK(cudaMalloc(&second, 64) == cudaErrorMemoryAllocation);
    CHECK(second == nullptr);
    CHECK(simulated_cuda::live(0, memory_kind::device).blocks == 1);
    CHECK(cudaMalloc(&second, 64) == cudaSuccess);
    CHECK(cudaFree(first) == cudaSuccess);
    CHECK(cudaFree(second) == cudaSuccess);
}

TEST_CASE("the n-th call of any function fails, or every call of one") {
    const fresh_simulation fresh;
    simulated_cuda::fail_call("", 2, cudaErrorUnknown);
    int value = 0;
    CHECK(cudaGetDevice(&value) == cudaSuccess);
    CHECK(cudaGetDeviceCount(&value) == cudaErrorUnknown);
    CHECK(cudaGetDevice(&value) == cudaSuccess);

    simulated_cuda::fail_every_call("cudaGetDevice", cudaErrorUnknown);
    CHECK(cudaGetDevice(&value) == cudaErrorUnknown);
    CHECK(cudaGetDevice(&value) == cudaErrorUnknown);
    simulated_cuda::fail_no_more();
    CHECK(cudaGetDevice(&value) == cudaSuccess);
}

TEST_CASE("a broken device fails every call that needs it, and no other device's") {
    const fresh_simulation fresh;
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    cudaStream_t stream = make_stream();
    cudaEvent_t event = make_event();
    std::byte* memory = make_device_memory(64);
    simulated_cuda::break_device(0, cudaErrorIllegalAddress);

    void* more = nullptr;
    CHECK(cudaMalloc(&more, 64) == cudaErrorIllegalAddress);
    CHECK(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);
    CHECK(cudaGetLastError() == cudaErrorIllegalAddress);  // cannot be cleared
    CHECK(current_device() == 0);

    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaGetLastError() == cudaSuccess);
    CHECK(cudaMalloc(&more, 64) == cudaSuccess);
    CHECK(cudaFree(more) == cudaSuccess);
    CHECK(cudaMemsetAsync(memory, 0, 64, stream) == cudaErrorIllegalAddress);
    CHECK(cudaEventQuery(event) == cudaErrorIllegalAddress);
    CHECK(cudaStreamQuery(stream) == cudaErrorIllegalAddress);

    simulated_cuda::break_device(0, cudaSuccess);
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("while the driver is unloaded every call says so") {
    const fresh_simulation fresh;
    std::byte* memory = make_device_memory(64);
    simulated_cuda::unloading(true);
    int value = 0;
    CHECK(cudaFree(memory) == cudaErrorCudartUnloading);
    CHECK(cudaGetDevice(&value) == cudaErrorCudartUnloading);
    CHECK(cudaGetLastError() == cudaErrorCudartUnloading);
    simulated_cuda::unloading(false);
    CHECK(cudaGetLastError() == cudaSuccess);  // there was nobody to keep it
    CHECK(cudaFree(memory) == cudaSuccess);
}

TEST_CASE("the driver is unloaded at the n-th call, and stays so") {
    const fresh_simulation fresh;
    simulated_cuda::unload_at(2);
    int value = 0;
    CHECK(cudaGetDevice(&value) == cudaSuccess);
    CHECK(cudaGetDeviceCount(&value) == cudaErrorCudartUnloading);
    CHECK(cudaGetDevice(&value) == cudaErrorCudartUnloading);
    simulated_cuda::unloading(false);
    CHECK(cudaGetDevice(&value) == cudaSuccess);
}

TEST_CASE("a device breaks at the n-th call, and stays so") {
    const fresh_simulation fresh;
    void* memory = nullptr;
    simulated_cuda::break_device_at(3, cudaErrorLaunchFailure);
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(cudaMalloc(&memory, 64) == cudaErrorLaunchFailure);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    simulated_cuda::break_device(1, cudaSuccess);

    // A call that needs no context tells of no fault.
    int value = 0;
    simulated_cuda::break_device_at(1, cudaErrorLaunchFailure);
    CHECK(cudaGetDevice(&value) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
    simulated_cuda::break_device(0, cudaSuccess);
    static_cast<void>(cudaGetLastError());
}

TEST_CASE("a host function may call nothing of CUDA") {
    const fresh_simulation fresh;
    cudaStream_t stream = make_stream();
    cudaError_t inside = cudaSuccess;
    CHECK(cudaLaunchHostFunc(
              stream,
              [](void* out) {
                  int value = 0;
                  *static_cast<cudaError_t*>(out) = cudaGetDevice(&value);
              },
              &inside) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(inside == cudaErrorNotPermitted);
    expect_misuse("in a host function");
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("after a fault no host function runs") {
    const fresh_simulation fresh;
    if (!simulated_cuda::gate::works()) DEVMEM_SKIP("nothing is ever pending");
    simulated_cuda::gate gate;
    cudaStream_t stream = make_stream();
    gate.close(stream);
    bool ran = false;
    CHECK(cudaLaunchHostFunc(
              stream, [](void* out) { *static_cast<bool*>(out) = true; }, &ran) == cudaSuccess);
    simulated_cuda::break_device(0, cudaErrorLaunchFailure);
    gate.open();
    CHECK(cudaStreamSynchronize(stream) == cudaErrorLaunchFailure);
    simulated_cuda::drain();
    CHECK_FALSE(ran);
    simulated_cuda::break_device(0, cudaSuccess);
    CHECK(cudaGetLastError() == cudaErrorLaunchFailure);
    CHECK(cudaLaunchHostFunc(stream, nullptr, nullptr) == cudaErrorInvalidValue);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("the log tells function, devices, bytes, stream and result") {
    const fresh_simulation fresh;
    REQUIRE(cudaSetDevice(1) == cudaSuccess);
    cudaStream_t stream = make_stream();
    unsigned long long id = 0;
    REQUIRE(cudaStreamGetId(stream, &id) == cudaSuccess);
    std::byte* memory = make_device_memory(48);
    REQUIRE(cudaSetDevice(0) == cudaSuccess);
    simulated_cuda::clear_calls();

    CHECK(cudaMemsetAsync(memory, 1, 48, stream) == cudaSuccess);
    const std::vector<simulated_cuda::call> calls = simulated_cuda::calls_of("cudaMemsetAsync");
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].device == 1);
    CHECK(calls[0].current_device == 0);
    CHECK(calls[0].bytes == 48);
    CHECK(calls[0].stream == id);
    CHECK(calls[0].address == memory);
    CHECK(calls[0].result == cudaSuccess);
    CHECK(simulated_cuda::count("cudaMemsetAsync") == 1);
    CHECK(simulated_cuda::count("cudaMalloc") == 0);

    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
    CHECK(cudaFree(memory) == cudaSuccess);
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("versions and names are told at any time") {
    const fresh_simulation fresh(0);
    int version = 0;
    CHECK(cudaRuntimeGetVersion(&version) == cudaSuccess);
    CHECK(version == CUDART_VERSION);
    CHECK(cudaDriverGetVersion(&version) == cudaSuccess);
    CHECK(std::string(cudaGetErrorName(cudaErrorInvalidValue)) == "cudaErrorInvalidValue");
    CHECK(std::string(cudaGetErrorString(cudaSuccess)) == "cudaSuccess");
}

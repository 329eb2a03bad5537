// Rules of the simulation that hold for every function: no calls in host functions, none after the
// driver has unloaded, each failure that is documented; and which functions keep the host waiting.
//
// Compiled a second time with the macro for threads' own default streams, which means the other
// variant of each function that has two.
#include "fixture.hpp"

#include <documented_errors.hpp>

#include <cuda.h>
#include <cudaTypedefs.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <set>

// The name that nvcc calls.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t,
                                          cudaStream_t);

using namespace devmem_test;

namespace {

void nothing(void*) {}

struct function_call {
    const char* function;
    std::function<int()> call;
};

/// A driver's function, found while CUDA may be called.
template <class Function>
Function driver_function(const char* name, unsigned version) {
    void* found = nullptr;
    REQUIRE(cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, nullptr) ==
            cudaSuccess);
    REQUIRE(found != nullptr);
    return reinterpret_cast<Function>(found);
}

// Deprecated, and all there was before CUDA 12.5.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cudaError_t find_without_version(void** out) {
    return cudaGetDriverEntryPoint("cuInit", out, cudaEnableDefault, nullptr);
}
#pragma GCC diagnostic pop

/// One call of each function of the simulation, right as far as it goes: each does nothing when it
/// is refused.
struct every_function {
    std::vector<function_call> all;

    every_function() {
        stream = make_stream();
        event = make_event();
        memory = make_device_memory(256);
        REQUIRE(cudaMallocAsync(&ordered, 64, stream) == cudaSuccess);
        add_devices();
        add_memory();
        add_streams();
        add_events();
        add_driver();
        add_driver_work();
    }
    ~every_function() {
        CHECK(cudaFreeAsync(ordered, stream) == cudaSuccess);
        CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
        CHECK(cudaStreamDestroy(stream) == cudaSuccess);
        CHECK(cudaEventDestroy(event) == cudaSuccess);
        CHECK(cudaFree(memory) == cudaSuccess);
    }
    every_function(const every_function&) = delete;
    every_function& operator=(const every_function&) = delete;

  private:
    template <class F>
    void add(const char* name, F call) {
        all.push_back({name, [call]() -> int { return static_cast<int>(call()); }});
    }

    void add_devices() {
        add("cudaGetDeviceCount", [this] { return cudaGetDeviceCount(&value); });
        add("cudaGetDevice", [this] { return cudaGetDevice(&value); });
        add("cudaSetDevice", [] { return cudaSetDevice(0); });
        add("cudaGetDeviceProperties", [this] { return cudaGetDeviceProperties(&properties, 0); });
        add("cudaDeviceGetAttribute",
            [this] { return cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0); });
        add("cudaDeviceSynchronize", [] { return cudaDeviceSynchronize(); });
        add("cudaMemGetInfo", [this] { return cudaMemGetInfo(&bytes, &more_bytes); });
        add("cudaDeviceCanAccessPeer", [this] { return cudaDeviceCanAccessPeer(&value, 0, 1); });
        add("cudaRuntimeGetVersion", [this] { return cudaRuntimeGetVersion(&value); });
        add("cudaDriverGetVersion", [this] { return cudaDriverGetVersion(&value); });
        add("cudaGetDriverEntryPoint", [this] { return find_without_version(&out); });
        add("cudaGetDriverEntryPointByVersion", [this] {
            return cudaGetDriverEntryPointByVersion("cuInit", &out, 12000, cudaEnableDefault,
                                                    nullptr);
        });
        add("cudaFuncGetAttributes", [this] {
            return cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(&nothing));
        });
        add("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", [this] {
            return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
                &value, reinterpret_cast<const void*>(&nothing), 32, 0, 0);
        });
        add("cudaLaunchKernel", [this] {
            return cudaLaunchKernel(reinterpret_cast<const void*>(&nothing), dim3(1), dim3(1),
                                    nullptr, 0, stream);
        });
        add("cudaLaunchKernelExC", [this] {
            cudaLaunchConfig_t c{};
            c.gridDim = dim3(1);
            c.blockDim = dim3(1);
            c.stream = stream;
            return cudaLaunchKernelExC(&c, reinterpret_cast<const void*>(&nothing), nullptr);
        });
        add("cudaLaunchKernel",
            [this] { return __cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, stream); });
    }

    void add_memory() {
        add("cudaMalloc", [this] { return cudaMalloc(&out, 64); });
        add("cudaFree", [this] { return cudaFree(memory); });
        add("cudaHostAlloc", [this] { return cudaHostAlloc(&out, 64, cudaHostAllocDefault); });
        add("cudaMallocHost", [this] { return cudaMallocHost(&out, 64); });
        add("cudaFreeHost", [] { return cudaFreeHost(nullptr); });
        add("cudaMallocManaged",
            [this] { return cudaMallocManaged(&out, 64, cudaMemAttachGlobal); });
        add("cudaMallocAsync", [this] { return cudaMallocAsync(&out, 64, stream); });
        add("cudaFreeAsync", [this] { return cudaFreeAsync(ordered, stream); });
        add("cudaHostGetDevicePointer",
            [this] { return cudaHostGetDevicePointer(&out, memory, 0); });
        add("cudaPointerGetAttributes",
            [this] { return cudaPointerGetAttributes(&pointer, memory); });
        add("cudaMemcpy",
            [this] { return cudaMemcpy(memory, memory + 128, 64, cudaMemcpyDefault); });
        add("cudaMemcpyAsync", [this] {
            return cudaMemcpyAsync(memory, memory + 128, 64, cudaMemcpyDefault, stream);
        });
        add("cudaMemcpy2DAsync", [this] {
            return cudaMemcpy2DAsync(memory, 16, memory + 128, 32, 8, 4, cudaMemcpyDefault, stream);
        });
        add("cudaMemsetAsync", [this] { return cudaMemsetAsync(memory, 0, 64, stream); });
        add("cudaMemset2DAsync", [this] { return cudaMemset2DAsync(memory, 16, 0, 8, 4, stream); });
    }

    void add_streams() {
        add("cudaStreamCreate", [this] { return cudaStreamCreate(&made); });
        add("cudaStreamCreateWithFlags",
            [this] { return cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking); });
        add("cudaStreamDestroy", [this] { return cudaStreamDestroy(stream); });
        add("cudaStreamSynchronize", [this] { return cudaStreamSynchronize(stream); });
        add("cudaStreamQuery", [this] { return cudaStreamQuery(stream); });
        add("cudaStreamWaitEvent",
            [this] { return cudaStreamWaitEvent(stream, event, cudaEventWaitDefault); });
        add("cudaStreamIsCapturing", [this] { return cudaStreamIsCapturing(stream, &capture); });
        add("cudaStreamGetId", [this] { return cudaStreamGetId(stream, &id); });
        add("cudaStreamGetDevice", [this] { return cudaStreamGetDevice(stream, &value); });
        add("cudaStreamGetFlags", [this] { return cudaStreamGetFlags(stream, &flags); });
        add("cudaLaunchHostFunc", [this] { return cudaLaunchHostFunc(stream, nothing, nullptr); });
    }

    void add_events() {
        add("cudaEventCreate", [this] { return cudaEventCreate(&made_event); });
        add("cudaEventCreateWithFlags",
            [this] { return cudaEventCreateWithFlags(&made_event, cudaEventDefault); });
        add("cudaEventDestroy", [this] { return cudaEventDestroy(event); });
        add("cudaEventRecord", [this] { return cudaEventRecord(event, stream); });
        add("cudaEventQuery", [this] { return cudaEventQuery(event); });
        add("cudaEventSynchronize", [this] { return cudaEventSynchronize(event); });
        add("cudaEventElapsedTime",
            [this] { return cudaEventElapsedTime(&milliseconds, event, event); });
    }

    /// The type of a driver's function tells its version.
    template <class Function, class... Args>
    void add_of_driver(const char* name, unsigned version, Args... args) {
        const auto f = driver_function<Function>(name, version);
        add(name, [=] { return f(args...); });
    }

    void add_driver() {
        CUcontext* const context_out = &context;
        add_of_driver<PFN_cuInit_v2000>("cuInit", 2000, 0U);
        add_of_driver<PFN_cuDeviceGet_v2000>("cuDeviceGet", 2000, &value, 0);
        add_of_driver<PFN_cuDeviceGetName_v2000>("cuDeviceGetName", 2000, &device_name[0], 64, 0);
        add_of_driver<PFN_cuDeviceTotalMem_v3020>("cuDeviceTotalMem", 3020, &bytes, 0);
        add_of_driver<PFN_cuDeviceGetAttribute_v2000>("cuDeviceGetAttribute", 2000, &value,
                                                      CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0);
        add_of_driver<PFN_cuDevicePrimaryCtxRetain_v7000>("cuDevicePrimaryCtxRetain", 7000,
                                                          context_out, 0);
        add_of_driver<PFN_cuDevicePrimaryCtxRelease_v11000>("cuDevicePrimaryCtxRelease", 11000, 0);
        add_of_driver<PFN_cuDevicePrimaryCtxGetState_v7000>("cuDevicePrimaryCtxGetState", 7000, 0,
                                                            &flags, &value);
        add_of_driver<PFN_cuCtxPushCurrent_v4000>("cuCtxPushCurrent", 4000, context);
        add_of_driver<PFN_cuCtxPopCurrent_v4000>("cuCtxPopCurrent", 4000, context_out);
        add_of_driver<PFN_cuCtxGetCurrent_v4000>("cuCtxGetCurrent", 4000, context_out);
        add_of_driver<PFN_cuCtxSetCurrent_v4000>("cuCtxSetCurrent", 4000, context);
        add_of_driver<PFN_cuCtxGetDevice_v2000>("cuCtxGetDevice", 2000, &value);
    }

    void add_driver_work() {
        const auto at = reinterpret_cast<CUdeviceptr>(memory);
        add_of_driver<PFN_cuStreamGetCtx_v9020>("cuStreamGetCtx", 9020, stream, &context);
        add_of_driver<PFN_cuStreamQuery_v2000>("cuStreamQuery", 2000, stream);
        add_of_driver<PFN_cuEventQuery_v2000>("cuEventQuery", 2000, event);
        add_of_driver<PFN_cuPointerGetAttribute_v4000>("cuPointerGetAttribute", 4000,
                                                       static_cast<void*>(&value),
                                                       CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at);
        add_of_driver<PFN_cuMemsetD8Async_v3020>(
            "cuMemsetD8Async", 3020, at, static_cast<unsigned char>(0), std::size_t{8}, stream);
        add_of_driver<PFN_cuMemsetD16Async_v3020>(
            "cuMemsetD16Async", 3020, at, static_cast<unsigned short>(0), std::size_t{8}, stream);
        add_of_driver<PFN_cuMemsetD32Async_v3020>("cuMemsetD32Async", 3020, at, 0U, std::size_t{8},
                                                  stream);
        add_of_driver<PFN_cuMemsetD2D32Async_v3020>("cuMemsetD2D32Async", 3020, at, std::size_t{8},
                                                    0U, std::size_t{1}, std::size_t{4}, stream);
    }

    cudaStream_t stream = nullptr;
    cudaStream_t made = nullptr;
    cudaEvent_t event = nullptr;
    cudaEvent_t made_event = nullptr;
    std::byte* memory = nullptr;
    void* ordered = nullptr;
    void* out = nullptr;
    CUcontext context = nullptr;
    int value = 0;
    unsigned flags = 0;
    unsigned long long id = 0;
    float milliseconds = 0;
    std::size_t bytes = 0;
    std::size_t more_bytes = 0;
    char device_name[64] = {};
    cudaDeviceProp properties{};
    cudaFuncAttributes attributes{};
    cudaPointerAttributes pointer{};
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
};

std::set<std::string> names_of(const every_function& functions) {
    std::set<std::string> names;
    for (const function_call& f : functions.all) names.insert(f.function);
    return names;
}

/// The functions of the runtime that the simulation's library exports, without their variants.
std::set<std::string> exported_functions() {
    Dl_info library{};
    REQUIRE(dladdr(reinterpret_cast<void*>(&cudaRuntimeGetVersion), &library) != 0);
    const std::string command =
        std::string("nm -D --defined-only '") + library.dli_fname + "' | sed 's/.* //'";
    std::FILE* const lines = popen(command.c_str(), "r");
    REQUIRE(lines != nullptr);
    std::set<std::string> names;
    char line[512];
    while (std::fgets(line, sizeof line, lines) != nullptr) {
        std::string name(line);
        name.resize(name.find_last_not_of('\n') + 1);
        const std::size_t variant = std::min(name.find("_ptsz"), name.find("_ptds"));
        if (variant != std::string::npos) name.resize(variant);
        if (name.rfind("cuda", 0) == 0) names.insert(name);
    }
    CHECK(pclose(lines) == 0);
    return names;
}

}  // namespace

TEST_CASE("what the library exports and hands out is in the table of errors, and in this file") {
    const fresh_simulation fresh;
    const every_function functions;
    std::set<std::string> documented;
    for (const std::string& name : simulated_cuda::documented_functions()) {
        CAPTURE(name);
        CHECK(documented.insert(name).second);
        CHECK(simulated_cuda::documented_errors(name).size() >= 4);
    }
    CHECK(names_of(functions) == documented);
    CHECK(simulated_cuda::documented_errors("cudaFrobnicate").empty());

    // These have no failures of their own.
    std::set<std::string> runtime = {"cudaGetErrorName", "cudaGetErrorString", "cudaGetLastError",
                                     "cudaPeekAtLastError"};
    for (const std::string& name : documented) {
        if (name.rfind("cuda", 0) == 0) runtime.insert(name);
    }
    CHECK(exported_functions() == runtime);

    // Each of the driver's is handed out, which `every_function` has found; no other is.
    for (const char* other : {"cuCtxCreate", "cuMemAlloc", "cuStreamSynchronize"}) {
        void* found = nullptr;
        CHECK(cudaGetDriverEntryPointByVersion(other, &found, 12000, cudaEnableDefault, nullptr) ==
              cudaSuccess);
        CHECK(found == nullptr);
    }
}

TEST_CASE("the errors of a function are its own and everybody's, each once") {
    const auto has = [](const char* function, int error) {
        const std::vector<int> all = simulated_cuda::documented_errors(function);
        return std::count(all.begin(), all.end(), error) == 1;
    };
    CHECK(has("cudaMalloc", cudaErrorMemoryAllocation));
    CHECK(has("cudaMalloc", cudaErrorLaunchFailure));
    CHECK(has("cudaMalloc", cudaErrorCudartUnloading));
    CHECK(has("cudaStreamQuery", cudaErrorNotReady));
    CHECK(has("cudaLaunchKernel", cudaErrorLaunchOutOfResources));
    CHECK(has("cuDevicePrimaryCtxRetain", CUDA_ERROR_OUT_OF_MEMORY));
    CHECK(has("cuMemsetD8Async", CUDA_ERROR_ILLEGAL_ADDRESS));
    CHECK(has("cuDeviceGet", CUDA_ERROR_DEINITIALIZED));
    CHECK(has("cudaMemcpy2DAsync", cudaErrorInvalidPitchValue));
    CHECK_FALSE(has("cuDeviceGet", CUDA_ERROR_LAUNCH_FAILED));
    CHECK_FALSE(has("cudaMemcpyAsync", cudaErrorMemoryAllocation));
}

TEST_CASE("each function gives each of its errors on demand, and does nothing") {
    const fresh_simulation fresh;
    const every_function functions;
    const auto device_memory = simulated_cuda::live(0, memory_kind::device);
    const std::size_t streams = simulated_cuda::live_streams();
    const std::size_t events = simulated_cuda::live_events();
    const std::size_t depth = simulated_cuda::context_depth();
    for (const function_call& f : functions.all) {
        CAPTURE(f.function);
        for (const int error : simulated_cuda::documented_errors(f.function)) {
            simulated_cuda::fail_call(f.function, 1, error);
            CHECK(f.call() == error);
            simulated_cuda::fail_no_more();
        }
    }
    CHECK(simulated_cuda::live(0, memory_kind::device) == device_memory);
    CHECK(simulated_cuda::live_streams() == streams);
    CHECK(simulated_cuda::live_events() == events);
    CHECK(simulated_cuda::context_depth() == depth);
    CHECK(simulated_cuda::host_waits() == 0);
}

TEST_CASE("with the driver unloaded no function does anything") {
    const fresh_simulation fresh;
    const every_function functions;
    simulated_cuda::unloading(true);
    for (const function_call& f : functions.all) {
        CAPTURE(f.function);
        CHECK(f.call() == (f.function[2] == 'd' ? int{cudaErrorCudartUnloading}
                                                : int{CUDA_ERROR_DEINITIALIZED}));
    }
    CHECK(cudaGetLastError() == cudaErrorCudartUnloading);
    CHECK(cudaPeekAtLastError() == cudaErrorCudartUnloading);
    simulated_cuda::unloading(false);
    CHECK(cudaPeekAtLastError() == cudaSuccess);
}

TEST_CASE("in a host function every function is refused, and a misuse") {
    const fresh_simulation fresh;
    every_function functions;
    functions.all.push_back(
        {"cudaGetLastError", [] { return static_cast<int>(cudaGetLastError()); }});
    functions.all.push_back(
        {"cudaPeekAtLastError", [] { return static_cast<int>(cudaPeekAtLastError()); }});
    struct calls_in_host_function {
        const every_function& functions;
        std::vector<int> results;
    } inside{functions, {}};
    cudaStream_t stream = make_stream();
    CHECK(cudaLaunchHostFunc(
              stream,
              [](void* data) {
                  auto& calls = *static_cast<calls_in_host_function*>(data);
                  for (const function_call& f : calls.functions.all) {
                      calls.results.push_back(f.call());
                  }
              },
              &inside) == cudaSuccess);
    CHECK(cudaStreamSynchronize(stream) == cudaSuccess);

    const std::vector<std::string> noted = simulated_cuda::misuses();
    simulated_cuda::clear_misuses();
    REQUIRE(inside.results.size() == functions.all.size());
    REQUIRE(noted.size() == functions.all.size());
    for (std::size_t i = 0; i < noted.size(); ++i) {
        CHECK(inside.results[i] == cudaErrorNotPermitted);
        CHECK(noted[i] == std::string(functions.all[i].function) + ": called in a host function");
    }
    CHECK(cudaStreamDestroy(stream) == cudaSuccess);
    static_cast<void>(cudaGetLastError());  // by the inline scheduler it is this thread's
}

TEST_CASE("host waits are counted where the host waits, or may") {
    const fresh_simulation fresh;
    cudaStream_t stream = make_stream();
    cudaEvent_t event = make_event();
    std::byte* memory = make_device_memory(256);
    std::byte* pinned = make_pinned_memory(256);
    std::byte* more_pinned = make_pinned_memory(256);
    std::vector<std::byte> pageable(256);
    const auto waits = [&](const std::function<cudaError_t()>& call) {
        const std::size_t before = simulated_cuda::host_waits();
        CHECK(call() == cudaSuccess);
        return simulated_cuda::host_waits() - before;
    };
    const auto copy_waits = [&](void* dst, const void* src) {
        return waits([&] { return cudaMemcpyAsync(dst, src, 256, cudaMemcpyDefault, stream); });
    };
    CHECK(copy_waits(memory, pinned) == 0);
    CHECK(copy_waits(pinned, memory) == 0);
    CHECK(copy_waits(memory, pageable.data()) == 1);
    CHECK(copy_waits(pageable.data(), memory) == 1);
    CHECK(copy_waits(pinned, more_pinned) == 1);
    CHECK(copy_waits(pinned, pageable.data()) == 1);
    simulated_cuda::pageable_access(true);
    CHECK(copy_waits(memory, pageable.data()) == 0);
    CHECK(copy_waits(pageable.data(), memory) == 0);
    simulated_cuda::pageable_access(false);
    // The default stream is not ordered after this one.
    CHECK(waits([&] { return cudaStreamSynchronize(stream); }) == 1);
    CHECK(waits([&] { return cudaMemcpy(memory, pinned, 256, cudaMemcpyDefault); }) == 1);
    CHECK(waits([&] { return cudaMemcpy(memory, pageable.data(), 256, cudaMemcpyDefault); }) == 1);
    CHECK(waits([&] { return cudaMemsetAsync(memory, 0, 256, stream); }) == 0);
    CHECK(waits([&] { return cudaLaunchHostFunc(stream, nothing, nullptr); }) == 0);
    CHECK(waits([&] { return cudaEventRecord(event, stream); }) == 0);
    CHECK(waits([&] { return cudaStreamWaitEvent(stream, event, cudaEventWaitDefault); }) == 0);
    CHECK(waits([&] { return cudaEventSynchronize(event); }) == 1);
    CHECK(waits([&] { return cudaStreamSynchronize(stream); }) == 1);
    CHECK(waits([&] { return cudaDeviceSynchronize(); }) == 1);
    CHECK(waits([&] { return cudaStreamQuery(stream); }) == 0);
    CHECK(waits([&] { return cudaEventQuery(event); }) == 0);
    CHECK(simulated_cuda::host_waits() == 10);
    simulated_cuda::clear_calls();
    CHECK(simulated_cuda::host_waits() == 0);

    simulated_cuda::fail_call("cudaStreamSynchronize", 1, cudaErrorUnknown);
    CHECK(cudaStreamSynchronize(stream) == cudaErrorUnknown);
    CHECK(simulated_cuda::host_waits() == 0);  // it did nothing
    static_cast<void>(cudaGetLastError());

    void* ordered = nullptr;
    CHECK(waits([&] { return cudaMallocAsync(&ordered, 64, stream); }) == 0);
    CHECK(waits([&] { return cudaFreeAsync(ordered, stream); }) == 0);
    CHECK(waits([&] { return cudaFree(nullptr); }) == 0);
    CHECK(waits([&] { return cudaFree(memory); }) == 1);
    CHECK(waits([&] { return cudaFreeHost(pinned); }) == 1);
    CHECK(cudaFreeHost(more_pinned) == cudaSuccess);
    CHECK(waits([&] { return cudaStreamDestroy(stream); }) == 0);
    CHECK(cudaEventDestroy(event) == cudaSuccess);
}

#include "documented_errors.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <initializer_list>

namespace simulated_cuda {

namespace {

// The runtime's errors and the driver's have the same numbers.

/// "May also return error codes from previous, asynchronous launches."
constexpr int earlier_work[] = {cudaErrorIllegalAddress, cudaErrorLaunchFailure};

/// What any function of the runtime may give when it is the one that starts it, and while the
/// process ends.
constexpr int of_runtime[] = {cudaErrorInitializationError, cudaErrorInsufficientDriver,
                              cudaErrorNoDevice, cudaErrorCudartUnloading};

/// What nearly every function of the driver lists.
constexpr int of_driver[] = {CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED};

enum class gives {
    runtime,           ///< a function of the runtime
    driver,            ///< one of the driver that tells nothing of earlier work
    driver_with_work,  ///< one of the driver that does
};

struct entry {
    const char* function;
    gives also;
    std::initializer_list<int> own;
};

// The lists are those of the CUDA Runtime API and the CUDA Driver API, with memory that has run out
// wherever something is made.
const entry table[] = {
    // Devices.
    {"cudaGetDeviceCount", gives::runtime, {}},
    {"cudaGetDevice", gives::runtime, {cudaErrorInvalidValue, cudaErrorDevicesUnavailable}},
    {"cudaSetDevice", gives::runtime, {cudaErrorInvalidDevice, cudaErrorDevicesUnavailable}},
    {"cudaGetDeviceProperties", gives::runtime, {cudaErrorInvalidDevice}},
    {"cudaDeviceGetAttribute", gives::runtime, {cudaErrorInvalidDevice, cudaErrorInvalidValue}},
    {"cudaDeviceSynchronize", gives::runtime, {}},
    {"cudaMemGetInfo", gives::runtime, {cudaErrorInvalidValue}},
    {"cudaDeviceCanAccessPeer", gives::runtime, {cudaErrorInvalidDevice}},
    {"cudaRuntimeGetVersion", gives::runtime, {cudaErrorInvalidValue}},
    {"cudaDriverGetVersion", gives::runtime, {cudaErrorInvalidValue}},
    {"cudaGetDriverEntryPoint", gives::runtime, {cudaErrorInvalidValue, cudaErrorNotSupported}},
    {"cudaGetDriverEntryPointByVersion",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorNotSupported}},
    // Memory.
    {"cudaMalloc", gives::runtime, {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaFree", gives::runtime, {cudaErrorInvalidValue}},
    {"cudaHostAlloc", gives::runtime, {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaMallocHost", gives::runtime, {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaFreeHost", gives::runtime, {cudaErrorInvalidValue}},
    {"cudaMallocManaged",
     gives::runtime,
     {cudaErrorMemoryAllocation, cudaErrorNotSupported, cudaErrorInvalidValue}},
    {"cudaMallocAsync",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorNotSupported, cudaErrorMemoryAllocation}},
    {"cudaFreeAsync", gives::runtime, {cudaErrorInvalidValue, cudaErrorNotSupported}},
    {"cudaHostGetDevicePointer",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaPointerGetAttributes", gives::runtime, {cudaErrorInvalidDevice, cudaErrorInvalidValue}},
    // Copies and fills.
    {"cudaMemcpy", gives::runtime, {cudaErrorInvalidValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpyAsync", gives::runtime, {cudaErrorInvalidValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemcpy2DAsync",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorInvalidPitchValue, cudaErrorInvalidMemcpyDirection}},
    {"cudaMemsetAsync", gives::runtime, {cudaErrorInvalidValue}},
    {"cudaMemset2DAsync", gives::runtime, {cudaErrorInvalidValue}},
    // Streams.
    {"cudaStreamCreate", gives::runtime, {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaStreamCreateWithFlags",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaStreamDestroy", gives::runtime, {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaStreamSynchronize", gives::runtime, {cudaErrorInvalidResourceHandle}},
    {"cudaStreamQuery", gives::runtime, {cudaErrorNotReady, cudaErrorInvalidResourceHandle}},
    {"cudaStreamWaitEvent",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaStreamIsCapturing",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorStreamCaptureImplicit}},
    {"cudaStreamGetId", gives::runtime, {cudaErrorInvalidResourceHandle}},
    {"cudaStreamGetDevice",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle, cudaErrorDevicesUnavailable}},
    {"cudaStreamGetFlags", gives::runtime, {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaLaunchHostFunc",
     gives::runtime,
     {cudaErrorInvalidResourceHandle, cudaErrorInvalidValue, cudaErrorNotSupported,
      cudaErrorMemoryAllocation}},
    // Events.
    {"cudaEventCreate", gives::runtime, {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaEventCreateWithFlags",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorMemoryAllocation}},
    {"cudaEventDestroy", gives::runtime, {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaEventRecord", gives::runtime, {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaEventQuery",
     gives::runtime,
     {cudaErrorNotReady, cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaEventSynchronize",
     gives::runtime,
     {cudaErrorInvalidValue, cudaErrorInvalidResourceHandle}},
    {"cudaEventElapsedTime",
     gives::runtime,
     {cudaErrorNotReady, cudaErrorInvalidValue, cudaErrorInvalidResourceHandle, cudaErrorUnknown}},
    // Kernels.
    {"cudaLaunchKernel",
     gives::runtime,
     {cudaErrorInvalidDeviceFunction, cudaErrorInvalidConfiguration, cudaErrorLaunchTimeout,
      cudaErrorLaunchOutOfResources, cudaErrorSharedObjectInitFailed, cudaErrorInvalidPtx,
      cudaErrorUnsupportedPtxVersion, cudaErrorNoKernelImageForDevice, cudaErrorJitCompilerNotFound,
      cudaErrorJitCompilationDisabled}},
    {"cudaLaunchKernelExC",
     gives::runtime,
     {cudaErrorInvalidDeviceFunction, cudaErrorInvalidConfiguration, cudaErrorLaunchTimeout,
      cudaErrorLaunchOutOfResources, cudaErrorSharedObjectInitFailed, cudaErrorInvalidPtx,
      cudaErrorUnsupportedPtxVersion, cudaErrorNoKernelImageForDevice, cudaErrorJitCompilerNotFound,
      cudaErrorJitCompilationDisabled}},
    {"cudaFuncGetAttributes", gives::runtime, {cudaErrorInvalidDeviceFunction}},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
     gives::runtime,
     {cudaErrorInvalidDevice, cudaErrorInvalidDeviceFunction, cudaErrorInvalidValue,
      cudaErrorUnknown}},
    // The driver.
    {"cuInit",
     gives::driver,
     {CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_NO_DEVICE,
      CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE}},
    {"cuDeviceGet",
     gives::driver,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE}},
    {"cuDeviceGetName",
     gives::driver,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE}},
    {"cuDeviceTotalMem",
     gives::driver,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE}},
    {"cuDeviceGetAttribute",
     gives::driver,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE}},
    {"cuDevicePrimaryCtxRetain",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE,
      CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_UNKNOWN}},
    {"cuDevicePrimaryCtxRelease",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_CONTEXT}},
    {"cuDevicePrimaryCtxGetState",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_DEVICE, CUDA_ERROR_INVALID_VALUE}},
    {"cuCtxPushCurrent",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE}},
    {"cuCtxPopCurrent", gives::driver_with_work, {CUDA_ERROR_INVALID_CONTEXT}},
    {"cuCtxGetCurrent", gives::driver_with_work, {}},
    {"cuCtxSetCurrent", gives::driver_with_work, {CUDA_ERROR_INVALID_CONTEXT}},
    {"cuCtxGetDevice",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE}},
    {"cuStreamGetCtx",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE,
      CUDA_ERROR_NOT_SUPPORTED}},
    {"cuStreamQuery",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_NOT_READY}},
    {"cuEventQuery",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_NOT_READY}},
    {"cuPointerGetAttribute",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_DEVICE}},
    {"cuMemsetD8Async",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE}},
    {"cuMemsetD16Async",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE}},
    {"cuMemsetD32Async",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE}},
    {"cuMemsetD2D32Async",
     gives::driver_with_work,
     {CUDA_ERROR_INVALID_CONTEXT, CUDA_ERROR_INVALID_VALUE}},
};

void add(std::vector<int>& errors, int error) {
    if (std::find(errors.begin(), errors.end(), error) == errors.end()) errors.push_back(error);
}

}  // namespace

std::vector<int> documented_errors(std::string_view function) {
    std::vector<int> errors;
    for (const entry& e : table) {
        if (e.function != function) continue;
        for (const int error : e.own) add(errors, error);
        if (e.also != gives::driver) {
            for (const int error : earlier_work) add(errors, error);
        }
        if (e.also == gives::runtime) {
            for (const int error : of_runtime) add(errors, error);
        } else {
            for (const int error : of_driver) add(errors, error);
        }
    }
    return errors;
}

std::vector<std::string> documented_functions() {
    std::vector<std::string> names;
    for (const entry& e : table) names.emplace_back(e.function);
    return names;
}

}  // namespace simulated_cuda

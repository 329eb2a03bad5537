/// \file
/// From CUDA's results to devmem's.
#pragma once

#include <devmem/backend/status.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdint>

namespace devmem::inline v0::detail {

/// The driver has been unloaded, as happens while the process ends: every device is lost.
inline constexpr std::int32_t cuda_unloaded = cudaErrorCudartUnloading;

/// Faults after which nothing that is asked of the device succeeds any more. Those without a name
/// in the oldest supported toolkit are given by number.
constexpr bool is_cuda_fault(std::int32_t native) noexcept {
    constexpr std::int32_t contained = 226;
    constexpr std::int32_t tensor_memory_leak = 721;
    switch (native) {
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case contained:
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorContextIsDestroyed:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
        case tensor_memory_leak:
        case cudaErrorMpsClientTerminated:
        case cudaErrorExternalDevice:
            return true;
        default:
            return false;
    }
}

constexpr bool is_cuda_capture_error(std::int32_t native) noexcept {
    return native >= cudaErrorStreamCaptureUnsupported &&
           native <= cudaErrorStreamCaptureWrongThread;
}

constexpr error_code cuda_error_code(std::int32_t native) noexcept {
    if (is_cuda_fault(native) || native == cuda_unloaded) return error_code::device_lost;
    if (is_cuda_capture_error(native)) return error_code::capture_error;
    switch (native) {
        case cudaSuccess:
            return error_code::none;
        case cudaErrorMemoryAllocation:
            return error_code::out_of_memory;
        case cudaErrorNoDevice:
        case cudaErrorInvalidDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorStubLibrary:
            return error_code::no_such_device;
        case cudaErrorNotPermitted:
        case cudaErrorNotReady:
            return error_code::not_permitted;
        case cudaErrorTimeout:  // a wait that did not end
            return error_code::deadlock;
        case cudaErrorInvalidValue:
        case cudaErrorInvalidPitchValue:
        case cudaErrorInvalidResourceHandle:
            return error_code::invalid_argument;
        default:
            return error_code::backend_failure;
    }
}

/// The driver's results and the runtime's have the same numbers for the same things.
constexpr status to_status(std::int32_t native) noexcept {
    return {cuda_error_code(native), native};
}

/// The status of a driver call, which leaves the runtime's last error alone.
constexpr status driver_status(CUresult result) noexcept {
    return to_status(static_cast<std::int32_t>(result));
}

/// The status of a runtime call. What failed is reported by the status alone: the runtime's last
/// error, which the call has overwritten, is cleared (a device's fault stays, it cannot be). After
/// a call that succeeded it is not looked at, so that an error of somebody else's stays in place.
inline status runtime_status(cudaError_t result) noexcept {
    if (result != cudaSuccess) static_cast<void>(cudaGetLastError());
    return to_status(static_cast<std::int32_t>(result));
}

}  // namespace devmem::inline v0::detail

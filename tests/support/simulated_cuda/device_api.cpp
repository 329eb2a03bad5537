// Devices, contexts, errors.

#include "state.hpp"

#include <cstdio>
#include <cstring>

using simulated_cuda::call;
using namespace simulated_cuda::inside;

SIMULATED cudaError_t cudaGetDeviceCount(int* count) {
    // Rule: with no device the result is an error, not a count of none.
    *count = 0;
    return runtime_call("cudaGetDeviceCount", needs::device, [count](call&) {
        *count = the_simulation().device_count;
        return cudaSuccess;
    });
}

SIMULATED cudaError_t cudaGetDevice(int* device) {
    // Rule: tells the device of the current context, else the one chosen, at first 0; makes no
    // context.
    return runtime_call("cudaGetDevice", needs::device, [device](call&) {
        *device = this_thread().current_device();
        return cudaSuccess;
    });
}

SIMULATED cudaError_t cudaSetDevice(int device) {
    // Rule: makes the device's primary context at once, and current for the thread.
    return runtime_call("cudaSetDevice", needs::device, [device](call&) {
        simulation& s = the_simulation();
        if (!s.has(device)) return cudaErrorInvalidDevice;
        this_thread().device = device;
        s.devices[device].context.active = true;
        this_thread().contexts.replace_top(&s.devices[device].context);
        return cudaSuccess;
    });
}

SIMULATED cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    // Rule: the device is one of those there are; makes no context. So the next one.
    return runtime_call("cudaGetDeviceProperties", needs::device, [=](call&) {
        simulation& s = the_simulation();
        if (!s.has(device)) return cudaErrorInvalidDevice;
        *properties = {};
        std::snprintf(properties->name, sizeof properties->name, "Simulated CUDA device %d",
                      device);
        properties->totalGlobalMem = s.devices[device].capacity;
        properties->major = 9;
        properties->warpSize = 32;
        properties->maxThreadsPerBlock = 1024;
        properties->multiProcessorCount = 4;
        properties->unifiedAddressing = 1;
        properties->managedMemory = 1;
        properties->canMapHostMemory = 1;
        properties->concurrentManagedAccess = s.devices[device].concurrent_managed_access ? 1 : 0;
        return cudaSuccess;
    });
}

namespace simulated_cuda::inside {

int attribute_of(int device, int attribute, int* value) {
    const simulation& s = the_simulation();
    if (!s.has(device)) return cudaErrorInvalidDevice;
    switch (attribute) {
        case cudaDevAttrWarpSize:
            *value = 32;
            break;
        case cudaDevAttrMaxThreadsPerBlock:
            *value = 1024;
            break;
        case cudaDevAttrMultiProcessorCount:
            *value = 4;
            break;
        case cudaDevAttrComputeCapabilityMajor:
            *value = 9;
            break;
        case cudaDevAttrUnifiedAddressing:
        case cudaDevAttrManagedMemory:
        case cudaDevAttrCanMapHostMemory:
        case cudaDevAttrMemoryPoolsSupported:
            *value = 1;
            break;
        case cudaDevAttrConcurrentManagedAccess:
            *value = s.devices[device].concurrent_managed_access ? 1 : 0;
            break;
        case cudaDevAttrPageableMemoryAccess:
            *value = s.pageable_is_accessible ? 1 : 0;
            break;
        default:
            *value = 0;
    }
    return cudaSuccess;
}

}  // namespace simulated_cuda::inside

SIMULATED cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
    return runtime_call("cudaDeviceGetAttribute", needs::device,
                        [=](call&) { return attribute_of(device, attribute, value); });
}

SIMULATED cudaError_t cudaDeviceSynchronize() {
    // Rule: waits for all that was queued before on the current device, destroyed streams' work
    // included.
    return runtime_call("cudaDeviceSynchronize", needs::context, [](call& c) {
        c.waited = true;
        devmem::detail::host_waits.entered.fetch_add_relaxed(1);
        return result_of(the_simulation().devices[c.device].streams.synchronize());
    });
}

SIMULATED cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    // Rule: of the current device, whose context it makes.
    return runtime_call("cudaMemGetInfo", needs::context, [=](call& c) {
        const device_state& d = the_simulation().devices[c.device];
        const std::size_t used = d.used;
        *total = d.capacity;
        *free = used < *total ? *total - used : 0;
        return cudaSuccess;
    });
}

SIMULATED cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
    // Rule: both devices are there.
    return runtime_call("cudaDeviceCanAccessPeer", needs::device, [=](call&) {
        if (!the_simulation().has(device) || !the_simulation().has(peer)) {
            return cudaErrorInvalidDevice;
        }
        *can = 0;
        return cudaSuccess;
    });
}

namespace {

/// Rule: a device's fault is told by every call that needs the device, until the process ends;
/// other errors until they are asked for.
cudaError_t last_error(bool clear) {
    thread_state& t = this_thread();
    const int error = t.last_error;
    if (clear) t.last_error = cudaSuccess;
    const CUctx_st* current = t.contexts.top();
    if (current == nullptr) return static_cast<cudaError_t>(error);
    const int fault = the_simulation().devices[current->device].fault;
    return static_cast<cudaError_t>(fault != cudaSuccess ? fault : error);
}

/// Rule: forbidden in a host function as all else is.
cudaError_t tell_last_error(const char* function, bool clear) {
    simulation& s = the_simulation();
    s.calls.count_only(function);
    if (this_thread().in_host_function) {
        call c;
        c.function = function;
        misuse(c, "called in a host function");
        return cudaErrorNotPermitted;
    }
    return s.unloaded ? cudaErrorCudartUnloading : last_error(clear);
}

}  // namespace

SIMULATED cudaError_t cudaGetLastError() { return tell_last_error("cudaGetLastError", true); }
SIMULATED cudaError_t cudaPeekAtLastError() {
    return tell_last_error("cudaPeekAtLastError", false);
}

namespace {

const char* error_name(cudaError_t error) {
    switch (error) {
#define SIMULATED_NAME(name) \
    case name:               \
        return #name;
        SIMULATED_NAME(cudaSuccess)
        SIMULATED_NAME(cudaErrorInvalidValue)
        SIMULATED_NAME(cudaErrorMemoryAllocation)
        SIMULATED_NAME(cudaErrorInitializationError)
        SIMULATED_NAME(cudaErrorCudartUnloading)
        SIMULATED_NAME(cudaErrorInvalidPitchValue)
        SIMULATED_NAME(cudaErrorInvalidMemcpyDirection)
        SIMULATED_NAME(cudaErrorInsufficientDriver)
        SIMULATED_NAME(cudaErrorDevicesUnavailable)
        SIMULATED_NAME(cudaErrorInvalidDeviceFunction)
        SIMULATED_NAME(cudaErrorNoDevice)
        SIMULATED_NAME(cudaErrorInvalidDevice)
        SIMULATED_NAME(cudaErrorDeviceUninitialized)
        SIMULATED_NAME(cudaErrorECCUncorrectable)
        SIMULATED_NAME(cudaErrorInvalidResourceHandle)
        SIMULATED_NAME(cudaErrorOperatingSystem)
        SIMULATED_NAME(cudaErrorSymbolNotFound)
        SIMULATED_NAME(cudaErrorNotReady)
        SIMULATED_NAME(cudaErrorIllegalAddress)
        SIMULATED_NAME(cudaErrorLaunchOutOfResources)
        SIMULATED_NAME(cudaErrorLaunchTimeout)
        SIMULATED_NAME(cudaErrorTimeout)
        SIMULATED_NAME(cudaErrorContextIsDestroyed)
        SIMULATED_NAME(cudaErrorAssert)
        SIMULATED_NAME(cudaErrorMisalignedAddress)
        SIMULATED_NAME(cudaErrorLaunchFailure)
        SIMULATED_NAME(cudaErrorNotPermitted)
        SIMULATED_NAME(cudaErrorNotSupported)
        SIMULATED_NAME(cudaErrorStreamCaptureUnsupported)
        SIMULATED_NAME(cudaErrorStreamCaptureInvalidated)
        SIMULATED_NAME(cudaErrorStreamCaptureIsolation)
        SIMULATED_NAME(cudaErrorStreamCaptureImplicit)
        SIMULATED_NAME(cudaErrorSystemNotReady)
        SIMULATED_NAME(cudaErrorUnknown)
#undef SIMULATED_NAME
        default:
            return "unrecognized error code";
    }
}

}  // namespace

// These two are mere tables: they may be called at any time and from anywhere.
SIMULATED const char* cudaGetErrorName(cudaError_t error) { return error_name(error); }
SIMULATED const char* cudaGetErrorString(cudaError_t error) { return error_name(error); }

SIMULATED cudaError_t cudaRuntimeGetVersion(int* version) {
    return runtime_call("cudaRuntimeGetVersion", needs::nothing, [version](call&) {
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

SIMULATED cudaError_t cudaDriverGetVersion(int* version) {
    return runtime_call("cudaDriverGetVersion", needs::nothing, [version](call&) {
        *version = CUDART_VERSION;
        return cudaSuccess;
    });
}

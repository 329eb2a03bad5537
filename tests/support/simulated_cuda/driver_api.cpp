// The driver's functions, which the runtime gives out by name.

#include "sabotage.hpp"
#include "state.hpp"
#include "work.hpp"

#include <cudaTypedefs.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

using simulated_cuda::call;
using namespace simulated_cuda::inside;

namespace {

/// Rule: there are no flags.
CUresult CUDAAPI init(unsigned flags) {
    return driver_call("cuInit", needs::device, [flags](call&) {
        return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    });
}

/// Rule, here and in what follows: the device is there; asking makes no context.
CUresult CUDAAPI device_get(CUdevice* out, int ordinal) {
    return driver_call("cuDeviceGet", needs::device, [=](call&) {
        if (!the_simulation().has(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
        *out = ordinal;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI device_name(char* name, int length, CUdevice device) {
    return driver_call("cuDeviceGetName", needs::device, [=](call&) {
        if (!the_simulation().has(device)) return CUDA_ERROR_INVALID_DEVICE;
        std::snprintf(name, static_cast<std::size_t>(length), "Simulated CUDA device %d", device);
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI device_memory(std::size_t* bytes, CUdevice device) {
    return driver_call("cuDeviceTotalMem", needs::device, [=](call&) {
        if (!the_simulation().has(device)) return CUDA_ERROR_INVALID_DEVICE;
        *bytes = the_simulation().devices[device].capacity;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI device_attribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return driver_call("cuDeviceGetAttribute", needs::device,
                       [=](call&) { return attribute_of(device, attribute, value); });
}

// --- Primary contexts -----------------------------------------------------------------------

/// Rule: makes the context, if there is none, and does not make it current.
CUresult CUDAAPI primary_retain(CUcontext* out, CUdevice device) {
    return driver_call("cuDevicePrimaryCtxRetain", needs::device, [=](call& c) {
        if (!the_simulation().has(device)) return CUDA_ERROR_INVALID_DEVICE;
        c.device = device;
        CUctx_st& context = the_simulation().devices[device].context;
        ++context.retained;
        context.active = true;
        *out = &context;
        return CUDA_SUCCESS;
    });
}

/// Rule: the last release ends the context; what was not retained cannot be released.
CUresult CUDAAPI primary_release(CUdevice device) {
    return driver_call("cuDevicePrimaryCtxRelease", needs::device, [=](call& c) {
        if (!the_simulation().has(device)) return CUDA_ERROR_INVALID_DEVICE;
        c.device = device;
        CUctx_st& context = the_simulation().devices[device].context;
        if (context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
        if (--context.retained == 0) context.active = false;
        return CUDA_SUCCESS;
    });
}

CUresult CUDAAPI primary_state(CUdevice device, unsigned* flags, int* active) {
    return driver_call("cuDevicePrimaryCtxGetState", needs::device, [=](call&) {
        if (!the_simulation().has(device)) return CUDA_ERROR_INVALID_DEVICE;
        *flags = 0;
        *active = the_simulation().devices[device].context.active ? 1 : 0;
        return CUDA_SUCCESS;
    });
}

bool is_context(const CUctx_st* context) {
    for (const device_state& d : the_simulation().devices) {
        if (&d.context == context) return true;
    }
    return false;
}

/// What is retained is pushed; what reset has ended while the program retained it begins anew, if
/// its device is still there.
CUresult CUDAAPI context_push(CUcontext context) {
    return driver_call("cuCtxPushCurrent", needs::device, [context](call& c) {
        if (!is_context(context)) return CUDA_ERROR_INVALID_CONTEXT;
        if (!the_simulation().has(context->device)) return CUDA_ERROR_INVALID_DEVICE;
        c.device = context->device;
        if (context->retained > 0) context->active = true;
        if (!context->active) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
        if (is_sabotaged(sabotage::set_device)) return CUDA_SUCCESS;
        return this_thread().contexts.push(context) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
    });
}

/// Rule: there must be one to pop.
CUresult CUDAAPI context_pop(CUcontext* out) {
    return driver_call("cuCtxPopCurrent", needs::device, [out](call& c) {
        thread_state& t = this_thread();
        if (t.contexts.empty()) {
            misuse(c, "no context to pop");
            return CUDA_ERROR_INVALID_CONTEXT;
        }
        *out = t.contexts.top();
        t.contexts.pop();
        return CUDA_SUCCESS;
    });
}

/// Rule: null where none is current.
CUresult CUDAAPI context_current(CUcontext* out) {
    return driver_call("cuCtxGetCurrent", needs::nothing, [out](call&) {
        *out = this_thread().contexts.top();
        return CUDA_SUCCESS;
    });
}

/// Rule: takes the place of the top of the stack; null empties that place.
CUresult CUDAAPI context_set(CUcontext context) {
    return driver_call("cuCtxSetCurrent", needs::device, [context](call&) {
        thread_state& t = this_thread();
        if (context == nullptr) {
            if (!t.contexts.empty()) t.contexts.pop();
            return CUDA_SUCCESS;
        }
        if (!is_context(context) || !context->active) return CUDA_ERROR_INVALID_CONTEXT;
        t.contexts.replace_top(context);
        return CUDA_SUCCESS;
    });
}

/// Rule: one must be current.
CUresult CUDAAPI context_device(CUdevice* out) {
    return driver_call("cuCtxGetDevice", needs::context, [out](call& c) {
        *out = c.current_device;
        return CUDA_SUCCESS;
    });
}

// --- Streams, events, memory ----------------------------------------------------------------

/// Calls `f(stream)` for a stream that is alive and, unless its work does not matter, takes work.
template <class F>
int with_stream(call& c, CUstream handle, bool its_work, const F& f) {
    CUstream_st* stream = use_stream(c, handle, false);
    if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const int refusal = its_work ? refusal_of(*stream) : fault_of(*stream);
    return refusal != 0 ? refusal : f(*stream);
}

/// Rule, here and in what follows: the stream or event is alive, and a context is current.
CUresult CUDAAPI stream_context(CUstream stream, CUcontext* out) {
    return driver_call("cuStreamGetCtx", needs::context, [=](call& c) {
        return with_stream(c, stream, false, [out](const CUstream_st& s) {
            *out = &the_simulation().devices[s.device].context;
            return CUDA_SUCCESS;
        });
    });
}

CUresult CUDAAPI stream_query(CUstream stream) {
    return driver_call("cuStreamQuery", needs::context, [=](call& c) {
        return with_stream(c, stream, true, [](const CUstream_st& s) {
            return s.work->query(s.work->last_ticket()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
        });
    });
}

CUresult CUDAAPI event_query(CUevent event) {
    return driver_call("cuEventQuery", needs::context, [event](call& c) -> int {
        if (!the_simulation().streams.is_live(event)) {
            misuse(c, "an event that is not alive");
            return CUDA_ERROR_INVALID_HANDLE;
        }
        c.device = event->device;
        if (const int fault = the_simulation().devices[event->device].fault; fault != 0) {
            return fault;
        }
        const std::lock_guard lock(event->mutex);
        return event->mark.query() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    });
}

/// Rule: memory that CUDA does not know has no attributes.
CUresult CUDAAPI pointer_attribute(void* out, CUpointer_attribute attribute, CUdeviceptr address) {
    return driver_call("cuPointerGetAttribute", needs::device, [=](call&) {
        const auto* p = reinterpret_cast<const void*>(address);
        const place found = the_simulation().memory.find(p, 1);
        if (found.what != place::state::live) return CUDA_ERROR_INVALID_VALUE;
        if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            const unsigned type = found.on_host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
            std::memcpy(out, &type, sizeof type);
            return CUDA_SUCCESS;
        }
        if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) {
            std::memcpy(out, &found.device, sizeof found.device);
            return CUDA_SUCCESS;
        }
        return CUDA_ERROR_INVALID_VALUE;
    });
}

/// Rule: as `fill_async` says, in the words of the driver.
CUresult set(const char* function, CUdeviceptr at, std::size_t pitch, std::uint32_t value,
             std::size_t element, std::size_t width, std::size_t height, CUstream stream) {
    return driver_call(function, needs::context, [=](call& c) {
        return with_stream(c, stream, true, [&](CUstream_st& s) {
            return fill_async(
                c, {reinterpret_cast<void*>(at), pitch, value, element, width, height}, s);
        });
    });
}

CUresult CUDAAPI memset_8(CUdeviceptr at, unsigned char value, std::size_t n, CUstream stream) {
    return set("cuMemsetD8Async", at, 0, value, 1, n, 1, stream);
}
CUresult CUDAAPI memset_16(CUdeviceptr at, unsigned short value, std::size_t n, CUstream stream) {
    return set("cuMemsetD16Async", at, 0, value, 2, n, 1, stream);
}
CUresult CUDAAPI memset_32(CUdeviceptr at, unsigned value, std::size_t n, CUstream stream) {
    return set("cuMemsetD32Async", at, 0, value, 4, n, 1, stream);
}
CUresult CUDAAPI memset_2d_32(CUdeviceptr at, std::size_t pitch, unsigned value, std::size_t width,
                              std::size_t height, CUstream stream) {
    return set("cuMemsetD2D32Async", at, pitch, value, 4, width, height, stream);
}

// --- Giving them out ------------------------------------------------------------------------

struct entry_point {
    const char* name;
    unsigned since;   // the version that brought this signature
    unsigned before;  // the version that replaced it; 0: none
    void* function;
};

/// The second parameter is the documented type of that version, which the function must have.
#define SIMULATED_ENTRY(name, version, before, function) \
    { #name, version, before, reinterpret_cast < void*>(PFN_##name##_v##version{&(function)}) }

const entry_point entry_points[] = {
    SIMULATED_ENTRY(cuInit, 2000, 0, init),
    SIMULATED_ENTRY(cuDeviceGet, 2000, 0, device_get),
    SIMULATED_ENTRY(cuDeviceGetName, 2000, 0, device_name),
    SIMULATED_ENTRY(cuDeviceTotalMem, 3020, 0, device_memory),
    SIMULATED_ENTRY(cuDeviceGetAttribute, 2000, 0, device_attribute),
    SIMULATED_ENTRY(cuDevicePrimaryCtxRetain, 7000, 0, primary_retain),
    SIMULATED_ENTRY(cuDevicePrimaryCtxRelease, 11000, 0, primary_release),
    SIMULATED_ENTRY(cuDevicePrimaryCtxGetState, 7000, 0, primary_state),
    SIMULATED_ENTRY(cuCtxPushCurrent, 4000, 0, context_push),
    SIMULATED_ENTRY(cuCtxPopCurrent, 4000, 0, context_pop),
    SIMULATED_ENTRY(cuCtxGetCurrent, 4000, 0, context_current),
    SIMULATED_ENTRY(cuCtxSetCurrent, 4000, 0, context_set),
    SIMULATED_ENTRY(cuCtxGetDevice, 2000, 13000, context_device),
    SIMULATED_ENTRY(cuStreamGetCtx, 9020, 12050, stream_context),
    SIMULATED_ENTRY(cuStreamQuery, 2000, 0, stream_query),
    SIMULATED_ENTRY(cuEventQuery, 2000, 0, event_query),
    SIMULATED_ENTRY(cuPointerGetAttribute, 4000, 0, pointer_attribute),
    SIMULATED_ENTRY(cuMemsetD8Async, 3020, 0, memset_8),
    SIMULATED_ENTRY(cuMemsetD16Async, 3020, 0, memset_16),
    SIMULATED_ENTRY(cuMemsetD32Async, 3020, 0, memset_32),
    SIMULATED_ENTRY(cuMemsetD2D32Async, 3020, 0, memset_2d_32),
};

#undef SIMULATED_ENTRY

/// Rule: gives the newest signature that is not newer than the version asked for. What the driver
/// lacks is told apart from what it has in newer versions only.
cudaError_t find_entry_point(const char* name, unsigned version, void** out,
                             cudaDriverEntryPointQueryResult* found) {
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    *out = nullptr;
    for (const entry_point& e : entry_points) {
        if (std::strcmp(e.name, name) != 0) continue;
        if (version < e.since) {
            result = cudaDriverEntryPointVersionNotSufficent;
        } else if (e.before == 0 || version < e.before) {
            result = cudaDriverEntryPointSuccess;
            *out = e.function;
        }
    }
    if (found != nullptr) *found = result;
    return cudaSuccess;
}

cudaError_t give_entry_point(const char* function, const char* name, void** out, unsigned version,
                             cudaDriverEntryPointQueryResult* found) {
    return runtime_call(function, needs::device,
                        [=](call&) { return find_entry_point(name, version, out, found); });
}

}  // namespace

// All streams of the driver's functions here mean the same in both variants but 0, which is the
// legacy default stream in both.
SIMULATED cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** out,
                                                       unsigned version, unsigned long long,
                                                       cudaDriverEntryPointQueryResult* found) {
    return give_entry_point("cudaGetDriverEntryPointByVersion", name, out, version, found);
}
SIMULATED cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(const char* name, void** out, unsigned version,
                                      unsigned long long, cudaDriverEntryPointQueryResult* found) {
    return give_entry_point("cudaGetDriverEntryPointByVersion", name, out, version, found);
}

// Rule: without a version, that of the runtime is meant. Before 12.5 this was all there was.
SIMULATED cudaError_t cudaGetDriverEntryPoint(const char* name, void** out, unsigned long long,
                                              cudaDriverEntryPointQueryResult* found) {
    return give_entry_point("cudaGetDriverEntryPoint", name, out, CUDART_VERSION, found);
}
SIMULATED cudaError_t cudaGetDriverEntryPoint_ptsz(const char* name, void** out, unsigned long long,
                                                   cudaDriverEntryPointQueryResult* found) {
    return give_entry_point("cudaGetDriverEntryPoint", name, out, CUDART_VERSION, found);
}

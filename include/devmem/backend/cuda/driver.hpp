/// \file
/// The functions of the CUDA driver that devmem calls, found through the runtime: nothing links
/// the driver, and a program starts where there is none.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/cuda/status.hpp>
#include <devmem/messages.hpp>

#include <cudaTypedefs.h>

namespace devmem::inline v0::detail {

// Member, the driver's name, the version that brought its signature.
#define DEVMEM_CUDA_DRIVER_FUNCTIONS(X)                \
    X(init, cuInit, 2000)                              \
    X(device_get, cuDeviceGet, 2000)                   \
    X(device_name, cuDeviceGetName, 2000)              \
    X(device_memory, cuDeviceTotalMem, 3020)           \
    X(device_attribute, cuDeviceGetAttribute, 2000)    \
    X(primary_retain, cuDevicePrimaryCtxRetain, 7000)  \
    X(primary_state, cuDevicePrimaryCtxGetState, 7000) \
    X(context_current, cuCtxGetCurrent, 4000)          \
    X(context_push, cuCtxPushCurrent, 4000)            \
    X(context_pop, cuCtxPopCurrent, 4000)              \
    X(context_device, cuCtxGetDevice, 2000)            \
    X(stream_context, cuStreamGetCtx, 9020)            \
    X(stream_query, cuStreamQuery, 2000)               \
    X(event_query, cuEventQuery, 2000)                 \
    X(pointer_attribute, cuPointerGetAttribute, 4000)  \
    X(memset_8, cuMemsetD8Async, 3020)                 \
    X(memset_16, cuMemsetD16Async, 3020)               \
    X(memset_32, cuMemsetD32Async, 3020)               \
    X(memset_2d_32, cuMemsetD2D32Async, 3020)

struct cuda_driver {
#define DEVMEM_MEMBER(member, name, version) PFN_##name##_v##version member;
    DEVMEM_CUDA_DRIVER_FUNCTIONS(DEVMEM_MEMBER)
#undef DEVMEM_MEMBER
};

/// Every driver that serves a supported runtime has the functions as they were in CUDA 12.0.
inline constexpr unsigned cuda_driver_version = 12000;

/// Asks for the signature of that version, and for the legacy meaning of stream 0 whatever the
/// default-stream macro of the file: what devmem calls must be the same in every file.
inline status find_driver_function(const char* name, void** out) noexcept {
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    *out = nullptr;
#if CUDART_VERSION >= 12050
    const cudaError_t result = cudaGetDriverEntryPointByVersion(name, out, cuda_driver_version,
                                                                cudaEnableLegacyStream, &found);
#else
    // The version is the runtime's, by which none of these signatures had changed yet.
    const cudaError_t result = cudaGetDriverEntryPoint(name, out, cudaEnableLegacyStream, &found);
#endif
    if (result != cudaSuccess) return runtime_status(result);
    if (found != cudaDriverEntryPointSuccess || *out == nullptr) {
        return to_status(cudaErrorSymbolNotFound);
    }
    return {};
}

inline status find_driver_functions(cuda_driver& out) noexcept {
    void* found = nullptr;
#define DEVMEM_FIND(member, name, version)                                       \
    if (const status s = find_driver_function(#name, &found); !s.ok()) return s; \
    out.member = reinterpret_cast<PFN_##name##_v##version>(found);
    DEVMEM_CUDA_DRIVER_FUNCTIONS(DEVMEM_FIND)
#undef DEVMEM_FIND
    return driver_status(out.init(0));
}

#undef DEVMEM_CUDA_DRIVER_FUNCTIONS

struct DEVMEM_STATE cuda_driver_state {
    mutex finding;
    atomic<bool> found{false};
    cuda_driver functions{};
};

inline DEVMEM_STATE cuda_driver_state cuda_driver_found{};

/// Gives the driver's functions, found at the first call. A failure is not kept: whoever asks again
/// tries again.
inline status use_driver(const cuda_driver** out) noexcept {
    cuda_driver_state& state = cuda_driver_found;
    if (!state.found.load_acquire()) {
        const lock_guard lock(state.finding);
        if (!state.found.load_relaxed()) {
            if (const status s = find_driver_functions(state.functions); !s.ok()) return s;
            state.found.store_release(true);
        }
    }
    *out = &state.functions;
    return {};
}

}  // namespace devmem::inline v0::detail

/// \file
/// Host functions and copies on a CUDA stream.
#pragma once

#include <devmem/backend/cpu/queue.hpp>
#include <devmem/backend/cuda/driver.hpp>
#include <devmem/backend/cuda/status.hpp>
#include <devmem/backend/host_function.hpp>
#include <devmem/backend/row_copy.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace devmem::inline v0::detail {

/// Refuses to be recorded into a graph, which would do again, as often as it is launched, what must
/// be done once: run a host function, read a staging buffer that has long been used for more.
inline status refuse_capture(cudaStream_t stream) noexcept {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (const status s = runtime_status(cudaStreamIsCapturing(stream, &capture)); !s.ok()) return s;
    if (capture == cudaStreamCaptureStatusNone) return {};
    return to_status(cudaErrorStreamCaptureUnsupported);
}

inline void CUDART_CB run_host_function(void* boxed) {
    auto* f = static_cast<host_function*>(boxed);
    const bool outer = in_queue_work;
    in_queue_work = true;
    f->run();
    in_queue_work = outer;
    delete f;
}

/// Queues `f`. After a fault of the device CUDA runs no host functions any more, nor says so: what
/// was accepted before it is then neither run nor dropped.
inline status cuda_host_call(cudaStream_t stream, const host_function& f) noexcept {
    if (const status s = refuse_capture(stream); !s.ok()) return s;
    auto* boxed = new (std::nothrow) host_function(f);
    if (boxed == nullptr) return to_status(cudaErrorMemoryAllocation);
    const status s = runtime_status(cudaLaunchHostFunc(stream, &run_host_function, boxed));
    if (!s.ok()) delete boxed;
    return s;
}

/// Whether an address is of memory that is the host's alone, pinned or not. CUDA calls an address
/// that it does not know an invalid value; any other error tells nothing of the address.
inline status find_host_memory(const cuda_driver& driver, const void* p, bool* is_host) noexcept {
    unsigned type = 0;
    const CUresult asked = driver.pointer_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                    reinterpret_cast<CUdeviceptr_v2>(p));
    const bool is_unknown = asked == CUDA_ERROR_INVALID_VALUE;
    *is_host = is_unknown || (asked == CUDA_SUCCESS && type == CU_MEMORYTYPE_HOST);
    return is_unknown ? status{} : driver_status(asked);
}

/// Copies between any two addresses. CUDA copies from host to host while the caller waits, so a
/// host function does it.
inline status cuda_copy(const cuda_driver& driver, cudaStream_t stream, void* dst, const void* src,
                        std::size_t bytes) noexcept {
    bool from_host = false;
    bool to_host = false;
    if (const status s = find_host_memory(driver, src, &from_host); !s.ok()) return s;
    if (const status s = find_host_memory(driver, dst, &to_host); !s.ok()) return s;
    if (from_host && to_host) {
        return cuda_host_call(stream, make_host_function([dst, src, bytes]() noexcept {
                                  std::memcpy(dst, src, bytes);
                              }));
    }
    return runtime_status(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream));
}

/// The longest pitch and row that CUDA copies; cudaDevAttrMaxPitch is this on every device.
inline constexpr std::size_t longest_cuda_pitch = 0x7FFF'FFFF;

/// One call for all rows, but where a pitch is longer than CUDA accepts: then there are few.
inline status cuda_queue_rows(cudaStream_t stream, const row_copy& r) noexcept {
    if (r.dst_pitch <= longest_cuda_pitch && r.src_pitch <= longest_cuda_pitch) {
        return runtime_status(cudaMemcpy2DAsync(r.dst, r.dst_pitch, r.src, r.src_pitch, r.width,
                                                r.height, cudaMemcpyDefault, stream));
    }
    for (std::size_t i = 0; i < r.height; ++i) {
        const status s =
            runtime_status(cudaMemcpyAsync(static_cast<std::byte*>(r.dst) + i * r.dst_pitch,
                                           static_cast<const std::byte*>(r.src) + i * r.src_pitch,
                                           r.width, cudaMemcpyDefault, stream));
        if (!s.ok()) return s;
    }
    return {};
}

/// As `cuda_copy`, of rows.
inline status cuda_copy_2d(const cuda_driver& driver, cudaStream_t stream,
                           const row_copy& rows) noexcept {
    bool from_host = false;
    bool to_host = false;
    if (const status s = find_host_memory(driver, rows.src, &from_host); !s.ok()) return s;
    if (const status s = find_host_memory(driver, rows.dst, &to_host); !s.ok()) return s;
    if (from_host && to_host) {
        return cuda_host_call(stream,
                              make_host_function([rows]() noexcept { copy_all_rows(rows); }));
    }
    return cuda_queue_rows(stream, rows);
}

}  // namespace devmem::inline v0::detail

// Copies and fills of the runtime.

#include "state.hpp"
#include "work.hpp"

using simulated_cuda::call;
using namespace simulated_cuda::inside;

namespace {

int copy(call& c, void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
         cudaStream_t handle, bool per_thread) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return copy_async(c, dst, src, bytes, kind, *stream);
}

int copy_rows(call& c, const copied_rows& rows, cudaMemcpyKind kind, cudaStream_t handle,
              bool per_thread) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return copy_rows_async(c, rows, kind, *stream);
}

/// Rule: the plain copy is done when it returns.
int copy_and_wait(call& c, void* dst, const void* src, std::size_t bytes, cudaMemcpyKind kind,
                  bool per_thread) {
    CUstream_st* stream = use_stream(c, nullptr, per_thread);
    const int result = copy_async(c, dst, src, bytes, kind, *stream);
    if (result != cudaSuccess) return result;
    c.waited = true;
    return wait_on_host(devmem::detail::mark_end(*stream->work));
}

int set(call& c, const fill& f, cudaStream_t handle, bool per_thread) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    return fill_async(c, f, *stream);
}

fill bytes_of(void* at, int value, std::size_t bytes) {
    return {at, bytes, static_cast<std::uint32_t>(value), 1, bytes, 1};
}

fill rows_of(void* at, std::size_t pitch, int value, std::size_t width, std::size_t height) {
    return {at, pitch, static_cast<std::uint32_t>(value), 1, width, height};
}

}  // namespace

SIMULATED cudaError_t cudaMemcpyAsync(void* dst, const void* src, std::size_t bytes,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
    return runtime_call("cudaMemcpyAsync", needs::context,
                        [=](call& c) { return copy(c, dst, src, bytes, kind, stream, false); });
}
SIMULATED cudaError_t cudaMemcpyAsync_ptsz(void* dst, const void* src, std::size_t bytes,
                                           cudaMemcpyKind kind, cudaStream_t stream) {
    return runtime_call("cudaMemcpyAsync", needs::context,
                        [=](call& c) { return copy(c, dst, src, bytes, kind, stream, true); });
}

SIMULATED cudaError_t cudaMemcpy2DAsync(void* dst, std::size_t dst_pitch, const void* src,
                                        std::size_t src_pitch, std::size_t width,
                                        std::size_t height, cudaMemcpyKind kind,
                                        cudaStream_t stream) {
    return runtime_call("cudaMemcpy2DAsync", needs::context, [=](call& c) {
        return copy_rows(c, {dst, dst_pitch, src, src_pitch, width, height}, kind, stream, false);
    });
}
SIMULATED cudaError_t cudaMemcpy2DAsync_ptsz(void* dst, std::size_t dst_pitch, const void* src,
                                             std::size_t src_pitch, std::size_t width,
                                             std::size_t height, cudaMemcpyKind kind,
                                             cudaStream_t stream) {
    return runtime_call("cudaMemcpy2DAsync", needs::context, [=](call& c) {
        return copy_rows(c, {dst, dst_pitch, src, src_pitch, width, height}, kind, stream, true);
    });
}

SIMULATED cudaError_t cudaMemcpy(void* dst, const void* src, std::size_t bytes,
                                 cudaMemcpyKind kind) {
    return runtime_call("cudaMemcpy", needs::context,
                        [=](call& c) { return copy_and_wait(c, dst, src, bytes, kind, false); });
}
SIMULATED cudaError_t cudaMemcpy_ptds(void* dst, const void* src, std::size_t bytes,
                                      cudaMemcpyKind kind) {
    return runtime_call("cudaMemcpy", needs::context,
                        [=](call& c) { return copy_and_wait(c, dst, src, bytes, kind, true); });
}

SIMULATED cudaError_t cudaMemsetAsync(void* at, int value, std::size_t bytes, cudaStream_t stream) {
    return runtime_call("cudaMemsetAsync", needs::context,
                        [=](call& c) { return set(c, bytes_of(at, value, bytes), stream, false); });
}
SIMULATED cudaError_t cudaMemsetAsync_ptsz(void* at, int value, std::size_t bytes,
                                           cudaStream_t stream) {
    return runtime_call("cudaMemsetAsync", needs::context,
                        [=](call& c) { return set(c, bytes_of(at, value, bytes), stream, true); });
}

SIMULATED cudaError_t cudaMemset2DAsync(void* at, std::size_t pitch, int value, std::size_t width,
                                        std::size_t height, cudaStream_t stream) {
    return runtime_call("cudaMemset2DAsync", needs::context, [=](call& c) {
        return set(c, rows_of(at, pitch, value, width, height), stream, false);
    });
}
SIMULATED cudaError_t cudaMemset2DAsync_ptsz(void* at, std::size_t pitch, int value,
                                             std::size_t width, std::size_t height,
                                             cudaStream_t stream) {
    return runtime_call("cudaMemset2DAsync", needs::context, [=](call& c) {
        return set(c, rows_of(at, pitch, value, width, height), stream, true);
    });
}

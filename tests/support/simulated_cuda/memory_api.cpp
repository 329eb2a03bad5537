// Allocating and freeing.

#include "sabotage.hpp"
#include "state.hpp"

using simulated_cuda::call;
using simulated_cuda::memory_kind;
using namespace simulated_cuda::inside;

namespace {

int allocate(call& c, memory_kind kind, int device, std::size_t bytes, bool stream_ordered,
             void** out) {
    simulation& s = the_simulation();
    c.bytes = bytes;
    c.device = device;
    *out = nullptr;
    if (bytes == 0) {
        misuse(c, "zero bytes");
        return cudaSuccess;
    }
    // Rule: what a device has no room for is cudaErrorMemoryAllocation.
    const bool counted = kind == memory_kind::device;
    if (counted && !s.devices[device].take(bytes)) return cudaErrorMemoryAllocation;
    *out = s.memory.allocate(kind, device, bytes, stream_ordered);
    c.address = *out;
    if (*out != nullptr) return cudaSuccess;
    if (counted) s.devices[device].used -= bytes;
    return cudaErrorMemoryAllocation;
}

/// Frees at once, as what is no longer in use may be. Rule: nothing that is queued may use the
/// memory. The real runtime may wait for such work, and need not.
void free_now(call& c, const allocation& a) {
    simulation& s = the_simulation();
    c.device = a.device;
    c.bytes = a.block.bytes;
    c.waited = true;  // the documentation lets it
    if (a.in_use()) {
        misuse(c, "memory that queued work still uses");
        a.wait();
    }
    if (a.kind == memory_kind::device) s.devices[a.device].used -= a.block.bytes;
    s.memory.release(a);
}

int free_memory(call& c, void* p, bool of_host) {
    // Rule: a null pointer is nothing to do.
    if (p == nullptr || is_sabotaged(sabotage::free)) return cudaSuccess;
    c.address = p;
    const auto taken = the_simulation().memory.take(p, of_host);
    // Rule: each pointer is freed once, by the function that goes with the one that gave it.
    if (!taken) {
        misuse(c, "no memory that this function frees begins there, or it was freed before");
        return cudaErrorInvalidValue;
    }
    free_now(c, *taken);
    return cudaSuccess;
}

/// Rule: memory of the stream's device, to be used at once by what is queued on that stream.
int malloc_async(call& c, void** out, std::size_t bytes, cudaStream_t handle, bool per_thread) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const int refusal = refusal_of(*stream); refusal != 0) return refusal;
    return allocate(c, memory_kind::device, stream->device, bytes, true, out);
}

int free_async(call& c, void* p, cudaStream_t handle, bool per_thread) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (const int refusal = refusal_of(*stream); refusal != 0) return refusal;
    simulation& s = the_simulation();
    c.address = p;
    // Rule: takes what was allocated in stream order, in whatever stream.
    if (!s.memory.is_stream_ordered(p)) {
        misuse(c, "not memory from cudaMallocAsync, or freed before");
        return cudaErrorInvalidValue;
    }
    if (is_sabotaged(sabotage::free)) return cudaSuccess;
    const allocation a = *s.memory.take(p, false);
    c.bytes = a.block.bytes;
    const queue_mark mark = enqueue_call(*stream, [block = a.block, device = a.device]() noexcept {
        close_to_program(block);
        the_simulation().devices[device].used.fetch_sub(block.bytes, std::memory_order_relaxed);
    });
    s.memory.release_after(a, mark);
    return cudaSuccess;
}

}  // namespace

SIMULATED cudaError_t cudaMalloc(void** out, std::size_t bytes) {
    return runtime_call("cudaMalloc", needs::context, [=](call& c) {
        return allocate(c, memory_kind::device, c.device, bytes, false, out);
    });
}

SIMULATED cudaError_t cudaFree(void* p) {
    return runtime_call("cudaFree", needs::context,
                        [p](call& c) { return free_memory(c, p, false); });
}

SIMULATED cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags) {
    return runtime_call("cudaHostAlloc", needs::context, [=](call& c) -> int {
        // Rule: there are three flags.
        constexpr unsigned known =
            cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
        if ((flags & ~known) != 0) return cudaErrorInvalidValue;
        const bool mapped = (flags & cudaHostAllocMapped) != 0;
        return allocate(c, mapped ? memory_kind::mapped : memory_kind::pinned, c.device, bytes,
                        false, out);
    });
}

SIMULATED cudaError_t cudaMallocHost(void** out, std::size_t bytes) {
    return runtime_call("cudaMallocHost", needs::context, [=](call& c) {
        return allocate(c, memory_kind::pinned, c.device, bytes, false, out);
    });
}

SIMULATED cudaError_t cudaFreeHost(void* p) {
    return runtime_call("cudaFreeHost", needs::context,
                        [p](call& c) { return free_memory(c, p, true); });
}

SIMULATED cudaError_t cudaMallocManaged(void** out, std::size_t bytes, unsigned flags) {
    return runtime_call("cudaMallocManaged", needs::context, [=](call& c) -> int {
        // Rule: one of two flags, and not of no bytes.
        if ((flags != cudaMemAttachGlobal && flags != cudaMemAttachHost) || bytes == 0) {
            return cudaErrorInvalidValue;
        }
        return allocate(c, memory_kind::managed, c.device, bytes, false, out);
    });
}

SIMULATED cudaError_t cudaMallocAsync(void** out, std::size_t bytes, cudaStream_t stream) {
    return runtime_call("cudaMallocAsync", needs::context,
                        [=](call& c) { return malloc_async(c, out, bytes, stream, false); });
}
SIMULATED cudaError_t cudaMallocAsync_ptsz(void** out, std::size_t bytes, cudaStream_t stream) {
    return runtime_call("cudaMallocAsync", needs::context,
                        [=](call& c) { return malloc_async(c, out, bytes, stream, true); });
}

SIMULATED cudaError_t cudaFreeAsync(void* p, cudaStream_t stream) {
    return runtime_call("cudaFreeAsync", needs::context,
                        [=](call& c) { return free_async(c, p, stream, false); });
}
SIMULATED cudaError_t cudaFreeAsync_ptsz(void* p, cudaStream_t stream) {
    return runtime_call("cudaFreeAsync", needs::context,
                        [=](call& c) { return free_async(c, p, stream, true); });
}

SIMULATED cudaError_t cudaHostGetDevicePointer(void** out, void* host, unsigned flags) {
    return runtime_call("cudaHostGetDevicePointer", needs::context, [=](call&) {
        const place found = the_simulation().memory.find(host, 1);
        // Rule: of page-locked memory only; there are no flags.
        if (flags != 0 || found.what != place::state::live || !found.on_host()) {
            return cudaErrorInvalidValue;
        }
        *out = host;
        return cudaSuccess;
    });
}

SIMULATED cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* out, const void* p) {
    // Rule: memory that CUDA does not know is unregistered, which is no error.
    return runtime_call("cudaPointerGetAttributes", needs::context, [=](call&) {
        const place found = the_simulation().memory.find(p, 1);
        *out = {};
        out->device = -1;
        out->type = cudaMemoryTypeUnregistered;
        if (found.what != place::state::live) return cudaSuccess;
        auto* address = const_cast<void*>(p);
        out->device = found.device;
        out->devicePointer = address;
        out->type = cudaMemoryTypeDevice;
        if (found.on_host()) out->type = cudaMemoryTypeHost;
        if (found.kind == memory_kind::managed) out->type = cudaMemoryTypeManaged;
        if (found.kind != memory_kind::device) out->hostPointer = address;
        return cudaSuccess;
    });
}

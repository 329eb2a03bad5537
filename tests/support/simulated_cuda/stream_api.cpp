// Streams and host functions.

#include "sabotage.hpp"
#include "state.hpp"

using simulated_cuda::call;
using namespace simulated_cuda::inside;

namespace {

/// Rule: on the current device; there are two kinds.
int create(call& c, cudaStream_t* out, unsigned flags) {
    if (flags != cudaStreamDefault && flags != cudaStreamNonBlocking) return cudaErrorInvalidValue;
    const bool apart = flags == cudaStreamNonBlocking;
    *out = the_simulation().streams.create_stream(
        c.device, apart ? stream_kind::apart : stream_kind::blocking, flags);
    c.stream = (*out)->id;
    return cudaSuccess;
}

enum class about { the_stream, its_work };

/// Calls `f(stream)` for a stream that is alive and, where it is about its work, takes work.
template <class F>
int with_stream(call& c, about what, cudaStream_t handle, bool per_thread, const F& f) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    const int refusal = what == about::its_work ? refusal_of(*stream) : fault_of(*stream);
    return refusal != 0 ? refusal : f(*stream);
}

/// Rule: waits for what was queued on the stream before the call.
int synchronize(call& c, CUstream_st& s) {
    c.waited = true;
    return wait_on_host(devmem::detail::mark_end(*s.work));
}

/// Rule: what is still pending is told as cudaErrorNotReady, which is no failure and yet an error.
int query(const CUstream_st& s) {
    return s.work->query(s.work->last_ticket()) ? cudaSuccess : cudaErrorNotReady;
}

/// Rule: waits for the work that the event had captured at this call; one never recorded is no
/// work. The event may be of another device.
int wait_event(call& c, CUstream_st& s, CUevent_st* e) {
    if (!the_simulation().streams.is_live(e)) {
        misuse(c, "an event that is not alive");
        return cudaErrorInvalidResourceHandle;
    }
    queue_mark mark;
    {
        const std::lock_guard lock(e->mutex);
        mark = e->mark;
    }
    if (is_sabotaged(sabotage::wait)) return cudaSuccess;
    if (mark.of != nullptr) the_simulation().devices[s.device].streams.push_wait(s, mark);
    return cudaSuccess;
}

int capture_status(const CUstream_st& s, cudaStreamCaptureStatus* out) {
    *out = s.capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

/// Rules: a host function may call nothing of CUDA; after a fault of the device it is not called.
int launch_host_function(CUstream_st& s, cudaHostFn_t function, void* data) {
    if (function == nullptr) return cudaErrorInvalidValue;
    enqueue_call(s, [function, data, device = s.device]() noexcept {
        if (the_simulation().devices[device].fault != cudaSuccess) return;
        bool& in_host_function = this_thread().in_host_function;
        const bool outer = in_host_function;
        in_host_function = true;
        // The thread is CUDA's: that the engine runs it is none of the function's business.
        bool& in_queue_work = devmem::detail::in_queue_work;
        in_queue_work = false;
        function(data);
        in_queue_work = true;
        in_host_function = outer;
    });
    return cudaSuccess;
}

}  // namespace

SIMULATED cudaError_t cudaStreamCreate(cudaStream_t* out) {
    return runtime_call("cudaStreamCreate", needs::context,
                        [out](call& c) { return create(c, out, cudaStreamDefault); });
}

SIMULATED cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags) {
    return runtime_call("cudaStreamCreateWithFlags", needs::context,
                        [=](call& c) { return create(c, out, flags); });
}

SIMULATED cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return runtime_call("cudaStreamDestroy", needs::context, [stream](call& c) -> int {
        // Rules: a default stream is nobody's to destroy; work still queued goes on, and the call
        // does not wait for it.
        if (!the_simulation().streams.is_live(stream)) {
            misuse(c, "a stream that is not alive, or a default stream");
            return cudaErrorInvalidResourceHandle;
        }
        use_stream(c, stream, false);
        the_simulation().streams.destroy(stream);
        return cudaSuccess;
    });
}

// The functions that take a stream have two names: in files compiled with threads' own default
// streams, 0 is such a one.
#define SIMULATED_STREAM_FUNCTION(name, parameters, what, action)                       \
    SIMULATED cudaError_t name parameters {                                             \
        return runtime_call(#name, needs::context, [=](call& c) {                       \
            return with_stream(c, what, stream, false, [=, &c](CUstream_st& s) -> int { \
                static_cast<void>(c);                                                   \
                return action;                                                          \
            });                                                                         \
        });                                                                             \
    }                                                                                   \
    SIMULATED cudaError_t name##_ptsz parameters {                                      \
        return runtime_call(#name, needs::context, [=](call& c) {                       \
            return with_stream(c, what, stream, true, [=, &c](CUstream_st& s) -> int {  \
                static_cast<void>(c);                                                   \
                return action;                                                          \
            });                                                                         \
        });                                                                             \
    }

SIMULATED_STREAM_FUNCTION(cudaStreamSynchronize, (cudaStream_t stream), about::its_work,
                          synchronize(c, s))
SIMULATED_STREAM_FUNCTION(cudaStreamQuery, (cudaStream_t stream), about::its_work, query(s))
SIMULATED_STREAM_FUNCTION(cudaStreamWaitEvent,
                          (cudaStream_t stream, cudaEvent_t event, unsigned /*flags*/),
                          about::its_work, wait_event(c, s, event))
SIMULATED_STREAM_FUNCTION(cudaLaunchHostFunc,
                          (cudaStream_t stream, cudaHostFn_t function, void* data), about::its_work,
                          launch_host_function(s, function, data))
SIMULATED_STREAM_FUNCTION(cudaStreamIsCapturing,
                          (cudaStream_t stream, cudaStreamCaptureStatus* out), about::the_stream,
                          capture_status(s, out))
// Rule: an id is unique for the life of the program, the handle is not.
SIMULATED_STREAM_FUNCTION(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id),
                          about::the_stream, (*id = s.id, cudaSuccess))
SIMULATED_STREAM_FUNCTION(cudaStreamGetDevice, (cudaStream_t stream, int* device),
                          about::the_stream, (*device = s.device, cudaSuccess))
SIMULATED_STREAM_FUNCTION(cudaStreamGetFlags, (cudaStream_t stream, unsigned* flags),
                          about::the_stream, (*flags = s.flags, cudaSuccess))

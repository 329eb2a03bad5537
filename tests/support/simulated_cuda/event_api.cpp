// Events.

#include "state.hpp"

#include <memory>

using simulated_cuda::call;
using namespace simulated_cuda::inside;

namespace {

/// Rule: on the current device; there are three flags.
int create(call& c, cudaEvent_t* out, unsigned flags) {
    constexpr unsigned known =
        cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if ((flags & ~known) != 0) return cudaErrorInvalidValue;
    *out = the_simulation().streams.create_event(c.device, flags);
    return cudaSuccess;
}

/// Calls `f(event)` for an event that is alive, of a device that is not broken.
template <class F>
int with_event(call& c, CUevent_st* e, const F& f) {
    if (!the_simulation().streams.is_live(e)) {
        misuse(c, "an event that is not alive");
        return cudaErrorInvalidResourceHandle;
    }
    c.device = e->device;
    if (const int fault = the_simulation().devices[e->device].fault; fault != 0) return fault;
    return f(*e);
}

queue_mark mark_of(CUevent_st& e) {
    const std::lock_guard lock(e.mutex);
    return e.mark;
}

bool is_timed(const CUevent_st& e) { return (e.flags & cudaEventDisableTiming) == 0; }

/// Rules: event and stream are of one device; captures what the stream has now, in place of what
/// it had captured before.
int record(call& c, CUevent_st& e, cudaStream_t handle, bool per_thread) {
    CUstream_st* stream = use_stream(c, handle, per_thread);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->device != e.device) {
        misuse(c, "event and stream are of different devices");
        return cudaErrorInvalidResourceHandle;
    }
    if (const int refusal = refusal_of(*stream); refusal != 0) return refusal;
    auto time = is_timed(e) ? std::make_shared<timespec>() : nullptr;
    const queue_mark mark = enqueue_call(*stream, [time]() noexcept {
        if (time != nullptr) clock_gettime(CLOCK_MONOTONIC, time.get());
    });
    const std::lock_guard lock(e.mutex);
    e.recorded = true;
    e.mark = mark;
    e.time = std::move(time);
    return cudaSuccess;
}

/// Rule: an event never recorded is an empty set of work, which is done.
int query(CUevent_st& e) { return mark_of(e).query() ? cudaSuccess : cudaErrorNotReady; }

int synchronize(call& c, CUevent_st& e) {
    c.waited = true;
    return wait_on_host(mark_of(e));
}

/// Rules: both recorded, both with timing, else cudaErrorInvalidResourceHandle; both done, else
/// cudaErrorNotReady.
int elapsed(CUevent_st& begin, CUevent_st& end, float* milliseconds) {
    for (CUevent_st* e : {&begin, &end}) {
        const std::lock_guard lock(e->mutex);
        if (!e->recorded || !is_timed(*e)) return cudaErrorInvalidResourceHandle;
    }
    if (query(begin) != cudaSuccess || query(end) != cudaSuccess) return cudaErrorNotReady;
    *milliseconds =
        static_cast<float>(static_cast<double>(end.time->tv_sec - begin.time->tv_sec) * 1e3 +
                           static_cast<double>(end.time->tv_nsec - begin.time->tv_nsec) * 1e-6);
    return cudaSuccess;
}

}  // namespace

SIMULATED cudaError_t cudaEventCreate(cudaEvent_t* out) {
    return runtime_call("cudaEventCreate", needs::context,
                        [out](call& c) { return create(c, out, cudaEventDefault); });
}

SIMULATED cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags) {
    return runtime_call("cudaEventCreateWithFlags", needs::context,
                        [=](call& c) { return create(c, out, flags); });
}

SIMULATED cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return runtime_call("cudaEventDestroy", needs::context, [event](call& c) {
        // Rule: may be destroyed before it is complete; the call does not wait.
        return with_event(c, event, [](CUevent_st& e) -> int {
            the_simulation().streams.destroy(&e);
            return cudaSuccess;
        });
    });
}

SIMULATED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return runtime_call("cudaEventRecord", needs::context, [=](call& c) {
        return with_event(c, event,
                          [&c, stream](CUevent_st& e) { return record(c, e, stream, false); });
    });
}
SIMULATED cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
    return runtime_call("cudaEventRecord", needs::context, [=](call& c) {
        return with_event(c, event,
                          [&c, stream](CUevent_st& e) { return record(c, e, stream, true); });
    });
}

SIMULATED cudaError_t cudaEventQuery(cudaEvent_t event) {
    return runtime_call("cudaEventQuery", needs::context,
                        [event](call& c) { return with_event(c, event, query); });
}

SIMULATED cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    return runtime_call("cudaEventSynchronize", needs::context, [event](call& c) {
        return with_event(c, event, [&c](CUevent_st& e) { return synchronize(c, e); });
    });
}

SIMULATED cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin,
                                           cudaEvent_t end) {
    return runtime_call("cudaEventElapsedTime", needs::context, [=](call& c) {
        return with_event(c, begin, [&](CUevent_st& b) {
            return with_event(c, end, [&](CUevent_st& e) { return elapsed(b, e, milliseconds); });
        });
    });
}

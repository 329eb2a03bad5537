/// \file
/// Streams and events over the CPU engine's queues, with the order of the default streams.
#pragma once

#include <devmem/backend/cpu/queue.hpp>

#include <cuda_runtime_api.h>
#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace simulated_cuda {
struct call;
}

namespace simulated_cuda::inside {

using devmem::detail::queue;
using devmem::detail::queue_mark;

enum class stream_kind {
    legacy,    ///< waits for all blocking streams of its device, and they for it
    blocking,  ///< created with default flags, and the threads' own default streams
    apart,     ///< created non-blocking: ordered with nothing
};

}  // namespace simulated_cuda::inside

struct CUstream_st {
    simulated_cuda::inside::stream_kind kind{};
    int device = 0;
    std::uint64_t id = 0;
    unsigned flags = 0;
    simulated_cuda::inside::queue* work = nullptr;
    std::uint64_t legacy_seen = 0;  // ticket of the legacy stream that it has been made to wait for
    std::atomic<bool> capturing{false};
};

struct CUevent_st {
    int device = 0;
    unsigned flags = 0;
    std::mutex mutex;  // what follows
    bool recorded = false;
    simulated_cuda::inside::queue_mark mark;
    std::shared_ptr<timespec> time;  // written by the stream, for the mark's waiters
};

namespace simulated_cuda::inside {

/// The streams of one device.
class device_streams {
  public:
    CUstream_st* legacy(int device);
    /// A queue that nothing is pending on.
    queue* obtain_queue();
    void give_back(queue* q);

    void add_blocking(queue* q);

    /// Queues work on a stream of this device, in the order that default streams demand.
    queue_mark push(CUstream_st& s, const devmem::host_function& work);
    /// Makes work pushed on the stream from now on wait for `mark`.
    void push_wait(CUstream_st& s, queue_mark mark);
    /// Blocks until everything queued so far on the device has run.
    devmem::status synchronize();

  private:
    struct blocking_queue {
        queue* work = nullptr;
        std::uint64_t seen = 0;  // the ticket that the legacy stream has been made to wait for
    };

    void order(CUstream_st& s);

    std::mutex order_;  // also: who is legacy, who is blocking
    CUstream_st* legacy_ = nullptr;
    std::vector<blocking_queue> blocking_;
    std::mutex queues_;
    std::vector<queue*> all_;
    std::vector<queue*> idle_;
};

/// Which handles are alive.
class stream_book {
  public:
    CUstream_st* create_stream(int device, stream_kind kind, unsigned flags);
    bool destroy(CUstream_st* s);
    bool is_live(CUstream_st* s) const;
    std::size_t live_streams() const;

    CUevent_st* create_event(int device, unsigned flags);
    bool destroy(CUevent_st* e);
    bool is_live(CUevent_st* e) const;
    std::size_t live_events() const;

    static std::uint64_t new_id();

  private:
    mutable std::mutex mutex_;
    std::set<CUstream_st*> streams_;
    std::set<CUevent_st*> events_;
    // The dead are kept, so that their handles are not used again unless a test wants it.
    std::vector<CUstream_st*> dead_streams_;
    std::vector<CUevent_st*> dead_events_;
};

devmem::detail::scheduler_kind scheduler();

/// What a wait has come to: a real runtime has no code for a deadlock, which it does not notice.
int result_of(devmem::status waited);
/// Waits for a mark, as a host thread does; the engine counts it.
int wait_on_host(const queue_mark& mark);

/// The stream that a handle means for the calling thread: 0 is the legacy default stream, or the
/// thread's own where the caller was compiled so. Null for one that is not alive.
CUstream_st* find_stream(cudaStream_t handle, bool null_is_per_thread);

/// As `find_stream`, and puts the stream into the log; a dead one is a misuse.
CUstream_st* use_stream(call& c, cudaStream_t handle, bool null_is_per_thread);

/// The fault of a stream's device, or 0.
int fault_of(const CUstream_st& s);

/// Why a stream takes no work: its device's fault, or that it is being captured, which goes no
/// further here than being refused; or 0.
int refusal_of(const CUstream_st& s);

queue_mark enqueue(CUstream_st& s, const devmem::host_function& work);

/// Queues a closure on a stream.
template <class F>
queue_mark enqueue_call(CUstream_st& s, F&& work) {
    return enqueue(s, devmem::detail::make_host_function(std::forward<F>(work)));
}

}  // namespace simulated_cuda::inside

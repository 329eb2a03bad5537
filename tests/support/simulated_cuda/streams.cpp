#include "streams.hpp"

#include "sabotage.hpp"
#include "state.hpp"

#include <devmem/settings.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simulated_cuda::inside {

namespace {

void must(devmem::status s) {
    if (s.ok()) return;
    std::fprintf(stderr, "simulated CUDA: a queue did not take its work\n");
    std::abort();
}

void push_work(queue& q, const devmem::host_function& work) { must(q.push(work)); }

}  // namespace

devmem::detail::scheduler_kind scheduler() {
    static const devmem::detail::scheduler_kind chosen = [] {
        const char* word = std::getenv("DEVMEM_SCHEDULER");
        if (word == nullptr || std::strcmp(word, "threads") == 0) {
            return devmem::detail::scheduler_kind::threads;
        }
        if (std::strcmp(word, "inline") == 0) return devmem::detail::scheduler_kind::in_line;
        if (std::uint64_t seed = 0; devmem::detail::read_seed(word, seed)) {
            devmem::detail::deferred.use_seed(seed);
            return devmem::detail::scheduler_kind::deferred;
        }
        std::fprintf(stderr,
                     "simulated CUDA: DEVMEM_SCHEDULER is '%s'; it takes threads, inline or "
                     "deferred:SEED\n",
                     word);
        std::abort();
    }();
    return chosen;
}

int result_of(devmem::status waited) { return waited.ok() ? cudaSuccess : cudaErrorTimeout; }

int wait_on_host(const queue_mark& mark) {
    if (is_sabotaged(sabotage::wait)) return cudaSuccess;
    devmem::detail::host_waits.entered.fetch_add_relaxed(1);
    return result_of(mark.wait());
}

CUstream_st* device_streams::legacy(int device) {
    const std::lock_guard lock(order_);
    if (legacy_ == nullptr) {
        legacy_ = new CUstream_st;
        legacy_->kind = stream_kind::legacy;
        legacy_->device = device;
        legacy_->id = stream_book::new_id();
        legacy_->work = obtain_queue();
        legacy_->work->name_as({"cuda", device, legacy_->id});
    }
    return legacy_;
}

queue* device_streams::obtain_queue() {
    const std::lock_guard lock(queues_);
    const auto found =
        std::find_if(idle_.begin(), idle_.end(), [](const queue* q) { return q->idle_relaxed(); });
    if (found != idle_.end()) {
        queue* q = *found;
        idle_.erase(found);
        return q;
    }
    all_.push_back(new queue(scheduler()));
    return all_.back();
}

void device_streams::give_back(queue* q) {
    const std::lock_guard lock(queues_);
    idle_.push_back(q);
}

void device_streams::add_blocking(queue* q) {
    const std::lock_guard lock(order_);
    blocking_.push_back({q, q->last_ticket()});
}

/// Rule: a command in the legacy default stream waits for what was queued before in all blocking
/// streams of the device, and a command in a blocking stream for what was queued before in the
/// legacy default stream.
void device_streams::order(CUstream_st& s) {
    if (s.kind == stream_kind::legacy) {
        for (blocking_queue& b : blocking_) {
            const std::uint64_t ticket = b.work->last_ticket();
            if (ticket == b.seen) continue;
            b.seen = ticket;
            must(devmem::detail::push_wait(*s.work, {b.work, ticket}));
        }
    } else if (legacy_ != nullptr) {
        const std::uint64_t ticket = legacy_->work->last_ticket();
        if (ticket == s.legacy_seen) return;
        s.legacy_seen = ticket;
        must(devmem::detail::push_wait(*s.work, {legacy_->work, ticket}));
    }
}

queue_mark device_streams::push(CUstream_st& s, const devmem::host_function& work) {
    if (s.kind == stream_kind::apart) {
        push_work(*s.work, work);
        return devmem::detail::mark_end(*s.work);
    }
    const std::lock_guard lock(order_);
    order(s);
    push_work(*s.work, work);
    return devmem::detail::mark_end(*s.work);
}

void device_streams::push_wait(CUstream_st& s, queue_mark mark) {
    if (s.kind == stream_kind::apart) {
        must(devmem::detail::push_wait(*s.work, mark));
        return;
    }
    const std::lock_guard lock(order_);
    order(s);
    must(devmem::detail::push_wait(*s.work, mark));
}

devmem::status device_streams::synchronize() {
    std::vector<queue*> all;
    {
        const std::lock_guard lock(queues_);
        all = all_;
    }
    devmem::status first_failure;
    for (queue* q : all) {
        const devmem::status waited = q->wait(q->last_ticket());
        if (first_failure.ok()) first_failure = waited;
    }
    return first_failure;
}

CUstream_st* stream_book::create_stream(int device, stream_kind kind, unsigned flags) {
    device_streams& streams = the_simulation().devices[device].streams;
    queue* work = streams.obtain_queue();
    if (kind == stream_kind::blocking) streams.add_blocking(work);

    const std::lock_guard lock(mutex_);
    CUstream_st* s = nullptr;
    if (the_simulation().handles_are_reused && !dead_streams_.empty()) {
        s = dead_streams_.back();
        dead_streams_.pop_back();
    } else {
        s = new CUstream_st;
    }
    s->kind = kind;
    s->device = device;
    s->id = new_id();
    s->flags = flags;
    s->work = work;
    work->name_as({"cuda", device, s->id});
    s->legacy_seen = 0;
    s->capturing = false;
    streams_.insert(s);
    return s;
}

bool stream_book::destroy(CUstream_st* s) {
    const std::lock_guard lock(mutex_);
    if (streams_.erase(s) == 0) return false;
    // The queue of a blocking stream stays one of those that the legacy default stream waits for.
    if (s->kind == stream_kind::apart) {
        the_simulation().devices[s->device].streams.give_back(s->work);
    }
    dead_streams_.push_back(s);
    return true;
}

bool stream_book::is_live(CUstream_st* s) const {
    const std::lock_guard lock(mutex_);
    return streams_.count(s) != 0;
}

std::size_t stream_book::live_streams() const {
    const std::lock_guard lock(mutex_);
    return streams_.size();
}

CUevent_st* stream_book::create_event(int device, unsigned flags) {
    const std::lock_guard lock(mutex_);
    CUevent_st* e = nullptr;
    if (the_simulation().handles_are_reused && !dead_events_.empty()) {
        e = dead_events_.back();
        dead_events_.pop_back();
    } else {
        e = new CUevent_st;
    }
    const std::lock_guard event_lock(e->mutex);
    e->device = device;
    e->flags = flags;
    e->recorded = false;
    e->mark = {};
    e->time = nullptr;
    events_.insert(e);
    return e;
}

bool stream_book::destroy(CUevent_st* e) {
    const std::lock_guard lock(mutex_);
    if (events_.erase(e) == 0) return false;
    dead_events_.push_back(e);
    return true;
}

bool stream_book::is_live(CUevent_st* e) const {
    const std::lock_guard lock(mutex_);
    return events_.count(e) != 0;
}

std::size_t stream_book::live_events() const {
    const std::lock_guard lock(mutex_);
    return events_.size();
}

std::uint64_t stream_book::new_id() {
    static std::atomic<std::uint64_t> next{1};
    return next++;
}

CUstream_st* find_stream(cudaStream_t handle, bool null_is_per_thread) {
    simulation& s = the_simulation();
    const cudaStream_t per_thread = cudaStreamPerThread;
    const cudaStream_t legacy = cudaStreamLegacy;
    thread_state& t = this_thread();
    const int current = t.current_device();
    if (handle == nullptr) handle = null_is_per_thread ? per_thread : legacy;
    if (handle == legacy) return s.devices[current].streams.legacy(current);
    if (handle == per_thread) {
        CUstream_st*& own = t.default_streams[current];
        if (own == nullptr) {
            own = s.streams.create_stream(current, stream_kind::blocking, cudaStreamDefault);
        }
        return own;
    }
    return s.streams.is_live(handle) ? handle : nullptr;
}

CUstream_st* use_stream(call& c, cudaStream_t handle, bool null_is_per_thread) {
    CUstream_st* s = find_stream(handle, null_is_per_thread);
    if (s == nullptr) {
        misuse(c, "a stream that is not alive");
        return nullptr;
    }
    c.stream = s->id;
    c.device = s->device;
    return s;
}

int fault_of(const CUstream_st& s) { return the_simulation().devices[s.device].fault; }

int refusal_of(const CUstream_st& s) {
    if (const int fault = fault_of(s); fault != 0) return fault;
    return s.capturing ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

queue_mark enqueue(CUstream_st& s, const devmem::host_function& work) {
    return the_simulation().devices[s.device].streams.push(s, work);
}

}  // namespace simulated_cuda::inside

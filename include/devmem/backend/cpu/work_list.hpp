/// \file
/// `work_list`: pieces of work in the order in which they were added, and how far they have run.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/host_function.hpp>
#include <devmem/backend/status.hpp>
#include <devmem/messages.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

namespace devmem::inline v0::detail {

/// How queued work is run, fixed before first use.
enum class scheduler_kind {
    threads,   ///< by a thread a queue
    in_line,   ///< by the caller, at once
    deferred,  ///< by the host threads that wait, in an order drawn from a seed
};

/// True while the calling thread runs work of a queue, which must not call a backend.
inline DEVMEM_STATE thread_local bool in_queue_work = false;

class work_list;

/// A point in a list of work.
struct work_mark {
    work_list* of = nullptr;
    std::uint64_t ticket = 0;
};

/// Whose work it is, for those who read of it.
struct stream_name {
    const char* kind = "";  // a literal; empty where the list belongs to no stream
    int device = 0;
    std::uint64_t id = 0;
};

/// What a queue is made of. Any thread may add; one at a time may run.
///
/// The n-th piece of work is finished when `completed() >= n`: tickets are such numbers. A list
/// lives for ever once made (threads may be asleep in it), so an event may be kept as a pair of
/// list and ticket, without a count of references, whose updates would order unrelated threads.
class work_list {
  public:
    work_list(const work_list&) = delete;
    work_list& operator=(const work_list&) = delete;

    scheduler_kind scheduler() const noexcept { return scheduler_; }

    /// The ticket of the last piece of work added so far.
    std::uint64_t last_ticket() const noexcept { return submitted_.value_relaxed(); }

    bool reached(std::uint64_t ticket) const noexcept {
        return completed_.value_acquire() >= ticket;
    }

    /// As `reached`, for a queue's owner to see that it is idle, without an order after its work.
    bool idle_relaxed() const noexcept { return completed_.value_relaxed() >= last_ticket(); }

    /// Says whose work this is; while it is idle.
    void name_as(const stream_name& name) noexcept {
        name_kind_ = name.kind;
        name_device_ = name.device;
        name_id_.store_relaxed(name.id);
    }
    stream_name name() const noexcept {
        return {name_kind_, name_device_, name_id_.load_relaxed()};
    }

    /// Work that is no call but a wait: the scheduler `deferred` sees what is waited for.
    static host_function make_wait(work_mark mark) noexcept {
        host_function made;
        ::new (static_cast<void*>(made.closure)) work_mark(mark);
        return made;
    }

  protected:
    explicit work_list(scheduler_kind scheduler) noexcept : scheduler_(scheduler) {}
    ~work_list() = default;

    /// Room for the first piece of work.
    status begin() noexcept {
        head_ = tail_ = new (std::nothrow) segment;
        return head_ != nullptr ? status{} : status{error_code::out_of_memory, ENOMEM};
    }
    void end() noexcept {
        delete head_;
        head_ = tail_ = nullptr;
    }

    /// Under `producers_`, once begun.
    status add(const host_function& work) noexcept {
        if (tail_used_ == segment_size) {
            segment* next = new (std::nothrow) segment;
            if (next == nullptr) return {error_code::out_of_memory, ENOMEM};
            tail_->next = next;
            tail_ = next;
            tail_used_ = 0;
        }
        tail_->work[tail_used_++] = work;
        submitted_.add(1);
        return {};
    }

    void run_here(host_function work) noexcept {
        submitted_.add(1);
        run(work);
    }

    /// Runs the next piece of work, for one thread at a time that has seen that there is one. Every
    /// segment but the last is freed when its last piece of work has run.
    void run_next() noexcept {
        host_function& next = front();
        ++head_used_;
        run(next);
    }

    host_function& front() noexcept {
        if (head_used_ == segment_size) {
            segment* drained = head_;
            head_ = drained->next;
            delete drained;
            head_used_ = 0;
        }
        return head_->work[head_used_];
    }

    /// What a piece of work waits for, or null where it is a call.
    static const work_mark* waits_for(const host_function& work) noexcept {
        if (work.act != nullptr) return nullptr;
        return std::launder(reinterpret_cast<const work_mark*>(work.closure));
    }

  private:
    friend class deferred_scheduler;

    static constexpr std::size_t segment_size = 63;

    struct segment {
        host_function work[segment_size];
        segment* next = nullptr;
    };

    void run(host_function& work) noexcept {
        if (const work_mark* awaited = waits_for(work); awaited != nullptr) {
            awaited->of->completed_.wait_for(awaited->ticket);
        } else {
            const bool outer = in_queue_work;
            in_queue_work = true;
            work.run();
            in_queue_work = outer;
        }
        completed_.add(1);
    }

  protected:
    // Producers, the two counts and the consumer each have cache lines of their own.
    alignas(64) mutex producers_;

  private:
    const scheduler_kind scheduler_;

  protected:
    bool begun_ = false;
    bool is_gate_ = false;
    bool opened_elsewhere_ = false;

  private:
    std::size_t tail_used_ = 0;
    segment* tail_ = nullptr;
    const char* name_kind_ = "";
    int name_device_ = 0;
    atomic<std::uint64_t> name_id_{0};

  protected:
    wait_counter submitted_;
    wait_counter completed_;

  private:
    alignas(64) segment* head_ = nullptr;
    std::size_t head_used_ = 0;
    // Of the scheduler `deferred`.
    work_list* next_enlisted_ = nullptr;
    std::uint64_t ordinal_ = 0;
};

}  // namespace devmem::inline v0::detail

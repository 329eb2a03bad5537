/// \file
/// `queue`: a first-in first-out queue of host functions with a thread of its own.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/host_function.hpp>
#include <devmem/backend/status.hpp>
#include <devmem/messages.hpp>

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>

namespace devmem::inline v0::detail {

/// How queued work is run, fixed before first use.
enum class scheduler_kind {
    threads,  ///< by a thread a queue
    in_line,  ///< by the caller, at once
};

/// True while the calling thread runs work of a queue, which must not call a backend.
inline DEVMEM_STATE thread_local bool in_queue_work = false;

/// A first-in first-out queue of work. Any thread may push; work runs in that order, one at a time.
///
/// The n-th piece of work is finished when `completed() >= n`: tickets are such numbers. A queue
/// lives for ever once made (its thread may be asleep in it), so an event may be kept as a pair of
/// queue and ticket, without a count of references, whose updates would order unrelated threads.
class queue {
  public:
    explicit queue(scheduler_kind scheduler) noexcept : scheduler_(scheduler) {}
    queue(const queue&) = delete;
    queue& operator=(const queue&) = delete;

    /// Takes `work` if it returns ok. With the scheduler `in_line` it has run by then.
    status push(const host_function& work) noexcept {
        const lock_guard lock(producers_);
        if (scheduler_ == scheduler_kind::in_line) {
            run_here(work);
            return {};
        }
        if (!has_thread_) {
            if (const status s = start(); !s.ok()) return s;
        }
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

    /// The ticket of the last piece of work pushed so far.
    std::uint64_t last_ticket() const noexcept { return submitted_.value_relaxed(); }

    bool reached(std::uint64_t ticket) const noexcept {
        return completed_.value_acquire() >= ticket;
    }

    /// As `reached`, for a queue's owner to see that it is idle, without an order after its work.
    bool idle_relaxed() const noexcept { return completed_.value_relaxed() >= last_ticket(); }

    /// Blocks until the work of that ticket is finished.
    void wait(std::uint64_t ticket) noexcept { completed_.wait_for(ticket); }

  private:
    static constexpr std::size_t segment_size = 63;
    // Tens of pieces of work can be pushed between two looks of a worker that has caught up.
    static constexpr int pauses_of_worker = 64;

    struct segment {
        host_function work[segment_size];
        segment* next = nullptr;
    };

    void run_here(host_function work) noexcept {
        submitted_.add(1);
        run(work);
    }

    void run(host_function& work) noexcept {
        const bool outer = in_queue_work;
        in_queue_work = true;
        work.run();
        in_queue_work = outer;
        completed_.add(1);
    }

    status start() noexcept {
        head_ = tail_ = new (std::nothrow) segment;
        if (head_ == nullptr) return {error_code::out_of_memory, ENOMEM};
        const int error = start_thread(&queue::work, this);
        if (error != 0) {
            delete head_;
            return {error_code::backend_failure, error};
        }
        has_thread_ = true;
        return {};
    }

    static void* work(void* self) {
        static_cast<queue*>(self)->work();
        return nullptr;
    }

    /// The thread's life: it sleeps in `wait_for` when there is nothing to do, until the process
    /// ends. Every segment but the last is freed when its last piece of work has run.
    [[noreturn]] void work() noexcept {
        std::size_t at = 0;
        for (std::uint64_t done = 0;;) {
            submitted_.wait_for(done + 1, pauses_of_worker);
            for (const std::uint64_t pushed = submitted_.value_acquire(); done < pushed; ++done) {
                if (at == segment_size) {
                    segment* drained = head_;
                    head_ = drained->next;
                    delete drained;
                    at = 0;
                }
                run(head_->work[at++]);
            }
        }
    }

  public:
    /// Starts a detached thread that takes no signals, which are for the program's own threads, but
    /// those that it causes itself: a handler for crashes, or a profiler, must hear of these.
    static int start_thread(void* (*f)(void*), void* argument) noexcept {
        sigset_t others;
        sigset_t before;
        sigfillset(&others);
        constexpr int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
        for (const int signal : own) sigdelset(&others, signal);
        pthread_sigmask(SIG_SETMASK, &others, &before);
        pthread_t thread;
        const int error = pthread_create(&thread, nullptr, f, argument);
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        if (error == 0) pthread_detach(thread);
        return error;
    }

  private:
    // Producers, the two counts and the consumer each have cache lines of their own.
    alignas(64) mutex producers_;
    const scheduler_kind scheduler_;
    bool has_thread_ = false;
    std::size_t tail_used_ = 0;
    segment* tail_ = nullptr;
    wait_counter submitted_;
    wait_counter completed_;
    alignas(64) segment* head_ = nullptr;
};

/// A point in the work of a queue.
struct queue_mark {
    queue* of = nullptr;
    std::uint64_t ticket = 0;

    bool reached() const noexcept { return of == nullptr || of->reached(ticket); }
    void wait() const noexcept {
        if (of != nullptr) of->wait(ticket);
    }
};

inline queue_mark mark_end(queue& q) noexcept { return {&q, q.last_ticket()}; }

/// Makes the work pushed on `q` from now on wait for `mark`. A mark before all work is no wait.
inline status push_wait(queue& q, queue_mark mark) noexcept {
    if (mark.of == nullptr || mark.of == &q || mark.ticket == 0) return {};
    return q.push(make_host_function([mark]() noexcept { mark.wait(); }));
}

}  // namespace devmem::inline v0::detail

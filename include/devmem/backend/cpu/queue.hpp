/// \file
/// `queue`: a first-in first-out queue of host functions with a thread of its own.
#pragma once

#include <devmem/backend/cpu/deferred.hpp>
#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/cpu/work_list.hpp>
#include <devmem/backend/host_function.hpp>
#include <devmem/backend/status.hpp>
#include <devmem/messages.hpp>

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

/// How often host threads have waited, for tests. The counts order nothing.
struct DEVMEM_STATE host_wait_counts {
    atomic<std::uint64_t> entered{0};  // calls that wait, whether or not there was anything to do
    atomic<std::uint64_t> blocked{0};  // waits for a ticket that was not yet reached
};

inline DEVMEM_STATE host_wait_counts host_waits{};

/// A first-in first-out queue of work. Any thread may push; work runs in that order, one at a time.
class queue : public work_list {
  public:
    explicit queue(scheduler_kind scheduler) noexcept : work_list(scheduler) {}

    /// Takes `work` if it returns ok. With the scheduler `in_line` it has run by then.
    status push(const host_function& work) noexcept {
        const lock_guard lock(producers_);
        if (scheduler() == scheduler_kind::in_line) {
            run_here(work);
            return {};
        }
        if (!begun_) {
            if (const status s = start(); !s.ok()) return s;
        }
        return add(work);
    }

    /// Blocks the host until the work of that ticket is finished. Fails with the scheduler
    /// `deferred` alone: where nothing can end the wait.
    status wait(std::uint64_t ticket) noexcept {
        if (reached(ticket)) return {};
        host_waits.blocked.fetch_add_relaxed(1);
        if (scheduler() == scheduler_kind::deferred) return deferred.reach(*this, ticket);
        completed_.wait_for(ticket);
        return {};
    }

    /// As `reached`, for the host to ask; deferred work must not wait for ever where it only asks.
    bool query(std::uint64_t ticket) noexcept {
        if (reached(ticket)) {
            failed_queries = 0;
            return true;
        }
        if (scheduler() != scheduler_kind::deferred || ++failed_queries < queries_a_task) {
            return false;
        }
        failed_queries = 0;
        deferred.advance(*this, ticket);
        return reached(ticket);
    }

  protected:
    struct as_gate {
        bool opened_elsewhere;
    };
    explicit queue(as_gate gate) noexcept : work_list(scheduler_kind::threads) {
        is_gate_ = true;
        opened_elsewhere_ = gate.opened_elsewhere;
    }

  private:
    // Tens of pieces of work can be pushed between two looks of a worker that has caught up.
    static constexpr int pauses_of_worker = 64;

    status start() noexcept {
        if (const status s = begin(); !s.ok()) return s;
        if (scheduler() == scheduler_kind::deferred) {
            deferred.enlist(*this);
        } else if (const int error = start_thread(&queue::work, this); error != 0) {
            end();
            return {error_code::backend_failure, error};
        }
        begun_ = true;
        return {};
    }

    static void* work(void* self) {
        static_cast<queue*>(self)->work();
        return nullptr;
    }

    /// The thread's life: it sleeps in `wait_for` when there is nothing to do, until the process
    /// ends.
    [[noreturn]] void work() noexcept {
        for (std::uint64_t done = 0;;) {
            submitted_.wait_for(done + 1, pauses_of_worker);
            for (const std::uint64_t pushed = submitted_.value_acquire(); done < pushed; ++done) {
                run_next();
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
};

/// A point in the work of a queue.
struct queue_mark {
    queue* of = nullptr;
    std::uint64_t ticket = 0;

    bool reached() const noexcept { return of == nullptr || of->reached(ticket); }
    bool query() const noexcept { return of == nullptr || of->query(ticket); }
    status wait() const noexcept { return of == nullptr ? status{} : of->wait(ticket); }
};

inline queue_mark mark_end(queue& q) noexcept { return {&q, q.last_ticket()}; }

/// Makes the work pushed on `q` from now on wait for `mark`. A mark before all work is no wait.
inline status push_wait(queue& q, queue_mark mark) noexcept {
    if (mark.of == nullptr || mark.of == &q || mark.ticket == 0) return {};
    return q.push(work_list::make_wait({mark.of, mark.ticket}));
}

/// A queue that takes no work and is at its mark once it has been opened: tests hold up others with
/// it. Where `opened_elsewhere`, another thread is to open it, and deferred work that it holds up
/// makes the host wait, which else is told of a deadlock.
class gate_queue : public queue {
  public:
    explicit gate_queue(bool opened_elsewhere = false) noexcept
        : queue(as_gate{opened_elsewhere}) {}

    queue_mark opened() noexcept { return {this, 1}; }
    void open() noexcept { completed_.add(1); }
};

}  // namespace devmem::inline v0::detail

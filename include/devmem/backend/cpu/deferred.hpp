/// \file
/// The scheduler `deferred`: queued work runs while the host waits, in an order drawn from a seed,
/// so that a wait that a program forgot shows under one of the first few seeds.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/backend/cpu/work_list.hpp>
#include <devmem/backend/deadlock.hpp>
#include <devmem/backend/status.hpp>
#include <devmem/messages.hpp>

#include <cerrno>
#include <cstdint>

namespace devmem::inline v0::detail {

/// Runs the work of all lists of this process, one piece at a time, on the threads that wait.
///
/// Seed 0 runs only what is demanded, as late as is legal. Every other seed gives each list a
/// priority and always runs the highest that can run, demanded or not. Seeds 2k+1 and 2k+2 use
/// opposite priorities, so that of two lists either is ahead under one of them; three seeds in
/// eight draw new ones on the way.
class DEVMEM_STATE deferred_scheduler {
  public:
    /// Before the first work is queued.
    void use_seed(std::uint64_t seed) noexcept {
        const lock_guard lock(running_);
        seed_ = seed;
        epoch_ = 0;
        until_redrawn_ = 0;
    }

    /// Makes a list known. It may be called by work that runs, so it takes no lock.
    void enlist(work_list& w) noexcept {
        w.ordinal_ = ordinals_.fetch_add_relaxed(1);
        w.next_enlisted_ = first_.load_relaxed();
        while (!first_.compare_exchange(w.next_enlisted_, &w)) continue;
    }

    /// Runs work until the ticket is reached. Where nothing can run any more, the status says
    /// `deadlock`, and `last_deadlock` what holds the list.
    status reach(work_list& w, std::uint64_t ticket) noexcept {
        // A piece of work may wait for nothing; its thread has the lock already.
        if (runs_work) return {error_code::not_permitted, EDEADLK};
        while (!w.reached(ticket)) {
            hold held;
            {
                const lock_guard lock(running_);
                if (run_one(w, ticket, &held)) continue;
                if (!held.ends_elsewhere) return tell_deadlock(w, ticket);
            }
            held.at->completed_.wait_for(held.ticket);
        }
        return {};
    }

    /// Runs one piece of work, if one can run: the next towards that ticket, or the one whose turn
    /// it is.
    void advance(work_list& w, std::uint64_t ticket) noexcept {
        if (runs_work) return;
        hold held;
        const lock_guard lock(running_);
        static_cast<void>(run_one(w, ticket, &held));
    }

  private:
    /// What keeps a list from running.
    struct hold {
        work_list* at = nullptr;
        std::uint64_t ticket = 0;
        bool ends_elsewhere = false;  // without work of this scheduler's
    };

    /// True where something has run, or the ticket was reached by then; else tells the hold.
    bool run_one(work_list& w, std::uint64_t ticket, hold* held) noexcept {
        if (seed_ != 0) {
            if (w.reached(ticket)) return true;
            if (work_list* const chosen = highest(); chosen != nullptr) {
                run_next_of(*chosen);
                return true;
            }
        }
        work_list* const chosen = demanded(w, ticket, held);
        if (chosen != nullptr) run_next_of(*chosen);
        return chosen != nullptr || w.reached(ticket);
    }

    static void run_next_of(work_list& w) noexcept {
        runs_work = true;
        w.run_next();
        runs_work = false;
    }

    /// The list that must run next for `w` to reach the ticket; null where that is reached, or
    /// where something holds it.
    work_list* demanded(work_list& w, std::uint64_t ticket, hold* held) noexcept {
        work_mark at{&w, ticket};
        // Waits are for what was queued before them, so that only a broken program goes round.
        const std::uint64_t most = ordinals_.load_relaxed() + 1;
        for (std::uint64_t steps = 0; steps < most; ++steps) {
            if (!is_run_here(*at.of)) break;
            if (pass_reached_waits(*at.of) && at.of->reached(at.ticket)) {
                if (at.of == &w) return nullptr;
                at = {&w, ticket};
                steps = 0;
                continue;
            }
            if (!is_pending(*at.of)) break;
            const work_mark* const awaited = work_list::waits_for(at.of->front());
            if (awaited == nullptr) return at.of;
            at = *awaited;
        }
        *held = {at.of, at.ticket, !is_run_here(*at.of) && ends_elsewhere(*at.of)};
        return nullptr;
    }

    /// The list of the highest priority whose next piece of work can run; null where there is none.
    work_list* highest() noexcept {
        // A wait that is passed may be what another list waits for.
        for (bool passed = true; passed;) {
            passed = false;
            for (work_list* w = first_.load_acquire(); w != nullptr; w = w->next_enlisted_) {
                if (pass_reached_waits(*w)) passed = true;
            }
        }
        work_list* best = nullptr;
        for (work_list* w = first_.load_acquire(); w != nullptr; w = w->next_enlisted_) {
            if (!is_pending(*w) || work_list::waits_for(w->front()) != nullptr) continue;
            if (best == nullptr || priority(*w) > priority(*best)) best = w;
        }
        if (best != nullptr) redraw_sometimes();
        return best;
    }

    static bool is_run_here(const work_list& w) noexcept {
        return w.scheduler_ == scheduler_kind::deferred && !w.is_gate_;
    }
    static bool ends_elsewhere(const work_list& w) noexcept {
        return !w.is_gate_ || w.opened_elsewhere_;
    }
    static bool is_pending(const work_list& w) noexcept {
        return w.submitted_.value_acquire() > w.completed_.value_relaxed();
    }

    static bool pass_reached_waits(work_list& w) noexcept {
        bool passed = false;
        while (is_pending(w)) {
            const work_mark* const awaited = work_list::waits_for(w.front());
            if (awaited == nullptr || !awaited->of->reached(awaited->ticket)) break;
            w.run_next();
            passed = true;
        }
        return passed;
    }

    static std::uint64_t mix(std::uint64_t x) noexcept {
        x += 0x9E3779B97F4A7C15U;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
        return x ^ (x >> 31);
    }

    /// What seeds 2k+1 and 2k+2 have in common.
    std::uint64_t pair_of_seeds() const noexcept { return (seed_ - 1) / 2; }

    std::uint64_t priority(const work_list& w) const noexcept {
        const std::uint64_t drawn = mix(mix(mix(pair_of_seeds()) + epoch_) + w.ordinal_);
        return seed_ % 2 == 1 ? drawn : ~drawn;
    }

    void redraw_sometimes() noexcept {
        if (seed_ % 8 < 5) return;
        if (until_redrawn_ == 0) until_redrawn_ = 1 + mix(pair_of_seeds() + ~epoch_) % 8;
        if (--until_redrawn_ == 0) ++epoch_;
    }

    /// "cpu:0 stream 7 waits for cpu:0 stream 5, which is held by a closed gate". Of a long chain
    /// the middle is left out.
    status tell_deadlock(work_list& w, std::uint64_t ticket) noexcept {
        constexpr std::uint64_t most_named = 5;
        const std::uint64_t length = length_of_chain(w, ticket);
        const bool shortened = length > most_named;
        last_deadlock = {};
        work_mark at{&w, ticket};
        for (std::uint64_t place = 0;; ++place) {
            if (shortened && place == 2) last_deadlock.add(", and so on, down to ");
            if (!shortened || place < 2 || place + 2 >= length) {
                if (place == 1) last_deadlock.add(" waits for ");
                if (place > 1 && !(shortened && place + 2 == length)) {
                    last_deadlock.add(", which waits for ");
                }
                add_name(*at.of);
            }
            if (place + 1 == length) break;
            at = *work_list::waits_for(at.of->front());
        }
        const work_mark* const last =
            is_pending(*at.of) ? work_list::waits_for(at.of->front()) : nullptr;
        const bool gate = last != nullptr && last->of->is_gate_;
        last_deadlock.add(length > 1 ? ", which is held by %s" : " is held by %s",
                          gate              ? "a closed gate"
                          : last == nullptr ? "nothing: no such work was queued"
                                            : "a circle of waits");
        return {error_code::deadlock, EDEADLK};
    }

    static void add_name(const work_list& w) noexcept {
        const stream_name name = w.name();
        if (name.kind[0] == '\0') {
            last_deadlock.add("queue %llu", static_cast<unsigned long long>(w.ordinal_));
        } else {
            last_deadlock.add("%s:%d stream %llu", name.kind, name.device,
                              static_cast<unsigned long long>(name.id));
        }
    }

    /// Lists that wait for each other, from that one to the last that is no gate.
    std::uint64_t length_of_chain(work_list& w, std::uint64_t ticket) noexcept {
        work_mark at{&w, ticket};
        std::uint64_t length = 1;
        for (const std::uint64_t most = ordinals_.load_relaxed(); length < most; ++length) {
            if (!is_pending(*at.of)) break;
            const work_mark* const awaited = work_list::waits_for(at.of->front());
            if (awaited == nullptr || !is_run_here(*awaited->of)) break;
            at = *awaited;
        }
        return length;
    }

    static inline thread_local bool runs_work = false;

    mutex running_;  // held by whoever runs a piece of work; all that follows but the list of lists
    std::uint64_t seed_ = 0;
    std::uint64_t epoch_ = 0;  // counts the draws of priorities
    std::uint64_t until_redrawn_ = 0;
    atomic<std::uint64_t> ordinals_{0};
    atomic<work_list*> first_{nullptr};
};

inline DEVMEM_STATE deferred_scheduler deferred{};

/// Queries of the calling thread, in a row, that found work not done.
inline DEVMEM_STATE thread_local unsigned failed_queries = 0;
/// So many of them make one piece of deferred work run: a loop that queries comes to an end.
inline constexpr unsigned queries_a_task = 64;

}  // namespace devmem::inline v0::detail

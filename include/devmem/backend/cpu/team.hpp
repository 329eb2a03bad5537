/// \file
/// `team`: the threads of a process that help with parallel ranges, on every queue's behalf.
#pragma once

#include <devmem/backend/cpu/queue.hpp>
#include <devmem/backend/cpu/sync.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>

namespace devmem::inline v0::detail {

#if defined(__SANITIZE_THREAD__)
#define DEVMEM_TEAM_HELPS false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DEVMEM_TEAM_HELPS false
#endif
#endif
#if !defined(DEVMEM_TEAM_HELPS)
#define DEVMEM_TEAM_HELPS true
#endif

/// Helper threads shared by all queues. Under a race detector they stay out: each would order
/// queues that the program has not ordered, and hide what it forgot.
inline constexpr bool team_helps = DEVMEM_TEAM_HELPS;
#undef DEVMEM_TEAM_HELPS

class team {
  public:
    /// `threads` counts the caller of `run`: one means no helpers.
    explicit team(int threads, bool helps = team_helps) noexcept {
        if (!helps) return;
        for (int i = 1; i < threads; ++i) {
            if (queue::start_thread(&team::help, this) == 0) ++helpers_;
        }
    }
    team(const team&) = delete;
    team& operator=(const team&) = delete;

    int threads() const noexcept { return helpers_ + 1; }

    /// Calls `body(begin, end)` for pieces that cover [0, count), each a multiple of `grain` long
    /// but the last; returns when all are done. Rethrows the first exception.
    ///
    /// Which thread takes which piece is left to chance, so `body` must give the same result
    /// however the range is cut at multiples of `grain`. Each thread gets a few `pieces`, so that
    /// one that is held up does not hold up all.
    template <class Body>
    void run(std::size_t count, std::size_t grain, const Body& body, std::size_t pieces = 4) {
        if (count <= grain || helpers_ == 0 || !busy_.try_lock()) {
            if (count > 0) body(std::size_t{0}, count);
            return;
        }
        job work;
        work.call = [](const void* b, std::size_t begin, std::size_t end) {
            (*static_cast<const Body*>(b))(begin, end);
        };
        work.body = &body;
        work.count = count;
        work.piece = piece_size(count, grain, pieces);
        publish(work);
        busy_.unlock();
        if (work.error != nullptr) std::rethrow_exception(work.error);
    }

  private:
    struct job {
        void (*call)(const void* body, std::size_t begin, std::size_t end) = nullptr;
        const void* body = nullptr;
        std::size_t count = 0;
        std::size_t piece = 0;
        atomic<std::size_t> next{0};
        mutex failing;
        std::exception_ptr error;

        void take_pieces() noexcept {
            for (;;) {
                const std::size_t begin = next.fetch_add_relaxed(piece);
                if (begin >= count) return;
                try {
                    call(body, begin, count - begin < piece ? count : begin + piece);
                } catch (...) {
                    const lock_guard lock(failing);
                    if (error == nullptr) error = std::current_exception();
                }
            }
        }
    };

    std::size_t piece_size(std::size_t count, std::size_t grain,
                           std::size_t a_thread) const noexcept {
        const std::size_t pieces = static_cast<std::size_t>(threads()) * a_thread;
        const std::size_t grains = (count - 1) / grain + 1;
        return ((grains - 1) / pieces + 1) * grain;
    }

    void publish(job& work) noexcept {
        {
            const lock_guard lock(joining_);
            current_ = &work;
        }
        published_.add(1);
        work.take_pieces();
        std::uint64_t joined = 0;
        {
            // After this no helper can join; before it one may, even after the last piece.
            const lock_guard lock(joining_);
            current_ = nullptr;
            joined = joined_;
        }
        left_.wait_for(joined);
    }

    static void* help(void* self) {
        static_cast<team*>(self)->help();
        return nullptr;
    }

    [[noreturn]] void help() noexcept {
        in_queue_work = true;
        for (std::uint64_t seen = 0;;) {
            published_.wait_for(seen + 1);
            seen = published_.value_acquire();
            job* work = nullptr;
            {
                const lock_guard lock(joining_);
                work = current_;
                if (work != nullptr) ++joined_;
            }
            if (work == nullptr) continue;
            work->take_pieces();
            left_.add(1);
        }
    }

    int helpers_ = 0;
    mutex busy_;
    mutex joining_;
    job* current_ = nullptr;
    std::uint64_t joined_ = 0;  // helpers that have taken part in a job, under `joining_`
    wait_counter published_;
    // Of those that have taken part, how many are done. Not the job's: a helper that counts itself
    // out still touches the counter when the caller may have gone on.
    wait_counter left_;
};

}  // namespace devmem::inline v0::detail

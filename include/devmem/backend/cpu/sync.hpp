/// \file
/// The few atomics and locks the core needs, without `<atomic>`, `<mutex>` and `<thread>`, which
/// cost every includer more than the rest of the core together.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdint>

namespace devmem::inline v0::detail {

/// An atomic object whose accesses name their order.
template <class T>
class atomic {
  public:
    constexpr atomic() noexcept = default;
    constexpr explicit atomic(T value) noexcept : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;

    T load_relaxed() const noexcept { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
    T load_acquire() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
    void store_relaxed(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELAXED); }
    void store_release(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
    T exchange(T value) noexcept { return __atomic_exchange_n(&value_, value, __ATOMIC_ACQ_REL); }
    T fetch_add_relaxed(T by) noexcept { return __atomic_fetch_add(&value_, by, __ATOMIC_RELAXED); }
    T fetch_add_release(T by) noexcept { return __atomic_fetch_add(&value_, by, __ATOMIC_RELEASE); }
    T fetch_sub_relaxed(T by) noexcept { return __atomic_fetch_sub(&value_, by, __ATOMIC_RELAXED); }
    T fetch_or_relaxed(T bits) noexcept {
        return __atomic_fetch_or(&value_, bits, __ATOMIC_RELAXED);
    }
    T fetch_and_relaxed(T bits) noexcept {
        return __atomic_fetch_and(&value_, bits, __ATOMIC_RELAXED);
    }
    /// Acquires on success only; on failure `expected` becomes the value found.
    bool compare_exchange(T& expected, T desired) noexcept {
        return __atomic_compare_exchange_n(&value_, &expected, desired, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED);
    }
    bool compare_exchange_relaxed(T& expected, T desired) noexcept {
        return __atomic_compare_exchange_n(&value_, &expected, desired, false, __ATOMIC_RELAXED,
                                           __ATOMIC_RELAXED);
    }

    /// The 32 bits that a futex call looks at: the lower half of a 64-bit value.
    std::uint32_t* futex_word() noexcept {
        static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
        return reinterpret_cast<std::uint32_t*>(&value_);
    }

  private:
    T value_{};
};

/// Sleeps while `*word` is `expected`; may also wake for no reason.
inline void futex_wait(std::uint32_t* word, std::uint32_t expected) noexcept {
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

inline void futex_wake(std::uint32_t* word, int sleepers) noexcept {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// A lock of four bytes. States: 0 free, 1 held, 2 held and someone may be asleep.
class mutex {
  public:
    void lock() noexcept {
        std::uint32_t found = 0;
        if (state_.compare_exchange(found, 1)) return;
        while (state_.exchange(2) != 0) futex_wait(state_.futex_word(), 2);
    }
    bool try_lock() noexcept {
        std::uint32_t found = 0;
        return state_.compare_exchange(found, 1);
    }
    void unlock() noexcept {
        if (state_.exchange(0) == 2) futex_wake(state_.futex_word(), 1);
    }

  private:
    atomic<std::uint32_t> state_{0};
};

class [[nodiscard]] lock_guard {
  public:
    explicit lock_guard(mutex& m) noexcept : mutex_(m) { mutex_.lock(); }
    ~lock_guard() { mutex_.unlock(); }
    lock_guard(const lock_guard&) = delete;
    lock_guard& operator=(const lock_guard&) = delete;

  private:
    mutex& mutex_;
};

/// A count that only grows, and that threads can wait for.
///
/// Adding never acquires: a host thread that queues work must not pick up, by accident, an order
/// after the worker that has finished other work, or a race detector would miss a wait that the
/// program forgot. The lowest bit says that somebody sleeps, the rest is the count.
///
/// It must outlive every call of `add`, not only the waits: who adds may touch it once more after
/// those who waited have gone on.
class alignas(64) wait_counter {
  public:
    std::uint64_t value_relaxed() const noexcept { return word_.load_relaxed() >> 1; }
    std::uint64_t value_acquire() const noexcept { return word_.load_acquire() >> 1; }

    void add(std::uint64_t n) noexcept {
        if ((word_.fetch_add_release(n << 1) & 1) != 0) {
            word_.fetch_and_relaxed(~std::uint64_t{1});
            futex_wake(word_.futex_word(), INT_MAX);
        }
    }

    /// Returns once the count is at least `target`; acquires what was released with it. Looks a few
    /// times, with so many pauses in between, before it sleeps: each look takes the count's cache
    /// line away from who is adding.
    void wait_for(std::uint64_t target, int pauses = 8) noexcept {
        for (int look = 0; look < looks; ++look) {
            if (value_acquire() >= target) return;
            for (int pause = 0; pause < pauses; ++pause) cpu_relax();
        }
        for (;;) {
            std::uint64_t word = word_.load_acquire();
            if ((word >> 1) >= target) return;
            if ((word & 1) == 0 && !word_.compare_exchange_relaxed(word, word | 1)) continue;
            futex_wait(word_.futex_word(), static_cast<std::uint32_t>(word | 1));
        }
    }

  private:
    static constexpr int looks = 8;
    atomic<std::uint64_t> word_{0};
};

}  // namespace devmem::inline v0::detail

/// \file
/// Vector clocks: what streams, events and the host are known to come after, where order is
/// checked.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/detail/order_mode.hpp>
#include <devmem/messages.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace devmem::inline v0::detail {

/// For each stream state, by its number, the tick up to which its accesses are known to come
/// before. All clocks are read and written under one lock.
class vector_clock {
  public:
    vector_clock() noexcept = default;
    ~vector_clock() { std::free(ticks_); }
    vector_clock(vector_clock&& other) noexcept { swap(other); }
    vector_clock& operator=(vector_clock&& other) noexcept {
        swap(other);
        return *this;
    }
    void swap(vector_clock& other) noexcept {
        std::swap(ticks_, other.ticks_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }

    std::uint64_t at(std::uint32_t number) const noexcept {
        return number < size_ ? ticks_[number] : 0;
    }
    void raise(std::uint32_t number, std::uint64_t tick) noexcept {
        if (number >= size_ && !grow(number + 1)) return;
        if (ticks_[number] < tick) ticks_[number] = tick;
    }
    void join(const vector_clock& other) noexcept {
        if (other.size_ > size_ && !grow(other.size_)) return;
        for (std::uint32_t i = 0; i < other.size_; ++i) {
            if (ticks_[i] < other.ticks_[i]) ticks_[i] = other.ticks_[i];
        }
    }
    void clear() noexcept { size_ = 0; }

  private:
    bool grow(std::uint32_t size) noexcept {
        if (size > capacity_) {
            const std::uint32_t capacity = size > 2 * capacity_ ? size : 2 * capacity_;
            void* const more = std::realloc(ticks_, capacity * sizeof *ticks_);
            if (more == nullptr) {
                // A clock that lacks something would accuse a program that is right.
                put_in_force(order_check::off);
                note("out of memory: order is not checked any more");
                return false;
            }
            ticks_ = static_cast<std::uint64_t*>(more);
            capacity_ = capacity;
        }
        for (; size_ < size; ++size_) ticks_[size_] = 0;
        return true;
    }

    std::uint64_t* ticks_ = nullptr;
    std::uint32_t size_ = 0;
    std::uint32_t capacity_ = 0;
};

/// The host is one: what one of its threads has waited for, all are taken to come after, since
/// devmem does not see how a program orders its threads. So a right program is never accused.
struct DEVMEM_STATE host_clock {
    mutex lock;  // of all clocks
    vector_clock known;
};

inline DEVMEM_STATE host_clock host{};

/// Work queued on a stream comes after all that the host knows. @pre `host.lock` is held
inline void queue_after_host(vector_clock& stream) noexcept { stream.join(host.known); }

}  // namespace devmem::inline v0::detail

/// \file
/// `memory_pool`: the memory of one device and space, kept for the next owner and counted.
#pragma once

#include <devmem/memory/block.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

/// Sizes of cached blocks: eight steps to each power of two, so that at most an eighth is unused.
inline constexpr std::size_t smallest_class = 512;
inline constexpr int steps_of_class = 8;
inline constexpr int size_classes = 56 * steps_of_class;

/// The step for a size of at least `smallest_class` bytes.
struct size_class {
    int index;
    std::size_t bytes;  // 0: wider than the address space
};

inline size_class class_of(std::size_t bytes) noexcept {
    if (bytes < smallest_class) bytes = smallest_class;
    const int power = 63 - __builtin_clzll(bytes);
    const std::size_t step = (std::size_t{1} << power) / steps_of_class;
    const std::size_t steps = (bytes + step - 1) / step;  // 8 to 16
    const std::size_t rounded = steps * step;
    const int index = (power - 9) * steps_of_class + static_cast<int>(steps) - steps_of_class;
    return {index, rounded < bytes ? 0 : rounded};
}

/// Cached blocks and exact figures of one device and space.
class memory_pool {
  public:
    /// A cached block of that class, or null.
    block* take(size_class wanted) noexcept {
        const lock_guard lock(mutex_);
        block*& head = cached_[wanted.index];
        block* found = head;
        if (found != nullptr) {
            head = found->next;
            cached_bytes_.fetch_sub_relaxed(found->granted);
        }
        return found;
    }

    void put(block& b) noexcept {
        const lock_guard lock(mutex_);
        block*& head = cached_[class_of(b.granted).index];
        b.next = head;
        head = &b;
        cached_bytes_.fetch_add_relaxed(b.granted);
    }

    /// All cached blocks, as a list.
    block* take_all() noexcept {
        const lock_guard lock(mutex_);
        block* all = nullptr;
        for (block*& head : cached_) {
            while (head != nullptr) {
                block* b = head;
                head = b->next;
                b->next = all;
                all = b;
                cached_bytes_.fetch_sub_relaxed(b->granted);
            }
        }
        return all;
    }

    void count_owner(const block& b) noexcept {
        granted_.fetch_add_relaxed(b.granted);
        const std::size_t now = live_.fetch_add_relaxed(b.requested) + b.requested;
        std::size_t peak = peak_.load_relaxed();
        while (now > peak && !peak_.compare_exchange_relaxed(peak, now)) {
        }
    }
    void count_release(const block& b) noexcept {
        granted_.fetch_sub_relaxed(b.granted);
        live_.fetch_sub_relaxed(b.requested);
    }

    std::size_t live() const noexcept { return live_.load_relaxed(); }
    std::size_t peak() const noexcept { return peak_.load_relaxed(); }
    std::size_t cached() const noexcept { return cached_bytes_.load_relaxed(); }
    std::size_t reserved() const noexcept { return granted_.load_relaxed() + cached(); }

  private:
    mutex mutex_;
    block* cached_[size_classes]{};
    atomic<std::size_t> cached_bytes_{0};
    atomic<std::size_t> granted_{0};
    atomic<std::size_t> live_{0};
    atomic<std::size_t> peak_{0};
};

/// The pools of this process: made when first asked for, never destroyed, since containers of
/// static storage may be destroyed after anything else.
struct DEVMEM_STATE pool_registry {
    atomic<memory_pool*> of[backend_kinds][max_devices][memory_spaces];
};

inline DEVMEM_STATE pool_registry pools{};

inline memory_pool* find_pool(device d, memory_space space) noexcept {
    return pools.of[static_cast<int>(d.kind())][d.index()][static_cast<int>(space)].load_acquire();
}

inline memory_pool& pool_of(device d, memory_space space) {
    auto& slot = pools.of[static_cast<int>(d.kind())][d.index()][static_cast<int>(space)];
    if (memory_pool* const found = slot.load_acquire()) return *found;
    auto* made = new memory_pool;
    memory_pool* winner = nullptr;
    if (slot.compare_exchange(winner, made)) return *made;
    delete made;
    return *slot.load_acquire();
}

}  // namespace devmem::inline v0::detail

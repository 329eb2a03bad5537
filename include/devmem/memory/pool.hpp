/// \file
/// `memory_pool`: the memory of one device and space, kept for the next owner and counted.
#pragma once

#include <devmem/memory/block.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace devmem::inline v0::detail {

/// Sizes of cached blocks: eight steps to each power of two, so that at most an eighth is unused.
inline constexpr std::size_t smallest_class = 512;
inline constexpr int steps_of_class = 8;  // two to the third
inline constexpr int size_classes = 56 * steps_of_class;

/// The step for a size of at least `smallest_class` bytes.
struct size_class {
    int index;
    std::size_t bytes;  // 0: wider than the address space
};

inline size_class class_of(std::size_t bytes) noexcept {
    if (bytes < smallest_class) bytes = smallest_class;
    const int power = 63 - __builtin_clzll(bytes);
    const int power_of_step = power - 3;
    const std::size_t step = std::size_t{1} << power_of_step;
    const std::size_t steps = (bytes + step - 1) >> power_of_step;  // 8 to 16
    const std::size_t rounded = steps << power_of_step;
    const int index = (power - 9) * steps_of_class + static_cast<int>(steps) - steps_of_class;
    return {index, rounded < bytes ? 0 : rounded};
}

/// Streams that cached blocks are still waiting for; as many as are worth asking.
struct pending_streams {
    static constexpr int most = 16;
    stream_state* of[most];
    int count = 0;

    void add(stream_state* s) noexcept {
        for (int i = 0; i < count; ++i) {
            if (of[i] == s) return;
        }
        if (count < most) of[count++] = s;
    }
};

/// Cached blocks and exact figures of one device and space.
class memory_pool {
  public:
    /// A cached block of that class that is ready for `s` (null: for anybody), or null. Calls no
    /// backend.
    block* take(size_class wanted, const stream_state* s) noexcept {
        const lock_guard lock(mutex_);
        for (block** at = &cached_[wanted.index]; *at != nullptr; at = &(*at)->next) {
            if ((*at)->ledger.is_ready_for(s)) return unlink(at);
        }
        return nullptr;
    }

    /// The streams that cached blocks of that class wait for.
    pending_streams pending(size_class wanted) noexcept {
        pending_streams all;
        const lock_guard lock(mutex_);
        for (const block* b = cached_[wanted.index]; b != nullptr; b = b->next) {
            b->ledger.for_each_pending([&all](const stream_mark& m) { all.add(m.stream); });
        }
        return all;
    }

    /// A cached block of that class, whoever still uses it, or null.
    block* take_any(size_class wanted) noexcept {
        const lock_guard lock(mutex_);
        block** const head = &cached_[wanted.index];
        return *head != nullptr ? unlink(head) : nullptr;
    }

    /// A block of no class is kept to be given back, not for others.
    void put(block& b) noexcept {
        const lock_guard lock(mutex_);
        block*& head = b.size_class >= 0 ? cached_[b.size_class] : of_no_class_;
        b.next = head;
        head = &b;
    }

    /// All cached blocks, as a list.
    block* take_all() noexcept {
        const lock_guard lock(mutex_);
        block* all = std::exchange(of_no_class_, nullptr);
        for (block*& head : cached_) {
            while (head != nullptr) {
                block* b = unlink(&head);
                b->next = all;
                all = b;
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
    /// The owner of a block goes; the block stays.
    void count_release(const block& b) noexcept {
        granted_.fetch_sub_relaxed(b.granted);
        live_.fetch_sub_relaxed(b.requested);
        cached_bytes_.fetch_add_relaxed(b.granted);
    }
    /// A block without an owner gets one, or goes.
    void count_out(const block& b) noexcept { cached_bytes_.fetch_sub_relaxed(b.granted); }

    std::size_t live() const noexcept { return live_.load_relaxed(); }
    std::size_t peak() const noexcept { return peak_.load_relaxed(); }
    /// Bytes of blocks without an owner, also of those that are still in use.
    std::size_t cached() const noexcept { return cached_bytes_.load_relaxed(); }
    std::size_t reserved() const noexcept { return granted_.load_relaxed() + cached(); }

  private:
    static block* unlink(block** at) noexcept {
        block* const found = *at;
        *at = found->next;
        return found;
    }

    mutex mutex_;
    block* cached_[size_classes]{};
    block* of_no_class_ = nullptr;
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

/// \file
/// `block`: one piece of memory that a container owns, with all that is needed to let it go.
#pragma once

#include <devmem/backend/cpu/sync.hpp>
#include <devmem/device/tables.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

/// A piece of memory with an owner. It goes back by its own function to the instance of the
/// library that made it, whichever module destroys the owner.
///
/// It keeps which devices' streams have used it. Letting it go, and letting the host touch it,
/// wait for these devices.
struct block {
    const backend_table* table = nullptr;
    device where{};
    memory_space space = memory_space::device;
    void* data = nullptr;
    std::size_t requested = 0;  // bytes asked for
    std::size_t granted = 0;    // bytes it has
    void (*release)(block*) noexcept = nullptr;
    block* next = nullptr;  // in the pool or the reclaim list
    mutable atomic<std::uint64_t> used_on[backend_kinds];

    /// Notes that a stream of `d` is about to use it.
    void note_use(device d) const noexcept {
        used_on[static_cast<int>(d.kind())].fetch_or_relaxed(std::uint64_t{1} << d.index());
    }

    bool in_use() const noexcept {
        for (const auto& devices : used_on) {
            if (devices.load_relaxed() != 0) return true;
        }
        return false;
    }
};

static_assert(max_devices <= 64, "used_on has a bit a device");

/// By which table to wait for a kind of device: for the block's own kind by the block's, which this
/// module need not have one of.
inline const backend_table* table_for_uses(const block& b, device_kind kind) noexcept {
    if (kind == b.table->kind) return b.table;
    return kind == device_kind::cpu ? &cpu_table : linked_cuda_table();
}

/// Blocks the host until every device that used the block has passed that use. Other threads may
/// go on reading the block meanwhile, so what they note must not be lost: nothing is cleared.
inline status wait_for_uses(const block& b) noexcept {
    if (b.table->in_callback()) return {error_code::not_permitted, 0};
    status first;
    for (int kind = 0; kind < backend_kinds; ++kind) {
        const auto k = static_cast<device_kind>(kind);
        const backend_table* table = table_for_uses(b, k);
        // This module may know no other kind than the block's own. Only copies between kinds use
        // both, and they have waited.
        if (table == nullptr) continue;
        for (std::uint64_t left = b.used_on[kind].load_relaxed(); left != 0; left &= left - 1) {
            const status s = table->synchronize_device(device(k, __builtin_ctzll(left)));
            if (first.ok()) first = s;
        }
    }
    return first;
}

/// As `wait_for_uses`, by the only user of the block: afterwards there are no uses to wait for.
inline status settle_uses(block& b) noexcept {
    const status s = wait_for_uses(b);
    if (s.ok()) {
        for (auto& devices : b.used_on) devices.store_relaxed(0);
    }
    return s;
}

}  // namespace devmem::inline v0::detail

/// \file
/// What a container does with memory that needs no element type: obtain, fill, wait.
#pragma once

#include <devmem/memory/obtain.hpp>
#include <devmem/placement.hpp>
#include <devmem/policy.hpp>
#include <devmem/stream/resolve.hpp>

#include <cstddef>
#include <cstdint>

namespace devmem::inline v0::detail {

/// The kind a backend option is fixed to; null: any.
template <class Backend>
inline constexpr const device_kind* fixed_kind = nullptr;
inline constexpr device_kind kind_of_cpu = device_kind::cpu;
inline constexpr device_kind kind_of_cuda = device_kind::cuda;
template <>
inline constexpr const device_kind* fixed_kind<cpu_backend> = &kind_of_cpu;
template <>
inline constexpr const device_kind* fixed_kind<cuda_backend> = &kind_of_cuda;

template <class Allocation>
struct user_release {
    device where;
    memory_space space;
    void operator()(void* data, std::size_t bytes) const noexcept {
        Allocation::deallocate(where, space, data, bytes);
    }
};

template <class Allocation>
block& obtain_from_user(const backend_table& table, device d, memory_space space, std::size_t bytes,
                        stream_state& on) {
    reclaim();
    void* data = Allocation::allocate(d, space, bytes);
    const user_release<Allocation> release{d, space};
    try {
        return make_foreign(table, d, space, data, bytes, on, release);
    } catch (...) {
        release(data, bytes);
        throw;
    }
}

/// A block as the policy asks for it, first used on `on`. @pre bytes > 0
template <class Policy>
block& obtain(stream_state& on, std::size_t bytes, const call_site& operation) {
    using allocation = typename Policy::allocation_type;
    constexpr memory_space space = Policy::space_type::space;
    const backend_table& table = *on.table;
    if constexpr (std::is_same_v<allocation, pooled>) {
        return obtain_pooled(table, on.where, space, bytes, on, operation);
    } else if constexpr (std::is_same_v<allocation, direct>) {
        return obtain_direct(table, on.where, space, bytes, on, operation);
    } else if constexpr (std::is_same_v<allocation, stream_ordered>) {
        return obtain_stream_ordered(table, on.where, space, bytes, on, operation);
    } else {
        return obtain_from_user<allocation>(table, on.where, space, bytes, on);
    }
}

/// The pinned buffer for what a container holds.
template <class T, class Policy>
using pinned_of = basic_vector<T, policy<typename Policy::backend_type, pinned_space, pooled>>;

/// What is known of the devices' managed memory.
struct DEVMEM_STATE managed_facts {
    enum answer : std::uint8_t { unasked, beside, alone };
    atomic<std::uint8_t> of[backend_kinds][max_devices];
};

inline DEVMEM_STATE managed_facts managed{};

/// Whether the host may touch managed memory while the device works.
inline bool host_may_touch_beside(const backend_table& table, device d) noexcept {
    auto& kept = managed.of[static_cast<int>(d.kind())][d.index()];
    if (kept.load_relaxed() == managed_facts::unasked) {
        device_facts facts;
        if (!table.facts(d, &facts).ok()) return false;
        kept.store_relaxed(facts.concurrent_managed_access ? managed_facts::beside
                                                           : managed_facts::alone);
    }
    return kept.load_relaxed() == managed_facts::beside;
}

/// Before the host reads or writes memory: blocks it until work that conflicts is over. Where the
/// host must not touch managed memory while the device works, until all of the device's is.
inline void wait_for_host_access(const block& b, access_mode mode, const call_site& operation) {
    refuse_forked_child(operation);
    join_slices(b);
    b.ledger.wait_on_host(mode, operation);
    if (b.space == memory_space::managed && !host_may_touch_beside(*b.table, b.where)) {
        check(b.table->synchronize_device(b.where), operation, *b.table, b.where);
    }
}

}  // namespace devmem::inline v0::detail

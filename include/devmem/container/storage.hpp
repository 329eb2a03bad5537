/// \file
/// What a container does with memory that needs no element type: obtain, fill, wait.
#pragma once

#include <devmem/memory/obtain.hpp>
#include <devmem/placement.hpp>
#include <devmem/policy.hpp>
#include <devmem/stream/resolve.hpp>

#include <cstddef>

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
block& obtain_from_user(const backend_table& table, device d, memory_space space,
                        std::size_t bytes) {
    void* data = Allocation::allocate(d, space, bytes);
    const user_release<Allocation> release{d, space};
    try {
        return make_foreign(table, d, space, data, bytes, release);
    } catch (...) {
        release(data, bytes);
        throw;
    }
}

/// A block as the policy asks for it, first used on `on`. @pre bytes > 0
template <class Policy>
block& obtain(stream_state& on, std::size_t bytes, const char* operation) {
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
        return obtain_from_user<allocation>(table, on.where, space, bytes);
    }
}

/// Before the host reads memory, perhaps beside other readers: waits for the devices that have
/// used it.
inline void wait_for_host_access(const block* b, const char* operation) {
    if (b == nullptr || !b->in_use()) return;
    check(wait_for_uses(*b), operation, *b->table, b->where);
}

/// Before the host writes memory, which nobody else uses meanwhile.
inline void wait_for_host_access(block* b, const char* operation) {
    if (b == nullptr || !b->in_use()) return;
    check(settle_uses(*b), operation, *b->table, b->where);
}

}  // namespace devmem::inline v0::detail

/// \file
/// `adopt`: takes over device memory that somebody else has obtained.
#pragma once

#include <devmem/device_vector.hpp>
#include <devmem/placement.hpp>

#include <concepts>
#include <cstddef>
#include <utility>

namespace devmem::inline v0 {

namespace detail {

template <class T, class Deleter>
struct adopted_release {
    Deleter deleter;
    void operator()(void* data, std::size_t) noexcept { deleter(static_cast<T*>(data)); }
};

}  // namespace detail

/// A vector that owns `data`, `n` elements of device memory obtained elsewhere. `where` is their
/// device or, better, the stream that used them last. `deleter(data)` is called once every use has
/// passed; it must not throw. When this throws, the deleter has not been called and `data` is
/// still the caller's. No elements: the deleter is called with `data` at once.
/// @throws invalid_argument for null with a size, length_error, no_such_device, std::bad_alloc
template <device_element T, std::invocable<T*> Deleter>
device_vector<T> adopt(T* data, std::size_t n, placement where, Deleter deleter) {
    const std::size_t bytes = detail::checked_bytes(n, sizeof(T), {"adopt", where.at()});
    const detail::resolved_placement at =
        detail::resolve_placement(where, nullptr, {"adopt", where.at()});
    if (n == 0) {
        device_vector<T> empty(0, uninitialized, where);
        deleter(data);
        return empty;
    }
    if (data == nullptr) {
        detail::throw_failure({.code = error_code::invalid_argument,
                               .operation = {"adopt", where.at()},
                               .where = at.where,
                               .bytes = bytes},
                              "the address is null; give the memory that is to be taken over");
    }
    detail::refuse_forked_child({"adopt", where.at()});
    detail::block& b = detail::make_foreign(
        *at.table, at.where, memory_space::device, static_cast<void*>(data), bytes, *at.on,
        detail::adopted_release<T, Deleter>{std::move(deleter)});
    b.ledger.use_now(*at.on);  // by its owner before
    return device_vector<T>(b, n);
}

}  // namespace devmem::inline v0

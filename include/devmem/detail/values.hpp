/// \file
/// `values`: some values, to be given to a function together. Unlike a `std::tuple`, for device
/// code too.
#pragma once

#include <devmem/config.hpp>

namespace devmem::inline v0::detail {

template <class... V>
struct values;

template <>
struct values<> {
    template <class F, class... Before>
    DEVMEM_HD constexpr decltype(auto) apply(const F& f, const Before&... before) const {
        return f(before...);
    }
};

template <class First, class... Rest>
struct values<First, Rest...> {
    First first;
    values<Rest...> rest;

    /// `f(all of them…)`
    template <class F, class... Before>
    DEVMEM_HD constexpr decltype(auto) apply(const F& f, const Before&... before) const {
        return rest.apply(f, before..., first);
    }
};

constexpr values<> make_values() noexcept { return {}; }
template <class First, class... Rest>
constexpr values<First, Rest...> make_values(const First& first, const Rest&... rest) {
    return {first, make_values(rest...)};
}

}  // namespace devmem::inline v0::detail

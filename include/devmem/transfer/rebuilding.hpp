/// \file
/// Making an object of a class, or a tuple, from its parts.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace devmem::inline v0::detail {

template <class C, class... Parts>
concept made_by_braces = requires(Parts&&... parts) {
    C{static_cast<Parts&&>(parts)...};
};

/// An object of a class, from its members.
template <class C, class... Parts>
C rebuild(Parts&&... parts) {
    constexpr bool by_braces = made_by_braces<C, Parts...>;
    constexpr bool by_parentheses = std::is_constructible_v<C, Parts...>;
    static_assert(by_braces || by_parentheses,
                  "devmem: the class cannot be made again as C{m...} or C(m...) of what its "
                  "members(c) ties; it must name every member, in the order of initialisation");
    if constexpr (by_braces && (std::is_aggregate_v<C> || !by_parentheses)) {
        return C{static_cast<Parts&&>(parts)...};
    } else {
        return C(static_cast<Parts&&>(parts)...);
    }
}

/// As `rebuild`, of parts that braces, and only braces, evaluate in order.
template <class C>
struct rebuilt {
    C object;

    template <class... Parts>
    // NOLINTNEXTLINE(google-explicit-constructor, bugprone-forwarding-reference-overload)
    rebuilt(Parts&&... parts) : object(rebuild<C>(static_cast<Parts&&>(parts)...)) {}
};

/// A class from its members as `f` gives them.
template <class C, class Tied, class F, std::size_t... I>
C rebuild_by(const Tied& tied, const F& f, std::index_sequence<I...>) {
    return std::move(rebuilt<C>{f(get<I>(tied))...}.object);
}
template <class C, class Tied, class F>
C rebuild_by(const Tied& tied, const F& f) {
    return rebuild_by<C>(tied, f, std::make_index_sequence<std::tuple_size_v<Tied>>{});
}

template <class T, class F, std::size_t... I>
T remade_tuple(const T& parts, const F& f, std::index_sequence<I...>) {
    return T{f(get<I>(parts))...};
}

}  // namespace devmem::inline v0::detail

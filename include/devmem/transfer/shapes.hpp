/// \file
/// `shape`: what kind of thing an object's type is to `to` and `bytes_of`.
///
/// The standard's containers and pointers are known by their shape, so that nobody who includes
/// this pays for the headers of those that are not used.
#pragma once

#include <devmem/container/range.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace devmem::inline v0::detail {

/// How the parts of an object are reached.
enum class shape {
    leaf,       // not at all: it is passed through as it is
    container,  // devmem's own
    members,    // a class that opted in
    tuple,      // array, pair, tuple
    sequence,   // vector, deque, list
    map,
    optional,
    variant,
    unique,
    shared,
    weak,
    array,         // built in
    array_pointer  // unique_ptr<T[]>
};

template <class... Ts>
struct type_list {};

/// Converts to `const T&` and to no reference to a base of it, so that `members` of a base class is
/// not taken for the class's own.
template <class T>
struct exactly {
    template <std::same_as<T> U>
    operator const U&() const noexcept;  // NOLINT(google-explicit-constructor)
};

template <class T>
concept finds_members = requires(const T& object) {
    members(object);
};
template <class T>
concept has_members = std::is_class_v<T> && finds_members<T> && requires(exactly<T> object) {
    members(object);
};

template <class T>
concept tuple_like = requires {
    std::tuple_size<T>::value;
};

// Each is specialised for templates of the standard's shape; `part` is what it holds.

template <class T>
struct sequence_of;
template <template <class...> class S, class T, class... Rest>
requires requires(S<T, Rest...>& s, T&& value) {
    requires std::same_as<typename S<T, Rest...>::value_type, T>;
    s.get_allocator();
    s.push_back(static_cast<T&&>(value));
    s.size();
}
struct sequence_of<S<T, Rest...>> {
    using part = T;
};

template <class T>
struct map_of;
template <template <class...> class M, class K, class V, class... Rest>
requires requires(M<K, V, Rest...>& m) {
    requires std::same_as<typename M<K, V, Rest...>::key_type, K>;
    requires std::same_as<typename M<K, V, Rest...>::mapped_type, V>;
    m.get_allocator();
    m.size();
}
struct map_of<M<K, V, Rest...>> {
    using key = K;
    using part = V;
};

template <class T>
struct optional_of;
template <template <class> class O, class T>
requires requires(O<T>& o) {
    requires std::same_as<typename O<T>::value_type, T>;
    { o.has_value() } -> std::same_as<bool>;
    o.reset();
    *o;
}
struct optional_of<O<T>> {
    using part = T;
};

template <class T>
struct variant_of;
template <template <class...> class V, class... Ts>
requires requires(const V<Ts...>& v) {
    { v.valueless_by_exception() } -> std::same_as<bool>;
    v.index();
}
struct variant_of<V<Ts...>> {
    using parts = type_list<std::remove_cv_t<Ts>...>;
    static constexpr std::size_t size = sizeof...(Ts);
};

/// `std::default_delete<T>` by its shape: `new` makes what it deletes.
template <class D, class T>
inline constexpr bool is_default_deleter = false;
template <template <class> class D, class T>
inline constexpr bool is_default_deleter<D<T>, T> = true;

template <class T>
struct unique_of;
template <template <class...> class P, class T, class D>
requires requires(P<T, D>& p) {
    requires std::same_as<typename P<T, D>::element_type, T>;
    requires std::same_as<typename P<T, D>::deleter_type, D>;
    p.release();
    *p;
}
struct unique_of<P<T, D>> {
    using part = T;
    static constexpr bool can_be_made = is_default_deleter<D, T>;
};

template <class P>
concept counts_owners = requires(const P& p) {
    typename P::element_type;
    p.use_count();
    p.owner_before(p);
};

template <class T>
struct shared_of;
template <template <class> class P, class T>
requires counts_owners<P<T>> && requires(const P<T>& p) {
    requires std::same_as<typename P<T>::element_type, T>;
    *p;
}
struct shared_of<P<T>> {
    using part = T;
    using of_mutable = P<std::remove_const_t<T>>;
};

template <class P>
concept weak_pointer = counts_owners<P> && requires(const P& p) {
    p.lock();
    p.expired();
};

/// What a pointer to an array points to: how many there are, it does not tell.
template <class T>
struct array_pointer_of;
template <template <class...> class P, class T, class... Rest>
requires requires(const P<T[], Rest...>& p) {
    requires std::same_as<typename P<T[], Rest...>::element_type, T>;
    p.get();
}
struct array_pointer_of<P<T[], Rest...>> {
    using part = T;
};

template <template <class> class Family, class T>
concept is_of = requires {
    sizeof(Family<T>);
};

template <class T>
constexpr shape find_shape() noexcept {
    if constexpr (device_container<T>) {
        return shape::container;
    } else if constexpr (std::is_array_v<T>) {
        return shape::array;
        // NOLINTNEXTLINE(bugprone-branch-clone): spares what is no class all other questions
    } else if constexpr (!std::is_class_v<T>) {
        return shape::leaf;
    } else if constexpr (has_members<T>) {
        return shape::members;
    } else if constexpr (weak_pointer<T>) {
        return shape::weak;
    } else if constexpr (is_of<array_pointer_of, T>) {
        return shape::array_pointer;
    } else if constexpr (is_of<shared_of, T>) {
        return shape::shared;
    } else if constexpr (is_of<unique_of, T>) {
        return shape::unique;
    } else if constexpr (is_of<variant_of, T>) {
        return shape::variant;
    } else if constexpr (is_of<optional_of, T>) {
        return shape::optional;
    } else if constexpr (is_of<map_of, T>) {
        return shape::map;
    } else if constexpr (is_of<sequence_of, T>) {
        return shape::sequence;
    } else if constexpr (tuple_like<T>) {
        return shape::tuple;
    } else {
        return shape::leaf;
    }
}

template <class T>
inline constexpr shape shape_of = find_shape<T>();

}  // namespace devmem::inline v0::detail

/// \file
/// What an object is made of, as `to` and `bytes_of` look through it.
#pragma once

#include <devmem/transfer/shapes.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace devmem::inline v0::detail {

// The types of the parts of a type.

template <class Tuple, std::size_t... I>
auto elements_of_tuple(std::index_sequence<I...>)
    -> type_list<std::remove_cvref_t<std::tuple_element_t<I, Tuple>>...>;

template <class T>
constexpr auto types_of_parts() noexcept {
    if constexpr (shape_of<T> == shape::members) {
        using tied = decltype(members(std::declval<const T&>()));
        return decltype(elements_of_tuple<tied>(
            std::make_index_sequence<std::tuple_size_v<tied>>{})){};
    } else if constexpr (shape_of<T> == shape::tuple) {
        return decltype(elements_of_tuple<T>(std::make_index_sequence<std::tuple_size_v<T>>{})){};
    } else if constexpr (shape_of<T> == shape::variant) {
        return typename variant_of<T>::parts{};
    } else if constexpr (shape_of<T> == shape::sequence) {
        return type_list<typename sequence_of<T>::part>{};
    } else if constexpr (shape_of<T> == shape::map) {
        return type_list<typename map_of<T>::key, typename map_of<T>::part>{};
    } else if constexpr (shape_of<T> == shape::optional) {
        return type_list<typename optional_of<T>::part>{};
    } else if constexpr (shape_of<T> == shape::unique) {
        return type_list<std::remove_const_t<typename unique_of<T>::part>>{};
    } else if constexpr (shape_of<T> == shape::shared) {
        return type_list<std::remove_const_t<typename shared_of<T>::part>>{};
    } else if constexpr (shape_of<T> == shape::array) {
        return type_list<std::remove_cv_t<std::remove_all_extents_t<T>>>{};
    } else if constexpr (shape_of<T> == shape::array_pointer) {
        return type_list<std::remove_cv_t<typename array_pointer_of<T>::part>>{};
    } else {
        return type_list<>{};
    }
}

template <class T>
concept complete = std::is_object_v<T> && requires {
    sizeof(T);
};

/// What must be looked at, if only to be refused.
template <class T>
constexpr bool must_be_refused() noexcept {
    if constexpr (shape_of<T> == shape::weak) {
        return true;
    } else if constexpr (std::is_class_v<T>) {
        return std::is_polymorphic_v<T> || (finds_members<T> && !has_members<T>);
    } else {
        return false;
    }
}

template <class T, class... Seen>
constexpr bool finds_memory(type_list<Seen...>) noexcept;

template <class... Parts, class Seen>
constexpr bool any_finds_memory(type_list<Parts...>, Seen) noexcept {
    return (false || ... || finds_memory<Parts>(Seen{}));
}

/// Types may lead back to themselves: a list's node to the next.
template <class T, class... Seen>
constexpr bool finds_memory(type_list<Seen...>) noexcept {
    if constexpr ((!complete<T> || ... || std::same_as<T, Seen>)) {
        return false;
    } else if constexpr (shape_of<T> == shape::container || must_be_refused<T>()) {
        return true;
    } else {
        return any_finds_memory(types_of_parts<T>(), type_list<T, Seen...>{});
    }
}

/// Whether objects of the type may hold containers, as far as can be seen. What holds none is
/// passed through whole.
template <class T>
inline constexpr bool holds_memory = finds_memory<std::remove_cv_t<T>>(type_list<>{});

template <class Tuple>
inline constexpr bool ties_references = false;
template <template <class...> class Tuple, class... Ts>
inline constexpr bool ties_references<Tuple<Ts...>> = (std::is_lvalue_reference_v<Ts> && ...);

/// Refuses, in words, what `to` cannot look through.
template <class T>
constexpr void require_covered() noexcept {
    constexpr shape is = shape_of<T>;
    static_assert(is != shape::weak,
                  "devmem: to() and bytes_of() do not cover std::weak_ptr: a copy could only point "
                  "to the old object; hold a shared_ptr, or leave it out and set it afterwards");
    static_assert(is != shape::array && is != shape::array_pointer,
                  "devmem: to() and bytes_of() do not cover built-in arrays of device memory, nor "
                  "pointers to them; use std::array or std::vector");
    if constexpr (std::is_class_v<T>) {
        static_assert(!std::is_polymorphic_v<T>,
                      "devmem: to() and bytes_of() do not cover polymorphic classes: the members "
                      "of the class behind a base are not known here; hold it by its own type");
        static_assert(!finds_members<T> || has_members<T>,
                      "devmem: the class has members() from a base class only; give it one of its "
                      "own that names all members, those of the base first");
    }
    if constexpr (is == shape::members) {
        static_assert(ties_references<decltype(members(std::declval<const T&>()))>,
                      "devmem: members(c) must return std::tie of the members, not copies");
    }
    if constexpr (is == shape::map) {
        static_assert(!holds_memory<typename map_of<T>::key>,
                      "devmem: device memory in the key of a map cannot be moved");
    }
}

/// Calls `f` with the alternative that a variant holds.
template <std::size_t I = 0, class V, class F>
void with_alternative(V& part, const F& f) {
    if constexpr (I < variant_of<std::remove_const_t<V>>::size) {
        if (part.index() == I) {
            f(*get_if<I>(&part));
        } else {
            with_alternative<I + 1>(part, f);
        }
    }
}

/// Calls `f` with each element of an array, pair or tuple, in order.
template <class Tuple, class F, std::size_t... I>
void for_each_element(Tuple& parts, const F& f, std::index_sequence<I...>) {
    (f(get<I>(parts)), ...);
}
template <class Tuple, class F>
void for_each_element(Tuple& parts, const F& f) {
    constexpr std::size_t size = std::tuple_size_v<std::remove_const_t<Tuple>>;
    for_each_element(parts, f, std::make_index_sequence<size>{});
}

/// Shows a visitor every container in an object: `visitor.container(v)`. Before what a shared
/// pointer, or a pointer to a constant, points to, it is asked `visitor.enters(pointer)`.
template <class T, class Visitor>
void visit_parts(const T& part, Visitor& visitor) {
    if constexpr (holds_memory<T>) {
        require_covered<T>();
        constexpr shape is = shape_of<T>;
        const auto visit = [&](const auto& inner) { visit_parts(inner, visitor); };
        if constexpr (is == shape::container) {
            visitor.container(part);
        } else if constexpr (is == shape::members) {
            const auto tied = members(part);
            for_each_element(tied, visit);
        } else if constexpr (is == shape::tuple) {
            for_each_element(part, visit);
        } else if constexpr (is == shape::sequence) {
            for (const auto& inner : part) visit(inner);
        } else if constexpr (is == shape::map) {
            for (const auto& entry : part) visit(entry.second);
        } else if constexpr (is == shape::optional) {
            if (part.has_value()) visit(*part);
        } else if constexpr (is == shape::variant) {
            with_alternative(part, visit);
        } else if constexpr (is == shape::unique) {
            constexpr bool is_constant = std::is_const_v<typename unique_of<T>::part>;
            if (part == nullptr) return;
            if (!is_constant || visitor.enters(part)) visit(*part);
        } else if constexpr (is == shape::shared) {
            if (part != nullptr && visitor.enters(part)) visit(*part);
        }
    }
}

}  // namespace devmem::inline v0::detail

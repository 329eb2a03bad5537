/// \file
/// What copies and algorithms accept: containers, views, and contiguous host memory.
#pragma once

#include <devmem/device_view.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace devmem::inline v0 {

template <class T, class Policy>
requires device_element<T>
class basic_vector;

namespace detail {

template <class C>
inline constexpr bool is_container = false;
template <class T, class Policy>
inline constexpr bool is_container<basic_vector<T, Policy>> = true;

template <class V>
inline constexpr bool is_view = false;
template <class T>
inline constexpr bool is_view<device_view<T>> = true;

/// Specialised for `std::span` where that is included.
template <class S>
inline constexpr bool is_borrowed_span = false;

/// Address and number of elements of contiguous host memory, without `<iterator>`'s `std::data`.
template <class R>
requires requires(R& r) {
    r.data();
    r.size();
}
constexpr auto host_data(R& r) { return r.data(); }
template <class T, std::size_t N>
constexpr T* host_data(T (&array)[N]) {
    return array;
}
template <class T>
constexpr const T* host_data(const std::initializer_list<T>& list) {
    return list.begin();
}
template <class R>
constexpr std::size_t host_size(const R& r) {
    return static_cast<std::size_t>(r.size());
}
template <class T, std::size_t N>
constexpr std::size_t host_size(const T (&)[N]) {
    return N;
}

}  // namespace detail

/// Any container of devmem, whatever its options.
template <class C>
concept device_container = detail::is_container<std::remove_cvref_t<C>>;

/// Memory that devmem keeps a record of: a container, or a view of part of one.
template <class R>
concept device_range = device_container<R> || detail::is_view<std::remove_cvref_t<R>> ||
    requires(std::remove_reference_t<R>& r) {
    requires detail::is_view<decltype(r.view())>;
};

/// Contiguous host memory of elements: `std::vector`, `std::array`, `std::span`, an array.
template <class R>
concept host_range = !device_range<R> && requires(std::remove_reference_t<R> & r) {
    { detail::host_data(r) } -> std::convertible_to<const void*>;
    detail::host_size(r);
    requires device_element<std::remove_cvref_t<decltype(*detail::host_data(r))>>;
};

namespace detail {

/// The type of the elements, without const.
template <class R>
struct element_of;
template <device_range R>
struct element_of<R> {
    using stored =
        typename decltype(std::declval<std::remove_reference_t<R>&>().view())::element_type;
    using type = std::remove_cv_t<stored>;
};
template <host_range R>
struct element_of<R> {
    using stored =
        std::remove_reference_t<decltype(*host_data(std::declval<std::remove_reference_t<R>&>()))>;
    using type = std::remove_cv_t<stored>;
};
template <class R>
using element_of_t = typename element_of<R>::type;

/// A range whose elements may change: no constant container, no view of constants.
template <class R>
inline constexpr bool is_writable = !std::is_const_v<typename element_of<R>::stored>;

/// A range whose memory ends with the expression: a container given as a temporary. Views and
/// spans own nothing and may be temporaries.
template <class R>
inline constexpr bool is_temporary_owner =
    !std::is_lvalue_reference_v<R> && !is_view<std::remove_cvref_t<R>> &&
    !is_borrowed_span<std::remove_cvref_t<R>>;

/// What asynchronous work may write to: it is there when the expression has ended, and may change.
template <class R>
concept output_range = device_range<R> && is_writable<R> && !is_temporary_owner<R>;

/// A range as copies see it.
struct byte_range {
    std::byte* data = nullptr;  // not written through where the range is a source
    std::size_t count = 0;      // elements
    std::size_t bytes = 0;
    const block* of = nullptr;  // null: pageable host memory, or no elements
    device where{};
    memory_space space = memory_space::device;
    bool pageable = false;
};

template <class T>
byte_range bytes_of_view(device_view<T> v) noexcept {
    auto* data = const_cast<std::remove_const_t<T>*>(v.address());
    return {reinterpret_cast<std::byte*>(data),
            v.size(),
            v.size_bytes(),
            v.block(),
            v.device(),
            v.space(),
            false};
}

template <class R>
byte_range bytes_of_range(R& r) {
    if constexpr (device_range<R>) {
        return bytes_of_view(r.view());
    } else {
        using element = element_of_t<R>;
        auto* data = const_cast<element*>(host_data(r));
        const auto count = host_size(r);
        return {.data = reinterpret_cast<std::byte*>(data),
                .count = count,
                .bytes = count * sizeof(element),
                .pageable = true};
    }
}

}  // namespace detail

}  // namespace devmem::inline v0

/// \file
/// What algorithms ask of functors and of ranges together.
#pragma once

#include <devmem/algorithm/operand.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::detail {

/// Makes one element of two.
template <class Op, class T>
concept joins = std::invocable<const Op&, const T&, const T&> &&
    std::convertible_to<std::invoke_result_t<const Op&, const T&, const T&>, T>;

/// Says yes or no to an element.
template <class F, class T>
concept tests = std::predicate<const F&, const T&>;

/// Says yes or no to two elements.
template <class F, class T>
concept compares = std::predicate<const F&, const T&, const T&>;

/// Two ranges whose elements are of one type.
template <class A, class B>
concept of_one_type = std::same_as<element_of_t<A>, element_of_t<B>>;

/// A range of integers.
template <class R>
concept integral_range =
    device_range<R> && std::integral<element_of_t<R>> && !std::same_as<element_of_t<R>, bool>;

/// An output that may not be an input either.
template <class In, class Out>
void require_apart(operand<In> in, operand<Out> out, const call_site& operation,
                   const char* otherwise = "the output overlaps an input; copy one of them") {
    const auto* in_begin = reinterpret_cast<const std::byte*>(in.data);
    const auto* out_begin = reinterpret_cast<const std::byte*>(out.data);
    if (in.size == 0 || out.size == 0 || in_begin + in.size * sizeof(In) <= out_begin ||
        out_begin + out.size * sizeof(Out) <= in_begin) [[likely]] {
        return;
    }
    throw_failure({.code = error_code::invalid_argument, .operation = operation}, otherwise);
}

}  // namespace devmem::inline v0::detail

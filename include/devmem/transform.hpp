/// \file
/// `transform`: a function of the elements of one, two or three ranges, to a range.
#pragma once

#include <devmem/algorithm/elementwise.hpp>

#include <concepts>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {

/// What may be called with an element of each of the ranges.
template <class F, class... In>
concept elementwise_function = std::invocable < const F&,
        const element_of_t<In>
&... > ;

}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// `out[i] = f(in[i])` for each i, in no order. `out` may be `in` itself. `f` is copied at the
/// call. What it throws on the CPU is thrown by the stream's next `synchronize`.
/// @throws invalid_argument when sizes differ or the ranges overlap in part, wrong_device when
/// they or the stream are of different devices, not_permitted on a GPU (file not built by nvcc)
/// @sync none @complexity n calls
template <device_range In, detail::output_range Out, detail::elementwise_function<In> F>
void transform(const In& in, Out&& out, F f, stream_view s = {}, place at = place::here()) {
    detail::transform_ranges(f, out, s, {"transform", at}, in);
}

/// `out[i] = f(a[i], b[i])` for each i; otherwise as with one range.
template <device_range A, device_range B, detail::output_range Out,
          detail::elementwise_function<A, B> F>
void transform(const A& a, const B& b, Out&& out, F f, stream_view s = {},
               place at = place::here()) {
    detail::transform_ranges(f, out, s, {"transform", at}, a, b);
}

/// `out[i] = f(a[i], b[i], c[i])` for each i; otherwise as with one range.
template <device_range A, device_range B, device_range C, detail::output_range Out,
          detail::elementwise_function<A, B, C> F>
void transform(const A& a, const B& b, const C& c, Out&& out, F f, stream_view s = {},
               place at = place::here()) {
    detail::transform_ranges(f, out, s, {"transform", at}, a, b, c);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `transform`: a function of the elements of one range or two, to a range.
#pragma once

#include <devmem/algorithm/operand.hpp>
#include <devmem/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE {

/// `out[i] = f(in[i])` for each i, in no order. `out` may be `in` itself. `f` is copied at the
/// call. What it throws on the CPU is thrown by the stream's next `synchronize`.
/// @throws invalid_argument when sizes differ or the ranges overlap in part, wrong_device when
/// they or the stream are of different devices, not_permitted on a GPU (no kernels in this version)
/// @sync none @complexity n calls
template <device_range In, device_range Out, class F>
requires(!detail::is_temporary_owner<Out>) &&
    std::invocable<const F&, const detail::element_of_t<In>&> void transform(
        const In& in, Out&& out, F f, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("transform", at);
    using result = detail::element_of_t<Out>;
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    const auto input = detail::reading(on, in, operation);
    const auto output = detail::writing(on, out, operation);
    const auto from = input.elements();
    const auto to = output.elements();
    detail::require_same_size(from.size, to.size, operation);
    detail::require_same_or_apart(from, to, operation);
    detail::queue_loop(
        on, to.size, detail::loop_grain,
        [from, to, f](std::size_t begin, std::size_t end) {
            const auto* const x = from.data;
            auto* const y = to.data;
            DEVMEM_INDEPENDENT_ITERATIONS
            for (std::size_t i = begin; i < end; ++i) y[i] = static_cast<result>(f(x[i]));
        },
        operation);
}

/// `out[i] = f(a[i], b[i])` for each i; otherwise as with one range.
template <device_range A, device_range B, device_range Out, class F>
requires(!detail::is_temporary_owner<Out>) &&
    std::invocable<const F&, const detail::element_of_t<A>&,
                   const detail::element_of_t<B>&> void transform(const A& a, const B& b, Out&& out,
                                                                  F f, stream_view s = {},
                                                                  place at = place::here()) {
    const detail::call_site operation("transform", at);
    using result = detail::element_of_t<Out>;
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    const auto first = detail::reading(on, a, operation);
    const auto second = detail::reading(on, b, operation);
    const auto output = detail::writing(on, out, operation);
    const auto left = first.elements();
    const auto right = second.elements();
    const auto to = output.elements();
    detail::require_same_size(left.size, to.size, operation);
    detail::require_same_size(right.size, to.size, operation);
    detail::require_same_or_apart(left, to, operation);
    detail::require_same_or_apart(right, to, operation);
    detail::queue_loop(
        on, to.size, detail::loop_grain,
        [left, right, to, f](std::size_t begin, std::size_t end) {
            const auto* const x = left.data;
            const auto* const y = right.data;
            auto* const z = to.data;
            DEVMEM_INDEPENDENT_ITERATIONS
            for (std::size_t i = begin; i < end; ++i) z[i] = static_cast<result>(f(x[i], y[i]));
        },
        operation);
}

}  // namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE

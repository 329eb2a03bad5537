/// \file
/// `reduce` and `reduce_async`: one value from all elements of a range.
#pragma once

#include <devmem/algorithm/operand.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE {

/// `op(init, …)` over all elements of `in`, to the one element of `out`. `op` must be associative
/// and commutative but for rounding. The tree of operations depends on the number of elements only:
/// the same bits for any number of threads.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU (no
/// kernels in this version) @sync none
template <device_range In, device_range Out, class Op = plus>
requires(!detail::is_temporary_owner<Out>) &&
    std::same_as<detail::element_of_t<In>, detail::element_of_t<Out>> void reduce_async(
        const In& in, Out&& out, std::type_identity_t<detail::element_of_t<In>> init = {},
        Op op = {}, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("reduce_async", at);
    using value = detail::element_of_t<In>;
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    const auto input = detail::reading(on, in, operation);
    const auto output = detail::writing(on, out, operation);
    const auto from = input.elements();
    const auto to = output.elements();
    detail::require_same_size(to.size, 1, operation);
    detail::queue_reduction<value>(on, {from.data, from.size}, init, op, to.data, operation);
}

/// As above, the sum, on a stream.
template <device_range In, device_range Out>
requires(!detail::is_temporary_owner<Out>) &&
    std::same_as<detail::element_of_t<In>, detail::element_of_t<Out>> void reduce_async(
        const In& in, Out&& out, stream_view s, place at = place::here()) {
    reduce_async(in, out, {}, plus{}, s, at);
}

/// `op(init, …)` over all elements of `in`, on the host.
/// @throws wrong_device, not_permitted on a GPU (no kernels in this version), and what `op` throws
/// @sync stream
template <device_range In, class Op>
requires std::invocable < const Op&, const detail::element_of_t<In>
&, const detail::element_of_t<In>& >
       detail::element_of_t<In> reduce(const In& in,
                                       std::type_identity_t<detail::element_of_t<In>> init, Op op,
                                       stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("reduce", at);
    using value = detail::element_of_t<In>;
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    return detail::wait_for_result(on, init, operation, [&](value* result) {
        const auto input = detail::reading(on, in, operation);
        const auto from = input.elements();
        detail::queue_reduction<value>(on, {from.data, from.size}, init, op, result, operation);
    });
}

/// `init` plus the sum of all elements. @sync stream
template <device_range In>
detail::element_of_t<In> reduce(const In& in, std::type_identity_t<detail::element_of_t<In>> init,
                                stream_view s = {}, place at = place::here()) {
    return reduce(in, init, plus{}, s, at);
}

/// The sum of all elements. @sync stream
template <device_range In>
detail::element_of_t<In> reduce(const In& in, stream_view s = {}, place at = place::here()) {
    return reduce(in, detail::element_of_t<In>{}, plus{}, s, at);
}

}  // namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE

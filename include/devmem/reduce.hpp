/// \file
/// `reduce` and `reduce_async`: one value from all elements of a range.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <type_traits>

namespace devmem::inline v0 {

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Queues the reduction of a range.
template <class In>
void queue_reduce(stream_state& on, const In& in, const element_of_t<In>& init, const auto& op,
                  element_of_t<In>* result, const call_site& operation) {
    using value = element_of_t<In>;
    const auto input = reading(on, in, operation);
    const auto from = input.elements();
    queue_reduction(on, element_loader<value>{from.data}, from.size, init, op, result, operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// `op(init, …)` over all elements of `in`, to the one element of `out`. `op` must be associative
/// and commutative but for rounding. The tree of operations depends on the number of elements only:
/// the same bits for any number of threads.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU
/// (file not built by nvcc) @sync none
template <device_range In, detail::output_range Out,
          detail::joins<detail::element_of_t<In>> Op = plus>
requires detail::of_one_type<In, Out>
void reduce_async(const In& in, Out&& out, std::type_identity_t<detail::element_of_t<In>> init = {},
                  Op op = {}, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("reduce_async", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_reduce(on, in, init, op, detail::only_element(output, operation), operation);
}

/// As above, the sum, on a stream.
template <device_range In, detail::output_range Out>
requires detail::of_one_type<In, Out>
void reduce_async(const In& in, Out&& out, stream_view s, place at = place::here()) {
    reduce_async(in, out, {}, plus{}, s, at);
}

/// `op(init, …)` over all elements of `in`, on the host.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc), and what `op` throws
/// @sync stream
template <device_range In, detail::joins<detail::element_of_t<In>> Op>
detail::element_of_t<In> reduce(const In& in, std::type_identity_t<detail::element_of_t<In>> init,
                                Op op, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("reduce", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    return detail::wait_for_result(on, init, operation, [&](auto* result) {
        detail::queue_reduce(on, in, init, op, result, operation);
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

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `copy_if`, `unique`: some elements of a range, in their order, one after the other.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/selection.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <cstddef>

namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE {

/// Copies the elements for which `pred` is true to the beginning of `out`, in their order, and
/// their number to the one element of `count`. The rest of `out` keeps its values. `out` may be
/// `in` itself; what is behind the elements kept is then not specified.
/// @throws invalid_argument when `out` is smaller than `in`, when they overlap in part, or `count`
/// is not one element, is in `out`, or may be too small; wrong_device, not_permitted on a GPU (file
/// not built by nvcc); by the stream's next `synchronize`, what `pred` threw and
/// std::bad_alloc, and nothing is written then
/// @sync none @complexity n calls, memory for n bits, and in place for the elements kept
template <device_range In, detail::output_range Out, detail::output_range Count, class F>
requires detail::of_one_type<In, Out> && detail::integral_range<Count> &&
    detail::tests<F, detail::element_of_t<In>>
void copy_if_async(const In& in, Out&& out, Count&& count, F pred, stream_view s = {},
                   place at = place::here()) {
    const detail::call_site operation("copy_if_async", at);
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    const auto counter = detail::writing(on, count, operation);
    const auto to = counter.elements();
    const auto room = out.view();
    const detail::operand<detail::element_of_t<Out>> all{room.address(), room.size()};
    detail::require_count(to, all, in.view().size(), operation);
    detail::queue_copy_if(in, out, pred, to.data, on, operation);
}

/// As `copy_if_async`; returns how many elements were kept. @throws as `copy_if_async`, all of it
/// at the call @sync stream
template <device_range In, detail::output_range Out, class F>
requires detail::of_one_type<In, Out> && detail::tests<F, detail::element_of_t<In>> std::size_t
copy_if(const In& in, Out&& out, F pred, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("copy_if", at);
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    return detail::wait_for_result(on, std::size_t{0}, operation, [&](std::size_t* count) {
        detail::queue_copy_if(in, out, pred, count, on, operation);
    });
}

/// Keeps the first of neighbours that are `equal`, in their order, at the beginning of `range`, and
/// puts their number into the one element of `count`; in a sorted range no element is then there
/// twice. What is behind them is not specified. `equal` must be an equivalence.
/// @throws as `copy_if_async` @sync none
/// @complexity n - 1 calls, memory for n bits and the elements kept
template <detail::output_range Out, detail::output_range Count, class F = equal_to>
requires detail::integral_range<Count> && detail::compares<F, detail::element_of_t<Out>>
void unique_async(Out&& range, Count&& count, F equal = {}, stream_view s = {},
                  place at = place::here()) {
    const detail::call_site operation("unique_async", at);
    detail::stream_state& on = detail::resolve_stream(s, range.view().device(), operation);
    const auto counter = detail::writing(on, count, operation);
    const auto to = counter.elements();
    const auto room = range.view();
    const detail::operand<detail::element_of_t<Out>> all{room.address(), room.size()};
    detail::require_count(to, all, all.size, operation);
    detail::queue_unique(range, equal, to.data, on, operation);
}

/// As above, by `==`, on a stream.
template <detail::output_range Out, detail::output_range Count>
requires detail::integral_range<Count>
void unique_async(Out&& range, Count&& count, stream_view s, place at = place::here()) {
    unique_async(range, count, equal_to{}, s, at);
}

/// As `unique_async`; returns how many elements were kept. @throws as `unique_async`, all of it at
/// the call @sync stream
template <detail::output_range Out, class F = equal_to>
requires detail::compares<F, detail::element_of_t<Out>> std::size_t unique(
    Out&& range, F equal = {}, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("unique", at);
    detail::stream_state& on = detail::resolve_stream(s, range.view().device(), operation);
    return detail::wait_for_result(on, std::size_t{0}, operation, [&](std::size_t* count) {
        detail::queue_unique(range, equal, count, on, operation);
    });
}

/// As above, by `==`, on a stream.
template <detail::output_range Out>
std::size_t unique(Out&& range, stream_view s, place at = place::here()) {
    return unique(range, equal_to{}, s, at);
}

}  // namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE

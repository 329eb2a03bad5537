/// \file
/// `sort`, `sort_by_key`: elements in order, and with them what belongs to them.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/sort_rows.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE {

/// Puts the elements of `range` in the order of `less`; what is neither less nor greater keeps its
/// order, so the result is the same for any number of threads. By `devmem::less`, numbers are not
/// compared but sorted by their bytes, which is faster, and NaN goes to the end; another `less`
/// must be a strict weak order of the elements that are there, or they may come out as anything.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc); by the stream's next
/// `synchronize`, what `less` threw, after which the elements are there in any order, and
/// std::bad_alloc, after which they are so or as they were
/// @sync none @complexity n log n calls, or a pass for each byte of a number; memory for n elements
template <detail::output_range Out, class Less = less>
requires detail::compares<Less, detail::element_of_t<Out>>
void sort(Out&& range, Less less = {}, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("sort", at);
    detail::stream_state& on = detail::resolve_stream(s, range.view().device(), operation);
    const auto output = detail::writing(on, range, operation);
    const auto to = output.elements();
    detail::queue_sort(on, detail::rows<detail::element_of_t<Out>, void>{to.data}, to.size, less,
                       operation);
}

/// As above, by `<`, on a stream.
template <detail::output_range Out>
void sort(Out&& range, stream_view s, place at = place::here()) {
    sort(range, less{}, s, at);
}

/// Sorts `keys` as `sort` does, and puts `values[i]` where `keys[i]` goes.
/// @throws as `sort`, and invalid_argument when sizes differ or the ranges overlap
/// @sync none @complexity as `sort`, memory for n keys and values
template <detail::output_range Keys, detail::output_range Values, class Less = less>
requires detail::compares<Less, detail::element_of_t<Keys>>
void sort_by_key(Keys&& keys, Values&& values, Less less = {}, stream_view s = {},
                 place at = place::here()) {
    const detail::call_site operation("sort_by_key", at);
    detail::stream_state& on = detail::resolve_stream(s, keys.view().device(), operation);
    const auto first = detail::writing(on, keys, operation);
    const auto second = detail::writing(on, values, operation);
    const auto sorted = first.elements();
    const auto moved = second.elements();
    detail::require_same_size(sorted.size, moved.size, operation);
    detail::require_apart(sorted, moved, operation, "the keys and the values overlap");
    using rows = detail::rows<detail::element_of_t<Keys>, detail::element_of_t<Values>>;
    detail::queue_sort(on, rows{sorted.data, moved.data}, sorted.size, less, operation);
}

/// As above, by `<`, on a stream.
template <detail::output_range Keys, detail::output_range Values>
void sort_by_key(Keys&& keys, Values&& values, stream_view s, place at = place::here()) {
    sort_by_key(keys, values, less{}, s, at);
}

}  // namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE

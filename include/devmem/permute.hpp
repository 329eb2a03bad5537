/// \file
/// `gather_elements`, `scatter_elements`: elements from, and to, positions that a range names.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/indices.hpp>
#include <devmem/config.hpp>

#include <cstddef>

namespace devmem::inline v0 {

namespace detail {

template <class T>
struct gather_move {
    const T* from;
    T* to;
    DEVMEM_HD void operator()(std::size_t i, std::size_t index) const { to[i] = from[index]; }
};

template <class T>
struct scatter_move {
    const T* from;
    T* to;
    DEVMEM_HD void operator()(std::size_t i, std::size_t index) const { to[index] = from[i]; }
};

/// Which side the indices are positions in; the other is gone through one by one.
enum class indexed { source, output };

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Queues `gather_elements` or `scatter_elements`.
template <indexed Side, class In, class Indices, class Out>
void queue_permutation(const In& src, const Indices& indices, Out& out, stream_view s,
                       const call_site& operation) {
    stream_state& on = resolve_stream(s, out.view().device(), operation);
    const auto source = reading(on, src, operation);
    const auto places = reading(on, indices, operation);
    const auto output = writing(on, out, operation);
    const auto from = source.elements();
    const auto which = places.elements();
    const auto to = output.elements();
    using value = element_of_t<In>;
    if constexpr (Side == indexed::source) {
        require_same_size(which.size, to.size, operation);
    } else {
        require_same_size(from.size, which.size, operation);
    }
    require_apart(from, to, operation);
    require_apart(which, to, operation);
    if constexpr (Side == indexed::source) {
        queue_pairs(on, which, from.size, gather_move<value>{from.data, to.data}, operation);
    } else {
        queue_pairs(on, which, to.size, scatter_move<value>{from.data, to.data}, operation);
    }
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// `out[i] = src[indices[i]]` for each i, in no order. Indices are integers of any type, and may
/// occur more than once.
/// @throws invalid_argument when `indices` and `out` differ in size or `out` overlaps another
/// range, wrong_device, not_permitted on a GPU (file not built by nvcc); by the stream's next
/// `synchronize` invalid_argument for the first index (on a GPU its position) not within `src`,
/// after which `out` holds anything; nothing is read for it @sync none
template <device_range In, detail::integral_range Indices, detail::output_range Out>
requires detail::of_one_type<In, Out>
void gather_elements(const In& src, const Indices& indices, Out&& out, stream_view s = {},
                     place at = place::here()) {
    detail::queue_permutation<detail::indexed::source>(src, indices, out, s,
                                                       {"gather_elements", at});
}

/// `out[indices[i]] = src[i]` for each i, in no order; the other elements of `out` keep their
/// values. An index should occur once: what is in an element that more than one names is not
/// specified, not even that it is one of theirs.
/// @throws invalid_argument when `src` and `indices` differ in size or `out` overlaps another
/// range, wrong_device, not_permitted on a GPU (file not built by nvcc); by the stream's next
/// `synchronize` invalid_argument for the first index (on a GPU its position) not within `out`,
/// after which only some of the elements have been written; nothing is written for it @sync none
template <device_range In, detail::integral_range Indices, detail::output_range Out>
requires detail::of_one_type<In, Out>
void scatter_elements(const In& src, const Indices& indices, Out&& out, stream_view s = {},
                      place at = place::here()) {
    detail::queue_permutation<detail::indexed::output>(src, indices, out, s,
                                                       {"scatter_elements", at});
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `count_if`: how many elements of a range satisfy a predicate.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <cstddef>

namespace devmem::inline v0 {

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// One for each element that satisfies, for a tree.
template <class In, class Predicate>
struct count_loader {
    const In* data;
    Predicate satisfies;
    DEVMEM_HD std::size_t operator()(std::size_t i) const {
        return static_cast<bool>(satisfies(data[i])) ? 1 : 0;
    }
};

template <class In, class Predicate, class Result>
void queue_count_if(stream_state& on, const In& in, const Predicate& satisfies, Result* result,
                    const call_site& operation) {
    const auto input = reading(on, in, operation);
    const auto from = input.elements();
    queue_reduction(on, count_loader<element_of_t<In>, Predicate>{from.data, satisfies}, from.size,
                    std::size_t{0}, plus{}, result, operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// How many elements satisfy the predicate.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc), and what the
/// predicate throws @sync stream
template <device_range In, detail::tests<detail::element_of_t<In>> Predicate>
std::size_t count_if(const In& in, Predicate satisfies, stream_view s = {},
                     place at = place::here()) {
    const detail::call_site operation("count_if", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    return detail::wait_for_result(on, std::size_t{0}, operation, [&](std::size_t* result) {
        detail::queue_count_if(on, in, satisfies, result, operation);
    });
}

/// The same, to the one element of `out`, an integer.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU
/// (file not built by nvcc) @sync none
template <device_range In, detail::output_range Out,
          detail::tests<detail::element_of_t<In>> Predicate>
requires detail::integral_range<Out>
void count_if_async(const In& in, Out&& out, Predicate satisfies, stream_view s = {},
                    place at = place::here()) {
    const detail::call_site operation("count_if_async", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_count_if(on, in, satisfies, detail::only_element(output, operation), operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

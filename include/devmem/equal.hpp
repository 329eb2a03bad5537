/// \file
/// `equal`: whether two ranges hold the same values.
#pragma once

#include <devmem/algorithm/answer.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>

#include <concepts>
#include <cstddef>

namespace devmem::inline v0 {

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Whether elements are equal, for a tree.
template <class A, class B>
struct equal_loader {
    const A* a;
    const B* b;
    DEVMEM_HD bool operator()(std::size_t i) const { return static_cast<bool>(a[i] == b[i]); }
};

/// A range whose elements can be compared with those of another.
template <class B, class A>
concept comparable_with = device_range<B> &&
    requires(const element_of_t<A>& a, const element_of_t<B>& b) {
    { a == b } -> std::convertible_to<bool>;
};

template <class A, class B>
void queue_equal(stream_state& on, const A& a, const B& b, bool* result,
                 const call_site& operation) {
    const auto first = reading(on, a, operation);
    const auto second = reading(on, b, operation);
    const auto left = first.elements();
    const auto right = second.elements();
    const bool same_size = left.size == right.size;
    queue_reduction(on, equal_loader<element_of_t<A>, element_of_t<B>>{left.data, right.data},
                    same_size ? left.size : 0, same_size, logical_and{}, result, operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Whether `a` and `b` are of one size, and `a[i] == b[i]` for each i. So a NaN equals nothing, and
/// ranges of different sizes are no error: they are not equal.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc) @sync stream
template <device_range A, detail::comparable_with<A> B>
bool equal(const A& a, const B& b, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("equal", at);
    detail::stream_state& on = detail::resolve_stream(s, a.view().device(), operation);
    return detail::wait_for_result(on, true, operation, [&](bool* result) {
        detail::queue_equal(on, a, b, result, operation);
    });
}

/// The same, to the one element of `out`.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU
/// (file not built by nvcc) @sync none
template <device_range A, detail::comparable_with<A> B, detail::answer_range Out>
void equal_async(const A& a, const B& b, Out&& out, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("equal_async", at);
    detail::stream_state& on = detail::resolve_stream(s, a.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_equal(on, a, b, detail::only_element(output, operation), operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

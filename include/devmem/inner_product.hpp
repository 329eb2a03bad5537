/// \file
/// `inner_product`: the sum of the products of two ranges' elements.
#pragma once

#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Products of elements, for a tree.
template <class T, class A, class B>
struct product_loader {
    const A* a;
    const B* b;
    DEVMEM_HD T operator()(std::size_t i) const {
        return static_cast<T>(static_cast<T>(a[i]) * static_cast<T>(b[i]));
    }
};

template <class T, class A, class B>
void queue_inner_product(stream_state& on, const A& a, const B& b, const T& init, T* result,
                         const call_site& operation) {
    const auto first = reading(on, a, operation);
    const auto second = reading(on, b, operation);
    const auto left = first.elements();
    const auto right = second.elements();
    require_same_size(left.size, right.size, operation);
    queue_reduction(on, product_loader<T, element_of_t<A>, element_of_t<B>>{left.data, right.data},
                    left.size, init, plus{}, result, operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// `init` plus the sum of `a[i] * b[i]`, on the host. Elements are converted to the type of `init`
/// before they are multiplied: with a `double` the products of floats are exact. The tree of
/// additions depends on the number of elements only.
/// @throws invalid_argument when sizes differ, wrong_device, not_permitted on a GPU (file not built
/// by nvcc) @sync stream
template <device_range A, device_range B, device_element T>
T inner_product(const A& a, const B& b, T init, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("inner_product", at);
    detail::stream_state& on = detail::resolve_stream(s, a.view().device(), operation);
    return detail::wait_for_result(on, init, operation, [&](T* result) {
        detail::queue_inner_product(on, a, b, init, result, operation);
    });
}

/// The same, to the one element of `out`, whose type is that of the sum.
/// @throws invalid_argument when sizes differ or `out` is not one element, wrong_device,
/// not_permitted on a GPU (file not built by nvcc) @sync none
template <device_range A, device_range B, detail::output_range Out>
void inner_product_async(const A& a, const B& b, Out&& out,
                         std::type_identity_t<detail::element_of_t<Out>> init, stream_view s = {},
                         place at = place::here()) {
    const detail::call_site operation("inner_product_async", at);
    detail::stream_state& on = detail::resolve_stream(s, a.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_inner_product(on, a, b, init, detail::only_element(output, operation), operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `transform_reduce`: one value from a function of each element of a range.
#pragma once

#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// The values of a function of the elements, for a tree.
template <class T, class In, class F>
struct transformed_loader {
    const In* data;
    F f;
    DEVMEM_HD T operator()(std::size_t i) const { return static_cast<T>(f(data[i])); }
};

template <class T, class In, class Op, class F>
void queue_transform_reduce(stream_state& on, const In& in, const T& init, const Op& op, const F& f,
                            T* result, const call_site& operation) {
    const auto input = reading(on, in, operation);
    const auto from = input.elements();
    queue_reduction(on, transformed_loader<T, element_of_t<In>, F>{from.data, f}, from.size, init,
                    op, result, operation);
}

/// What gives, for an element of a range, something that converts to T.
template <class F, class In, class T>
concept function_of_element = requires(const F& f, const element_of_t<In>& x) {
    static_cast<T>(f(x));
};

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// `op(init, f(x), …)` over all elements x of `in`, on the host. What `f` and `op` give is
/// converted to the type of `init`. `op` must be associative and commutative but for rounding; the
/// tree of operations depends on the number of elements only: the same bits for any number of
/// threads.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc), and what `f` and `op`
/// throw @sync stream
template <device_range In, device_element T, class Op, detail::function_of_element<In, T> F>
T transform_reduce(const In& in, T init, Op op, F f, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("transform_reduce", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    return detail::wait_for_result(on, init, operation, [&](T* result) {
        detail::queue_transform_reduce(on, in, init, op, f, result, operation);
    });
}

/// The same, to the one element of `out`, whose type is that of the sum.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU
/// (file not built by nvcc) @sync none
template <device_range In, detail::output_range Out, class Op,
          detail::function_of_element<In, detail::element_of_t<Out>> F>
void transform_reduce_async(const In& in, Out&& out,
                            std::type_identity_t<detail::element_of_t<Out>> init, Op op, F f,
                            stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("transform_reduce_async", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_transform_reduce(on, in, init, op, f, detail::only_element(output, operation),
                                   operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `all_finite`: whether no element of a range is an infinity or a NaN.
#pragma once

#include <devmem/algorithm/answer.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace devmem::inline v0 {

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// By the bits of the exponent, so that no option by which a compiler forgets infinities matters.
/// (`std::bit_cast` is not for device code.)
DEVMEM_HD constexpr bool is_finite(float x) noexcept {
    constexpr std::uint32_t exponent = 0x7F80'0000;
    return (__builtin_bit_cast(std::uint32_t, x) & exponent) != exponent;
}
DEVMEM_HD constexpr bool is_finite(double x) noexcept {
    constexpr std::uint64_t exponent = 0x7FF0'0000'0000'0000;
    return (__builtin_bit_cast(std::uint64_t, x) & exponent) != exponent;
}

template <class T>
struct finite_loader {
    const T* data;
    DEVMEM_HD bool operator()(std::size_t i) const noexcept { return is_finite(data[i]); }
};

/// A range of elements that may be infinite.
template <class In>
concept floating_range = device_range<In> && requires(const element_of_t<In>& x) {
    { is_finite(x) } -> std::same_as<bool>;
} && !std::integral<element_of_t<In>>;

template <class In>
void queue_all_finite(stream_state& on, const In& in, bool* result, const call_site& operation) {
    const auto input = reading(on, in, operation);
    const auto from = input.elements();
    queue_reduction(on, finite_loader<element_of_t<In>>{from.data}, from.size, true, logical_and{},
                    result, operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Whether no element is an infinity or a NaN; of no elements, true.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc) @sync stream
template <detail::floating_range In>
bool all_finite(const In& in, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("all_finite", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    return detail::wait_for_result(on, true, operation, [&](bool* result) {
        detail::queue_all_finite(on, in, result, operation);
    });
}

/// The same, to the one element of `out`.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU
/// (file not built by nvcc) @sync none
template <detail::floating_range In, detail::answer_range Out>
void all_finite_async(const In& in, Out&& out, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("all_finite_async", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_all_finite(on, in, detail::only_element(output, operation), operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `min_max_element`: where the smallest and the largest element of a range are.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/result.hpp>
#include <devmem/algorithm/tree.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <concepts>
#include <cstddef>

namespace devmem::inline v0 {

/// Positions of the extremes of a range.
struct min_max_positions {
    std::size_t min;  ///< of the smallest
    std::size_t max;  ///< of the largest
    /// Both are equal.
    friend constexpr bool operator==(const min_max_positions&, const min_max_positions&) = default;
};

namespace detail {
inline namespace DEVMEM_KERNEL_NAMESPACE {

/// The extremes of part of a range.
template <class T>
struct extremes {
    T least;
    T most;
    std::size_t least_at;
    std::size_t most_at;
};

/// Each element as the extremes of itself, for a tree.
template <class T>
struct extremes_loader {
    const T* data;
    extremes<T> operator()(std::size_t i) const { return {data[i], data[i], i, i}; }
};

/// The tree joins elements out of their order, so that positions decide between equals.
template <class T, class Less>
struct join_extremes {
    Less less;

    extremes<T> operator()(const extremes<T>& a, const extremes<T>& b) const {
        extremes<T> joined = a;
        if (is_before(b.least, b.least_at, a.least, a.least_at)) {
            joined.least = b.least;
            joined.least_at = b.least_at;
        }
        if (is_before(a.most, a.most_at, b.most, b.most_at)) {
            joined.most = b.most;
            joined.most_at = b.most_at;
        }
        return joined;
    }

  private:
    bool is_before(const T& x, std::size_t x_at, const T& y, std::size_t y_at) const {
        if (less(x, y)) return true;
        return x_at < y_at && !less(y, x);
    }
};

/// Each position as those of the extremes of its element, for a GPU, which has no value to begin
/// with.
struct positions_loader {
    DEVMEM_HD min_max_positions operator()(std::size_t i) const noexcept { return {i, i}; }
};

template <class T, class Less>
struct join_positions {
    const T* data;
    Less less;

    DEVMEM_HD min_max_positions operator()(const min_max_positions& a,
                                           const min_max_positions& b) const {
        return {is_before(b.min, a.min) ? b.min : a.min, is_before(a.max, b.max) ? b.max : a.max};
    }

  private:
    DEVMEM_HD bool is_before(std::size_t i, std::size_t j) const {
        if (less(data[i], data[j])) return true;
        return i < j && !less(data[j], data[i]);
    }
};

template <class In, class Less>
void queue_min_max(stream_state& on, const In& in, const Less& less, min_max_positions* result,
                   const call_site& operation) {
    using value = element_of_t<In>;
    const auto input = reading(on, in, operation);
    const auto from = input.elements();
    queue_task(
        on, true,
        [from, less, result] {
            *result = {0, 0};
            if (from.size == 0) return;
            const auto found = reduce_tree<extremes<value>>(
                extremes_loader<value>{from.data}, from.size, join_extremes<value, Less>{less});
            *result = {found.least_at, found.most_at};
        },
        [&](const auto& at) {
            return device_reduce(at, positions_loader{}, from.size, min_max_positions{0, 0},
                                 join_positions<value, Less>{from.data, less}, result);
        },
        operation);
}

/// A range that positions can be written to.
template <class Out>
concept positions_range = output_range<Out> && std::same_as<element_of_t<Out>, min_max_positions>;

}  // namespace DEVMEM_KERNEL_NAMESPACE
}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Where the smallest and the largest element are: of equals the first smallest and the last
/// largest, as with `std::minmax_element`. Both are 0 where there are no elements. `less` is a
/// strict weak order, so without NaN.
/// @throws wrong_device, not_permitted on a GPU (file not built by nvcc), and what `less`
/// throws @sync stream
template <device_range In, detail::compares<detail::element_of_t<In>> Less>
min_max_positions min_max_element(const In& in, Less less, stream_view s = {},
                                  place at = place::here()) {
    const detail::call_site operation("min_max_element", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    return detail::wait_for_result(
        on, min_max_positions{0, 0}, operation,
        [&](min_max_positions* result) { detail::queue_min_max(on, in, less, result, operation); });
}

/// By `<`. @sync stream
template <device_range In>
min_max_positions min_max_element(const In& in, stream_view s = {}, place at = place::here()) {
    return min_max_element(in, less{}, s, at);
}

/// The same, to the one element of `out`.
/// @throws invalid_argument when `out` is not one element, wrong_device, not_permitted on a GPU
/// (file not built by nvcc) @sync none
template <device_range In, detail::positions_range Out,
          detail::compares<detail::element_of_t<In>> Less>
void min_max_element_async(const In& in, Out&& out, Less less, stream_view s = {},
                           place at = place::here()) {
    const detail::call_site operation("min_max_element_async", at);
    detail::stream_state& on = detail::resolve_stream(s, in.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    detail::queue_min_max(on, in, less, detail::only_element(output, operation), operation);
}

/// By `<`. @sync none
template <device_range In, detail::positions_range Out>
void min_max_element_async(const In& in, Out&& out, stream_view s = {}, place at = place::here()) {
    min_max_element_async(in, out, less{}, s, at);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

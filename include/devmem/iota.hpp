/// \file
/// `iota`: consecutive numbers to all elements of a range.
#pragma once

#include <devmem/algorithm/loop.hpp>
#include <devmem/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {

template <class T>
concept number = std::integral<T> || std::floating_point<T>;

/// `out[i] = start + i`.
template <class T>
struct iota_body {
    T* out;
    T start;

    DEVMEM_HD void operator()(std::size_t i) const {
        if constexpr (std::integral<T>) {
            // Unsigned, since signed numbers must not overflow.
            out[i] = static_cast<T>(static_cast<std::size_t>(start) + i);
        } else {
            out[i] = start + static_cast<T>(i);
        }
    }
    void operator()(std::size_t begin, std::size_t end) const {
        const iota_body mine = *this;
        for (std::size_t i = begin; i < end; ++i) mine(i);
    }
};

}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// `out[i] = start + i` for each i. Integers wrap around; a floating-point element is the sum
/// rounded once, with i itself rounded to the type before, so that it is exact as long as the
/// numbers are.
/// @throws wrong_device for a stream of another device, not_permitted on a GPU (file not built by
/// nvcc) @sync none
template <detail::output_range Out>
requires detail::number<detail::element_of_t<Out>>
void iota(Out&& out, std::type_identity_t<detail::element_of_t<Out>> start, stream_view s = {},
          place at = place::here()) {
    const detail::call_site operation("iota", at);
    using value = detail::element_of_t<Out>;
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    const auto output = detail::writing(on, out, operation);
    const auto to = output.elements();
    detail::queue_loop(on, to.size, detail::loop_grain, detail::iota_body<value>{to.data, start},
                       operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

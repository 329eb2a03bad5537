/// \file
/// `for_each` and `for_each_index`: calls a function for each element, or each number below n.
#pragma once

#include <devmem/algorithm/loop.hpp>
#include <devmem/config.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace devmem::inline v0 {

namespace detail {

/// `f(i)`.
template <class F>
struct index_body {
    F f;

    DEVMEM_HD void operator()(std::size_t i) const { f(i); }
    void operator()(std::size_t begin, std::size_t end) const {
        for (std::size_t i = begin; i < end; ++i) f(i);
    }
};

/// `f(x[i])`.
template <class F, class T>
struct element_body {
    F f;
    T* data;

    DEVMEM_HD void operator()(std::size_t i) const { f(data[i]); }
    void operator()(std::size_t begin, std::size_t end) const {
        T* const x = data;
        DEVMEM_INDEPENDENT_ITERATIONS
        for (std::size_t i = begin; i < end; ++i) f(x[i]);
    }
};

}  // namespace detail

inline namespace DEVMEM_KERNEL_NAMESPACE {

/// Calls `f(i)` for each i in [0, n), in no order, several at once. `f` is copied at the call. What
/// it throws on the CPU is thrown by the stream's next `synchronize`.
/// @throws not_permitted on a GPU (file not built by nvcc) @sync none @complexity n calls
template <class F>
requires std::invocable<const F&, std::size_t>
void for_each_index(std::size_t n, F f, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("for_each_index", at);
    // An index may stand for much work, so that few of them are worth sharing.
    constexpr std::size_t grain = 16;
    detail::stream_state& on =
        s.names_a_stream() ? s.state() : detail::current_stream_state(current_device(), operation);
    detail::queue_loop(on, n, grain, detail::index_body<F>{f}, operation);
}

/// Calls `f(x)` for each element x of `range`, which `f` may change by taking a reference; in no
/// order, several at once. `f` is copied at the call. What it throws on the CPU is thrown by the
/// stream's next `synchronize`.
/// @throws wrong_device for a stream of another device, not_permitted on a GPU (file not built by
/// nvcc) @sync none @complexity n calls
template <detail::output_range Range, class F>
requires std::invocable < const F&, detail::element_of_t<Range>
& > void for_each(Range&& range, F f, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("for_each", at);
    detail::stream_state& on = detail::resolve_stream(s, range.view().device(), operation);
    const auto changed = detail::writing(on, range, operation);
    const auto elements = changed.elements();
    detail::queue_loop(on, elements.size, detail::loop_grain,
                       detail::element_body<F, detail::element_of_t<Range>>{f, elements.data},
                       operation);
}

}  // namespace DEVMEM_KERNEL_NAMESPACE

}  // namespace devmem::inline v0

/// \file
/// `inclusive_scan`, `exclusive_scan`: to each position what all elements up to it make together.
#pragma once

#include <devmem/algorithm/functor.hpp>
#include <devmem/algorithm/scan_leaves.hpp>
#include <devmem/config.hpp>
#include <devmem/functional.hpp>

#include <type_traits>

namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE {

/// `out[i] = op(… op(in[0], in[1]) …, in[i])` for each i: with `plus`, running sums. `out` may be
/// `in` itself. `op` must be associative but for rounding, and need not be commutative. The tree of
/// operations depends on the number of elements only, so the bits are the same for any number of
/// threads: each 512 elements are joined one after the other, beginning with what is before them,
/// which is made of their totals, one after the other.
/// @throws invalid_argument when sizes differ or the ranges overlap in part, wrong_device,
/// not_permitted on a GPU (file not built by nvcc); by the stream's next `synchronize`, what
/// `op` threw and std::bad_alloc, after which `out` holds anything
/// @sync none @complexity at most 2n calls, memory for n / 512 elements
template <device_range In, detail::output_range Out, class Op = plus>
requires detail::of_one_type<In, Out> && detail::joins<Op, detail::element_of_t<In>>
void inclusive_scan(const In& in, Out&& out, Op op = {}, stream_view s = {},
                    place at = place::here()) {
    const detail::call_site operation("inclusive_scan", at);
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    detail::queue_scan(in, out, detail::no_init{}, op, on, operation);
}

/// As above, running sums, on a stream.
template <device_range In, detail::output_range Out>
requires detail::of_one_type<In, Out>
void inclusive_scan(const In& in, Out&& out, stream_view s, place at = place::here()) {
    inclusive_scan(in, out, plus{}, s, at);
}

/// `out[i]` is `init` joined with all elements before the i-th: with `plus` and `init` 0, where
/// each part begins of which `in` has the sizes. Otherwise as `inclusive_scan`; `out[0]` is `init`.
/// @throws as `inclusive_scan` @sync none @complexity at most 2n calls, memory for n / 512 elements
template <device_range In, detail::output_range Out, class Op = plus>
requires detail::of_one_type<In, Out> && detail::joins<Op, detail::element_of_t<In>>
void exclusive_scan(const In& in, Out&& out, std::type_identity_t<detail::element_of_t<In>> init,
                    Op op = {}, stream_view s = {}, place at = place::here()) {
    const detail::call_site operation("exclusive_scan", at);
    detail::stream_state& on = detail::resolve_stream(s, out.view().device(), operation);
    detail::queue_scan(in, out, init, op, on, operation);
}

/// As above, running sums, on a stream.
template <device_range In, detail::output_range Out>
requires detail::of_one_type<In, Out>
void exclusive_scan(const In& in, Out&& out, std::type_identity_t<detail::element_of_t<In>> init,
                    stream_view s, place at = place::here()) {
    exclusive_scan(in, out, init, plus{}, s, at);
}

}  // namespace devmem::inline v0::inline DEVMEM_KERNEL_NAMESPACE

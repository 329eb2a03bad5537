/// \file
/// `copy` and `copy_async`: between containers, views and host memory, in any direction.
#pragma once

#include <devmem/container/host_span.hpp>
#include <devmem/container/range.hpp>
#include <devmem/transfer/copy_ranges.hpp>

#include <type_traits>

namespace devmem::inline v0 {

namespace detail {

template <class R>
concept copy_operand = device_range<R> || host_range<R>;

/// Element types of a copy are the same; conversion has a function of its own.
template <class Src, class Dst>
concept same_elements = std::is_same_v<element_of_t<Src>, element_of_t<Dst>>;

template <class Src, class Dst>
concept copyable_to = (device_range<Src> || device_range<Dst>)&&copy_operand<Src>&& copy_operand<
    Dst>&& same_elements<Src, Dst>&& is_writable<Dst>;

/// As `copyable_to`; both sides outlive the call, and the destination is no host memory.
template <class Src, class Dst>
concept copyable_async_to =
    copyable_to<Src, Dst> && device_range<Dst> && !is_temporary_owner<Src> &&
    !is_temporary_owner<Dst>;

}  // namespace detail

/// Copies `src` to `dst`; both have the same number and type of elements. Returns when `dst` is
/// there. By default on the current stream of the destination's device, to the host of the
/// source's. Overlapping ranges copy as if through a temporary.
/// @throws invalid_argument when sizes differ, wrong_device for a stream of a third device
/// @sync stream
template <class Src, class Dst>
requires detail::copyable_to<Src, Dst>
void copy(Src&& src, Dst&& dst, stream_view s = {}, place at = place::here()) {
    detail::copy_ranges(detail::bytes_of_range(src), detail::bytes_of_range(dst), s,
                        detail::copy_mode::blocking, {"copy", at});
}

/// Queues a copy and returns. Pageable host memory as source has been read by then: up to 4 MiB
/// (`settings::staging_bytes`) is staged without waiting, more waits for the stream. Host memory
/// cannot be the destination: use a `pinned_buffer`, or `copy`.
/// @throws invalid_argument when sizes differ, wrong_device for a stream of a third device
/// @sync none, but for a large pageable source, and between CPU and GPU
/// @lifetime containers may go before the copy is over; a container given as a temporary is
/// refused, since views of it would be all that is left
template <class Src, class Dst>
requires detail::copyable_async_to<Src, Dst>
void copy_async(Src&& src, Dst&& dst, stream_view s = {}, place at = place::here()) {
    detail::copy_ranges(detail::bytes_of_range(src), detail::bytes_of_range(dst), s,
                        detail::copy_mode::asynchronous, {"copy_async", at});
}

}  // namespace devmem::inline v0

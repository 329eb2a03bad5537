/// \file
/// What containers that the host may touch need `<span>` for; `device_vector` does without.
#pragma once

#include <devmem/container/range.hpp>

#include <cstddef>
#include <span>

namespace devmem::inline v0::detail {

template <class T, std::size_t N>
inline constexpr bool is_borrowed_span<std::span<T, N>> = true;

template <class T>
struct host_span_of {
    using type = std::span<T>;
};

}  // namespace devmem::inline v0::detail

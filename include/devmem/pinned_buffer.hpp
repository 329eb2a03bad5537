/// \file
/// `pinned_buffer`: page-locked host memory, which copies reach without waiting.
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/container/host_span.hpp>
#include <devmem/policy.hpp>

namespace devmem::inline v0 {

/// A vector in pinned memory; options choose the backend and how memory is obtained, in any order.
template <class T, class... Options>
using pinned_buffer = basic_vector<T, typename detail::normalized<pinned_space, Options...>::type>;

}  // namespace devmem::inline v0

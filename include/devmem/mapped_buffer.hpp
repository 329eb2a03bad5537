/// \file
/// `mapped_buffer`: page-locked host memory that kernels read and write across the bus (zero-copy).
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/container/host_span.hpp>
#include <devmem/policy.hpp>

namespace devmem::inline v0 {

/// A vector in mapped memory; options choose the backend and how memory is obtained, in any order.
template <class T, class... Options>
using mapped_buffer = basic_vector<T, typename detail::normalized<mapped_space, Options...>::type>;

}  // namespace devmem::inline v0

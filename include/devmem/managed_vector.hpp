/// \file
/// `managed_vector`: memory that moves to whoever touches it, and may exceed a GPU's own.
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/container/host_span.hpp>
#include <devmem/policy.hpp>

namespace devmem::inline v0 {

/// A vector in managed memory; options choose the backend and how memory is obtained, in any order.
template <class T, class... Options>
using managed_vector =
    basic_vector<T, typename detail::normalized<managed_space, Options...>::type>;

}  // namespace devmem::inline v0

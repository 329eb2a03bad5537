/// \file
/// `device_vector`: a vector in a device's own memory. The host cannot touch its elements, on any
/// path: bring them to the host by `to_host`, `get` or `copy`.
#pragma once

#include <devmem/basic_vector.hpp>
#include <devmem/policy.hpp>

namespace devmem::inline v0 {

/// A vector in device memory; options choose the backend and how memory is obtained, in any order.
template <class T, class... Options>
using device_vector = basic_vector<T, typename detail::normalized<device_space, Options...>::type>;

}  // namespace devmem::inline v0

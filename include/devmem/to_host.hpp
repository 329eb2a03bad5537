/// \file
/// What `to_host()` of the containers needs: `<vector>`, which `<devmem/device_vector.hpp>` does
/// without, since it costs every includer more than all the rest.
#pragma once

#include <devmem/basic_vector.hpp>

#include <vector>

namespace devmem::inline v0 {

namespace detail {

template <class T>
struct host_vector_of {
    using type = std::vector<T>;
    using buffer = type;
};
/// `std::vector<bool>` keeps bits, which nothing can be copied to.
template <>
struct host_vector_of<bool> {
    using type = std::vector<bool>;
    using buffer = std::vector<unsigned char>;
};

}  // namespace detail

}  // namespace devmem::inline v0

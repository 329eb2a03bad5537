// Raw pointers for the program's own kernels.
#pragma once

#include <devmem/devmem.hpp>

namespace fashion_mnist {

/// The address of a vector's elements, for work queued on `s`. `data()` stands for a use on the
/// current stream, so `s` is made current while it is called.
template <class T>
T* pointer_on(devmem::stream_view s, devmem::device_vector<T>& values) {
    const devmem::stream_guard current(s);
    return values.data();
}

template <class T>
const T* pointer_on(devmem::stream_view s, const devmem::device_vector<T>& values) {
    const devmem::stream_guard current(s);
    return values.data();
}

}  // namespace fashion_mnist

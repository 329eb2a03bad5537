// The rectifier, in place or not.
#pragma once

#include "matrix.hpp"

#include <devmem/devmem.hpp>

namespace fashion_mnist {

/// max(x, 0), element by element. It has nothing to learn and keeps no memory.
class relu {
  public:
    /// `output` may be `input`.
    static void forward(const matrix& input, matrix& output, devmem::stream_view s);
    /// Turns the gradient of its output into that of its input; `output` is what forward left.
    static void backward(const matrix& output, matrix& gradient, devmem::stream_view s);
};

}  // namespace fashion_mnist

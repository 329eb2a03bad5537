// Products of matrices: the one place that knows a BLAS.
#pragma once

#include "matrix.hpp"

#include <devmem/devmem.hpp>

#include <stdexcept>

namespace fashion_mnist {

/// A device on which this program cannot compute products.
class unsupported_device : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Prepares products on a device; to be called before the first.
/// @throws unsupported_device
void prepare_matrix_products(devmem::device d);

/// A factor of a product, as it is or transposed.
struct factor {
    factor(const matrix& m) : values(m) {}  // NOLINT(google-explicit-constructor)
    factor(const matrix& m, bool transpose) : values(m), is_transposed(transpose) {}

    const matrix& values;
    bool is_transposed = false;
};

inline factor transposed(const matrix& m) { return {m, true}; }

/// product = left * right, in the order of `s`.
/// @pre the shapes fit, and all three are on the device of `s`
void multiply(factor left, factor right, matrix& product, devmem::stream_view s);

}  // namespace fashion_mnist

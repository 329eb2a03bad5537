#include "matrix_product.hpp"

#include "device_pointer.hpp"

#include <cblas.h>

#include <cstddef>
#include <string>

namespace fashion_mnist {

namespace {

// How a sum is divided among threads decides how it is rounded. A number that is the same on every
// machine, and not that of its cores, makes the figures repeat.
constexpr int blas_threads = 2;

std::size_t rows_of(factor f) { return f.is_transposed ? f.values.columns() : f.values.rows(); }
std::size_t columns_of(factor f) { return f.is_transposed ? f.values.rows() : f.values.columns(); }
CBLAS_TRANSPOSE transposition_of(factor f) { return f.is_transposed ? CblasTrans : CblasNoTrans; }
blasint blas_size(std::size_t n) { return static_cast<blasint>(n); }

}  // namespace

void prepare_matrix_products(devmem::device d) {
    // The products of a GPU's BLAS, and the kernels of the layers, will be chosen here.
    if (d.kind() != devmem::device_kind::cpu) {
        throw unsupported_device(devmem::to_string(d) +
                                 ": matrix products and kernels for CUDA come with a later "
                                 "version; train on the CPU with --device cpu");
    }
    openblas_set_num_threads(blas_threads);
}

void multiply(factor left, factor right, matrix& product, devmem::stream_view s) {
    DEVMEM_ASSERT(columns_of(left) == rows_of(right));
    DEVMEM_ASSERT(rows_of(left) == product.rows() && columns_of(right) == product.columns());
    const CBLAS_TRANSPOSE left_order = transposition_of(left);
    const CBLAS_TRANSPOSE right_order = transposition_of(right);
    const blasint rows = blas_size(product.rows());
    const blasint columns = blas_size(product.columns());
    const blasint depth = blas_size(columns_of(left));
    const blasint left_pitch = blas_size(left.values.columns());
    const blasint right_pitch = blas_size(right.values.columns());
    const float* const a = pointer_on(s, left.values.values());
    const float* const b = pointer_on(s, right.values.values());
    float* const c = pointer_on(s, product.values());
    // On a CPU device the elements are host memory, and the stream's thread calls the BLAS.
    //! [product]
    devmem::host_task(
        [=] {
            cblas_sgemm(CblasRowMajor, left_order, right_order, rows, columns, depth, 1.0f, a,
                        left_pitch, b, right_pitch, 0.0f, c, columns);
        },
        s);
    //! [product]
}

}  // namespace fashion_mnist

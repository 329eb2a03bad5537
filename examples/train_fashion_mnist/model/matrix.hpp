// A matrix in a device's memory.
#pragma once

#include <devmem/devmem.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace fashion_mnist {

/// `rows` x `columns` numbers, row after row. Activations have a row for each image of the batch.
class matrix {
  public:
    /// Zeros, in the memory of the stream's device.
    matrix(std::size_t rows, std::size_t columns, devmem::stream_view s)
        : columns_(columns), values_(rows * columns, s) {}
    /// The numbers of `values`. @pre values.size() is a multiple of `columns`
    matrix(std::size_t columns, devmem::device_vector<float> values)
        : columns_(columns), values_(std::move(values)) {}

    std::size_t rows() const noexcept { return values_.size() / columns_; }
    std::size_t columns() const noexcept { return columns_; }
    /// Fewer rows keep the memory, so the last, shorter batch of an epoch allocates nothing.
    void set_rows(std::size_t rows, devmem::stream_view s) {
        values_.resize(rows * columns_, devmem::uninitialized, s);
    }

    /// Gives the memory back; `set_rows` gets it again.
    void let_go() noexcept { values_.reset(); }

    devmem::device_vector<float>& values() noexcept { return values_; }
    const devmem::device_vector<float>& values() const noexcept { return values_; }

    /// What `devmem::to` moves, as in the classes made of matrices.
    friend auto members(const matrix& m) { return std::tie(m.columns_, m.values_); }

  private:
    std::size_t columns_;
    devmem::device_vector<float> values_;
};

}  // namespace fashion_mnist

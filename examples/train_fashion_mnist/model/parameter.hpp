// What training changes.
#pragma once

#include "matrix.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <utility>

namespace fashion_mnist {

/// Numbers that training changes, and the gradient of the loss with respect to each.
struct parameter {
    parameter(devmem::device_vector<float> start, std::size_t columns, devmem::stream_view s)
        : value(std::move(start), columns), gradient(value.rows(), columns, s) {}

    matrix value;
    matrix gradient;
};

}  // namespace fashion_mnist

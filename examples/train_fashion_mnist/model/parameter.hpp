// What training changes.
#pragma once

#include "matrix.hpp"

#include <devmem/devmem.hpp>

#include <cstddef>
#include <tuple>
#include <utility>

namespace fashion_mnist {

/// Numbers that training changes, and the gradient of the loss with respect to each.
struct parameter {
    parameter(devmem::device_vector<float> start, std::size_t columns, devmem::stream_view s)
        : value(columns, std::move(start)), gradient(value.rows(), columns, s) {}

    parameter(matrix v, matrix g) : value(std::move(v)), gradient(std::move(g)) {}
    friend auto members(const parameter& p) { return std::tie(p.value, p.gradient); }

    matrix value;
    matrix gradient;
};

}  // namespace fashion_mnist

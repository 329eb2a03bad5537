// A fully connected layer.
#pragma once

#include "matrix.hpp"
#include "parameter.hpp"

#include <devmem/devmem.hpp>

#include <array>
#include <cstddef>
#include <random>
#include <tuple>
#include <utility>

namespace fashion_mnist {

/// output = input * weight + bias, for each row of the batch. The weight is inputs x outputs.
class dense_layer {
  public:
    /// The weight is drawn at random, the bias is zero; both in the memory of the stream's device.
    dense_layer(std::size_t inputs, std::size_t outputs, std::mt19937_64& random,
                devmem::stream_view s);

    /// A layer of parameters that are there already: how `devmem::to` makes it again.
    dense_layer(parameter weight, parameter bias)
        : weight_(std::move(weight)), bias_(std::move(bias)) {}
    friend auto members(const dense_layer& l) { return std::tie(l.weight_, l.bias_); }

    void forward(const matrix& input, matrix& output, devmem::stream_view s) const;
    /// Computes the gradients of weight and bias from that of the output.
    void backward(const matrix& input, const matrix& output_gradient, devmem::stream_view s);
    /// Computes the gradient of the input, which the layer before continues with.
    void backward_to_input(const matrix& output_gradient, matrix& input_gradient,
                           devmem::stream_view s) const;

    /// @lifetime valid until the layer is moved or destroyed
    std::array<parameter*, 2> parameters() noexcept { return {&weight_, &bias_}; }

  private:
    parameter weight_;
    parameter bias_;  // one row
};

}  // namespace fashion_mnist

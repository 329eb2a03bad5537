#include "dense_layer.hpp"

#include "device_pointer.hpp"
#include "matrix_product.hpp"

#include <cmath>
#include <vector>

namespace fashion_mnist {

namespace {

struct add_bias {
    float* values;
    const float* bias;
    std::size_t columns;

    DEVMEM_HD void operator()(std::size_t i) const { values[i] += bias[i % columns]; }
};

// One index sums one column from top to bottom: the same rounding for any number of threads, and
// neighbouring threads of a GPU read neighbouring memory.
struct sum_column {
    const float* values;
    float* sums;
    std::size_t rows;
    std::size_t columns;

    DEVMEM_HD void operator()(std::size_t column) const {
        float sum = 0.0f;
        for (std::size_t row = 0; row < rows; ++row) sum += values[row * columns + column];
        sums[column] = sum;
    }
};

// Keeps the variance of what passes through layers with ReLU: He, Zhang, Ren, Sun, "Delving Deep
// into Rectifiers" (2015), equation 10.
std::vector<float> he_normal(std::size_t inputs, std::size_t outputs, std::mt19937_64& random) {
    std::normal_distribution<float> draw(0.0f, std::sqrt(2.0f / static_cast<float>(inputs)));
    std::vector<float> weight(inputs * outputs);
    for (float& w : weight) w = draw(random);
    return weight;
}

}  // namespace

dense_layer::dense_layer(std::size_t inputs, std::size_t outputs, std::mt19937_64& random,
                         devmem::stream_view s)
    : weight_(devmem::device_vector<float>(he_normal(inputs, outputs, random), s), outputs, s),
      bias_(devmem::device_vector<float>(outputs, s), outputs, s) {}

void dense_layer::forward(const matrix& input, matrix& output, devmem::stream_view s) const {
    multiply(input, weight_.value, output, s);
    const add_bias add{pointer_on(s, output.values()), pointer_on(s, bias_.value.values()),
                       output.columns()};
    devmem::for_each_index(output.values().size(), add, s);
}

void dense_layer::backward(const matrix& input, const matrix& output_gradient,
                           devmem::stream_view s) {
    multiply(transposed(input), output_gradient, weight_.gradient, s);
    const sum_column sum{pointer_on(s, output_gradient.values()),
                         pointer_on(s, bias_.gradient.values()), output_gradient.rows(),
                         output_gradient.columns()};
    devmem::for_each_index(output_gradient.columns(), sum, s);
}

void dense_layer::backward_to_input(const matrix& output_gradient, matrix& input_gradient,
                                    devmem::stream_view s) const {
    multiply(output_gradient, transposed(weight_.value), input_gradient, s);
}

}  // namespace fashion_mnist

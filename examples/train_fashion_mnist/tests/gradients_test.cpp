// Gradients against differences of the loss.
#include "host_values.hpp"
#include "model/dense_layer.hpp"
#include "model/mlp.hpp"
#include "model/softmax_cross_entropy.hpp"

#include <doctest/doctest.h>
#include <devmem/devmem.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <numeric>

using fashion_mnist::matrix;
using fashion_mnist_test::host_values;
using fashion_mnist_test::matrix_of;
using fashion_mnist_test::some_values;

namespace {

// d loss / d value[i] for each i, as central differences.
std::vector<double> differences(matrix& value, float step, const std::function<double()>& loss,
                                devmem::stream_view s) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < value.values().size(); ++i) {
        const float there = value.values().get(i, s);
        value.values().set(i, there + step, s);
        const double above = loss();
        value.values().set(i, there - step, s);
        const double below = loss();
        value.values().set(i, there, s);
        slopes.push_back((above - below) / (2.0 * static_cast<double>(step)));
    }
    return slopes;
}

void check_near(const std::vector<float>& gradient, const std::vector<double>& slopes,
                double tolerance) {
    REQUIRE(gradient.size() == slopes.size());
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        CAPTURE(i);
        CHECK(std::abs(static_cast<double>(gradient[i]) - slopes[i]) < tolerance);
    }
}

// The mean loss of a perceptron on a batch that stays the same.
struct batch_loss {
    fashion_mnist::mlp& model;
    fashion_mnist::softmax_cross_entropy& loss;
    const devmem::device_vector<std::uint8_t>& labels;
    devmem::stream_view s;

    double operator()() const {
        loss.evaluate(model.forward(s), labels, s);
        return static_cast<double>(loss.take_totals(s).loss) / static_cast<double>(labels.size());
    }
};

}  // namespace

TEST_SUITE("model") {
    TEST_CASE("gradients of a dense layer") {
        const devmem::stream s;
        std::mt19937_64 random(1);
        fashion_mnist::dense_layer layer(4, 3, random, s);
        matrix input = matrix_of(some_values(20, 1), 4, s);
        matrix output(5, 3, s);
        // loss = sum of weighting * output, so weighting is the gradient of the output.
        const std::vector<float> weighting = some_values(15, 2);
        const auto loss = [&] {
            layer.forward(input, output, s);
            const std::vector<float> values = host_values(output, s);
            return std::inner_product(values.begin(), values.end(), weighting.begin(), 0.0);
        };
        const matrix output_gradient = matrix_of(weighting, 3, s);
        matrix input_gradient(5, 4, s);
        layer.backward(input, output_gradient, s);
        layer.backward_to_input(output_gradient, input_gradient, s);

        for (fashion_mnist::parameter* p : layer.parameters()) {
            check_near(host_values(p->gradient, s), differences(p->value, 0.5f, loss, s), 1e-5);
        }
        check_near(host_values(input_gradient, s), differences(input, 0.5f, loss, s), 1e-5);
    }

    TEST_CASE("gradient of the loss") {
        const devmem::stream s;
        matrix logits = matrix_of(some_values(12, 3), 4, s);
        const devmem::device_vector<std::uint8_t> labels({2, 0, 3}, s);
        fashion_mnist::softmax_cross_entropy loss(3, s);
        const auto mean_loss = [&] {
            loss.evaluate(logits, labels, s);
            return static_cast<double>(loss.take_totals(s).loss) / 3.0;
        };
        matrix gradient(3, 4, s);
        loss.evaluate(logits, labels, gradient, s);
        loss.take_totals(s);
        check_near(host_values(gradient, s), differences(logits, 0.01f, mean_loss, s), 1e-4);
    }

    TEST_CASE("gradients of a whole perceptron") {
        const devmem::stream s;
        std::mt19937_64 random(5);
        fashion_mnist::mlp model(std::array<std::size_t, 4>{6, 5, 4, 3}, 8, random, s);
        devmem::copy(some_values(48, 4), model.input().values(), s);
        const devmem::device_vector<std::uint8_t> labels({0, 1, 2, 0, 1, 2, 0, 1}, s);
        fashion_mnist::softmax_cross_entropy loss(8, s);
        loss.evaluate(model.forward(s), labels, model.output_gradient(), s);
        model.backward(s);
        loss.take_totals(s);

        const batch_loss mean_loss{model, loss, labels, s};
        for (fashion_mnist::parameter* p : model.parameters()) {
            check_near(host_values(p->gradient, s), differences(p->value, 0.002f, mean_loss, s),
                       1e-3);
        }
    }
}

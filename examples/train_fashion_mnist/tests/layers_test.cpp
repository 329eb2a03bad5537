// The device code against the same computed by hand, in the order of a stream.
#include "host_values.hpp"
#include "model/dense_layer.hpp"
#include "model/matrix_product.hpp"
#include "model/mlp.hpp"
#include "model/relu.hpp"
#include "model/sgd.hpp"
#include "model/softmax_cross_entropy.hpp"

#include <doctest/doctest.h>
#include <devmem/devmem.hpp>

#include <array>
#include <cmath>
#include <string>

using fashion_mnist::matrix;
using fashion_mnist_test::host_values;
using fashion_mnist_test::matrix_of;
using fashion_mnist_test::some_values;

TEST_SUITE("model") {
    TEST_CASE("a product of matrices, each factor as it is or transposed") {
        const devmem::stream s;
        const matrix a = matrix_of({1, 2, 3, 4, 5, 6}, 3, s);             // 2 x 3
        const matrix b = matrix_of({1, 0, 2, 1, 1, 1}, 2, s);             // 3 x 2
        const matrix a_transposed = matrix_of({1, 4, 2, 5, 3, 6}, 2, s);  // 3 x 2
        const matrix b_transposed = matrix_of({1, 2, 1, 0, 1, 1}, 3, s);  // 2 x 3
        const std::vector<float> wanted = {8, 5, 20, 11};
        matrix product(2, 2, s);

        multiply(a, b, product, s);
        CHECK(host_values(product, s) == wanted);
        multiply(transposed(a_transposed), b, product, s);
        CHECK(host_values(product, s) == wanted);
        multiply(a, transposed(b_transposed), product, s);
        CHECK(host_values(product, s) == wanted);
        multiply(transposed(a_transposed), transposed(b_transposed), product, s);
        CHECK(host_values(product, s) == wanted);
    }

    TEST_CASE("a device without products is refused by name") {
        CHECK_NOTHROW(fashion_mnist::prepare_matrix_products(devmem::device::cpu()));
        try {
            fashion_mnist::prepare_matrix_products(devmem::device::cuda(1));
            FAIL("a CUDA device was accepted");
        } catch (const fashion_mnist::unsupported_device& e) {
            CHECK(std::string(e.what()).starts_with("cuda:1: "));
            CHECK(std::string(e.what()).ends_with("--device cpu"));
        }
    }

    TEST_CASE("a matrix with fewer rows keeps its memory") {
        const devmem::stream s;
        matrix m(8, 3, s);
        const std::size_t capacity = m.values().capacity();
        m.set_rows(5, s);
        CHECK(m.rows() == 5);
        m.set_rows(8, s);
        CHECK(m.rows() == 8);
        CHECK(m.values().capacity() == capacity);
    }

    TEST_CASE("a dense layer multiplies and adds its bias to each row") {
        const devmem::stream s;
        std::mt19937_64 random(1);
        fashion_mnist::dense_layer layer(2, 3, random, s);
        layer.parameters()[0]->value = matrix_of({1, 2, 3, 4, 5, 6}, 3, s);
        layer.parameters()[1]->value = matrix_of({10, 20, 30}, 3, s);
        matrix output(2, 3, s);
        layer.forward(matrix_of({1, 0, 1, 1}, 2, s), output, s);
        CHECK(host_values(output, s) == std::vector<float>{11, 22, 33, 15, 27, 39});
    }

    TEST_CASE("first weights have the spread that ReLU wants, and no bias") {
        const devmem::stream s;
        std::mt19937_64 random(1);
        fashion_mnist::dense_layer layer(200, 100, random, s);
        double square = 0.0;
        for (const float w : host_values(layer.parameters()[0]->value, s)) square += w * w;
        CHECK(square / 20'000 == doctest::Approx(2.0 / 200).epsilon(0.05));
        CHECK(host_values(layer.parameters()[1]->value, s) == std::vector<float>(100, 0.0f));
    }

    TEST_CASE("relu passes what is positive, and its gradient where it passed") {
        const devmem::stream s;
        matrix values = matrix_of({-1, 0, 2, 3}, 2, s);
        fashion_mnist::relu::forward(values, values, s);
        CHECK(host_values(values, s) == std::vector<float>{0, 0, 2, 3});
        matrix gradient = matrix_of({5, 6, 7, 8}, 2, s);
        fashion_mnist::relu::backward(values, gradient, s);
        CHECK(host_values(gradient, s) == std::vector<float>{0, 0, 7, 8});
    }

    TEST_CASE("the loss is -log of the softmax at the label, summed until taken") {
        const devmem::stream s;
        fashion_mnist::softmax_cross_entropy loss(3, s);
        const matrix logits = matrix_of({0, 0, 1, -1}, 2, s);
        const devmem::device_vector<std::uint8_t> labels({0, 1, 0}, s);
        loss.evaluate(logits, labels, s);
        loss.evaluate(logits, labels, s);

        const double wanted = 2 * (std::log(2.0) + std::log(1 + std::exp(2.0)));
        const fashion_mnist::loss_totals totals = loss.take_totals(s);
        CHECK(totals.loss == doctest::Approx(wanted).epsilon(1e-6));
        CHECK(totals.correct == 2);  // the first row ties, and the first of equals is taken
        CHECK(loss.take_totals(s).loss == 0.0f);
        CHECK(loss.take_totals(s).correct == 0);
    }

    TEST_CASE("logits far from zero overflow nothing") {
        const devmem::stream s;
        fashion_mnist::softmax_cross_entropy loss(1, s);
        matrix gradient(1, 2, s);
        loss.evaluate(matrix_of({1'000, -1'000}, 2, s), devmem::device_vector<std::uint8_t>({1}, s),
                      gradient, s);
        CHECK(loss.take_totals(s).loss == 2'000.0f);
        CHECK(host_values(gradient, s) == std::vector<float>{1, -1});
    }

    TEST_CASE("gradient descent gathers momentum") {
        const devmem::stream s;
        fashion_mnist::parameter p(devmem::device_vector<float>(2, 1.0f, s), 2, s);
        fashion_mnist::sgd optimizer({&p}, 0.5f, s);
        p.gradient = matrix_of({1, -2}, 2, s);
        optimizer.step(0.25f, s);
        CHECK(host_values(p.value, s) == std::vector<float>{0.75f, 1.5f});
        optimizer.step(0.25f, s);  // velocity 1.5 and -3
        CHECK(host_values(p.value, s) == std::vector<float>{0.375f, 2.25f});
    }

    TEST_CASE("a perceptron gives the same rows in a batch of another size") {
        const devmem::stream s;
        std::mt19937_64 random(1);
        fashion_mnist::mlp model(std::array<std::size_t, 3>{4, 5, 2}, 3, random, s);
        const std::vector<float> images = some_values(12, 1);

        devmem::copy(images, model.input().values(), s);
        const std::vector<float> three = host_values(model.forward(s), s);
        model.set_rows(2, s);
        devmem::copy(std::span(images).first(8), model.input().values(), s);
        const std::vector<float> two = host_values(model.forward(s), s);
        REQUIRE(two.size() == 4);
        for (std::size_t i = 0; i < two.size(); ++i) CHECK(two[i] == doctest::Approx(three[i]));
    }

    TEST_CASE("a perceptron moves to another device as a whole, and computes the same there") {
        const devmem::device here = devmem::device::cpu(0);
        const devmem::device there = devmem::devices(devmem::device_kind::cpu).back();
        const devmem::stream s(here);
        std::mt19937_64 random(1);
        const std::array<std::size_t, 4> widths = {4, 6, 5, 2};
        fashion_mnist::mlp model(widths, 3, random, s, fashion_mnist::activation::out_of_place);
        devmem::copy(some_values(12, 1), model.input().values(), s);
        const std::vector<float> before = host_values(model.forward(s), s);
        const std::size_t bytes = devmem::bytes_of(model);

        fashion_mnist::mlp moved = devmem::to(there, std::move(model));
        const devmem::stream t(there);
        CHECK(moved.input().values().device() == there);
        CHECK(devmem::bytes_of(moved) == bytes);
        CHECK(host_values(moved.forward(t), t) == before);
        moved.backward(t);
        t.synchronize();
    }
}
